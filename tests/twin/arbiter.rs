//! An arbiter that takes turns: the turn passes beyond the winner, and only by a grant.

/// Whose turn it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Arbiter {
    next: usize,
}

impl Arbiter {
    /// The first candidate from the turn on, around the end at `size`.
    pub fn pick(&self, size: usize, is_candidate: impl Fn(usize) -> bool) -> Option<usize> {
        (0..size).map(|step| (self.next + step) % size).find(|candidate| is_candidate(*candidate))
    }

    /// The winner's grant holds.
    pub fn grant(&mut self, size: usize, winner: usize) {
        self.next = (winner + 1) % size;
    }
}
