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
pub struct Source<const C: usize> {
    /// Number of the first channel of the router input at which packets enter.
    entry: u32,
    lanes: [Lane; 2],
    /// Credits of each channel.
    credits: [u16; C],
    /// Channels with a credit, one bit each.
    available: u32,
    /// Lane that sent the last flit.
    last: u8,
    /// Whether the link is moving a flit.
    is_busy: bool,
    /// Number of flits that have left.
    pub(super) flits: u64,
}

/// The queue of a source for a logical network.
#[derive(Clone, Copy, Debug)]
struct Lane {
    first: u32,
    last: u32,
    /// Number of flits of the first packet that have left.
    flits_sent: u16,
    /// Index, within the logical network, of the channel that the last packet took; initially the highest index, so
    /// that the first packet takes channel 0.
    channel: u8,
    /// Whether a packet of the queue may lack flits that are not supplied yet.
    may_await_flits: bool,
}

impl<const C: usize> Source<C> {
    /// Creates a source whose packets enter the router on the channels from number `entry` on.
    pub fn new(entry: u32, rules: &Rules) -> Source<C> {
        let channel = rules.virtual_channels as u8 - 1;
        let lane = Lane { first: NO_PACKET, last: NO_PACKET, flits_sent: 0, channel, may_await_flits: false };
        let credits = [rules.buffer_flits; C];
        Source { entry, lanes: [lane; 2], credits, available: u32::MAX, last: 0, is_busy: false, flits: 0 }
    }

    /// Returns the credits of each channel.
    pub fn credits(&self) -> &[u16; C] {
        &self.credits
    }

    #[inline]
    fn is_waiting<const SIMPLE_WORMHOLE: bool>(&self) -> bool {
        (self.lanes[0].first != NO_PACKET) | (!SIMPLE_WORMHOLE && self.lanes[1].first != NO_PACKET)
    }
}

impl<const C: usize, const SIMPLE_WORMHOLE: bool> NetworkState<C, SIMPLE_WORMHOLE> {
    pub(super) fn join_queue(&mut self, injection: &Injection, slot: u32) {
        let (source_index, lane) = self.queue_of(injection.source, injection.network);
        let lane = &mut self.sources[source_index as usize].lanes[lane as usize];
        lane.may_await_flits |= injection.ready < injection.flits;
        match lane.last {
            NO_PACKET => lane.first = slot,
            last => self.packets.get_mut(last).next = slot,
        }
        lane.last = slot;
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
        let mut slot = self.sources[source_index as usize].lanes[lane as usize].first;
        while slot != NO_PACKET && self.packets.get(slot).tag != tag {
            slot = self.packets.get(slot).next;
        }
        assert!(slot != NO_PACKET, "flits are supplied to a packet that is in its source's queue");
        let packet = self.packets.get_mut(slot);
        assert!(flits <= packet.flits - packet.ready, "no more flits are supplied than the packet has");
        packet.ready += flits;
        self.active_sources.insert(source_index);
    }

    #[inline(never)]
    pub(super) fn step_sources<const WITHOUT_OPTIONS: bool>(&mut self, now: u64) {
        for summary in 0..self.active_sources.summaries() {
            let mut words = self.active_sources.words_of(summary);
            while let Some(word) = take_lowest(&mut words) {
                let word = summary * 64 + word as usize;
                let mut sources = self.active_sources.take_word(word);
                while let Some(source) = take_lowest(&mut sources) {
                    self.step_source::<WITHOUT_OPTIONS>(now, word as u32 * 64 + source);
                }
            }
        }
    }

    #[inline]
    fn step_source<const WITHOUT_OPTIONS: bool>(&mut self, now: u64, source_index: u32) {
        let source = &self.sources[source_index as usize];
        if !SIMPLE_WORMHOLE && source.is_busy {
            return;
        }
        let lanes = if SIMPLE_WORMHOLE { 1 } else { self.rules.lanes };
        for turn in 1..=lanes {
            let lane = if SIMPLE_WORMHOLE { 0 } else { (u32::from(source.last) + turn) % lanes };
            let state = &source.lanes[lane as usize];
            if state.first == NO_PACKET
                || (state.may_await_flits && state.flits_sent == self.packets.get(state.first).ready)
            {
                continue;
            }
            if let Some(channel) = self.source_channel(source_index, lane) {
                self.send_from_source::<WITHOUT_OPTIONS>(now, source_index, lane, channel);
                return;
            }
        }
    }

    /// Returns the channel by which a lane's next flit may leave, or `None` if the packet's channel lacks the credits;
    /// for a head flit, if every channel lacks them.
    #[inline]
    fn source_channel(&self, source_index: u32, lane: u32) -> Option<u8> {
        let source = &self.sources[source_index as usize];
        let state = &source.lanes[lane as usize];
        let first = if SIMPLE_WORMHOLE { 0 } else { lane * self.rules.virtual_channels };
        let mut available = source.available >> first & self.rules.every_channel;
        if state.flits_sent > 0 {
            return (available >> state.channel & 1 != 0).then_some(state.channel);
        }
        if !SIMPLE_WORMHOLE && self.rules.switching != Switching::Wormhole {
            let flits = self.packets.get(state.first).flits;
            let credits = source.credits.iter().skip(first as usize).zip(0..);
            available &= credits
                .filter(|(credits, _)| **credits >= flits)
                .fold(0, |available, (_, channel)| available | 1 << channel);
        }
        (available != 0).then(|| round_robin(u64::from(available), state.channel + 1))
    }

    #[inline]
    fn send_from_source<const WITHOUT_OPTIONS: bool>(&mut self, now: u64, source_index: u32, lane: u32, channel: u8) {
        let source = &mut self.sources[source_index as usize];
        let state = &mut source.lanes[lane as usize];
        let slot = state.first;
        let packet = self.packets.get(slot);
        let is_header = state.flits_sent == 0;
        state.flits_sent += 1;
        state.channel = channel;
        let is_tail = state.flits_sent == packet.flits;
        let is_streamed = packet.flow_unit > 0;
        if is_streamed && (is_tail || state.flits_sent.is_multiple_of(packet.flow_unit)) {
            let sent_event = EventKind::FlitsSent((state.flits_sent - 1) % packet.flow_unit + 1);
            self.events.push(packet.at_source(now, sent_event));
        }
        if is_tail {
            (state.first, state.flits_sent) = (packet.next, 0);
            if state.first == NO_PACKET {
                (state.last, state.may_await_flits) = (NO_PACKET, false);
            }
            self.events.push(packet.at_source(now, EventKind::Injected));
            self.counts.injected += 1;
        }
        if !SIMPLE_WORMHOLE {
            source.last = lane as u8;
        }
        let local = if SIMPLE_WORMHOLE { 0 } else { lane * self.rules.virtual_channels } + u32::from(channel);
        if !WITHOUT_OPTIONS && let Some(crossings) = self.crossings.as_mut().filter(|_| is_header || is_tail) {
            let channel = SOURCE_OR_NODE_BIT | (source_index * C as u32 + local);
            if is_header {
                crossings.start(channel);
            }
            if is_tail {
                crossings.finish(channel, self.packets.get(slot));
            }
        }
        let credits = &mut source.credits[local as usize % C];
        *credits -= 1;
        if *credits == 0 {
            source.available &= !(1 << local);
        }
        let moving = MovingFlit { to: source.entry + local, flit: Flit::new(slot, packet, is_header, is_tail) };
        let (delay, cycles) = match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                let source = source_index as usize;
                (timings.from_source[source].into(), timings.source_cycles[source].into())
            }
            _ => (self.rules.interface, self.rules.cycles_per_flit),
        };
        self.to_routers.push_at(now + delay, moving);
        self.counts.injected_flits += 1;
        source.flits += 1;
        if !SIMPLE_WORMHOLE && cycles > 1 {
            source.is_busy = true;
            self.source_link_releases.push_at(now + cycles, source_index);
        } else {
            self.active_sources.insert_if(source.is_waiting::<SIMPLE_WORMHOLE>(), source_index);
        }
    }

    /// Adds a credit to a source's channel.
    #[inline(always)]
    pub(super) fn return_source_credit(&mut self, channel: usize) {
        let source = &mut self.sources[channel / C];
        let credits = &mut source.credits[channel % C];
        *credits += 1;
        assert!(*credits <= self.rules.buffer_flits, "credits are for slots of a buffer");
        source.available |= 1 << (channel % C);
        self.active_sources.insert_if(source.is_waiting::<SIMPLE_WORMHOLE>(), (channel / C) as u32);
    }

    /// Frees the link of a source when its flit has crossed.
    pub(super) fn free_source(&mut self, source_index: u32) {
        self.sources[source_index as usize].is_busy = false;
        self.active_sources.insert(source_index);
    }
}
