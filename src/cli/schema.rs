//! `narrows schema`: the schema of descriptions.

use super::exit::CommandResult;
use super::{output, registry};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows schema > narrows.schema.json
  narrows schema --keys | grep payload
  narrows explain payload      the meaning of one key

An editor with TOML support then checks and completes descriptions that begin
with this line:
  #:schema ./narrows.schema.json";

/// Print the JSON Schema of descriptions, for editors
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Print every key as text, with its type, default and meaning
    #[arg(long)]
    keys: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let schema = registry().schema();
    match options.keys {
        true => output::print(&schema.listing()),
        false => output::print(&format!("{:#}\n", schema.json_schema())),
    }
}
