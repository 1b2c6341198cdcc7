//! A description with every value of a machine, each in a line of its own.

use toml::{Table, Value};

/// A key with its value and the source of the value.
pub struct DescribedValue<'a> {
    /// The key.
    pub key: &'a str,
    /// The value as `narrows show` prints it.
    pub value: &'a str,
    /// The source, which may be empty.
    pub source: &'a str,
}

/// Returns the values as TOML. A key that only selects a table of further keys is left out, as is a key without a
/// value.
pub fn toml(values: &[DescribedValue<'_>]) -> String {
    let is_selection = |key: &str| {
        let start = format!("{key}.");
        values.iter().any(|other| other.key.starts_with(&start))
    };
    let line = |value: &DescribedValue<'_>| {
        let is_toml = format!("x = {}", value.value).parse::<Table>().is_ok();
        let text = if is_toml { value.value.to_owned() } else { Value::String(value.value.to_owned()).to_string() };
        let source = value.source.replace('\n', " ");
        let comment = if source.is_empty() { String::new() } else { format!("  # {source}") };
        format!("{} = {text}{comment}\n", value.key)
    };
    let has_value = |value: &&DescribedValue<'_>| !matches!(value.value, "" | "–") && !is_selection(value.key);
    values.iter().filter(has_value).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::loaded_description::LoadedDescription;
    use crate::experiment::record::inputs_hash;
    use narrows_core::machine::{self, Registry};
    use narrows_core::text::Document;

    #[test]
    fn description_with_every_value_is_the_same_machine() {
        for name in ["ring-ping-pong", "open-loop", "stream", "offered-load"] {
            let description = LoadedDescription::example(Registry::shared(), name)
                .expect("the example exists")
                .read(&[])
                .expect("the example is valid");
            let entries = description.entries();
            let notes: Vec<String> = entries.iter().map(|entry| entry.note.clone().unwrap_or_default()).collect();
            let values = entries.iter().zip(&notes);
            let values: Vec<DescribedValue<'_>> = values
                .map(|(entry, note)| DescribedValue { key: &entry.path, value: &entry.value, source: note })
                .collect();
            let text = toml(&values);
            let again = machine::read(Document::Text("all", &text, None), &[]);
            let again = again.unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
            assert_eq!(inputs_hash(&again), inputs_hash(&description), "{name}");
        }
    }
}
