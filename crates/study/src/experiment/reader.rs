//! The function that reads a machine description with overrides, as sweeps, searches and fits call it.

use narrows_core::machine::Machine;
use narrows_core::text::{Problems, Read};

/// Reads and checks the description with the given overrides (`KEY=VALUE`) applied.
pub type Reader<'a> = &'a (dyn Fn(&[String]) -> Result<Read<Machine>, Problems> + Sync);
