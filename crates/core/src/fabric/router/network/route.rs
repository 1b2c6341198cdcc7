//! Routing: when a header reaches the front of its buffer, one call of the routing rule returns the outputs that the
//! header may request.

use super::cycle::NetworkState;
use super::packets::Flit;
use super::state::{CHANNELS, PortChoice, PortLocation, Sector, VcRequest, VcRequestKind, VcState};
use crate::fabric::router::Switching;
use crate::fabric::topology::{RouteOptions, RouteQuery};

/// Marks an unknown port in the table of known ports.
pub const UNKNOWN_PORT: u8 = u8::MAX;

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Starts to route the packet of an input channel, whose header is at the front of its buffer. Returns `false` if
    /// all of the packet must be in the buffer first.
    #[inline]
    pub(super) fn start_routing(&mut self, sector: &mut Sector<PORT_CHANNELS>, channel: usize, header: Flit) -> bool {
        debug_assert!(header.is_header(), "a packet begins with its header");
        let local_channel = channel % CHANNELS;
        if !SIMPLE_WORMHOLE && self.rules.switching == Switching::StoreAndForward && sector.tails[local_channel] == 0 {
            sector.inputs[local_channel].vc_state = VcState::Buffering;
            return false;
        }
        let PortLocation { table_row, router_start, network, .. } = sector.locations[local_channel / PORT_CHANNELS];
        let destination = self.packets.get(header.slot()).destination;
        let known_port = self.known_ports.get((table_row + destination) as usize).copied().unwrap_or(UNKNOWN_PORT);
        let first_channel =
            if SIMPLE_WORMHOLE { 0 } else { u32::from(header.network() - network) * self.rules.virtual_channels };
        let (allowed, needs_slot) = (self.rules.every_channel << first_channel, header.needs_slot());
        sector.requests[local_channel] =
            VcRequest { allowed, min_credits: 0, needs_slot: false, kind: VcRequestKind::AnyFree };
        sector.inputs[local_channel].vc_state = VcState::WaitingVc;
        sector.out_ports[local_channel] = router_start + u16::from(known_port);
        if needs_slot || (!SIMPLE_WORMHOLE && self.rules.switching != Switching::Wormhole) {
            let is_wormhole = self.rules.switching == Switching::Wormhole;
            let min_credits = if is_wormhole { 0 } else { self.packets.get(header.slot()).flits };
            sector.requests[local_channel] =
                VcRequest { allowed, min_credits, needs_slot, kind: VcRequestKind::Constrained };
        }
        if known_port == UNKNOWN_PORT {
            self.query_routing(sector, channel, header, first_channel);
        }
        true
    }

    /// Queries the routing rule, and stores the header's request.
    #[inline(never)]
    fn query_routing(&mut self, sector: &mut Sector<PORT_CHANNELS>, channel: usize, header: Flit, first_channel: u32) {
        let local_channel = channel % CHANNELS;
        let PortLocation { table_row, router, router_start, .. } = sector.locations[local_channel / PORT_CHANNELS];
        let packet = self.packets.get(header.slot());
        let query = RouteQuery {
            router,
            input: (local_channel / PORT_CHANNELS - usize::from(router_start)) as u8,
            channel: ((channel % PORT_CHANNELS) as u32 - first_channel) as u8,
            source: packet.source,
            destination: packet.destination,
        };
        let options = self.shape.routing.route(&query, self.rules.virtual_channels as u8);
        sector.requests[local_channel].allowed = u32::from(options.channels) << first_channel;
        let ports = options.ports.mask();
        if ports.is_power_of_two() && options.escape.is_none() {
            let port = ports.trailing_zeros() as u8;
            sector.out_ports[local_channel] = router_start + u16::from(port);
            let table_entry = self.known_ports.get_mut((table_row + packet.destination) as usize);
            if let Some(known_port) = table_entry.filter(|_| u32::from(options.channels) == self.rules.every_channel) {
                *known_port = port;
            }
            return;
        }
        let first_port = select_port(ports, hash(self.rules.seed, packet.sequence_number, router));
        if self.shape.routing.is_oblivious_random() {
            sector.out_ports[local_channel] = router_start + u16::from(first_port);
            return;
        }
        let flits = packet.flits;
        self.request_multi_port(
            &mut sector.requests[local_channel],
            (channel, first_channel),
            &options,
            (first_port, flits),
        );
    }

    fn request_multi_port(
        &mut self,
        request: &mut VcRequest,
        (channel, first_channel): (usize, u32),
        options: &RouteOptions,
        (hashed_port, flits): (u8, u16),
    ) {
        request.kind = VcRequestKind::MultiPort;
        // A header that takes an escape without credits waits there and can no longer take another channel.
        let escape_min_credits = request.min_credits.max(1);
        if options.escape.is_some() {
            // The escape stays reachable (Duato 1993) if every packet in front of the header can move on without the
            // escape. A packet that fits completely in the next buffer can do so. A longer packet therefore takes only
            // an empty buffer, in which its header is at the front.
            request.min_credits = flits.min(self.rules.buffer_flits);
            self.needs_min_credits = true;
        }
        let escape = options.escape.map(|(port, channels)| (port, u32::from(channels) << first_channel));
        // With an escape, the search begins at its port: a random start at every router would lead most packets
        // through the middle of a mesh.
        let first_port = escape.map_or(hashed_port, |(port, _)| port);
        if self.port_choices.is_empty() {
            self.port_choices = vec![PortChoice::default(); self.nodes_of_ports.len() * PORT_CHANNELS];
            (self.has_port_choices, self.is_without_optional_features) = (true, false);
        }
        self.port_choices[channel] = PortChoice { ports: options.ports.mask(), first_port, escape, escape_min_credits };
    }
}

/// Returns the port of `ports` that a hash selects.
fn select_port(ports: u64, hash: u64) -> u8 {
    let mut remaining_ports = ports;
    for _ in 0..hash % u64::from(ports.count_ones()) {
        remaining_ports &= remaining_ports - 1;
    }
    remaining_ports.trailing_zeros() as u8
}

/// Returns a hash of the seed, the packet's number and the router. It selects the port at which the search among
/// several ports begins, and is the same in every run.
fn hash(seed: u64, packet_number: u64, router: u32) -> u64 {
    let mut mixed = seed ^ packet_number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(router) << 32);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 31)
}
