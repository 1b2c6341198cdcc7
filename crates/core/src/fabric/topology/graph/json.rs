//! Node-link JSON as networkx writes it: `nodes` with an `id` each, `edges` (or `links`) with
//! `source` and `target`, and `directed`.
//!
//! Ids are strings or integers. Of a node's attributes only `kind` counts (`"router"`: no node there;
//! `"node"`: no router there); of an edge's none.

use super::text::{Builder, Graph, GraphError, GraphLink, Id, VertexKind};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct NodeLink<'a> {
    #[serde(default)]
    directed: bool,
    #[serde(borrow)]
    nodes: Vec<&'a RawValue>,
    #[serde(borrow)]
    edges: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    links: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct NodeText {
    id: Value,
    kind: Option<Value>,
}

#[derive(Deserialize)]
struct EdgeText {
    source: Value,
    target: Value,
}

/// The graph of node-link JSON.
pub(super) fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let whole: NodeLink<'_> = serde_json::from_str(text).map_err(|error| vec![told(&error, 1)])?;
    let edges = match (whole.edges, whole.links) {
        (Some(edges), None) | (None, Some(edges)) => edges,
        (None, None) => return Err(vec![GraphError::new(None, "it has no `edges`", "write `edges` or `links`")]),
        (Some(_), Some(links)) => {
            let line = links.first().map(|link| Lines::new(text).of(link));
            return Err(vec![GraphError::new(line, "it has both `edges` and `links`", "one of them holds the links")]);
        }
    };
    let mut reader = Reader { lines: Lines::new(text), builder: Builder::default(), is_one_way: whole.directed };
    whole.nodes.into_iter().for_each(|node| reader.node(node));
    edges.into_iter().for_each(|edge| reader.edge(edge));
    reader.builder.build()
}

/// Where lines begin.
struct Lines<'a> {
    text: &'a str,
    /// The places of line ends.
    ends: Vec<usize>,
}

impl Lines<'_> {
    fn new(text: &str) -> Lines<'_> {
        Lines { text, ends: text.match_indices('\n').map(|(at, _)| at).collect() }
    }

    /// The line in which a part of the text begins.
    fn of(&self, part: &RawValue) -> usize {
        let at = part.get().as_ptr().addr().saturating_sub(self.text.as_ptr().addr());
        1 + self.ends.partition_point(|end| *end < at)
    }
}

struct Reader<'a> {
    lines: Lines<'a>,
    builder: Builder,
    is_one_way: bool,
}

impl Reader<'_> {
    fn node(&mut self, raw: &RawValue) {
        let line = self.lines.of(raw);
        let node: NodeText = match serde_json::from_str(raw.get()) {
            Ok(node) => node,
            Err(error) => return self.builder.wrong.push(told(&error, line)),
        };
        let kind = match node.kind.as_ref().map(|kind| kind.as_str().ok_or(kind)) {
            None => VertexKind::RouterWithNode,
            Some(Ok("router")) => VertexKind::Router,
            Some(Ok("node")) => VertexKind::Node,
            Some(_) => {
                let help = "write \"router\" or \"node\"; without `kind`, it is a router with a node";
                return self.builder.tell(line, "the `kind` of a vertex is neither", help);
            }
        };
        let Some(id) = self.id(&node.id, line) else { return };
        match self.builder.find(&id) {
            None => _ = self.builder.vertex(id, kind, line),
            Some(_) => self.builder.tell(line, format!("there are two vertices `{id}`"), "every id stands once"),
        }
    }

    fn edge(&mut self, raw: &RawValue) {
        let line = self.lines.of(raw);
        let edge: EdgeText = match serde_json::from_str(raw.get()) {
            Ok(edge) => edge,
            Err(error) => return self.builder.wrong.push(told(&error, line)),
        };
        let ends = [&edge.source, &edge.target].map(|end| self.known(end, line));
        if let [Some(from), Some(to)] = ends {
            self.builder.link(GraphLink { from, to, is_one_way: self.is_one_way, line });
        }
    }

    fn known(&mut self, end: &Value, line: usize) -> Option<u32> {
        let id = self.id(end, line)?;
        let found = self.builder.find(&id);
        if found.is_none() {
            let help = "`source` and `target` are ids of `nodes`; \"1\" and 1 are different ids";
            self.builder.tell(line, format!("there is no vertex `{id}`"), help);
        }
        found
    }

    fn id(&mut self, id: &Value, line: usize) -> Option<Id> {
        match id {
            Value::String(name) => Some(Id::Text(name.clone())),
            Value::Number(number) if !number.is_f64() => Some(Id::Number(number.to_string())),
            _ => {
                let help = "networkx's convert_node_labels_to_integers gives every vertex a number";
                self.builder.tell(line, "an id is neither a string nor an integer", help);
                None
            }
        }
    }
}

/// A problem of the JSON itself, in a part that begins in `line`.
fn told(error: &serde_json::Error, line: usize) -> GraphError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    let help = "node-link JSON: {\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"edges\": [{\"source\": 0, \"target\": 1}]}";
    GraphError::new(Some(line + error.line().saturating_sub(1)), message, help)
}
