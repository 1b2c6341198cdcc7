//! What a processor reads of whom in each phase: points of the planes that lie next to its own.
//!
//! It writes its own points only: residuals in all phases but the last, matrices going forward, states in
//! the last.

use super::coupling::QUANTITIES;
use super::gas::Gas;
use super::subcubes::{Subcube, Subcubes};

/// A phase of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The right-hand side.
    Residual,
    /// Elimination along an axis, of a chunk.
    Forward(usize, usize),
    /// Substitution along an axis, of a chunk.
    Backward(usize, usize),
    /// Solutions are added to states.
    Add,
}

/// What a point holds for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holding {
    /// Its state.
    State,
    /// Its right-hand side, or solution.
    Residual,
    /// Its matrix.
    Upper,
}

impl Holding {
    /// How many bytes it is of.
    pub const fn bytes(self) -> usize {
        match self {
            Holding::State | Holding::Residual => 8 * QUANTITIES,
            Holding::Upper => 8 * QUANTITIES * QUANTITIES,
        }
    }
}

/// A read of another processor's point.
pub type RemoteRead = (usize, Holding, usize);

/// All that a phase of a processor reads of others: whose, what, of which point.
pub fn remote(gas: &Gas, subcubes: &Subcubes, processor: usize, phase: Phase) -> Vec<RemoteRead> {
    let subcube = subcubes.of(processor);
    let mut reads = Vec::new();
    let mut read = |axis: usize, side: usize, chunks: std::ops::Range<usize>, what: &[Holding]| {
        let Some((from, index)) = adjacent(subcubes, &subcube, axis, side) else { return };
        for line in chunks.flat_map(|chunk| subcube.lines(gas, axis, chunk)) {
            reads.extend(what.iter().map(|what| (from, *what, line + index * gas.stride(axis))));
        }
    };
    match phase {
        Phase::Residual => (0..3).for_each(|axis| {
            (0..2).for_each(|side| read(axis, side, 0..subcube.chunks(axis), &[Holding::State]));
        }),
        Phase::Forward(axis, chunk) => {
            // The surface's points have states alone.
            let is_first = subcube.inner[axis].start == 1;
            let all = [Holding::State, Holding::Residual, Holding::Upper];
            if !is_first {
                read(axis, 0, chunk..chunk + 1, &all);
            }
            read(axis, 1, chunk..chunk + 1, &[Holding::State]);
        }
        Phase::Backward(axis, chunk) if subcube.inner[axis].end + 1 < gas.points => {
            read(axis, 1, chunk..chunk + 1, &[Holding::Residual]);
        }
        Phase::Backward(..) | Phase::Add => {}
    }
    reads
}

/// The processor before (0) or after (1) a subcube's inner points, and the index of its plane next to them.
fn adjacent(subcubes: &Subcubes, subcube: &Subcube, axis: usize, side: usize) -> Option<(usize, usize)> {
    let inner = &subcube.inner[axis];
    if inner.is_empty() {
        return None;
    }
    let index = [inner.start - 1, inner.end][side];
    let is_own = subcube.points[axis].contains(&index);
    subcubes.neighbours(subcube, axis)[side].filter(|_| !is_own).map(|neighbour| (neighbour, index))
}

/// Whom a processor must wait for before a phase, by counters of chunks: that one must have done
/// the same phase.
pub fn awaited(gas: &Gas, subcubes: &Subcubes, processor: usize, phase: Phase) -> Option<usize> {
    let subcube = subcubes.of(processor);
    match phase {
        Phase::Forward(axis, _) if subcube.inner[axis].start > 1 => {
            adjacent(subcubes, &subcube, axis, 0).map(|(neighbour, _)| neighbour)
        }
        Phase::Backward(axis, _) if subcube.inner[axis].end + 1 < gas.points => {
            adjacent(subcubes, &subcube, axis, 1).map(|(neighbour, _)| neighbour)
        }
        _ => None,
    }
}
