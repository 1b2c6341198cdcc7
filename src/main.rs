//! The command `narrows`.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Runs come and go by the thousand, each with memories of its own, which the system's allocator gives back and asks for
/// again: that took as long as reading, checking and running a cheap point of a sweep.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    narrows::cli::main()
}
