//! A record of which packet held which channel of a link, and in which cycles. The record is kept only if spans are
//! recorded. The cost of recording is paid once for each packet and router, not for each flit.
//!
//! A packet holds an output channel from the grant until its tail leaves, and a channel of its source's link from the
//! departure of its header to that of its tail. The departures of other flits are not recorded.

use super::cycle::SpecializedNetwork;
use super::links::LinkEnd;
use super::packets::Packet;
use super::state::{CHANNELS, PortLocation, SOURCE_OR_NODE_BIT, Sector};

/// The time for which a packet held a channel, recorded when its tail leaves the channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// Number of the channel, for [`Network::channel`](super::Network::channel).
    pub channel: u32,
    /// Tag of the packet.
    pub tag: u32,
    /// Number of packets that were offered before this one.
    pub packet_number: u64,
    /// Length of the packet in flits.
    pub flits: u16,
    /// First cycle in which the packet held the channel.
    pub start_cycle: u64,
    /// First cycle in which it no longer held the channel.
    pub end_cycle: u64,
}

/// A channel of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkChannel {
    /// Start of the link.
    pub from: LinkEnd,
    /// End of the link.
    pub to: LinkEnd,
    /// Number of the channel among those of the link, over all logical networks.
    pub channel: u32,
}

/// The crossings that have begun, and those that are complete.
#[derive(Debug, Default)]
pub struct Crossings {
    /// Cycle that is being simulated.
    pub(super) cycle: u64,
    /// First cycle of the current packet of each output channel of routers, then of each channel of sources.
    start_cycles: Vec<u64>,
    output_channels: u32,
    completed: Vec<Crossing>,
}

impl Crossings {
    /// Creates an empty record for this many output channels of routers and channels of sources.
    pub fn new(outputs: usize, sources: usize) -> Box<Crossings> {
        let (output_channels, start_cycles) = (outputs as u32, vec![0; outputs + sources]);
        Box::new(Crossings { cycle: 0, start_cycles, output_channels, completed: Vec::new() })
    }

    /// Records that a packet holds a channel from this cycle on.
    #[cold]
    #[inline(never)]
    pub fn start(&mut self, channel: u32) {
        let index = self.index(channel);
        self.start_cycles[index] = self.cycle;
    }

    /// Records that the tail of `packet` leaves a channel in this cycle.
    #[cold]
    #[inline(never)]
    pub fn finish(&mut self, channel: u32, packet: &Packet) {
        let start_cycle = self.start_cycles[self.index(channel)];
        let Packet { tag, sequence_number: packet_number, flits, .. } = *packet;
        self.completed.push(Crossing { channel, tag, packet_number, flits, start_cycle, end_cycle: self.cycle + 1 });
    }

    fn index(&self, channel: u32) -> usize {
        match channel & SOURCE_OR_NODE_BIT {
            0 => channel as usize,
            _ => (self.output_channels + (channel & !SOURCE_OR_NODE_BIT)) as usize,
        }
    }

    /// Moves the completed crossings to `crossings`.
    pub fn take_completed(&mut self, crossings: &mut Vec<Crossing>) {
        crossings.append(&mut self.completed);
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Records crossings from now on.
    pub(super) fn record_crossings(&mut self) {
        let (outputs, sources) = (self.sectors.len() * CHANNELS, self.shared.sources.len() * PORT_CHANNELS);
        self.shared.is_without_optional_features = false;
        self.shared.crossings = Some(Crossings::new(outputs, sources));
    }

    /// Returns the link channel with this number.
    pub(super) fn channel_of(&self, channel: u32) -> LinkChannel {
        let (local_port, channel_in_port) =
            ((channel & !SOURCE_OR_NODE_BIT) as usize / PORT_CHANNELS, channel as usize % PORT_CHANNELS);
        let (wiring, rules) = (&self.shared.shape.wiring, &self.shared.rules);
        let channels_per_plane = rules.lanes * rules.virtual_channels;
        if channel & SOURCE_OR_NODE_BIT != 0 {
            let (node, plane) = (local_port as u32 % rules.nodes, local_port as u32 / rules.nodes);
            let (router, port) = wiring.entry(node);
            let channel = plane * channels_per_plane + channel_in_port as u32;
            return LinkChannel { from: LinkEnd::Node(node), to: LinkEnd::Router(router, port), channel };
        }
        let sector = &self.sectors[local_port / Sector::<PORT_CHANNELS>::PORTS];
        let PortLocation { router, router_start, network, .. } =
            sector.locations[local_port % Sector::<PORT_CHANNELS>::PORTS];
        let channel = u32::from(network) * rules.virtual_channels + channel_in_port as u32;
        let port = local_port % Sector::<PORT_CHANNELS>::PORTS - usize::from(router_start);
        let to = LinkEnd::from_end(wiring.outputs(router)[port]).expect("a packet leaves by a link");
        LinkChannel { from: LinkEnd::Router(router, port as u8), to, channel }
    }
}
