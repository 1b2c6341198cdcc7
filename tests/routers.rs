//! Compares the fast network of routers with the plainly written reference: the same events in every cycle, over many
//! small random systems.

#[path = "routers/shapes.rs"]
mod shapes;

use crate::reference_network::ReferenceNetwork;
use narrows::engine::{Time, rng};
use narrows::fabric::router::{EventKind, Injection, Network, PacketEvent, RouterParameters, Sharing, Switching};
use narrows::fabric::topology::mesh::MeshParameters;
use narrows::fabric::topology::torus::{MiddleChannelHalf, TorusParameters};
use narrows::fabric::topology::{LinkAttributes, Shape, WiringDetails};
use narrows::text::Parameters;
use rand::RngExt;
use std::collections::BTreeMap;

const SYSTEM_COUNT: u64 = 500;

fn shape(stream: &mut rng::RandomStream) -> Shape {
    let extents = [vec![2, 2], vec![3, 3], vec![4, 2], vec![2, 2, 2], vec![5], vec![3, 2, 2]];
    let shape = extents[stream.random_range(0..extents.len())].clone();
    match stream.random_range(0..7) {
        0 | 1 => MeshParameters { shape }.shape(),
        2 => TorusParameters { shape }
            .shape_with([MiddleChannelHalf::Lower, MiddleChannelHalf::Both][stream.random_range(0..2)]),
        3 | 4 => shapes::adaptive(&shape),
        5 => shapes::dilated(stream.random_range(2..=6), stream.random_range(1..=3)),
        _ => shapes::stages(stream.random_bool(0.5)),
    }
}

fn parameters(stream: &mut rng::RandomStream, shape: &Shape) -> RouterParameters {
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
        clock: RouterParameters::defaults().clock,
        exit_delay: 0,
    }
}

/// Gives some links of a shape their own rates and latencies.
fn with_own_links(stream: &mut rng::RandomStream, shape: Shape, parameters: &RouterParameters) -> Shape {
    let mut attributes = || LinkAttributes {
        rate: stream.random_bool(0.4).then(|| parameters.rate_of(stream.random_range(1..=5))),
        latency: stream.random_bool(0.4).then(|| Time::from_ns(stream.random_range(0..=9))),
    };
    let ports = |router| shape.wiring.outputs(router).len();
    let details = WiringDetails {
        outputs: (0..shape.wiring.routers()).map(|router| (0..ports(router)).map(|_| attributes()).collect()).collect(),
        entries: (0..shape.wiring.nodes()).map(|_| attributes()).collect(),
        ..WiringDetails::default()
    };
    Shape { wiring: shape.wiring.clone().with_details(details), ..shape }
}

/// An operation on both networks.
#[derive(Clone, Copy)]
enum Operation {
    Offer(Injection),
    Supply { node: u32, network: u8, tag: u32, flits: u16 },
    Take { node: u32, network: u8, tag: u32, flits: u16 },
    AddSlot { node: u32, network: u8 },
}

/// The packets of a system, the operations by cycle, and the interfaces with few receive slots.
struct Traffic {
    packets: Vec<Injection>,
    operations: BTreeMap<u64, Vec<Operation>>,
    slot_limits: Vec<(u32, u8, u32)>,
    /// Number of cycles from a delivery until its receive slot is free, and largest number of cycles until arrived
    /// flits are taken.
    hold_cycles: u64,
}

fn traffic(stream: &mut rng::RandomStream, nodes: u32, parameters: &RouterParameters) -> Traffic {
    let packet_max = if parameters.switching == Switching::Wormhole { 8 } else { parameters.buffer_flits };
    let (has_slot_limits, cycles) = (stream.random_bool(0.4), stream.random_range(20..=150));
    let streamed_fraction = if stream.random_bool(0.6) { stream.random_range(0.0..=1.0) } else { 0.0 };
    let (mut packets, mut operations) = (Vec::new(), BTreeMap::<u64, Vec<Operation>>::new());
    for tag in 0..stream.random_range(5..=120) {
        let flits = stream.random_range(1..=packet_max);
        let whole_packet = Injection {
            network: stream.random_range(0..parameters.networks),
            needs_slot: stream.random_bool(0.7),
            ..Injection::whole(stream.random_range(0..nodes), stream.random_range(0..nodes), flits, tag)
        };
        let is_streamed = stream.random_bool(streamed_fraction);
        let flow_unit = if is_streamed { stream.random_range(0..=parameters.buffer_flits) } else { 0 };
        let available_flits = if is_streamed { stream.random_range(0..=flits) } else { flits };
        let injection = Injection { available_flits, flow_unit, ..whole_packet };
        packets.push(injection);
        let mut cycle = stream.random_range(0..cycles);
        operations.entry(cycle).or_default().push(Operation::Offer(injection));
        let (node, network, mut remaining_flits) = (whole_packet.source, whole_packet.network, flits - available_flits);
        while remaining_flits > 0 {
            cycle += stream.random_range(0..=30);
            let flits = stream.random_range(0..=remaining_flits);
            remaining_flits -= flits;
            operations.entry(cycle).or_default().push(Operation::Supply { node, network, tag, flits });
        }
    }
    let sources = (0..nodes).flat_map(|node| (0..parameters.networks).map(move |network| (node, network)));
    let slot_limits =
        sources.filter(|_| has_slot_limits).map(|(node, network)| (node, network, stream.random_range(1..=2)));
    Traffic { packets, operations, slot_limits: slot_limits.collect(), hold_cycles: stream.random_range(1..=30) }
}

/// Both networks, which are always in the same cycle.
struct NetworkPair {
    fast: Network,
    reference: ReferenceNetwork,
    /// The name of the system in messages.
    label: String,
}

impl NetworkPair {
    fn apply(&mut self, operation: Operation) {
        let NetworkPair { fast, reference, .. } = self;
        match operation {
            Operation::Offer(injection) => {
                fast.offer(injection);
                reference.offer(injection);
            }
            Operation::Supply { node, network, tag, flits } => {
                fast.supply(node, network, tag, flits);
                reference.supply(node, network, tag, flits);
            }
            Operation::Take { node, network, tag, flits } => {
                fast.take(node, network, tag, flits);
                reference.take(node, network, tag, flits);
            }
            Operation::AddSlot { node, network } => {
                fast.add_slot(node, network);
                reference.add_slot(node, network);
            }
        }
    }

    /// Simulates a cycle of both networks, and returns the events of that cycle.
    fn step(&mut self) -> Vec<PacketEvent> {
        let NetworkPair { fast, reference, label } = self;
        let (mut from_fast, mut from_reference) = (Vec::new(), Vec::new());
        let (now, counts_before) = (reference.cycle(), reference.counts());
        reference.step();
        reference.take_events(&mut from_reference);
        if fast.next_work().is_none_or(|next| next > now) {
            assert_eq!(reference.counts(), counts_before, "{label}: cycle {now} was idle");
            fast.skip_to(now + 1);
        } else {
            fast.step();
            fast.take_events(&mut from_fast);
        }
        fast.check();
        // The order of events within a cycle may differ.
        from_fast.sort();
        from_reference.sort();
        assert_eq!(from_fast, from_reference, "{label}: cycle {now}");
        assert_eq!(fast.counts(), reference.counts(), "{label}: cycle {now}");
        from_reference
    }
}

fn assert_networks_agree(seed: u64, has_own_links: bool) {
    let stream = &mut rng::stream(seed, "systems of routers");
    let shape = shape(stream);
    let parameters = parameters(stream, &shape);
    let shape = match has_own_links {
        true => with_own_links(&mut rng::stream(seed, "links of routers"), shape, &parameters),
        false => shape,
    };
    let Traffic { packets, mut operations, slot_limits, hold_cycles } =
        traffic(stream, shape.wiring.nodes(), &parameters);
    let label = format!("seed {seed}: {} {parameters:?}", shape.name);
    let (fast, reference) =
        (Network::new(shape.clone(), &parameters, seed), ReferenceNetwork::new(shape, &parameters, seed));
    let mut pair = NetworkPair { fast, reference, label };
    for (node, network, count) in slot_limits {
        pair.fast.set_slots(node, network, count);
        pair.reference.set_slots(node, network, count);
    }
    while !operations.is_empty() || pair.reference.counts().in_flight() > 0 {
        let now = pair.reference.cycle();
        assert!(now < 100_000, "{}: the network drains", pair.label);
        operations.remove(&now).into_iter().flatten().for_each(|operation| pair.apply(operation));
        for PacketEvent { node, network, tag, kind, .. } in pair.step() {
            let mut schedule =
                |delay: u64, operation: Operation| operations.entry(now + 1 + delay).or_default().push(operation);
            match kind {
                EventKind::FlitsArrived(flits) => {
                    let part = stream.random_range(0..=flits);
                    for flits in [part, flits - part] {
                        schedule(stream.random_range(0..=hold_cycles), Operation::Take { node, network, tag, flits });
                    }
                }
                EventKind::Delivered if packets[tag as usize].needs_slot => {
                    schedule(hold_cycles - 1, Operation::AddSlot { node, network });
                }
                _ => {}
            }
        }
    }
}

#[test]
fn fast_network_equals_the_reference_in_every_cycle() {
    (0..SYSTEM_COUNT).for_each(|seed| assert_networks_agree(seed, false));
}

#[test]
fn fast_network_equals_the_reference_if_links_differ() {
    (0..SYSTEM_COUNT).for_each(|seed| assert_networks_agree(seed, true));
}
