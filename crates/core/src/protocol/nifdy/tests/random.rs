//! Random tests of larger cases: any parameters, any mixture of packets, any schedule.

use super::super::*;
use super::model::{Case, CopyLifetime, State};
use super::net::*;
use crate::engine::rng::stream;
use crate::engine::{NodeId, Time};
use proptest::prelude::*;
use rand::RngExt;

fn some_parameters() -> impl Strategy<Value = UnitParameters> {
    let sizes = (1u16..5, 1u16..7, 0u16..3, 1u16..5, 1u16..4);
    (sizes, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(sizes, at_insertion, each_packet, piggybacked)| {
        let (outstanding, pool, dialogs, half, arrivals) = sizes;
        UnitParameters {
            outstanding,
            pool,
            dialogs,
            window: if each_packet { half } else { 2 * half },
            arrivals,
            acknowledge: if at_insertion { AcknowledgeAt::Insertion } else { AcknowledgeAt::Acceptance },
            bulk_acknowledge: if each_packet { BulkAcknowledge::EachPacket } else { BulkAcknowledge::HalfWindow },
            piggybacked,
            retransmission: None,
        }
    })
}

/// Returns a strategy of messages: of one packet, or of several packets that request bulk mode, the last of which
/// leaves it.
fn some_message(nodes: u32) -> impl Strategy<Value = Vec<(NodeId, OutgoingPacket<()>)>> {
    let node = move || (0..nodes).prop_map(NodeId);
    (node(), node(), 1usize..10, 0u8..8).prop_map(|(source, destination, packets, kind)| match kind {
        0 => vec![(source, bypass(destination, ()))],
        1..4 => vec![(source, OutgoingPacket::new(destination, ()))],
        _ => {
            let mut message = vec![(source, long(destination, ())); packets];
            message.push((source, last_of_message(destination, ())));
            message
        }
    })
}

fn some_packets() -> impl Strategy<Value = (u32, Vec<(NodeId, OutgoingPacket<()>)>)> {
    (2u32..5).prop_flat_map(|nodes| {
        let messages = prop::collection::vec(some_message(nodes), 1..12);
        messages.prop_map(move |messages| (nodes, messages.concat()))
    })
}

/// Performs random steps until no step is possible or a limit is reached, and then the steps of a fair schedule.
fn run(case: &Case, seed: u64) {
    let mut state = State::new(case);
    let mut rng = stream(seed, "schedule");
    for _ in 0..5_000 {
        let steps = state.steps(case);
        let Some(chosen) = (!steps.is_empty()).then(|| steps[rng.random_range(0..steps.len())]) else { break };
        state.step(chosen, case);
        assert!(state.is_valid_state(), "each packet once, in order per pair");
    }
    assert!(state.can_complete(case), "a fair schedule delivers all packets");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn each_packet_is_delivered_once_and_in_order(
        parameters in some_parameters(),
        (nodes, packets) in some_packets(),
        may_end_dialog in any::<bool>(),
        answered in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let case = Case { may_end_dialog, ..Case::new(nodes, parameters, packets) };
        run(&if answered { case.answered() } else { case }, seed);
    }

    #[test]
    fn each_packet_is_delivered_once_and_in_order_if_frames_are_dropped(
        parameters in some_parameters(),
        (nodes, packets) in some_packets(),
        may_end_dialog in any::<bool>(),
        keeps_order in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let packets = packets.into_iter().filter(|(_, packet)| packet.acknowledged).collect();
        let case = Case { may_end_dialog, ..Case::new(nodes, parameters, packets) };
        let copies = if keeps_order { CopyLifetime::KeepOrder } else { CopyLifetime::ExpireInTime };
        run(&case.dropping(30, 60, copies), seed);
    }

    /// Tests that all packets for other nodes are delivered while one node accepts none. In this test, the packets for
    /// that node do not fill any pool.
    #[test]
    fn a_node_that_never_accepts_delays_no_other_node(parameters in some_parameters(), packets in 1usize..20) {
        let mut net = Net::new(4, &UnitParameters { pool: 2, outstanding: 2, ..parameters });
        let mut delivered = 0;
        for node in [A, B, C] {
            net.offer(node, long(D, 0));
            delivered += net.run_until_idle(&[D]).len();
        }
        for n in 0..packets {
            for (node, other) in [(A, B), (B, C), (C, A)] {
                net.offer(node, if n + 1 == packets { last_of_message(other, n) } else { long(other, n) });
                delivered += net.run_until_idle(&[D]).len();
            }
        }
        prop_assert_eq!(delivered, 3 * packets);
        let others = [A, B, C].map(|node| net.unit(node).unacknowledged(B) + net.unit(node).unacknowledged(C));
        prop_assert_eq!(others, [0, 0, 0]);
    }
}

#[test]
fn a_packet_is_retransmitted_only_when_its_timer_expires() {
    let retransmission = Some(Retransmission { timeout: Time::from_ns(100) });
    let mut unit = NifdyUnit::new(A, &UnitParameters { retransmission, ..no_bulk() });
    unit.offer(OutgoingPacket::new(B, ())).unwrap();
    let first = unit.next(Time::from_ns(5)).unwrap();
    assert_eq!(unit.next_timer(), Some(Time::from_ns(105)));
    unit.on_time(Time::from_ns(104));
    assert!(!unit.has_next());
    unit.on_time(Time::from_ns(105));
    assert_eq!(unit.next_timer(), None, "no timer runs until the copy leaves");
    assert_eq!(unit.next(Time::from_ns(107)), Some(first.clone()));
    assert_eq!(unit.next_timer(), Some(Time::from_ns(207)));

    let mut receiver = NifdyUnit::new(B, &UnitParameters { retransmission, ..no_bulk() });
    assert!(!receiver.arrive(first.clone()));
    assert!(receiver.arrive(first.clone()), "the slot that the copy took is free");
    assert!(!receiver.has_next(), "the packet is not accepted yet");
    assert!(receiver.accept(Answer::None).is_some());
    let acknowledgement = receiver.next(Time::ZERO).unwrap();
    assert!(receiver.arrive(first));
    assert_eq!(receiver.next(Time::ZERO).unwrap(), acknowledgement, "the first acknowledgement may have been lost");
    assert!(!unit.arrive(acknowledgement.clone()));
    assert!(!unit.arrive(acknowledgement), "the second acknowledgement concerns no outstanding packet");
    assert!(unit.is_idle() && unit.next_timer().is_none());
}

#[test]
fn a_duplicate_is_acknowledged_without_the_answer() {
    let retransmission = Some(Retransmission { timeout: Time::from_ns(100) });
    let parameters = UnitParameters { retransmission, piggybacked: true, ..no_bulk() };
    let (mut unit, mut receiver) = (NifdyUnit::new(A, &parameters), NifdyUnit::new(B, &parameters));
    unit.offer(OutgoingPacket::new(B, ())).unwrap();
    let first = unit.next(Time::ZERO).unwrap();
    assert!(!receiver.arrive(first.clone()));
    receiver.accept(Answer::Follows);
    assert!(!receiver.has_next());
    assert!(receiver.arrive(first));
    assert!(receiver.next(Time::ZERO).is_some_and(|frame| frame.is_acknowledgement()));
    assert!(!receiver.has_next());
}
