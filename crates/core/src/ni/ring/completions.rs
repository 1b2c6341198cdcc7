//! Completions that the device writes in batches.
//!
//! The device writes a batch with one write for each run of entries that are contiguous in memory.

use super::descriptor::{RingLayout, encode_completion};
use crate::host::Address;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// The completions of a ring.
pub struct CompletionWriter {
    layout: RingLayout,
    /// Whether completions have a ring of their own.
    has_own_ring: bool,
    batch_size: usize,
    /// Position and frame length of each completion that is not written yet.
    pending_completions: RefCell<Vec<(u64, u32)>>,
    /// Number of completions so far.
    completed_count: Cell<u64>,
}

impl CompletionWriter {
    /// Creates the writer of the completions in `layout`, which writes `batch_size` completions at a time.
    pub fn new(layout: RingLayout, has_own_ring: bool, batch_size: u64) -> CompletionWriter {
        let (pending_completions, completed_count) = Default::default();
        CompletionWriter { layout, has_own_ring, batch_size: batch_size as usize, pending_completions, completed_count }
    }

    /// Adds the completion of the descriptor at `position`. Returns whether a batch is complete.
    pub fn add(&self, position: u64, length: u32) -> bool {
        let number = self.completed_count.replace(self.completed_count.get() + 1);
        let mut pending_completions = self.pending_completions.borrow_mut();
        pending_completions.push((if self.has_own_ring { number } else { position }, length));
        pending_completions.len() >= self.batch_size
    }

    /// Returns whether no completion waits to be written.
    pub fn is_empty(&self) -> bool {
        self.pending_completions.borrow().is_empty()
    }

    /// Takes the waiting completions as writes to memory, each with its number of completions.
    pub fn take_writes(&self) -> SmallVec<[(Address, Vec<u8>, u64); 1]> {
        let (layout, mut pending_completions) = (self.layout, self.pending_completions.borrow_mut());
        let mut writes: SmallVec<[(Address, Vec<u8>, u64); 1]> = SmallVec::new();
        for (position, length) in pending_completions.drain(..) {
            let (address, entry) = (
                layout.address(position),
                encode_completion(length, layout.lap(position), layout.entry_bytes as usize),
            );
            match writes.last_mut().filter(|(from, bytes, _)| from + bytes.len() as u64 == address) {
                Some((_, bytes, count)) => {
                    bytes.extend(entry);
                    *count += 1;
                }
                None => writes.push((address, entry, 1)),
            }
        }
        writes
    }
}
