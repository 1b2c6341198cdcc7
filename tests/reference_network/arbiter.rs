//! A round-robin arbiter, which gives the highest priority to the candidate after the last winner.

/// An arbiter, which stores the number of the candidate with the highest priority.
#[derive(Clone, Copy, Default, Debug)]
pub struct Arbiter {
    next_candidate: usize,
}

impl Arbiter {
    /// Returns the first candidate from the highest priority on, wrapping around at `size`.
    pub fn pick(&self, size: usize, is_candidate: impl Fn(usize) -> bool) -> Option<usize> {
        (0..size).map(|step| (self.next_candidate + step) % size).find(|candidate| is_candidate(*candidate))
    }

    /// Passes the highest priority to the candidate after `winner`.
    pub fn grant(&mut self, size: usize, winner: usize) {
        self.next_candidate = (winner + 1) % size;
    }
}
