//! How runs are spread over threads.

use rayon::iter::{IndexedParallelIterator, MaxLen};

/// Each run is a task of its own: what a thread takes at once it runs to the end, while others may have nothing left.
pub fn one_by_one<I: IndexedParallelIterator>(runs: I) -> MaxLen<I> {
    runs.with_max_len(1)
}
