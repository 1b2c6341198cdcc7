//! Fragmentation of a datagram into packets of at most an MTU.
//!
//! A fragment is in gather form: the bytes of its headers, and the range of the program's payload that follows them, so
//! that no payload is copied. Only the first fragment has a UDP header. All fragments but the last carry the largest
//! multiple of 8 bytes that fits (RFC 791, section 3.2); a datagram that fits is a single packet. Fragmentation of
//! fragments, options, Don't Fragment, and the choice of identifications are not modelled. A pair of nodes must not
//! reuse an identification while a datagram with the same identification may be in transit.

use super::checksum::{UDP, udp_form};
use super::{IPV4_HEADER, PACKET_MAX, PAYLOAD_MAX, Sum, UDP_HEADER};
use etherparse::{IpFragOffset, IpNumber, Ipv4Header, UdpHeader};
use smallvec::SmallVec;
use std::fmt;
use std::net::SocketAddrV4;
use std::ops::Range;

/// Default time to live of hosts (RFC 1700), which the model does not decrement.
const TIME_TO_LIVE: u8 = 64;
/// Position of the UDP checksum in the header bytes of a datagram's first fragment. An engine that sums the payload
/// while moving it fills in these bytes.
pub const UDP_CHECKSUM_RANGE: Range<usize> = IPV4_HEADER + 6..IPV4_HEADER + 8;

/// Contents of a datagram's headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram {
    /// Source address and port.
    pub from: SocketAddrV4,
    /// Destination address and port.
    pub to: SocketAddrV4,
    /// Identification, which distinguishes the fragments of datagrams between the same addresses.
    pub identification: u16,
    /// Length of the payload in bytes.
    pub payload: usize,
    /// Checksum over pseudo-header, header and payload. `None` is encoded as 0, which means no checksum, unless an
    /// engine fills it in.
    pub checksum: Option<u16>,
}

/// A packet: the bytes of its headers, and the part of the payload that follows them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// IPv4 header, followed in the first fragment by the UDP header.
    pub header: SmallVec<[u8; IPV4_HEADER + UDP_HEADER]>,
    /// Range of the datagram's payload in the fragment.
    pub payload: Range<usize>,
    /// Whether the fragment is the datagram's last.
    pub last: bool,
}

/// An error in the length of a datagram or in an MTU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentError {
    /// The payload has this length, which exceeds [`PAYLOAD_MAX`].
    PayloadTooLong(usize),
    /// The MTU has this length, which is below [`MTU_MIN`].
    MtuTooSmall(usize),
}

impl fmt::Display for FragmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FragmentError::PayloadTooLong(payload) => {
                write!(f, "a payload of {payload} bytes is longer than the {PAYLOAD_MAX} that a UDP datagram holds")
            }
            FragmentError::MtuTooSmall(mtu) => {
                write!(
                    f,
                    "an MTU of {mtu} bytes does not hold an IPv4 header of {IPV4_HEADER} bytes and 8 bytes of a \
                           datagram: {MTU_MIN} is the least"
                )
            }
        }
    }
}

impl std::error::Error for FragmentError {}

/// Smallest MTU: an IPv4 header, and 8 bytes, the unit of fragment offsets.
pub const MTU_MIN: usize = IPV4_HEADER + 8;

impl Datagram {
    /// Returns the datagram with its checksum set, for a payload with the sum `payload_sum`.
    #[must_use]
    pub fn summed(self, payload_sum: Sum) -> Datagram {
        let sum = Sum::of_headers(self.from, self.to, self.payload) + payload_sum;
        Datagram { checksum: Some(sum.udp_checksum()), ..self }
    }

    /// Returns the fragments of the datagram on a link with packets of up to `mtu` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the payload is too long or the MTU too small.
    pub fn fragments(&self, mtu: usize) -> Result<Fragments, FragmentError> {
        if self.payload > PAYLOAD_MAX {
            return Err(FragmentError::PayloadTooLong(self.payload));
        }
        if mtu < MTU_MIN {
            return Err(FragmentError::MtuTooSmall(mtu));
        }
        Ok(Fragments { datagram: *self, capacity: mtu.min(PACKET_MAX) - IPV4_HEADER, next_offset: Some(0) })
    }

    fn ip_header(&self, offset: usize, carried_bytes: usize, more_fragments: bool) -> Ipv4Header {
        let mut header = Ipv4Header {
            total_len: (IPV4_HEADER + carried_bytes) as u16,
            identification: self.identification,
            dont_fragment: false,
            more_fragments,
            fragment_offset: IpFragOffset::try_new((offset / 8) as u16).expect("an offset lies in a packet"),
            time_to_live: TIME_TO_LIVE,
            protocol: IpNumber(UDP),
            source: self.from.ip().octets(),
            destination: self.to.ip().octets(),
            ..Ipv4Header::default()
        };
        header.header_checksum = header.calc_header_checksum();
        header
    }

    fn udp_header(&self) -> UdpHeader {
        UdpHeader {
            source_port: self.from.port(),
            destination_port: self.to.port(),
            length: (UDP_HEADER + self.payload) as u16,
            checksum: self.checksum.map_or(0, udp_form),
        }
    }

    /// Returns the fragment with `carried_bytes` bytes from `offset` on; both include the UDP header.
    fn fragment(&self, offset: usize, carried_bytes: usize) -> Fragment {
        let end = offset + carried_bytes;
        let last = end == UDP_HEADER + self.payload;
        let mut header = SmallVec::from_slice(&self.ip_header(offset, carried_bytes, !last).to_bytes());
        if offset == 0 {
            header.extend_from_slice(&self.udp_header().to_bytes());
        }
        Fragment { header, payload: offset.max(UDP_HEADER) - UDP_HEADER..end - UDP_HEADER, last }
    }
}

/// An iterator over the fragments of a datagram in order.
#[derive(Clone, Debug)]
pub struct Fragments {
    datagram: Datagram,
    /// Number of bytes of a packet after its IPv4 header.
    capacity: usize,
    /// Offset of the next fragment; `None` after the last.
    next_offset: Option<usize>,
}

impl Iterator for Fragments {
    type Item = Fragment;

    fn next(&mut self) -> Option<Fragment> {
        let offset = self.next_offset?;
        let remaining = UDP_HEADER + self.datagram.payload - offset;
        let carried_bytes = if remaining <= self.capacity { remaining } else { self.capacity / 8 * 8 };
        self.next_offset = (carried_bytes < remaining).then_some(offset + carried_bytes);
        Some(self.datagram.fragment(offset, carried_bytes))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.next_offset.map(|offset| UDP_HEADER + self.datagram.payload - offset);
        let count = remaining.map_or(0, |remaining_bytes| {
            1 + remaining_bytes.saturating_sub(self.capacity).div_ceil(self.capacity / 8 * 8)
        });
        (count, Some(count))
    }
}

impl ExactSizeIterator for Fragments {}

impl Fragment {
    /// Returns the length of the packet in bytes.
    pub fn len(&self) -> usize {
        self.header.len() + self.payload.len()
    }

    /// Returns `false`: every packet has a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns a copy of the packet's bytes, given the datagram's whole payload.
    pub fn packet(&self, payload: &[u8]) -> Vec<u8> {
        [&self.header, &payload[self.payload.clone()]].concat()
    }
}
