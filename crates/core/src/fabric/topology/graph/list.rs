//! Edge lists: on each line two vertices, as `a b`, `a,b`, or for one direction only `a -> b`.
//!
//! `#` begins a comment. Attributes in braces, as networkx writes them, are passed over. Where all
//! names are numbers, vertices have their order, else that of their first lines.

use super::text::{Builder, Graph, GraphError, GraphLink, Id, VertexKind};

const FORM: &str = "a link is written as `a b` or `a,b`, in one direction only as `a -> b`";

/// The graph of an edge list.
pub(super) fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let mut builder = Builder::default();
    for (at, line) in text.lines().enumerate() {
        let number = at + 1;
        let code = line.split('#').next().unwrap_or_default().trim();
        if code.is_empty() {
            continue;
        }
        match ends(code) {
            Some((from, to, is_one_way)) => {
                let mut vertex =
                    |name: &str| builder.vertex(Id::Text(name.to_owned()), VertexKind::RouterWithNode, number);
                let (from, to) = (vertex(from), vertex(to));
                builder.link(GraphLink { from, to, is_one_way, line: number });
            }
            None => builder.tell(number, format!("`{}` is not a link", shortened(code)), FORM),
        }
    }
    builder.sort_numbers();
    builder.build()
}

/// The two ends of a link, and whether it has one direction only.
fn ends(code: &str) -> Option<(&str, &str, bool)> {
    let code = match code.split_once('{') {
        Some((ends, attributes)) => attributes.ends_with('}').then_some(ends)?.trim(),
        None => code,
    };
    let (from, to, is_one_way) = match (code.split_once("->"), code.split_once(',')) {
        (Some((from, to)), _) => (from, to, true),
        (None, Some((from, to))) => (from, to, false),
        (None, None) => {
            let (from, to) = code.split_once(char::is_whitespace)?;
            (from, to, false)
        }
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace) && !name.contains([',', '>']);
    let (from, to) = (from.trim(), to.trim());
    (is_name(from) && is_name(to)).then_some((from, to, is_one_way))
}

/// The beginning of a text, for a message.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
