//! Tests that datagrams of any size arrive unchanged over any MTU, while their packets are shuffled, duplicated and
//! mixed.

use super::super::*;
use super::{content, datagram};
use crate::engine::Time;
use proptest::prelude::*;
use std::collections::BTreeMap;

const LIMITS: ReassemblyParameters =
    ReassemblyParameters { datagrams: 8, bytes: 8 * PACKET_MAX, lifetime: Time::from_us(1) };

fn any_payload() -> impl Strategy<Value = usize> {
    prop_oneof![0..200usize, 0..=PAYLOAD_MAX, Just(PAYLOAD_MAX), (1..45usize).prop_map(|times| 1_480 * times - 8)]
}

fn any_mtu() -> impl Strategy<Value = usize> {
    prop_oneof![28..100usize, 28..10_000usize, Just(1_500), Just(9_000), Just(32_768), Just(usize::MAX)]
}

/// Returns the packets in a random order derived from `seed`, some of them twice if `copies`.
fn shuffled(mut packets: Vec<Vec<u8>>, seed: u64, copies: bool) -> Vec<Vec<u8>> {
    let mut state = seed | 1;
    let mut draw = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    if copies {
        for _ in 0..packets.len().min(50) {
            packets.push(packets[draw(packets.len())].clone());
        }
    }
    for index in (1..packets.len()).rev() {
        packets.swap(index, draw(index + 1));
    }
    packets
}

/// A receiver that scatters the payload: each datagram has a buffer, and a sum.
#[derive(Default)]
struct Receiver {
    buffers: BTreeMap<DatagramKey, (Vec<u8>, Sum)>,
    complete: Vec<(u16, Vec<u8>)>,
}

impl Receiver {
    fn receive(&mut self, packet: &[u8], reassembly: &mut Reassembly) {
        let parsed = parse(packet).expect("the packet is valid");
        let key = parsed.key();
        let outcome = reassembly.arrive(&parsed, Time::ZERO);
        if matches!(outcome, Reassembled::Dropped { reason: DropReason::Duplicate, .. }) {
            return;
        }
        let (buffer, sum) = self.buffers.entry(key).or_default();
        let (bytes, range) = (&packet[parsed.payload.clone()], parsed.payload_range());
        buffer.resize(buffer.len().max(range.end), 0);
        *sum += Sum::of_bytes(bytes).at_offset(range.start);
        buffer[range].copy_from_slice(bytes);
        if let Reassembled::Complete { key, length, header } = outcome {
            let (buffer, sum) = self.buffers.remove(&key).expect("the datagram has a buffer");
            assert_eq!(buffer.len(), length);
            assert!(header.is_valid(key.from, key.to, sum), "the sum of all parts is that of the datagram");
            self.complete.push((key.identification, buffer));
        }
    }
}

/// Returns the packets of a datagram with this payload.
fn fragments_of(identification: u16, payload: &[u8], mtu: usize) -> Vec<Vec<u8>> {
    let datagram = Datagram { identification, ..datagram(payload.len()).summed(Sum::of_bytes(payload)) };
    let fragments = datagram.fragments(mtu).expect("the MTU is valid");
    let count = fragments.len();
    let packets: Vec<Vec<u8>> = fragments.map(|fragment| fragment.packet(payload)).collect();
    assert_eq!(packets.len(), count);
    assert!(packets.iter().all(|packet| packet.len() <= mtu));
    packets
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn packets_sent_once_give_the_datagram_once(length in any_payload(), mtu in any_mtu(), seed in any::<u64>()) {
        let payload = content(length);
        let (mut receiver, mut reassembly) = (Receiver::default(), Reassembly::new(LIMITS));
        for packet in shuffled(fragments_of(1, &payload, mtu), seed, false) {
            receiver.receive(&packet, &mut reassembly);
        }
        prop_assert!(receiver.complete == [(1, payload)]);
        prop_assert_eq!((reassembly.datagrams(), reassembly.bytes(), reassembly.next_timer()), (0, 0, None));
        prop_assert_eq!(reassembly.drops().total(), 0);
    }

    #[test]
    fn copied_and_mixed_packets_give_whole_datagrams(
        lengths in prop::collection::vec(any_payload(), 1..4),
        mtu in any_mtu(),
        seed in any::<u64>(),
    ) {
        let payloads: Vec<Vec<u8>> = lengths.iter().map(|length| content(*length)).collect();
        let all_packets = payloads
            .iter()
            .zip(0..)
            .flat_map(|(payload, sequence_number)| fragments_of(sequence_number, payload, mtu))
            .collect();
        let (mut receiver, mut reassembly) = (Receiver::default(), Reassembly::new(LIMITS));
        for packet in shuffled(all_packets, seed, true) {
            receiver.receive(&packet, &mut reassembly);
        }
        // Each datagram is complete at least once: copies may complete a datagram a second time.
        for (sequence_number, payload) in payloads.iter().enumerate() {
            let has_number = |(id, _): &&(u16, Vec<u8>)| usize::from(*id) == sequence_number;
            let received: Vec<&Vec<u8>> = receiver.complete.iter().filter(has_number).map(|(_, bytes)| bytes).collect();
            prop_assert!(!received.is_empty() && received.iter().all(|bytes| *bytes == payload));
        }
        let expired_count: usize = reassembly.expire(LIMITS.lifetime).len();
        prop_assert!(expired_count <= payloads.len());
        prop_assert_eq!((reassembly.datagrams(), reassembly.bytes()), (0, 0));
    }
}
