//! The problem that no shipped part has a name in `parts`.

use super::origin::TextSpan;
use super::problem::Problem;
use super::suggest;

/// The smallest length at which the beginning of a part's name identifies the part.
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
    let last_word = final_segment(stem);
    let label = nearest(stem, last_word, parts)
        .map_or("no part has this name".to_owned(), |near| format!("did you mean \"{near}\"?"));
    let problem = Problem::new(format!("there is no shipped part \"{}\"", name.escape_debug()))
        .with_location(place, label)
        .help(if examples.contains(&last_word) { example_help(last_word) } else { String::new() })
        .help(allowed_parts_help(stem, parts));
    match name.ends_with(".toml") {
        true => {
            problem.help("a file is not a part: copy its tables into the description, where they override the parts")
        }
        false => problem,
    }
}

fn example_help(name: &str) -> String {
    format!("`{name}` is an example, not a part: `narrows show {name}` prints the parts and values that it has")
}

/// Returns the part that `stem`, whose last word is `last_word`, probably means: the part with this last word, the
/// first one whose last word begins with it, or the one with the nearest name.
fn nearest(stem: &str, last_word: &str, parts: &[&'static str]) -> Option<&'static str> {
    let find = |is_meant: &dyn Fn(&str) -> bool| parts.iter().copied().find(|part| is_meant(final_segment(part)));
    let exact_match = find(&|word| word == last_word);
    let prefix_match = || find(&|word| last_word.len() >= BEGINNING_LENGTH_MIN && word.starts_with(last_word));
    exact_match.or_else(prefix_match).or_else(|| suggest::nearest(stem, parts.iter().copied()))
}

/// Returns the help that lists the parts in the folder of `stem`, or all folders.
fn allowed_parts_help(stem: &str, parts: &'static [&'static str]) -> String {
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

fn final_segment(part: &str) -> &str {
    part.rsplit('/').next().unwrap_or(part)
}
