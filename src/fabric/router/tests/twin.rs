//! The fast network equals the plain one, flit by flit, over many small systems.

use super::*;
use crate::fabric::router::twin::Twin;
use crate::fabric::router::{EventKind, Sharing};
use crate::fabric::topology::Shape;
use crate::fabric::topology::mesh::MeshParameters;
use crate::fabric::topology::torus::TorusParameters;
use rand::RngExt;
use std::collections::BTreeMap;

const SYSTEMS: u64 = 500;

fn shape(stream: &mut rng::Stream) -> Shape {
    let extents = [vec![2, 2], vec![3, 3], vec![4, 2], vec![2, 2, 2], vec![5], vec![3, 2, 2]];
    let shape = extents[stream.random_range(0..extents.len())].clone();
    match stream.random_range(0..7) {
        0 | 1 => MeshParameters { shape }.shape(),
        2 => TorusParameters { shape }.shape(),
        3 | 4 => shapes::adaptive(&shape),
        5 => shapes::dilated(stream.random_range(2..=6), stream.random_range(1..=3)),
        _ => shapes::stages(),
    }
}

fn parameters(stream: &mut rng::Stream, shape: &Shape) -> RouterParameters {
    let mut delay = |most: u8| stream.random_range(0..=most);
    let (routing_delay, vc_allocation_delay) = (delay(2), delay(2));
    let (switch_allocation_delay, switch_traversal_delay) = (delay(2), delay(2));
    let (wire_delay, credit_delay, interface_delay) = (delay(2), delay(3), delay(3));
    let channels_max = if stream.random_bool(0.1) { 16 } else { 4 };
    let switching = [Switching::Wormhole, Switching::VirtualCutThrough, Switching::StoreAndForward];
    RouterParameters {
        switching: switching[stream.random_range(0..3)],
        virtual_channels: stream.random_range(shape.routing.virtual_channels_min()..=channels_max),
        buffer_flits: stream.random_range(1..=6),
        flit_bits: 32,
        link_bits: [32, 16, 8][stream.random_range(0..3)],
        routing_delay,
        vc_allocation_delay,
        switch_allocation_delay,
        switch_traversal_delay,
        wire_delay,
        credit_delay,
        interface_delay,
        networks: stream.random_range(1..=2),
        sharing: [Sharing::Demand, Sharing::Strict][stream.random_range(0..2)],
        clock: RouterParameters::BOOKSIM.clock,
    }
}

/// The packets of a system, by cycle, and which nodes' interfaces have few places.
struct Traffic {
    offers: BTreeMap<u64, Vec<Injection>>,
    places: Vec<(u32, u8, u32)>,
    /// Cycles from a delivery until its place is free.
    hold: u64,
}

fn traffic(stream: &mut rng::Stream, nodes: u32, parameters: &RouterParameters) -> Traffic {
    let longest = if parameters.switching == Switching::Wormhole { 8 } else { parameters.buffer_flits };
    let (has_places, cycles) = (stream.random_bool(0.4), stream.random_range(20..=150));
    let mut offers: BTreeMap<u64, Vec<Injection>> = BTreeMap::new();
    for tag in 0..stream.random_range(5..=120) {
        let injection = Injection {
            source: stream.random_range(0..nodes),
            destination: stream.random_range(0..nodes),
            flits: stream.random_range(1..=longest),
            network: stream.random_range(0..parameters.networks),
            tag,
            takes_place: stream.random_bool(0.7),
        };
        offers.entry(stream.random_range(0..cycles)).or_default().push(injection);
    }
    let each = (0..nodes).flat_map(|node| (0..parameters.networks).map(move |network| (node, network)));
    let places = each.filter(|_| has_places).map(|(node, network)| (node, network, stream.random_range(1..=2)));
    Traffic { offers, places: places.collect(), hold: stream.random_range(1..=30) }
}

/// What happened in a cycle, in an order that does not depend on the network's.
fn sorted(mut events: Vec<Event>) -> Vec<Event> {
    events.sort();
    events
}

fn agree(seed: u64) {
    let stream = &mut rng::stream(seed, "systems of routers");
    let shape = shape(stream);
    let parameters = parameters(stream, &shape);
    let Traffic { offers, places, hold } = traffic(stream, shape.wiring.nodes(), &parameters);
    let told = format!("seed {seed}: {} {parameters:?}", shape.name);
    let (mut fast, mut plain) = (Network::new(shape.clone(), &parameters, seed), Twin::new(shape, &parameters, seed));
    for (node, network, count) in places {
        fast.set_places(node, network, count);
        plain.set_places(node, network, count);
    }
    let taking: Vec<bool> = {
        let mut all: Vec<&Injection> = offers.values().flatten().collect();
        all.sort_by_key(|injection| injection.tag);
        all.iter().map(|injection| injection.takes_place).collect()
    };
    let packets = taking.len() as u64;
    let mut freed: BTreeMap<u64, Vec<(u32, u8)>> = BTreeMap::new();
    while plain.counts().delivered < packets {
        let now = plain.cycle();
        assert!(now < 100_000, "{told}: it comes to an end");
        let has_input = offers.contains_key(&now) || freed.contains_key(&now);
        for injection in offers.get(&now).into_iter().flatten() {
            fast.offer(*injection);
            plain.offer(*injection);
        }
        for (node, network) in freed.remove(&now).into_iter().flatten() {
            fast.add_place(node, network);
            plain.add_place(node, network);
        }
        let (mut from_fast, mut from_plain) = (Vec::new(), Vec::new());
        let before = plain.counts();
        plain.step();
        plain.take_events(&mut from_plain);
        if !has_input && fast.next_work().is_none_or(|next| next > now) {
            assert_eq!(plain.counts(), before, "{told}: cycle {now} was idle");
            fast.skip_to(now + 1);
        } else {
            fast.step();
            fast.take_events(&mut from_fast);
        }
        fast.check();
        let from_plain = sorted(from_plain);
        assert_eq!(sorted(from_fast), from_plain, "{told}: cycle {now}");
        assert_eq!(fast.counts(), plain.counts(), "{told}: cycle {now}");
        for event in from_plain.iter().filter(|event| event.kind == EventKind::Delivered && taking[event.tag as usize])
        {
            freed.entry(now + hold).or_default().push((event.node, event.network));
        }
    }
}

#[test]
fn fast_and_plain_agree_in_every_cycle() {
    (0..SYSTEMS).for_each(agree);
}
