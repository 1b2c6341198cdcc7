//! Tests of streamed packets. Missing flits block the packet's source and path; flits that the receiver does not take
//! block the path behind them; a stream that nothing blocks is as fast as a whole packet.

use super::*;
use crate::fabric::router::{EventKind, Sharing};
use crate::fabric::topology::mesh::MeshParameters;

fn line_shape(nodes: u32) -> crate::fabric::topology::Shape {
    MeshParameters { shape: vec![nodes] }.shape()
}

/// Returns a streamed packet with `available_flits` flits at its source.
fn streamed(injection: Injection, available_flits: u16, flow_unit: u16) -> Injection {
    Injection { available_flits, flow_unit, ..injection }
}

/// Returns the events without those that only streamed packets have.
fn without_flit_events(events: &[PacketEvent]) -> Vec<PacketEvent> {
    let is_plain = |event: &&PacketEvent| !matches!(event.kind, EventKind::FlitsSent(_) | EventKind::FlitsArrived(_));
    events.iter().filter(is_plain).copied().collect()
}

fn events_of_packet(events: &[PacketEvent], tag: u32) -> Vec<PacketEvent> {
    events.iter().filter(|event| event.tag == tag).copied().collect()
}

fn kinds(events: &[PacketEvent]) -> Vec<EventKind> {
    events.iter().map(|event| event.kind).collect()
}

/// Returns the cycles of all events of a kind.
fn cycles(events: &[PacketEvent], kind: EventKind) -> Vec<u64> {
    events.iter().filter(|event| event.kind == kind).map(|event| event.cycle).collect()
}

/// Steps the network until it has no work, and takes arriving flits at once. Returns all events.
fn run_and_take_flits(network: &mut Network) -> Vec<PacketEvent> {
    let (mut all_events, mut events) = (Vec::new(), Vec::new());
    while let Some(next) = network.next_work() {
        network.skip_to(next);
        network.step();
        network.take_events(&mut events);
        for event in events.drain(..) {
            if let EventKind::FlitsArrived(flits) = event.kind {
                network.take(event.node, event.network, event.tag, flits);
            }
            all_events.push(event);
        }
        network.check();
    }
    all_events
}

#[test]
fn an_unblocked_stream_is_as_fast_as_a_whole_packet() {
    let one_flit_buffers = RouterParameters { buffer_flits: 1, ..RouterParameters::defaults() };
    let slow_credits =
        RouterParameters { buffer_flits: 2, virtual_channels: 1, credit_delay: 3, wire_delay: 2, ..serial_links(4) };
    let store_and_forward =
        RouterParameters { switching: Switching::StoreAndForward, buffer_flits: 5, ..serial_links(2) };
    for parameters in [RouterParameters::defaults(), one_flit_buffers, slow_credits, store_and_forward] {
        let events_with_flow_unit = |flow_unit: u16| {
            let mut network = Network::new(line_shape(4), &parameters, 1);
            for tag in 0..30 {
                network.offer(streamed(packet(tag % 3, 3 - tag % 2, 5, tag), 5, flow_unit));
            }
            without_flit_events(&run_and_take_flits(&mut network))
        };
        assert_eq!(events_with_flow_unit(1), events_with_flow_unit(0), "{parameters:?}");
    }
}

#[test]
fn a_stream_is_reported_by_flow_units_and_at_its_end() {
    use EventKind::{Delivered, FlitsArrived, FlitsSent, HeaderArrived, Injected};
    let mut network = Network::new(line_shape(3), &RouterParameters::defaults(), 1);
    network.offer(streamed(packet(0, 2, 8, 0), 8, 3));
    network.offer(streamed(packet(0, 2, 3, 1), 3, 3));
    network.offer(streamed(packet(0, 2, 1, 2), 1, 3));
    let events = run_and_take_flits(&mut network);
    assert_eq!(
        kinds(&events_of_packet(&events, 0)),
        [
            FlitsSent(3),
            FlitsSent(3),
            FlitsSent(2),
            Injected,
            HeaderArrived,
            FlitsArrived(3),
            FlitsArrived(3),
            FlitsArrived(2),
            Delivered
        ]
    );
    assert_eq!(
        kinds(&events_of_packet(&events, 1)),
        [FlitsSent(3), Injected, HeaderArrived, FlitsArrived(3), Delivered]
    );
    assert_eq!(
        kinds(&events_of_packet(&events, 2)),
        [FlitsSent(1), Injected, HeaderArrived, FlitsArrived(1), Delivered]
    );
    assert_eq!(cycles(&events_of_packet(&events, 0), FlitsSent(3)), [2, 5], "a flit leaves in each cycle");
    let header_cycle = 2 + 3 * u64::from(RouterParameters::defaults().hop_cycles());
    assert_eq!(cycles(&events_of_packet(&events, 0), FlitsArrived(3)), [header_cycle + 2, header_cycle + 5]);
}

#[test]
fn a_source_that_lacks_flits_blocks_its_path_and_its_queue() {
    let parameters = RouterParameters { virtual_channels: 1, networks: 2, ..RouterParameters::defaults() };
    let mut network = Network::new(line_shape(3), &parameters, 1);
    network.offer(streamed(packet(0, 2, 8, 0), 3, 0));
    let mut events = run(&mut network);
    assert_eq!(network.counts().injected_flits, 3, "the available flits leave");
    // The first packet needs the same channel, the second is behind the stream in the queue of its source, and the
    // third belongs to the other network.
    network.offer(packet(1, 2, 1, 1));
    network.offer(packet(0, 0, 1, 2));
    let first_cycle = network.cycle();
    network.offer(Injection { network: 1, ..packet(0, 2, 4, 3) });
    events.append(&mut run(&mut network));
    let hop_cycles = u64::from(parameters.hop_cycles());
    assert_eq!(cycles(&events_of_packet(&events, 3), EventKind::Delivered), [first_cycle + 2 + 3 * hop_cycles + 3]);
    assert_eq!(cycles(&events, EventKind::Delivered).len(), 1, "no other packet arrives");
    assert_eq!(network.next_work(), None, "a source that lacks flits has nothing to do");
    network.skip_to(1000);
    network.supply(0, 0, 0, 5);
    assert_eq!(network.next_work(), Some(1000));
    let events = run(&mut network);
    // A flit whose packet holds its channels passes only the last two stages of a router and the link.
    let tail_cycle = 1000 + 4 + 2 + 3 * (hop_cycles - 2);
    assert_eq!(cycles(&events_of_packet(&events, 0), EventKind::Injected), [1004]);
    assert_eq!(cycles(&events_of_packet(&events, 0), EventKind::Delivered), [tail_cycle]);
    assert_eq!(
        cycles(&events_of_packet(&events, 2), EventKind::Injected),
        [1005],
        "the packet in the queue leaves after the tail"
    );
    // The channel is free in the cycle in which the tail leaves the router.
    let second_delivery_cycle = cycles(&events_of_packet(&events, 1), EventKind::Delivered)[0];
    assert!(
        second_delivery_cycle > tail_cycle && second_delivery_cycle <= tail_cycle + hop_cycles,
        "{second_delivery_cycle} after {tail_cycle}"
    );
}

#[test]
fn flits_are_supplied_to_a_packet_that_waits_in_the_queue() {
    let mut network = Network::new(line_shape(3), &RouterParameters::defaults(), 1);
    network.offer(streamed(packet(0, 2, 2, 0), 0, 0));
    network.offer(streamed(packet(0, 2, 2, 1), 0, 0));
    network.supply(0, 0, 1, 2);
    assert_eq!(run(&mut network), [], "the packet ahead has no flit");
    network.skip_to(100);
    network.supply(0, 0, 0, 2);
    let events = run(&mut network);
    assert_eq!(cycles(&events, EventKind::Injected), [101, 103]);
    assert_eq!(network.counts().in_flight(), 0);
}

#[test]
fn a_stream_that_is_not_taken_fills_its_path_and_stops_its_source() {
    for sharing in [Sharing::Demand, Sharing::Strict] {
        let parameters = RouterParameters { networks: 2, sharing, buffer_flits: 6, ..RouterParameters::defaults() };
        let mut network = Network::new(line_shape(4), &parameters, 1);
        network.offer(streamed(packet(0, 3, 100, 0), 100, 1));
        let events = run(&mut network);
        // The buffers of four routers, and the slots behind the last router.
        let capacity_flits = 5 * 6;
        assert_eq!(network.counts().injected_flits, capacity_flits);
        assert_eq!(cycles(&events, EventKind::FlitsArrived(1)).len(), 6);
        assert_eq!(network.next_work(), None);
        network.skip_to(1000);
        let other_packet = Injection { network: 1, ..packet(0, 3, 20, 1) };
        network.offer(other_packet);
        let events = run(&mut network);
        let mut idle_network = Network::new(line_shape(4), &parameters, 1);
        idle_network.skip_to(1000);
        idle_network.offer(other_packet);
        assert_eq!(events, run(&mut idle_network), "the full network does not delay the other");
        network.take(3, 0, 0, 4);
        let events = run(&mut network);
        assert_eq!(network.counts().injected_flits, capacity_flits + 20 + 4, "taken flits are replaced");
        assert_eq!(cycles(&events, EventKind::FlitsArrived(1)).len(), 4);
        network.take(3, 0, 0, 6);
        let events = run_and_take_flits(&mut network);
        assert_eq!(cycles(&events, EventKind::FlitsArrived(1)).len(), 90);
        assert_eq!(network.counts().in_flight(), 0);
    }
}

#[test]
fn credits_return_for_reported_flits_only() {
    // Two packets arrive at one node: first two flits of a packet whose flow-control unit has four flits, then all
    // flits of another packet.
    let parameters = RouterParameters { buffer_flits: 4, ..RouterParameters::defaults() };
    let mut network = Network::new(line_shape(3), &parameters, 1);
    network.offer(streamed(packet(0, 2, 8, 0), 2, 4));
    run(&mut network);
    network.offer(streamed(packet(1, 2, 100, 1), 100, 4));
    // If the second packet's flits were taken from the first packet, their slots would never be freed.
    let events = run_and_take_flits(&mut network);
    assert_eq!(cycles(&events_of_packet(&events, 1), EventKind::FlitsArrived(4)).len(), 25);
    assert_eq!(cycles(&events_of_packet(&events, 0), EventKind::FlitsArrived(4)).len(), 0);
    network.supply(0, 0, 0, 6);
    run_and_take_flits(&mut network);
    assert_eq!(network.counts().in_flight(), 0);
}

#[test]
#[should_panic(expected = "flits that were reported to it")]
fn taking_more_flits_than_arrived_panics() {
    let mut network = Network::new(line_shape(3), &RouterParameters::defaults(), 1);
    network.offer(streamed(packet(0, 2, 4, 0), 4, 2));
    run_and_take_flits(&mut network);
    network.take(2, 0, 0, 1);
}

#[test]
#[should_panic(expected = "no more flits are supplied")]
fn supplying_more_flits_than_the_packet_has_panics() {
    let mut network = Network::new(line_shape(3), &RouterParameters::defaults(), 1);
    network.offer(streamed(packet(0, 2, 4, 0), 2, 2));
    network.supply(0, 0, 0, 3);
}
