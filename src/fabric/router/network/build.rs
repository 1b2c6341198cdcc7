//! From a shape to blocks.

use super::active::Active;
use super::cycle::{Rows, Rules, Shared};
use super::packets::{Flit, Packets};
use super::ring::Line;
use super::sources::Source;
use super::state::{Block, NOWHERE, OUTSIDE, SEVERAL};
use crate::fabric::router::{Counts, RouterParameters, Sharing, Switching};
use crate::fabric::topology::{End, Shape, Wiring, every_channel};

/// The largest table of ports by router and destination.
const KNOWN_PORTS_MAX: u64 = 1 << 20;

impl Rules {
    fn new(wiring: &Wiring, parameters: &RouterParameters, seed: u64) -> Rules {
        Rules {
            seed,
            switching: parameters.switching,
            lanes: lanes(parameters),
            nodes: wiring.nodes(),
            networks: u32::from(parameters.networks),
            virtual_channels: u32::from(parameters.virtual_channels),
            every_channel: u32::from(every_channel(parameters.virtual_channels)),
            buffer_flits: parameters.buffer_flits,
            cycles_per_flit: u64::from(parameters.cycles_per_flit()),
            channel_allocation: u64::from(parameters.vc_allocation_delay),
            flit_bits: u32::from(parameters.buffer_flits).next_power_of_two().trailing_zeros(),
        }
    }
}

/// Logical networks that share a link.
fn lanes(parameters: &RouterParameters) -> u32 {
    match parameters.sharing {
        Sharing::Demand => u32::from(parameters.networks),
        Sharing::Strict => 1,
    }
}

/// The most ports that a router has, in or out, and the channels of a port.
pub fn size(wiring: &Wiring, parameters: &RouterParameters) -> (u32, u32) {
    let mut ports = wiring.nodes().min(1);
    for router in 0..wiring.routers() {
        ports = ports.max(wiring.outputs(router).len() as u32);
        for end in wiring.outputs(router) {
            if let End::Router { port, .. } = end {
                ports = ports.max(u32::from(*port) + 1);
            }
        }
    }
    let ports = (0..wiring.nodes()).map(|node| u32::from(wiring.entry(node).1) + 1).fold(ports, u32::max);
    (ports, lanes(parameters) * u32::from(parameters.virtual_channels))
}

impl<const P: usize, const C: usize> Rows<P, C> {
    /// A network of this shape, empty.
    pub fn new(shape: Shape, parameters: &RouterParameters, seed: u64) -> Rows<P, C> {
        assert!(parameters.virtual_channels >= shape.routing.virtual_channels_min(), "enough channels for the rule");
        let rules = Rules::new(&shape.wiring, parameters, seed);
        let planes = rules.networks / rules.lanes;
        let blocks: Vec<Block<P, C>> = (0..planes * shape.wiring.routers())
            .map(|own| {
                let plane = own / shape.wiring.routers();
                Block::new(own % shape.wiring.routers(), (plane * rules.lanes) as u8)
            })
            .collect();
        let channels = blocks.len() * P * C;
        assert!((channels as u64) < u64::from(OUTSIDE), "a channel's number has 31 bits");
        let sources = (planes * rules.nodes) as usize;
        let pairs = u64::from(shape.wiring.routers()) * u64::from(rules.nodes);
        let is_known = shape.routing.is_by_destination() && pairs <= KNOWN_PORTS_MAX;
        let known = if is_known { pairs as usize } else { 0 };
        let after_switch = u64::from(parameters.switch_allocation_delay)
            + u64::from(parameters.switch_traversal_delay)
            + rules.cycles_per_flit;
        let (wire, credit) = (u64::from(parameters.wire_delay), 2 + u64::from(parameters.credit_delay));
        let shared = Shared {
            rules,
            waits_for_room: rules.switching != Switching::Wormhole,
            flits: vec![Flit::default(); channels << rules.flit_bits],
            known_ports: vec![SEVERAL; known],
            several: Vec::new(),
            sources: Vec::new(),
            source_credits: vec![[rules.buffer_flits; C]; sources],
            sinks: Vec::new(),
            packets: Packets::default(),
            places: vec![u32::MAX; (rules.nodes * rules.networks) as usize],
            exits: vec![Vec::new(); rules.nodes as usize],
            nodes: vec![NOWHERE; blocks.len() * P],
            from_sources: Line::new(u64::from(parameters.interface_delay)),
            to_routers: Line::new(after_switch + wire),
            to_nodes: Line::new(after_switch),
            credits_to_routers: Line::new(credit + wire),
            credits_of_nodes: Line::new(credit),
            credits_to_sources: Line::new(2),
            headers: Line::new(u64::from(parameters.routing_delay)),
            followers: Line::new(1 + u64::from(parameters.routing_delay)),
            granted: Line::new(rules.channel_allocation),
            links: Line::new(rules.cycles_per_flit),
            interfaces: Line::new(rules.cycles_per_flit),
            active_routers: Active::new(blocks.len()),
            active_sources: Active::new(sources),
            bids: Vec::new(),
            events: Vec::new(),
            counts: Counts::default(),
            crossings: None,
            shape,
        };
        let mut rows = Rows { cycle: 0, blocks, shared };
        for plane in 0..planes {
            rows.join_routers(plane);
            rows.join_sources(plane);
        }
        rows
    }

    fn join_routers(&mut self, plane: u32) {
        let Rules { lanes, virtual_channels, buffer_flits, .. } = self.shared.rules;
        let routers = self.shared.shape.wiring.routers();
        let every = (u64::MAX >> (64 - lanes * virtual_channels)) as u32;
        for router in 0..routers {
            let own = plane * routers + router;
            for (port, end) in self.shared.shape.wiring.outputs(router).iter().enumerate() {
                let from = own * P as u32 + port as u32;
                let target = match *end {
                    End::Nowhere => continue,
                    End::Router { router, port } => (plane * routers + router) * P as u32 + u32::from(port),
                    End::Node(_) => from,
                } * C as u32;
                let block = &mut self.blocks[own as usize];
                block.outputs[port].iter_mut().for_each(|channel| channel.credits = buffer_flits);
                let output = &mut block.ports[port];
                (output.free, output.target) = (every, target);
                if let End::Node(node) = *end {
                    output.target |= OUTSIDE;
                    self.shared.nodes[from as usize] = node;
                    if self.shared.exits[node as usize].last() != Some(&own) {
                        self.shared.exits[node as usize].push(own);
                    }
                } else {
                    join(&mut self.blocks, target, from * C as u32);
                }
            }
        }
    }

    fn join_sources(&mut self, plane: u32) {
        for node in 0..self.shared.rules.nodes {
            let (router, port) = self.shared.shape.wiring.entry(node);
            let router = plane * self.shared.shape.wiring.routers() + router;
            let entry = (router * P as u32 + u32::from(port)) * C as u32;
            join(&mut self.blocks, entry, OUTSIDE | (self.shared.sources.len() * C) as u32);
            self.shared.sources.push(Source::new(entry));
        }
    }
}

/// An input, by its first channel, is filled from `upstream`.
fn join<const P: usize, const C: usize>(blocks: &mut [Block<P, C>], input: u32, upstream: u32) {
    let port = input as usize / C;
    let known = &mut blocks[port / P].ports[port % P].upstream;
    assert_eq!(*known, NOWHERE, "an input has one source");
    *known = upstream;
}
