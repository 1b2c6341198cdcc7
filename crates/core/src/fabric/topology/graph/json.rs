//! Node-link JSON as networkx writes it: `nodes` with an `id` each, `edges` (or `links`) with
//! `source` and `target`, and `directed`.
//!
//! Ids are strings or integers.

use super::attributes;
use super::builder::{Graph, GraphBuilder, GraphError, GraphLink, Lines, VertexId};
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
    rate: Option<Value>,
    latency: Option<Value>,
}

/// Parses a graph in node-link JSON.
pub(super) fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let document: NodeLink<'_> = serde_json::from_str(text).map_err(|error| vec![json_error(&error, 1)])?;
    let edges = match (document.edges, document.links) {
        (Some(edges), None) | (None, Some(edges)) => edges,
        (None, None) => return Err(vec![GraphError::new(None, "it has no `edges`", "write `edges` or `links`")]),
        (Some(_), Some(links)) => {
            let line = links.first().map(|link| Lines::new(text).line_of(link.get()));
            return Err(vec![GraphError::new(line, "it has both `edges` and `links`", "one of them holds the links")]);
        }
    };
    let mut reader =
        Reader { lines: Lines::new(text), builder: GraphBuilder::default(), is_one_way: document.directed };
    document.nodes.into_iter().for_each(|node| reader.read_node(node));
    edges.into_iter().for_each(|edge| reader.read_edge(edge));
    reader.builder.build()
}

struct Reader<'a> {
    lines: Lines<'a>,
    builder: GraphBuilder,
    is_one_way: bool,
}

impl Reader<'_> {
    fn read_node(&mut self, raw: &RawValue) {
        let line = self.lines.line_of(raw.get());
        let node: NodeText = match serde_json::from_str(raw.get()) {
            Ok(node) => node,
            Err(error) => return self.builder.errors.push(json_error(&error, line)),
        };
        let kind = match node.kind.as_ref().map(|kind| attributes::vertex_kind(&unquoted(kind))).transpose() {
            Ok(kind) => kind,
            Err((message, help)) => return self.builder.add_error(line, message, help),
        };
        let Some(id) = self.parse_id(&node.id, line) else { return };
        match self.builder.find(&id) {
            None => _ = self.builder.find_or_add_vertex(id, kind, line),
            Some(_) => self.builder.add_error(line, format!("there are two vertices `{id}`"), "every id is given once"),
        }
    }

    fn read_edge(&mut self, raw: &RawValue) {
        let line = self.lines.line_of(raw.get());
        let edge: EdgeText = match serde_json::from_str(raw.get()) {
            Ok(edge) => edge,
            Err(error) => return self.builder.errors.push(json_error(&error, line)),
        };
        let [rate, latency] = [edge.rate, edge.latency].map(|value| value.as_ref().map(unquoted));
        let attributes = match attributes::link_attributes(rate.as_deref(), latency.as_deref()) {
            Ok(attributes) => attributes,
            Err((message, help)) => return self.builder.add_error(line, message, help),
        };
        let ends = [&edge.source, &edge.target].map(|end| self.find_vertex(end, line));
        if let [Some(from), Some(to)] = ends {
            self.builder.add_link(GraphLink { from, to, is_one_way: self.is_one_way, line, attributes });
        }
    }

    fn find_vertex(&mut self, end: &Value, line: usize) -> Option<u32> {
        let id = self.parse_id(end, line)?;
        let vertex = self.builder.find(&id);
        if vertex.is_none() {
            let help = "`source` and `target` are ids of `nodes`; \"1\" and 1 are different ids";
            self.builder.add_error(line, format!("there is no vertex `{id}`"), help);
        }
        vertex
    }

    fn parse_id(&mut self, id: &Value, line: usize) -> Option<VertexId> {
        match id {
            Value::String(name) => Some(VertexId::Text(name.clone())),
            Value::Number(number) if !number.is_f64() => Some(VertexId::Number(number.to_string())),
            _ => {
                let help = "networkx's convert_node_labels_to_integers gives every vertex a number";
                self.builder.add_error(line, "an id is neither a string nor an integer", help);
                None
            }
        }
    }
}

/// Returns a value as text; a string is returned without its quotes.
fn unquoted(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns an error of the JSON itself, in a part that begins in `line`.
fn json_error(error: &serde_json::Error, line: usize) -> GraphError {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    let help = "node-link JSON: {\"nodes\": [{\"id\": 0}, {\"id\": 1}], \"edges\": [{\"source\": 0, \"target\": 1}]}";
    GraphError::new(Some(line + error.line().saturating_sub(1)), message, help)
}
