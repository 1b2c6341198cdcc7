//! Tests of UDP/IP: checksums, packets, fragments in any order, and arbitrary bytes.

mod any_bytes;
mod checksums;
mod model;
mod packets;
mod reassembling;
mod roundtrip;

use super::*;
use std::net::SocketAddrV4;

/// Returns a datagram between two programs.
fn datagram(payload: usize) -> Datagram {
    let socket = |node, index| addresses::socket(crate::engine::NodeId(node), index).expect("the node has an address");
    let (from, to): (SocketAddrV4, SocketAddrV4) = (socket(0, 3), socket(70_000, 0));
    Datagram { from, to, identification: 0xbeef, payload, checksum: None }
}

/// Returns `length` bytes whose values depend on their position.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index ^ (index >> 8).wrapping_mul(29) ^ 0x5a) as u8).collect()
}

/// Returns the packets of a datagram with this payload and its checksum.
fn packets(payload: &[u8], mtu: usize) -> Vec<Vec<u8>> {
    let fragments = datagram(payload.len()).summed(Sum::of_bytes(payload)).fragments(mtu).expect("the MTU is valid");
    fragments.map(|fragment| fragment.packet(payload)).collect()
}
