//! Which packet had which channel of a link, from which cycle to which: kept only where spans are, and
//! asked for once for each packet and router, never for each flit.
//!
//! A packet has an output channel from its grant until its tail leaves, and a channel of its source's
//! link from its header's leaving until its tail's. Leaves out: the flits between.

use super::cycle::Rows;
use super::links::LinkEnd;
use super::packets::Packet;
use super::state::{CHANNELS, OUTSIDE, Sector, Whereabouts};

/// A packet that has left a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// The channel's number, for [`Network::channel`](super::Network::channel).
    pub channel: u32,
    /// The packet's tag.
    pub tag: u32,
    /// How many were offered before it.
    pub number: u64,
    /// Its length.
    pub flits: u16,
    /// The first cycle in which it had the channel.
    pub from: u64,
    /// The first in which it had it no more.
    pub to: u64,
}

/// A channel of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkChannel {
    /// Where the link begins.
    pub from: LinkEnd,
    /// Where it ends.
    pub to: LinkEnd,
    /// Which of the link's channels it is, all logical networks counted.
    pub number: u32,
}

/// The crossings that are under way, and those that are over.
#[derive(Debug, Default)]
pub struct Crossings {
    /// The cycle that is simulated.
    pub(super) now: u64,
    /// Since when each router's output channel is had, then each source's.
    since: Vec<u64>,
    outputs: u32,
    over: Vec<Crossing>,
}

impl Crossings {
    /// None yet, of so many channels.
    pub fn new(outputs: usize, sources: usize) -> Box<Crossings> {
        let (outputs, since) = (outputs as u32, vec![0; outputs + sources]);
        Box::new(Crossings { now: 0, since, outputs, over: Vec::new() })
    }

    /// A packet has a channel from now on.
    #[cold]
    #[inline(never)]
    pub fn begin(&mut self, channel: u32) {
        let at = self.place(channel);
        self.since[at] = self.now;
    }

    /// Its tail leaves it.
    #[cold]
    #[inline(never)]
    pub fn end(&mut self, channel: u32, packet: &Packet) {
        let from = self.since[self.place(channel)];
        let Packet { tag, number, flits, .. } = *packet;
        self.over.push(Crossing { channel, tag, number, flits, from, to: self.now + 1 });
    }

    fn place(&self, channel: u32) -> usize {
        match channel & OUTSIDE {
            0 => channel as usize,
            _ => (self.outputs + (channel & !OUTSIDE)) as usize,
        }
    }

    /// Moves those that are over into `into`.
    pub fn take(&mut self, into: &mut Vec<Crossing>) {
        into.append(&mut self.over);
    }
}

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Keeps crossings from now on.
    pub(super) fn keep_crossings(&mut self) {
        let (outputs, sources) = (self.sectors.len() * CHANNELS, self.shared.sources.len() * C);
        self.shared.is_bare = false;
        self.shared.crossings = Some(Crossings::new(outputs, sources));
    }

    /// The channel of this number.
    pub(super) fn channel_of(&self, channel: u32) -> LinkChannel {
        let (own, number) = ((channel & !OUTSIDE) as usize / C, channel as usize % C);
        let (wiring, rules) = (&self.shared.shape.wiring, &self.shared.rules);
        let in_plane = rules.lanes * rules.virtual_channels;
        if channel & OUTSIDE != 0 {
            let (node, plane) = (own as u32 % rules.nodes, own as u32 / rules.nodes);
            let (router, port) = wiring.entry(node);
            let number = plane * in_plane + number as u32;
            return LinkChannel { from: LinkEnd::Node(node), to: LinkEnd::Router(router, port), number };
        }
        let Whereabouts { router, base, network, .. } =
            self.sectors[own / Sector::<C>::PORTS].at[own % Sector::<C>::PORTS];
        let number = u32::from(network) * rules.virtual_channels + number as u32;
        let port = own % Sector::<C>::PORTS - usize::from(base);
        let to = LinkEnd::of(wiring.outputs(router)[port]).expect("a packet leaves by a link");
        LinkChannel { from: LinkEnd::Router(router, port as u8), to, number }
    }
}
