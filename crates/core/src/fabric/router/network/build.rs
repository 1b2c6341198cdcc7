//! The construction of a network: assigns the ports of a shape's routers to sectors and connects them.

use super::active::ActiveSet;
use super::cycle::{NetworkState, Rules, SpecializedNetwork};
use super::delay_line::DelayLine;
use super::packets::Packets;
use super::route::UNKNOWN_PORT;
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
            routing_delay: u64::from(parameters.routing_delay),
            interface_delay: u64::from(parameters.interface_delay),
            node_credit_delay: 2 + u64::from(parameters.credit_delay),
            channel_allocation_delay: u64::from(parameters.vc_allocation_delay),
            grants_after_switch: parameters.vc_allocation_delay == 1,
            uses_grant_at_once: parameters.vc_allocation_delay <= 1,
            slot_bits: u32::from(parameters.buffer_flits).next_power_of_two().trailing_zeros(),
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

/// Returns whether the parameters are those of a `SIMPLE_WORMHOLE` network ([`SpecializedNetwork`]).
pub fn is_simple_wormhole(parameters: &RouterParameters) -> bool {
    let is_wormhole = parameters.switching == Switching::Wormhole;
    parameters.networks == 1 && is_wormhole && parameters.cycles_per_flit() == 1
}

/// Returns the number of ports of each router: the larger of its numbers of inputs and outputs.
fn ports(wiring: &Wiring) -> Vec<u32> {
    let mut ports: Vec<u32> = (0..wiring.routers()).map(|router| wiring.outputs(router).len() as u32).collect();
    let output_ends = (0..wiring.routers()).flat_map(|router| wiring.outputs(router));
    let inputs =
        output_ends.filter_map(|end| if let End::Router { router, port } = *end { Some((router, port)) } else { None });
    for (router, port) in inputs.chain((0..wiring.nodes()).map(|node| wiring.entry(node))) {
        let router_ports = &mut ports[router as usize];
        *router_ports = (*router_ports).max(u32::from(port) + 1);
    }
    ports
}

/// Returns the first port of each router of each plane, and the number of sectors. A plane is a copy of all routers,
/// for the logical networks that share links. All ports of a router are in the same sector.
fn first_ports(wiring: &Wiring, planes: u32, ports_per_sector: u32) -> (Vec<u32>, usize) {
    let (ports, mut next_port) = (ports(wiring), 0);
    let ports_of_planes = ports.iter().cycle().take(ports.len() * planes as usize);
    let first_ports = ports_of_planes.map(|ports| {
        let ports_left_in_sector = ports_per_sector - next_port % ports_per_sector;
        let first = if ports_left_in_sector < *ports { next_port + ports_left_in_sector } else { next_port };
        next_port = first + ports;
        first
    });
    let first_ports = first_ports.collect();
    (first_ports, next_port.div_ceil(ports_per_sector) as usize)
}

/// Returns the table of output ports by router and node, in which no port is known yet. The table is empty if a route
/// depends on more than the destination, or if it would be too large.
fn unknown_ports(shape: &Shape, nodes: u32) -> Vec<u8> {
    let router_node_pairs = u64::from(shape.wiring.routers()) * u64::from(nodes);
    let has_port_table = shape.routing.depends_on_destination_only() && router_node_pairs <= KNOWN_PORTS_MAX;
    vec![UNKNOWN_PORT; if has_port_table { router_node_pairs as usize } else { 0 }]
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Creates an empty network of this shape.
    pub fn new(shape: Shape, router: (&RouterParameters, Option<LinkTimings>), seed: u64) -> Self {
        let (parameters, links) = router;
        assert!(parameters.virtual_channels >= shape.routing.virtual_channels_min(), "each link has enough channels");
        assert_eq!(flit_router_error(&shape.wiring), None, "flit routers can have the wiring of a checked shape");
        let rules = Rules::new(&shape.wiring, parameters, seed);
        let planes = rules.networks / rules.lanes;
        let (first_ports, sector_count) = first_ports(&shape.wiring, planes, Sector::<PORT_CHANNELS>::PORTS as u32);
        let port_count = sector_count * Sector::<PORT_CHANNELS>::PORTS;
        assert!(((port_count * PORT_CHANNELS) as u64) < u64::from(SOURCE_OR_NODE_BIT), "31 bits number a channel");
        let source_count = (planes * rules.nodes) as usize;
        let switch_and_link_cycles = u64::from(parameters.switch_allocation_delay)
            + u64::from(parameters.switch_traversal_delay)
            + rules.cycles_per_flit;
        let Rules { interface_delay, node_credit_delay, .. } = rules;
        let wire_delay = u64::from(parameters.wire_delay);
        let timings = links.map(|links| Timings::new(&shape, &links, parameters, (&first_ports, port_count)));
        let longest_delay = timings.as_ref().map_or(0, Timings::longest_delay);
        let shared = NetworkState {
            rules,
            needs_min_credits: rules.switching != Switching::Wormhole,
            known_ports: unknown_ports(&shape, rules.nodes),
            port_choices: Vec::new(),
            has_port_choices: false,
            sources: Vec::new(),
            sinks: Vec::new(),
            packets: Packets::default(),
            slots: vec![u32::MAX; (rules.nodes * rules.networks) as usize],
            has_slot_limits: false,
            exit_ports: vec![Vec::new(); rules.nodes as usize],
            first_ports,
            nodes_of_ports: vec![NO_PORT; port_count],
            flits_to_routers: DelayLine::new(switch_and_link_cycles + wire_delay, interface_delay.max(longest_delay)),
            flits_to_nodes: DelayLine::new(switch_and_link_cycles, longest_delay),
            credits_to_routers: DelayLine::new(node_credit_delay + wire_delay, node_credit_delay.max(longest_delay)),
            credits_to_sources: DelayLine::new(SOURCE_CREDIT.into(), longest_delay),
            headers: DelayLine::new(rules.routing_delay, rules.routing_delay + 1),
            granted_inputs: DelayLine::new(rules.channel_allocation_delay, 0),
            output_link_releases: DelayLine::new(rules.cycles_per_flit, longest_delay),
            source_link_releases: DelayLine::new(rules.cycles_per_flit, longest_delay),
            active_sources: ActiveSet::new(source_count),
            is_without_optional_features: SIMPLE_WORMHOLE,
            has_switch_work: false,
            requested_outputs: Vec::new(),
            events: Vec::new(),
            reports_deliveries_only: false,
            counts: Counts::default(),
            crossings: None,
            timings: timings.map(Box::new),
            shape,
        };
        let mut network =
            SpecializedNetwork { cycle: 0, sectors: Vec::new(), shared, switch_requests: SwitchRequests::default() };
        network.sectors.resize_with(sector_count, || Sector::new(1 << rules.slot_bits));
        for plane in 0..planes {
            network.connect_routers(plane);
            network.connect_sources(plane);
        }
        network
    }

    fn connect_routers(&mut self, plane: u32) {
        let Rules { nodes, lanes, buffer_flits, .. } = self.shared.rules;
        let routers = self.shared.shape.wiring.routers();
        // All channels of a port are free at first, including those that no packet may take.
        let all_channels = (u64::MAX >> (64 - PORT_CHANNELS)) as u32;
        let first_ports = &self.shared.first_ports[(plane * routers) as usize..];
        let ports = ports(&self.shared.shape.wiring);
        for router in 0..routers {
            let first_port = first_ports[router as usize];
            let table_row = if self.shared.known_ports.is_empty() { 0 } else { router * nodes };
            let (sector, router_start) = (
                first_port as usize / Sector::<PORT_CHANNELS>::PORTS,
                first_port as usize % Sector::<PORT_CHANNELS>::PORTS,
            );
            let sector = &mut self.sectors[sector];
            let port_end = router_start + ports[router as usize] as usize;
            sector.used_words = sector.used_words.max((port_end * PORT_CHANNELS).div_ceil(64));
            let (router_start, network) = (router_start as u16, (plane * lanes) as u8);
            for location in &mut sector.locations[usize::from(router_start)..port_end] {
                *location = PortLocation { table_row, router, router_start, network, ..*location };
            }
            for (from, end) in (first_port..).zip(self.shared.shape.wiring.outputs(router)) {
                let target = match *end {
                    End::Unconnected => continue,
                    End::Router { router, port } => first_ports[router as usize] + u32::from(port),
                    End::Node(_) => from,
                } * PORT_CHANNELS as u32;
                let local_port = from as usize % Sector::<PORT_CHANNELS>::PORTS;
                let sector = &mut self.sectors[from as usize / Sector::<PORT_CHANNELS>::PORTS];
                sector.outputs[local_port * PORT_CHANNELS..][..PORT_CHANNELS]
                    .iter_mut()
                    .for_each(|channel| channel.credits = buffer_flits);
                (sector.ports[local_port].free_channels, sector.ports[local_port].target) = (all_channels, target);
                if let End::Node(node) = *end {
                    sector.ports[local_port].target |= SOURCE_OR_NODE_BIT;
                    self.shared.nodes_of_ports[from as usize] = node;
                    self.shared.exit_ports[node as usize].push(from);
                } else {
                    connect(&mut self.sectors, target, from * PORT_CHANNELS as u32);
                }
            }
        }
    }

    fn connect_sources(&mut self, plane: u32) {
        let wiring = &self.shared.shape.wiring;
        for node in 0..self.shared.rules.nodes {
            let (router, port) = wiring.entry(node);
            let first = self.shared.first_ports[(plane * wiring.routers() + router) as usize];
            let entry = (first + u32::from(port)) * PORT_CHANNELS as u32;
            connect(&mut self.sectors, entry, SOURCE_OR_NODE_BIT | (self.shared.sources.len() * PORT_CHANNELS) as u32);
            self.shared.sources.push(Source::new(entry, &self.shared.rules));
        }
    }
}

/// Connects an input, given by its first channel, to `upstream`.
fn connect<const PORT_CHANNELS: usize>(sectors: &mut [Sector<PORT_CHANNELS>], input: u32, upstream: u32) {
    let sector = &mut sectors[input as usize / CHANNELS];
    let known_upstream = &mut sector.ports[input as usize % CHANNELS / PORT_CHANNELS].upstream;
    assert_eq!(*known_upstream, NO_PORT, "an input has one source");
    *known_upstream = upstream;
}
