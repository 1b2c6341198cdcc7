//! Any graph, from a file: an edge list, or networkx's node-link JSON.
//!
//! | file | does |
//! |---|---|
//! | `mod.rs` | reads the parameters and the file; what a graph must be; its wiring |
//! | `text.rs` | vertices and links while a file is read, and what is wrong with them |
//! | `list.rs` | edge lists: `a b`, `a,b` or `a -> b` on each line |
//! | `json.rs` | node-link JSON |
//! | `rule.rs` | up*/down* and shortest-path routing, by tables |
//!
//! Models: every vertex is a router with one node, unless its attribute `kind` says that it is only a
//! `router`, or a `node`, whose one link leads to its router. Nodes have the order of their vertices. A
//! router's outputs have the order of the links in the file; its nodes come last. Leaves out: parallel
//! links, attributes of links.

mod json;
mod list;
mod rule;
mod text;

#[cfg(test)]
mod tests;

pub use text::{Graph, GraphError, GraphLink, Vertex, VertexKind, parse};

use super::{End, PORTS_MAX, Shape, Wiring, Wrong};
use crate::text::{ParameterChoice, Parameters, Table, file};
use rule::Rule;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most vertices: the tables of a rule grow with their square.
const VERTICES_MAX: usize = 4096;
/// How many problems of a file are told.
const TOLD_MAX: usize = 10;

/// How packets find their way through a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum GraphRouting {
    /// Up towards the root of a tree, then down: packets cannot wait in a circle.
    UpDown,
    /// By the fewest links: packets may wait in a circle.
    ShortestPath,
}

/// A graph that was read from a file.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct GraphParameters {
    /// An edge list (`a b` on each line), or networkx's node-link JSON.
    pub file: PathBuf,
    /// Up towards the root of a tree, then down, which never deadlocks; or the fewest links, which may.
    #[param(default = "up-down")]
    pub routing: GraphRouting,
    /// What the file holds, unless that was wrong.
    #[param(with(read = |t| load(t, &file), write = |_, _| ()))]
    pub graph: Option<Arc<Graph>>,
}

impl GraphParameters {
    /// What cannot be built: keys, messages and help.
    pub fn check(&self) -> Vec<Wrong> {
        let Some(graph) = &self.graph else { return Vec::new() };
        let wrong = graph.check(self.routing);
        told(&self.file, wrong).into_iter().map(|(message, help)| ("file", message, help)).collect()
    }

    /// How many nodes.
    pub fn nodes(&self) -> u32 {
        self.graph.as_ref().map_or(0, |graph| graph.nodes().count() as u32)
    }

    /// Whether there is one way only between any two nodes; as a table tells, so that it takes time.
    pub fn has_one_way(&self) -> bool {
        self.graph.as_ref().is_none_or(|graph| Rule::new(&Plan::new(graph), self.routing).has_one_way())
    }

    /// The shape; or what is wrong.
    pub fn shape(&self) -> Result<Shape, Vec<Wrong>> {
        let wrong = self.check();
        let Some(graph) = self.graph.as_ref().filter(|_| wrong.is_empty()) else { return Err(wrong) };
        let plan = Plan::new(graph);
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{}-node graph {file}", self.nodes());
        let rule = Rule::new(&plan, self.routing);
        Ok(Shape { name, wiring: plan.wiring(), routing: Arc::new(rule) })
    }
}

/// The graph of a file, or what is wrong told at the key that names it.
fn load(t: &mut Table<'_>, path: &Path) -> Option<Arc<Graph>> {
    if t.describing() || path.as_os_str().is_empty() {
        return None;
    }
    if path.exists() && !path.is_file() && !path.is_dir() {
        t.wrong("file", format!("`{}` is not a file", path.display()), "name an edge list or node-link JSON");
        return None;
    }
    match file::read(path) {
        Ok(text) => match parse(&text) {
            Ok(graph) => return Some(Arc::new(graph)),
            Err(wrong) => told(path, wrong).into_iter().for_each(|(message, help)| t.wrong("file", message, help)),
        },
        Err(problem) => t.wrong("file", problem.message, problem.help.join("; ")),
    }
    None
}

/// Problems with their places in the file, and help; the first of many.
fn told(path: &Path, mut wrong: Vec<GraphError>) -> Vec<(String, String)> {
    let more = wrong.len().saturating_sub(TOLD_MAX);
    wrong.truncate(TOLD_MAX);
    let line = |error: &GraphError| error.line.map_or(String::new(), |line| format!(", line {line}"));
    let one = |error: GraphError| (format!("{}{}: {}", path.display(), line(&error), error.message), error.help);
    let mut told: Vec<(String, String)> = wrong.into_iter().map(one).collect();
    if more > 0 {
        told.push((format!("{}: and {more} more like these", path.display()), String::new()));
    }
    told
}

impl Graph {
    /// The vertices that have a node, in order; a node's number is its place here.
    pub fn nodes(&self) -> impl Iterator<Item = u32> {
        (0..self.vertices.len() as u32).filter(|vertex| self.vertices[*vertex as usize].kind != VertexKind::Router)
    }

    /// What is wrong with it as a fabric.
    fn check(&self, routing: GraphRouting) -> Vec<GraphError> {
        let mut wrong = Vec::new();
        if self.vertices.len() > VERTICES_MAX {
            let message = format!("it has {} vertices", self.vertices.len());
            return vec![GraphError::new(None, message, format!("at most {VERTICES_MAX} can be routed by tables"))];
        }
        if self.nodes().count() < 2 {
            let help = "every vertex has a node, unless its `kind` is \"router\"";
            wrong.push(GraphError::new(None, "it joins fewer than two nodes", help));
        }
        self.check_ends(&mut wrong);
        self.check_ports(&mut wrong);
        if routing == GraphRouting::UpDown
            && let Some(link) = self.links.iter().find(|link| link.is_one_way && !self.has_reverse(link))
        {
            let message = format!("up-down routing needs links both ways, and {} has none back", self.told(link));
            wrong.push(GraphError::new(Some(link.line), message, "write routing = \"shortest-path\""));
        }
        if wrong.is_empty() {
            wrong.extend(self.check_joined());
        }
        wrong
    }

    fn has_reverse(&self, link: &GraphLink) -> bool {
        self.links.iter().any(|other| (other.from, other.to) == (link.to, link.from))
    }

    fn told(&self, link: &GraphLink) -> String {
        let name = |vertex: u32| &self.vertices[vertex as usize].name;
        format!("`{} -> {}`", name(link.from), name(link.to))
    }

    fn kind(&self, vertex: u32) -> VertexKind {
        self.vertices[vertex as usize].kind
    }

    /// A vertex that is only a node has one link, to a router.
    fn check_ends(&self, wrong: &mut Vec<GraphError>) {
        let mut links = vec![0; self.vertices.len()];
        for link in &self.links {
            let both = [link.from, link.to].map(|vertex| self.kind(vertex) == VertexKind::Node);
            if both == [true, true] {
                let message = format!("{} joins two nodes", self.told(link));
                wrong.push(GraphError::new(Some(link.line), message, "a node is linked to a router"));
            } else if both != [false, false] && link.is_one_way {
                let message = format!("{} joins a node in one direction only", self.told(link));
                wrong.push(GraphError::new(Some(link.line), message, "a node is linked to its router both ways"));
            }
            [link.from, link.to].into_iter().for_each(|vertex| links[vertex as usize] += 1);
        }
        for (vertex, count) in self.vertices.iter().zip(links).filter(|(vertex, _)| vertex.kind == VertexKind::Node) {
            if count != 1 {
                let message = format!("`{}` is a node and has {count} links", vertex.name);
                wrong.push(GraphError::new(vertex.line, message, "a node has one link, to its router"));
            }
        }
    }

    fn check_ports(&self, wrong: &mut Vec<GraphError>) {
        let own = |vertex: &Vertex| [usize::from(vertex.kind == VertexKind::RouterWithNode); 2];
        let mut ports: Vec<[usize; 2]> = self.vertices.iter().map(own).collect();
        for (from, to, _) in self.directed() {
            ports[from as usize][0] += 1;
            ports[to as usize][1] += 1;
        }
        for (vertex, ports) in self.vertices.iter().zip(ports) {
            let most = ports[0].max(ports[1]);
            if most > PORTS_MAX {
                let message = format!("`{}` has {most} ports", vertex.name);
                wrong.push(GraphError::new(vertex.line, message, format!("a router has at most {PORTS_MAX}")));
            }
        }
    }

    /// Each link in each of its directions, and its line.
    fn directed(&self) -> impl Iterator<Item = (u32, u32, usize)> {
        self.links.iter().flat_map(|link| {
            let back = (!link.is_one_way).then_some((link.to, link.from, link.line));
            std::iter::once((link.from, link.to, link.line)).chain(back)
        })
    }

    /// A problem if some vertex does not lead to some other.
    fn check_joined(&self) -> Option<GraphError> {
        let reached = |is_forward: bool| {
            let mut next = vec![Vec::new(); self.vertices.len()];
            for (from, to, _) in self.directed() {
                let (from, to) = if is_forward { (from, to) } else { (to, from) };
                next[from as usize].push(to);
            }
            let mut reached = vec![false; self.vertices.len()];
            let mut stack = vec![0];
            while let Some(at) = stack.pop() {
                if !std::mem::replace(&mut reached[at as usize], true) {
                    stack.extend(&next[at as usize]);
                }
            }
            reached.iter().position(|reached| !reached)
        };
        let name = |vertex: usize| &self.vertices[vertex].name;
        let help = "every vertex must lead to every other";
        let told = |from: usize, to: usize| {
            let is_one_way = self.links.iter().any(|link| link.is_one_way);
            let message = match is_one_way {
                true => format!("no path leads from `{}` to `{}`", name(from), name(to)),
                false => format!("`{}` and `{}` are not joined", name(from), name(to)),
            };
            GraphError::new(self.vertices[from.max(to)].line, message, help)
        };
        reached(true).map(|to| told(0, to)).or_else(|| reached(false).map(|from| told(from, 0)))
    }
}

/// Routers with their ports, numbered.
struct Plan {
    /// For each router, its outputs.
    outputs: Vec<Vec<End>>,
    /// For each router, how many inputs routers feed.
    inputs: Vec<u8>,
    /// For each node, the router and the port that leads to it.
    exits: Vec<(u32, u8)>,
    /// For each node, the router and the port where it enters.
    entries: Vec<(u32, u8)>,
}

impl Plan {
    fn new(graph: &Graph) -> Plan {
        let mut routers = 0;
        let mut number = |vertex: &Vertex| {
            let is_router = vertex.kind != VertexKind::Node;
            routers += u32::from(is_router);
            is_router.then(|| routers - 1)
        };
        let router: Vec<Option<u32>> = graph.vertices.iter().map(&mut number).collect();
        let mut outputs: Vec<Vec<End>> = vec![Vec::new(); routers as usize];
        let mut inputs = vec![0; routers as usize];
        for (from, to, _) in graph.directed() {
            if let (Some(from), Some(to)) = (router[from as usize], router[to as usize]) {
                outputs[from as usize].push(End::Router { router: to, port: inputs[to as usize] });
                inputs[to as usize] += 1;
            }
        }
        let joined = |vertex: u32| {
            let of = |link: &GraphLink| if link.from == vertex { link.to } else { link.from };
            let link = graph.links.iter().find(|link| link.from == vertex || link.to == vertex);
            router[of(link.expect("a node has a link")) as usize].expect("a node is linked to a router")
        };
        let (mut exits, mut entries) = (Vec::new(), Vec::new());
        let mut entered = inputs.clone();
        for (node, vertex) in graph.nodes().enumerate() {
            let at = router[vertex as usize].unwrap_or_else(|| joined(vertex));
            exits.push((at, outputs[at as usize].len() as u8));
            outputs[at as usize].push(End::Node(node as u32));
            entries.push((at, entered[at as usize]));
            entered[at as usize] += 1;
        }
        Plan { outputs, inputs, exits, entries }
    }

    fn wiring(&self) -> Wiring {
        Wiring::new(&self.outputs, self.entries.clone())
    }
}
