//! Sinks: a node's interface takes each flit as it comes, and its slot's credit goes back; that of a
//! streamed packet's flit only when the interface takes it.

use super::cycle::{Moving, Shared};
use super::packets::Flit;
use super::state::OUTSIDE;
use crate::fabric::router::{EventKind, Injection, PacketEvent};
use std::collections::VecDeque;

/// What a node's interface keeps of the streamed packets of a logical network.
#[derive(Clone, Default, Debug)]
pub struct Sink {
    /// Flits that it was not told of yet, one entry for each packet.
    gathering: Vec<Kept>,
    /// Those it was told of, in that order: what it takes is what it knows of, not whatever came first.
    told: VecDeque<Kept>,
}

/// Flits of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// The output channel behind which they came.
    pub output: u32,
    /// How many.
    pub flits: u16,
    tag: u32,
}

impl Sink {
    /// All that it keeps.
    pub fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.gathering.iter().chain(&self.told)
    }
}

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// A streamed packet will come.
    pub(super) fn expect_stream(&mut self, injection: &Injection) {
        // The slots behind the last router would be full before enough had gathered to be told of.
        assert!(injection.grain <= self.rules.buffer_flits, "what is told of at once has room in a buffer");
        let sinks = (self.rules.nodes * self.rules.networks) as usize;
        self.sinks.resize_with(sinks, Sink::default);
    }

    /// Nodes have places from now on. The last of them goes to the first router that grants it, so that one
    /// router after the other grants what it is asked for.
    pub(super) fn note_places(&mut self) {
        (self.has_places, self.is_bare) = (true, false);
        self.rules.grants_late = false;
        self.rules.holds_at_once = self.rules.channel_allocation == 0;
    }

    /// Returns the cycles from a flit's arrival behind an output channel until its credit counts.
    #[inline]
    fn node_credit(&self, output: u32) -> u64 {
        match &self.timings {
            Some(timings) if !PLAIN => timings.node_credit[output as usize / C].into(),
            _ => self.rules.node_credit,
        }
    }

    /// Flits arrive behind output channels; those that somebody is told of are chosen without a branch.
    pub(super) fn arrive_at_nodes(&mut self, now: u64, flits: &mut [Moving]) {
        let mut chosen = 0;
        for at in 0..flits.len() {
            let Moving { to, flit } = flits[at];
            if !flit.is_streamed() {
                self.credits_to_routers.push_at(now + self.node_credit(to & !OUTSIDE), to & !OUTSIDE);
            }
            flits[chosen] = Moving { to, flit };
            chosen += usize::from(!flit.is_untold());
        }
        self.counts.delivered_flits += flits.len() as u64;
        flits[..chosen].iter().for_each(|moving| self.tell_of(now, moving.to & !OUTSIDE, moving.flit));
    }

    /// A header, a tail, or a flit of a streamed packet is behind an output channel.
    #[inline]
    fn tell_of(&mut self, now: u64, output: u32, flit: Flit) {
        let packet = self.packets.get(flit.slot());
        assert_eq!(packet.destination, self.nodes[output as usize / C], "a packet arrives where it goes to");
        let header = packet.at_destination(now, EventKind::Header);
        if flit.is_header() {
            self.events.push(header);
        }
        if flit.is_streamed() {
            self.keep(now, output, flit);
        }
        if flit.is_tail() {
            self.events.push(PacketEvent { kind: EventKind::Delivered, ..header });
            self.packets.remove(flit.slot());
            self.counts.delivered += 1;
        }
    }

    /// The credit of a streamed packet's flit is kept, and the interface is told of all that gathered.
    #[inline(never)]
    fn keep(&mut self, now: u64, output: u32, flit: Flit) {
        let packet = self.packets.get(flit.slot());
        let sink = &mut self.sinks[(packet.destination * self.rules.networks + u32::from(packet.network)) as usize];
        // An output channel has one packet at a time.
        let known = sink.gathering.iter().position(|kept| kept.output == output);
        let at = known.unwrap_or_else(|| {
            sink.gathering.push(Kept { output, flits: 0, tag: packet.tag });
            sink.gathering.len() - 1
        });
        sink.gathering[at].flits += 1;
        if sink.gathering[at].flits == packet.grain || flit.is_tail() {
            let gathered = sink.gathering.swap_remove(at);
            sink.told.push_back(gathered);
            self.events.push(packet.at_destination(now, EventKind::Came(gathered.flits)));
        }
    }

    /// An interface takes flits of a packet before cycle `now`. Their credits go back with those of the
    /// cycle before, of which it was told last: an interface that takes at once holds up nothing.
    pub(super) fn take_flits(&mut self, now: u64, node: u32, network: u8, (tag, flits): (u32, u16)) {
        let number = (node * self.rules.networks + u32::from(network)) as usize;
        let mut rest = flits;
        while rest > 0 {
            let sink = self.sinks.get_mut(number);
            let first = sink.and_then(|sink| Some((sink.told.iter().position(|kept| kept.tag == tag)?, sink)));
            let (at, sink) = first.expect("an interface takes flits that it was told of");
            let kept = &mut sink.told[at];
            let (output, taken) = (kept.output, rest.min(kept.flits));
            (rest, kept.flits) = (rest - taken, kept.flits - taken);
            if kept.flits == 0 {
                sink.told.remove(at);
            }
            let due = now - 1 + self.node_credit(output);
            (0..taken).for_each(|_| self.credits_to_routers.push_at(due, output));
        }
    }
}
