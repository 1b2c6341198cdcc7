//! Channel allocation: separable, inputs first. Each waiting header asks for one free output channel;
//! each output channel takes one of those who ask. Both take turns, and a turn passes only by a grant.

use super::active::{round_robin, take_lowest};
use super::cycle::{Rows, Shared};
use super::state::{Block, Input, OUTSIDE, SEVERAL, Stage};

/// An input channel that asks for an output channel, both by their numbers within the router.
#[derive(Clone, Copy, Debug)]
pub struct Bid {
    output: u16,
    input: u16,
}

/// What is asked for at a router: one output channel, or all that stand in the list of bids.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    Nothing,
    One(Bid),
    Several,
}

impl<const P: usize, const C: usize> Shared<P, C> {
    /// For each output channel that is asked for, the input channel whose turn it is.
    #[inline]
    pub(super) fn collect_bids(&mut self, block: &mut Block<P, C>, router: usize) -> Asked {
        let port = block.waiting.trailing_zeros() as usize % P;
        let channels = block.ports[port].waiting;
        if block.waiting & (block.waiting - 1) == 0 && channels & (channels - 1) == 0 {
            let input = port * C + channels.trailing_zeros() as usize % C;
            let wanted = self.wanted_channel(router, block, input);
            block.is_changed = wanted.is_some();
            return wanted.map_or(Asked::Nothing, |(port, channel)| {
                Asked::One(Bid { output: u16::from(port) * C as u16 + u16::from(channel), input: input as u16 })
            });
        }
        self.collect_several(block, router)
    }

    fn collect_several(&mut self, block: &mut Block<P, C>, router: usize) -> Asked {
        let mut bids = std::mem::take(&mut self.bids);
        let mut inputs = block.waiting;
        while let Some(port) = take_lowest(&mut inputs) {
            let mut waiting = u64::from(block.ports[port as usize % P].waiting);
            while let Some(channel) = take_lowest(&mut waiting) {
                let input = port as usize * C + channel as usize;
                let Some((out_port, out_channel)) = self.wanted_channel(router, block, input) else { continue };
                let output = u16::from(out_port) * C as u16 + u16::from(out_channel);
                let bid = Bid { output, input: input as u16 };
                match bids.iter_mut().find(|other| other.output == output) {
                    None => bids.push(bid),
                    Some(other) => {
                        let next = block.output(usize::from(output)).next;
                        let turn = |input: u16| (input < next, input);
                        if turn(bid.input) < turn(other.input) {
                            *other = bid;
                        }
                    }
                }
            }
        }
        if bids.len() > 1 {
            // The order of outputs decides who takes a node's last place.
            bids.sort_unstable_by_key(|bid| bid.output);
        }
        block.is_changed = !bids.is_empty();
        self.bids = bids;
        Asked::Several
    }

    /// Grants what was asked for; whether anything was.
    #[inline]
    pub(super) fn grant_channels(&mut self, block: &mut Block<P, C>, router: usize, asked: Asked) -> bool {
        match asked {
            Asked::Nothing => false,
            Asked::One(bid) => {
                self.grant_channel(block, router, bid);
                true
            }
            Asked::Several => {
                let mut bids = std::mem::take(&mut self.bids);
                let has_granted = !bids.is_empty();
                for bid in bids.drain(..) {
                    self.grant_channel(block, router, bid);
                }
                self.bids = bids;
                has_granted
            }
        }
    }

    /// The output channel that an input channel asks for.
    #[inline]
    fn wanted_channel(&self, router: usize, block: &Block<P, C>, input: usize) -> Option<(u8, u8)> {
        let state = &block.inputs[input / C % P][input % C];
        if state.is_easy {
            let port = state.out_port;
            return choose(state, port, block.ports[usize::from(port) % P].free & state.allowed);
        }
        let (port, available) = match state.out_port {
            SEVERAL => self.one_of_several(router, block, input),
            port => (port, self.available(router, block, input, port, state.allowed)),
        };
        choose(state, port, available)
    }

    /// The port, of several, that a header asks for, and its channels that can be had.
    fn one_of_several(&self, router: usize, block: &Block<P, C>, input: usize) -> (u8, u32) {
        let allowed = block.inputs[input / C % P][input % C].allowed;
        let several = &self.several[router * P * C + input];
        let later = several.ports & (u64::MAX << several.from);
        for mut ports in [later, several.ports & !later] {
            while let Some(port) = take_lowest(&mut ports) {
                let available = self.available(router, block, input, port as u8, allowed);
                if available != 0 {
                    return (port as u8, available);
                }
            }
        }
        let escape = several.escape;
        escape.map_or((0, 0), |(port, channels)| (port, self.available(router, block, input, port, channels)))
    }

    /// The channels of an output port that a header can have, of those it may.
    fn available(&self, router: usize, block: &Block<P, C>, input: usize, port: u8, allowed: u32) -> u32 {
        let state = &block.inputs[input / C % P][input % C];
        let port = usize::from(port) % P;
        let output = &block.ports[port];
        let mut available = output.free & allowed;
        if state.takes_place
            && output.target & OUTSIDE != 0
            && self.places[self.places_of(block, router, input, port)] == 0
        {
            return 0;
        }
        if state.wants_room > 0 {
            let mut free = u64::from(available);
            while let Some(channel) = take_lowest(&mut free) {
                if block.outputs[port][channel as usize % C].credits < state.wants_room {
                    available &= !(1 << channel);
                }
            }
        }
        available
    }

    /// The places of the node behind a port, for the logical network of an input channel.
    fn places_of(&self, block: &Block<P, C>, router: usize, input: usize, port: usize) -> usize {
        let lane = (input % C) as u32 / self.rules.virtual_channels;
        let network = u32::from(block.network) + lane;
        (self.nodes[router * P + port] * self.rules.networks + network) as usize
    }

    #[inline(never)]
    fn grant_channel(&mut self, block: &mut Block<P, C>, router: usize, bid: Bid) {
        let (input, output) = (usize::from(bid.input), usize::from(bid.output));
        let (port, channel) = (output / C % P, output % C);
        if block.input(input).takes_place && block.ports[port].target & OUTSIDE != 0 {
            let places = self.places_of(block, router, input, port);
            match self.places[places] {
                0 => return,
                u32::MAX => {}
                _ => self.places[places] -= 1,
            }
        }
        block.ports[port].free &= !(1 << channel);
        if let Some(crossings) = &mut self.crossings {
            crossings.begin((router * P * C + output) as u32);
        }
        let held = &mut block.outputs[port][channel];
        (held.owner, held.next) = (bid.input, bid.input + 1);
        let has_credit = held.credits > 0;
        let is_last = channel as u32 + 1 == self.rules.lanes * self.rules.virtual_channels;
        let from = input / C % P;
        let state = &mut block.inputs[from][input % C];
        (state.out_port, state.out_channel) = (port as u8, channel as u8);
        (state.next_port, state.next_channel) =
            if is_last { (port as u8 + 1, 0) } else { (port as u8, channel as u8 + 1) };
        block.ports[from].waiting &= !(1 << (input % C));
        if block.ports[from].waiting == 0 {
            block.waiting &= !(1 << from);
        }
        if self.rules.channel_allocation < 2 {
            // The header is in the buffer; with a delay of 1, the switch was allocated before.
            state.stage = Stage::Active;
            if has_credit {
                block.make_ready(input);
            }
        } else {
            state.stage = Stage::Granted;
            self.granted.push((router * P * C + input) as u32);
        }
    }
}

/// The output channel that is next for an input channel, of the available ones of a port.
#[inline]
fn choose(state: &Input, port: u8, available: u32) -> Option<(u8, u8)> {
    let from = if state.next_port == port { state.next_channel } else { 0 };
    (available != 0).then(|| (port, round_robin(u64::from(available), from)))
}

impl<const P: usize, const C: usize> Rows<P, C> {
    /// Packets that may ask for the switch from now on.
    pub(super) fn end_channel_allocation(&mut self, now: u64) {
        if self.shared.rules.channel_allocation < 2 {
            return;
        }
        let granted = self.shared.granted.take(now);
        for channel in &granted {
            let channel = *channel as usize;
            let block = &mut self.blocks[channel / (P * C)];
            block.input(channel).stage = Stage::Active;
            if block.held(channel).credits > 0 {
                block.make_ready(channel);
                self.shared.active_routers.insert((channel / (P * C)) as u32);
            }
        }
        self.shared.granted.give_back(now, granted);
    }
}
