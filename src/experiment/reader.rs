//! The reader of a machine under varied settings, which whoever varies one is given.

use crate::machine::Machine;
use crate::text::{Problems, Read};

/// Reads and checks the description with these varied settings over it.
pub type Reader<'a> = &'a (dyn Fn(&[String]) -> Result<Read<Machine>, Problems> + Sync);
