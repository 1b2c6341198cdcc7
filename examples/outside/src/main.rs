//! Narrows with the parts of this crate: `cargo run -p narrows-outside -- run machine.toml`.

use narrows_outside::registry;
use std::process::ExitCode;

fn main() -> ExitCode {
    narrows::cli::main_with(registry())
}
