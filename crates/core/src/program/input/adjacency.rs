//! Who neighbours whom: an undirected graph without loops, each vertex's neighbours in their order.

/// An undirected graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Adjacency {
    /// Where the neighbours of each vertex begin, and where the last ones end.
    begin: Vec<usize>,
    neighbours: Vec<u32>,
}

impl Adjacency {
    /// Of the neighbours of each vertex, which are in order, symmetric, and not itself.
    pub(super) fn of_rows<R: AsRef<[u32]>>(rows: &[R]) -> Adjacency {
        let mut adjacency = Adjacency { begin: vec![0], neighbours: Vec::new() };
        for row in rows {
            adjacency.neighbours.extend(row.as_ref());
            adjacency.begin.push(adjacency.neighbours.len());
        }
        adjacency
    }

    /// Of edges, each told once, in any order.
    pub fn of_edges(vertices: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Adjacency {
        let mut rows = vec![Vec::new(); vertices];
        for (one, other) in edges {
            rows[one as usize].push(other);
            rows[other as usize].push(one);
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        Adjacency::of_rows(&rows)
    }

    /// How many vertices it has.
    pub fn vertices(&self) -> usize {
        self.begin.len() - 1
    }

    /// How many edges.
    pub fn edges(&self) -> usize {
        self.neighbours.len() / 2
    }

    /// The neighbours of a vertex, in their order.
    pub fn of(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.begin[vertex]..self.begin[vertex + 1]]
    }

    /// A vertex that neighbours one which does not neighbour it, and that one.
    pub(super) fn one_way(&self) -> Option<(usize, usize)> {
        let both = |one: usize, other: u32| self.of(other as usize).binary_search(&(one as u32)).is_ok();
        (0..self.vertices())
            .find_map(|one| self.of(one).iter().find(|other| !both(one, **other)).map(|other| (one, *other as usize)))
    }

    /// Whether it is what it should be: neighbours in order, there, not the vertex itself, and both ways.
    pub fn is_sound(&self) -> bool {
        let is_row = |vertex: usize| {
            let row = self.of(vertex);
            row.windows(2).all(|two| two[0] < two[1])
                && row.last().is_none_or(|last| (*last as usize) < self.vertices())
                && row.binary_search(&(vertex as u32)).is_err()
        };
        (0..self.vertices()).all(is_row) && self.one_way().is_none()
    }
}
