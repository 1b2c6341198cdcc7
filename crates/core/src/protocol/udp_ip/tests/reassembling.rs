//! Tests of reassembly: overlaps, contradictory lengths, the timer, and the limits.

use super::super::*;
use super::datagram;
use crate::engine::Time;
use std::ops::Range;

const LIMITS: ReassemblyParameters =
    ReassemblyParameters { datagrams: 3, bytes: 1_000, lifetime: Time::from_us(30_000_000) };
const KEPT: Reassembled = Reassembled::Kept;

/// Returns a fragment of a datagram of `total` bytes; `total` and `carried_range` include the UDP header.
fn fragment(identification: u16, total: usize, carried_range: Range<usize>) -> Parsed {
    let datagram_sent = Datagram { identification, ..datagram(total - UDP_HEADER) };
    let (from, to) = (*datagram_sent.from.ip(), *datagram_sent.to.ip());
    let head = UdpHead {
        from: datagram_sent.from.port(),
        to: datagram_sent.to.port(),
        payload: datagram_sent.payload,
        checksum: None,
    };
    let start = if carried_range.start == 0 { IPV4_HEADER + UDP_HEADER } else { IPV4_HEADER };
    Parsed {
        from,
        to,
        identification,
        offset: carried_range.start,
        more_fragments: carried_range.end < total,
        header_len: IPV4_HEADER,
        payload: start..IPV4_HEADER + carried_range.len(),
        udp: (carried_range.start == 0).then_some(head),
    }
}

fn drop_outcome(reason: DropReason, abandons_datagram: bool) -> Reassembled {
    Reassembled::Dropped { reason, abandons_datagram }
}

/// Returns the payload length of a complete datagram, otherwise `None`.
fn length(outcome: Reassembled) -> Option<usize> {
    match outcome {
        Reassembled::Complete { length, .. } => Some(length),
        _ => None,
    }
}

#[test]
fn fragments_may_arrive_in_any_order_and_copies_are_dropped() {
    let mut reassembly = Reassembly::new(LIMITS);
    assert_eq!(reassembly.arrive(&fragment(1, 50, 40..50), Time::ZERO), KEPT);
    assert_eq!(reassembly.arrive(&fragment(1, 50, 40..50), Time::ZERO), drop_outcome(DropReason::Duplicate, false));
    assert_eq!(reassembly.arrive(&fragment(1, 50, 0..16), Time::ZERO), KEPT);
    assert_eq!((reassembly.datagrams(), reassembly.bytes()), (1, 26));
    assert_eq!(length(reassembly.arrive(&fragment(1, 50, 16..40), Time::ZERO)), Some(42));
    assert_eq!((reassembly.datagrams(), reassembly.bytes(), reassembly.next_timer()), (0, 0, None));
    assert_eq!(reassembly.drops().iter().collect::<Vec<_>>(), [(DropReason::Duplicate, 1)]);
}

#[test]
fn a_whole_datagram_needs_no_buffer() {
    let mut reassembly = Reassembly::new(ReassemblyParameters { datagrams: 0, bytes: 0, ..LIMITS });
    assert_eq!(length(reassembly.arrive(&fragment(1, 50, 0..50), Time::ZERO)), Some(42));
    assert_eq!(reassembly.arrive(&fragment(1, 50, 0..8), Time::ZERO), drop_outcome(DropReason::NoSpace, false));
}

#[test]
fn overlaps_abandon_the_datagram_and_its_later_fragments() {
    for second in [8..24, 16..32, 0..40, 8..16, 24..40, 0..8, 8..32] {
        let mut reassembly = Reassembly::new(LIMITS);
        assert_eq!(reassembly.arrive(&fragment(1, 50, 8..24), Time::ZERO), KEPT);
        let expected = if second == (8..24) {
            drop_outcome(DropReason::Duplicate, false)
        } else {
            drop_outcome(DropReason::Overlap, true)
        };
        let expected = if [24..40, 0..8].contains(&second) { KEPT } else { expected };
        assert_eq!(reassembly.arrive(&fragment(1, 50, second.clone()), Time::ZERO), expected, "{second:?}");
        if expected == drop_outcome(DropReason::Overlap, true) {
            assert_eq!(reassembly.bytes(), 0);
            for later_range in [0..8, 8..24, 24..50] {
                let outcome = reassembly.arrive(&fragment(1, 50, later_range), Time::ZERO);
                assert_eq!(outcome, drop_outcome(DropReason::GivenUp, false));
            }
            assert_eq!(reassembly.expire(LIMITS.lifetime), [], "the drop was reported already");
            assert_eq!(
                reassembly.arrive(&fragment(1, 50, 0..8), LIMITS.lifetime),
                KEPT,
                "the identification is free again"
            );
        }
    }
}

#[test]
fn contradicting_lengths_abandon_the_datagram() {
    let cases: [(&str, [Parsed; 2]); 5] = [
        ("two ends", [fragment(1, 50, 40..50), fragment(1, 60, 56..60)]),
        ("beyond the end", [fragment(1, 50, 40..50), fragment(1, 80, 56..64)]),
        ("an end before a stored fragment", [fragment(1, 80, 56..64), fragment(1, 50, 40..50)]),
        ("the end follows", [fragment(1, 48, 40..48), fragment(1, 64, 40..48)]),
        ("an end that differs from the UDP header", [fragment(1, 60, 0..8), fragment(1, 50, 40..50)]),
    ];
    for (description, [one, other]) in cases {
        for pair in [[&one, &other], [&other, &one]] {
            let mut reassembly = Reassembly::new(LIMITS);
            assert_eq!(reassembly.arrive(pair[0], Time::ZERO), KEPT, "{description}");
            assert_eq!(
                reassembly.arrive(pair[1], Time::ZERO),
                drop_outcome(DropReason::Inconsistent, true),
                "{description}"
            );
        }
    }
}

#[test]
fn the_timer_runs_from_the_first_fragment() {
    let mut reassembly = Reassembly::new(LIMITS);
    let seconds = |s: u64| Time::from_us(s * 1_000_000);
    assert_eq!(reassembly.arrive(&fragment(1, 50, 0..16), seconds(1)), KEPT);
    assert_eq!(reassembly.arrive(&fragment(2, 50, 0..16), seconds(2)), KEPT);
    assert_eq!(reassembly.arrive(&fragment(1, 50, 16..24), seconds(20)), KEPT);
    assert_eq!(reassembly.next_timer(), Some(seconds(31)));
    assert_eq!(reassembly.expire(seconds(31) - Time::from_ps(1)), []);
    assert_eq!(reassembly.expire(seconds(31)), [fragment(1, 50, 0..8).key()]);
    assert_eq!((reassembly.datagrams(), reassembly.bytes(), reassembly.next_timer()), (1, 16, Some(seconds(32))));
    assert_eq!(length(reassembly.arrive(&fragment(2, 50, 16..50), seconds(32))), Some(42));
    assert_eq!((reassembly.next_timer(), reassembly.drops().count_of(DropReason::Expired)), (None, 1));
}

#[test]
fn a_fragment_beyond_the_limit_is_dropped_with_its_datagram() {
    let mut reassembly = Reassembly::new(ReassemblyParameters { bytes: 64, ..LIMITS });
    assert_eq!(reassembly.arrive(&fragment(1, 90, 0..40), Time::ZERO), KEPT);
    assert_eq!(reassembly.arrive(&fragment(2, 90, 0..24), Time::ZERO), KEPT);
    assert_eq!(reassembly.arrive(&fragment(2, 90, 24..32), Time::ZERO), drop_outcome(DropReason::NoSpace, true));
    assert_eq!(reassembly.arrive(&fragment(1, 90, 40..64), Time::ZERO), KEPT, "bytes are free again");
    assert_eq!(reassembly.arrive(&fragment(3, 90, 0..8), Time::ZERO), drop_outcome(DropReason::NoSpace, true));
    // The table is full. Only abandoned datagrams are replaced, the oldest first.
    assert_eq!(reassembly.datagrams(), 3);
    let outcome = reassembly.arrive(&fragment(4, 90, 0..8), Time::ZERO);
    assert_eq!((outcome, reassembly.datagrams()), (drop_outcome(DropReason::NoSpace, true), 3));
    assert_eq!(length(reassembly.arrive(&fragment(1, 64 + 8, 64..72), Time::ZERO)), None);
}

#[test]
fn a_full_table_refuses_one_more() {
    let mut reassembly = Reassembly::new(LIMITS);
    for identification in 0..3 {
        assert_eq!(reassembly.arrive(&fragment(identification, 50, 0..8), Time::ZERO), KEPT);
    }
    assert_eq!(reassembly.arrive(&fragment(9, 50, 0..8), Time::ZERO), drop_outcome(DropReason::NoSpace, false));
    assert_eq!(reassembly.arrive(&fragment(1, 50, 0..16), Time::ZERO), drop_outcome(DropReason::Overlap, true));
    assert_eq!(reassembly.arrive(&fragment(9, 50, 0..8), Time::ZERO), KEPT, "an abandoned datagram is replaced");
    assert_eq!(reassembly.arrive(&fragment(1, 50, 8..16), Time::ZERO), drop_outcome(DropReason::NoSpace, false));
}
