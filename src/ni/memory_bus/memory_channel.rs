//! `(NI16w+Blkbuf)S(CNI0Qm)R`: Memory-Channel-like.
//!
//! | Table 2 | send | receive |
//! |---|---|---|
//! | size of transfer | block | block |
//! | who manages it | processor | interface |
//! | source, destination | block buffer | memory |
//! | buffering | in memory, processor not involved | |
//!
//! The sending half of [`ap3000`] and the receiving half of [`startjr`], on the memory bus.
//!
//! Leaves out: the PCI bus and the multicast of the real one, as the paper does.

use super::{Receiver, Sender, Site, ap3000, startjr};

/// Builds the halves.
pub fn halves(site: &Site) -> (Sender, Receiver) {
    (Sender::Blocks(ap3000::sender(site)), Receiver::Queue(startjr::receiver(site)))
}
