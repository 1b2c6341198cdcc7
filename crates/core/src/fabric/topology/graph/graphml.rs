//! GraphML as networkx and other programs write it: `node` and `edge` elements of one `graph`, and `key` elements that
//! name their `data`.
//!
//! A vertex is named by its `id`. Hyperedges and nested graphs are errors; ports are ignored.

use super::attributes;
use super::builder::{Graph, GraphBuilder, GraphError, GraphLink, Lines, VertexId};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

const FORMAT_HELP: &str = "GraphML: <graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><node id=\"b\"/>\
                    <edge source=\"a\" target=\"b\"/></graph></graphml>";

/// Parses a graph in GraphML.
pub(super) fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let document = Document::parse(text).map_err(|error| vec![xml_error(&error, text)])?;
    let lines = Lines::new(text);
    let root = document.root_element();
    let file_error =
        |message: String| vec![GraphError::new(Some(lines.line_at(root.range().start)), message, FORMAT_HELP)];
    if root.tag_name().name() != "graphml" {
        let name = attributes::shortened(root.tag_name().name());
        return Err(file_error(format!("it is `{name}`, and not GraphML")));
    }
    let mut graphs = elements(root, "graph");
    let Some(graph) = graphs.next() else { return Err(file_error("it has no `graph`".to_owned())) };
    if let Some(second) = graphs.next() {
        let line = lines.line_at(second.range().start);
        return Err(vec![GraphError::new(Some(line), "there is a second `graph`", "a file holds one graph")]);
    }
    let is_one_way = graph.attribute("edgedefault") == Some("directed");
    let mut reader = Reader { lines, keys: keys(root), builder: GraphBuilder::default(), is_one_way };
    elements(graph, "node").for_each(|node| reader.read_node(node));
    elements(graph, "edge").for_each(|edge| reader.read_edge(edge));
    if let Some(edge) = elements(graph, "hyperedge").next() {
        let line = reader.line_of(edge);
        reader.builder.add_error(line, "a hyperedge joins more than two vertices", "write a link for each pair");
    }
    reader.builder.build()
}

/// Returns the child elements of `parent` with this name.
fn elements<'a, 'input>(parent: Node<'a, 'input>, name: &'static str) -> impl Iterator<Item = Node<'a, 'input>> {
    parent.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

/// A key of `data` elements: the name of the attribute, and its default for elements without such `data`.
struct DataKey<'a> {
    name: &'a str,
    default: Option<&'a str>,
    /// Element that has the attribute: `node`, `edge` or `all`.
    element: &'a str,
}

/// Returns the keys by their ids.
fn keys<'a>(root: Node<'a, '_>) -> BTreeMap<&'a str, DataKey<'a>> {
    let parse_key = |key: Node<'a, '_>| {
        let name = key.attribute("attr.name")?;
        let default = elements(key, "default").next().and_then(|default| default.text());
        Some((key.attribute("id")?, DataKey { name, default, element: key.attribute("for").unwrap_or("all") }))
    };
    elements(root, "key").filter_map(parse_key).collect()
}

struct Reader<'a> {
    lines: Lines<'a>,
    keys: BTreeMap<&'a str, DataKey<'a>>,
    builder: GraphBuilder,
    is_one_way: bool,
}

impl Reader<'_> {
    fn line_of(&self, node: Node<'_, '_>) -> usize {
        self.lines.line_at(node.range().start)
    }

    /// Returns the value of the attribute `name` of an element: that of its `data` element, or otherwise the default of
    /// the key.
    fn attribute_value<'n>(&'n self, element: Node<'n, '_>, name: &str) -> Option<&'n str> {
        let is_named = |data: &Node<'_, '_>| {
            let key = data.attribute("key").and_then(|key| self.keys.get(key));
            key.is_some_and(|key| key.name == name)
        };
        let value = elements(element, "data").find(is_named).map(|data| data.text().unwrap_or_default());
        let element_name = element.tag_name().name();
        let default = || {
            let mut keys = self
                .keys
                .values()
                .filter(|key| key.name == name && (key.element == element_name || key.element == "all"));
            keys.find_map(|key| key.default)
        };
        value.or_else(default).map(str::trim)
    }

    fn read_node(&mut self, node: Node<'_, '_>) {
        let line = self.line_of(node);
        if elements(node, "graph").next().is_some() {
            return self.builder.add_error(
                line,
                "a vertex holds a graph of its own",
                "write all vertices in one graph",
            );
        }
        let Some(id) = node.attribute("id") else {
            return self.builder.add_error(line, "a vertex has no `id`", FORMAT_HELP);
        };
        let kind = match self.attribute_value(node, attributes::KIND_ATTRIBUTE).map(attributes::vertex_kind).transpose()
        {
            Ok(kind) => kind,
            Err((message, help)) => return self.builder.add_error(line, message, help),
        };
        let id = VertexId::Text(id.to_owned());
        match self.builder.find(&id) {
            None => _ = self.builder.find_or_add_vertex(id, kind, line),
            Some(_) => self.builder.add_error(line, format!("there are two vertices `{id}`"), "every id is given once"),
        }
    }

    fn read_edge(&mut self, edge: Node<'_, '_>) {
        let line = self.line_of(edge);
        let values =
            [attributes::RATE_ATTRIBUTE, attributes::LATENCY_ATTRIBUTE].map(|name| self.attribute_value(edge, name));
        let attributes = match attributes::link_attributes(values[0], values[1]) {
            Ok(attributes) => attributes,
            Err((message, help)) => return self.builder.add_error(line, message, help),
        };
        let is_one_way = match edge.attribute("directed") {
            Some(directed) => matches!(directed, "true" | "1"),
            None => self.is_one_way,
        };
        let ends = ["source", "target"].map(|end| self.find_end(edge, end, line));
        if let [Some(from), Some(to)] = ends {
            self.builder.add_link(GraphLink { from, to, is_one_way, line, attributes });
        }
    }

    fn find_end(&mut self, edge: Node<'_, '_>, end: &str, line: usize) -> Option<u32> {
        let Some(id) = edge.attribute(end) else {
            self.builder.add_error(line, format!("a link has no `{end}`"), FORMAT_HELP);
            return None;
        };
        let id = VertexId::Text(id.to_owned());
        let vertex = self.builder.find(&id);
        if vertex.is_none() {
            self.builder.add_error(
                line,
                format!("there is no vertex `{id}`"),
                "`source` and `target` are ids of nodes",
            );
        }
        vertex
    }
}

/// Converts an error of the XML parser: its position becomes the line, and is removed from the message.
fn xml_error(error: &roxmltree::Error, text: &str) -> GraphError {
    let line = (error.pos().row as usize).clamp(1, text.lines().count().max(1));
    if let roxmltree::Error::UnexpectedCloseTag(open, closed, _) = error {
        let [open, closed] = [open, closed].map(|name| attributes::shortened(name));
        let message = format!("expected `</{open}>`, found `</{closed}>`: the element `{open}` is not closed");
        return GraphError::new(Some(line), message, format!("insert `</{open}>`, or write `<{open} …/>`"));
    }
    let message = error.to_string().replace(&format!(" at {}", error.pos()), "");
    GraphError::new(Some(line), message, FORMAT_HELP)
}
