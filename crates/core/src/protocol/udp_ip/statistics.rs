//! Counts of dropped packets and datagrams by reason.
//!
//! If the layer above drops a datagram because a socket's buffer is full, that drop is not counted here.

use std::fmt;

/// Reason why a packet or a datagram was dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DropReason {
    /// The packet has fewer bytes than its headers.
    TooShort,
    /// The packet has another version of IP.
    NotIpv4,
    /// A length in a header contradicts the number of bytes, or another length.
    BadLength,
    /// The checksum of the IPv4 header is wrong.
    BadHeaderChecksum,
    /// The packet has another protocol above IPv4.
    NotUdp,
    /// The fragment ends beyond the longest packet.
    TooLong,
    /// The fragment had already been received.
    Duplicate,
    /// The fragment overlaps another.
    Overlap,
    /// The fragment contradicts another about the datagram's length.
    Inconsistent,
    /// The fragment belongs to an abandoned datagram.
    GivenUp,
    /// The number of datagrams, or of their stored bytes, is at its limit.
    NoSpace,
    /// The fragments of the datagram did not all arrive in time.
    Expired,
    /// The checksum of the datagram is wrong.
    BadUdpChecksum,
    /// No endpoint has the address and port of the destination, or those of the source.
    NoSocket,
}

impl DropReason {
    /// All reasons, in order.
    pub const ALL: [DropReason; 14] = [
        DropReason::TooShort,
        DropReason::NotIpv4,
        DropReason::BadLength,
        DropReason::BadHeaderChecksum,
        DropReason::NotUdp,
        DropReason::TooLong,
        DropReason::Duplicate,
        DropReason::Overlap,
        DropReason::Inconsistent,
        DropReason::GivenUp,
        DropReason::NoSpace,
        DropReason::Expired,
        DropReason::BadUdpChecksum,
        DropReason::NoSocket,
    ];

    /// Returns the reason as text.
    pub const fn words(self) -> &'static str {
        match self {
            DropReason::TooShort => "too short",
            DropReason::NotIpv4 => "not IPv4",
            DropReason::BadLength => "bad length",
            DropReason::BadHeaderChecksum => "bad header checksum",
            DropReason::NotUdp => "not UDP",
            DropReason::TooLong => "too long",
            DropReason::Duplicate => "duplicate fragment",
            DropReason::Overlap => "overlapping fragment",
            DropReason::Inconsistent => "inconsistent fragment",
            DropReason::GivenUp => "fragment of a datagram given up",
            DropReason::NoSpace => "no space for reassembly",
            DropReason::Expired => "reassembly expired",
            DropReason::BadUdpChecksum => "bad UDP checksum",
            DropReason::NoSocket => "no socket",
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// Number of drops for each reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct DropCounts([u64; DropReason::ALL.len()]);

impl DropCounts {
    /// Counts a drop.
    pub fn count(&mut self, reason: DropReason) {
        self.0[reason as usize] += 1;
    }

    /// Returns the number of drops for `reason`.
    pub fn count_of(&self, reason: DropReason) -> u64 {
        self.0[reason as usize]
    }

    /// Returns the total number of drops.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Iterates over the reasons that occurred, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (DropReason, u64)> + '_ {
        DropReason::ALL.into_iter().map(|reason| (reason, self.count_of(reason))).filter(|(_, times)| *times > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_own_count() {
        assert!(DropReason::ALL.iter().enumerate().all(|(index, reason)| *reason as usize == index));
        let mut drops = DropCounts::default();
        drops.count(DropReason::Overlap);
        drops.count(DropReason::Overlap);
        drops.count(DropReason::TooShort);
        assert_eq!(drops.iter().collect::<Vec<_>>(), [(DropReason::TooShort, 1), (DropReason::Overlap, 2)]);
        assert_eq!((drops.total(), drops.count_of(DropReason::NotUdp)), (3, 0));
    }
}
