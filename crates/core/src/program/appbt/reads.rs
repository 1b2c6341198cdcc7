//! The values that a processor reads from others in each phase. They belong to points of the planes adjacent to its own
//! points.
//!
//! A processor writes only its own points: residuals in all phases but the last, matrices in elimination, and states in
//! the last phase.

use super::coupling::QUANTITIES;
use super::gas::Gas;
use super::subcubes::{Subcube, Subcubes};

/// A phase of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Computing the right-hand side.
    Residual,
    /// Elimination: the axis, and the chunk.
    Forward(usize, usize),
    /// Substitution: the axis, and the chunk.
    Backward(usize, usize),
    /// Adding the solutions to the states.
    Add,
}

/// A value of a point that other processors read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PointValue {
    /// The state of the point.
    State,
    /// The right-hand side, or the solution.
    Residual,
    /// The matrix above the diagonal.
    Upper,
}

impl PointValue {
    /// Returns the size in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            PointValue::State | PointValue::Residual => 8 * QUANTITIES,
            PointValue::Upper => 8 * QUANTITIES * QUANTITIES,
        }
    }
}

/// A read of another processor's point: the processor, the value, and the number of the point.
pub type RemoteRead = (usize, PointValue, usize);

/// Returns all values that a processor reads from others in a phase.
pub fn remote_reads(gas: &Gas, subcubes: &Subcubes, processor: usize, phase: Phase) -> Vec<RemoteRead> {
    let subcube = subcubes.subcube_of(processor);
    let mut reads = Vec::new();
    let mut add_reads = |axis: usize, side: usize, chunks: std::ops::Range<usize>, kinds: &[PointValue]| {
        let Some((neighbour, plane_index)) = neighbour_and_plane(subcubes, &subcube, axis, side) else { return };
        for line in chunks.flat_map(|chunk| subcube.lines(gas, axis, chunk)) {
            reads.extend(kinds.iter().map(|kind| (neighbour, *kind, line + plane_index * gas.stride(axis))));
        }
    };
    match phase {
        Phase::Residual => (0..3).for_each(|axis| {
            (0..2).for_each(|side| add_reads(axis, side, 0..subcube.chunks(axis), &[PointValue::State]));
        }),
        Phase::Forward(axis, chunk) => {
            // Points on the surface have only states.
            let begins_at_surface = subcube.inner_ranges[axis].start == 1;
            let all_kinds = [PointValue::State, PointValue::Residual, PointValue::Upper];
            if !begins_at_surface {
                add_reads(axis, 0, chunk..chunk + 1, &all_kinds);
            }
            add_reads(axis, 1, chunk..chunk + 1, &[PointValue::State]);
        }
        Phase::Backward(axis, chunk) if subcube.inner_ranges[axis].end + 1 < gas.points_per_side => {
            add_reads(axis, 1, chunk..chunk + 1, &[PointValue::Residual]);
        }
        Phase::Backward(..) | Phase::Add => {}
    }
    reads
}

/// Returns the processor before (side 0) or after (side 1) a subcube's inner points, and the index of its adjacent
/// plane.
fn neighbour_and_plane(subcubes: &Subcubes, subcube: &Subcube, axis: usize, side: usize) -> Option<(usize, usize)> {
    let inner_range = &subcube.inner_ranges[axis];
    if inner_range.is_empty() {
        return None;
    }
    let plane_index = [inner_range.start - 1, inner_range.end][side];
    let is_own = subcube.point_ranges[axis].contains(&plane_index);
    subcubes.neighbours(subcube, axis)[side].filter(|_| !is_own).map(|neighbour| (neighbour, plane_index))
}

/// Returns the neighbour that must complete a phase before a processor starts the same phase, if there is one. The
/// neighbour's counters of chunks show when it has completed the phase.
pub fn predecessor(gas: &Gas, subcubes: &Subcubes, processor: usize, phase: Phase) -> Option<usize> {
    let subcube = subcubes.subcube_of(processor);
    match phase {
        Phase::Forward(axis, _) if subcube.inner_ranges[axis].start > 1 => {
            neighbour_and_plane(subcubes, &subcube, axis, 0).map(|(neighbour, _)| neighbour)
        }
        Phase::Backward(axis, _) if subcube.inner_ranges[axis].end + 1 < gas.points_per_side => {
            neighbour_and_plane(subcubes, &subcube, axis, 1).map(|(neighbour, _)| neighbour)
        }
        _ => None,
    }
}
