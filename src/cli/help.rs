//! `narrows help`: the help of a command, the glossary, or the meaning of a name.

use super::exit::{CommandResult, is_coloured};
use super::output::print;
use super::{Cli, registry};
use crate::reference::{GLOSSARY, explain, glossary_entry};
use clap::{Args, CommandFactory};
use narrows_core::text::Problem;

const EXAMPLES: &str = "\
Examples:
  narrows help run                 the same as narrows run --help
  narrows help glossary            every term and its meaning
  narrows help glossary backlog    the terms with this word
  narrows help payload             the same as narrows explain payload";

/// Print the help of a command, the glossary, or the meaning of a name
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// A command, `glossary` (with a word to look up), or a name that `narrows explain` knows
    #[arg(value_name = "TOPIC")]
    topic: Vec<String>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let mut cli = Cli::command();
    cli.build();
    let words: Vec<&str> = options.topic.iter().map(String::as_str).collect();
    let text = match words[..] {
        [] => help_of(&mut cli),
        ["glossary"] => glossary(None)?,
        ["glossary", ..] => glossary(Some(&words[1..].join(" ")))?,
        _ => topic_text(&words.join(" "), &mut cli)?,
    };
    print(&text)
}

/// Returns the text of `--help`, with colours if the terminal shows them.
fn help_of(command: &mut clap::Command) -> String {
    let help = command.render_long_help();
    if is_coloured(&std::io::stdout()) { help.ansi().to_string() } else { help.to_string() }
}

/// Returns the help of the command `topic`, or the meaning of the name `topic`.
fn topic_text(topic: &str, cli: &mut clap::Command) -> Result<String, Problem> {
    if let Some(command) = cli.find_subcommand_mut(topic) {
        return Ok(help_of(command));
    }
    explain(registry(), topic).map_err(|_| unknown_topic(topic, cli))
}

fn unknown_topic(topic: &str, command: &clap::Command) -> Problem {
    let names = command.get_subcommands().map(clap::Command::get_name).chain(["glossary"]);
    Problem::unknown_name("help topic", topic, names.collect::<Vec<_>>().into_iter())
        .help("a topic may also be a key, metric, stage, resource or term: `narrows explain` prints all of them")
}

/// Returns the glossary as text, or its entries whose term contains `word`.
fn glossary(word: Option<&str>) -> Result<String, Problem> {
    let Some(word) = word else { return Ok(glossary_entries(|_| true, true)) };
    let lower_case_word = word.to_lowercase();
    let entries_found = glossary_entries(|term| term.to_lowercase().contains(&lower_case_word), false);
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
        let text = glossary(Some("Backlog")).expect("the glossary has the term");
        assert_eq!(text, "  backlog: Messages that are scheduled and wait in their program\n");
        assert!(glossary(None).expect("the glossary has terms").contains("\nTime and load\n  latency: "));
        assert!(
            glossary(Some("initial transient")).expect("the glossary has the term").ends_with("(measurements.md)\n")
        );
        assert!(glossary(Some("nosuchword")).is_err());
    }

    #[test]
    fn topic_is_a_command_or_a_name() {
        let text = |topic: &str| topic_text(topic, &mut Cli::command());
        assert!(text("run").expect("the command has a help text").contains("Usage"));
        assert!(text("payload").expect("the key has a help text").contains("workload.ping-pong.payload  (key)"));
        assert!(text("receive: poll").expect("the stage has a help text").contains("(stage)"));
        assert!(text("nosuchname").expect_err("the name is unknown").help.join(" ").contains("narrows explain"));
    }
}
