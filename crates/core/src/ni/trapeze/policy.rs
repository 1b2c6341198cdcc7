//! Delivery policies: when a transfer out of a packet buffer (netTx, hostRcv) may start, and how many bytes it takes.
//!
//! "A new transfer on an outgoing DMA engine [starts] whenever two conditions are satisfied. First, the DMA engine must
//! be idle [...]. Second, the number of incoming bytes already deposited on the NIC must exceed a configured threshold
//! (minpulse)"; in the eager policies, each transfer takes all bytes that have landed (Yocum et al. 1997, §3.1). A
//! payload shorter than `minpulse` is transferred as a whole.
//!
//! | policy | a transfer may start | packet buffers |
//! |---|---|---|
//! | store-and-forward | when the source has finished | 2: "we assume double buffering" (§3.3) |
//! | pure cut-through | when `minpulse` new bytes have landed | 1: "cut-through as the only means to overlap" (§3.3) |
//! | eager cut-through | as for pure cut-through | 2: store-and-forward's buffers, so that only the rule differs |
//! | adaptive cut-through | as for pure cut-through | *n* (§3.4) |

use crate::engine::Bytes;
use crate::text::Parameters;

/// A delivery policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub enum Policy {
    /// A packet leaves a buffer when all of it has arrived there.
    StoreAndForward {
        /// Packet buffers in each direction.
        #[param(min = 1, max = 256, default = 2, meaning = Capacity, resource = "packet buffers")]
        buffers: u64,
    },
    /// Transfers of one packet overlap; there is one buffer.
    PureCutThrough {
        /// Minimum number of new bytes that starts a transfer.
        #[param(min = "1 B", default = "128 B", meaning = Granularity)]
        minpulse: Bytes,
    },
    /// Transfers of one packet and of the next overlap; there are two buffers.
    EagerCutThrough {
        /// Minimum number of new bytes that starts a transfer.
        #[param(min = "1 B", default = "128 B", meaning = Granularity)]
        minpulse: Bytes,
    },
    /// Transfers of several packets overlap, one for each buffer.
    AdaptiveCutThrough {
        /// Minimum number of new bytes that starts a transfer.
        #[param(min = "1 B", default = "128 B", meaning = Granularity)]
        minpulse: Bytes,
        /// Packet buffers in each direction.
        #[param(min = 1, max = 256, default = 4, meaning = Capacity, resource = "packet buffers")]
        buffers: u64,
    },
}

impl Policy {
    /// Returns the policy's key.
    pub const fn key(&self) -> &'static str {
        match self {
            Policy::StoreAndForward { .. } => "store-and-forward",
            Policy::PureCutThrough { .. } => "pure-cut-through",
            Policy::EagerCutThrough { .. } => "eager-cut-through",
            Policy::AdaptiveCutThrough { .. } => "adaptive-cut-through",
        }
    }

    /// Returns the number of bytes that must have landed before the next transfer out of the buffer starts.
    pub fn start_threshold(&self, transferred_bytes: Bytes, total: Bytes) -> Bytes {
        match self.minpulse() {
            None => total,
            Some(minpulse) => total.min(transferred_bytes + minpulse),
        }
    }

    /// Returns the length of a transfer that starts now on an idle engine: all bytes that have landed and were not
    /// transferred. Returns `None` if no transfer may start.
    pub fn transfer_length(&self, landed_bytes: Bytes, transferred_bytes: Bytes, total: Bytes) -> Option<Bytes> {
        let may_start =
            landed_bytes > transferred_bytes && landed_bytes >= self.start_threshold(transferred_bytes, total);
        may_start.then(|| landed_bytes - transferred_bytes)
    }

    /// Returns the number of packet buffers in each direction.
    pub fn buffers(&self) -> u64 {
        match *self {
            Policy::StoreAndForward { buffers } | Policy::AdaptiveCutThrough { buffers, .. } => buffers,
            Policy::PureCutThrough { .. } => 1,
            Policy::EagerCutThrough { .. } => 2,
        }
    }

    /// Returns the minimum number of new bytes that starts a transfer, or `None` if only a whole payload does.
    pub fn minpulse(&self) -> Option<Bytes> {
        match *self {
            Policy::StoreAndForward { .. } => None,
            Policy::PureCutThrough { minpulse }
            | Policy::EagerCutThrough { minpulse }
            | Policy::AdaptiveCutThrough { minpulse, .. } => Some(minpulse),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EAGER: Policy = Policy::EagerCutThrough { minpulse: Bytes(128) };

    #[test]
    fn eager_cut_through_takes_all_landed_bytes() {
        assert_eq!(EAGER.transfer_length(Bytes(127), Bytes(0), Bytes(8192)), None);
        assert_eq!(EAGER.transfer_length(Bytes(128), Bytes(0), Bytes(8192)), Some(Bytes(128)));
        assert_eq!(EAGER.transfer_length(Bytes(1512), Bytes(500), Bytes(8192)), Some(Bytes(1012)));
    }

    #[test]
    fn the_end_of_a_payload_is_sent_whatever_its_size() {
        assert_eq!(EAGER.transfer_length(Bytes(8192), Bytes(8100), Bytes(8192)), Some(Bytes(92)));
        assert_eq!(EAGER.transfer_length(Bytes(60), Bytes(0), Bytes(60)), Some(Bytes(60)));
        assert_eq!(EAGER.transfer_length(Bytes(60), Bytes(60), Bytes(60)), None);
    }

    #[test]
    fn store_and_forward_waits_for_the_whole_payload() {
        let policy = Policy::StoreAndForward { buffers: 2 };
        assert_eq!(policy.transfer_length(Bytes(8191), Bytes(0), Bytes(8192)), None);
        assert_eq!(policy.transfer_length(Bytes(8192), Bytes(0), Bytes(8192)), Some(Bytes(8192)));
    }
}
