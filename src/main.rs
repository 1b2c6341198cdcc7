//! The command `narrows`.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Sweeps start thousands of short runs, each of which allocates its own memory. The system's allocator returns this
/// memory to the system and requests it again, which takes as long as reading, checking and running a cheap point of a
/// sweep.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    narrows::cli::main()
}
