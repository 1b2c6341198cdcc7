//! Translates keys from the spelling of results (`ring_entries`), writes the machine of a result as a description, and
//! suggests the full keys if only the last names of a key were given. The meaning of keys is not considered.

use super::Registry;
use super::key_spelling::KeySpelling;
use crate::text::{Document, Layer, Problem, Problems, set};
use serde_json::Value as Json;
use std::fmt::Write;
use std::sync::Arc;

impl Registry {
    /// Returns the setting with its keys spelled as in descriptions. A JSON value is converted to TOML.
    pub fn with_canonical_keys(self: &Arc<Self>, option: &str) -> String {
        match option.contains(['_', '{', '[']) {
            true => with_canonical_keys(self, option),
            false => option.to_owned(),
        }
    }

    /// Returns the machine of a result as a description, in the order of the result.
    pub fn description(self: &Arc<Self>, machine: &Json) -> String {
        let mut text = String::new();
        write_lines(self.key_spelling(), "", None, machine, &mut text);
        text
    }

    fn key_spelling(self: &Arc<Self>) -> &KeySpelling {
        self.key_spelling.get_or_init(|| KeySpelling::from_schema(&self.schema()))
    }
}

/// Returns the setting with its keys spelled as in descriptions. The spelling of all keys takes longer to make than a
/// description to read, so it is made only for a key that it may change: one with `_`, or one in JSON.
fn with_canonical_keys(registry: &Arc<Registry>, option: &str) -> String {
    // If the option is not a setting, that is reported when it is read.
    let Ok(setting) = set::parse(option, 0, 0) else { return option.to_owned() };
    let mut canonical = option.to_owned();
    let mut parent: Option<String> = None;
    for (key, span) in &setting.path {
        let key = match key.contains('_') {
            true => registry.key_spelling().canonical_key(parent.as_deref(), key),
            false => key.clone(),
        };
        if key != canonical[span.clone()] && !canonical[span.clone()].starts_with(['"', '\'']) {
            canonical.replace_range(span.clone(), &key);
        }
        parent = Some(key);
    }
    let end = setting.path.last().map_or(0, |(_, span)| span.end);
    let Some(equals) = canonical[end..].find('=').map(|offset| end + offset + 1) else { return canonical };
    let value = canonical[equals..].trim();
    if value.starts_with(['{', '['])
        && value.parse::<toml::Value>().is_err()
        && let Ok(json) = serde_json::from_str::<Json>(value)
    {
        let value = inline(registry.key_spelling(), parent.as_deref(), &json);
        canonical.replace_range(equals.., &value);
    }
    canonical
}

fn write_lines(key_spelling: &KeySpelling, path: &str, parent: Option<&str>, json: &Json, text: &mut String) {
    match json {
        Json::Object(map) if !map.is_empty() || path.is_empty() => {
            for (key, json) in map.iter().filter(|(_, json)| !json.is_null()) {
                let key = key_spelling.canonical_key(parent, key);
                let dot = if path.is_empty() { "" } else { "." };
                write_lines(key_spelling, &format!("{path}{dot}{}", quoted(&key)), Some(&key), json, text);
            }
        }
        json => {
            let _ = writeln!(text, "{path} = {}", inline(key_spelling, parent, json));
        }
    }
}

/// Formats a value as one line of TOML.
fn inline(key_spelling: &KeySpelling, parent: Option<&str>, json: &Json) -> String {
    match json {
        Json::Object(map) => {
            let format_pair = |(key, json): (&String, &Json)| {
                let key = key_spelling.canonical_key(parent, key);
                format!("{} = {}", quoted(&key), inline(key_spelling, Some(&key), json))
            };
            let pairs: Vec<String> = map.iter().filter(|(_, json)| !json.is_null()).map(format_pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Json::Array(items) => {
            format!("[{}]", items.iter().map(|item| inline(key_spelling, parent, item)).collect::<Vec<_>>().join(", "))
        }
        Json::String(text) => toml::Value::from(text.as_str()).to_string(),
        other => other.to_string(),
    }
}

fn quoted(key: &str) -> String {
    let is_bare_key_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match !key.is_empty() && key.chars().all(is_bare_key_character) {
        true => key.to_owned(),
        false => toml::Value::from(key).to_string(),
    }
}

/// Largest number of keys that are suggested for an unknown one.
const KEYS_SUGGESTED_MAX: usize = 4;

impl Registry {
    /// Returns the problems. If a setting has an unknown key at the top level, the keys of the description that end
    /// with it are added as suggestions. For a varied key without suggestions, the options that may vary it are added.
    pub(super) fn with_completed_keys(self: &Arc<Self>, problems: Problems, document: Document<'_>) -> Problems {
        let is_at_top_level =
            |problem: &Problem| problem.message.starts_with("unknown key `") && problem.message.ends_with('`');
        if !problems.list().iter().any(is_at_top_level) {
            return problems;
        }
        let Ok(read) = self.read_canonical(document, &[], &[], None) else { return problems };
        let paths: Vec<String> = read.entries().into_iter().map(|entry| entry.path).collect();
        problems.with_help_per_problem(|problem, layer| {
            let (Layer::Set(option) | Layer::Vary(option)) = layer else { return None };
            let (keys, _) =
                set::parse_plain(option).filter(|_| is_at_top_level(problem) && !problem.message.contains("` in `"))?;
            let end = format!(".{}", keys.join("."));
            let full_paths: Vec<&str> = paths.iter().map(String::as_str).filter(|path| path.ends_with(&end)).collect();
            let suggestions: Vec<String> =
                full_paths.iter().take(KEYS_SUGGESTED_MAX).map(|path| format!("`{path}`")).collect();
            match layer {
                _ if !suggestions.is_empty() => Some(format!("did you mean {}?", suggestions.join(" or "))),
                Layer::Vary(_) => Some(
                    "the key comes from --vary or from a column of --points: correct it there, or remove it".to_owned(),
                ),
                _ => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Registry, read, shipped};
    use serde_json::json;

    #[test]
    fn keys_of_results_are_keys_of_descriptions() {
        for (option, plain) in [
            ("ni.trapeze.ring_entries=8", "ni.trapeze.ring-entries=8"),
            ("nodes.ring_entries.host=x", "nodes.ring_entries.host=x"),
            ("workload.ping_pong={\"warm_up\": 3}", "workload.ping-pong={warm-up = 3}"),
            ("fabric.mesh.shape=[4, 4]", "fabric.mesh.shape=[4, 4]"),
            ("fabric.router.exit_delay=1", "fabric.router.exit-delay=1"),
            ("", ""),
        ] {
            assert_eq!(Registry::shared().with_canonical_keys(option), plain);
        }
        assert_eq!(
            Registry::shared().description(&json!({ "nodes": { "b": {}, "a_b": { "host": "x" } } })),
            "nodes.b = {}\nnodes.a_b.host = \"x\"\n"
        );
    }

    #[test]
    fn the_machine_of_every_examples_result_reads_back_the_same() {
        for name in shipped::examples() {
            let folder = Some(std::path::Path::new(shipped::SHIPPED));
            let read_of = |text: &str| {
                read(Document::Text(name, text, folder), &[]).unwrap_or_else(|error| panic!("{name}: {error}"))
            };
            let machine = read_of(shipped::example(name).expect("the example ships")).resolved();
            assert_eq!(read_of(&Registry::shared().description(&machine)).resolved(), machine, "{name}");
        }
    }
}
