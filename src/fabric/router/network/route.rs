//! Routing: the header at the front of its buffer asks the rule for its ways, once.

use super::cycle::{Rows, Shared};
use super::packets::Flit;
use super::state::{Block, SEVERAL, Several, Stage};
use crate::fabric::router::Switching;
use crate::fabric::topology::{Asking, Ways};

impl<const P: usize, const C: usize> Shared<P, C> {
    /// A header is at the front of its buffer, from now on or as the follower of a tail from the next cycle on.
    #[inline]
    pub(super) fn come_to_front(&mut self, block: &mut Block<P, C>, channel: usize, header: Flit, follows: bool) {
        let state = block.input(channel);
        if self.rules.switching == Switching::StoreAndForward && state.tails == 0 {
            state.stage = Stage::Gathering;
            return;
        }
        state.stage = Stage::Routing;
        self.route(block, channel, header);
        if follows {
            self.followers.push(channel as u32);
        } else {
            self.headers.push(channel as u32);
        }
    }

    #[inline]
    fn route(&mut self, block: &mut Block<P, C>, channel: usize, header: Flit) {
        let packet = self.packets.get(header.slot());
        let first = u32::from(packet.network - block.network) * self.rules.virtual_channels;
        let is_wormhole = self.rules.switching == Switching::Wormhole;
        let state = block.input(channel);
        state.wants_room = if is_wormhole { 0 } else { packet.flits };
        state.takes_place = packet.takes_place;
        state.is_easy = is_wormhole && !packet.takes_place;
        let known = (block.router * self.rules.nodes + packet.destination) as usize;
        if let Some(port) = self.known_ports.get(known).filter(|port| **port != SEVERAL) {
            let state = block.input(channel);
            (state.out_port, state.allowed) = (*port, self.rules.every_channel << first);
            return;
        }
        self.ask(block, channel, header, first);
    }

    /// Asks the rule.
    #[inline(never)]
    fn ask(&mut self, block: &mut Block<P, C>, channel: usize, header: Flit, first: u32) {
        let packet = self.packets.get(header.slot());
        let asking = Asking {
            router: block.router,
            input: (channel / C % P) as u8,
            channel: ((channel % C) as u32 - first) as u8,
            source: packet.source,
            destination: packet.destination,
        };
        let ways = self.shape.routing.ways(&asking, self.rules.virtual_channels as u8);
        let known = (block.router * self.rules.nodes + packet.destination) as usize;
        let state = block.input(channel);
        state.allowed = u32::from(ways.channels) << first;
        if ways.ports.is_power_of_two() && ways.escape.is_none() {
            state.out_port = ways.ports.trailing_zeros() as u8;
            if let Some(port) =
                self.known_ports.get_mut(known).filter(|_| u32::from(ways.channels) == self.rules.every_channel)
            {
                *port = state.out_port;
            }
            return;
        }
        (state.out_port, state.is_easy) = (SEVERAL, false);
        if ways.escape.is_some() {
            // Behind the tail of another packet a header could not escape (Duato 1993): it takes a channel
            // whose buffer is empty.
            state.wants_room = self.rules.buffer_flits;
            self.waits_for_room = true;
        }
        let from = start(ways.ports, hash(self.rules.seed, packet.number, asking.router));
        self.note_several(channel, first, &ways, from);
    }

    fn note_several(&mut self, channel: usize, first: u32, ways: &Ways, from: u8) {
        let escape = ways.escape.map(|(port, channels)| (port, u32::from(channels) << first));
        if self.several.is_empty() {
            self.several = vec![Several::default(); self.nodes.len() * C];
        }
        self.several[channel] = Several { ports: ways.ports, from, escape };
    }
}

impl<const P: usize, const C: usize> Rows<P, C> {
    /// Headers that are routed by now.
    pub(super) fn end_routing(&mut self, now: u64) {
        let followers = self.shared.followers.take(now);
        followers.iter().for_each(|channel| self.wait_for_channel(*channel as usize));
        self.shared.followers.give_back(now, followers);
        let headers = self.shared.headers.take(now);
        headers.iter().for_each(|channel| self.wait_for_channel(*channel as usize));
        self.shared.headers.give_back(now, headers);
    }

    #[inline]
    fn wait_for_channel(&mut self, channel: usize) {
        self.blocks[channel / (P * C)].make_wait(channel);
        self.shared.active_routers.insert((channel / (P * C)) as u32);
    }
}

/// The port of `ports` that a hash picks.
fn start(ports: u64, hash: u64) -> u8 {
    let mut rest = ports;
    for _ in 0..hash % u64::from(ports.count_ones()) {
        rest &= rest - 1;
    }
    rest.trailing_zeros() as u8
}

/// A number that packet `number` has at `router`, the same in every run: where its search among several
/// ports begins.
fn hash(seed: u64, number: u64, router: u32) -> u64 {
    let mut mixed = seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(router) << 32);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 31)
}
