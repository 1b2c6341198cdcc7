//! Distribution of runs over threads.

use rayon::iter::{IndexedParallelIterator, MaxLen};

/// Makes each run a separate rayon task, so that no thread is left with a batch of runs while others are idle.
pub fn one_task_per_run<I: IndexedParallelIterator>(runs: I) -> MaxLen<I> {
    runs.with_max_len(1)
}
