//! A multicolour ordering: rows of the same colour have no entry in common. If the rows of a matrix are ordered by
//! colour, a triangular solve has as many levels as there are colours (Schreiber and Tang, *Vectorizing the Conjugate
//! Gradient Method*, 1982; Saad, *Iterative Methods for Sparse Linear Systems*, §12.4).
//!
//! Rows are coloured in order; each row gets the first colour that none of its neighbours has (greedy colouring).

use super::{Adjacency, SymmetricMatrix};

/// Returns the rows of a graph ordered by colour, and within a colour by number.
pub fn rows_by_colour(graph: &Adjacency) -> Vec<u32> {
    let mut colours: Vec<Option<usize>> = vec![None; graph.vertices()];
    for row in 0..colours.len() {
        let is_used =
            |colour: usize| graph.neighbours(row).iter().any(|other| colours[*other as usize] == Some(colour));
        colours[row] = (0..).find(|colour| !is_used(*colour));
    }
    let mut order: Vec<u32> = (0..graph.vertices() as u32).collect();
    order.sort_by_key(|row| colours[*row as usize]);
    order
}

impl SymmetricMatrix {
    /// Returns the matrix with its rows and columns in another order: new row `i` is the old row `order[i]`.
    pub fn reordered(&self, order: &[u32]) -> SymmetricMatrix {
        let mut new_index = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new_row, row)| new_index[*row as usize] = new_row as u32);
        let mut entries: Vec<(u32, u32, f64)> = Vec::new();
        for row in 0..self.lower.rows() {
            let (columns, values) = self.lower.row(row);
            let off_diagonal = columns.iter().zip(values).map(|(column, value)| {
                let (one, other) = (new_index[row], new_index[*column as usize]);
                (one.max(other), one.min(other), *value)
            });
            entries.extend(off_diagonal);
            entries.push((new_index[row], new_index[row], self.lower.diagonal[row]));
        }
        entries.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        let mut matrix = SymmetricMatrix::from_lower(order.len(), entries.into_iter());
        matrix.has_values = self.has_values;
        matrix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_ring_has_two_colours_and_two_solve_levels() {
        let ring = Adjacency::from_edges(6, (0..6).map(|row| (row, (row + 1) % 6)));
        let order = rows_by_colour(&ring);
        assert_eq!(order, [0, 2, 4, 1, 3, 5]);
        let matrix = SymmetricMatrix::from_graph(&ring).reordered(&order);
        let rows: Vec<&[u32]> = (0..6).map(|row| matrix.lower.row(row).0).collect();
        assert_eq!(rows, [&[][..], &[], &[], &[0, 1], &[1, 2], &[0, 2]]);
        assert_eq!(matrix.lower.diagonal, [3.0; 6]);
        assert_eq!(matrix.adjacency().edges(), 6);
    }
}
