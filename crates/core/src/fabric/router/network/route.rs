//! Routing: the header at the front of its buffer asks the rule for its ways, once.

use super::cycle::Shared;
use super::packets::Flit;
use super::state::{CHANNELS, Sector, Several, Stage, Whereabouts, Wish, WishKind};
use crate::fabric::router::Switching;
use crate::fabric::topology::{Asking, Ways};

/// In the table of known ports, one that is not known.
pub const UNKNOWN: u8 = u8::MAX;

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// The header of the packet in an input channel is at the front of its buffer; whether it is routed from now on.
    #[inline]
    pub(super) fn come_to_front(&mut self, sector: &mut Sector<C>, channel: usize, header: Flit) -> bool {
        debug_assert!(header.is_header(), "a packet begins with its header");
        let own = channel % CHANNELS;
        if !PLAIN && self.rules.switching == Switching::StoreAndForward && sector.tails[own] == 0 {
            sector.inputs[own].stage = Stage::Gathering;
            return false;
        }
        let Whereabouts { row, base, network, .. } = sector.at[own / C];
        let destination = self.packets.get(header.slot()).destination;
        let known = self.known_ports.get((row + destination) as usize).copied().unwrap_or(UNKNOWN);
        let first = if PLAIN { 0 } else { u32::from(header.network() - network) * self.rules.virtual_channels };
        let (allowed, takes_place) = (self.rules.every_channel << first, header.takes_place());
        sector.wishes[own] = Wish { allowed, room: 0, takes_place: false, kind: WishKind::Easy };
        sector.inputs[own].stage = Stage::Looking;
        sector.inputs[own].out_port = base + u16::from(known);
        if takes_place || (!PLAIN && self.rules.switching != Switching::Wormhole) {
            let is_wormhole = self.rules.switching == Switching::Wormhole;
            let room = if is_wormhole { 0 } else { self.packets.get(header.slot()).flits };
            sector.wishes[own] = Wish { allowed, room, takes_place, kind: WishKind::Fussy };
        }
        if known == UNKNOWN {
            self.ask(sector, channel, header, first);
        }
        true
    }

    /// Asks the rule.
    #[inline(never)]
    fn ask(&mut self, sector: &mut Sector<C>, channel: usize, header: Flit, first: u32) {
        let own = channel % CHANNELS;
        let Whereabouts { row, router, base, .. } = sector.at[own / C];
        let packet = self.packets.get(header.slot());
        let asking = Asking {
            router,
            input: (own / C - usize::from(base)) as u8,
            channel: ((channel % C) as u32 - first) as u8,
            source: packet.source,
            destination: packet.destination,
        };
        let ways = self.shape.routing.ways(&asking, self.rules.virtual_channels as u8);
        sector.wishes[own].allowed = u32::from(ways.channels) << first;
        let ports = ways.ports.mask();
        if ports.is_power_of_two() && ways.escape.is_none() {
            let port = ports.trailing_zeros() as u8;
            sector.inputs[own].out_port = base + u16::from(port);
            let known = self.known_ports.get_mut((row + packet.destination) as usize);
            if let Some(known) = known.filter(|_| u32::from(ways.channels) == self.rules.every_channel) {
                *known = port;
            }
            return;
        }
        let from = start(ports, hash(self.rules.seed, packet.number, router));
        if self.shape.routing.draws_port() {
            sector.inputs[own].out_port = base + u16::from(from);
            return;
        }
        let flits = packet.flits;
        self.look_at_several(&mut sector.wishes[own], (channel, first), &ways, (from, flits));
    }

    fn look_at_several(
        &mut self,
        wish: &mut Wish,
        (channel, first): (usize, u32),
        ways: &Ways,
        (from, flits): (u8, u16),
    ) {
        wish.kind = WishKind::Several;
        // Who takes an escape without room waits there, and no longer for another channel.
        let escape_room = wish.room.max(1);
        if ways.escape.is_some() {
            // The escape stays within reach (Duato 1993) if whatever stands before the header goes on by
            // itself: packets that have room, wholly, in the next buffer. A packet for which no buffer is long
            // enough takes an empty one, where its header stands in front.
            wish.room = flits.min(self.rules.buffer_flits);
            self.waits_for_room = true;
        }
        let escape = ways.escape.map(|(port, channels)| (port, u32::from(channels) << first));
        // Where there is an escape the search begins at its port: turns drawn at random at every router would
        // lead most packets through the middle of a mesh.
        let from = escape.map_or(from, |(port, _)| port);
        if self.several.is_empty() {
            self.several = vec![Several::default(); self.nodes.len() * C];
            (self.has_several, self.is_bare) = (true, false);
        }
        self.several[channel] = Several { ports: ways.ports.mask(), from, escape, escape_room };
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
