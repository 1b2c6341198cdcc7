//! Checksums that the host engine computes while it moves a packet. They cover the bytes that it moves, and take no
//! additional time (Jin et al. 2005, §2.3).

use super::headers::Headers;
use crate::engine::Bytes;
use crate::ni::lanai::Sram;
use crate::protocol::udp_ip::fragment::UDP_CHECKSUM_RANGE;
use crate::protocol::udp_ip::{IPV4_HEADER, Sum, UDP_HEADER, parse};
use std::net::SocketAddrV4;

/// Fills in the UDP checksum of the single-packet datagram in a packet buffer.
pub fn fill_in(sram: &Sram, buffer: u64, length: Bytes) {
    let mut packet = vec![0; length.len()];
    sram.load(buffer, &mut packet);
    let Ok(parsed) = parse(&packet) else { return };
    let Some(udp) = parsed.udp else { return };
    let sockets = [(parsed.from, udp.from), (parsed.to, udp.to)].map(|(ip, port)| SocketAddrV4::new(ip, port));
    let checksum = Sum::of_headers(sockets[0], sockets[1], udp.payload) + Sum::of_bytes(&packet[parsed.payload]);
    sram.store(buffer + UDP_CHECKSUM_RANGE.start as u64, &checksum.udp_checksum().to_be_bytes());
}

/// Returns the checksum of the datagram payload in a packet buffer, without the headers.
pub fn payload_checksum(sram: &Sram, buffer: u64, length: Bytes) -> Sum {
    sram.with_bytes(buffer, length, |packet| {
        let headers = match Headers::parse(packet) {
            Some(headers) if headers.offset == 0 => IPV4_HEADER + UDP_HEADER,
            _ => IPV4_HEADER,
        };
        packet.get(headers..).map_or(Sum::ZERO, Sum::of_bytes)
    })
}
