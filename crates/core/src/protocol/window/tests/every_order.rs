//! The cases of the model: all states of each case are explored.

use super::super::*;
use super::model::{Case, Network, POSITIONS_MATCH, SAFETY};
use super::net::*;
use super::state::Step;
use crate::engine::NodeId;
use crate::engine::Time;

/// Returns parameters with `window` packets and reorder buffers, and sequence numbers of `sequence_bits` bits.
fn window_parameters(window: u32, sequence_bits: u32) -> LinkParameters {
    let timeout = Time::from_ps(1);
    let base = LinkParameters { timeout, timeout_max: timeout, ..parameters() };
    LinkParameters { window, reorder: window, buffers: window, arrivals: 1, sequence_bits, ..base }
}

/// Returns a case with `packets` packets from A to B.
fn pair(packets: usize, parameters: LinkParameters, network: Network) -> Case {
    Case { nodes: 2, parameters, packets: vec![(A, B); packets], network }
}

/// Asserts that parameters are valid, and returns them.
fn assert_valid(parameters: LinkParameters) -> LinkParameters {
    assert_eq!(parameters.check(), []);
    parameters
}

const KEEPS_ORDER: Network = Network::KeepsOrder { frames: 2 };

#[test]
fn half_the_numbers_are_enough_where_order_is_kept() {
    pair(4, assert_valid(window_parameters(1, 1)), Network::KeepsOrder { frames: 3 }).check();
    pair(6, assert_valid(window_parameters(2, 2)), KEEPS_ORDER).check();
    pair(4, assert_valid(window_parameters(2, 2)), Network::KeepsOrder { frames: 3 }).check();
}

#[test]
fn half_the_numbers_are_enough_with_fewer_reorder_buffers() {
    for reorder in [0, 1] {
        pair(5, assert_valid(LinkParameters { reorder, ..window_parameters(2, 2) }), KEEPS_ORDER).check();
    }
}

/// Tests Tanenbaum's example (§3.4.3): the whole window is accepted, its acknowledgements are lost, and the copy of its
/// first packet is mistaken for the first packet of the next window.
#[test]
fn more_than_half_the_numbers_are_too_many() {
    let parameters = window_parameters(3, 2);
    assert_eq!(parameters.check()[0].0, "window");
    let steps = pair(4, parameters, Network::KeepsOrder { frames: 3 }).counterexample(SAFETY);
    assert!(steps.contains(&Step::Timeout(A)), "{steps:?}");
}

#[test]
fn numbers_used_once_are_safe_in_any_network() {
    for (packets, parameters) in [
        (1, window_parameters(1, 1)),
        (3, window_parameters(1, 2)),
        (2, window_parameters(2, 2)),
        (6, window_parameters(2, 3)),
    ] {
        let order = FabricOrder::Any { packets: packets as u64 };
        pair(packets, assert_valid(LinkParameters { order, ..parameters }), Network::AnyOrderAndCopies).check();
    }
    for reorder in [0, 1] {
        let order = FabricOrder::Any { packets: 5 };
        pair(5, assert_valid(LinkParameters { reorder, order, ..window_parameters(3, 3) }), Network::AnyOrderAndCopies)
            .check();
    }
}

/// Tests that with M numbers and M packets, one packet is delivered twice without any loss.
#[test]
fn a_reused_sequence_number_is_confused_with_its_copy() {
    for (bits, parameters) in [1, 2, 2, 3].into_iter().zip([
        window_parameters(1, 1),
        window_parameters(1, 2),
        window_parameters(2, 2),
        window_parameters(2, 3),
    ]) {
        let steps = pair(1 << bits, parameters, Network::AnyOrderAndCopies).counterexample(SAFETY);
        assert!(steps.iter().all(|step| !matches!(step, Step::Lose(_))), "{steps:?}");
    }
}

/// Tests that with one packet more than M − W, a copy of the first packet is mistaken for a packet ahead of the
/// sequence.
#[test]
fn numbers_minus_window_is_the_largest_safe_number_of_packets() {
    for (packets, parameters) in
        [(3, window_parameters(2, 2)), (7, window_parameters(2, 3)), (6, window_parameters(3, 3))]
    {
        let order = FabricOrder::Any { packets };
        assert_eq!(LinkParameters { order, ..parameters }.check()[0].0, "packets");
        pair(packets as usize, parameters, Network::AnyOrderAndCopies).counterexample(POSITIONS_MATCH);
    }
}

/// Returns a case with windows of one packet, and lifetimes and spacings in ticks.
fn lifetime_case(sequence_bits: u32, lifetime: u8, spacing: u8) -> (LinkParameters, Case) {
    let [lifetime_time, spacing_time] = [lifetime, spacing].map(|ticks| Time::from_ps(u64::from(ticks)));
    let order = FabricOrder::Lifetime { lifetime: lifetime_time, spacing: spacing_time };
    let parameters = window_parameters(1, sequence_bits);
    // The network enforces the spacing, because the link's clock does not advance in the model.
    let case = pair(5, parameters, Network::ExpireInTime { lifetime, spacing });
    (LinkParameters { order, ..parameters }, case)
}

#[test]
fn sequence_numbers_may_be_reused_when_their_copies_have_expired() {
    for (bits, lifetime, spacing) in [(2, 1, 1), (2, 3, 2)] {
        let (parameters, case) = lifetime_case(bits, lifetime, spacing);
        assert_valid(parameters);
        case.check();
    }
}

#[test]
fn sequence_numbers_may_not_be_reused_a_tick_before_their_copies_expire() {
    for (bits, lifetime, spacing) in [(1, 1, 1), (2, 2, 1), (2, 4, 2)] {
        let (parameters, case) = lifetime_case(bits, lifetime, spacing);
        assert_eq!(parameters.check()[0].0, "lifetime");
        case.counterexample(SAFETY);
    }
}

#[test]
fn two_senders_compete_for_one_slot() {
    let packets = vec![(A, C), (A, C), (B, C)];
    for reorder in [0, 2] {
        let parameters = assert_valid(LinkParameters { reorder, ..window_parameters(2, 2) });
        let network = Network::KeepsOrder { frames: 1 };
        Case { nodes: 3, parameters, packets: packets.clone(), network }.check();
    }
}

#[test]
fn traffic_in_both_directions_and_to_two_destinations_with_one_buffer() {
    let parameters =
        assert_valid(LinkParameters { buffers: 1, order: FabricOrder::Any { packets: 2 }, ..window_parameters(1, 2) });
    let case = |packets: &[(NodeId, NodeId)]| {
        let packets = packets.to_vec();
        Case { nodes: 3, parameters, packets, network: Network::AnyOrderAndCopies }
    };
    case(&[(A, B), (A, B), (B, A), (B, A)]).check();
    case(&[(A, B), (A, C), (A, B), (A, C)]).check();
}

#[test]
fn acknowledgements_for_two_packets_or_after_a_delay() {
    let acknowledging_every_second = LinkParameters { acknowledge_every: 2, ..window_parameters(2, 2) };
    pair(5, assert_valid(acknowledging_every_second), KEEPS_ORDER).check();
    let order = FabricOrder::Any { packets: 5 };
    pair(
        5,
        assert_valid(LinkParameters { order, sequence_bits: 3, ..acknowledging_every_second }),
        Network::AnyOrderAndCopies,
    )
    .check();
}
