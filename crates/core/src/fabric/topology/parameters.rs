//! The shapes by the names that descriptions use: `[fabric.mesh]`, `[fabric.fat-tree]` and so on.
//!
//! Each shape reads its own parameters; this file selects the shape by its name. The parameters of routers, which all
//! shapes share, are not part of a shape.

use super::adaptive::MinimalAdaptive;
use super::butterfly::ButterflyParameters;
use super::crossbar::CrossbarParameters;
use super::edges;
use super::fat_tree::FatTreeParameters;
use super::graph::GraphParameters;
use super::grid::Grid;
use super::hypercube::HypercubeParameters;
use super::mesh::{MeshParameters, NODES_MAX};
use super::torus::{ChannelHalves, TorusParameters};
use super::{DescribedLink, Shape, ShapeError};
use crate::text::{ParameterChoice, ParameterVariants, Parameters};
use std::sync::Arc;

/// The shapes: their names and summaries.
pub const TOPOLOGIES: &[(&str, &str)] = Topology::VARIANTS;

/// A shape and its parameters.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(check_if_sound = Topology::check, meaning = Structure)]
pub enum Topology {
    /// A router at each node of a grid, linked to its neighbours.
    Mesh(
        #[param(flatten)] MeshParameters,
        /// Routes: `dimension-order` crosses one dimension after the other; `minimal-adaptive` takes any port that
        /// brings a packet nearer to its destination.
        #[param(key = "routing", default = "dimension-order")]
        MeshRouting,
    ),
    /// A mesh whose edges are joined.
    Torus(#[param(flatten)] TorusParameters, #[param(flatten)] ChannelHalves),
    /// Routers in a ring, each linked to its two neighbours.
    ///
    /// A torus of one dimension.
    Ring(
        /// Nodes of the ring.
        #[param(key = "nodes", min = 2, max = NODES_MAX)]
        #[param(via(u32, from = |nodes| TorusParameters { shape: vec![nodes] }, into = |ring: &TorusParameters| ring.shape[0]))]
        TorusParameters,
        #[param(flatten)] ChannelHalves,
    ),
    /// A router for each binary number, linked to those whose numbers differ in one bit.
    Hypercube(#[param(flatten)] HypercubeParameters),
    /// Routers in levels, with several parents each.
    FatTree(#[param(flatten)] FatTreeParameters),
    /// Stages of routers that packets cross in one direction; with dilation, a multibutterfly.
    Butterfly(#[param(flatten)] ButterflyParameters),
    /// One router for all nodes.
    Crossbar(#[param(flatten)] CrossbarParameters),
    /// Any graph, from an edge list, networkx's node-link JSON, or GraphML.
    Graph(#[param(flatten)] GraphParameters),
}

/// The routing rule of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum MeshRouting {
    /// One dimension after the other.
    DimensionOrder,
    /// Any port that brings a packet nearer to its destination.
    MinimalAdaptive,
}

impl Topology {
    /// Returns the errors of parameters with which the shape cannot be built.
    pub fn check(&self) -> Vec<ShapeError> {
        match self {
            Topology::FatTree(tree) => tree.check(),
            Topology::Butterfly(butterfly) => butterfly.check(),
            Topology::Graph(graph) => graph.check(),
            _ => Vec::new(),
        }
    }

    /// Returns whether all packets of a pair of nodes take the same links. If there is also only one virtual channel,
    /// packets arrive in the order in which they were sent.
    pub fn has_single_paths(&self) -> bool {
        match self {
            Topology::Mesh(_, routing) => *routing == MeshRouting::DimensionOrder,
            Topology::FatTree(_) => false,
            Topology::Butterfly(butterfly) => butterfly.dilation == 1,
            Topology::Graph(graph) => graph.has_single_paths(),
            _ => true,
        }
    }

    /// Returns the number of dimensions of a shape that is described by its extents.
    pub fn dimensions(&self) -> Option<usize> {
        match self {
            Topology::Mesh(MeshParameters { shape }, _) | Topology::Torus(TorusParameters { shape }, _) => {
                Some(shape.len())
            }
            _ => None,
        }
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        match self {
            Topology::Mesh(MeshParameters { shape }, _) => Grid::new(shape).nodes(),
            Topology::Torus(torus, _) | Topology::Ring(torus, _) => Grid::new(&torus.shape).nodes(),
            Topology::Hypercube(cube) => cube.nodes(),
            Topology::FatTree(tree) => tree.nodes,
            Topology::Butterfly(butterfly) => butterfly.nodes,
            Topology::Crossbar(crossbar) => crossbar.nodes,
            Topology::Graph(graph) => graph.nodes(),
        }
    }

    /// Builds the shape.
    ///
    /// # Errors
    ///
    /// Returns the errors of the parameters.
    pub fn build(&self) -> Result<Shape, Vec<ShapeError>> {
        match self {
            Topology::Mesh(mesh, MeshRouting::DimensionOrder) => Ok(mesh.shape()),
            Topology::Mesh(mesh, MeshRouting::MinimalAdaptive) => {
                let rule = MinimalAdaptive::new(Grid::new(&mesh.shape));
                Ok(Shape { routing: Arc::new(rule), ..mesh.shape() })
            }
            Topology::Torus(torus, halves) | Topology::Ring(torus, halves) => Ok(torus.shape_with(halves.middle)),
            Topology::Hypercube(cube) => cube.shape(),
            Topology::FatTree(tree) => tree.shape(),
            Topology::Butterfly(butterfly) => butterfly.shape(),
            Topology::Crossbar(crossbar) => crossbar.shape(),
            Topology::Graph(graph) => graph.shape(),
        }
    }
}

impl Topology {
    /// Returns the links whose rate or latency the description states.
    pub fn described_links(&self) -> Vec<DescribedLink> {
        match self {
            Topology::Graph(graph) => graph.described_links(),
            _ => Vec::new(),
        }
    }

    /// Returns the key of the routing rule, and a text that names the rules with which packets cannot deadlock; `None`
    /// if the shape has no choice of such rules.
    pub fn deadlock_remedy(&self) -> Option<(&'static str, &'static str)> {
        let rules =
            "choose \"up-down\", or \"distance-classes\" with a virtual channel for each link of the longest route";
        matches!(self, Topology::Graph(_)).then_some(("routing", rules))
    }

    /// Returns the names of the nodes, if the shape has names for them.
    pub fn node_names(&self) -> Option<Vec<String>> {
        match self {
            Topology::Graph(graph) => Some(graph.node_names()),
            _ => None,
        }
    }

    /// Returns the shape with I/O columns at its edges, and the pairs of opposite edge ports; `None` if the shape has
    /// no edges or cannot be built.
    pub fn with_io_columns(&self) -> Option<(Shape, Vec<(u32, u32)>)> {
        let Topology::Mesh(MeshParameters { shape }, _) = self else { return None };
        Some((edges::with_io_columns(&self.build().ok()?, shape), edges::opposite_pairs(shape)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::survey::{Deadlock, survey};
    use super::super::walk::{Walk, fewest_links};
    use super::*;
    use crate::text::{DescriptionReader, Document, PartLibrary, Source, Table, describe, load};

    fn fabric(t: &mut Table<'_>) -> Topology {
        t.one_of("fabric", "Network between the nodes", TOPOLOGIES, Topology::read_variant)
    }

    fn read(text: &str) -> Result<Topology, String> {
        let document = Document::Text("m.toml", text, Some(&std::env::temp_dir()));
        let loaded = load(&Source { document, sets: &[], varied: &[], library: PartLibrary::EMPTY });
        let read = loaded.and_then(|loaded| DescriptionReader::new(loaded).read(fabric));
        read.map(|read| read.value).map_err(|problems| problems.to_string())
    }

    /// Calls `use_file` with the name of a temporary file in the folder of these tests' descriptions.
    fn with_temporary_file(name: &str, text: &str, use_file: impl FnOnce(&str)) {
        let name = format!("narrows-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(&name);
        std::fs::write(&path, text).expect("the file is written");
        use_file(&name);
        std::fs::remove_file(path).expect("the file is removed");
    }

    #[test]
    fn every_shape_is_read_built_and_free_of_deadlock() {
        let shapes = [
            ("mesh]\nshape = [3, 4]", 12, "3x4 mesh"),
            ("mesh]\nshape = [4, 4]\nrouting = \"minimal-adaptive\"", 16, "4x4 mesh"),
            ("torus]\nshape = [4, 4]", 16, "4x4 torus"),
            ("ring]\nnodes = 8", 8, "ring of 8"),
            ("hypercube]\ndimensions = 3", 8, "8-node hypercube"),
            ("fat-tree]\nnodes = 16", 16, "16-node fat tree of arity 4"),
            ("fat-tree]\nnodes = 64\nparents = [2, 2, 4]", 64, "64-node fat tree of arity 4, parents 2, 2, 4"),
            ("butterfly]\nnodes = 16", 16, "16-node butterfly of radix 4"),
            ("butterfly]\nnodes = 8\nradix = 2\ndilation = 2", 8, "8-node multibutterfly of radix 2 and dilation 2"),
            ("crossbar]\nnodes = 5", 5, "5-node crossbar"),
        ];
        for (text, nodes, name) in shapes {
            let topology = read(&format!("[fabric.{text}\n")).unwrap_or_else(|problems| panic!("{problems}"));
            let shape = topology.build().unwrap();
            assert_eq!((topology.nodes(), shape.wiring.nodes(), shape.name.as_str()), (nodes, nodes, name));
            let fewest_link_counts = fewest_links(&shape.wiring);
            Walk::new(&shape, 2).every_pair(|pair| {
                assert_eq!(pair.links, fewest_link_counts[pair.from as usize][pair.to as usize], "{name}")
            });
            assert_eq!(survey(&shape, 2).deadlock, Deadlock::Free, "{name}");
        }
    }

    #[test]
    fn a_graph_is_read_from_its_file() {
        with_temporary_file("good.txt", "a b\nb c\n", |name| {
            let topology = read(&format!("[fabric.graph]\nfile = \"{name}\"\n")).unwrap();
            assert_eq!((topology.nodes(), topology.build().unwrap().wiring.routers()), (3, 3));
        });
        with_temporary_file("bad.txt", "a b\nc d\n", |name| {
            let errors = read(&format!("[fabric.graph]\nfile = \"{name}\"\n")).unwrap_err();
            assert!(errors.contains("bad.txt, line 2: no path connects `a` and `c`"), "{errors}");
            assert!(errors.contains("m.toml:2:8"), "{errors}");
        });
        let errors = read("[fabric.graph]\nfile = \"narrows-no-such.txt\"\n").unwrap_err();
        assert!(errors.contains("there is no such file") && errors.contains("m.toml:2:8"), "{errors}");
    }

    #[test]
    fn errors_state_their_position_in_the_description() {
        for (text, message) in [
            ("fat-tree]\nnodes = 30", "`fabric.fat-tree.nodes`: 30 nodes do not fill routers with 4 children each"),
            ("butterfly]\nnodes = 60", "`fabric.butterfly.nodes`: 60 nodes are not a power of the radix, 4"),
            ("crossbar]\nnodes = 65", "bad value for `fabric.crossbar.nodes`"),
            ("hypercube]\ndimensions = 0", "bad value for `fabric.hypercube.dimensions`"),
        ] {
            let errors = read(&format!("[fabric.{text}\n")).unwrap_err();
            assert!(errors.contains(message) && errors.contains("m.toml:2:"), "{errors}");
            assert_eq!(errors.matches("error").count(), 1, "{errors}");
        }
    }

    #[test]
    fn the_schema_knows_every_shape() {
        let schema = describe(|t| {
            fabric(t);
        });
        let schema = format!("{schema:?}");
        assert!(TOPOLOGIES.iter().all(|(name, _)| schema.contains(name)));
    }
}
