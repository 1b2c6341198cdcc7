//! The fluxes through an edge and a face in a time step, and the update of a node, in whole units.

/// A value of a node: three numbers.
pub(super) type Value = [f32; 3];
/// An amount of each of three numbers, in units of 2^-24.
pub(super) type Amount = [i32; 3];

/// Number of units in an amount of 1. The 8 bits before the binary point avoid overflow of sums.
pub(super) const UNITS: f32 = 16_777_216.0;

/// An edge: its two nodes, the area between their volumes, directed from the first node to the second, and the
/// conductance of viscous friction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FluidEdge {
    pub nodes: [u32; 2],
    pub area: Value,
    pub conductance: f32,
}

/// A face of the surface: its three nodes, and the part of the face's area that belongs to each node, directed
/// outwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FluidFace {
    pub nodes: [u32; 3],
    pub area: Value,
}

fn dot(one: Value, other: Value) -> f32 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

/// Returns the flux through an edge from its first node to its second in a time step (Rusanov 1961); `step_units` is
/// the length of the step, multiplied by [`UNITS`]. The conversion to units truncates fractions, and saturates values
/// that do not fit in a word.
pub(super) fn edge_flux(edge: &FluidEdge, first: Value, second: Value, step_units: f32) -> Amount {
    let (first_flow, second_flow) = (dot(first, edge.area), dot(second, edge.area));
    let speed = 2.0 * (first_flow.abs().max(second_flow.abs()) + edge.conductance);
    let half = 0.5 * step_units;
    let component_flux = |axis: usize| {
        let convected = first_flow * first[axis] + second_flow * second[axis];
        (half * (convected - speed * (second[axis] - first[axis]))) as i32
    };
    [component_flux(0), component_flux(1), component_flux(2)]
}

/// Returns the flux out of each of a face's three nodes.
pub(super) fn face_flux(face: &FluidFace, values: [Value; 3], step_units: f32) -> Amount {
    let [a, b, c] = values;
    let mean = [0, 1, 2].map(|axis: usize| (a[axis] + b[axis] + c[axis]) * (1.0 / 3.0));
    let outflow = step_units * dot(mean, face.area);
    mean.map(|value| (outflow * value) as i32)
}

/// Adds to a sum. Integers wrap on overflow, so the result does not depend on the order.
pub(super) fn add(sum: &mut Amount, amount: Amount) {
    (0..3).for_each(|axis| sum[axis] = sum[axis].wrapping_add(amount[axis]));
}

/// Returns the opposite amount.
pub(super) fn opposite(amount: Amount) -> Amount {
    amount.map(i32::wrapping_neg)
}

/// Subtracts from a sum.
pub(super) fn subtract(sum: &mut Amount, amount: Amount) {
    (0..3).for_each(|axis| sum[axis] = sum[axis].wrapping_sub(amount[axis]));
}

/// Returns the value that corresponds to an amount in a volume; `inverse_volume` is 1 / (volume · [`UNITS`]).
pub(super) fn value(amount: Amount, inverse_volume: f32) -> Value {
    amount.map(|amount| amount as f32 * inverse_volume)
}
