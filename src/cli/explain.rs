//! `narrows explain`: the meaning of any name in a description or a result.

use super::exit::{CommandResult, ExitStatus};
use super::output::{self, LINE_COLUMNS};
use super::vocabulary::{Word, matching, vocabulary};
use super::{Format, registry};
use clap::Args;
use narrows_core::text::{Problem, suggest};
use narrows_study::report::wrapped;
use serde_json::{Value as Json, json};

const EXAMPLES: &str = "\
Examples:
  narrows explain payload                      every key with this name
  narrows explain hosts.NAME.pcie.link.lanes   one key
  narrows explain message.latency_one_way_p99  a metric
  narrows explain \"receive: poll\"              a stage of a latency
  narrows explain saturated                    how a run can end
  narrows explain --format json                everything, for programs";

/// Explain a key, metric, stage, resource, outcome, exit code or term
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Name to explain [default: all names]
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let (name, words) = (options.name.join(" "), vocabulary(registry()));
    let found: Vec<&Word> = match name.is_empty() {
        true => words.iter().collect(),
        false => matching(&words, &name),
    };
    if found.is_empty() {
        return Err(unknown(&name, &words).into());
    }
    output::print(&match options.format {
        Format::Text => found.iter().map(|word| text(word)).collect::<Vec<_>>().join("\n"),
        Format::Json => format!("{:#}\n", found.iter().map(|word| json_of(word)).collect::<Json>()),
    })?;
    Ok(ExitStatus::Done)
}

/// Returns the problem of a name that is not in the vocabulary, with the name that was probably meant.
fn unknown(name: &str, words: &[Word]) -> Problem {
    let last = |word: &'_ Word| word.name.rsplit('.').next().unwrap_or_default().to_owned();
    let lasts: Vec<String> = words.iter().map(last).collect();
    let names = words.iter().map(|word| word.name.as_str()).chain(lasts.iter().map(String::as_str));
    let nearest = suggest::nearest(name, names).map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
    Problem::new(format!("nothing is called `{name}`"))
        .help(nearest)
        .help("`narrows explain` without a name prints all keys, metrics, stages, resources and terms")
}

/// Returns the entry of a word: its name and kind, its meaning, and its facts.
fn text(word: &Word) -> String {
    let indented = |text: &str| wrapped("    ", "      ", text, LINE_COLUMNS);
    let facts = word.facts.iter().map(|(label, fact)| indented(&format!("{label}: {fact}")));
    format!("{}  ({})\n{}{}", word.name, word.kind, indented(&word.meaning), facts.collect::<String>())
}

fn json_of(word: &Word) -> Json {
    let mut entry = json!({ "name": word.name, "kind": word.kind, "meaning": word.meaning });
    for (label, fact) in &word.facts {
        entry[*label] = json!(fact);
    }
    entry
}
