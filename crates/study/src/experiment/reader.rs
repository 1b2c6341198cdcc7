//! The reader of a machine under varied settings, which whoever varies one is given.

use narrows_core::machine::Machine;
use narrows_core::text::{Problems, Read};

/// Reads and checks the description with these varied settings over it.
pub type Reader<'a> = &'a (dyn Fn(&[String]) -> Result<Read<Machine>, Problems> + Sync);
