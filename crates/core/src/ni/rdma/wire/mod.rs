//! RoCEv2 packets: InfiniBand's transport headers in UDP over IPv4 (InfiniBand Architecture Specification, volume 1,
//! chapter 9, and Annex A17). The bytes are real, and Wireshark dissects them.
//!
//! A packet begins with its IPv4 header. Ethernet's header and frame check sequence are counted in the packet's length,
//! but have no bytes. Congestion notification, headers of datagrams and immediate data are left out.

pub mod aeth;
pub mod bth;
pub mod icrc;
pub mod reth;
#[cfg(test)]
mod tests;

use crate::engine::NodeId;
use crate::protocol::udp_ip::{Sum, addresses};
use aeth::AckHeader;
use bth::BaseHeader;
use icrc::{ICRC_BYTES, invariant_crc};
use reth::{AtomicHeader, RdmaHeader};
use std::net::Ipv4Addr;
use std::ops::Range;

/// UDP port of RoCEv2.
pub const ROCE_PORT: u16 = 4791;
/// Bytes of an Ethernet frame in addition to its payload: header and frame check sequence.
pub const ETHERNET_BYTES: usize = 18;
const IPV4_BYTES: usize = 20;
const UDP_BYTES: usize = 8;
/// Offset of the base transport header.
const TRANSPORT_OFFSET: usize = IPV4_BYTES + UDP_BYTES;
/// Length of an atomic operation's result.
const RESULT_BYTES: usize = 8;
const UDP_PROTOCOL: u8 = 17;

/// The reason for which a packet is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacketError {
    /// The packet is shorter than its headers.
    TooShort,
    /// The packet is not a RoCEv2 packet.
    NotRoce,
    /// The operation code belongs to no operation of the reliable-connected service.
    UnknownOperation,
    /// The invariant CRC is wrong.
    WrongCrc,
}

/// The extended headers of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtendedHeader {
    /// No extended header.
    None,
    /// Address of a write or read.
    Rdma(RdmaHeader),
    /// Operands of an atomic operation.
    Atomic(AtomicHeader),
    /// An acknowledgement.
    Ack(AckHeader),
    /// An acknowledgement, and the previous value of an atomic operation's word.
    AtomicAck(AckHeader, u64),
}

/// The headers of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RocePacket {
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// Source port, which distinguishes the flows of two nodes.
    pub port: u16,
    /// Base transport header.
    pub base: BaseHeader,
    /// Extended header.
    pub extended_header: ExtendedHeader,
}

impl RocePacket {
    /// Returns the bytes of the packet with `payload`, whose padding is stated in the header.
    pub fn encode(&self, payload: &[u8]) -> Vec<u8> {
        let extended_bytes = match &self.extended_header {
            ExtendedHeader::None => Vec::new(),
            ExtendedHeader::Rdma(header) => header.encode(),
            ExtendedHeader::Atomic(header) => header.encode(),
            ExtendedHeader::Ack(header) => header.encode().to_vec(),
            ExtendedHeader::AtomicAck(header, value) => [&header.encode()[..], &value.to_be_bytes()].concat(),
        };
        let padding = payload.len().next_multiple_of(4) - payload.len();
        let length = TRANSPORT_OFFSET + BaseHeader::BYTES + extended_bytes.len() + payload.len() + padding + ICRC_BYTES;
        let mut bytes = Vec::with_capacity(length);
        bytes.extend(self.network_headers(length));
        bytes.extend(BaseHeader { padding, ..self.base }.encode());
        bytes.extend(extended_bytes);
        bytes.extend(payload);
        bytes.resize(length - ICRC_BYTES, 0);
        let crc = invariant_crc(&bytes);
        bytes.extend(crc);
        bytes
    }

    /// Returns the headers of IPv4 and UDP of a packet of `length` bytes. UDP's checksum is 0, as Annex A17 recommends.
    fn network_headers(&self, length: usize) -> [u8; TRANSPORT_OFFSET] {
        let mut bytes = [0; TRANSPORT_OFFSET];
        let address = |node| addresses::address(node).expect("a checked machine has addresses for its nodes").octets();
        bytes[0] = 0x45;
        bytes[2..4].copy_from_slice(&(length as u16).to_be_bytes());
        bytes[6] = 0x40;
        bytes[8] = 64;
        bytes[9] = UDP_PROTOCOL;
        bytes[12..16].copy_from_slice(&address(self.from));
        bytes[16..20].copy_from_slice(&address(self.to));
        let checksum = Sum::of_bytes(&bytes[..IPV4_BYTES]).checksum();
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        bytes[20..22].copy_from_slice(&self.port.to_be_bytes());
        bytes[22..24].copy_from_slice(&ROCE_PORT.to_be_bytes());
        bytes[24..26].copy_from_slice(&((length - IPV4_BYTES) as u16).to_be_bytes());
        bytes
    }

    /// Parses a packet; returns its headers and the range of its payload.
    ///
    /// # Errors
    ///
    /// Returns the reason for which an interface drops the packet.
    pub fn decode(bytes: &[u8]) -> Result<(RocePacket, Range<usize>), PacketError> {
        let end = bytes.len().checked_sub(ICRC_BYTES).ok_or(PacketError::TooShort)?;
        let base = bytes[..end].get(TRANSPORT_OFFSET..).and_then(<[u8]>::first_chunk).ok_or(PacketError::TooShort)?;
        if bytes[0] != 0x45 || bytes[9] != UDP_PROTOCOL || bytes[22..24] != ROCE_PORT.to_be_bytes() {
            return Err(PacketError::NotRoce);
        }
        if invariant_crc(&bytes[..end]) != bytes[end..] {
            return Err(PacketError::WrongCrc);
        }
        let base = BaseHeader::decode(base)?;
        let (extended_header, payload_start) = parse_extended_header(&base, &bytes[..end])?;
        let node = |offset: usize| {
            let octets: [u8; 4] = bytes[offset..offset + 4].try_into().expect("four bytes");
            addresses::node(Ipv4Addr::from(octets)).ok_or(PacketError::NotRoce)
        };
        let port = u16::from_be_bytes([bytes[20], bytes[21]]);
        let payload = payload_start
            ..end.checked_sub(base.padding).filter(|end| *end >= payload_start).ok_or(PacketError::TooShort)?;
        Ok((RocePacket { from: node(12)?, to: node(16)?, port, base, extended_header }, payload))
    }
}

/// Parses the extended header of a packet without CRC; returns it, and the offset of the payload.
fn parse_extended_header(base: &BaseHeader, bytes: &[u8]) -> Result<(ExtendedHeader, usize), PacketError> {
    let header_start = TRANSPORT_OFFSET + BaseHeader::BYTES;
    let header_bytes = |length: usize| bytes.get(header_start..header_start + length).ok_or(PacketError::TooShort);
    let code = base.code;
    Ok(match code {
        _ if code.has_reth() => (
            ExtendedHeader::Rdma(RdmaHeader::decode(header_bytes(RdmaHeader::BYTES)?)),
            header_start + RdmaHeader::BYTES,
        ),
        _ if code.is_atomic() => (
            ExtendedHeader::Atomic(AtomicHeader::decode(header_bytes(AtomicHeader::BYTES)?)),
            header_start + AtomicHeader::BYTES,
        ),
        bth::OperationCode::AtomicAcknowledge => {
            let length = AckHeader::BYTES + RESULT_BYTES;
            let bytes = header_bytes(length)?;
            let ack = AckHeader::decode(bytes).ok_or(PacketError::UnknownOperation)?;
            (ExtendedHeader::AtomicAck(ack, be64(&bytes[AckHeader::BYTES..])), header_start + length)
        }
        _ if code.has_aeth() => {
            let ack = AckHeader::decode(header_bytes(AckHeader::BYTES)?).ok_or(PacketError::UnknownOperation)?;
            (ExtendedHeader::Ack(ack), header_start + AckHeader::BYTES)
        }
        _ => (ExtendedHeader::None, header_start),
    })
}

fn be24(bytes: &[u8]) -> u32 {
    u32::from(bytes[0]) << 16 | u32::from(bytes[1]) << 8 | u32::from(bytes[2])
}

fn be32(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}

fn be64(bytes: &[u8]) -> u64 {
    u64::from_be_bytes(bytes.try_into().expect("eight bytes"))
}
