//! Names in results that stem from fabrics.

use crate::part::ResultName;

/// Resources of every fabric with links.
pub const RESULTS: &[ResultName] = &[ResultName::resource("link NAME", "A link of the fabric, in one direction")];
