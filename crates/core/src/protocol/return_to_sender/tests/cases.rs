//! Tests of each statement of Mukherjee and Hill (1998), §5.1.2.

use super::super::*;
use super::net::*;
use crate::engine::Time;

const START: Time = Time::ZERO;

fn ns(ns: u64) -> Time {
    Time::from_ns(ns)
}

fn one_buffer(retry: Retry) -> FlowControlParameters {
    FlowControlParameters::symmetric(Buffers::finite(1).unwrap(), retry)
}

#[test]
fn a_buffer_is_freed_by_the_acknowledgment_and_not_before() {
    let mut net = Net::pair(buffers(1));
    let one = net.send(A, B, "one").unwrap();
    assert_eq!(net.send(A, B, "two"), Err("two"), "the only buffer is in flight");
    net.deliver(one, START);
    assert_eq!(net.send(A, B, "two"), Err("two"), "the acknowledgment is in transit");
    assert_eq!(net.deliver(one, START), Some(ReplyOutcome::Freed(one.1)));
    assert!(net.send(A, B, "two").is_ok());
}

#[test]
fn a_packet_without_receive_buffer_returns_to_its_outgoing_buffer_and_is_retried() {
    let mut net = Net::pair(buffers(2));
    for payload in ["one", "two"] {
        let flight = net.send(A, B, payload).unwrap();
        assert_eq!(net.round_trip(flight, START), ReplyOutcome::Freed(flight.1));
    }
    let three = net.send(A, B, "three").unwrap();
    assert_eq!(net.round_trip(three, ns(7)), ReplyOutcome::Bounced { buffer: three.1, retry_at: ns(7) });
    let census = net.node(A).outgoing.census();
    assert_eq!((census.free, census.in_flight, census.bounced), (Some(1), 0, 1));

    assert_eq!(net.node(B).incoming.drain(), Some((A, "one")));
    assert_eq!(net.retry(A, ns(7)), Some(three), "the retry uses the same buffer");
    assert_eq!(net.round_trip(three, ns(8)), ReplyOutcome::Freed(three.1));
    assert_eq!(net.node(B).incoming.drain(), Some((A, "two")));
    assert_eq!(net.node(B).incoming.drain(), Some((A, "three")));
    assert!(net.is_idle());

    let (sent, received) = (net.node(A).outgoing.statistics(), net.node(B).incoming.statistics());
    assert_eq!((sent.sent, sent.acknowledged, sent.bounced, sent.retried, sent.buffers_max), (3, 3, 1, 1, 1));
    assert_eq!((received.accepted, received.returned, received.released, received.buffers_max), (3, 1, 3, 2));
}

/// Tests that delays with jitter stay within their interval, use all of it, and depend on the seed alone.
#[test]
fn jitter_spreads_retries_around_the_delay() {
    let retry = Retry::constant(ns(1_000)).with_jitter(50);
    let delays = |seed: u64, retry: Retry| {
        let mut half = OutgoingHalf::new(A, Buffers::finite(1).unwrap(), retry).with_seed(seed);
        let mut packet = half.send(B, "one").unwrap();
        let mut delays = Vec::new();
        for _ in 0..200 {
            let DataPacket { to, buffer, payload, .. } = packet;
            let reply = Reply { from: to, to: A, buffer, verdict: Verdict::Returned(payload) };
            let ReplyOutcome::Bounced { retry_at, .. } = half.reply(reply, ns(7)) else {
                panic!("the packet is returned")
            };
            delays.push(retry_at.since(ns(7)));
            packet = half.retry(retry_at).expect("the retry is due");
        }
        delays
    };
    let drawn_delays = delays(3, retry);
    let (shortest, longest) = (*drawn_delays.iter().min().unwrap(), *drawn_delays.iter().max().unwrap());
    assert!(
        ns(500) <= shortest && shortest < ns(530) && ns(1_470) < longest && longest <= ns(1_500),
        "{shortest:?} to {longest:?}"
    );
    assert_eq!(drawn_delays, delays(3, retry));
    assert_ne!(drawn_delays, delays(4, retry));
    assert_eq!(delays(3, Retry::constant(ns(1_000))), vec![ns(1_000); 200], "there is no jitter by default");
}

#[test]
fn a_buffer_is_taken_while_its_message_is_composed_and_while_it_is_read() {
    let mut net = Net::pair(buffers(1));
    let reserved_buffer = net.node(A).outgoing.reserve().unwrap();
    assert_eq!(net.node(A).outgoing.reserve(), None);
    let packet = net.node(A).outgoing.transmit(reserved_buffer, B, "one");
    let one = net.inject(packet);
    let _ = net.round_trip(one, START);

    let packet_being_read = net.node(B).incoming.take().unwrap();
    assert_eq!((packet_being_read.from, packet_being_read.payload), (A, "one"));
    let two = net.send(A, B, "two").unwrap();
    assert!(matches!(net.round_trip(two, START), ReplyOutcome::Bounced { .. }), "the only buffer is still being read");
    net.node(B).incoming.release(packet_being_read.buffer);
    net.retry(A, START);
    assert_eq!(net.round_trip(two, START), ReplyOutcome::Freed(two.1));
}

#[test]
fn a_retry_is_due_at_its_time_and_not_a_picosecond_before() {
    let mut net = Net::pair(one_buffer(Retry::constant(ns(100))));
    let first = net.send(A, B, 1).unwrap();
    let _ = net.round_trip(first, START);
    let second = net.send(A, B, 2).unwrap();
    let _ = net.round_trip(second, ns(40));
    assert_eq!(net.node(A).outgoing.next_retry(), Some(ns(140)));
    assert_eq!(net.retry(A, ns(140) - Time::from_ps(1)), None);
    assert_eq!(net.retry(A, ns(140)), Some(second));
    assert_eq!(net.node(A).outgoing.next_retry(), None);
}

#[test]
fn a_doubling_delay_grows_to_the_longest_and_starts_anew_with_each_packet() {
    let mut net = Net::pair(one_buffer(Retry::doubling(ns(10), ns(50)).unwrap()));
    let mut now = START;
    let delays = |net: &mut Net<u32>, flight, now: &mut Time| {
        let mut delay = || {
            let ReplyOutcome::Bounced { retry_at, .. } = net.round_trip(flight, *now) else { panic!("no free buffer") };
            let delay = retry_at - *now;
            *now = retry_at;
            net.retry(A, *now).unwrap();
            delay
        };
        [delay(), delay(), delay(), delay(), delay()]
    };
    for payload in 0..3 {
        let accepted_flight = net.send(A, B, payload).unwrap();
        assert!(matches!(net.round_trip(accepted_flight, now), ReplyOutcome::Freed(_)));
        let bounced_flight = net.send(A, B, payload).unwrap();
        assert_eq!(delays(&mut net, bounced_flight, &mut now), [ns(10), ns(20), ns(40), ns(50), ns(50)]);
        net.node(B).incoming.drain();
        let _ = net.round_trip(bounced_flight, now);
        net.node(B).incoming.drain();
    }
}

#[test]
fn the_earliest_retry_is_sent_first_and_equal_ones_in_the_order_of_return() {
    let mut net = Net::pair(FlowControlParameters {
        outgoing: Buffers::finite(4).unwrap(),
        incoming: Buffers::finite(1).unwrap(),
        retry: Retry::doubling(ns(10), ns(80)).unwrap(),
    });
    let accepted_flight = net.send(A, B, 0).unwrap();
    let [x, y, z] = [1, 2, 3].map(|n| net.send(A, B, n).unwrap());
    let _ = net.round_trip(accepted_flight, START);
    let _ = net.round_trip(x, START); // due at 10 ns
    net.retry(A, ns(10)).unwrap();
    let _ = net.round_trip(x, ns(10)); // second bounce: due at 30 ns
    let _ = net.round_trip(z, ns(15)); // first bounces, at one instant: both due at 25 ns
    let _ = net.round_trip(y, ns(15));
    let order = [net.retry(A, ns(30)), net.retry(A, ns(30)), net.retry(A, ns(30)), net.retry(A, ns(30))];
    assert_eq!(order, [Some(z), Some(y), Some(x), None]);
}

#[test]
fn a_bounced_packet_is_overtaken() {
    let mut net = Net::pair(buffers(2));
    for payload in ["one", "two"] {
        let flight = net.send(A, B, payload).unwrap();
        let _ = net.round_trip(flight, START);
    }
    let three = net.send(A, B, "three").unwrap();
    let _ = net.round_trip(three, START);
    net.node(B).incoming.drain();
    let four = net.send(A, B, "four").unwrap();
    let _ = net.round_trip(four, START);
    net.retry(A, START).unwrap();
    net.node(B).incoming.drain();
    let _ = net.round_trip(three, START);
    let order = [net.node(B).incoming.drain(), net.node(B).incoming.drain()];
    assert_eq!(order, [Some((A, "four")), Some((A, "three"))]);
}

#[test]
fn two_senders_share_the_only_buffer_of_a_third() {
    let mut net = Net::with_three_nodes(buffers(1));
    let (from_a, from_b) = (net.send(A, C, "a").unwrap(), net.send(B, C, "b").unwrap());
    assert!(matches!(net.round_trip(from_b, START), ReplyOutcome::Freed(_)));
    assert!(matches!(net.round_trip(from_a, START), ReplyOutcome::Bounced { .. }));
    assert_eq!(net.node(C).incoming.drain(), Some((B, "b")));
    net.retry(A, START).unwrap();
    assert!(matches!(net.round_trip(from_a, START), ReplyOutcome::Freed(_)));
    assert_eq!(net.node(C).incoming.drain(), Some((A, "a")));
    assert!(net.is_idle());
}

#[test]
fn a_node_may_send_to_itself() {
    let mut net = Net::pair(buffers(1));
    let flight = net.send(A, A, "note").unwrap();
    assert!(matches!(net.round_trip(flight, START), ReplyOutcome::Freed(_)));
    assert_eq!(net.node(A).incoming.drain(), Some((A, "note")));
}

#[test]
fn infinite_buffers_never_refuse_and_never_bounce() {
    let mut net = Net::pair(FlowControlParameters::symmetric(Buffers::Infinite, Retry::constant(ns(100))));
    let flights: Vec<_> = (0..10_000).map(|n| net.send(A, B, n).unwrap()).collect();
    assert!(flights.iter().all(|&flight| matches!(net.round_trip(flight, START), ReplyOutcome::Freed(_))));
    assert!((0..10_000).all(|n| net.node(B).incoming.drain() == Some((A, n))));
    assert!(net.is_idle());
    let statistics = net.node(A).outgoing.statistics();
    assert_eq!((statistics.bounced, statistics.buffers_max), (0, 10_000));
}

#[test]
fn a_receiver_that_never_reads_loses_nothing_and_is_named() {
    let mut net = Net::pair(buffers(1));
    let one = net.send(A, B, "one").unwrap();
    let _ = net.round_trip(one, START);
    let two = net.send(A, B, "two").unwrap();
    for _ in 0..1_000 {
        assert_eq!(net.node(A).outgoing.buffer_waits().collect::<Vec<_>>(), [(two.1, BufferWait::InFlight(B))]);
        assert!(matches!(net.round_trip(two, START), ReplyOutcome::Bounced { .. }));
        assert_eq!(net.node(A).outgoing.buffer_waits().collect::<Vec<_>>(), [(two.1, BufferWait::Bounced(B))]);
        net.retry(A, START).unwrap();
    }
    net.node(B).incoming.drain();
    let _ = net.round_trip(two, START);
    assert_eq!(net.node(B).incoming.drain(), Some((A, "two")));
}

/// Tests the statement of Mukherjee and Hill (1998), §3.2: no flow control prevents a wait-for cycle that programs
/// close.
#[test]
fn programs_that_hold_a_packet_until_they_can_answer_stop_each_other() {
    let mut net = Net::pair(buffers(1));
    let other_node = |node| if node == A { B } else { A };
    for node in [A, B] {
        let request = net.send(node, other_node(node), "request").unwrap();
        let _ = net.round_trip(request, START);
    }
    let accepted_buffers = [A, B].map(|node| net.node(node).incoming.take().unwrap().buffer);
    let requests = [A, B].map(|node| net.send(node, other_node(node), "another").unwrap());
    for _ in 0..1_000 {
        for (node, request) in [A, B].into_iter().zip(requests) {
            assert!(matches!(net.round_trip(request, START), ReplyOutcome::Bounced { .. }));
            assert!(net.send(node, other_node(node), "answer").is_err());
            net.retry(node, START).unwrap();
        }
    }
    // After one of the programs releases its buffer before it answers, both continue.
    net.node(A).incoming.release(accepted_buffers[0]);
    assert!(matches!(net.round_trip(requests[1], START), ReplyOutcome::Freed(_)));
    assert!(net.send(B, A, "answer").is_ok());
}

#[test]
fn impossible_parameters_are_refused_with_the_reason() {
    assert_eq!(Buffers::finite(0), None);
    let error_text = |first, longest| Retry::doubling(first, longest).unwrap_err().to_string();
    assert_eq!(error_text(START, ns(9)), "a first retry delay of zero cannot double; use a constant delay");
    assert_eq!(error_text(ns(10), ns(9)), "the first retry delay, 10 ns, exceeds the longest, 9 ns");
}

#[test]
#[should_panic(expected = "node 1 replies to outgoing buffer 0, which awaits none")]
fn a_duplicated_reply_panics() {
    let mut net = Net::pair(buffers(1));
    let packet = net.node(A).outgoing.send(B, "one").unwrap();
    let reply = net.node(B).incoming.arrive(packet);
    let _ = net.node(A).outgoing.reply(reply.clone(), START);
    let _ = net.node(A).outgoing.reply(reply, START);
}

#[test]
#[should_panic(expected = "a packet goes where it is addressed")]
fn a_misrouted_frame_panics() {
    let mut net = Net::with_three_nodes(buffers(1));
    let packet = net.node(A).outgoing.send(B, "one").unwrap();
    let _ = net.node(C).incoming.arrive(packet);
}

#[test]
#[should_panic(expected = "releases incoming buffer 0, which is not being read")]
fn a_buffer_is_released_once() {
    let mut net = Net::pair(buffers(1));
    let flight = net.send(A, B, "one").unwrap();
    let _ = net.round_trip(flight, START);
    let packet_being_read = net.node(B).incoming.take().unwrap();
    net.node(B).incoming.release(packet_being_read.buffer);
    net.node(B).incoming.release(packet_being_read.buffer);
}

#[test]
#[should_panic(expected = "transmits from outgoing buffer 0, which is not reserved")]
fn a_buffer_in_flight_is_not_transmitted_again() {
    let mut net = Net::pair(buffers(1));
    let flight = net.send(A, B, "one").unwrap();
    let _ = net.node(A).outgoing.transmit(flight.1, B, "two");
}
