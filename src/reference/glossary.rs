//! The glossary: its text, its terms and their meanings.

/// The glossary, which is also a page of the documentation.
pub const GLOSSARY: &str = include_str!("../../docs/glossary.md");

/// Returns the terms of the glossary, each with its meaning.
pub fn glossary_terms() -> Vec<(String, String)> {
    GLOSSARY.lines().filter_map(glossary_entry).collect()
}

/// Returns the term and the meaning of a line of the glossary, if it is a row of a table.
pub fn glossary_entry(line: &str) -> Option<(String, String)> {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    match cells[..] {
        [term, meaning] if line.starts_with('|') && term != "term" && !term.starts_with("---") => {
            Some((term.to_owned(), without_links(&meaning.replace('`', ""))))
        }
        _ => None,
    }
}

/// Returns a text with each Markdown link replaced by its words.
fn without_links(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    let text_after_links = parts.map(|part| part.split_once(')').map_or(part, |(_, text)| text));
    let joined_parts = text_after_links.fold(first, |joined, part| joined + part);
    joined_parts.replace('[', "")
}
