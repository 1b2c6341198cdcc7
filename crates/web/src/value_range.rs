//! The kind, bounds and choices of a value, from the kind that the description language reports for its key.

/// The facts that a control for a value needs.
#[derive(PartialEq, Eq, Debug, Default)]
pub struct ValueRange<'k> {
    /// Kind of the control: `quantity`, `integer`, `number`, `boolean`, `name`, `list` or `text`.
    pub control: &'static str,
    /// Dimension of a quantity: `time`, `bytes`, `rate` or `frequency`.
    pub dimension: Option<&'k str>,
    /// Smallest value, with its unit.
    pub least: Option<&'k str>,
    /// Largest value, with its unit.
    pub most: Option<&'k str>,
    /// Names of which one is chosen.
    pub choices: Vec<&'k str>,
}

/// The dimensions of quantities.
const DIMENSIONS: [&str; 4] = ["time", "bytes", "rate", "frequency"];

impl<'k> ValueRange<'k> {
    /// Returns the range that the kind states, such as `bytes, at most 16 MiB`, `count, 1 to 64` or `"held" | "split"`.
    pub fn parse(kind: &'k str) -> ValueRange<'k> {
        if kind.starts_with('"') {
            let choices = kind.split(" | ").map(|word| word.trim_matches('"')).collect();
            return ValueRange { control: "name", choices, ..ValueRange::default() };
        }
        if let Some(names) = kind.strip_prefix("one of ") {
            return ValueRange { control: "name", choices: names.split(" | ").collect(), ..ValueRange::default() };
        }
        let (name, bounds) = kind.split_once(", ").unwrap_or((kind, ""));
        let dimension = DIMENSIONS.into_iter().find(|dimension| *dimension == name).map(|_| name);
        let control = match name {
            _ if dimension.is_some() => "quantity",
            "count" => "integer",
            "number" => "number",
            "flag" => "boolean",
            name if name.contains("list") => "list",
            _ => "text",
        };
        let (least, most) = match (bounds.strip_prefix("at least "), bounds.strip_prefix("at most ")) {
            (Some(least), _) => (Some(least), None),
            (_, Some(most)) => (None, Some(most)),
            _ => bounds.split_once(" to ").map_or((None, None), |(least, most)| (Some(least), Some(most))),
        };
        let is_bounded = matches!(control, "quantity" | "integer" | "number");
        let (least, most) = if is_bounded { (least, most) } else { (None, None) };
        ValueRange { control, dimension, least, most, choices: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::machine::Registry;

    #[test]
    fn bounds_and_choices_are_read_from_the_kind() {
        let size = ValueRange::parse("bytes, 8 B to 64 KiB");
        assert_eq!((size.control, size.dimension), ("quantity", Some("bytes")));
        assert_eq!((size.least, size.most), (Some("8 B"), Some("64 KiB")));
        assert_eq!(ValueRange::parse("count, at least 1").least, Some("1"));
        assert_eq!(ValueRange::parse("\"held\" | \"split\"").choices, ["held", "split"]);
        assert_eq!(ValueRange::parse("one of ideal | myrinet").choices, ["ideal", "myrinet"]);
        assert_eq!(ValueRange::parse("flag").control, "boolean");
    }

    #[test]
    fn bounds_of_every_number_of_the_language_are_read() {
        for line in Registry::shared().schema().lines() {
            let range = ValueRange::parse(&line.kind);
            let bounds = match (range.least, range.most) {
                (Some(least), Some(most)) => format!(", {least} to {most}"),
                (Some(least), None) => format!(", at least {least}"),
                (None, Some(most)) => format!(", at most {most}"),
                (None, None) => String::new(),
            };
            if matches!(range.control, "quantity" | "integer" | "number") {
                assert!(line.kind.ends_with(&bounds), "{}: {}", line.path, line.kind);
                assert!(!bounds.is_empty() || !line.kind.contains(", "), "{}: {}", line.path, line.kind);
            }
        }
    }
}
