//! Tests of timing: the latency of a single packet is that of the formula, and a link reaches its rate.

use super::*;
use crate::fabric::router::EventKind;
use crate::fabric::topology::mesh::MeshParameters;

fn line_shape(nodes: u32) -> crate::fabric::topology::Shape {
    MeshParameters { shape: vec![nodes] }.shape()
}

fn cycle_of(events: &[PacketEvent], kind: EventKind) -> u64 {
    events.iter().find(|event| event.kind == kind).expect("the event occurs").cycle
}

#[test]
fn a_single_header_takes_one_hop_time_per_router() {
    for delays in [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 1, 1), (0, 2, 0, 1), (3, 1, 2, 0)] {
        for (cycles_per_flit, wire_delay, interface_delay) in [(1, 0, 2), (4, 0, 10), (8, 1, 0), (2, 3, 1)] {
            let (routing_delay, vc_allocation_delay, switch_allocation_delay, switch_traversal_delay) = delays;
            let parameters = RouterParameters {
                link_bits: 32 / cycles_per_flit,
                routing_delay,
                vc_allocation_delay,
                switch_allocation_delay,
                switch_traversal_delay,
                wire_delay,
                interface_delay,
                ..RouterParameters::defaults()
            };
            let mut network = Network::new(line_shape(6), &parameters, 1);
            network.offer(packet(1, 5, 3, 7));
            let events = run(&mut network);
            let header_cycle =
                u64::from(interface_delay) + 5 * u64::from(parameters.hop_cycles()) - u64::from(wire_delay);
            assert_eq!(cycle_of(&events, EventKind::Injected), 2 * u64::from(cycles_per_flit));
            assert_eq!(cycle_of(&events, EventKind::HeaderArrived), header_cycle);
            assert_eq!(cycle_of(&events, EventKind::Delivered), header_cycle + 2 * u64::from(cycles_per_flit));
        }
    }
}

#[test]
fn a_single_stored_packet_takes_its_length_per_router() {
    let switching = Switching::StoreAndForward;
    let parameters = RouterParameters { switching, routing_delay: 1, interface_delay: 6, ..serial_links(4) };
    let mut network = Network::new(line_shape(4), &parameters, 1);
    network.offer(packet(0, 3, 8, 0));
    let events = run(&mut network);
    // L = 32 bytes, one byte per cycle; 5 links.
    assert_eq!(cycle_of(&events, EventKind::Delivered), 6 + (32 - 4) + (32 + 1) * 4);
}

#[test]
fn a_link_of_four_cycles_per_flit_carries_a_flit_every_four_cycles() {
    let parameters = RouterParameters { buffer_flits: 2, virtual_channels: 1, ..serial_links(4) };
    let mut network = Network::new(line_shape(3), &parameters, 1);
    (0..50).for_each(|tag| network.offer(packet(0, 2, 6, tag)));
    let events = run(&mut network);
    assert_eq!(events.last().expect("packets arrive").cycle, 2 + 3 * 4 + (300 - 1) * 4);
    assert_eq!(network.counts().flit_hops, 3 * 300);
}

#[test]
fn idle_cycles_of_a_long_path_are_skipped() {
    let mut network = Network::new(MeshParameters { shape: vec![64, 64] }.shape(), &serial_links(8), 1);
    network.offer(packet(0, 4095, 1, 0));
    let mut steps = 0;
    while let Some(next) = network.next_work() {
        network.skip_to(next);
        network.step();
        steps += 1;
    }
    assert_eq!(network.counts().delivered, 1);
    assert!(steps < 4 * 128, "{steps} steps for {} cycles", network.cycle());
}
