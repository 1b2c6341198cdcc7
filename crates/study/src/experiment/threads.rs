//! The distribution of runs over threads.

use rayon::iter::{IndexedParallelIterator, MaxLen};

/// Makes each run a separate rayon task, so that no thread has a batch of runs left while others are idle.
pub fn one_task_per_run<I: IndexedParallelIterator>(runs: I) -> MaxLen<I> {
    runs.with_max_len(1)
}
