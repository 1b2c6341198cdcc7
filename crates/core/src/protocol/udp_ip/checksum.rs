//! The internet checksum (RFC 1071) as sums of parts.
//!
//! Models: whoever moves bytes sums them as they pass, in parts of any length, and the sums are put
//! together afterwards: at an even offset a sum counts as it is, at an odd one with its bytes
//! swapped (RFC 1071, section 2 (B)). So an engine sums each burst, and software adds the
//! pseudo-header (RFC 768).
//! What it leaves out: what a sum costs, and updates of a sum that is already in a header.

use super::{PAYLOAD_MAX, UDP_HEADER};
use std::net::SocketAddrV4;
use std::ops::{Add, AddAssign};

/// The protocol number of UDP.
pub(super) const UDP: u8 = 17;

/// The ones' complement sum of some bytes, as 16-bit words in network order; a last odd byte is
/// the high half of its word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Sum(u16);

impl Sum {
    /// The sum of nothing.
    pub const ZERO: Sum = Sum(0);

    /// The sum of bytes that begin at an even offset.
    pub fn of(bytes: &[u8]) -> Sum {
        let (words, odd) = bytes.as_chunks::<2>();
        let last = odd.first().map_or(0, |byte| u64::from(*byte) << 8);
        Sum::folded(words.iter().map(|word| u64::from(u16::from_be_bytes(*word))).sum::<u64>() + last)
    }

    /// A wide sum with its carries added in.
    const fn folded(mut sum: u64) -> Sum {
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        Sum(sum as u16)
    }

    /// What the sum of these bytes counts where they begin at such an offset of the whole.
    #[must_use]
    pub const fn at(self, offset: usize) -> Sum {
        Sum(if offset.is_multiple_of(2) { self.0 } else { self.0.swap_bytes() })
    }

    /// The sum, its carries added in.
    pub const fn word(self) -> u16 {
        self.0
    }

    /// The checksum that makes a whole with this sum right.
    pub const fn checksum(self) -> u16 {
        !self.0
    }

    /// Whether a whole with this sum, its checksum included, is right.
    pub const fn is_right(self) -> bool {
        self.0 == 0xffff
    }

    /// The sum of what stands before a UDP payload: pseudo-header and header, without the checksum. A payload
    /// longer than a datagram holds counts as the longest.
    pub fn before(from: SocketAddrV4, to: SocketAddrV4, payload: usize) -> Sum {
        let length = (payload.min(PAYLOAD_MAX) + UDP_HEADER) as u64;
        let address = |of: SocketAddrV4| u64::from(of.ip().to_bits() >> 16) + u64::from(of.ip().to_bits() & 0xffff);
        let ports = u64::from(from.port()) + u64::from(to.port());
        // The length counts twice: it stands in the pseudo-header and in the header.
        Sum::folded(address(from) + address(to) + ports + 2 * length + u64::from(UDP))
    }

    /// The checksum as UDP writes it: "if the computed checksum is zero, it is transmitted as all ones", since
    /// zero says that there is none (RFC 768).
    pub const fn udp_checksum(self) -> u16 {
        udp_form(self.checksum())
    }
}

/// A computed checksum as UDP writes it.
pub(super) const fn udp_form(checksum: u16) -> u16 {
    if checksum == 0 { 0xffff } else { checksum }
}

impl Add for Sum {
    type Output = Sum;
    fn add(self, other: Sum) -> Sum {
        Sum::folded(u64::from(self.0) + u64::from(other.0))
    }
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Sum) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Sum {
    fn sum<I: Iterator<Item = Sum>>(sums: I) -> Sum {
        sums.fold(Sum::ZERO, Add::add)
    }
}
