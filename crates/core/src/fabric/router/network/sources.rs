//! Sources: packets wait in a queue of each logical network and enter the first router flit by flit.
//!
//! The logical networks that share a link alternate flit by flit. A head flit takes the next channel, in round-robin
//! order, that has a credit (wormhole switching) or credits for the whole packet (other switching). A packet of a
//! network starts only when the previous packet of the network has left. A packet whose next flit is not available
//! waits and holds its channel.

use super::active::{round_robin, take_lowest};
use super::cycle::{MovingFlit, NetworkState, Rules};
use super::packets::{Flit, NO_PACKET};
use super::state::SOURCE_OR_NODE_BIT;
use crate::fabric::router::{EventKind, Injection, Switching};

/// The source of a node.
#[derive(Clone, Debug)]
pub struct Source<const PORT_CHANNELS: usize> {
    /// Number of the first channel of the router input at which packets enter.
    entry: u32,
    lanes: [Lane; 2],
    /// Credits of each channel.
    credits: [u16; PORT_CHANNELS],
    /// Channels with a credit, one bit each.
    available_channels: u32,
    /// Lane that sent the last flit.
    last_lane: u8,
    /// Whether the link is moving a flit.
    is_busy: bool,
    /// Number of flits that have left.
    pub(super) flits_injected: u64,
}

/// The queue of a source for a logical network.
#[derive(Clone, Copy, Debug)]
struct Lane {
    first_packet: u32,
    last_packet: u32,
    /// Number of flits of the first packet that have left.
    flits_sent: u16,
    /// Index, within the logical network, of the channel that the last packet took; initially the highest index, so
    /// that the first packet takes channel 0.
    channel: u8,
    /// Whether a packet of the queue may lack flits that are not supplied yet.
    may_await_flits: bool,
}

impl<const PORT_CHANNELS: usize> Source<PORT_CHANNELS> {
    /// Creates a source whose packets enter the router on the channels from number `entry` on.
    pub fn new(entry: u32, rules: &Rules) -> Source<PORT_CHANNELS> {
        let channel = rules.virtual_channels as u8 - 1;
        let lane =
            Lane { first_packet: NO_PACKET, last_packet: NO_PACKET, flits_sent: 0, channel, may_await_flits: false };
        let credits = [rules.buffer_flits; PORT_CHANNELS];
        Source {
            entry,
            lanes: [lane; 2],
            credits,
            available_channels: u32::MAX,
            last_lane: 0,
            is_busy: false,
            flits_injected: 0,
        }
    }

    /// Returns the credits of each channel.
    pub fn credits(&self) -> &[u16; PORT_CHANNELS] {
        &self.credits
    }

    #[inline]
    fn has_packets<const SIMPLE_WORMHOLE: bool>(&self) -> bool {
        (self.lanes[0].first_packet != NO_PACKET) | (!SIMPLE_WORMHOLE && self.lanes[1].first_packet != NO_PACKET)
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    pub(super) fn join_queue(&mut self, injection: &Injection, slot: u32) {
        let (source_index, lane) = self.queue_of(injection.source, injection.network);
        let lane = &mut self.sources[source_index as usize].lanes[lane as usize];
        lane.may_await_flits |= injection.available_flits < injection.flits;
        match lane.last_packet {
            NO_PACKET => lane.first_packet = slot,
            last => self.packets.get_mut(last).next_packet = slot,
        }
        lane.last_packet = slot;
        self.active_sources.insert(source_index);
    }

    /// Returns the source and the lane that packets of a node take.
    fn queue_of(&self, node: u32, network: u8) -> (u32, u32) {
        if SIMPLE_WORMHOLE {
            return (node, 0);
        }
        let network = u32::from(network);
        (network / self.rules.lanes * self.rules.nodes + node, network % self.rules.lanes)
    }

    /// Adds flits to a packet at its source.
    pub(super) fn supply_packet(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        let (source_index, lane) = self.queue_of(node, network);
        let mut slot = self.sources[source_index as usize].lanes[lane as usize].first_packet;
        while slot != NO_PACKET && self.packets.get(slot).tag != tag {
            slot = self.packets.get(slot).next_packet;
        }
        assert!(slot != NO_PACKET, "flits are supplied to a packet that is in its source's queue");
        let packet = self.packets.get_mut(slot);
        assert!(flits <= packet.flits - packet.available_flits, "no more flits are supplied than the packet has");
        packet.available_flits += flits;
        self.active_sources.insert(source_index);
    }

    #[inline(never)]
    pub(super) fn step_sources<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        for summary_index in 0..self.active_sources.summary_len() {
            let mut words = self.active_sources.summary_word(summary_index);
            while let Some(word) = take_lowest(&mut words) {
                let word = summary_index * 64 + word as usize;
                let mut sources = self.active_sources.take_word(word);
                while let Some(source) = take_lowest(&mut sources) {
                    self.step_source::<WITHOUT_OPTIONAL_FEATURES>(now, word as u32 * 64 + source);
                }
            }
        }
    }

    #[inline]
    fn step_source<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64, source_index: u32) {
        let source = &self.sources[source_index as usize];
        if !SIMPLE_WORMHOLE && source.is_busy {
            return;
        }
        let lanes = if SIMPLE_WORMHOLE { 1 } else { self.rules.lanes };
        for offset in 1..=lanes {
            let lane = if SIMPLE_WORMHOLE { 0 } else { (u32::from(source.last_lane) + offset) % lanes };
            let state = &source.lanes[lane as usize];
            if state.first_packet == NO_PACKET
                || (state.may_await_flits && state.flits_sent == self.packets.get(state.first_packet).available_flits)
            {
                continue;
            }
            if let Some(channel) = self.source_channel(source_index, lane) {
                self.inject::<WITHOUT_OPTIONAL_FEATURES>(now, source_index, lane, channel);
                return;
            }
        }
    }

    /// Returns the channel by which a lane's next flit may leave. Returns `None` if the channel of the flit's packet
    /// has too few credits; a head flit may take any channel with enough credits.
    #[inline]
    fn source_channel(&self, source_index: u32, lane: u32) -> Option<u8> {
        let source = &self.sources[source_index as usize];
        let state = &source.lanes[lane as usize];
        let first_channel = if SIMPLE_WORMHOLE { 0 } else { lane * self.rules.virtual_channels };
        let mut available = source.available_channels >> first_channel & self.rules.every_channel;
        if state.flits_sent > 0 {
            return (available >> state.channel & 1 != 0).then_some(state.channel);
        }
        if !SIMPLE_WORMHOLE && self.rules.switching != Switching::Wormhole {
            let flits = self.packets.get(state.first_packet).flits;
            let credits = source.credits.iter().skip(first_channel as usize).zip(0..);
            available &= credits
                .filter(|(credits, _)| **credits >= flits)
                .fold(0, |available, (_, channel)| available | 1 << channel);
        }
        (available != 0).then(|| round_robin(u64::from(available), state.channel + 1))
    }

    #[inline]
    fn inject<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64, source_index: u32, lane: u32, channel: u8) {
        let source = &mut self.sources[source_index as usize];
        let state = &mut source.lanes[lane as usize];
        let slot = state.first_packet;
        let packet = self.packets.get(slot);
        let is_header = state.flits_sent == 0;
        (state.flits_sent, state.channel) = (state.flits_sent + 1, channel);
        let is_tail = state.flits_sent == packet.flits;
        let is_streamed = packet.flow_unit > 0;
        if is_streamed && (is_tail || state.flits_sent.is_multiple_of(packet.flow_unit)) {
            let sent_event = EventKind::FlitsSent((state.flits_sent - 1) % packet.flow_unit + 1);
            self.events.push(packet.at_source(now, sent_event));
        }
        if is_tail {
            (state.first_packet, state.flits_sent) = (packet.next_packet, 0);
            if state.first_packet == NO_PACKET {
                (state.last_packet, state.may_await_flits) = (NO_PACKET, false);
            }
            if !self.reports_deliveries_only {
                self.events.push(packet.at_source(now, EventKind::Injected));
            }
            self.counts.injected += 1;
        }
        if !SIMPLE_WORMHOLE {
            source.last_lane = lane as u8;
        }
        let channel_in_port = if SIMPLE_WORMHOLE { 0 } else { lane * self.rules.virtual_channels } + u32::from(channel);
        if !WITHOUT_OPTIONAL_FEATURES && let Some(crossings) = self.crossings.as_mut().filter(|_| is_header || is_tail)
        {
            let channel = SOURCE_OR_NODE_BIT | (source_index * PORT_CHANNELS as u32 + channel_in_port);
            if is_header {
                crossings.start(channel);
            }
            if is_tail {
                crossings.finish(channel, self.packets.get(slot));
            }
        }
        let credits = &mut source.credits[channel_in_port as usize % PORT_CHANNELS];
        *credits -= 1;
        if *credits == 0 {
            source.available_channels &= !(1 << channel_in_port);
        }
        let flit = Flit::new(slot, packet, is_header, is_tail);
        let (arrival_delay, link_cycles) = match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                let source = source_index as usize;
                (timings.source_delay[source].into(), timings.source_cycles[source].into())
            }
            _ => (self.rules.interface_delay, self.rules.cycles_per_flit),
        };
        self.flits_to_routers.push_at(now + arrival_delay, MovingFlit { target: source.entry + channel_in_port, flit });
        self.counts.injected_flits += 1;
        source.flits_injected += 1;
        if !SIMPLE_WORMHOLE && link_cycles > 1 {
            source.is_busy = true;
            self.source_link_releases.push_at(now + link_cycles, source_index);
        } else {
            self.active_sources.insert_if(source.has_packets::<SIMPLE_WORMHOLE>(), source_index);
        }
    }

    /// Adds a credit to a source's channel.
    #[inline(always)]
    pub(super) fn return_source_credit(&mut self, channel: usize) {
        let source = &mut self.sources[channel / PORT_CHANNELS];
        let credits = &mut source.credits[channel % PORT_CHANNELS];
        *credits += 1;
        assert!(*credits <= self.rules.buffer_flits, "more credits than the buffer has slots");
        source.available_channels |= 1 << (channel % PORT_CHANNELS);
        self.active_sources.insert_if(source.has_packets::<SIMPLE_WORMHOLE>(), (channel / PORT_CHANNELS) as u32);
    }

    /// Frees the link of a source when its flit has crossed.
    pub(super) fn free_source(&mut self, source_index: u32) {
        self.sources[source_index as usize].is_busy = false;
        self.active_sources.insert(source_index);
    }
}
