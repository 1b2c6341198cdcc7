//! Diagnostics as data: a page shows them at the controls of their keys.

use crate::key_catalog::KeyCatalog;
use narrows_core::text::Problems;
use narrows_core::text::origin::Layer;
use serde_json::{Value as Json, json};

/// Returns each problem with its message, key, location and help, and the text that the command line prints for it.
pub fn problems_json(problems: &Problems, keys: &KeyCatalog) -> Json {
    let is_key = |word: &&str| keys.line(word).is_some();
    let problem_json = |single: Problems| {
        let problem = &single.list()[0];
        let quoted_words = || problem.message.split('`').skip(1).step_by(2);
        let (texts, place) = (single.texts(), problem.place.as_ref());
        let layer = place.map(|place| &texts.get(place.text).layer);
        let position = place.map(|place| texts.line_and_column(place));
        json!({
            "message": problem.message,
            "key": quoted_words().find(is_key),
            "file": layer.map(Layer::title),
            "override": layer.and_then(|layer| match layer {
                Layer::Set(text) | Layer::Vary(text) => Some(text),
                _ => None,
            }),
            "line": position.map(|(line, _)| line),
            "column": position.map(|(_, column)| column),
            "label": problem.label,
            "help": problem.help,
            "text": single.to_string(),
        })
    };
    problems.split().into_iter().map(problem_json).collect()
}
