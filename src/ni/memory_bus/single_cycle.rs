//! Single-cycle `NI2w`: `NI2w` whose registers are processor registers, as it were.
//!
//! Table 2's row is that of [`ni2w`]; each access takes one processor
//! cycle and no bus (§4, §6.3), and the interface's memory as little. Everything else, buffering
//! above all, is `NI2w`'s.

use super::ni2w::{self, Path};
use super::{Receiver, Sender, Site};

/// Cycles of an access (§4).
const ACCESS_CYCLES: u64 = 1;

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    let (send, receive) = ni2w::attach(site);
    let path = Path::Register { cycles: ACCESS_CYCLES };
    (Sender::Words(ni2w::sender(site, send, path)), Receiver::Words(ni2w::receiver(site, receive, path)))
}
