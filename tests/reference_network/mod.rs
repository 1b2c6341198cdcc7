//! A second implementation of the network of routers, written as plainly as possible: every router visits every channel
//! in every cycle.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the network, and the order of a cycle |
//! | `arbiter.rs` | round-robin arbitration |
//! | `router.rs` | a router and its stages |
//! | `source.rs` | a node's queues |
//! | `sink.rs` | a node's interface, which receives packets |
//!
//! The fast network must equal it in every event of every cycle. The reference uses only the library's public
//! interface. It neither skips idle cycles nor has any other optimisation for speed.
#![allow(dead_code)]

mod arbiter;
mod router;
mod sink;
mod source;

use narrows::fabric::router::{
    Counts, EventKind, Injection, LinkTiming, LinkTimings, PacketEvent, RouterParameters, Sharing,
};
use narrows::fabric::topology::{End, Shape};
use router::{Departure, Router, Upstream};
use sink::ExitChannel;
use source::Source;
use std::collections::VecDeque;

/// A packet in flight.
#[derive(Clone, Copy, Debug)]
struct Packet {
    packet_number: u64,
    injection: Injection,
}

/// A flit, with its packet.
#[derive(Clone, Copy, Debug)]
struct Flit {
    packet: Packet,
    /// Position of the flit in the packet, from 1 to the packet's length.
    number: u16,
    is_header: bool,
    is_tail: bool,
}

/// A flit or a credit on a link.
#[derive(Clone, Copy, Debug)]
enum InTransit {
    /// A flit to a router's input.
    Flit { router: usize, port: usize, channel: usize, flit: Flit },
    /// A flit to the node behind a router's output.
    FlitToNode { router: usize, port: usize, channel: usize, flit: Flit },
    /// A credit to a router's output.
    Credit { router: usize, port: usize, channel: usize },
    /// A credit to a source.
    SourceCredit { source: usize, channel: usize },
}

/// A network of routers, its sources and its sinks.
#[derive(Clone, Debug)]
pub struct ReferenceNetwork {
    shape: Shape,
    parameters: RouterParameters,
    /// The cycles of links, if links differ.
    links: Option<LinkTimings>,
    seed: u64,
    cycle: u64,
    /// Routers by number; if each logical network has its own routers, those of the first network come first.
    routers: Vec<Router>,
    sources: Vec<Source>,
    in_transit: Vec<(u64, InTransit)>,
    /// Number of free receive slots of each node for each logical network; `None` means that there is no limit.
    free_slots: Vec<Vec<Option<u32>>>,
    /// For each node and logical network, the flits of streamed packets of which the node was notified and which it has
    /// not taken. Each is stored as the output channel by which it arrived and the tag of its packet.
    pending_flits: Vec<Vec<VecDeque<(ExitChannel, u32)>>>,
    events: Vec<PacketEvent>,
    counts: Counts,
}

impl ReferenceNetwork {
    /// Creates an empty network of this shape.
    pub fn new(shape: Shape, parameters: &RouterParameters, seed: u64) -> ReferenceNetwork {
        let (nodes, routers) = (shape.wiring.nodes() as usize, shape.wiring.routers() as usize);
        let lanes = lanes(parameters);
        let network_groups = usize::from(parameters.networks) / lanes;
        let mut reference = ReferenceNetwork {
            parameters: *parameters,
            links: parameters.link_timings(&shape.wiring),
            seed,
            cycle: 0,
            routers: Vec::new(),
            sources: vec![Source::new(parameters, lanes); network_groups * nodes],
            in_transit: Vec::new(),
            free_slots: vec![vec![None; usize::from(parameters.networks)]; nodes],
            pending_flits: vec![vec![VecDeque::new(); usize::from(parameters.networks)]; nodes],
            events: Vec::new(),
            counts: Counts::default(),
            shape,
        };
        for index in 0..network_groups * routers {
            let outputs = reference.shape.wiring.outputs((index % routers) as u32);
            let mut router = Router::new(index % routers, index / routers, outputs, parameters, lanes);
            for (port, output) in router.outputs.iter_mut().enumerate() {
                output.cycles_per_flit = u64::from(reference.output_timing(index, port).cycles_per_flit);
            }
            reference.routers.push(router);
        }
        for index in 0..network_groups * routers {
            for (port, end) in reference.shape.wiring.outputs((index % routers) as u32).iter().enumerate() {
                if let End::Router { router, port: input } = *end {
                    let target = index / routers * routers + router as usize;
                    reference.routers[target]
                        .connect_input(usize::from(input), Upstream::Router { router: index, port });
                }
            }
        }
        for source in 0..network_groups * nodes {
            let (router, port) = reference.shape.wiring.entry((source % nodes) as u32);
            let target = source / nodes * routers + router as usize;
            reference.routers[target].connect_input(usize::from(port), Upstream::Source(source));
        }
        reference
    }

    /// Returns the cycles of the link at a router's output.
    fn output_timing(&self, router: usize, port: usize) -> LinkTiming {
        let router = router % self.shape.wiring.routers() as usize;
        let joins_routers = matches!(self.shape.wiring.outputs(router as u32)[port], End::Router { .. });
        let wire = if joins_routers { u32::from(self.parameters.wire_delay) } else { 0 };
        let default_timing = LinkTiming { cycles_per_flit: self.parameters.cycles_per_flit(), wire_cycles: wire };
        self.links.as_ref().map_or(default_timing, |links| links.outputs[router][port])
    }

    /// Returns the cycles of the link of a source.
    fn source_timing(&self, source: usize) -> LinkTiming {
        let node = source % self.shape.wiring.nodes() as usize;
        let default_timing = LinkTiming { cycles_per_flit: self.parameters.cycles_per_flit(), wire_cycles: 0 };
        self.links.as_ref().map_or(default_timing, |links| links.entries[node])
    }

    /// Returns the next cycle that [`step`](ReferenceNetwork::step) simulates.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Returns the counts of packets and flits so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Moves the events since the last call into `events`, in order of cycles.
    pub fn take_events(&mut self, events: &mut Vec<PacketEvent>) {
        events.append(&mut self.events);
    }

    /// Adds a packet to its source's queue.
    pub fn offer(&mut self, injection: Injection) {
        let (source, lane) = self.queue_of(injection.source, injection.network);
        self.sources[source].enqueue(lane, Packet { packet_number: self.counts.offered, injection });
        self.counts.offered += 1;
    }

    /// Returns the source, and its lane, by which a node's packets of a logical network enter.
    fn queue_of(&self, node: u32, network: u8) -> (usize, usize) {
        let lanes = lanes(&self.parameters);
        let (network_group, lane) = (usize::from(network) / lanes, usize::from(network) % lanes);
        (network_group * self.shape.wiring.nodes() as usize + node as usize, lane)
    }

    /// Makes further flits of a packet available at its source.
    pub fn supply(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        let (source, lane) = self.queue_of(node, network);
        self.sources[source].supply(lane, tag, flits);
    }

    /// Sets the number of free receive slots of a node's interface; without this call there is no limit.
    pub fn set_slots(&mut self, node: u32, network: u8, free_slots: u32) {
        self.free_slots[node as usize][usize::from(network)] = Some(free_slots);
    }

    /// Adds a free receive slot to a node's interface.
    pub fn add_slot(&mut self, node: u32, network: u8) {
        if let Some(free_slots) = &mut self.free_slots[node as usize][usize::from(network)] {
            *free_slots += 1;
        }
    }

    /// Simulates a cycle.
    pub fn step(&mut self) {
        let now = self.cycle;
        for item in
            self.remove_due(now, |item| matches!(item, InTransit::Credit { .. } | InTransit::SourceCredit { .. }))
        {
            self.deliver_in_transit(now, item);
        }
        for source in 0..self.sources.len() {
            self.step_source(now, source);
        }
        for item in self.remove_due(now, |item| matches!(item, InTransit::Flit { .. } | InTransit::FlitToNode { .. })) {
            self.deliver_in_transit(now, item);
        }
        for router in 0..self.routers.len() {
            let router_number = self.routers[router].number;
            self.routers[router].route(now, &self.shape, &self.parameters, self.seed, router_number as u32);
            self.routers[router].allocate_channels(now, &self.parameters, &mut self.free_slots);
            for departure in self.routers[router].allocate_switch(now) {
                self.depart(now, router, departure);
            }
        }
        self.cycle += 1;
    }

    /// Removes and returns the flits or credits that are due in this cycle and satisfy `is_wanted`.
    fn remove_due(&mut self, now: u64, is_wanted: impl Fn(&InTransit) -> bool) -> Vec<InTransit> {
        let is_due = |(time, item): &mut (u64, InTransit)| *time == now && is_wanted(item);
        self.in_transit.extract_if(.., is_due).map(|(_, item)| item).collect()
    }

    fn deliver_in_transit(&mut self, now: u64, item: InTransit) {
        match item {
            InTransit::Flit { router, port, channel, flit } => {
                self.routers[router].inputs[port].channels[channel].buffer.push_back(flit);
            }
            InTransit::Credit { router, port, channel } => {
                self.routers[router].outputs[port].channels[channel].credits += 1
            }
            InTransit::SourceCredit { source, channel } => self.sources[source].credits[channel] += 1,
            InTransit::FlitToNode { router, port, channel, flit } => {
                self.receive(now, ExitChannel { router, port, channel }, flit)
            }
        }
    }

    fn notify(&mut self, cycle: u64, node: u32, packet: &Packet, kind: EventKind) {
        let Injection { network, tag, .. } = packet.injection;
        self.events.push(PacketEvent { cycle, node, network, tag, kind });
    }

    fn step_source(&mut self, now: u64, source: usize) {
        let LinkTiming { cycles_per_flit, wire_cycles: wire } = self.source_timing(source);
        let sent_flit = self.sources[source].send(now, &self.parameters, cycles_per_flit);
        let Some((channel, flit)) = sent_flit else { return };
        if flit.notified_flits() > 0 {
            let sent_event = EventKind::FlitsSent(flit.notified_flits());
            self.notify(now, flit.packet.injection.source, &flit.packet, sent_event);
        }
        if flit.is_tail {
            self.notify(now, flit.packet.injection.source, &flit.packet, EventKind::Injected);
            self.counts.injected += 1;
        }
        self.counts.injected_flits += 1;
        let (nodes, routers) = (self.shape.wiring.nodes() as usize, self.shape.wiring.routers() as usize);
        let (router, port) = self.shape.wiring.entry((source % nodes) as u32);
        let router = source / nodes * routers + router as usize;
        let item = InTransit::Flit { router, port: usize::from(port), channel, flit };
        self.in_transit.push((now + u64::from(self.parameters.interface_delay) + u64::from(wire), item));
    }

    /// Sends a flit on from a router, and returns its credit to the upstream router or source.
    fn depart(&mut self, now: u64, router: usize, departure: Departure) {
        let RouterParameters { credit_delay, .. } = self.parameters;
        let Departure { input, input_channel, output, output_channel, flit } = departure;
        self.counts.flit_hops += 1;
        let credit = 2 + u64::from(credit_delay);
        self.in_transit.push(match self.routers[router].inputs[input].upstream {
            Upstream::Source(source) => {
                let wire = u64::from(self.source_timing(source).wire_cycles);
                (now + 2 + wire, InTransit::SourceCredit { source, channel: input_channel })
            }
            Upstream::Router { router, port } => {
                let wire = u64::from(self.output_timing(router, port).wire_cycles);
                (now + credit + wire, InTransit::Credit { router, port, channel: input_channel })
            }
            Upstream::Unconnected => panic!("a flit arrived at an unconnected input"),
        });
        let LinkTiming { cycles_per_flit, wire_cycles: wire } = self.output_timing(router, output);
        let after_switch = u64::from(self.parameters.switch_allocation_delay)
            + u64::from(self.parameters.switch_traversal_delay)
            + u64::from(cycles_per_flit + wire);
        self.in_transit.push(match self.routers[router].outputs[output].end {
            End::Node(node) => {
                assert_eq!(node, flit.packet.injection.destination, "a packet arrives at its destination");
                (now + after_switch, InTransit::FlitToNode { router, port: output, channel: output_channel, flit })
            }
            End::Router { router: to, port } => {
                let network_group = router / self.shape.wiring.routers() as usize;
                let router = network_group * self.shape.wiring.routers() as usize + to as usize;
                let port = usize::from(port);
                (now + after_switch, InTransit::Flit { router, port, channel: output_channel, flit })
            }
            End::Unconnected => panic!("a route leads to an unconnected port"),
        });
    }
}

/// Returns the number of logical networks that share a link.
fn lanes(parameters: &RouterParameters) -> usize {
    match parameters.sharing {
        Sharing::Demand => usize::from(parameters.networks),
        Sharing::Strict => 1,
    }
}
