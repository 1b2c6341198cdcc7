//! The entry of a name: its meaning, and its facts, such as its unit or default.

use super::vocabulary::{Word, matching, vocabulary};
use narrows_core::machine::Registry;
use narrows_core::text::{Problem, suggest};
use narrows_study::report::wrapped;
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// Number of columns of a line of text: the usual default width of a terminal.
pub const LINE_COLUMNS: usize = 80;

/// Returns the entries of all words that `name` may mean, as text with lines of at most [`LINE_COLUMNS`] characters. An
/// empty name means all words.
///
/// # Errors
///
/// Returns a problem with the name that was probably meant if no word has this name.
pub fn explain(registry: &Arc<Registry>, name: &str) -> Result<String, Problem> {
    let entries = words_of(registry, name)?;
    Ok(entries.iter().map(entry_text).collect::<Vec<_>>().join("\n"))
}

/// Returns the entries of all words that `name` may mean as JSON. An empty name means all words.
///
/// # Errors
///
/// Returns a problem with the name that was probably meant if no word has this name.
pub fn explain_json(registry: &Arc<Registry>, name: &str) -> Result<Json, Problem> {
    Ok(words_of(registry, name)?.iter().map(entry_json).collect())
}

fn words_of(registry: &Arc<Registry>, name: &str) -> Result<Vec<Word>, Problem> {
    let words = vocabulary(registry);
    if name.is_empty() {
        return Ok(words);
    }
    let matches = matching(&words, name);
    let matches = if matches.is_empty() { matching_each(&words, name) } else { matches };
    if matches.is_empty() {
        Err(unknown_name_problem(name, &words))
    } else {
        Ok(matches.into_iter().cloned().collect())
    }
}

/// Returns the words of a list such as `done, transient` or `done 3, saturated 2`, as the column `outcome` of a table
/// has it. The result is empty if `name` is not a list, or a name in it is unknown.
fn matching_each<'a>(words: &'a [Word], name: &str) -> Vec<&'a Word> {
    let without_count = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).trim().to_owned();
    let matches_of_each: Vec<Vec<&Word>> = name.split(',').map(|name| matching(words, &without_count(name))).collect();
    if !name.contains(',') || matches_of_each.iter().any(Vec::is_empty) { Vec::new() } else { matches_of_each.concat() }
}

/// Returns the problem of a name that is not in the vocabulary, with the name that was probably meant.
fn unknown_name_problem(name: &str, words: &[Word]) -> Problem {
    let last_part = |word: &'_ Word| word.name.rsplit('.').next().unwrap_or_default().to_owned();
    let last_parts: Vec<String> = words.iter().map(last_part).collect();
    let names = words.iter().flat_map(|word| word.name.split(", ")).chain(last_parts.iter().map(String::as_str));
    let nearest = suggest::nearest(name, names).map(|near| format!("did you mean `{near}`?")).unwrap_or_default();
    Problem::new(format!("nothing is called `{name}`"))
        .help(nearest)
        .help("`narrows explain` without a name prints all keys, metrics, stages, resources and terms")
}

/// Returns the entry of a word: its name and kind, its meaning, and its facts.
fn entry_text(word: &Word) -> String {
    let indented = |text: &str| wrapped("    ", "      ", text, LINE_COLUMNS);
    let facts = word.facts.iter().map(|(label, fact)| indented(&format!("{label}: {fact}")));
    format!("{}  ({})\n{}{}", word.name, word.kind, indented(&word.meaning), facts.collect::<String>())
}

fn entry_json(word: &Word) -> Json {
    let mut entry = json!({ "name": word.name, "kind": word.kind, "meaning": word.meaning });
    for (label, fact) in &word.facts {
        entry[*label] = json!(fact);
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_of_a_joined_outcome_is_explained() {
        let registry = Registry::shared();
        let text = explain(registry, "done, transient").expect("both are names");
        assert!(text.contains("done  (outcome)") && text.contains("initial transient, transient  (term)"), "{text}");
        assert_eq!(text, explain(registry, "done 3, transient 2").expect("both are names"));
        let problem = explain(registry, "done, nosuchname").expect_err("one is unknown");
        assert_eq!(problem.message, "nothing is called `done, nosuchname`");
    }
}
