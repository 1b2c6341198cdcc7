//! A graph that is being read from a file: its vertices and links, and the errors of the file.
//!
//! The formats are parsed in `list`, `json` and `graphml`; the conditions on a graph that is used as a fabric are in
//! `check`.

use super::super::LinkAttributes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A graph as its file describes it.
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
    /// Name of the vertex.
    pub name: String,
    /// Kind of the vertex.
    pub kind: VertexKind,
    /// Line that names the vertex first.
    pub line: Option<usize>,
}

/// The kind of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexKind {
    /// A switch with a host, for which it has an additional port.
    SwitchWithHost,
    /// A switch without such a host.
    Switch,
    /// A host, linked to its switch.
    Host,
}

/// A link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GraphLink {
    /// Vertex at which the link begins.
    pub from: u32,
    /// Vertex at which the link ends.
    pub to: u32,
    /// Whether the link has this direction only.
    pub is_one_way: bool,
    /// Line that describes the link.
    pub line: usize,
    /// Rate and latency, in each direction.
    pub attributes: LinkAttributes,
}

/// An error in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GraphError {
    /// Line of the error.
    pub line: Option<usize>,
    /// The message.
    pub message: String,
    /// The help line: what would be valid.
    pub help: String,
}

impl GraphError {
    /// Returns an error at `line`.
    pub fn new(line: Option<usize>, message: impl Into<String>, help: impl Into<String>) -> GraphError {
        GraphError { line, message: message.into(), help: help.into() }
    }
}

/// The lines of a text.
pub(super) struct Lines<'a> {
    text: &'a str,
    /// Offsets of line ends.
    line_ends: Vec<usize>,
}

impl Lines<'_> {
    /// Returns the lines of `text`.
    pub fn new(text: &str) -> Lines<'_> {
        Lines { text, line_ends: text.match_indices('\n').map(|(offset, _)| offset).collect() }
    }

    /// Returns the line, from 1, of the byte at `offset`.
    pub fn line_at(&self, offset: usize) -> usize {
        1 + self.line_ends.partition_point(|end| *end < offset)
    }

    /// Returns the line in which a part of the text begins.
    pub fn line_of(&self, part: &str) -> usize {
        self.line_at(part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr()))
    }
}

/// The identity of a vertex. In JSON, `1` and `"1"` are different.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum VertexId {
    Number(String),
    Text(String),
}

impl fmt::Display for VertexId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VertexId::Number(name) | VertexId::Text(name) => f.write_str(name),
        }
    }
}

/// A vertex whose kind may not be known yet.
struct NewVertex {
    name: String,
    kind: Option<VertexKind>,
    line: usize,
}

/// A graph under construction.
#[derive(Default)]
pub(super) struct GraphBuilder {
    vertices: Vec<NewVertex>,
    links: Vec<GraphLink>,
    /// The vertices by their identities.
    vertex_numbers: BTreeMap<VertexId, u32>,
    /// Line of each link, by its two vertices in each of its directions.
    link_lines: BTreeMap<(u32, u32), usize>,
    pub errors: Vec<GraphError>,
}

impl GraphBuilder {
    /// Returns the vertex of an identity, if it is known.
    pub fn find(&self, id: &VertexId) -> Option<u32> {
        self.vertex_numbers.get(id).copied()
    }

    /// Returns the vertex of an identity, and adds the vertex if the identity is new.
    pub fn find_or_add_vertex(&mut self, id: VertexId, kind: Option<VertexKind>, line: usize) -> u32 {
        let next_number = self.vertices.len() as u32;
        let vertex = NewVertex { name: id.to_string(), kind, line };
        let number = *self.vertex_numbers.entry(id).or_insert(next_number);
        if number == next_number {
            self.vertices.push(vertex);
        }
        number
    }

    /// Sets the kind of every vertex for whose name `is_match` returns true. Returns whether there is one. A vertex
    /// that already has another kind is an error.
    pub fn set_kind(&mut self, kind: VertexKind, line: usize, is_match: impl Fn(&str) -> bool) -> bool {
        let mut has_match = false;
        for vertex in self.vertices.iter_mut().filter(|vertex| is_match(&vertex.name)) {
            has_match = true;
            if vertex.kind.is_some_and(|known_kind| known_kind != kind) {
                let message = format!("`{}` is called both a switch and a host", vertex.name);
                self.errors.push(GraphError::new(Some(line), message, "a vertex is one of the two"));
                break;
            }
            vertex.kind = Some(kind);
        }
        has_match
    }

    /// Returns some names of vertices, for a message.
    pub fn some_names(&self) -> String {
        const LISTED_MAX: usize = 5;
        let names = self.vertices.iter().take(LISTED_MAX).map(|vertex| format!("`{}`", vertex.name));
        let ellipsis = if self.vertices.len() > LISTED_MAX { ", …" } else { "" };
        names.collect::<Vec<_>>().join(", ") + ellipsis
    }

    /// Adds a link. A link from a vertex to itself is an error, and so is one that exists already.
    pub fn add_link(&mut self, link: GraphLink) {
        let name = |vertex: u32| &self.vertices[vertex as usize].name;
        if link.from == link.to {
            let message = format!("`{}` is linked to itself", name(link.from));
            return self.add_error(link.line, message, "leave this line out");
        }
        let directions = [(link.from, link.to), (link.to, link.from)];
        let directions = if link.is_one_way { &directions[..1] } else { &directions[..] };
        if let Some(line) = directions.iter().find_map(|direction| self.link_lines.get(direction)) {
            let message = format!("`{}` and `{}` are linked in line {line} already", name(link.from), name(link.to));
            return self.add_error(link.line, message, "leave one of the two out: there are no parallel links");
        }
        self.link_lines.extend(directions.iter().map(|direction| (*direction, link.line)));
        self.links.push(link);
    }

    /// Reports an error.
    pub fn add_error(&mut self, line: usize, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(GraphError::new(Some(line), message, help));
    }

    /// Sorts the vertices by their names if all of these are numbers.
    pub fn sort_numeric_names(&mut self) {
        let numbers: Option<Vec<u64>> = self.vertices.iter().map(|vertex| vertex.name.parse().ok()).collect();
        let Some(numbers) = numbers else { return };
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        order.sort_by_key(|index| numbers[*index]);
        let mut new_indices = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new_index, index)| new_indices[*index] = new_index as u32);
        let mut vertices: Vec<Option<NewVertex>> = self.vertices.drain(..).map(Some).collect();
        self.vertices.extend(order.iter().filter_map(|index| vertices[*index].take()));
        for link in &mut self.links {
            (link.from, link.to) = (new_indices[link.from as usize], new_indices[link.to as usize]);
        }
    }

    /// Returns the graph, or all errors.
    pub fn build(mut self) -> Result<Graph, Vec<GraphError>> {
        if self.errors.is_empty() && self.links.is_empty() {
            let help = "write a link on each line, as `a b`, or node-link JSON, or GraphML";
            self.errors.push(GraphError::new(None, "there is no link in it", help));
        }
        match self.errors.is_empty() {
            true => Ok(Graph { vertices: self.vertices_with_kinds(), links: self.links }),
            false => Err(self.errors),
        }
    }

    /// Returns the vertices, each with its kind. If a file names only switches, all other vertices are hosts, except
    /// that those with several links are switches with a host. If it names only hosts, all others are switches.
    fn vertices_with_kinds(&self) -> Vec<Vertex> {
        let has_kind = |kind| self.vertices.iter().any(|vertex| vertex.kind == Some(kind));
        let (has_switches, has_hosts) = (has_kind(VertexKind::Switch), has_kind(VertexKind::Host));
        let mut neighbours: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.vertices.len()];
        for link in &self.links {
            neighbours[link.from as usize].insert(link.to);
            neighbours[link.to as usize].insert(link.from);
        }
        let kind = |(vertex, neighbours): (&NewVertex, &BTreeSet<u32>)| {
            let kind = vertex.kind.unwrap_or(match (has_switches, has_hosts) {
                (true, false) if neighbours.len() < 2 => VertexKind::Host,
                (false, true) => VertexKind::Switch,
                _ => VertexKind::SwitchWithHost,
            });
            Vertex { name: vertex.name.clone(), kind, line: Some(vertex.line) }
        };
        self.vertices.iter().zip(&neighbours).map(kind).collect()
    }
}
