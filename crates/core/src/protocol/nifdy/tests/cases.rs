//! Tests of each statement of the paper.

use super::super::*;
use super::net::*;
use crate::engine::Time;

#[test]
fn parameters_that_cannot_work_are_refused() {
    let keys = |parameters: UnitParameters| parameters.check().into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    assert_eq!(keys(UnitParameters::default()), [""; 0]);
    let zeros = UnitParameters { outstanding: 0, pool: 0, arrivals: 0, window: 0, ..parameters() };
    assert_eq!(keys(zeros), ["outstanding", "pool", "receive-buffers", "window"]);
    let odd_window = UnitParameters { window: 3, ..parameters() };
    assert_eq!(keys(odd_window), ["window"]);
    assert_eq!(keys(UnitParameters { bulk_acknowledge: BulkAcknowledge::EachPacket, ..odd_window }), [""; 0]);
    assert_eq!(keys(UnitParameters { window: 0, dialogs: 0, ..parameters() }), [""; 0]);
    let retransmission = Some(Retransmission { timeout: Time::ZERO });
    assert_eq!(keys(UnitParameters { retransmission, ..parameters() }), ["retransmission.timeout"]);
}

#[test]
fn at_most_one_scalar_packet_per_destination_and_one_per_table_entry() {
    let mut net = Net::new(4, &no_bulk());
    net.offer(A, OutgoingPacket::new(B, 1));
    net.offer(A, OutgoingPacket::new(B, 2));
    net.offer(A, OutgoingPacket::new(C, 3));
    net.offer(A, OutgoingPacket::new(D, 4));
    assert_eq!(
        net.unit(A).offer(OutgoingPacket::new(B, 5)),
        Err(OutgoingPacket::new(B, 5)),
        "the pool has four buffers"
    );
    assert_eq!(
        net.leave_all(A),
        [Some(1), Some(3)],
        "packet 2 waits for packet 1, and packet 4 for an entry of the outstanding-packet table"
    );
    net.arrive_all(B);
    assert_eq!(net.accept_all(B), [(A, 1)]);
    assert_eq!(net.leave_all(B), [None]);
    net.arrive_all(A);
    assert_eq!(net.leave_all(A), [Some(2)], "the oldest eligible packet leaves");
    net.check();
    assert_eq!(net.run_until_idle(&[]), [(A, B, 2), (A, C, 3), (A, D, 4)]);
    assert!(net.is_idle());
}

#[test]
fn acknowledged_when_accepted_or_when_inserted() {
    for (acknowledge, at_insertion) in [(AcknowledgeAt::Acceptance, 0), (AcknowledgeAt::Insertion, 1)] {
        let mut net = Net::new(2, &UnitParameters { acknowledge, ..no_bulk() });
        net.offer(A, OutgoingPacket::new(B, ()));
        net.leave_all(A);
        net.arrive_all(B);
        assert_eq!(net.leave_all(B).len(), at_insertion);
        net.accept_all(B);
        assert_eq!(net.leave_all(B).len(), 1 - at_insertion);
    }
}

#[test]
fn a_node_that_ignores_the_network_receives_one_packet_per_sender_and_delays_no_other() {
    let mut net = Net::new(3, &no_bulk());
    for n in 0..10 {
        let _ = net.unit(A).offer(OutgoingPacket::new(C, n));
        let _ = net.unit(B).offer(OutgoingPacket::new(C, n));
        assert_eq!(net.run_until_idle(&[C]), []);
        for (node, other) in [(A, B), (B, A)] {
            assert_eq!(net.unit(node).unacknowledged(C), 1);
            if net.unit(node).has_capacity() {
                net.offer(node, OutgoingPacket::new(other, n));
                assert_eq!(net.run_until_idle(&[C]), [(node, other, n)]);
            }
        }
    }
    assert_eq!(net.unit(C).arrived(), 2);
    assert_eq!(net.transit, []);
    let payloads_from_a: Vec<i32> =
        net.run_until_idle(&[]).iter().filter(|(source, ..)| *source == A).map(|(.., n)| *n).collect();
    assert_eq!(payloads_from_a, [0, 1, 2, 3, 4], "one packet is outstanding, and four are in the pool");
}

/// Returns a network with a dialog from A to B, which packet 0 requested. The packets `waiting` are in the pool of A.
fn in_dialog(parameters: &UnitParameters, waiting: &[u32]) -> Net<u32> {
    let mut net = Net::new(3, parameters);
    net.offer(A, long(B, 0));
    assert_eq!(net.run_until_idle(&[]), [(A, B, 0)]);
    assert_eq!((net.unit(A).dialog(), net.unit(B).dialogs().collect::<Vec<_>>()), (Some(B), vec![A]));
    waiting.iter().for_each(|&n| net.offer(A, long(B, n)));
    net
}

#[test]
fn a_dialog_has_a_window_of_packets_in_flight_and_no_entry_of_the_table() {
    let mut net = in_dialog(&UnitParameters { pool: 8, ..parameters() }, &[1, 2, 3, 4, 5]);
    net.offer(A, OutgoingPacket::new(C, 6));
    assert_eq!(net.leave_all(A), [1, 2, 3, 4, 6].map(Some), "5 waits for the window");
    assert_eq!((net.unit(A).outstanding(), net.unit(A).unacknowledged(B)), (1, 4));
    assert!(net.transit.iter().all(|frame| frame.needs_slot() == (frame.destination == C)));
}

#[test]
fn bulk_packets_are_put_in_order_and_acknowledged_by_half_windows() {
    let mut net = in_dialog(&UnitParameters { pool: 8, ..parameters() }, &[1, 2, 3, 4, 5, 6]);
    net.leave_all(A);
    net.arrive(3);
    net.arrive(1);
    assert_eq!(net.accept_all(B), [], "2 and 4 wait for 1");
    net.arrive(0);
    assert_eq!(net.accept(B, Answer::None), Some((A, 1)));
    assert!(!net.unit(B).has_next());
    assert_eq!(net.accept(B, Answer::None), Some((A, 2)), "half a window is accepted");
    assert_eq!(net.accept(B, Answer::None), None, "4 waits for 3");
    assert_eq!(net.leave_all(B), [None]);
    net.arrive_all(A);
    assert_eq!(net.leave_all(A), [Some(5), Some(6)], "the other half is still in flight");
    net.check();
    assert_eq!(net.run_until_idle(&[]).iter().map(|(.., n)| *n).collect::<Vec<_>>(), [3, 4, 5, 6]);
    assert_eq!(
        net.unit(B).statistics().acknowledgements,
        1 + 3,
        "one acknowledges the request, and three acknowledge half a window each"
    );
}

#[test]
fn each_bulk_packet_may_be_acknowledged() {
    let each_packet = UnitParameters { bulk_acknowledge: BulkAcknowledge::EachPacket, window: 3, ..parameters() };
    let mut net = in_dialog(&each_packet, &[1, 2, 3, 4]);
    assert_eq!(net.leave_all(A), [1, 2, 3].map(Some));
    net.arrive_all(B);
    net.accept(B, Answer::None);
    net.leave_all(B);
    net.arrive_all(A);
    assert_eq!(net.leave_all(A), [Some(4)]);
    net.run_until_idle(&[]);
    assert_eq!(net.unit(B).statistics().acknowledgements, 1 + 4);
}

#[test]
fn acknowledgements_of_halves_may_overtake_each_other() {
    let mut net = in_dialog(&UnitParameters { pool: 8, ..parameters() }, &[1, 2, 3, 4, 5, 6]);
    net.leave_all(A);
    net.arrive_all(B);
    assert_eq!(net.accept_all(B).len(), 4);
    net.leave_all(B);
    net.arrive(1);
    assert_eq!(
        (net.unit(A).unacknowledged(B), net.unit(A).has_next()),
        (2, false),
        "the window still begins at packet 1"
    );
    net.check();
    net.arrive(0);
    assert_eq!(net.leave_all(A), [Some(5), Some(6)]);
}

#[test]
fn the_exit_bit_ends_a_dialog_in_the_middle_of_a_half() {
    let mut net = in_dialog(&parameters(), &[1, 2]);
    net.offer(A, last_of_message(B, 3));
    net.offer(A, OutgoingPacket::new(B, 4));
    assert_eq!(net.leave_all(A), [1, 2, 3].map(Some), "no scalar packet overtakes the dialog");
    net.transit.reverse();
    net.arrive_all(B);
    assert_eq!(net.accept_all(B), [(A, 1), (A, 2), (A, 3)]);
    assert_eq!(net.unit(B).dialogs().count(), 0);
    assert_eq!(net.leave_all(B), [None, None], "one acknowledges half a window, and one the last packet");
    net.transit.reverse();
    net.arrive(0);
    assert!(!net.unit(A).has_next());
    net.arrive(0);
    assert_eq!(net.unit(A).dialog(), None);
    assert_eq!(net.run_until_idle(&[]), [(A, B, 4)]);
    assert!(net.is_idle());
}

#[test]
fn a_request_beyond_d_dialogs_is_rejected_and_may_be_made_again() {
    let mut net = in_dialog(&parameters(), &[]);
    net.offer(C, long(B, 10));
    net.offer(C, long(B, 11));
    assert_eq!(net.run_until_idle(&[]), [(C, B, 10), (C, B, 11)], "scalar packets are delivered");
    assert_eq!((net.unit(C).dialog(), net.unit(B).statistics().rejected), (None, 2));
    net.offer(A, last_of_message(B, 1));
    net.run_until_idle(&[]);
    net.offer(C, long(B, 12));
    assert_eq!(net.run_until_idle(&[]), [(C, B, 12)]);
    assert_eq!(net.unit(C).dialog(), Some(B));
}

#[test]
fn a_sender_requests_one_dialog_only() {
    let mut net = Net::new(3, &parameters());
    net.offer(A, long(B, 0));
    net.offer(A, long(C, 1));
    let requests = [net.depart(A), net.depart(A)].map(|frame| match frame.unwrap().header {
        NifdyHeader::Scalar(scalar) => scalar.bulk_request,
        header => panic!("{header:?}"),
    });
    assert_eq!(requests, [true, false]);
    net.run_until_idle(&[]);
    net.offer(A, long(C, 2));
    net.run_until_idle(&[]);
    assert_eq!((net.unit(A).dialog(), net.unit(C).statistics().granted), (Some(B), 0));
}

#[test]
fn the_last_packet_and_a_unit_without_bulk_mode_request_no_dialog() {
    for (parameters, packet) in [(parameters(), last_of_message(B, 0)), (no_bulk(), long(B, 0))] {
        let mut net = Net::new(2, &parameters);
        net.offer(A, packet);
        net.run_until_idle(&[]);
        assert_eq!((net.unit(A).dialog(), net.unit(B).statistics().rejected), (None, 0));
    }
}

#[test]
fn a_receiver_that_ignores_the_network_never_blocks_it_with_bulk_packets() {
    let mut net = in_dialog(&UnitParameters { pool: 8, ..parameters() }, &[1, 2, 3, 4, 5]);
    assert_eq!(net.run_until_idle(&[B]), []);
    assert_eq!(net.transit, [], "all four packets are in reorder buffers");
    assert_eq!(net.unit(B).arrived(), 4);
    net.offer(A, OutgoingPacket::new(C, 9));
    net.offer(C, OutgoingPacket::new(B, 8));
    assert_eq!(net.run_until_idle(&[B]), [(A, C, 9)]);
    assert_eq!(net.run_until_idle(&[]).len(), 6);
}

#[test]
fn a_receiver_ends_a_dialog_and_the_next_packet_is_its_last() {
    let mut net = in_dialog(&parameters(), &[1, 2]);
    net.leave_all(A);
    assert!(net.unit(B).end_dialog(A));
    assert!(!net.unit(B).end_dialog(C), "C has no dialog");
    net.offer(A, OutgoingPacket::new(B, 3));
    net.offer(A, OutgoingPacket::new(B, 4));
    net.leave_all(B);
    net.arrive_all(A);
    assert_eq!(net.leave_all(A), [Some(3)]);
    assert!(matches!(net.transit.last().unwrap().header, NifdyHeader::Bulk(Bulk { bulk_exit: true, .. })));
    assert_eq!(net.run_until_idle(&[]), [1, 2, 3, 4].map(|n| (A, B, n)));
    assert_eq!((net.unit(A).dialog(), net.unit(B).dialogs().count()), (None, 0));
    assert!(net.is_idle());
}

#[test]
fn a_dialog_without_waiting_packets_ends_with_an_empty_packet() {
    for packets in 0..4 {
        let mut net = in_dialog(&parameters(), &[1, 2, 3][..packets]);
        net.leave_all(A);
        net.unit(B).end_dialog(A);
        assert_eq!(net.leave_all(B), [None]);
        net.arrive_all(A);
        assert_eq!(net.leave_all(A), [None]);
        net.transit.reverse();
        assert_eq!(net.run_until_idle(&[]).len(), packets);
        assert_eq!((net.unit(A).dialog(), net.unit(B).dialogs().count()), (None, 0));
        assert!(net.is_idle());
    }
}

#[test]
fn a_packet_that_bypasses_the_protocol_is_eligible_at_once_and_not_acknowledged() {
    let mut net = Net::new(2, &UnitParameters { outstanding: 1, ..no_bulk() });
    net.offer(A, OutgoingPacket::new(B, 1));
    net.offer(A, OutgoingPacket::new(B, 2));
    net.offer(A, bypass(B, 3));
    net.offer(A, bypass(B, 4));
    assert_eq!(net.leave_all(A), [1, 3, 4].map(Some));
    assert_eq!(net.run_until_idle(&[]).len(), 4);
    assert_eq!((net.unit(B).statistics().acknowledgements, net.unit(A).statistics().unacknowledged), (2, 2));
}

#[test]
fn an_acknowledgement_is_piggybacked_on_the_answer() {
    let mut net = Net::new(2, &UnitParameters { piggybacked: true, ..no_bulk() });
    net.offer(A, OutgoingPacket::new(B, "ask"));
    net.leave_all(A);
    net.arrive_all(B);
    net.accept(B, Answer::Follows);
    assert!(!net.unit(B).has_next(), "the acknowledgement waits for the answer");
    net.offer(B, answer(A, "answer"));
    assert_eq!(net.leave_all(B), [Some("answer")]);
    assert!(net.transit[0].piggybacked.is_some());
    net.arrive_all(A);
    assert_eq!(net.unit(A).outstanding(), 0);
    net.run_until_idle(&[]);
    assert_eq!((net.unit(B).statistics().piggybacked, net.unit(B).statistics().acknowledgements), (1, 0));
    assert!(net.is_idle());
}

#[test]
fn an_acknowledgement_does_not_wait_for_an_answer_that_cannot_leave() {
    let mut net = Net::new(2, &UnitParameters { piggybacked: true, ..no_bulk() });
    // Both nodes request, accept and answer: each answer waits for the acknowledgement that would be piggybacked on the
    // other.
    for (node, other) in [(A, B), (B, A)] {
        net.offer(node, OutgoingPacket::new(other, "ask"));
        net.leave_all(node);
    }
    for (node, other) in [(A, B), (B, A)] {
        net.arrive_all(node);
        net.accept(node, Answer::Follows);
        net.offer(node, answer(other, "answer"));
    }
    assert_eq!((net.leave_all(A), net.leave_all(B)), (vec![None], vec![None]));
    assert_eq!(net.run_until_idle(&[]).len(), 2);
}

#[test]
fn an_acknowledgement_does_not_wait_if_no_answer_can_be_offered_or_will_come() {
    let mut net = Net::new(3, &UnitParameters { piggybacked: true, pool: 1, outstanding: 1, ..no_bulk() });
    net.offer(A, OutgoingPacket::new(B, 1));
    net.offer(B, OutgoingPacket::new(C, 2));
    net.leave_all(A);
    net.arrive_all(B);
    net.accept(B, Answer::Follows);
    assert_eq!(net.depart(B).unwrap().body, None, "the pool is full");

    let mut net = Net::new(2, &UnitParameters { piggybacked: true, ..no_bulk() });
    net.offer(A, OutgoingPacket::new(B, 1));
    net.leave_all(A);
    net.arrive_all(B);
    net.accept(B, Answer::Follows);
    assert!(!net.unit(B).has_next());
    net.unit(B).cancel_answer(A);
    assert_eq!(net.leave_all(B), [None]);
}

#[test]
fn state_grows_with_the_parameters_and_not_with_use() {
    let bytes = |parameters: UnitParameters| NifdyUnit::<()>::new(A, &parameters).state_bytes(32);
    let base = bytes(no_bulk());
    assert_eq!(bytes(UnitParameters { pool: 5, ..no_bulk() }) - base, 32 + 3, "a buffer, a tag of 16 bits, a rank");
    assert_eq!(bytes(UnitParameters { outstanding: 3, ..no_bulk() }) - base, 2, "a tag of 16 bits");
    assert_eq!(bytes(UnitParameters { arrivals: 3, ..no_bulk() }) - base, 32);
    let dialog = |dialogs| bytes(UnitParameters { dialogs, ..parameters() });
    assert_eq!(dialog(3) - dialog(2), 4 * 33 + 4, "W buffers and their numbers, the source, the window");
    let retransmission = Some(Retransmission { timeout: Time::from_us(1) });
    assert_eq!(bytes(UnitParameters { retransmission, ..no_bulk() }) - base, 2 * (32 + 4), "a copy and a timer each");
}

#[test]
fn state_bytes_count_peak_occupancy() {
    let (mut unit, mut peak) = (NifdyUnit::new(A, &no_bulk()), PeakOccupancy::default());
    peak.record(&unit, 0);
    assert_eq!(peak.bytes(32), 0);
    for to in [B, C, D] {
        assert!(unit.offer(OutgoingPacket::new(to, ())).is_ok());
        peak.record(&unit, 0);
    }
    assert_eq!(peak.bytes(32), 3 * 35, "three of the pool's four buffers");
    while unit.next_packet(Time::ZERO).is_some() {
        peak.record(&unit, 0);
    }
    assert_eq!(peak.bytes(32), 3 * 35 + 2 * 2, "two are outstanding, and the pool's peak remains");
    peak.record(&unit, 4);
    assert_eq!(peak.bytes(32), 5 * 35 + 2 * 2, "one waits, and four are composed");
}

#[test]
#[should_panic(expected = "a scalar packet waits in the network until a slot is free")]
fn a_packet_without_a_free_slot_panics() {
    let mut net = Net::new(3, &UnitParameters { arrivals: 1, ..no_bulk() });
    for node in [A, C] {
        net.offer(node, OutgoingPacket::new(B, ()));
        let frame = net.unit(node).next(Time::ZERO).unwrap();
        let _ = net.unit(B).arrive(frame);
    }
}

#[test]
#[should_panic(expected = "came twice")]
fn a_network_that_duplicates_packets_is_detected() {
    let mut net = in_dialog(&parameters(), &[1]);
    let frame = net.unit(A).next(Time::ZERO).unwrap();
    let _ = net.unit(B).arrive(frame.clone());
    let _ = net.unit(B).arrive(frame);
}
