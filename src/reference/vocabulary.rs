//! All names that occur in descriptions and results, with their meanings: keys, metrics, stages, resources, outcomes,
//! exit codes and the terms of the glossary.

use super::exit_codes::EXIT_CODES;
use super::fields::FIELDS;
use super::glossary::glossary_terms;
use narrows_core::machine::Registry;
use narrows_core::part::{ResultKind, ResultName, STATISTICS};
use narrows_core::text::schema::{Line, Need};
use narrows_study::catalog::NameKind;
use std::sync::Arc;

/// A name with its meaning.
#[derive(Clone)]
pub struct Word {
    /// The name. In keys and metrics, words in capitals match names of the user's choice.
    pub name: String,
    /// Kind of the name, such as `key` or `metric`.
    pub kind: &'static str,
    /// Meaning.
    pub meaning: String,
    /// Further facts, each with its label.
    pub facts: Vec<(&'static str, String)>,
}

impl Word {
    fn new(name: impl Into<String>, kind: &'static str, meaning: impl Into<String>) -> Word {
        Word { name: name.into(), kind, meaning: meaning.into(), facts: Vec::new() }
    }
}

/// Kind of the columns of tables and the fields of JSON.
const FIELD: &str = "column or field";

/// Outcomes of a run: the name, the exit code and the meaning of each.
const OUTCOMES: [(&str, &str, &str); 6] = [
    ("done", "0", "The program ended, and all messages were delivered"),
    ("saturated", "0", "An open loop ended, but its backlog grew without bound: the offered load exceeds the capacity"),
    ("loss", "3", "The program ended, but messages were lost that nothing retransmits"),
    ("deadlock", "3", "No task can go on: each waits for another; the result names the chain of waits"),
    ("livelock", "3", "Events go on, but no message and no task makes progress"),
    ("time-limit", "3", "The run reached `run.time-limit`"),
];

/// Returns all names: keys in the order in which they are read, then the names in results, then the others.
pub fn vocabulary(registry: &Arc<Registry>) -> Vec<Word> {
    let outcome = |(name, code, meaning): &(&str, &str, &str)| Word {
        facts: vec![("exit code", (*code).to_owned())],
        ..Word::new(*name, "outcome", *meaning)
    };
    let exit_code = |(code, meaning): &(u8, &str)| Word::new(format!("exit code {code}"), "exit code", *meaning);
    let statistic =
        |(suffix, meaning): &(&str, &str)| Word::new(format!("…{suffix}"), "statistic of a metric", *meaning);
    let term = |(term, meaning): (String, String)| Word::new(term, "term", meaning);
    let mut words = keys(registry);
    words.extend(result_words(registry));
    words.extend(STATISTICS.iter().map(statistic));
    words.extend(OUTCOMES.iter().map(outcome));
    words.extend(EXIT_CODES.iter().map(exit_code));
    words.extend(glossary_terms().into_iter().map(term));
    words.extend(shipped_words(registry));
    words.extend(FIELDS.iter().map(|(names, commands, meaning)| Word {
        facts: vec![("printed by", (*commands).to_owned())],
        ..Word::new(*names, FIELD, *meaning)
    }));
    words
}

/// Returns the shipped examples and parts, each with its description.
fn shipped_words(registry: &Arc<Registry>) -> Vec<Word> {
    let kinds = [NameKind::Examples].into_iter().chain(NameKind::PARTS);
    let groups = kinds.map(|kind| (if kind == NameKind::Examples { "example" } else { "part" }, kind.group(registry)));
    groups
        .flat_map(|(kind, group)| {
            let usage = group.usage;
            group.names.into_iter().map(move |(name, meaning)| Word {
                facts: vec![("used as", usage.to_owned())],
                ..Word::new(name, kind, meaning)
            })
        })
        .collect()
}

fn keys(registry: &Arc<Registry>) -> Vec<Word> {
    let lines = registry.schema().lines();
    let word = |line: &Line| {
        let default = match &line.need {
            Need::Required => "required".to_owned(),
            Need::Optional => "no default".to_owned(),
            Need::Default(text, _) => text.clone(),
        };
        let mut facts = vec![("value", line.kind.clone()), ("default", default)];
        facts.extend(line.declaration.text().map(|declared| ("role", declared)));
        Word { facts, ..Word::new(&line.path, "key", line.doc) }
    };
    lines.iter().map(word).collect()
}

/// Returns the names in results. Parts that report the same name in the same sense share its entry.
fn result_words(registry: &Registry) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (part, name) in registry.result_names() {
        let is_same = |word: &&mut Word| {
            word.name == name.pattern && word.kind == name.kind.name() && word.meaning == name.meaning
        };
        let part = part.map_or_else(String::new, |names| names.join("."));
        if let Some((_, parts)) = words.iter_mut().find(is_same).and_then(|word| word.facts.last_mut()) {
            *parts += &format!(", {part}");
            continue;
        }
        let mut word = Word::new(name.pattern, name.kind.name(), name.meaning);
        if name.kind == ResultKind::Metric {
            word.facts.push(("unit", if name.unit.is_empty() { "a plain number" } else { name.unit }.to_owned()));
        }
        if !part.is_empty() {
            word.facts.push(("reported with", part));
        }
        words.push(word);
    }
    words
}

/// Returns the meaning of the key `path`, in which the words in capitals match names of the user's choice.
pub fn key_meaning<'a>(keys: &'a [Line], path: &str) -> Option<&'a str> {
    let exact = keys.iter().find(|line| line.path == path);
    exact.or_else(|| keys.iter().find(|line| ResultName::matches_words(&line.path, path))).map(|line| line.doc)
}

/// Returns the words that `name` may mean: the words of exactly this name or, if no word has this name, the words
/// that end with it, as a key ends with its last names; and then the column or field of this name.
pub fn matching<'a>(words: &'a [Word], name: &str) -> Vec<&'a Word> {
    let (fields, words): (Vec<&Word>, Vec<&Word>) = words.iter().partition(|word| word.kind == FIELD);
    // A column has its unit in brackets.
    let heading = name.trim_matches('`').to_lowercase();
    let heading = heading.split(" [").next().unwrap_or_default();
    let is_heading = |word: &&Word| word.name.split(", ").any(|field| field.to_lowercase() == heading);
    let mut matches = matching_names(&words, name);
    matches.extend(fields.into_iter().filter(is_heading));
    matches
}

/// Returns the words, apart from columns and fields, that `name` may mean.
fn matching_names<'a>(words: &[&'a Word], name: &str) -> Vec<&'a Word> {
    let words = || words.iter().copied();
    let sought_name = name.trim_matches('`').to_lowercase();
    let is_exact =
        |word: &&Word| word.name.to_lowercase() == sought_name || fits_name(word, name) || has_term(word, &sought_name);
    let exact_matches: Vec<&Word> = words().filter(is_exact).collect();
    if !exact_matches.is_empty() {
        return exact_matches;
    }
    let suffix = format!(".{sought_name}");
    let is_statistic =
        |word: &&Word| word.name.strip_prefix('…').is_some_and(|ending| ending.trim_start_matches('_') == sought_name);
    let is_code = |word: &&Word| word.name.strip_prefix("exit code ") == Some(&sought_name);
    let suffix_matches: Vec<&Word> = words()
        .filter(|word| word.name.to_lowercase().ends_with(&suffix) || is_statistic(word) || is_code(word))
        .collect();
    if !suffix_matches.is_empty() || sought_name.is_empty() {
        return suffix_matches;
    }
    // A table has no entry of its own; its keys explain it.
    let (prefix, infix) = (format!("{sought_name}."), format!(".{sought_name}."));
    let is_key_in_table = |word: &&Word| {
        word.kind == "key" && {
            let name = word.name.to_lowercase();
            name.starts_with(&prefix) || name.contains(&infix)
        }
    };
    words().filter(is_key_in_table).collect()
}

/// Returns whether the word is a pattern of metrics, stages or resources that `name` fits, or a key whose words in
/// capitals match words of `name`.
fn fits_name(word: &Word, name: &str) -> bool {
    let kinds = [ResultKind::Metric, ResultKind::Stage, ResultKind::Resource];
    match kinds.into_iter().find(|kind| kind.name() == word.kind) {
        Some(kind) => ResultName::fits(kind, &word.name, name),
        None => word.kind == "key" && ResultName::matches_words(&word.name, name),
    }
}

/// Returns whether the word is an entry of the glossary one of whose terms is `sought`.
fn has_term(word: &Word, sought: &str) -> bool {
    let terms = word.name.split(',').map(|term| term.split('(').next().unwrap_or_default().trim());
    word.kind == "term" && terms.map(str::to_lowercase).any(|term| term == sought)
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_study::experiment::uncertainty::unknown::UNCERTAIN_SOURCES;

    fn names_of_matches(name: &str) -> Vec<String> {
        let words = vocabulary(Registry::shared());
        matching(&words, name).iter().map(|word| format!("{} {}", word.kind, word.name)).collect()
    }

    #[test]
    fn a_name_is_found_whole_by_its_end_and_by_its_pattern() {
        assert_eq!(names_of_matches("workload.ping-pong.payload"), ["key workload.ping-pong.payload"]);
        assert_eq!(names_of_matches("hosts.mine.pcie.link.lanes"), ["key hosts.NAME.pcie.link.lanes"]);
        assert!(names_of_matches("payload").len() > 1);
        assert_eq!(names_of_matches("message.latency_one_way_p99"), ["metric message.latency_one_way"]);
        assert!(names_of_matches("bus.sender.read-block").contains(&"metric bus.NODE.TRANSACTION".to_owned()));
        assert_eq!(names_of_matches("receive: poll"), ["stage receive: poll"]);
        assert!(names_of_matches("sender memory bus").contains(&"resource memory bus".to_owned()));
        assert!(names_of_matches("saturated").contains(&"outcome saturated".to_owned()));
        assert_eq!(names_of_matches("p99"), ["statistic of a metric …_p99"]);
        assert_eq!(names_of_matches("130"), ["exit code exit code 130"]);
        assert!(names_of_matches("I/O ways").iter().any(|name| name.starts_with("term ")));
        assert_eq!(names_of_matches("nosuchname"), Vec::<String>::new());
    }

    #[test]
    fn every_source_of_values_is_a_term() {
        let exact_sources = ["paper", "data sheet", "standard", "measured"];
        for source in exact_sources.into_iter().chain(UNCERTAIN_SOURCES) {
            assert!(names_of_matches(source).contains(&format!("term {source}")), "{source}");
        }
    }

    #[test]
    fn every_word_has_a_meaning() {
        for word in vocabulary(Registry::shared()) {
            assert!(!word.meaning.is_empty() && !word.name.is_empty(), "{} {}", word.kind, word.name);
        }
    }
}
