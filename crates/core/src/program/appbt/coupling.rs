//! Matrices of 5 × 5: how each of a point's five quantities acts on each.

/// Quantities of a point: density, momenta, energy.
pub const QUANTITIES: usize = 5;

/// The quantities of a point.
pub type Quantities = [f64; QUANTITIES];

/// How each of them acts on each: a matrix, by row.
pub type Coupling = [Quantities; QUANTITIES];

/// `value` less `matrix` times `factor`.
pub fn less_product(value: &Quantities, matrix: &Coupling, factor: &Quantities) -> Quantities {
    let mut value = *value;
    for (value, row) in value.iter_mut().zip(matrix) {
        row.iter().zip(factor).for_each(|(one, other)| *value -= one * other);
    }
    value
}

/// `value` less `matrix` times `factor`.
pub fn less_coupling_product(value: &Coupling, matrix: &Coupling, factor: &Coupling) -> Coupling {
    let mut value = *value;
    for (value, row) in value.iter_mut().zip(matrix) {
        for (one, factor) in row.iter().zip(factor) {
            value.iter_mut().zip(factor).for_each(|(value, factor)| *value -= one * factor);
        }
    }
    value
}

/// Solves for a matrix and a vector at once (Gauss and Jordan, without pivots: the diagonal dominates).
pub fn solve(mut matrix: Coupling, mut right: Coupling, mut vector: Quantities) -> (Coupling, Quantities) {
    for pivot in 0..QUANTITIES {
        let inverse = 1.0 / matrix[pivot][pivot];
        matrix[pivot].iter_mut().skip(pivot + 1).for_each(|value| *value *= inverse);
        right[pivot].iter_mut().for_each(|value| *value *= inverse);
        vector[pivot] *= inverse;
        let (own, own_right, own_vector) = (matrix[pivot], right[pivot], vector[pivot]);
        for row in (0..QUANTITIES).filter(|row| *row != pivot) {
            let factor = matrix[row][pivot];
            (pivot + 1..QUANTITIES).for_each(|column| matrix[row][column] -= factor * own[column]);
            (0..QUANTITIES).for_each(|column| right[row][column] -= factor * own_right[column]);
            vector[row] -= factor * own_vector;
        }
    }
    (right, vector)
}
