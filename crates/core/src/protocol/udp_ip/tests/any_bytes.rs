//! Tests with arbitrary bytes: parsing and reassembly never panic, and reassembly keeps its limits.

use super::super::*;
use super::{content, packets};
use crate::engine::Time;
use proptest::prelude::*;

const LIMITS: ReassemblyParameters = ReassemblyParameters { datagrams: 5, bytes: 300, lifetime: Time::from_ns(50) };

/// Returns the packet with a valid IPv4 header checksum, so that the test reaches the later checks.
fn summed(mut packet: Vec<u8>) -> Vec<u8> {
    let length = packet.first().map_or(0, |byte| 4 * usize::from(byte & 15));
    if (IPV4_HEADER..=packet.len()).contains(&length) {
        packet[10..12].fill(0);
        let checksum = Sum::of_bytes(&packet[..length]).checksum().to_be_bytes();
        packet[10..12].copy_from_slice(&checksum);
    }
    packet
}

fn any_packet() -> impl Strategy<Value = Vec<u8>> {
    let anything = prop::collection::vec(any::<u8>(), 0..80);
    // The bytes are a meaningful header with small numbers in its fields, followed by arbitrary bytes.
    let fields = (0x44u8..0x48, 0u8..90, 0u16..3, any::<(bool, bool)>(), 0u16..12, 0u8..60);
    let plausible = (fields, prop::collection::vec(any::<u8>(), 8..70)).prop_map(|(fields, rest)| {
        let (version, length, identification, (more_fragments, is_near_end), offset, udp_length) = fields;
        let offset = if is_near_end { 0x1fff - offset } else { offset } | if more_fragments { 0x2000 } else { 0 };
        let [id, offset] = [identification, offset].map(u16::to_be_bytes);
        let mut packet = vec![version, 0, 0, length, id[0], id[1], offset[0], offset[1], 64, 17, 0, 0];
        packet.extend([10, 0, 0, 1, 10, 0, 0, 2]);
        packet.extend(rest);
        packet[24..26].copy_from_slice(&[0, udp_length]);
        packet
    });
    prop_oneof![1 => anything.clone(), 1 => anything.prop_map(summed), 6 => plausible.prop_map(summed)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_bytes_panic(packets in prop::collection::vec((any_packet(), 0u64..20), 0..30)) {
        let mut reassembly = Reassembly::new(LIMITS);
        let mut now = Time::ZERO;
        for (packet, wait) in packets {
            now += Time::from_ns(wait);
            reassembly.expire(now);
            if let Ok(parsed) = parse(&packet) {
                prop_assert!(parsed.payload.start <= parsed.payload.end && parsed.payload.end <= packet.len());
                prop_assert_eq!(parsed.payload_range().len(), parsed.payload.len());
                reassembly.arrive(&parsed, now);
            }
            prop_assert!(reassembly.datagrams() <= LIMITS.datagrams && reassembly.bytes() <= LIMITS.bytes);
            prop_assert_eq!(reassembly.next_timer().is_some(), reassembly.datagrams() > 0);
            prop_assert!(reassembly.next_timer().is_none_or(|due| due > now && due <= now + LIMITS.lifetime));
        }
        reassembly.expire(now + LIMITS.lifetime);
        prop_assert_eq!((reassembly.datagrams(), reassembly.bytes(), reassembly.next_timer()), (0, 0, None));
    }

    #[test]
    fn no_damaged_packet_panics(position in any::<prop::sample::Index>(), byte in any::<u8>(), cut in 0..100usize) {
        for mut packet in packets(&content(60), 44) {
            let index = position.index(packet.len());
            packet[index] = byte;
            packet.truncate(packet.len().saturating_sub(cut.saturating_sub(50)));
            let _ = parse(&packet);
            let _ = parse(&summed(packet));
        }
    }
}
