//! The construction of a network: assigns the ports of a shape's routers to sectors and connects them.

use super::active::ActiveSet;
use super::cycle::{NetworkState, Rows, Rules};
use super::delay_line::DelayLine;
use super::packets::Packets;
use super::route::UNKNOWN;
use super::sources::Source;
use super::state::{CHANNELS, NO_PORT, PortLocation, SOURCE_OR_NODE_BIT, Sector};
use super::switch_allocation::SwitchRequests;
use super::timings::{SOURCE_CREDIT, Timings};
use crate::fabric::router::{Counts, LinkTimings, RouterParameters, Sharing, Switching};
use crate::fabric::topology::{End, Shape, Wiring, every_channel, flit_router_error};

/// Largest size of the table of ports by router and destination.
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
            routing: u64::from(parameters.routing_delay),
            interface: u64::from(parameters.interface_delay),
            node_credit: 2 + u64::from(parameters.credit_delay),
            channel_allocation: u64::from(parameters.vc_allocation_delay),
            grants_late: parameters.vc_allocation_delay == 1,
            holds_at_once: parameters.vc_allocation_delay <= 1,
            flit_bits: u32::from(parameters.buffer_flits).next_power_of_two().trailing_zeros(),
            last_slot: parameters.buffer_flits.next_power_of_two() - 1,
        }
    }
}

/// Returns the number of logical networks that share a link.
fn lanes(parameters: &RouterParameters) -> u32 {
    match parameters.sharing {
        Sharing::Demand => u32::from(parameters.networks),
        Sharing::Strict => 1,
    }
}

/// Returns the number of channels of a port.
pub fn channels(parameters: &RouterParameters) -> u32 {
    lanes(parameters) * u32::from(parameters.virtual_channels)
}

/// Returns whether the parameters are those of a `SIMPLE_WORMHOLE` network ([`Rows`]).
pub fn is_simple_wormhole(parameters: &RouterParameters) -> bool {
    let is_wormhole = parameters.switching == Switching::Wormhole;
    parameters.networks == 1 && is_wormhole && parameters.cycles_per_flit() == 1
}

/// Returns the number of ports of each router: the larger of its numbers of inputs and outputs.
fn ports(wiring: &Wiring) -> Vec<u32> {
    let mut ports: Vec<u32> = (0..wiring.routers()).map(|router| wiring.outputs(router).len() as u32).collect();
    let ends = (0..wiring.routers()).flat_map(|router| wiring.outputs(router));
    let inputs =
        ends.filter_map(|end| if let End::Router { router, port } = *end { Some((router, port)) } else { None });
    for (router, port) in inputs.chain((0..wiring.nodes()).map(|node| wiring.entry(node))) {
        let router_ports = &mut ports[router as usize];
        *router_ports = (*router_ports).max(u32::from(port) + 1);
    }
    ports
}

/// Returns the first port of each router of each plane, and the number of sectors. All ports of a router are in the
/// same sector.
fn first_ports(wiring: &Wiring, planes: u32, in_sector: u32) -> (Vec<u32>, usize) {
    let (ports, mut next) = (ports(wiring), 0);
    let ports_of_planes = ports.iter().cycle().take(ports.len() * planes as usize);
    let first_ports = ports_of_planes.map(|ports| {
        let left_in_sector = in_sector - next % in_sector;
        let first = if left_in_sector < *ports { next + left_in_sector } else { next };
        next = first + ports;
        first
    });
    let first_ports = first_ports.collect();
    (first_ports, next.div_ceil(in_sector) as usize)
}

impl<const C: usize, const SIMPLE_WORMHOLE: bool> Rows<C, SIMPLE_WORMHOLE> {
    /// Creates an empty network of this shape.
    pub fn new(shape: Shape, router: (&RouterParameters, Option<LinkTimings>), seed: u64) -> Self {
        let (parameters, links) = router;
        assert!(parameters.virtual_channels >= shape.routing.virtual_channels_min(), "enough channels for the rule");
        assert_eq!(flit_router_error(&shape.wiring), None, "a checked shape has routers of flits");
        let rules = Rules::new(&shape.wiring, parameters, seed);
        let planes = rules.networks / rules.lanes;
        let (first_ports, sectors) = first_ports(&shape.wiring, planes, Sector::<C>::PORTS as u32);
        let ports = sectors * Sector::<C>::PORTS;
        assert!(((ports * C) as u64) < u64::from(SOURCE_OR_NODE_BIT), "a channel's number has 31 bits");
        let sources = (planes * rules.nodes) as usize;
        let pairs = u64::from(shape.wiring.routers()) * u64::from(rules.nodes);
        let is_known = shape.routing.is_by_destination() && pairs <= KNOWN_PORTS_MAX;
        let cached_pairs = if is_known { pairs as usize } else { 0 };
        let after_switch = u64::from(parameters.switch_allocation_delay)
            + u64::from(parameters.switch_traversal_delay)
            + rules.cycles_per_flit;
        let wire = u64::from(parameters.wire_delay);
        let timings = links.map(|links| Timings::new(&shape, &links, parameters, (&first_ports, ports)));
        let longest_delay = timings.as_ref().map_or(0, Timings::longest_delay);
        let shared = NetworkState {
            rules,
            needs_min_credits: rules.switching != Switching::Wormhole,
            known_ports: vec![UNKNOWN; cached_pairs],
            port_choices: Vec::new(),
            has_port_choices: false,
            sources: Vec::new(),
            sinks: Vec::new(),
            packets: Packets::default(),
            slots: vec![u32::MAX; (rules.nodes * rules.networks) as usize],
            has_slot_limits: false,
            exits: vec![Vec::new(); rules.nodes as usize],
            first_ports,
            nodes: vec![NO_PORT; ports],
            to_routers: DelayLine::new(after_switch + wire, rules.interface.max(longest_delay)),
            to_nodes: DelayLine::new(after_switch, longest_delay),
            credits_to_routers: DelayLine::new(rules.node_credit + wire, rules.node_credit.max(longest_delay)),
            credits_to_sources: DelayLine::new(SOURCE_CREDIT.into(), longest_delay),
            headers: DelayLine::new(rules.routing, rules.routing + 1),
            granted: DelayLine::new(rules.channel_allocation, 0),
            links: DelayLine::new(rules.cycles_per_flit, longest_delay),
            source_link_releases: DelayLine::new(rules.cycles_per_flit, longest_delay),
            active_sources: ActiveSet::new(sources),
            is_without_options: SIMPLE_WORMHOLE,
            has_switch_work: false,
            requested: Vec::new(),
            events: Vec::new(),
            counts: Counts::default(),
            crossings: None,
            timings: timings.map(Box::new),
            shape,
        };
        let mut rows = Rows { cycle: 0, sectors: Vec::new(), shared, switch_requests: SwitchRequests::default() };
        rows.sectors.resize_with(sectors, || Sector::new(1 << rules.flit_bits));
        for plane in 0..planes {
            rows.join_routers(plane);
            rows.join_sources(plane);
        }
        rows
    }

    fn join_routers(&mut self, plane: u32) {
        let Rules { nodes, lanes, buffer_flits, .. } = self.shared.rules;
        let routers = self.shared.shape.wiring.routers();
        // All channels of a port are free at first, including those that no packet may take.
        let all_channels = (u64::MAX >> (64 - C)) as u32;
        let first_ports = &self.shared.first_ports[(plane * routers) as usize..];
        let ports = ports(&self.shared.shape.wiring);
        for router in 0..routers {
            let first = first_ports[router as usize];
            let row = if self.shared.known_ports.is_empty() { 0 } else { router * nodes };
            let (sector, base) = (first as usize / Sector::<C>::PORTS, first as usize % Sector::<C>::PORTS);
            let sector = &mut self.sectors[sector];
            let end = base + ports[router as usize] as usize;
            sector.used_words = sector.used_words.max((end * C).div_ceil(64));
            let (base, network) = (base as u16, (plane * lanes) as u8);
            for location in &mut sector.locations[usize::from(base)..end] {
                *location = PortLocation { row, router, base, network, ..*location };
            }
            for (from, end) in (first..).zip(self.shared.shape.wiring.outputs(router)) {
                let target = match *end {
                    End::Unconnected => continue,
                    End::Router { router, port } => first_ports[router as usize] + u32::from(port),
                    End::Node(_) => from,
                } * C as u32;
                let local = from as usize % Sector::<C>::PORTS;
                let sector = &mut self.sectors[from as usize / Sector::<C>::PORTS];
                sector.outputs[local * C..][..C].iter_mut().for_each(|channel| channel.credits = buffer_flits);
                (sector.ports[local].free, sector.ports[local].target) = (all_channels, target);
                if let End::Node(node) = *end {
                    sector.ports[local].target |= SOURCE_OR_NODE_BIT;
                    self.shared.nodes[from as usize] = node;
                    self.shared.exits[node as usize].push(from);
                } else {
                    join(&mut self.sectors, target, from * C as u32);
                }
            }
        }
    }

    fn join_sources(&mut self, plane: u32) {
        let wiring = &self.shared.shape.wiring;
        for node in 0..self.shared.rules.nodes {
            let (router, port) = wiring.entry(node);
            let first = self.shared.first_ports[(plane * wiring.routers() + router) as usize];
            let entry = (first + u32::from(port)) * C as u32;
            join(&mut self.sectors, entry, SOURCE_OR_NODE_BIT | (self.shared.sources.len() * C) as u32);
            self.shared.sources.push(Source::new(entry, &self.shared.rules));
        }
    }
}

/// Connects an input, given by its first channel, to `upstream`.
fn join<const C: usize>(sectors: &mut [Sector<C>], input: u32, upstream: u32) {
    let sector = &mut sectors[input as usize / CHANNELS];
    let known = &mut sector.ports[input as usize % CHANNELS / C].upstream;
    assert_eq!(*known, NO_PORT, "an input has one source");
    *known = upstream;
}
