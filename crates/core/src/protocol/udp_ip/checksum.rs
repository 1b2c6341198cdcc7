//! The internet checksum (RFC 1071), computed from partial sums.
//!
//! An engine or a processor sums the bytes that it moves, in parts of any length, and the partial sums are combined
//! afterwards: a part at an even offset contributes its sum unchanged, one at an odd offset its sum with the bytes
//! swapped (RFC 1071, section 2 (B)). For example, an engine sums each burst, and software adds the pseudo-header (RFC
//! 768). The cost of a sum, and incremental updates of a checksum in a header, are not modelled.

use super::{PAYLOAD_MAX, UDP_HEADER};
use std::net::SocketAddrV4;
use std::ops::{Add, AddAssign};

/// The protocol number of UDP.
pub(super) const UDP: u8 = 17;

/// The ones' complement sum of some bytes, as 16-bit words in network order; a last odd byte is the high half of its
/// word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Sum(u16);

impl Sum {
    /// The sum of no bytes.
    pub const ZERO: Sum = Sum(0);

    /// Returns the sum of bytes that begin at an even offset.
    ///
    /// Two words are added at a time, with the bytes of each word swapped, and the sum is swapped back (RFC 1071, section
    /// 2 (B) and (C)).
    pub fn of_bytes(bytes: &[u8]) -> Sum {
        let (pairs, rest) = bytes.as_chunks::<4>();
        let mut last_pair = [0; 4];
        last_pair[..rest.len()].copy_from_slice(rest);
        let swapped = |pair: &[u8; 4]| u64::from(u32::from_le_bytes(*pair));
        let sum = pairs.iter().map(swapped).sum::<u64>() + swapped(&last_pair);
        Sum(Sum::folded(sum).0.swap_bytes())
    }

    /// Returns a wide sum folded to 16 bits, with its carries added.
    const fn folded(mut sum: u64) -> Sum {
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        Sum(sum as u16)
    }

    /// Returns the contribution of this sum to the sum of a longer sequence of bytes, in which the bytes of this sum
    /// begin at `offset`.
    #[must_use]
    pub const fn at_offset(self, offset: usize) -> Sum {
        Sum(if offset.is_multiple_of(2) { self.0 } else { self.0.swap_bytes() })
    }

    /// Returns the sum as a 16-bit word, with its carries added.
    pub const fn word(self) -> u16 {
        self.0
    }

    /// Returns the checksum for data with this sum.
    pub const fn checksum(self) -> u16 {
        !self.0
    }

    /// Returns whether data with this sum, which includes their checksum, are valid.
    pub const fn is_valid(self) -> bool {
        self.0 == 0xffff
    }

    /// Returns the sum of the pseudo-header and the header of a UDP payload of `payload` bytes, without the checksum. A
    /// payload longer than [`PAYLOAD_MAX`] counts as [`PAYLOAD_MAX`].
    pub fn of_headers(from: SocketAddrV4, to: SocketAddrV4, payload: usize) -> Sum {
        let length = (payload.min(PAYLOAD_MAX) + UDP_HEADER) as u64;
        let address =
            |socket: SocketAddrV4| u64::from(socket.ip().to_bits() >> 16) + u64::from(socket.ip().to_bits() & 0xffff);
        let ports = u64::from(from.port()) + u64::from(to.port());
        // The length counts twice, because both the pseudo-header and the header contain it.
        Sum::folded(address(from) + address(to) + ports + 2 * length + u64::from(UDP))
    }

    /// Returns the checksum in UDP's form: "if the computed checksum is zero, it is transmitted as all ones", because a
    /// field of zero means that there is no checksum (RFC 768).
    pub const fn udp_checksum(self) -> u16 {
        udp_form(self.checksum())
    }
}

/// Returns a computed checksum in UDP's form.
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
