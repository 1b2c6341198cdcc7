//! Edge lists: each line has two vertices, as `a b`, `a,b`, or for one direction only `a -> b`.
//!
//! `#` begins a comment. Lines such as `# switches: s*` and `# hosts: h[0..15]` state the kinds of vertices, by
//! [patterns of names](NamePattern). Attributes follow in braces, as networkx writes them:
//! `a b {'rate': '100 Gbit/s', 'latency': '500 ns'}`. If all names are numbers, vertices are in numerical order;
//! otherwise they are in the order in which the file first names them.

use super::attributes::{self, shortened};
use super::builder::{Graph, GraphBuilder, GraphError, GraphLink, VertexId, VertexKind};
use crate::text::name_pattern::NamePattern;

const LINK_FORMAT_HELP: &str = "a link is written as `a b` or `a,b`, in one direction only as `a -> b`";

/// Parses a graph in an edge list.
pub(super) fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let mut builder = GraphBuilder::default();
    let mut kind_lines = Vec::new();
    for (line_number, line) in (1..).zip(text.lines()) {
        if let Some((kind, patterns)) = parse_kinds_line(line) {
            kind_lines.push((line_number, kind, patterns));
            continue;
        }
        let link_text = without_comment(line).trim();
        if link_text.is_empty() {
            continue;
        }
        match link_parts(link_text) {
            Some((from, to, is_one_way, dictionary)) => {
                let attributes = dictionary.map_or(Ok(Default::default()), link_attributes);
                let mut vertex_number =
                    |name: &str| builder.find_or_add_vertex(VertexId::Text(name.to_owned()), None, line_number);
                let (from, to) = (vertex_number(from), vertex_number(to));
                match attributes {
                    Ok(attributes) => {
                        builder.add_link(GraphLink { from, to, is_one_way, line: line_number, attributes })
                    }
                    Err((message, help)) => builder.add_error(line_number, message, help),
                }
            }
            None => {
                builder.add_error(line_number, format!("`{}` is not a link", shortened(link_text)), LINK_FORMAT_HELP)
            }
        }
    }
    for (line, kind, patterns) in kind_lines {
        set_kinds(&mut builder, line, kind, patterns);
    }
    builder.sort_numeric_names();
    builder.build()
}

/// Returns a line without its comment, which begins with a `#` outside the quotes of attributes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut has_attributes, mut is_escaped) = (None, false, false);
    for (index, character) in line.char_indices() {
        match (quote, character) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (None, '#') => return &line[..index],
            (None, '{') => has_attributes = true,
            (None, '\'' | '"') if has_attributes => quote = Some(character),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    line
}

/// Returns the kind that a line assigns to vertices, and the patterns of their names.
fn parse_kinds_line(line: &str) -> Option<(VertexKind, &str)> {
    let (word, patterns) = line.trim().strip_prefix('#')?.split_once(':')?;
    match word.trim() {
        "switches" => Some((VertexKind::Switch, patterns)),
        "hosts" => Some((VertexKind::Host, patterns)),
        _ => None,
    }
}

fn set_kinds(builder: &mut GraphBuilder, line: usize, kind: VertexKind, patterns: &str) {
    let patterns = patterns.split([' ', '\t', ',']).filter(|pattern| !pattern.is_empty());
    let mut has_content = false;
    for pattern in patterns {
        has_content = true;
        let name = NamePattern::parse(pattern);
        if !builder.set_kind(kind, line, |vertex| name.is_match(vertex)) {
            let message = format!("no vertex matches `{}`", shortened(pattern));
            let help = format!("`*` matches any characters, `[0..3]` a number; vertices are {}", builder.some_names());
            builder.add_error(line, message, help);
        }
    }
    if !has_content {
        builder.add_error(line, "no vertex is named here", "write patterns of names, such as `# switches: s*`");
    }
}

/// Returns the two ends of a link, whether it is a one-way link, and the text between its braces.
fn link_parts(link_text: &str) -> Option<(&str, &str, bool, Option<&str>)> {
    let (link_text, dictionary) = match link_text.split_once('{') {
        Some((ends, attributes)) => (ends.trim(), Some(attributes.strip_suffix('}')?)),
        None => (link_text, None),
    };
    let (from, to, is_one_way) = match (link_text.split_once("->"), link_text.split_once(',')) {
        (Some((from, to)), _) => (from, to, true),
        (None, Some((from, to))) => (from, to, false),
        (None, None) => {
            let (from, to) = link_text.split_once(char::is_whitespace)?;
            (from, to, false)
        }
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace) && !name.contains([',', '>']);
    let (from, to) = (from.trim(), to.trim());
    (is_name(from) && is_name(to)).then_some((from, to, is_one_way, dictionary))
}

/// Returns the attributes of a link that a dictionary states.
fn link_attributes(dictionary: &str) -> Result<super::super::LinkAttributes, attributes::AttributeError> {
    let unclosed_error = || {
        let message = format!("`{{{}}}` is not a dictionary", shortened(dictionary));
        (message, "attributes are written as {'rate': '100 Gbit/s', 'latency': '500 ns'}".to_owned())
    };
    let (mut rate, mut latency) = (None, None);
    for entry in dictionary_entries(dictionary).ok_or_else(unclosed_error)? {
        let Some((key, value)) = entry.split_once(':') else { continue };
        match unquoted(key) {
            attributes::RATE_ATTRIBUTE => rate = Some(unquoted(value)),
            attributes::LATENCY_ATTRIBUTE => latency = Some(unquoted(value)),
            _ => {}
        }
    }
    attributes::link_attributes(rate, latency)
}

/// Returns the entries of a dictionary of Python or JSON. Commas within quotes or brackets do not separate entries.
/// Returns `None` if a quote or a bracket is not closed.
fn dictionary_entries(dictionary: &str) -> Option<Vec<&str>> {
    let (mut entries, mut start, mut depth, mut quote, mut is_escaped) = (Vec::new(), 0, 0_usize, None, false);
    for (index, character) in dictionary.char_indices() {
        match (quote, character) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            (None, ',') if depth == 0 => {
                entries.push(&dictionary[start..index]);
                start = index + 1;
            }
            (None, _) => {}
        }
    }
    entries.push(&dictionary[start..]);
    (quote.is_none() && depth == 0).then_some(entries)
}

fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let between_quotes = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    between_quotes('\'').or_else(|| between_quotes('"')).unwrap_or(text)
}
