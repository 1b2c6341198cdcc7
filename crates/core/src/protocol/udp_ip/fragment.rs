//! A datagram as the packets that an MTU lets through.
//!
//! Models: IPv4 fragments in GATHER form: the bytes of each one's headers, and which bytes of the
//! program's payload follow them, so that nobody copies a payload. UDP's header stands in the first
//! only. All but the last carry a multiple of 8 bytes, as many as fit (RFC 791, section 3.2); a
//! datagram that fits is one packet.
//! What it leaves out: fragments of fragments, options, Don't Fragment, and the choice of
//! identifications, which a pair of nodes must not use again while one may be under way.

use super::checksum::{UDP, udp_form};
use super::{IPV4_HEADER, PACKET_MAX, PAYLOAD_MAX, Sum, UDP_HEADER};
use etherparse::{IpFragOffset, IpNumber, Ipv4Header, UdpHeader};
use smallvec::SmallVec;
use std::fmt;
use std::net::SocketAddrV4;
use std::ops::Range;

/// The time to live that hosts begin with (RFC 1700): nobody counts it down here.
const TIME_TO_LIVE: u8 = 64;
/// Where the UDP checksum stands in the header bytes of a datagram's first fragment: what an engine fills in
/// that adds up the payload on its way.
pub const UDP_CHECKSUM_AT: Range<usize> = IPV4_HEADER + 6..IPV4_HEADER + 8;

/// What a datagram's headers say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Datagram {
    /// Who sends it.
    pub from: SocketAddrV4,
    /// Whom it is for.
    pub to: SocketAddrV4,
    /// What tells its fragments from those of other datagrams between the same addresses.
    pub identification: u16,
    /// The bytes of its payload.
    pub payload: usize,
    /// The checksum over pseudo-header, header and payload; if none, the field says so, or waits for an engine.
    pub checksum: Option<u16>,
}

/// A packet: the bytes of its headers, and the part of the payload that follows them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fragment {
    /// The IPv4 header; in the first fragment UDP's, too.
    pub header: SmallVec<[u8; IPV4_HEADER + UDP_HEADER]>,
    /// The bytes of the datagram's payload that it carries.
    pub payload: Range<usize>,
    /// None follows.
    pub last: bool,
}

/// Why a datagram cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FragmentError {
    /// More payload than a datagram holds.
    PayloadTooLong(usize),
    /// An MTU that lets no fragment through.
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

/// The least MTU: a header, and the unit in which offsets are counted.
pub const MTU_MIN: usize = IPV4_HEADER + 8;

impl Datagram {
    /// The same with the checksum that a payload of such a sum gives it.
    #[must_use]
    pub fn summed(self, payload: Sum) -> Datagram {
        let whole = Sum::before(self.from, self.to, self.payload) + payload;
        Datagram { checksum: Some(whole.udp_checksum()), ..self }
    }

    /// Its fragments on a link that carries packets of up to `mtu` bytes.
    pub fn fragments(&self, mtu: usize) -> Result<Fragments, FragmentError> {
        if self.payload > PAYLOAD_MAX {
            return Err(FragmentError::PayloadTooLong(self.payload));
        }
        if mtu < MTU_MIN {
            return Err(FragmentError::MtuTooSmall(mtu));
        }
        Ok(Fragments { datagram: *self, room: mtu.min(PACKET_MAX) - IPV4_HEADER, at: Some(0) })
    }

    fn ip_header(&self, offset: usize, carried: usize, more: bool) -> Ipv4Header {
        let mut header = Ipv4Header {
            total_len: (IPV4_HEADER + carried) as u16,
            identification: self.identification,
            dont_fragment: false,
            more_fragments: more,
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

    /// The fragment that carries so many bytes, UDP's header counted, from an offset on.
    fn fragment(&self, offset: usize, carried: usize) -> Fragment {
        let end = offset + carried;
        let last = end == UDP_HEADER + self.payload;
        let mut header = SmallVec::from_slice(&self.ip_header(offset, carried, !last).to_bytes());
        if offset == 0 {
            header.extend_from_slice(&self.udp_header().to_bytes());
        }
        Fragment { header, payload: offset.max(UDP_HEADER) - UDP_HEADER..end - UDP_HEADER, last }
    }
}

/// The fragments of a datagram, from the first on.
#[derive(Clone, Debug)]
pub struct Fragments {
    datagram: Datagram,
    /// The bytes that a packet carries behind its IPv4 header.
    room: usize,
    /// Where the next one begins, if there is one more.
    at: Option<usize>,
}

impl Iterator for Fragments {
    type Item = Fragment;

    fn next(&mut self) -> Option<Fragment> {
        let at = self.at?;
        let left = UDP_HEADER + self.datagram.payload - at;
        let carried = if left <= self.room { left } else { self.room / 8 * 8 };
        self.at = (carried < left).then_some(at + carried);
        Some(self.datagram.fragment(at, carried))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.at.map(|at| UDP_HEADER + self.datagram.payload - at);
        let count = left.map_or(0, |left| 1 + left.saturating_sub(self.room).div_ceil(self.room / 8 * 8));
        (count, Some(count))
    }
}

impl ExactSizeIterator for Fragments {}

impl Fragment {
    /// The packet's length.
    pub fn len(&self) -> usize {
        self.header.len() + self.payload.len()
    }

    /// Never: there is a header.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The packet's bytes, where somebody wants a copy of them.
    pub fn packet(&self, payload: &[u8]) -> Vec<u8> {
        [&self.header, &payload[self.payload.clone()]].concat()
    }
}
