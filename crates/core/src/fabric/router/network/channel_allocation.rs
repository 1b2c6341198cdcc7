//! Channel allocation: separable, inputs first. Each header that looks for a channel asks for one that is
//! free; each output channel takes one of those who ask. Both take turns, and a turn passes only by a grant.
//!
//! Only headers that ask are looked at: those that were routed, those that lost, those that were woken. No
//! router has to do with another, but where nodes have few places: then they are served one after the other,
//! and their outputs in order, which decides who takes the last place.

use super::active::{round_robin, take_lowest};
use super::cycle::{Rows, Shared};
use super::state::{CHANNELS, NOBODY, OUTSIDE, PORTS, Sector, Stage, WishKind, for_each_in_sector};

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Headers ask. Those whose turn it is have a channel from now on; with a delay of one cycle, after the
    /// switch is allocated.
    pub(super) fn allocate_channels<const BARE: bool>(&mut self, now: u64) {
        let Some(mut askers) = self.shared.headers.take(now) else { return };
        if !BARE && self.shared.has_places {
            askers.sort_unstable();
            let mut rest = askers.as_slice();
            while let [first, ..] = rest {
                let router = router_of(&self.sectors, *first);
                let own = rest.iter().take_while(|asker| router_of(&self.sectors, **asker) == router).count();
                self.shared.collect_bids::<BARE>(&mut self.sectors, &rest[..own], now);
                self.shared.asked.sort_unstable();
                self.grant_channels::<BARE>(now);
                rest = &rest[own..];
            }
        } else {
            self.shared.collect_bids::<BARE>(&mut self.sectors, &askers, now);
            if !self.shared.rules.grants_late {
                self.grant_channels::<BARE>(now);
            }
        }
        self.shared.headers.give_back(now, askers);
    }

    /// Each output channel that is asked for takes the one whose turn it is.
    pub(super) fn grant_channels<const BARE: bool>(&mut self, now: u64) {
        let mut asked = std::mem::take(&mut self.shared.asked);
        for_each_in_sector(
            &mut self.sectors,
            &asked,
            |output| output,
            |sector, output| {
                self.shared.grant::<BARE>(sector, output as usize, now);
            },
        );
        self.shared.is_lively |= self.shared.rules.holds_at_once && !asked.is_empty();
        asked.clear();
        self.shared.asked = asked;
    }

    /// Packets that may ask for the switch from now on.
    pub(super) fn end_channel_allocation(&mut self, now: u64) {
        let Some(granted) = self.shared.granted.take(now) else { return };
        for channel in &granted {
            let sector = &mut self.sectors[*channel as usize / CHANNELS];
            let state = sector.inputs[*channel as usize % CHANNELS];
            let held = usize::from(state.out_port) * C + usize::from(state.out_channel);
            sector.hold::<PLAIN>(*channel as usize % CHANNELS, held);
        }
        self.shared.is_lively = true;
        self.shared.granted.give_back(now, granted);
    }
}

/// The first port, over all sectors, of the router that a channel is of.
fn router_of<const C: usize>(sectors: &[Sector<C>], channel: u32) -> usize {
    let (sector, port) = (channel as usize / CHANNELS, channel as usize % CHANNELS / C);
    sector * Sector::<C>::PORTS + usize::from(sectors[sector].at[port % PORTS].base)
}

impl<const C: usize> Sector<C> {
    /// An input channel asks for an output channel; the one that loses by it, if another asks for it, too.
    #[inline(never)]
    fn outbid(&mut self, output: usize, asker: u16) -> u16 {
        let output = &mut self.outputs[output % CHANNELS];
        let distance = |input: u16| usize::from(input.wrapping_sub(output.last).wrapping_sub(1)) % CHANNELS;
        if distance(asker) < distance(output.bidder) { std::mem::replace(&mut output.bidder, asker) } else { asker }
    }

    /// The flits of an input channel's packet ask for the switch from now on, to go by an output channel.
    #[inline]
    fn hold<const PLAIN: bool>(&mut self, channel: usize, held: usize) {
        let output = &mut self.outputs[held % CHANNELS];
        output.owner = channel as u16;
        if output.credits > 0 {
            self.reopen::<PLAIN>(held / C, channel as u16);
        }
    }
}

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// The outputs that headers ask for, each with the one whose turn it is.
    #[inline(never)]
    fn collect_bids<const BARE: bool>(&mut self, sectors: &mut [Sector<C>], askers: &[u32], now: u64) {
        for_each_in_sector(
            sectors,
            askers,
            |asker| asker,
            |sector, asker| {
                self.bid::<BARE>(sector, asker as usize, now);
            },
        );
    }

    /// A header asks for an output channel, or sleeps.
    #[inline]
    fn bid<const BARE: bool>(&mut self, sector: &mut Sector<C>, asker: usize, now: u64) {
        let (first, own) = (asker / CHANNELS * CHANNELS, asker % CHANNELS);
        let Some(output) = self.wanted_channel::<BARE>(sector, asker) else {
            self.sleep::<BARE>(sector, own);
            return;
        };
        let wanted = &mut sector.outputs[output % CHANNELS];
        if wanted.bidder == NOBODY {
            wanted.bidder = own as u16;
            self.asked.push((first + output) as u32);
        } else {
            let loser = sector.outbid(output, own as u16);
            self.headers.push_at(now + 1, first as u32 + u32::from(loser));
        }
    }

    /// The output channel that an input channel asks for, within the sector.
    #[inline]
    fn wanted_channel<const BARE: bool>(&self, sector: &Sector<C>, asker: usize) -> Option<usize> {
        let own = asker % CHANNELS;
        let wish = &sector.wishes[own];
        let port = usize::from(sector.inputs[own].out_port);
        let (port, available) = if BARE || wish.kind == WishKind::Easy {
            (port, sector.ports[port % PORTS].free & wish.allowed)
        } else {
            self.fussy_wish(sector, asker)
        };
        if available == 0 {
            return None;
        }
        let turn = usize::from(sector.turns[own]).wrapping_sub(port * C);
        let from = if turn < C { turn as u8 } else { 0 };
        Some(port * C + usize::from(round_robin(u64::from(available), from)))
    }

    /// The port that a header asks for that does not take just anything, and its channels that can be had.
    #[inline(never)]
    fn fussy_wish(&self, sector: &Sector<C>, asker: usize) -> (usize, u32) {
        let wish = &sector.wishes[asker % CHANNELS];
        if wish.kind == WishKind::Several {
            return self.one_of_several(sector, asker);
        }
        let port = usize::from(sector.inputs[asker % CHANNELS].out_port);
        (port, self.available(sector, asker, port, (wish.allowed, wish.room)))
    }

    /// The port, of several, that a header asks for, and its channels that can be had.
    fn one_of_several(&self, sector: &Sector<C>, asker: usize) -> (usize, u32) {
        let own = asker % CHANNELS;
        let (base, wish) = (usize::from(sector.at[own / C].base), &sector.wishes[own]);
        let several = &self.several[asker];
        let later = several.ports & (u64::MAX << several.from);
        for mut ports in [later, several.ports & !later] {
            while let Some(port) = take_lowest(&mut ports) {
                let port = base + port as usize;
                let available = self.available(sector, asker, port, (wish.allowed, wish.room));
                if available != 0 {
                    return (port, available);
                }
            }
        }
        let Some((port, channels)) = several.escape else { return (0, 0) };
        let port = base + usize::from(port);
        (port, self.available(sector, asker, port, (channels, several.escape_room)))
    }

    /// The channels of an output port that a header can have, of those it may, with room for so many flits.
    fn available(&self, sector: &Sector<C>, asker: usize, port: usize, (allowed, room): (u32, u16)) -> u32 {
        let wish = &sector.wishes[asker % CHANNELS];
        let output = &sector.ports[port];
        if wish.takes_place && output.target & OUTSIDE != 0 && self.places[self.places_of(sector, asker, port)] == 0 {
            return 0;
        }
        let mut available = output.free & allowed;
        if room > 0 {
            let mut free = u64::from(available);
            while let Some(channel) = take_lowest(&mut free) {
                if sector.outputs[port * C + channel as usize].credits < room {
                    available &= !(1 << channel);
                }
            }
        }
        available
    }

    /// The places of the node behind a port, for the logical network of an input channel of its router.
    fn places_of(&self, sector: &Sector<C>, asker: usize, port: usize) -> usize {
        let lane = (asker % C) as u32 / self.rules.virtual_channels;
        let network = u32::from(sector.at[asker % CHANNELS / C].network) + lane;
        let node = self.nodes[asker / CHANNELS * Sector::<C>::PORTS + port];
        (node * self.rules.networks + network) as usize
    }

    /// The one who asks for an output channel has it, unless its node's last place went to another.
    #[inline]
    fn grant<const BARE: bool>(&mut self, sector: &mut Sector<C>, number: usize, now: u64) {
        let (first, held) = (number / CHANNELS * CHANNELS, number % CHANNELS);
        let (port, channel) = (held / C, held % C);
        let output = &mut sector.outputs[held];
        let winner = std::mem::replace(&mut output.bidder, NOBODY);
        let own = usize::from(winner) % CHANNELS;
        if !BARE && self.has_places && sector.wishes[own].takes_place && !self.take_place(sector, first + own, port) {
            self.headers.push_at(now + 1, (first + own) as u32);
            return;
        }
        sector.outputs[held].last = winner;
        sector.ports[port].free &= !(1 << channel);
        if !BARE && let Some(crossings) = &mut self.crossings {
            crossings.begin(number as u32);
        }
        sector.turns[own] = (held + 1) as u16;
        let state = &mut sector.inputs[own];
        (state.out_port, state.out_channel, state.stage) = (port as u16, channel as u8, Stage::Holding);
        if self.rules.holds_at_once {
            sector.hold::<PLAIN>(own, held);
        } else {
            self.granted.push((first + own) as u32);
        }
    }

    /// A packet takes a place of the node behind a port, if that is behind it; whether it need not or did.
    fn take_place(&mut self, sector: &Sector<C>, asker: usize, port: usize) -> bool {
        if sector.ports[port].target & OUTSIDE == 0 {
            return true;
        }
        let places = self.places_of(sector, asker, port);
        match self.places[places] {
            0 => return false,
            u32::MAX => {}
            _ => self.places[places] -= 1,
        }
        true
    }
}
