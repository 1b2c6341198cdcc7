//! Vertices and links while a file is read, and what is wrong with them.
//!
//! Leaves out: the two formats (`list`, `json`), and what a fabric needs beyond a graph.

use super::{json, list};
use std::collections::BTreeMap;
use std::fmt;

/// A graph as its file tells it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// The vertices, in order.
    pub vertices: Vec<Vertex>,
    /// The links, in order.
    pub links: Vec<GraphLink>,
}

/// A vertex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vertex {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: VertexKind,
    /// Where it is first named.
    pub line: Option<usize>,
}

/// What a vertex is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexKind {
    /// A router with a node.
    RouterWithNode,
    /// A router without one.
    Router,
    /// A node, linked to its router.
    Node,
}

/// A link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphLink {
    /// From this vertex.
    pub from: u32,
    /// To this one.
    pub to: u32,
    /// Only in this direction.
    pub is_one_way: bool,
    /// Where it stands.
    pub line: usize,
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphError {
    /// In which line.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

impl GraphError {
    /// A problem.
    pub fn new(line: Option<usize>, message: impl Into<String>, help: impl Into<String>) -> GraphError {
        GraphError { line, message: message.into(), help: help.into() }
    }
}

/// The graph of a text in either format: JSON begins with a brace.
pub fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().starts_with('{') {
        true => json::parse(text),
        false => list::parse(text),
    }
}

/// The name of a vertex: in JSON, `1` and `"1"` are two.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Id {
    Number(String),
    Text(String),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(name) | Id::Text(name) => f.write_str(name),
        }
    }
}

/// A graph in the making.
#[derive(Default)]
pub(super) struct Builder {
    vertices: Vec<Vertex>,
    links: Vec<GraphLink>,
    /// The vertices by their names.
    numbers: BTreeMap<Id, u32>,
    /// The line of each link, by its direction.
    lines: BTreeMap<(u32, u32), usize>,
    pub wrong: Vec<GraphError>,
}

impl Builder {
    /// The vertex of a name, if it is known.
    pub fn find(&self, id: &Id) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// The vertex of a name, which may be new.
    pub fn vertex(&mut self, id: Id, kind: VertexKind, line: usize) -> u32 {
        let next = self.vertices.len() as u32;
        let vertex = Vertex { name: id.to_string(), kind, line: Some(line) };
        let number = *self.numbers.entry(id).or_insert(next);
        if number == next {
            self.vertices.push(vertex);
        }
        number
    }

    /// A link; not to itself, and not one that is there already.
    pub fn link(&mut self, link: GraphLink) {
        let name = |vertex: u32| &self.vertices[vertex as usize].name;
        if link.from == link.to {
            let message = format!("`{}` is linked to itself", name(link.from));
            return self.tell(link.line, message, "leave this line out");
        }
        let directions = [(link.from, link.to), (link.to, link.from)];
        let directions = if link.is_one_way { &directions[..1] } else { &directions[..] };
        if let Some(line) = directions.iter().find_map(|direction| self.lines.get(direction)) {
            let message = format!("`{}` and `{}` are linked in line {line} already", name(link.from), name(link.to));
            return self.tell(link.line, message, "leave one of the two out: there are no parallel links");
        }
        self.lines.extend(directions.iter().map(|direction| (*direction, link.line)));
        self.links.push(link);
    }

    /// Tells a problem.
    pub fn tell(&mut self, line: usize, message: impl Into<String>, help: impl Into<String>) {
        self.wrong.push(GraphError::new(Some(line), message, help));
    }

    /// Gives the vertices the order of their names if all are numbers.
    pub fn sort_numbers(&mut self) {
        let numbers: Option<Vec<u64>> = self.vertices.iter().map(|vertex| vertex.name.parse().ok()).collect();
        let Some(numbers) = numbers else { return };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|at| numbers[*at]);
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, at)| places[*at] = place as u32);
        self.vertices = order.iter().map(|at| self.vertices[*at].clone()).collect();
        for link in &mut self.links {
            (link.from, link.to) = (places[link.from as usize], places[link.to as usize]);
        }
    }

    /// The graph, or all that is wrong.
    pub fn build(mut self) -> Result<Graph, Vec<GraphError>> {
        if self.wrong.is_empty() && self.links.is_empty() {
            let help = "write a link on each line, as `a b`, or networkx's node-link JSON";
            self.wrong.push(GraphError::new(None, "there is no link in it", help));
        }
        match self.wrong.is_empty() {
            true => Ok(Graph { vertices: self.vertices, links: self.links }),
            false => Err(self.wrong),
        }
    }
}
