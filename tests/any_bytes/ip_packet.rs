//! Feeds arbitrary bytes as an IPv4 packet: an accepted packet must be within the bytes, and etherparse must parse it
//! to the same fields.

use etherparse::checksum::Sum16BitWords;
use etherparse::{Ipv4HeaderSlice, UdpHeader};
use narrows::protocol::udp_ip::{IPV4_HEADER, PACKET_MAX, Sum, UDP_HEADER, parse};

/// Parses the bytes as given, and with a correct header checksum, so that the code behind that check is reached.
pub fn check_any_bytes(bytes: &[u8]) {
    check_packet(bytes);
    let length = bytes.first().map_or(0, |byte| 4 * usize::from(byte & 15));
    if (IPV4_HEADER..=bytes.len()).contains(&length) {
        let mut with_checksum = bytes.to_vec();
        with_checksum[10..12].fill(0);
        let checksum = Sum::of_bytes(&with_checksum[..length]).checksum();
        with_checksum[10..12].copy_from_slice(&checksum.to_be_bytes());
        check_packet(&with_checksum);
    }
}

fn check_packet(bytes: &[u8]) {
    let Ok(parsed) = parse(bytes) else { return };
    let header = Ipv4HeaderSlice::from_slice(bytes).expect("etherparse reads every accepted packet");
    // The sum is computed over the bytes, because the header that etherparse parses from them omits the reserved bit.
    assert_eq!(Sum16BitWords::new().add_slice(header.slice()).ones_complement(), 0, "{bytes:02x?}");
    assert_eq!((parsed.from, parsed.to), (header.source_addr(), header.destination_addr()));
    assert_eq!((parsed.more_fragments, parsed.identification), (header.more_fragments(), header.identification()));
    assert_eq!(parsed.payload.end, usize::from(header.total_len()));
    assert_eq!(parsed.datagram_range().len(), usize::from(header.payload_len().expect("the length is valid")));
    assert_eq!(parsed.datagram_range().start, usize::from(header.fragments_offset().byte_offset()));
    assert!(parsed.header_len + parsed.datagram_range().end <= PACKET_MAX);
    let payload = &bytes[parsed.payload.clone()];
    assert_eq!(parsed.payload_range().len(), payload.len());
    let Some(udp_header) = parsed.udp else { return };
    let (udp, _) = UdpHeader::from_slice(&bytes[parsed.header_len..parsed.payload.end]).expect("the header is valid");
    assert_eq!(
        (udp_header.from, udp_header.to, udp_header.payload + UDP_HEADER),
        (udp.source_port, udp.destination_port, udp.length.into())
    );
    if parsed.is_whole() {
        let etherparse_checksum = udp.calc_checksum_ipv4(&header.to_header(), payload).expect("the length is valid");
        let is_valid = udp_header.checksum.is_none_or(|sum| sum == etherparse_checksum);
        assert_eq!(udp_header.is_valid(parsed.from, parsed.to, Sum::of_bytes(payload)), is_valid, "{bytes:02x?}");
    }
}
