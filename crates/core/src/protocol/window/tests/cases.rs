//! Tests of each rule by a small scenario; the rules about time are tested in `timeouts`.

use super::super::*;
use super::net::*;
use crate::engine::Time;
use crate::engine::{FlowKey, NodeId};

#[test]
fn a_buffer_is_taken_from_its_reservation_to_its_acknowledgement() {
    let mut net = Net::new(2, &LinkParameters { buffers: 2, ..parameters() });
    assert!(net.link(A).reserve() && net.link(A).reserve() && !net.link(A).reserve());
    net.link(A).offer(B, "one");
    assert_eq!((net.link(A).free_send_slots(), net.link(A).unacknowledged(Some(B))), (0, 1));
    assert_eq!(net.deliver_frames_of(A), [ArrivalOutcome::Readable(1)]);
    assert!(!net.link(A).reserve(), "the acknowledgement is in transit");
    assert_eq!(net.deliver_frames_of(B), [ArrivalOutcome::Freed(1)]);
    assert!(net.link(A).reserve());
    assert_eq!((net.link(A).free_send_slots(), net.link(A).unacknowledged(None)), (0, 0));
    assert!(!net.link(A).is_idle(), "a buffer is reserved");
}

#[test]
#[should_panic(expected = "a packet is offered into a reserved buffer")]
fn no_packet_is_offered_without_a_buffer() {
    Net::new(2, &parameters()).link(A).offer(B, ());
}

#[test]
fn a_window_slides_as_far_as_the_acknowledgement_says() {
    let (mut net, frames) = frames_sent(5, &parameters());
    assert_eq!(numbers(&frames), [0, 1]);
    frames.iter().for_each(|frame| assert_eq!(net.arrive(frame), ArrivalOutcome::Readable(1)));
    let acknowledgements = net.depart(B);
    assert_eq!(numbers(&acknowledgements), [-3], "one acknowledgement covers both packets");
    assert_eq!(net.arrive(&acknowledgements[0]), ArrivalOutcome::Freed(2));
    assert_eq!(
        net.arrive(&acknowledgements[0]),
        ArrivalOutcome::Freed(0),
        "a copy of the acknowledgement frees no buffer"
    );
    assert_eq!(numbers(&net.depart(A)), [2, 3]);
    assert_eq!((net.link(A).unacknowledged(Some(B)), net.link(A).unacknowledged(Some(C))), (3, 0));
    let (front, read) = (net.link(B).front().map(|(from, id)| (from, *id)), net.read_all(B));
    assert_eq!((front, read), (Some((A, 0)), vec![0, 1]));
}

#[test]
fn the_oldest_offered_whose_window_is_open_leaves_first() {
    let mut net = Net::new(3, &parameters());
    for (packet, to) in [B, B, B, C, B, C].into_iter().enumerate() {
        net.offer(A, to, packet);
    }
    let departed: Vec<_> = net.depart(A).into_iter().map(|frame| (frame.to, frame.body.unwrap())).collect();
    assert_eq!(departed, [(B, 0), (B, 1), (C, 3), (C, 5)]);
}

#[test]
fn an_acknowledgement_leaves_first_then_a_copy_then_a_new_packet() {
    let (mut net, frames) = frames_sent(1, &parameters());
    net.offer(B, A, 7);
    net.deliver_frames_of(B);
    net.offer(A, B, 1);
    net.wait_until(Time::from_ns(100));
    let next = net.depart(A);
    assert_eq!(numbers(&next), [-2, 0, 1]);
    assert_eq!(next.iter().map(|frame| frame.is_retransmission).collect::<Vec<_>>(), [false, true, false]);
    assert_eq!(next[1].body, frames[0].body);
}

#[test]
fn early_packets_are_kept_and_delivered_in_order() {
    let (mut net, frames) = frames_sent(4, &LinkParameters { window: 4, reorder: 4, ..parameters() });
    assert_eq!([3, 1].map(|n| net.arrive(&frames[n])), [ArrivalOutcome::Kept; 2]);
    assert_eq!((net.arrive(&frames[3]), net.read(B)), (ArrivalOutcome::Duplicate, None));
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Readable(2));
    assert_eq!(net.arrive(&frames[2]), ArrivalOutcome::Readable(2));
    assert_eq!(net.read_all(B), [0, 1, 2, 3]);
}

#[test]
fn without_reorder_buffers_a_packet_ahead_of_its_turn_is_refused() {
    let (mut net, frames) = frames_sent(2, &LinkParameters { reorder: 0, ..parameters() });
    assert_eq!(net.arrive(&frames[1]), ArrivalOutcome::Refused);
    assert_eq!(numbers(&net.depart(B)), [-1], "the acknowledgement carries the next expected number");
    assert_eq!([0, 1].map(|n| net.arrive(&frames[n])), [ArrivalOutcome::Readable(1); 2]);
    assert_eq!(net.link(B).statistics().refused, 1);
}

#[test]
fn a_packet_without_a_slot_is_stored_and_acknowledged_when_it_gets_one() {
    let (mut net, frames) = frames_sent(2, &LinkParameters { arrivals: 1, ..parameters() });
    assert_eq!([0, 1].map(|n| net.arrive(&frames[n])), [ArrivalOutcome::Readable(1), ArrivalOutcome::Kept]);
    assert_eq!(numbers(&net.depart(B)), [-2]);
    let (_, id, slot) = net.link(B).take().unwrap();
    assert_eq!((id, net.link(B).take()), (0, None));
    assert!(net.link(B).release(slot));
    assert_eq!((net.read_all(B), numbers(&net.depart(B))), (vec![1], vec![-3]));
}

#[test]
fn a_packet_without_slot_and_buffer_is_refused_and_sent_again() {
    let (mut net, frames) = frames_sent(2, &LinkParameters { arrivals: 1, reorder: 0, ..parameters() });
    assert_eq!([0, 1].map(|n| net.arrive(&frames[n])), [ArrivalOutcome::Readable(1), ArrivalOutcome::Refused]);
    net.deliver_frames_of(B);
    assert_eq!(net.read_all(B), [0]);
    net.wait_until(Time::from_ns(100));
    assert_eq!(net.deliver_frames_of(A), [ArrivalOutcome::Readable(1)]);
    assert_eq!(net.read_all(B), [1]);
}

#[test]
fn senders_take_turns_for_slots() {
    let mut net = Net::new(3, &LinkParameters { arrivals: 1, ..parameters() });
    for packet in 0..3 {
        net.offer(A, C, packet);
        net.offer(B, C, 10 + packet);
    }
    let mut read = Vec::new();
    while read.len() < 6 {
        for node in [A, B, C] {
            net.deliver_frames_of(node);
        }
        read.extend(net.read(C).map(|(_, packet)| packet));
    }
    assert_eq!(read, [0, 1, 10, 2, 11, 12]);
}

#[test]
#[should_panic(expected = "a slot is released once")]
fn a_slot_is_released_once() {
    let (mut net, frames) = frames_sent(1, &parameters());
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Readable(1));
    let (_, _, slot) = net.link(B).take().unwrap();
    net.link(B).release(slot);
    net.link(B).release(slot);
}

#[test]
fn a_late_copy_is_acknowledged_again_and_not_delivered() {
    let (mut net, frames) = frames_sent(1, &parameters());
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Readable(1));
    let lost_frames = net.depart(B);
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Duplicate);
    assert_eq!(net.depart(B), lost_frames);
    assert_eq!(net.read_all(B), [0]);
}

#[test]
fn numbers_wrap_around() {
    let mut net = Net::new(2, &LinkParameters { sequence_bits: 2, ..parameters() });
    for packet in 0..23 {
        net.offer(A, B, packet);
        net.deliver_frames_of(A);
        net.deliver_frames_of(B);
        assert_eq!(net.read_all(B), [packet]);
    }
    assert!(net.links.iter().all(WindowLink::is_idle));
    let mut arrive = |id: u32| {
        let header = WindowHeader::Data { sequence: id % 4 };
        net.arrive(&WindowFrame { from: A, to: B, flow: FlowKey(0), header, body: Some(id), is_retransmission: false })
    };
    assert_eq!(arrive(23), ArrivalOutcome::Readable(1));
    assert_eq!(
        [22, 23].map(arrive),
        [ArrivalOutcome::Duplicate; 2],
        "numbers within one window before the next are duplicates"
    );
}

#[test]
fn a_node_may_send_to_itself() {
    let mut net = Net::new(1, &parameters());
    net.offer(A, A, "note");
    assert_eq!(
        (net.deliver_frames_of(A), net.deliver_frames_of(A)),
        (vec![ArrivalOutcome::Readable(1)], vec![ArrivalOutcome::Freed(1)])
    );
    assert_eq!(net.read(A), Some((A, "note")));
    assert!(net.link(A).is_idle());
}

#[test]
fn state_grows_with_the_number_of_peers() {
    let mut net = Net::new(3, &parameters());
    let before = net.link(A).state_bytes(256);
    assert_eq!(before, (8 + 4) * (256 + 4));
    net.offer(A, B, ());
    net.deliver_frames_of(A);
    assert_eq!(net.link(A).state_bytes(256) - before, 4 + 3 + 8);
    assert_eq!(net.link(B).state_bytes(256) - before, 4 + 2 + 2 * 256 + 1);
    assert_eq!(net.link(C).state_bytes(256), before);
}

#[test]
#[should_panic(expected = "a frame goes where it is addressed")]
fn a_misrouted_frame_panics() {
    let (mut net, frames) = frames_sent(1, &parameters());
    let _ = net.link(C).arrive(frames[0].clone(), Time::ZERO);
}

#[test]
#[should_panic(expected = "a peer that acknowledges was sent a packet")]
fn an_acknowledgement_from_an_unknown_peer_panics() {
    let (mut net, _) = frames_sent(1, &parameters());
    let header = WindowHeader::Acknowledgement { next: 1 };
    let _ = net.link(A).arrive(
        WindowFrame { from: NodeId(9), to: A, flow: FlowKey(0), header, body: None, is_retransmission: false },
        Time::ZERO,
    );
}
