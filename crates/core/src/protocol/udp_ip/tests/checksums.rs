//! Tests that sums of parts equal the sum of the whole, and the sums of the crate `etherparse`.

use super::super::*;
use super::{content, datagram};
use etherparse::checksum::Sum16BitWords;
use etherparse::{Ipv4Header, UdpHeader};
use proptest::prelude::*;

#[test]
fn the_example_of_rfc_1071() {
    let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
    assert_eq!(Sum::of_bytes(&bytes).word(), 0xddf2);
    // The example's "byte-order" row shows the sum of the same bytes at an odd offset.
    assert_eq!(Sum::of_bytes(&bytes).at_offset(1).word(), 0xf2dd);
    assert_eq!(Sum::of_bytes(&[]), Sum::ZERO);
}

#[test]
fn a_checksum_of_zero_is_sent_as_all_ones() {
    let datagram = datagram(2);
    let header_sum = Sum::of_headers(datagram.from, datagram.to, 2);
    // This payload makes the checksum zero.
    let payload = header_sum.checksum().to_be_bytes();
    assert_eq!((header_sum + Sum::of_bytes(&payload)).checksum(), 0);
    let summed = datagram.summed(Sum::of_bytes(&payload));
    assert_eq!(summed.checksum, Some(0xffff));
    for checksum in [summed.checksum, Some(0)] {
        let packet = Datagram { checksum, ..datagram }
            .fragments(1500)
            .expect("the MTU is valid")
            .next()
            .expect("there is a fragment");
        let packet = packet.packet(&payload);
        assert_eq!(packet[fragment::UDP_CHECKSUM_RANGE], [0xff, 0xff]);
        let parsed = parse(&packet).expect("the packet is valid");
        let head = parsed.udp.expect("a first fragment has a UDP header");
        assert!(head.is_valid(parsed.from, parsed.to, Sum::of_bytes(&payload)));
        assert!(!head.is_valid(parsed.from, parsed.to, Sum::of_bytes(&[0, 1])));
    }
}

#[test]
fn a_checksum_field_of_zero_means_none() {
    let packet =
        datagram(3).fragments(1500).expect("the MTU is valid").next().expect("there is a fragment").packet(b"abc");
    let parsed = parse(&packet).expect("the packet is valid");
    let head = parsed.udp.expect("a first fragment has a UDP header");
    assert_eq!(head.checksum, None);
    assert!(
        head.is_valid(parsed.from, parsed.to, Sum::of_bytes(b"xyz")),
        "a datagram without a checksum counts as valid"
    );
}

proptest! {
    #[test]
    fn parts_of_any_length_sum_to_the_whole(
        bytes in prop::collection::vec(any::<u8>(), 0..2_000),
        mut cuts in prop::collection::vec(0..2_000usize, 0..9),
    ) {
        cuts.retain(|cut| *cut <= bytes.len());
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|cut| Sum::of_bytes(&bytes[cut[0]..cut[1]]).at_offset(cut[0]));
        // The parts may be summed in any order, here from the last to the first.
        let sum: Sum = parts.collect::<Vec<_>>().into_iter().rev().sum();
        prop_assert_eq!(sum, Sum::of_bytes(&bytes));
        prop_assert_eq!(sum.checksum(), Sum16BitWords::new().add_slice(&bytes).ones_complement().to_be());
    }

    #[test]
    fn headers_are_summed_as_etherparse_sums_them(length in 0..=PAYLOAD_MAX, mtu in 28..70_000usize) {
        let payload = content(length);
        let packets = super::packets(&payload, mtu);
        for packet in &packets {
            let (header, _) = Ipv4Header::from_slice(packet).expect("the header is valid");
            prop_assert_eq!(header.header_checksum, header.calc_header_checksum());
        }
        let (header, udp_bytes) = Ipv4Header::from_slice(&packets[0]).expect("the header is valid");
        let (udp, _) = UdpHeader::from_slice(udp_bytes).expect("the header is valid");
        prop_assert_eq!(udp.checksum, udp.calc_checksum_ipv4(&header, &payload).expect("the length is valid"));
    }
}
