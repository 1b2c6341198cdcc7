//! Any graph, from a file: an edge list, networkx's node-link JSON, or GraphML.
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | the parameters, and the reading of the file |
//! | `builder.rs` | vertices and links while a file is read, and the errors of a file |
//! | `attributes.rs` | the attributes that have an effect: `kind`, `rate`, `latency` |
//! | `list.rs` | edge lists: `a b`, `a,b` or `a -> b` on each line |
//! | `json.rs` | node-link JSON |
//! | `graphml.rs` | GraphML |
//! | `check.rs` | the conditions on a graph that is a fabric |
//! | `plan.rs` | routers and their ports |
//! | `rule.rs` | routing by tables: up*/down*, shortest paths, distance classes |
//!
//! A vertex is a switch, a host with one link to its switch, or a switch with a host, as its `kind` states. If a file
//! states no kind, every vertex is a switch with a host. If it names only switches, all other vertices are hosts,
//! except that those with several links are switches with a host. If it names only hosts, all others are switches.
//! Nodes and routers have the names and the order of their vertices, and a router's ports have the order of its links.
//! Each link may have its own `rate` and `latency`. Parallel links are errors.

mod attributes;
mod builder;
mod check;
mod graphml;
mod json;
mod list;
mod plan;
mod rule;

#[cfg(test)]
mod tests;

pub use builder::{Graph, GraphError, GraphLink, Vertex, VertexKind};

use super::{DescribedLink, Shape, ShapeError};
use crate::text::{ParameterChoice, Parameters, Table, file};
use plan::WiringPlan;
use rule::TableRouting;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of errors of a file that are reported.
const REPORTED_MAX: usize = 10;

/// The routing rule of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum GraphRouting {
    /// Up towards the root of a tree, then down: packets cannot deadlock.
    UpDown,
    /// Along the fewest links: packets may deadlock.
    ShortestPath,
    /// Along the fewest links, where each link of a route uses the next class of virtual channels: packets cannot
    /// deadlock.
    DistanceClasses,
}

/// A graph that was read from a file.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct GraphParameters {
    /// An edge list (`a b` on each line), networkx's node-link JSON, or GraphML.
    pub file: PathBuf,
    /// Routes: `up-down` goes up towards the root of a tree, then down, and cannot deadlock; `shortest-path` can
    /// deadlock; `distance-classes` takes shortest paths, cannot deadlock, and needs a virtual channel for each link of
    /// the longest route.
    #[param(default = "up-down")]
    pub routing: GraphRouting,
    /// Graph of the file, if the file has no errors.
    #[param(with(read = |t| load(t, &file), write = |_, _| ()))]
    pub graph: Option<Arc<Graph>>,
}

impl GraphParameters {
    /// Returns the errors of parameters with which the shape cannot be built.
    pub fn check(&self) -> Vec<ShapeError> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let errors = graph.check(self.routing);
        format_errors(&self.file, errors).into_iter().map(|(message, help)| ("file", message, help)).collect()
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        self.graph.as_ref().map_or(0, |graph| graph.nodes().count() as u32)
    }

    /// Returns the names of the nodes.
    pub fn node_names(&self) -> Vec<String> {
        let names = |graph: &Arc<Graph>| {
            graph.nodes().map(|node| graph.vertices[node as usize].name.clone()).collect::<Vec<String>>()
        };
        self.graph.as_ref().map(names).unwrap_or_default()
    }

    /// Returns the links whose rate or latency the file states.
    pub fn described_links(&self) -> Vec<DescribedLink> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let name = |vertex: u32| &graph.vertices[vertex as usize].name;
        let links_with_attributes = graph.links.iter().filter(|link| !link.attributes.is_empty());
        let described_link = |link: &GraphLink| DescribedLink {
            location: format!(
                "{}, line {}: the link of `{}` and `{}`",
                self.file.display(),
                link.line,
                name(link.from),
                name(link.to)
            ),
            attributes: link.attributes,
        };
        links_with_attributes.map(described_link).collect()
    }

    /// Returns whether there is only one route between any two nodes. Builds the routing tables, which takes time.
    pub fn has_single_paths(&self) -> bool {
        self.graph
            .as_ref()
            .is_none_or(|graph| TableRouting::new(&WiringPlan::new(graph), self.routing).has_single_paths())
    }

    /// Builds the shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of the parameters.
    pub fn shape(&self) -> Result<Shape, Vec<ShapeError>> {
        let errors = self.check();
        let Some(graph) = self.graph.as_ref().filter(|_| errors.is_empty()) else { return Err(errors) };
        let plan = WiringPlan::new(graph);
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{}-node graph {file}", self.nodes());
        let rule = TableRouting::new(&plan, self.routing);
        Ok(Shape { name, wiring: plan.wiring(), routing: Arc::new(rule) })
    }
}

/// Parses a graph in any format: JSON begins with a brace, GraphML with an angle bracket.
///
/// # Errors
///
/// Returns every error of the text, with its line if it has one.
pub fn parse(text: &str) -> Result<Graph, Vec<GraphError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match text.trim_start().chars().next() {
        Some('{') => json::parse(text),
        Some('<') => graphml::parse(text),
        _ => list::parse(text),
    }
}

/// Returns the graph of a file, or reports its errors at the key that names it.
fn load(t: &mut Table<'_>, path: &Path) -> Option<Arc<Graph>> {
    if t.describing() || path.as_os_str().is_empty() {
        return None;
    }
    if path.exists() && !path.is_file() && !path.is_dir() {
        let help = "name an edge list, node-link JSON, or GraphML";
        t.report_invalid("file", format!("`{}` is not a file", path.display()), help);
        return None;
    }
    match file::read(path) {
        Ok(text) => match parse(&text) {
            Ok(graph) => return Some(Arc::new(graph)),
            Err(errors) => {
                format_errors(path, errors)
                    .into_iter()
                    .for_each(|(message, help)| t.report_invalid("file", message, help));
            }
        },
        Err(problem) => t.report_invalid("file", problem.message, problem.help.join("; ")),
    }
    None
}

/// Returns the first errors of a file as messages with their positions, and help.
fn format_errors(path: &Path, mut errors: Vec<GraphError>) -> Vec<(String, String)> {
    let unlisted_count = errors.len().saturating_sub(REPORTED_MAX);
    errors.truncate(REPORTED_MAX);
    let line_suffix = |error: &GraphError| error.line.map_or(String::new(), |line| format!(", line {line}"));
    let with_position =
        |error: GraphError| (format!("{}{}: {}", path.display(), line_suffix(&error), error.message), error.help);
    let mut messages: Vec<(String, String)> = errors.into_iter().map(with_position).collect();
    if unlisted_count > 0 {
        messages.push((
            format!("{}: number of errors that are not listed: {unlisted_count}", path.display()),
            String::new(),
        ));
    }
    messages
}
