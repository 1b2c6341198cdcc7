//! `narrows compare`
use super::ending::{Ended, Ending};
use clap::Args;
/// Compares
#[derive(Args)]
#[group(skip)]
pub struct Options {}
/// Compares.
pub fn run(_: &Options) -> Ended {
    Ok(Ending::Done)
}
