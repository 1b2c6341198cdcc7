//! Narrows with the parts of this crate, and every command of `narrows`.

use narrows_outside::registry;
use std::process::ExitCode;

fn main() -> ExitCode {
    narrows::cli::main_with(registry())
}
