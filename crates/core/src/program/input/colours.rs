//! A multicolour ordering: rows of one colour have no entry in common, so a triangular solve of the matrix whose
//! rows stand colour by colour has as many levels as there are colours (Schreiber and Tang, *Vectorizing the Conjugate
//! Gradient Method*, 1982; Saad, *Iterative Methods for Sparse Linear Systems*, §12.4).
//!
//! Each row in turn takes the first colour that none of its neighbours has.

use super::{Adjacency, SymmetricMatrix};

/// The rows of a graph colour by colour, those of a colour in their order.
pub fn by_colour(graph: &Adjacency) -> Vec<u32> {
    let mut colours: Vec<Option<usize>> = vec![None; graph.vertices()];
    for row in 0..colours.len() {
        let has = |colour: usize| graph.of(row).iter().any(|other| colours[*other as usize] == Some(colour));
        colours[row] = (0..).find(|colour| !has(*colour));
    }
    let mut order: Vec<u32> = (0..graph.vertices() as u32).collect();
    order.sort_by_key(|row| colours[*row as usize]);
    order
}

impl SymmetricMatrix {
    /// The same with its rows and columns in another order: `order` has the row that comes to each place.
    pub fn reordered(&self, order: &[u32]) -> SymmetricMatrix {
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, row)| place[*row as usize] = at as u32);
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for row in 0..self.lower.rows() {
            let (columns, values) = self.lower.row(row);
            let beside = columns.iter().zip(values).map(|(column, value)| {
                let (one, other) = (place[row], place[*column as usize]);
                (one.max(other), one.min(other), *value)
            });
            entries.extend(beside);
            entries.push((place[row], place[row], self.lower.diagonal[row]));
        }
        entries.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let mut matrix = SymmetricMatrix::of_lower(order.len(), entries.into_iter());
        matrix.has_values = self.has_values;
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_even_length_has_two_colours_and_its_solve_two_levels() {
        let ring = Adjacency::of_edges(6, (0..6).map(|row| (row, (row + 1) % 6)));
        let order = by_colour(&ring);
        assert_eq!(order, [0, 2, 4, 1, 3, 5]);
        let matrix = SymmetricMatrix::of_graph(&ring).reordered(&order);
        let rows: Vec<&[u32]> = (0..6).map(|row| matrix.lower.row(row).0).collect();
        assert_eq!(rows, [&[][..], &[], &[], &[0, 1], &[1, 2], &[0, 2]]);
        assert_eq!(matrix.lower.diagonal, [3.0; 6]);
        assert_eq!(matrix.adjacency().edges(), 6);
    }
}
