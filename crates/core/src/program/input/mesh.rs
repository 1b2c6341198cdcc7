//! A 3-D unstructured mesh of tetrahedra, of given numbers of nodes, edges and faces of its surface.
//!
//! A box of cubes, six tetrahedra each, with nodes moved a little; then triangles of the surface and
//! tetrahedra are split at new nodes, and faces are turned into edges, all drawn from the seed, until the
//! numbers are what was asked. Of a ball of tetrahedra these numbers say all (Euler): there are
//! edges - nodes - faces / 2 + 1 tetrahedra. Coordinates are in edges of a cube.
//!
//! Leaves out: the shape of a body, finer parts of the mesh, faces of four nodes.

pub use super::tetrahedra::volume;

use super::tetrahedra::Tetrahedra;
use crate::engine::rng;

/// Numbers of a mesh.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeshSize {
    /// Nodes.
    pub nodes: usize,
    /// Edges between two nodes.
    pub edges: usize,
    /// Faces of the surface, of three nodes.
    pub faces: usize,
}

/// The mesh of Mukherjee and Hill (1998), Table 4.
pub const UNSTRUCTURED: MeshSize = MeshSize { nodes: 9428, edges: 59_863, faces: 5864 };

/// A mesh of tetrahedra.
#[derive(Clone, PartialEq, Debug)]
pub struct Mesh {
    /// Where each node lies.
    pub coordinates: Vec<[f64; 3]>,
    /// The four nodes of each tetrahedron, of positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The two nodes of each edge, the first one before the second; in order.
    pub edges: Vec<[u32; 2]>,
    /// The three nodes of each face of the surface, counter-clockwise seen from outside; in order.
    pub faces: Vec<[u32; 3]>,
}

/// How a mesh of some size is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Recipe {
    /// Cubes of the box along each axis.
    cubes: [usize; 3],
    face_splits: usize,
    inner_splits: usize,
    flips: usize,
}

/// The most nodes of a mesh.
const NODES_MAX: usize = 1_000_000;

impl MeshSize {
    /// A size that a mesh of so many nodes may have: nearly a cube of cubes.
    pub fn of_nodes(nodes: usize) -> Option<MeshSize> {
        let side = (1..).take_while(|side: &usize| (side + 1).pow(3) <= nodes.min(NODES_MAX)).last()?;
        let faces = 12 * side * side;
        let tetrahedra = 6 * side.pow(3) + 3 * (nodes - (side + 1).pow(3));
        (nodes <= NODES_MAX).then_some(MeshSize { nodes, edges: tetrahedra + nodes + faces / 2 - 1, faces })
    }

    /// How it is made with the fewest changes of a box.
    fn recipe(self) -> Option<Recipe> {
        let mut best: Option<Recipe> = None;
        let least = |cubes: [usize; 3]| cubes.iter().map(|along| along + 1).product::<usize>();
        for a in (1..).take_while(|a| least([*a, *a, *a]) <= self.nodes) {
            for b in (a..).take_while(|b| least([a, *b, *b]) <= self.nodes) {
                let boxes = (b..).map(|c| [a, b, c]).take_while(|cubes| least(*cubes) <= self.nodes);
                for recipe in boxes.filter_map(|cubes| self.recipe_of(cubes)) {
                    if best.is_none_or(|best| recipe.changes() < best.changes()) {
                        best = Some(recipe);
                    }
                }
            }
        }
        best
    }

    fn recipe_of(self, cubes: [usize; 3]) -> Option<Recipe> {
        let [a, b, c] = cubes;
        let missing_faces = self.faces.checked_sub(4 * (a * b + b * c + c * a))?;
        // A split of a face adds two, and two tetrahedra; one of a tetrahedron adds three of these, a flip one.
        let face_splits = missing_faces / 2;
        let inner_splits = self.nodes.checked_sub((a + 1) * (b + 1) * (c + 1) + face_splits)?;
        let tetrahedra = (self.edges + 1).checked_sub(self.nodes + self.faces / 2)?;
        let flips = tetrahedra.checked_sub(6 * a * b * c + 2 * face_splits + 3 * inner_splits)?;
        (missing_faces % 2 == 0).then_some(Recipe { cubes, face_splits, inner_splits, flips })
    }
}

impl Recipe {
    fn changes(&self) -> usize {
        self.face_splits + self.inner_splits + self.flips
    }
}

impl Mesh {
    /// Makes a mesh of exactly this size, or says why there is none.
    pub fn generate(size: MeshSize, seed: u64) -> Result<Mesh, String> {
        if size.nodes > NODES_MAX {
            return Err(format!("a mesh has at most {NODES_MAX} nodes, not {}", size.nodes));
        }
        let none = || {
            let near = MeshSize::of_nodes(size.nodes);
            let hint = near.map(|near| format!(": {} edges and {} faces would do", near.edges, near.faces));
            let MeshSize { nodes, edges, faces } = size;
            let hint = hint.unwrap_or_default();
            format!("no mesh of tetrahedra has {nodes} nodes, {edges} edges and {faces} faces of its surface{hint}")
        };
        let recipe = size.recipe().ok_or_else(none)?;
        let mut random = rng::stream(seed, "mesh");
        let mut body = Tetrahedra::of_box(recipe.cubes, &mut random);
        (0..recipe.face_splits).for_each(|_| body.split_face(&mut random));
        (0..recipe.inner_splits).for_each(|_| body.split(&mut random));
        let flipped = body.flip(recipe.flips, &mut random);
        if flipped < recipe.flips {
            return Err(none());
        }
        Ok(Mesh::of(body))
    }

    fn of(body: Tetrahedra) -> Mesh {
        let mut edges: Vec<[u32; 2]> = body.tetrahedra.iter().flat_map(edges_of).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut faces: Vec<[u32; 3]> = body.faces.iter().map(|(face, _)| *face).collect();
        faces.sort_unstable();
        Mesh { coordinates: body.coordinates, tetrahedra: body.tetrahedra, edges, faces }
    }

    /// Its numbers.
    pub fn size(&self) -> MeshSize {
        MeshSize { nodes: self.coordinates.len(), edges: self.edges.len(), faces: self.faces.len() }
    }
}

/// The edges of a tetrahedron, each with its first node before its second.
pub(super) fn edges_of(tetrahedron: &[u32; 4]) -> impl Iterator<Item = [u32; 2]> + use<> {
    let [a, b, c, d] = *tetrahedron;
    [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].into_iter().map(|[a, b]| [a.min(b), a.max(b)])
}
