//! Tests of packets that wait for receive slots or for space in a buffer, and of logical networks that do not wait for
//! each other.

use super::*;
use crate::fabric::router::{EventKind, Sharing};
use crate::fabric::topology::mesh::MeshParameters;

fn mesh_2x2() -> crate::fabric::topology::Shape {
    MeshParameters { shape: vec![2, 2] }.shape()
}

fn delivered_tags(events: &[PacketEvent]) -> Vec<u32> {
    events.iter().filter(|event| event.kind == EventKind::Delivered).map(|event| event.tag).collect()
}

#[test]
fn a_packet_waits_in_the_network_for_a_receive_slot() {
    let mut network = Network::new(mesh_2x2(), &RouterParameters::defaults(), 1);
    network.set_slots(3, 0, 1);
    (0..3).for_each(|tag| network.offer(Injection { needs_slot: true, ..packet(0, 3, 4, tag) }));
    assert_eq!(delivered_tags(&run(&mut network)), [0]);
    assert_eq!(network.next_work(), None, "nothing happens until a slot is free");
    network.skip_to(5000);
    network.add_slot(3, 0);
    assert_eq!(delivered_tags(&run(&mut network)), [1]);
    network.add_slot(3, 0);
    assert_eq!(delivered_tags(&run(&mut network)), [2]);
    assert_eq!(network.counts().in_flight(), 0);
}

#[test]
fn a_packet_that_needs_no_slot_passes_one_that_waits() {
    let mut network = Network::new(mesh_2x2(), &RouterParameters::defaults(), 1);
    network.set_slots(3, 0, 0);
    network.offer(Injection { needs_slot: true, ..packet(0, 3, 1, 0) });
    network.offer(packet(0, 3, 1, 1));
    assert_eq!(delivered_tags(&run(&mut network)), [1]);
}

#[test]
fn a_full_logical_network_does_not_block_the_other() {
    for sharing in [Sharing::Demand, Sharing::Strict] {
        let parameters = RouterParameters { networks: 2, sharing, ..RouterParameters::defaults() };
        let mut network = Network::new(mesh_2x2(), &parameters, 1);
        network.set_slots(1, 0, 0);
        (0..100).for_each(|tag| network.offer(Injection { needs_slot: true, ..packet(0, 1, 8, tag) }));
        run(&mut network);
        network.offer(Injection { network: 1, needs_slot: true, ..packet(0, 1, 8, 100) });
        assert_eq!(delivered_tags(&run(&mut network)), [100]);
    }
}

#[test]
fn strict_sharing_isolates_networks_and_demand_sharing_divides_the_link() {
    let last_delivery = |networks, sharing, packets| {
        let parameters = RouterParameters { networks, sharing, ..RouterParameters::defaults() };
        let mut network = Network::new(mesh_2x2(), &parameters, 1);
        for tag in 0..packets {
            network.offer(Injection { network: tag as u8 % networks, ..packet(0, 1, 1, tag) });
        }
        run(&mut network).last().expect("packets arrive").cycle
    };
    let single_network = last_delivery(1, Sharing::Demand, 100);
    assert_eq!(last_delivery(2, Sharing::Strict, 200), single_network);
    assert!(last_delivery(2, Sharing::Demand, 200) >= single_network + 99);
}

#[test]
fn a_blocked_cut_through_packet_occupies_one_router() {
    let switching = Switching::VirtualCutThrough;
    let parameters =
        RouterParameters { switching, virtual_channels: 1, buffer_flits: 8, ..RouterParameters::defaults() };
    let mut network = Network::new(MeshParameters { shape: vec![4] }.shape(), &parameters, 1);
    network.set_slots(3, 0, 0);
    (0..4).for_each(|tag| network.offer(Injection { needs_slot: true, ..packet(0, 3, 5, tag) }));
    run(&mut network);
    // Each of the 4 routers buffers one packet (5 of 8 flits), and no packet occupies two buffers.
    assert_eq!(network.counts().in_flight_flits(), 20);
    assert_eq!(network.counts().injected, 4);
}
