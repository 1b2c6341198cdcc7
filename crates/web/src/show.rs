//! `show`: every value of a machine, with the data that a control for the value needs.

use crate::control_kind::{control, dimension};
use crate::key_catalog::KeyCatalog;
use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, warnings};
use narrows_core::text::origin::Layer;
use narrows_core::text::schema::{Line, Need};
use narrows_core::text::{Entry, Kind};
use narrows_study::catalog::list;
use serde_json::{Value as Json, json};

/// Returns the values of the machine.
pub fn show(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let subject = question.subject(engine)?;
    let read = subject.read(&question.sets)?;
    let values: Json = read.entries().iter().map(|entry| value(entry, engine.keys())).collect();
    let notes: Vec<String> = read.value.note().into_iter().collect();
    let answer = json!({
        "title": list::first_comment(subject.text()),
        "name": subject.name(),
        "values": values,
        "notes": notes,
        "warnings": warnings(&read),
        "files": read.files().iter().map(|(key, file)| json!({ "key": key, "file": file })).collect::<Json>(),
    });
    Ok(answer.to_string())
}

/// Returns the value of an entry, with what the catalog states about its key.
fn value(entry: &Entry, keys: &KeyCatalog) -> Json {
    let line = keys.line(&entry.path);
    // The kind of a selected member of a family states no alternatives; the kind of the family's key states them.
    let family = keys.family(&entry.path);
    let (kind, dimension) = (&entry.kind, dimension(&entry.kind));
    let choices: Json = match family {
        Some(family) => {
            family.members.iter().map(|member| json!({ "name": member.name, "about": member.doc })).collect()
        }
        None if kind.name == Kind::WORD => kind.words.iter().map(|name| json!({ "name": name, "about": "" })).collect(),
        None => Json::Null,
    };
    let has_choices = choices.as_array().is_some_and(|choices| !choices.is_empty());
    let unit = dimension.and_then(|_| entry.value.split_once(' ')).map(|(_, unit)| unit);
    json!({
        "path": entry.path,
        "value": entry.value,
        "source": entry.note,
        "from": entry.origin.to_string(),
        "layer": layer_name(&entry.origin.layer),
        "key": {
            "meaning": entry.doc,
            "kind": if has_choices { "name" } else { control(kind) },
            "unit": unit,
            "dimension": dimension,
            "default": line.and_then(default),
            "required": line.is_some_and(|line| line.need == Need::Required),
            "least": kind.least,
            "most": kind.most,
            "choices": has_choices.then_some(choices),
            "role": entry.declaration.text(),
            "power_of_two": entry.doc.contains("power of two"),
            "type": kind.to_string(),
        },
    })
}

/// Returns the default of a key as a description writes it.
fn default(line: &Line) -> Option<&str> {
    match &line.need {
        Need::Default(text, _) => Some(text),
        Need::Required | Need::Optional => None,
    }
}

/// Returns the layer that sets a value.
fn layer_name(layer: &Layer) -> &'static str {
    match layer {
        Layer::Default => "default",
        Layer::Part(_) => "part",
        Layer::File(_) => "description",
        Layer::Set(_) => "override",
        Layer::Vary(_) => "varied",
    }
}
