//! The cases of the model: all states of each case are explored.

use super::super::*;
use super::model::{Case, CopyLifetime, Step};
use super::net::*;
use crate::engine::NodeId;

fn small_parameters() -> UnitParameters {
    UnitParameters { outstanding: 2, pool: 4, dialogs: 1, window: 2, arrivals: 1, ..UnitParameters::default() }
}

fn scalar() -> UnitParameters {
    UnitParameters { dialogs: 0, ..small_parameters() }
}

fn packets(source: NodeId, all_packets: &[OutgoingPacket<()>]) -> Vec<(NodeId, OutgoingPacket<()>)> {
    all_packets.iter().map(|packet| (source, packet.clone())).collect()
}

fn short(destination: NodeId) -> OutgoingPacket<()> {
    OutgoingPacket::new(destination, ())
}

#[test]
fn scalar_packets_of_a_pair_in_both_directions() {
    let all_packets =
        [packets(A, &[short(B), short(B), short(B)]), packets(B, &[short(A), short(A), short(A)])].concat();
    Case::new(2, scalar(), all_packets.clone()).check();
    Case::new(2, UnitParameters { acknowledge: AcknowledgeAt::Insertion, ..scalar() }, all_packets).check();
}

#[test]
fn scalar_packets_of_three_nodes_with_one_entry_each() {
    let all_packets =
        [packets(A, &[short(B), short(C)]), packets(B, &[short(C), short(A)]), packets(C, &[short(B)])].concat();
    Case::new(3, UnitParameters { outstanding: 1, pool: 1, ..scalar() }, all_packets).check();
}

#[test]
fn two_senders_to_one_receiver_and_packets_that_bypass_the_protocol() {
    let all_packets = [packets(A, &[short(C), bypass(C, ()), short(C)]), packets(B, &[short(C), short(C)])].concat();
    Case::new(3, scalar(), all_packets).check();
}

#[test]
fn answers_that_carry_acknowledgements() {
    let piggybacked = UnitParameters { piggybacked: true, ..scalar() };
    let packets_in_both_directions = [packets(A, &[short(B), short(B)]), packets(B, &[short(A)])].concat();
    Case::new(2, UnitParameters { pool: 1, ..piggybacked }, packets_in_both_directions.clone()).answered().check();
    Case::new(2, piggybacked, packets_in_both_directions).answered().check();
    let packets_around_ring = [packets(A, &[short(B)]), packets(B, &[short(C)]), packets(C, &[short(A)])].concat();
    Case::new(3, UnitParameters { outstanding: 1, ..piggybacked }, packets_around_ring).answered().check();
}

#[test]
fn a_dialog_between_scalar_packets() {
    let long = long(B, ());
    let longs = std::array::from_fn::<_, 6, _>(|_| long.clone());
    let all_packets = [packets(A, &longs), packets(A, &[last_of_message(B, ()), short(B)])].concat();
    Case::new(2, small_parameters(), all_packets.clone()).check();
    let acknowledging_each_packet =
        UnitParameters { bulk_acknowledge: BulkAcknowledge::EachPacket, ..small_parameters() };
    Case::new(2, UnitParameters { window: 3, ..acknowledging_each_packet }, all_packets.clone()).check();
    Case::new(
        2,
        UnitParameters { window: 4, acknowledge: AcknowledgeAt::Insertion, ..small_parameters() },
        all_packets,
    )
    .check();
}

#[test]
fn consecutive_dialogs_with_a_parallel_scalar_stream() {
    let message = [long(B, ()), last_of_message(B, ())];
    let parallel = packets(A, &[short(C), short(C)]);
    let reverse_packets = packets(B, &[short(A)]);
    let all_packets = [packets(A, &message), packets(A, &message), parallel, reverse_packets].concat();
    Case::new(3, small_parameters(), all_packets).check();
}

#[test]
fn two_senders_compete_for_one_dialog() {
    let message = [long(C, ()), long(C, ()), last_of_message(C, ())];
    let all_packets = [packets(A, &message), packets(B, &message[1..])].concat();
    Case::new(3, small_parameters(), all_packets.clone()).check();
    Case::new(3, UnitParameters { dialogs: 2, ..small_parameters() }, all_packets).check();
}

#[test]
fn a_dialog_that_its_receiver_ends() {
    let all_packets = packets(A, &[long(B, ()), long(B, ()), long(B, ()), last_of_message(B, ()), short(B)]);
    for window in [2, 4] {
        Case {
            may_end_dialog: true,
            ..Case::new(2, UnitParameters { window, ..small_parameters() }, all_packets.clone())
        }
        .check();
        let open_dialog_case = Case::new(2, UnitParameters { window, ..small_parameters() }, all_packets[..3].to_vec());
        Case { may_end_dialog: true, ..open_dialog_case }.check();
    }
}

fn three_packets() -> Vec<(NodeId, OutgoingPacket<()>)> {
    packets(A, &[short(B), short(B), short(B)])
}

fn at_insertion() -> UnitParameters {
    UnitParameters { acknowledge: AcknowledgeAt::Insertion, ..scalar() }
}

/// Returns two messages and a scalar packet.
fn two_dialogs() -> Vec<(NodeId, OutgoingPacket<()>)> {
    let message = [long(B, ()), last_of_message(B, ())];
    [packets(A, &message), packets(A, &message), packets(A, &[short(B)])].concat()
}

#[test]
fn one_bit_is_enough_in_a_network_that_keeps_order() {
    for parameters in [scalar(), at_insertion()] {
        Case::new(2, parameters, three_packets()).dropping(3, 4, CopyLifetime::KeepOrder).check();
    }
    let packets = [packets(A, &[short(C), short(C)]), packets(B, &[short(C)])].concat();
    Case::new(3, scalar(), packets).dropping(2, 2, CopyLifetime::KeepOrder).check();
}

#[test]
fn one_bit_is_enough_for_dialogs_in_a_network_that_keeps_order() {
    let long = long(B, ());
    let all_packets = packets(A, &[long.clone(), long.clone(), long.clone(), long, last_of_message(B, ()), short(B)]);
    Case::new(2, small_parameters(), all_packets.clone()).dropping(1, 2, CopyLifetime::KeepOrder).check();
    Case::new(2, UnitParameters { window: 4, ..small_parameters() }, all_packets[1..].to_vec())
        .dropping(1, 2, CopyLifetime::KeepOrder)
        .check();
    Case::new(2, small_parameters(), two_dialogs()).dropping(2, 2, CopyLifetime::KeepOrder).check();
}

#[test]
fn a_dialog_number_is_reused_while_copies_of_its_exit_arrive() {
    let message = [long(C, ()), last_of_message(C, ())];
    let all_packets = [packets(A, &message), packets(B, &message)].concat();
    for copies in [CopyLifetime::KeepOrder, CopyLifetime::ExpireInTime] {
        Case::new(3, small_parameters(), all_packets.clone()).dropping(1, 2, copies).check();
    }
}

#[test]
fn a_dialog_that_its_receiver_ends_while_frames_are_dropped() {
    let all_packets = packets(A, &[long(B, ()), long(B, ()), last_of_message(B, ()), short(B)]);
    for copies in [CopyLifetime::KeepOrder, CopyLifetime::ExpireInTime] {
        Case { may_end_dialog: true, ..Case::new(2, small_parameters(), all_packets.clone()) }
            .dropping(1, 1, copies)
            .check();
    }
}

#[test]
fn answers_that_carry_acknowledgements_are_dropped() {
    let piggybacked = UnitParameters { piggybacked: true, ..scalar() };
    let packets_in_both_directions = [packets(A, &[short(B), short(B)]), packets(B, &[short(A)])].concat();
    for copies in [CopyLifetime::KeepOrder, CopyLifetime::ExpireInTime] {
        Case::new(2, piggybacked, packets_in_both_directions[1..].to_vec()).answered().dropping(2, 2, copies).check();
        Case::new(2, piggybacked, packets_in_both_directions.clone()).answered().dropping(1, 1, copies).check();
    }
}

#[test]
fn one_bit_is_enough_in_a_network_that_reorders_if_copies_expire_in_time() {
    for parameters in [scalar(), at_insertion()] {
        Case::new(2, parameters, three_packets()).dropping(3, 4, CopyLifetime::ExpireInTime).check();
    }
    let packets = [packets(A, &[short(C), short(C)]), packets(B, &[short(C)])].concat();
    Case::new(3, scalar(), packets).dropping(2, 2, CopyLifetime::ExpireInTime).check();
    Case::new(2, small_parameters(), two_dialogs()).dropping(2, 2, CopyLifetime::ExpireInTime).check();
}

/// A run in which the first packet is retransmitted and accepted, and its copy arrives after the second packet was
/// accepted.
const OVERTAKES: [Step; 14] = [
    Step::Offer(A),
    Step::Offer(A),
    Step::Leave(A),
    Step::Arrive(0),
    Step::Timeout(A),
    Step::Leave(A), // the copy
    Step::Accept(B),
    Step::Leave(B), // the acknowledgement
    Step::Arrive(0),
    Step::Leave(A), // the second packet
    Step::Arrive(0),
    Step::Accept(B),
    Step::Arrive(0), // the copy
    Step::Accept(B),
];

#[test]
fn one_bit_is_not_enough_in_a_network_that_reorders_if_copies_do_not_expire() {
    for parameters in [scalar(), at_insertion()] {
        let steps =
            Case::new(2, parameters, three_packets()).dropping(0, 1, CopyLifetime::NeverExpire).counterexample();
        assert_eq!(steps.len(), OVERTAKES.len());
    }
}

#[test]
fn long_timers_are_enough_only_if_acknowledgements_do_not_wait_for_the_processor() {
    let case = |parameters| Case::new(2, parameters, three_packets());
    let steps = case(scalar()).dropping(0, 1, CopyLifetime::ExpireBeforeTimers).counterexample();
    assert_eq!(steps, OVERTAKES);
    case(at_insertion()).dropping(3, 4, CopyLifetime::ExpireBeforeTimers).check();
}
