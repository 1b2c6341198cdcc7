//! What was dropped, counted by why.
//!
//! What it leaves out: drops of whoever is above, for want of room in a socket.

use std::fmt;

/// Why a packet or a datagram was dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DropReason {
    /// Fewer bytes than a header has.
    TooShort,
    /// Another version of IP.
    NotIpv4,
    /// A length in a header that contradicts the bytes, or another length.
    BadLength,
    /// The sum of the IPv4 header is wrong.
    BadHeaderChecksum,
    /// Another protocol above IPv4.
    NotUdp,
    /// A fragment that ends beyond the longest packet.
    TooLong,
    /// A fragment that came before.
    Duplicate,
    /// A fragment with some of the bytes of another.
    Overlap,
    /// A fragment that contradicts another about where the datagram ends.
    Inconsistent,
    /// A fragment of a datagram that was given up.
    GivenUp,
    /// There is no room for one more datagram, or for the bytes of the fragment.
    NoRoom,
    /// A datagram whose fragments did not all come in time.
    Expired,
    /// The sum of a datagram is wrong.
    BadUdpChecksum,
    /// Nobody listens where a datagram is for, or could have sent it.
    NoSocket,
}

impl DropReason {
    /// All, in order.
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
        DropReason::NoRoom,
        DropReason::Expired,
        DropReason::BadUdpChecksum,
        DropReason::NoSocket,
    ];

    /// In words.
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
            DropReason::NoRoom => "no room for reassembly",
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

/// How many were dropped for each reason.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Drops([u64; DropReason::ALL.len()]);

impl Drops {
    /// One more.
    pub fn count(&mut self, reason: DropReason) {
        self.0[reason as usize] += 1;
    }

    /// How many for a reason.
    pub fn of(&self, reason: DropReason) -> u64 {
        self.0[reason as usize]
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The reasons there were, each with how many.
    pub fn iter(&self) -> impl Iterator<Item = (DropReason, u64)> + '_ {
        DropReason::ALL.into_iter().map(|reason| (reason, self.of(reason))).filter(|(_, times)| *times > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_place_of_its_own() {
        assert!(DropReason::ALL.iter().enumerate().all(|(place, reason)| *reason as usize == place));
        let mut drops = Drops::default();
        drops.count(DropReason::Overlap);
        drops.count(DropReason::Overlap);
        drops.count(DropReason::TooShort);
        assert_eq!(drops.iter().collect::<Vec<_>>(), [(DropReason::TooShort, 1), (DropReason::Overlap, 2)]);
        assert_eq!((drops.total(), drops.of(DropReason::NotUdp)), (3, 0));
    }
}
