//! `narrows show`: every value of a description, where it is set, and the publication or reason behind it.

use super::exit::{CommandResult, Failure};
use super::{input, output, registry};
use crate::reference::key_meaning;
use clap::{Args, ValueEnum};
use narrows_core::machine::shipped;
use narrows_core::text::{Document, Problem, Source, load, suggest};
use narrows_study::experiment::full_description::{self, DescribedValue};
use narrows_study::experiment::part_overrides::{keys_of_kind, kind_table};
use narrows_study::report::{Cell, Column, ReportTable};
use serde_json::{Value as Json, json};

const EXAMPLES: &str = "\
Examples:
  narrows show ping-pong                        a shipped example
  narrows show cluster.toml --set run.seed=7    a file with an override
  narrows show hosts/p6-natoma                  a shipped part
  narrows show ping-pong --format toml > all.toml    one file with every value

Values come from, in order of increasing precedence: defaults, shipped parts,
the file, --set.";

/// Print every value of a description, where it is set, and the publication or reason behind it
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    #[command(flatten)]
    subject: input::Options,
    /// Also print the meaning of each key
    #[arg(long)]
    meaning: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = ShowFormat::Text, value_name = "FORMAT")]
    format: ShowFormat,
}

/// The output formats.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ShowFormat {
    /// Text for a terminal
    Text,
    /// JSON for programs
    Json,
    /// A description with every value, which can be changed and run
    Toml,
}

/// A row of the output.
struct ShownValue {
    key: String,
    value: String,
    origin: String,
    source: String,
    meaning: String,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let values = match options.part() {
        Some(part) => part_values(part)?,
        None => options.values()?,
    };
    output::print(&match options.format {
        ShowFormat::Text => options.table(&values).text(),
        ShowFormat::Toml => toml(&values),
        ShowFormat::Json => format!("{:#}\n", values.iter().map(json).collect::<Json>()),
    })
}

impl Options {
    /// Returns the shipped part that is named. Returns `None` if there is a file or an example of that name, or if
    /// there are overrides, which require a description.
    fn part(&self) -> Option<&'static str> {
        let name = self.subject.file.to_str()?;
        if self.subject.file.is_file() || shipped::example(name).is_some() || !self.subject.sets.is_empty() {
            return None;
        }
        part_called(name)
    }

    /// Returns the problem of an unknown name, with the part that was probably meant.
    fn unknown_name_problem(&self) -> Option<Problem> {
        let name = self.subject.file.to_str()?;
        if self.subject.file.exists() || shipped::example(name).is_some() {
            return None;
        }
        if let Some(table) = kind_table(name) {
            let problem =
                Problem::new(format!("`{name}` is a kind without a shipped part: no part is called `{name}`"));
            return Some(problem.help(format!("declare [{table}] in a description")).help(keys_of_kind(&table)));
        }
        let nearest = suggest::nearest(name, shipped::parts().iter().copied())
            .or_else(|| suggest::nearest(name, names_without_folder()).and_then(part_called))?;
        let problem = Problem::new(format!("there is no file, shipped example or part `{name}`"));
        Some(problem.help(format!("did you mean the part `{nearest}`?")).help("`narrows list` lists all parts"))
    }

    fn values(&self) -> Result<Vec<ShownValue>, Failure> {
        if let Some(problem) = self.unknown_name_problem() {
            return Err(problem.into());
        }
        let read = self.subject.read()?;
        let shown_value = |entry: narrows_core::text::Entry| ShownValue {
            key: entry.path,
            value: entry.value,
            origin: entry.origin.to_string(),
            source: entry.note.unwrap_or_default(),
            meaning: entry.doc.to_owned(),
        };
        Ok(read.entries().into_iter().map(shown_value).collect())
    }

    fn table(&self, values: &[ShownValue]) -> ReportTable {
        let mut headings = vec!["key", "value", "comes from", "source"];
        headings.extend(self.meaning.then_some("meaning"));
        let mut table = ReportTable::new(headings.into_iter().map(Column::new).collect());
        for value in values {
            let mut row = vec![&value.key, &value.value, &value.origin, &value.source];
            row.extend(self.meaning.then_some(&value.meaning));
            table.push(row.into_iter().map(|cell| Cell::from(cell.as_str())).collect());
        }
        table
    }
}

/// Returns the part `name`, with or without its folder. If several parts have this name, the part with the fewest
/// folders in its path is chosen; among equals, a single part is preferred to a machine that consists of parts.
fn part_called(name: &str) -> Option<&'static str> {
    let parts = || shipped::parts().iter().copied();
    let parts_called = parts().filter(|part| part.rsplit('/').next() == Some(name));
    let is_machine =
        |part: &str| shipped::part(part).is_some_and(|text| text.lines().any(|line| line.starts_with("parts =")));
    let shortest = parts_called.min_by_key(|part| (part.matches('/').count(), is_machine(part)));
    parts().find(|part| *part == name).or(shortest)
}

/// Returns the names of the parts without their folders.
fn names_without_folder() -> impl Iterator<Item = &'static str> {
    shipped::parts().iter().filter_map(|part| part.rsplit('/').next())
}

/// Returns the values of a shipped part.
fn part_values(part: &str) -> Result<Vec<ShownValue>, Failure> {
    let sets = [format!("parts=[\"{part}\"]")];
    let loaded = load(&Source { document: Document::None, sets: &sets, varied: &[], library: shipped::library() })?;
    let keys = registry().schema().lines();
    let shown_value = |leaf: narrows_core::text::leaves::Leaf| ShownValue {
        meaning: key_meaning(&keys, &leaf.path).unwrap_or_default().to_owned(),
        key: leaf.path,
        value: leaf.value,
        origin: leaf.origin.map(|origin| origin.to_string()).unwrap_or_default(),
        source: leaf.note.unwrap_or_default(),
    };
    Ok(loaded.leaves().into_iter().map(shown_value).collect())
}

/// Returns the values as a description.
fn toml(values: &[ShownValue]) -> String {
    let described_values: Vec<DescribedValue<'_>> = values
        .iter()
        .map(|value| DescribedValue { key: &value.key, value: &value.value, source: &value.source })
        .collect();
    full_description::toml(&described_values)
}

fn json(value: &ShownValue) -> Json {
    json!({
        "key": value.key,
        "value": value.value,
        "from": value.origin,
        "source": value.source,
        "meaning": value.meaning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_part_have_their_meanings() {
        let values = part_values("hosts/pcie-gen3-x8").unwrap_or_else(|_| panic!("a part"));
        let keys_without_meaning: Vec<&str> =
            values.iter().filter(|value| value.meaning.is_empty()).map(|value| value.key.as_str()).collect();
        assert!(keys_without_meaning.is_empty() && !values.is_empty(), "{keys_without_meaning:?}");
    }

    #[test]
    fn kind_without_a_part_is_named_with_its_table() {
        assert_eq!(kind_table("dma-engine").as_deref(), Some("ni.dma-engine"));
        assert_eq!(kind_table("pcie").as_deref(), Some("hosts.NAME.pcie"));
        assert_eq!(kind_table("no-such-kind"), None);
    }
}
