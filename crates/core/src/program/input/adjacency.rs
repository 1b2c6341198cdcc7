//! An undirected graph without loops, as the ordered neighbours of each vertex.

/// An undirected graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adjacency {
    /// Index of the first neighbour of each vertex; at the end, the number of all neighbours.
    row_starts: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// Creates a graph from the neighbours of each vertex, which must be in order and without the vertex itself. Two
    /// neighbours must list each other.
    pub(super) fn from_rows<R: AsRef<[u32]>>(rows: &[R]) -> Adjacency {
        let mut adjacency = Adjacency { row_starts: vec![0], neighbours: Vec::new() };
        for row in rows {
            adjacency.neighbours.extend(row.as_ref());
            adjacency.row_starts.push(adjacency.neighbours.len());
        }
        adjacency
    }

    /// Creates a graph from edges in any order, each given once.
    pub fn from_edges(vertices: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Adjacency {
        let mut rows = vec![Vec::new(); vertices];
        for (one, other) in edges {
            rows[one as usize].push(other);
            rows[other as usize].push(one);
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        Adjacency::from_rows(&rows)
    }

    /// Returns the number of vertices.
    pub fn vertices(&self) -> usize {
        self.row_starts.len() - 1
    }

    /// Returns the number of edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// Returns the neighbours of a vertex in order.
    pub fn neighbours(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.row_starts[vertex]..self.row_starts[vertex + 1]]
    }

    /// Returns a vertex and one of its neighbours that does not list the vertex as a neighbour, if there is any.
    pub(super) fn asymmetric_pair(&self) -> Option<(usize, usize)> {
        let is_mutual = |one: usize, other: u32| self.neighbours(other as usize).binary_search(&(one as u32)).is_ok();
        (0..self.vertices()).find_map(|one| {
            let other = self.neighbours(one).iter().find(|other| !is_mutual(one, **other));
            other.map(|other| (one, *other as usize))
        })
    }

    /// Returns whether the graph is valid: the neighbours of a vertex are in order, exist, list the vertex in turn, and
    /// are never the vertex itself.
    pub fn is_valid(&self) -> bool {
        let is_valid_row = |vertex: usize| {
            let row = self.neighbours(vertex);
            row.windows(2).all(|pair| pair[0] < pair[1])
                && row.last().is_none_or(|last| (*last as usize) < self.vertices())
                && row.binary_search(&(vertex as u32)).is_err()
        };
        (0..self.vertices()).all(is_valid_row) && self.asymmetric_pair().is_none()
    }
}
