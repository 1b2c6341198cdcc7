//! Sources: packets wait in a queue of each logical network and enter the first router flit by flit.
//!
//! The logical networks that share the link take turns by the flit. A header takes the next channel with
//! room, in turn; no packet of a network starts before the one ahead of it has left. A packet whose next
//! flit is not there yet waits where it is, and holds its channel.

use super::active::take_lowest;
use super::cycle::{Moving, Shared};
use super::packets::{Flit, NONE};
use super::state::OUTSIDE;
use crate::fabric::router::{EventKind, Injection, Switching};

/// The source of a node.
#[derive(Clone, Debug)]
pub struct Source {
    /// The first channel of the input where its packets enter.
    entry: u32,
    lanes: [Lane; 2],
    /// The lane that sent last.
    last: u8,
    /// Whether its link still moves a flit.
    is_busy: bool,
    /// Flits that left it.
    pub(super) flits: u64,
}

/// A source's queue for a logical network.
#[derive(Clone, Copy, Debug)]
struct Lane {
    first: u32,
    last: u32,
    /// Flits of the first packet that have left.
    sent: u16,
    /// The channel taken last, within the logical network; none at first.
    channel: u8,
    /// Whether a packet of the queue may lack flits; if not, none is looked for.
    may_lack: bool,
}

/// No channel was taken yet.
const NOT_YET: u8 = u8::MAX;

impl Source {
    /// A source whose packets enter by the channels from `entry` on.
    pub fn new(entry: u32) -> Source {
        let lane = Lane { first: NONE, last: NONE, sent: 0, channel: NOT_YET, may_lack: false };
        Source { entry, lanes: [lane; 2], last: 0, is_busy: false, flits: 0 }
    }
}

impl<const P: usize, const C: usize> Shared<P, C> {
    pub(super) fn join_queue(&mut self, injection: &Injection, slot: u32) {
        let (number, lane) = self.queue_of(injection.source, injection.network);
        let lane = &mut self.sources[number as usize].lanes[lane as usize];
        lane.may_lack |= injection.ready < injection.flits;
        match lane.last {
            NONE => lane.first = slot,
            last => self.packets.get_mut(last).next = slot,
        }
        lane.last = slot;
        self.active_sources.insert(number);
    }

    /// The source and its lane that packets of a node take.
    fn queue_of(&self, node: u32, network: u8) -> (u32, u32) {
        let network = u32::from(network);
        (network / self.rules.lanes * self.rules.nodes + node, network % self.rules.lanes)
    }

    /// More flits of a packet are at its source.
    pub(super) fn supply_packet(&mut self, node: u32, network: u8, tag: u32, flits: u16) {
        let (number, lane) = self.queue_of(node, network);
        let mut slot = self.sources[number as usize].lanes[lane as usize].first;
        while slot != NONE && self.packets.get(slot).tag != tag {
            slot = self.packets.get(slot).next;
        }
        assert!(slot != NONE, "flits are supplied to a packet that is in its source's queue");
        let packet = self.packets.get_mut(slot);
        assert!(flits <= packet.flits - packet.ready, "no more flits are supplied than the packet has");
        packet.ready += flits;
        self.active_sources.insert(number);
    }

    pub(super) fn step_sources(&mut self, now: u64) {
        for summary in 0..self.active_sources.summaries() {
            let mut words = self.active_sources.words_of(summary);
            while let Some(word) = take_lowest(&mut words) {
                let word = summary * 64 + word as usize;
                let mut sources = self.active_sources.take_word(word);
                while let Some(source) = take_lowest(&mut sources) {
                    self.step_source(now, word as u32 * 64 + source);
                }
            }
        }
    }

    fn step_source(&mut self, now: u64, number: u32) {
        let source = &self.sources[number as usize];
        if source.is_busy {
            return;
        }
        let lanes = self.rules.lanes;
        for turn in 1..=lanes {
            let lane = (u32::from(source.last) + turn) % lanes;
            let state = &source.lanes[lane as usize];
            if state.first == NONE || (state.may_lack && state.sent == self.packets.get(state.first).ready) {
                continue;
            }
            if let Some(channel) = self.source_channel(number, lane) {
                self.send_from_source(now, number, lane, channel);
                return;
            }
        }
    }

    /// The channel by which a lane's next flit may leave.
    #[inline]
    fn source_channel(&self, number: u32, lane: u32) -> Option<u8> {
        let state = &self.sources[number as usize].lanes[lane as usize];
        let first = (lane * self.rules.virtual_channels) as usize;
        let credits = &self.source_credits[number as usize][first..];
        if state.sent > 0 {
            return (credits[usize::from(state.channel)] > 0).then_some(state.channel);
        }
        let flits = match self.rules.switching {
            Switching::Wormhole => 1,
            _ => self.packets.get(state.first).flits,
        };
        let from = match state.channel {
            NOT_YET => 0,
            last => (u32::from(last) + 1) % self.rules.virtual_channels,
        };
        let count = if state.channel == NOT_YET { 1 } else { self.rules.virtual_channels };
        let turns = (from..self.rules.virtual_channels).chain(0..from).take(count as usize);
        turns.into_iter().find(|channel| credits[*channel as usize] >= flits).map(|channel| channel as u8)
    }

    fn send_from_source(&mut self, now: u64, number: u32, lane: u32, channel: u8) {
        let source = &mut self.sources[number as usize];
        let state = &mut source.lanes[lane as usize];
        let slot = state.first;
        let packet = self.packets.get(slot);
        let is_header = state.sent == 0;
        state.sent += 1;
        state.channel = channel;
        let is_tail = state.sent == packet.flits;
        let is_streamed = packet.grain > 0;
        if is_streamed && (is_tail || state.sent.is_multiple_of(packet.grain)) {
            let left = EventKind::Left((state.sent - 1) % packet.grain + 1);
            self.events.push(packet.at_source(now, left));
        }
        if is_tail {
            (state.first, state.sent) = (packet.next, 0);
            if state.first == NONE {
                (state.last, state.may_lack) = (NONE, false);
            }
            self.events.push(packet.at_source(now, EventKind::Entered));
            self.counts.injected += 1;
        }
        source.last = lane as u8;
        let own = lane * self.rules.virtual_channels + u32::from(channel);
        if let Some(crossings) = self.crossings.as_mut().filter(|_| is_header || is_tail) {
            let channel = OUTSIDE | (number * C as u32 + own);
            if is_header {
                crossings.begin(channel);
            }
            if is_tail {
                crossings.end(channel, self.packets.get(slot));
            }
        }
        self.source_credits[number as usize][own as usize] -= 1;
        let moving = Moving { to: source.entry + own, flit: Flit::new(slot, is_streamed, is_header, is_tail) };
        self.from_sources.push(moving);
        self.counts.injected_flits += 1;
        source.flits += 1;
        if self.rules.cycles_per_flit > 1 {
            source.is_busy = true;
            self.interfaces.push(number);
        } else if source.lanes.iter().any(|lane| lane.first != NONE) {
            self.active_sources.insert(number);
        }
    }

    /// A source's link has moved its flit.
    pub(super) fn free_source(&mut self, number: u32) {
        self.sources[number as usize].is_busy = false;
        self.active_sources.insert(number);
    }
}
