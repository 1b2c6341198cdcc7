//! Every state that the packets to one node can be in, found by asking the rule again and again.

use super::super::{Asking, PortSet, Shape, Ways};
use super::links::{Links, NONE};

/// A header at an input.
#[derive(Clone)]
pub struct State {
    /// Its router.
    pub router: u32,
    /// The input, by its number.
    pub input: u32,
    /// The channels by which packets of this state came.
    pub held: u16,
    /// Where it may go.
    pub ways: Ways,
}

/// Follows packets.
pub struct Follow<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    /// Whether the channel it came by belongs to a packet's state.
    by_channel: bool,
    /// For each input (and channel) its state, or none.
    number: Vec<u32>,
    /// The states of the packets followed last.
    pub states: Vec<State>,
    /// How often the rule was asked.
    pub asked: u64,
}

impl Follow<'_> {
    /// Over a shape.
    pub fn new<'s>(shape: &'s Shape, links: &'s Links, virtual_channels: u8) -> Follow<'s> {
        let by_channel = shape.routing.looks_back();
        let number = vec![NONE; links.inputs() * if by_channel { usize::from(virtual_channels) } else { 1 }];
        Follow { shape, links, virtual_channels, by_channel, number, states: Vec::new(), asked: 0 }
    }

    /// Follows all packets from `sources`, which is one unless the rule does not look back.
    pub fn follow(&mut self, sources: &[u32], destination: u32) {
        for state in std::mem::take(&mut self.states) {
            let key = self.key(state.input, state.held.trailing_zeros() as u8);
            self.number[key] = NONE;
        }
        for &source in sources {
            let (router, port) = self.shape.wiring.entry(source);
            let any = super::super::every_channel(self.virtual_channels);
            self.enter(self.links.input(router, port), any);
        }
        let mut at = 0;
        while let Some(&State { router, input, held, .. }) = self.states.get(at) {
            let port = (input - self.links.input(router, 0)) as u8;
            let channel = held.trailing_zeros() as u8;
            let asking = Asking { router, input: port, channel, source: sources[0], destination };
            let ways = self.shape.routing.ways(&asking, self.virtual_channels);
            self.states[at].ways = ways.clone();
            self.asked += 1;
            for (port, channels) in each(&ways) {
                let input = self.links.leads(self.links.output(router, port));
                if input != NONE {
                    self.enter(input, channels);
                }
            }
            at += 1;
        }
    }

    /// The states at an input that packets on one of `channels` are in.
    pub fn at(&self, input: u32, channels: u16) -> impl Iterator<Item = usize> {
        let channels = if self.by_channel { channels } else { channels & channels.wrapping_neg() };
        let numbers = bits(channels).map(move |channel| self.number[self.key(input, channel)]);
        numbers.filter(|number| *number != NONE).map(|number| number as usize)
    }

    fn key(&self, input: u32, channel: u8) -> usize {
        match self.by_channel {
            true => input as usize * usize::from(self.virtual_channels) + usize::from(channel),
            false => input as usize,
        }
    }

    fn enter(&mut self, input: u32, channels: u16) {
        if !self.by_channel {
            return self.enter_state(input, 0, channels);
        }
        bits(channels).for_each(|channel| self.enter_state(input, channel, 1 << channel));
    }

    fn enter_state(&mut self, input: u32, channel: u8, held: u16) {
        let key = self.key(input, channel);
        match self.number[key] {
            NONE => {
                self.number[key] = self.states.len() as u32;
                let router = self.links.router_of_input(input);
                self.states.push(State {
                    router,
                    input,
                    held,
                    ways: Ways { ports: PortSet::Mask(0), channels: 0, escape: None },
                });
            }
            number => self.states[number as usize].held |= held,
        }
    }
}

/// The set bits of a number, by their places.
pub fn bits(number: u16) -> impl Iterator<Item = u8> + Clone {
    ports(number.into())
}

/// The ports of a set.
pub fn ports(set: u64) -> impl Iterator<Item = u8> + Clone {
    let mut rest = set;
    std::iter::from_fn(move || {
        let port = (rest != 0).then(|| rest.trailing_zeros() as u8);
        rest &= rest.wrapping_sub(1);
        port
    })
}

/// Every port that may be taken, with its channels, escapes included.
pub fn each(ways: &Ways) -> impl Iterator<Item = (u8, u16)> {
    let channels = ways.channels;
    ports(ways.ports.mask()).map(move |port| (port, channels)).chain(ways.escape)
}

/// What is waited for until it comes: the escape, or else any way.
pub fn waited_for(ways: &Ways) -> impl Iterator<Item = (u8, u16)> {
    let plain = if ways.escape.is_some() { 0 } else { ways.ports.mask() };
    let channels = ways.channels;
    ports(plain).map(move |port| (port, channels)).chain(ways.escape)
}
