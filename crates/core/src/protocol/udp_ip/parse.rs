//! Parses the bytes of an IPv4 packet with UDP, or returns the reason why the packet is dropped.
//!
//! A host checks the version, lengths, header checksum and protocol of each packet. It also checks that a fragment does
//! not extend beyond the maximum length of an IPv4 packet (65 535 bytes), and that every fragment except the last
//! carries a multiple of 8 bytes. Bytes after the packet in a link's frame are ignored, and options are skipped (RFC
//! 1122, section 3.2.1.8: a host "must silently ignore" unknown options). The destination is not checked. The checksum
//! of a datagram is not checked either, because a fragment is only a part of it; the code that moves the payload sums
//! the payload and calls [`UdpHead::is_valid`]. A datagram whose length in the UDP header differs from that in its
//! packet is dropped, although some other stacks truncate a longer packet.

use super::checksum::UDP;
use super::reassembly::DatagramKey;
use super::{DropReason, PACKET_MAX, Sum, UDP_HEADER};
use etherparse::err::ipv4::{HeaderError, HeaderSliceError};
use etherparse::{Ipv4HeaderSlice, UdpHeader};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;

/// Contents of a UDP header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UdpHead {
    /// Source port.
    pub from: u16,
    /// Destination port.
    pub to: u16,
    /// Length of the datagram's payload in bytes.
    pub payload: usize,
    /// Checksum; `None` if the datagram has none.
    pub checksum: Option<u16>,
}

impl UdpHead {
    fn read(bytes: [u8; UDP_HEADER]) -> Result<UdpHead, DropReason> {
        let header = UdpHeader::from_bytes(bytes);
        let payload = usize::from(header.length).checked_sub(UDP_HEADER).ok_or(DropReason::BadLength)?;
        let checksum = (header.checksum != 0).then_some(header.checksum);
        Ok(UdpHead { from: header.source_port, to: header.destination_port, payload, checksum })
    }

    /// Returns whether the checksum is valid for addresses `from` and `to` and a payload with the sum `payload_sum`. A
    /// datagram without a checksum counts as valid.
    pub fn is_valid(&self, from: Ipv4Addr, to: Ipv4Addr, payload_sum: Sum) -> bool {
        let [from, to] = [SocketAddrV4::new(from, self.from), SocketAddrV4::new(to, self.to)];
        let header_sum = Sum::of_headers(from, to, self.payload);
        self.checksum
            .is_none_or(|checksum| (header_sum + payload_sum + Sum::of_bytes(&checksum.to_be_bytes())).is_valid())
    }
}

/// A parsed packet: a datagram, or a fragment of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// Source address.
    pub from: Ipv4Addr,
    /// Destination address.
    pub to: Ipv4Addr,
    /// Identification, which distinguishes the fragments of datagrams between the same addresses.
    pub identification: u16,
    /// Offset of the packet's data in the datagram, including the UDP header.
    pub offset: usize,
    /// Whether further fragments follow.
    pub more_fragments: bool,
    /// Length of the IPv4 header including options, in bytes.
    pub header_len: usize,
    /// Range of the packet's bytes that hold UDP payload.
    pub payload: Range<usize>,
    /// UDP header, which only the first fragment has.
    pub udp: Option<UdpHead>,
}

impl Parsed {
    /// Returns whether the packet is a whole datagram.
    pub fn is_whole(&self) -> bool {
        self.offset == 0 && !self.more_fragments
    }

    /// Returns the range of the datagram's bytes, including the UDP header, that the packet carries.
    pub fn datagram_range(&self) -> Range<usize> {
        self.offset..self.offset + self.payload.end - self.header_len
    }

    /// Returns the range of the datagram's payload that the packet carries, as offsets in the payload and therefore in
    /// the receive buffer.
    pub fn payload_range(&self) -> Range<usize> {
        let carried_range = self.datagram_range();
        carried_range.start.max(UDP_HEADER) - UDP_HEADER..carried_range.end - UDP_HEADER
    }

    /// Returns the key of the packet's datagram.
    pub fn key(&self) -> DatagramKey {
        DatagramKey { from: self.from, to: self.to, identification: self.identification }
    }
}

/// Parses a packet.
///
/// # Errors
///
/// Returns the reason why the packet is dropped.
pub fn parse(bytes: &[u8]) -> Result<Parsed, DropReason> {
    let header = Ipv4HeaderSlice::from_slice(bytes).map_err(|error| match error {
        HeaderSliceError::Len(_) => DropReason::TooShort,
        HeaderSliceError::Content(HeaderError::UnexpectedVersion { .. }) => DropReason::NotIpv4,
        HeaderSliceError::Content(HeaderError::HeaderLengthSmallerThanHeader { .. }) => DropReason::BadLength,
    })?;
    if !Sum::of_bytes(header.slice()).is_valid() {
        return Err(DropReason::BadHeaderChecksum);
    }
    if header.protocol().0 != UDP {
        return Err(DropReason::NotUdp);
    }
    let (header_len, end) = (header.slice().len(), usize::from(header.total_len()));
    let offset = usize::from(header.fragments_offset().byte_offset());
    let more_fragments = header.more_fragments();
    check_lengths(bytes.len(), header_len, end, offset, more_fragments)?;
    let udp = (offset == 0).then(|| first_header(&bytes[header_len..end], more_fragments)).transpose()?;
    let start = header_len + if offset == 0 { UDP_HEADER } else { 0 };
    Ok(Parsed {
        from: header.source_addr(),
        to: header.destination_addr(),
        identification: header.identification(),
        offset,
        more_fragments,
        header_len,
        payload: start..end,
        udp,
    })
}

fn check_lengths(
    bytes: usize,
    header_len: usize,
    end: usize,
    offset: usize,
    more_fragments: bool,
) -> Result<(), DropReason> {
    if bytes < end {
        return Err(DropReason::TooShort);
    }
    let carried_bytes = end.checked_sub(header_len).ok_or(DropReason::BadLength)?;
    if carried_bytes == 0 || (more_fragments && !carried_bytes.is_multiple_of(8)) {
        Err(DropReason::BadLength)
    } else if header_len + offset + carried_bytes > PACKET_MAX {
        Err(DropReason::TooLong)
    } else {
        Ok(())
    }
}

/// Returns the UDP header at the beginning of the data in a first fragment.
fn first_header(data: &[u8], more_fragments: bool) -> Result<UdpHead, DropReason> {
    let header = UdpHead::read(*data.first_chunk().ok_or(DropReason::TooShort)?)?;
    let has_whole_payload = header.payload + UDP_HEADER == data.len();
    if more_fragments || has_whole_payload { Ok(header) } else { Err(DropReason::BadLength) }
}
