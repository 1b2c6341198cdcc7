//! The problem of a name in `parts` that no shipped part has.

use super::origin::TextSpan;
use super::problem::Problem;
use super::suggest;

/// Length from which the beginning of a part's name is taken for the part.
const BEGINNING_LENGTH_MIN: usize = 3;

/// Returns the problem that no part is called `name`. `parts` and `examples` are the names of the shipped parts and
/// examples.
pub(super) fn unknown_part(
    name: &str,
    place: Option<TextSpan>,
    parts: &'static [&'static str],
    examples: &[&str],
) -> Problem {
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    // A name without its folder, or with the path of a file, means the part with the same last word.
    let last = last_word(stem);
    let label = nearest(stem, last, parts)
        .map_or("no part has this name".to_owned(), |near| format!("did you mean \"{near}\"?"));
    let problem = Problem::new(format!("there is no shipped part \"{}\"", name.escape_debug()))
        .with_location(place, label)
        .help(if examples.contains(&last) { example_help(last) } else { String::new() })
        .help(allowed(stem, parts));
    match name.ends_with(".toml") {
        true => problem.help("a file is no part: write its tables into the description, which override the parts"),
        false => problem,
    }
}

fn example_help(name: &str) -> String {
    format!("`{name}` is an example, not a part: `narrows show {name}` prints the parts and values that it has")
}

/// Returns the part that `stem`, whose last word is `last`, probably means: the part with this last word, the first one
/// whose last word begins with it, or the one with the nearest name.
fn nearest(stem: &str, last: &str, parts: &[&'static str]) -> Option<&'static str> {
    let find = |is_meant: &dyn Fn(&str) -> bool| parts.iter().copied().find(|part| is_meant(last_word(part)));
    let same = find(&|word| word == last);
    let begins = || find(&|word| last.len() >= BEGINNING_LENGTH_MIN && word.starts_with(last));
    same.or_else(begins).or_else(|| suggest::nearest(stem, parts.iter().copied()))
}

/// Returns the help that lists the parts in the folder of `stem`, or all folders.
fn allowed(stem: &str, parts: &'static [&'static str]) -> String {
    // If the name contains a folder, only parts in that folder can be meant.
    let folder = folder_of(stem);
    let inside: Vec<&str> = parts.iter().copied().filter(|part| folder_of(part) == folder).collect();
    if parts.is_empty() {
        return "there are no shipped parts".to_owned();
    }
    if !folder.is_empty() && !inside.is_empty() {
        return format!("the shipped parts in `{folder}/` are {}", suggest::phrase(inside));
    }
    let mut folders: Vec<String> = parts.iter().map(|part| format!("{}/", folder_of(part))).collect();
    folders.retain(|folder| folder != "/");
    folders.sort_unstable();
    folders.dedup();
    let folders = suggest::phrase(folders.iter().map(String::as_str));
    format!(
        "shipped parts are named by folder and name, such as \"{}\"; the folders are {folders}, and `narrows list` prints all names",
        parts[parts.len() / 2]
    )
}

fn folder_of(part: &str) -> &str {
    part.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn last_word(part: &str) -> &str {
    part.rsplit('/').next().unwrap_or(part)
}
