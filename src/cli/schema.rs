//! `narrows schema`: what a description may hold.

use super::ending::{Ended, Ending};
use super::{output, registry};
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows schema > narrows.schema.json
  narrows schema --keys | grep payload

An editor with TOML support then checks and completes descriptions that begin with
  #:schema ./narrows.schema.json";

/// Prints what a description may hold, as a JSON Schema for editors.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Print every key with its kind, default and meaning instead, for reading
    #[arg(long)]
    keys: bool,
}

/// Prints it.
pub fn run(options: &Options) -> Ended {
    let schema = registry().schema();
    match options.keys {
        true => output::print(&schema.listing())?,
        false => output::print(&format!("{:#}\n", schema.json_schema()))?,
    }
    Ok(Ending::Done)
}
