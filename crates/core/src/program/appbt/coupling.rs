//! 5 × 5 matrices, which couple the five quantities of a point.

/// Number of quantities of a point: density, three momenta, energy.
pub const QUANTITIES: usize = 5;

/// The quantities of a point.
pub type Quantities = [f64; QUANTITIES];

/// The coupling between each two quantities: a matrix, stored by rows.
pub type Coupling = [Quantities; QUANTITIES];

/// Returns `value` - `matrix` · `factor`, where `value` and `factor` are vectors.
pub fn subtract_product(value: &Quantities, matrix: &Coupling, factor: &Quantities) -> Quantities {
    let mut value = *value;
    for (value, row) in value.iter_mut().zip(matrix) {
        row.iter().zip(factor).for_each(|(entry, factor)| *value -= entry * factor);
    }
    value
}

/// Returns `value` - `matrix` · `factor`, where `value` and `factor` are matrices.
pub fn subtract_matrix_product(value: &Coupling, matrix: &Coupling, factor: &Coupling) -> Coupling {
    let mut value = *value;
    for (value, row) in value.iter_mut().zip(matrix) {
        for (entry, factor) in row.iter().zip(factor) {
            value.iter_mut().zip(factor).for_each(|(value, factor)| *value -= entry * factor);
        }
    }
    value
}

/// Solves a system for a matrix and a vector at once, by Gauss-Jordan elimination. It needs no pivoting, since the
/// diagonal dominates.
pub fn solve(mut matrix: Coupling, mut right: Coupling, mut vector: Quantities) -> (Coupling, Quantities) {
    for pivot in 0..QUANTITIES {
        let inverse = 1.0 / matrix[pivot][pivot];
        matrix[pivot].iter_mut().skip(pivot + 1).for_each(|value| *value *= inverse);
        right[pivot].iter_mut().for_each(|value| *value *= inverse);
        vector[pivot] *= inverse;
        let (pivot_row, pivot_right, pivot_vector) = (matrix[pivot], right[pivot], vector[pivot]);
        for row in (0..QUANTITIES).filter(|row| *row != pivot) {
            let factor = matrix[row][pivot];
            (pivot + 1..QUANTITIES).for_each(|column| matrix[row][column] -= factor * pivot_row[column]);
            (0..QUANTITIES).for_each(|column| right[row][column] -= factor * pivot_right[column]);
            vector[row] -= factor * pivot_vector;
        }
    }
    (right, vector)
}
