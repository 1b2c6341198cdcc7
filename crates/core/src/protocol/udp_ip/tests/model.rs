//! Tests that reassembly equals a slow, obvious model, in which a datagram is a list of its fragments that is examined
//! byte by byte.

use super::super::*;
use crate::engine::Time;
use proptest::prelude::*;
use std::net::Ipv4Addr;

/// The stored fragments of a datagram, or `None` after it was abandoned.
type ReferenceDatagram = Option<Vec<Parsed>>;

/// Returns the outcome of a fragment by the rules in the head of `reassembly`: whether the datagram is complete, or the
/// reason why the fragment is dropped.
fn reference_outcome(reference: &mut ReferenceDatagram, packet: &Parsed) -> Result<bool, DropReason> {
    let Some(stored) = reference.as_mut() else { return Err(DropReason::GivenUp) };
    if stored
        .iter()
        .any(|other| other.datagram_range() == packet.datagram_range() && other.more_fragments == packet.more_fragments)
    {
        return Err(DropReason::Duplicate);
    }
    stored.push(packet.clone());
    let ends: Vec<usize> = stored.iter().flat_map(stated_ends).collect();
    let end = ends.first().copied();
    let ends_agree = ends.iter().all(|other| Some(*other) == end);
    let ends_before_last =
        |earlier: &Parsed| !earlier.more_fragments || end.is_none_or(|end| earlier.datagram_range().end < end);
    let reason = if !ends_agree || !stored.iter().all(ends_before_last) {
        DropReason::Inconsistent
    } else if (0..1_000)
        .any(|byte| stored.iter().filter(|earlier| earlier.datagram_range().contains(&byte)).count() > 1)
    {
        DropReason::Overlap
    } else {
        let covered =
            |end: usize| (0..end).all(|byte| stored.iter().any(|earlier| earlier.datagram_range().contains(&byte)));
        return Ok(end.is_some_and(covered) && stored.iter().any(|earlier| earlier.udp.is_some()));
    };
    *reference = None;
    Err(reason)
}

fn stated_ends(packet: &Parsed) -> Vec<usize> {
    let last = (!packet.more_fragments).then_some(packet.datagram_range().end);
    last.into_iter().chain(packet.udp.map(|udp| UDP_HEADER + udp.payload)).collect()
}

prop_compose! {
    /// Returns a strategy of fragments whose numbers are so small that fragments often overlap.
    fn any_fragment()(
        start in prop_oneof![Just(0), 0..8usize],
        units_of_8_bytes in 1..4usize,
        odd_bytes in 0..3usize,
        more in prop::bool::weighted(0.7),
        total in prop_oneof![4 => Just(40), 1 => 9..60usize],
    ) -> Parsed {
        let offset = 8 * start;
        let carried_bytes = match more {
            true => 8 * units_of_8_bytes,
            false if offset < total => total - offset,
            false => 8 * units_of_8_bytes + odd_bytes,
        };
        let udp = (offset == 0).then_some(UdpHead { from: 1, to: 2, payload: total - UDP_HEADER, checksum: None });
        let start = IPV4_HEADER + if offset == 0 { UDP_HEADER } else { 0 };
        let (from, to) = (Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2));
        let payload = start..IPV4_HEADER + carried_bytes;
        Parsed { from, to, identification: 7, offset, more_fragments: more, header_len: IPV4_HEADER, payload, udp }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn reassembly_equals_the_model(packets in prop::collection::vec(any_fragment(), 1..12)) {
        let parameters = ReassemblyParameters { datagrams: 1, bytes: 100_000, lifetime: Time::from_us(1) };
        let (mut reassembly, mut reference) = (Reassembly::new(parameters), Some(Vec::new()));
        for packet in packets.iter().filter(|packet| !packet.is_whole()) {
            let expected = reference_outcome(&mut reference, packet);
            let outcome = match reassembly.arrive(packet, Time::ZERO) {
                Reassembled::Complete { .. } => Ok(true),
                Reassembled::Kept => Ok(false),
                Reassembled::Dropped { reason, .. } => Err(reason),
            };
            prop_assert_eq!(outcome, expected, "{:?} of {:?}", packet, packets);
            if outcome == Ok(true) {
                reference = Some(Vec::new());
            }
        }
    }
}
