//! A three-dimensional unstructured mesh of tetrahedra with given numbers of nodes, edges and surface faces.
//!
//! The mesh starts as a box of cubes, each divided into six tetrahedra, with slightly displaced nodes. Then randomly
//! chosen surface triangles and tetrahedra are split at new nodes, and faces are flipped into edges, until the numbers
//! are those requested. In a ball of tetrahedra, these numbers determine the number of tetrahedra (Euler): edges -
//! nodes - faces / 2 + 1. The unit of coordinates is the edge of a cube.
//!
//! The module leaves out the shape of a body, local refinement, and faces with four nodes.

pub use super::tetrahedra::volume;

use super::tetrahedra::Tetrahedra;
use crate::engine::rng;

/// The size of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeshSize {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of edges between two nodes.
    pub edges: usize,
    /// Number of triangular faces of the surface.
    pub faces: usize,
}

/// The mesh of Mukherjee and Hill (1998), Table 4.
pub const UNSTRUCTURED: MeshSize = MeshSize { nodes: 9428, edges: 59_863, faces: 5864 };

/// A mesh of tetrahedra.
#[derive(Clone, PartialEq, Debug)]
pub struct Mesh {
    /// Position of each node.
    pub coordinates: Vec<[f64; 3]>,
    /// Four nodes of each tetrahedron, in an order in which its volume is positive.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Two nodes of each edge, the smaller number first; in order.
    pub edges: Vec<[u32; 2]>,
    /// Three nodes of each surface face, counter-clockwise seen from outside; in order.
    pub faces: Vec<[u32; 3]>,
}

/// The operations that create a mesh of some size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Recipe {
    /// Number of cubes of the box along each axis.
    cubes: [usize; 3],
    face_splits: usize,
    inner_splits: usize,
    flips: usize,
}

/// Largest number of nodes of a mesh.
const NODES_MAX: usize = 1_000_000;

impl MeshSize {
    /// Returns a possible size of a mesh with this number of nodes, from a nearly cubic box.
    pub fn for_nodes(nodes: usize) -> Option<MeshSize> {
        let side = (1..).take_while(|side: &usize| (side + 1).pow(3) <= nodes.min(NODES_MAX)).last()?;
        let faces = 12 * side * side;
        let tetrahedra = 6 * side.pow(3) + 3 * (nodes - (side + 1).pow(3));
        (nodes <= NODES_MAX).then_some(MeshSize { nodes, edges: tetrahedra + nodes + faces / 2 - 1, faces })
    }

    /// Returns the recipe with the fewest changes of a box.
    fn recipe(self) -> Option<Recipe> {
        let mut best: Option<Recipe> = None;
        let nodes_of = |cubes: [usize; 3]| cubes.iter().map(|cube_count| cube_count + 1).product::<usize>();
        for a in (1..).take_while(|a| nodes_of([*a, *a, *a]) <= self.nodes) {
            for b in (a..).take_while(|b| nodes_of([a, *b, *b]) <= self.nodes) {
                let boxes = (b..).map(|c| [a, b, c]).take_while(|cubes| nodes_of(*cubes) <= self.nodes);
                for recipe in boxes.filter_map(|cubes| self.recipe_from(cubes)) {
                    if best.is_none_or(|best| recipe.change_count() < best.change_count()) {
                        best = Some(recipe);
                    }
                }
            }
        }
        best
    }

    fn recipe_from(self, cubes: [usize; 3]) -> Option<Recipe> {
        let [a, b, c] = cubes;
        let missing_faces = self.faces.checked_sub(4 * (a * b + b * c + c * a))?;
        // Splitting a face adds two faces and two tetrahedra. Splitting a tetrahedron adds three tetrahedra, and a flip
        // adds one.
        let face_splits = missing_faces / 2;
        let inner_splits = self.nodes.checked_sub((a + 1) * (b + 1) * (c + 1) + face_splits)?;
        let tetrahedra = (self.edges + 1).checked_sub(self.nodes + self.faces / 2)?;
        let flips = tetrahedra.checked_sub(6 * a * b * c + 2 * face_splits + 3 * inner_splits)?;
        (missing_faces % 2 == 0).then_some(Recipe { cubes, face_splits, inner_splits, flips })
    }
}

impl Recipe {
    fn change_count(&self) -> usize {
        self.face_splits + self.inner_splits + self.flips
    }
}

impl Mesh {
    /// Generates a mesh of exactly this size.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no such mesh.
    pub fn generate(size: MeshSize, seed: u64) -> Result<Mesh, String> {
        if size.nodes > NODES_MAX {
            return Err(format!("a mesh has at most {NODES_MAX} nodes, not {}", size.nodes));
        }
        let impossible_size_message = || {
            let possible_size = MeshSize::for_nodes(size.nodes);
            let hint = possible_size.map(|possible_size| {
                format!("; {} edges and {} faces are possible", possible_size.edges, possible_size.faces)
            });
            let MeshSize { nodes, edges, faces } = size;
            let hint = hint.unwrap_or_default();
            format!("no mesh of tetrahedra has {nodes} nodes, {edges} edges and {faces} surface faces{hint}")
        };
        let recipe = size.recipe().ok_or_else(impossible_size_message)?;
        let mut random = rng::stream(seed, "mesh");
        let mut body = Tetrahedra::new_box(recipe.cubes, &mut random);
        (0..recipe.face_splits).for_each(|_| body.split_face(&mut random));
        (0..recipe.inner_splits).for_each(|_| body.split(&mut random));
        let flip_count = body.flip(recipe.flips, &mut random);
        if flip_count < recipe.flips {
            return Err(impossible_size_message());
        }
        Ok(Mesh::from_body(body))
    }

    fn from_body(body: Tetrahedra) -> Mesh {
        let mut edges: Vec<[u32; 2]> = body.tetrahedra.iter().flat_map(edges_of).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut faces: Vec<[u32; 3]> = body.faces.iter().map(|(face, _)| *face).collect();
        faces.sort_unstable();
        Mesh { coordinates: body.coordinates, tetrahedra: body.tetrahedra, edges, faces }
    }

    /// Returns the size of the mesh.
    pub fn size(&self) -> MeshSize {
        MeshSize { nodes: self.coordinates.len(), edges: self.edges.len(), faces: self.faces.len() }
    }
}

/// Returns the edges of a tetrahedron, each with the smaller node number first.
pub(super) fn edges_of(tetrahedron: &[u32; 4]) -> impl Iterator<Item = [u32; 2]> + use<> {
    let [a, b, c, d] = *tetrahedron;
    [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].into_iter().map(|[a, b]| [a.min(b), a.max(b)])
}
