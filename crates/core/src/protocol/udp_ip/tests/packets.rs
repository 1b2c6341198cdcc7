//! Tests of single packets: the contents of a fragment, each error in a packet, and each bit of a header.

use super::super::*;
use super::{content, datagram, packets};

/// Returns the packet with the bytes from `offset` on replaced, and its header checksum computed anew.
fn replaced_at(packet: &[u8], offset: usize, bytes: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet[offset..offset + bytes.len()].copy_from_slice(bytes);
    packet[10..12].fill(0);
    let checksum = Sum::of_bytes(&packet[..IPV4_HEADER]).checksum().to_be_bytes();
    packet[10..12].copy_from_slice(&checksum);
    packet
}

#[test]
fn fragments_fill_the_mtu_in_eights() {
    let fragments = |payload: usize, mtu| {
        let all_fragments = datagram(payload).fragments(mtu).expect("the MTU is valid");
        let count = all_fragments.len();
        let lengths: Vec<usize> = all_fragments.map(|fragment| fragment.len()).collect();
        assert_eq!(count, lengths.len());
        lengths
    };
    assert_eq!(fragments(1_472, 1_500), [1_500]);
    assert_eq!(fragments(1_473, 1_500), [1_500, 21]);
    // A packet of 1499 bytes has 1479 bytes behind the header: 184 multiples of 8 bytes, and 7 bytes that only the last
    // fragment can use.
    assert_eq!(fragments(2_943, 1_499), [1_492, 1_499]);
    assert_eq!(fragments(0, 28), [28]);
    assert_eq!(fragments(1, 28), [28, 21]);
    assert_eq!(fragments(32_768, 32_768), [32_764, 52]);
    assert_eq!(fragments(PAYLOAD_MAX, usize::MAX), [PACKET_MAX]);
}

#[test]
fn too_long_payloads_and_too_small_mtus_are_errors() {
    let message = |payload: usize, mtu| {
        datagram(payload).fragments(mtu).map(drop).expect_err("the arguments are invalid").to_string()
    };
    assert!(message(65_508, 1_500).contains("65508 bytes is longer than the 65507"), "{}", message(65_508, 1_500));
    assert_eq!(
        message(1, 27),
        "an MTU of 27 bytes does not hold an IPv4 header of 20 bytes and 8 bytes of a datagram: 28 is the least"
    );
}

#[test]
fn parsing_inverts_fragmentation() {
    let payload = content(40);
    let packets = packets(&payload, 44);
    let parsed: Vec<Parsed> = packets.iter().map(|packet| parse(packet).expect("the packet is valid")).collect();
    let parts: Vec<_> =
        parsed.iter().map(|packet| (packet.offset, packet.more_fragments, packet.payload_range())).collect();
    assert_eq!(parts, [(0, true, 0..16), (24, false, 16..40)]);
    assert_eq!(parsed[1].payload, 20..44);
    assert_eq!(parsed[0].key(), parsed[1].key());
    let sent = datagram(40);
    let head = parsed[0].udp.expect("the first fragment has a UDP header");
    assert_eq!((head.from, head.to, head.payload), (sent.from.port(), sent.to.port(), 40));
    assert_eq!((parsed[1].from, parsed[1].to), (*sent.from.ip(), *sent.to.ip()));
    assert_eq!((parsed[1].identification, parsed[1].udp), (0xbeef, None));
}

#[test]
fn trailing_bytes_and_options_are_skipped() {
    let mut packet = packets(b"hello", 1_500).remove(0);
    packet.extend([0xee; 13]);
    assert_eq!(parse(&packet).map(|parsed| parsed.payload_range()), Ok(0..5));
    // The packet gets four bytes of options: three without effect, and the end of the list.
    packet.splice(IPV4_HEADER..IPV4_HEADER, [1, 1, 1, 0]);
    packet[0] = 0x46;
    packet[2..4].copy_from_slice(&37u16.to_be_bytes());
    packet[10..12].fill(0);
    let checksum = Sum::of_bytes(&packet[..24]).checksum().to_be_bytes();
    packet[10..12].copy_from_slice(&checksum);
    let parsed = parse(&packet).expect("options are skipped");
    assert_eq!((parsed.header_len, &packet[parsed.payload.clone()]), (24, &b"hello"[..]));
}

#[test]
fn each_fault_has_its_reason() {
    let whole_packet = packets(&content(20), 1_500).remove(0);
    let first_fragment = packets(&content(60), 44).remove(0);
    let cases: [(&str, Vec<u8>, DropReason); 12] = [
        ("nothing", Vec::new(), DropReason::TooShort),
        ("half a header", whole_packet[..19].to_vec(), DropReason::TooShort),
        ("cut short", whole_packet[..47].to_vec(), DropReason::TooShort),
        ("version 6", replaced_at(&whole_packet, 0, &[0x65]), DropReason::NotIpv4),
        ("a header of 16 bytes", replaced_at(&whole_packet, 0, &[0x44]), DropReason::BadLength),
        ("shorter than its header", replaced_at(&whole_packet, 2, &[0, 19]), DropReason::BadLength),
        ("TCP", replaced_at(&whole_packet, 9, &[6]), DropReason::NotUdp),
        ("a longer datagram", replaced_at(&whole_packet, 24, &[0, 29]), DropReason::BadLength),
        ("a datagram of 7 bytes", replaced_at(&whole_packet, 24, &[0, 7]), DropReason::BadLength),
        ("a fragment of 23 bytes that others follow", replaced_at(&first_fragment, 2, &[0, 43]), DropReason::BadLength),
        ("an empty fragment", replaced_at(&first_fragment, 2, &[0, 20, 0, 0, 0, 5]), DropReason::BadLength),
        ("beyond the longest", replaced_at(&first_fragment, 6, &[0x1f, 0xfb]), DropReason::TooLong),
    ];
    for (description, packet, reason) in cases {
        assert_eq!(parse(&packet), Err(reason), "{description}");
    }
    let tiny = replaced_at(&whole_packet, 2, &[0, 27]);
    assert_eq!(parse(&tiny), Err(DropReason::TooShort), "the packet is shorter than the header of UDP");
    let furthest = replaced_at(&first_fragment, 6, &[0x1f, 0xfa]);
    assert_eq!(
        parse(&furthest).map(|parsed| parsed.datagram_range()),
        Ok(65_488..65_512),
        "the fragment ends within the longest packet"
    );
}

#[test]
fn any_flipped_header_bit_is_detected() {
    for (length, mtu) in [(20, 1_500), (60, 44)] {
        let payload = content(length);
        let valid_packet = packets(&payload, mtu).remove(0);
        for bit in 0..8 * valid_packet.len() {
            let mut packet = valid_packet.clone();
            packet[bit / 8] ^= 1 << (bit % 8);
            let parsed = parse(&packet);
            if bit < 8 * IPV4_HEADER {
                assert!(parsed.is_err(), "bit {bit} of the IPv4 header");
                continue;
            }
            // Behind the IPv4 header, the UDP checksum over the whole datagram detects the error.
            let is_valid = parsed.is_ok_and(|parsed| {
                let sum = Sum::of_bytes(&packet[parsed.payload.clone()])
                    + Sum::of_bytes(&payload[parsed.payload_range().end..]);
                parsed.udp.expect("the first fragment has a UDP header").is_valid(parsed.from, parsed.to, sum)
            });
            assert!(!is_valid, "bit {bit} of the datagram");
        }
    }
}
