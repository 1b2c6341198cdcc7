//! The bytes of an IPv4 packet as what they mean for UDP, or why they are dropped.
//!
//! Models: what a host checks of a packet by itself: version, lengths, the header's sum, the
//! protocol, that a fragment lies in the longest packet and that its like can be put together. What
//! follows a packet in a link's frame is ignored, as are options: they are skipped (RFC 1122,
//! section 3.2.1.8: those that a host does not know it "must silently ignore").
//! What it leaves out: whom the packet is for, and the sum over a datagram, of which a fragment is
//! but a part: whoever moves the payload adds it up and asks [`UdpHead::is_right`]. A datagram that
//! is shorter than what its packet carries is dropped, though other stacks cut the rest off.

use super::checksum::UDP;
use super::reassembly::DatagramKey;
use super::{DropReason, PACKET_MAX, Sum, UDP_HEADER};
use etherparse::err::ipv4::{HeaderError, HeaderSliceError};
use etherparse::{Ipv4HeaderSlice, UdpHeader};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;

/// What a UDP header says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UdpHead {
    /// The port it comes from.
    pub from: u16,
    /// The port it is for.
    pub to: u16,
    /// The bytes of the datagram's payload.
    pub payload: usize,
    /// The checksum, if there is one.
    pub checksum: Option<u16>,
}

impl UdpHead {
    fn read(bytes: [u8; UDP_HEADER]) -> Result<UdpHead, DropReason> {
        let header = UdpHeader::from_bytes(bytes);
        let payload = usize::from(header.length).checked_sub(UDP_HEADER).ok_or(DropReason::BadLength)?;
        let checksum = (header.checksum != 0).then_some(header.checksum);
        Ok(UdpHead { from: header.source_port, to: header.destination_port, payload, checksum })
    }

    /// Whether a datagram between these addresses, with a payload of such a sum, came as it was sent; one without
    /// a checksum is taken for that.
    pub fn is_right(&self, from: Ipv4Addr, to: Ipv4Addr, payload: Sum) -> bool {
        let [from, to] = [SocketAddrV4::new(from, self.from), SocketAddrV4::new(to, self.to)];
        let before = Sum::before(from, to, self.payload);
        self.checksum.is_none_or(|checksum| (before + payload + Sum::of(&checksum.to_be_bytes())).is_right())
    }
}

/// What a packet says: a datagram, or a fragment of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// Who sent it.
    pub from: Ipv4Addr,
    /// Whom it is for.
    pub to: Ipv4Addr,
    /// What tells the fragments of its datagram from those of others.
    pub identification: u16,
    /// Where what it carries begins in the datagram, UDP's header counted.
    pub offset: usize,
    /// Further fragments follow.
    pub more: bool,
    /// The bytes of the IPv4 header, options counted.
    pub header_len: usize,
    /// Where the program's bytes lie in the packet.
    pub payload: Range<usize>,
    /// UDP's header, which the first fragment has.
    pub udp: Option<UdpHead>,
}

impl Parsed {
    /// Whether it is a datagram by itself.
    pub fn is_whole(&self) -> bool {
        self.offset == 0 && !self.more
    }

    /// The bytes of the datagram that it carries, UDP's header counted.
    pub fn carried(&self) -> Range<usize> {
        self.offset..self.offset + self.payload.end - self.header_len
    }

    /// Which of the program's bytes it carries: where they go in what is received.
    pub fn place(&self) -> Range<usize> {
        let carried = self.carried();
        carried.start.max(UDP_HEADER) - UDP_HEADER..carried.end - UDP_HEADER
    }

    /// Which datagram it is of.
    pub fn key(&self) -> DatagramKey {
        DatagramKey { from: self.from, to: self.to, identification: self.identification }
    }
}

/// Reads a packet.
pub fn parse(bytes: &[u8]) -> Result<Parsed, DropReason> {
    let header = Ipv4HeaderSlice::from_slice(bytes).map_err(|error| match error {
        HeaderSliceError::Len(_) => DropReason::TooShort,
        HeaderSliceError::Content(HeaderError::UnexpectedVersion { .. }) => DropReason::NotIpv4,
        HeaderSliceError::Content(HeaderError::HeaderLengthSmallerThanHeader { .. }) => DropReason::BadLength,
    })?;
    if !Sum::of(header.slice()).is_right() {
        return Err(DropReason::BadHeaderChecksum);
    }
    if header.protocol().0 != UDP {
        return Err(DropReason::NotUdp);
    }
    let (header_len, end) = (header.slice().len(), usize::from(header.total_len()));
    let offset = usize::from(header.fragments_offset().byte_offset());
    let more = header.more_fragments();
    check_lengths(bytes.len(), header_len, end, offset, more)?;
    let udp = (offset == 0).then(|| first_header(&bytes[header_len..end], more)).transpose()?;
    let start = header_len + if offset == 0 { UDP_HEADER } else { 0 };
    Ok(Parsed {
        from: header.source_addr(),
        to: header.destination_addr(),
        identification: header.identification(),
        offset,
        more,
        header_len,
        payload: start..end,
        udp,
    })
}

fn check_lengths(bytes: usize, header_len: usize, end: usize, offset: usize, more: bool) -> Result<(), DropReason> {
    if bytes < end {
        return Err(DropReason::TooShort);
    }
    let carried = end.checked_sub(header_len).ok_or(DropReason::BadLength)?;
    if carried == 0 || (more && !carried.is_multiple_of(8)) {
        Err(DropReason::BadLength)
    } else if header_len + offset + carried > PACKET_MAX {
        Err(DropReason::TooLong)
    } else {
        Ok(())
    }
}

/// UDP's header, at the beginning of what a first fragment carries.
fn first_header(carried: &[u8], more: bool) -> Result<UdpHead, DropReason> {
    let header = UdpHead::read(*carried.first_chunk().ok_or(DropReason::TooShort)?)?;
    let is_all = header.payload + UDP_HEADER == carried.len();
    if more || is_all { Ok(header) } else { Err(DropReason::BadLength) }
}
