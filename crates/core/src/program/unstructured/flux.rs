//! What passes an edge and a face in a step, and what a node becomes of it: whole numbers of units.

/// Three numbers of a node: a value.
pub(super) type Value = [f32; 3];
/// Three amounts, in units of 2^-24.
pub(super) type Amount = [i32; 3];

/// Units of an amount of 1: with 8 bits before the point no sum overflows that is not absurd.
pub(super) const UNITS: f32 = 16_777_216.0;

/// An edge: its two nodes, the area between their volumes, from the first to the second, and how viscous
/// friction passes it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FluidEdge {
    pub nodes: [u32; 2],
    pub area: Value,
    pub conductance: f32,
}

/// A face of the surface: its three nodes, and the area that each has of it, outwards.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FluidFace {
    pub nodes: [u32; 3],
    pub area: Value,
}

fn dot(one: Value, other: Value) -> f32 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

/// What passes an edge from its first node to its second, in a step of so many units (Rusanov 1961).
/// The conversion cuts off what is less than a unit, and what is too much for a word.
pub(super) fn through_edge(edge: &FluidEdge, first: Value, second: Value, step_units: f32) -> Amount {
    let (out, into) = (dot(first, edge.area), dot(second, edge.area));
    let speed = 2.0 * (out.abs().max(into.abs()) + edge.conductance);
    let half = 0.5 * step_units;
    let along = |axis: usize| {
        let carried = out * first[axis] + into * second[axis];
        (half * (carried - speed * (second[axis] - first[axis]))) as i32
    };
    [along(0), along(1), along(2)]
}

/// What leaves each of a face's three nodes.
pub(super) fn through_face(face: &FluidFace, values: [Value; 3], step_units: f32) -> Amount {
    let [a, b, c] = values;
    let mean = [0, 1, 2].map(|axis: usize| (a[axis] + b[axis] + c[axis]) * (1.0 / 3.0));
    let out = step_units * dot(mean, face.area);
    mean.map(|value| (out * value) as i32)
}

/// Adds to a sum, in any order: integers wrap.
pub(super) fn add(sum: &mut Amount, amount: Amount) {
    (0..3).for_each(|axis| sum[axis] = sum[axis].wrapping_add(amount[axis]));
}

/// The opposite amount.
pub(super) fn minus(amount: Amount) -> Amount {
    amount.map(i32::wrapping_neg)
}

/// Takes from a sum.
pub(super) fn take(sum: &mut Amount, amount: Amount) {
    (0..3).for_each(|axis| sum[axis] = sum[axis].wrapping_sub(amount[axis]));
}

/// The value of an amount in a volume, whose inverse is in units.
pub(super) fn value(amount: Amount, inverse_units: f32) -> Value {
    amount.map(|amount| amount as f32 * inverse_units)
}
