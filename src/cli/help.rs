//! `narrows help`: the help of a command, or the glossary.

use super::exit::{CommandResult, ExitStatus, is_coloured};
use super::output::print;
use super::{Cli, registry};
use crate::reference::{GLOSSARY, glossary_entry, matching, vocabulary};
use clap::{Args, CommandFactory};
use narrows_core::text::Problem;

const EXAMPLES: &str = "\
Examples:
  narrows help run                 the same as narrows run --help
  narrows help glossary            every term and its meaning
  narrows help glossary backlog    the terms with this word";

/// Print the help of a command, or the glossary
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Name of a command, or `glossary`
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
    /// Word to look up in the glossary
    #[arg(value_name = "WORD", requires = "topic")]
    word: Option<String>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let mut cli = Cli::command();
    cli.build();
    let text = match options.topic.as_deref() {
        None => help_of(&mut cli),
        Some("glossary") => glossary(options.word.as_deref())?,
        Some(topic) => match cli.find_subcommand_mut(topic) {
            Some(command) => help_of(command),
            None => return Err(unknown_topic(topic, &cli).into()),
        },
    };
    print(&text)?;
    Ok(ExitStatus::Done)
}

/// Returns the text of `--help`, with colours if the terminal shows them.
fn help_of(command: &mut clap::Command) -> String {
    let help = command.render_long_help();
    if is_coloured(&std::io::stdout()) { help.ansi().to_string() } else { help.to_string() }
}

fn unknown_topic(topic: &str, command: &clap::Command) -> Problem {
    let names = command.get_subcommands().map(clap::Command::get_name).chain(["glossary"]);
    let problem = Problem::unknown_name("help topic", topic, names.collect::<Vec<_>>().into_iter());
    match matching(&vocabulary(registry()), topic).is_empty() {
        true => problem,
        false => problem.help(format!("`narrows explain {topic}` explains this name")),
    }
}

/// Returns the glossary as text, or its entries whose term contains `word`.
fn glossary(word: Option<&str>) -> Result<String, Problem> {
    let Some(word) = word else { return Ok(glossary_entries(|_| true, true)) };
    let sought = word.to_lowercase();
    let entries_found = glossary_entries(|term| term.to_lowercase().contains(&sought), false);
    match entries_found.is_empty() {
        true => Err(Problem::new(format!("the glossary has no term with `{word}`"))
            .help("`narrows help glossary` prints all terms")),
        false => Ok(entries_found),
    }
}

/// Returns the entries whose term satisfies `is_wanted`, each as `term: meaning`, with the headings of their sections
/// if `with_headings`.
fn glossary_entries(is_wanted: impl Fn(&str) -> bool, with_headings: bool) -> String {
    let mut text = String::new();
    for line in GLOSSARY.lines() {
        if let Some(heading) = line.strip_prefix("## ").filter(|_| with_headings) {
            text += &format!("{}{heading}\n", if text.is_empty() { "" } else { "\n" });
        }
        if let Some((term, meaning)) = glossary_entry(line).filter(|(term, _)| is_wanted(term)) {
            text += &format!("  {term}: {meaning}\n");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_looked_up() {
        let text = glossary(Some("Backlog")).expect("a term");
        assert_eq!(text, "  backlog: Messages that are scheduled and wait in their program\n");
        assert!(glossary(None).expect("all terms").contains("\nTime and load\n  latency: "));
        assert!(glossary(Some("initial transient")).expect("a term").ends_with("(measurements.md)\n"));
        assert!(glossary(Some("nosuchword")).is_err());
    }

    #[test]
    fn unknown_topic_that_is_a_name_refers_to_explain() {
        let help = |topic: &str| unknown_topic(topic, &Cli::command()).help.join(" ");
        assert!(help("payload").contains("narrows explain payload"), "{}", help("payload"));
        assert!(!help("nosuchname").contains("narrows explain"));
    }
}
