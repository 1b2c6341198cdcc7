//! What arrives at routers: flits in buffers, credits at outputs, links that are free again.

use super::active::take_lowest;
use super::cycle::{Moving, Rows, Shared};
use super::packets::Flit;
use super::state::{CHANNELS, NOBODY, OUTSIDE, PORTS, Sector, Stage, for_each_in_sector, retain_in_sector};
use crate::fabric::router::Switching;

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Links that have moved their flit.
    pub(super) fn free_links(&mut self, now: u64) {
        if PLAIN || (self.shared.rules.cycles_per_flit == 1 && self.shared.timings.is_none()) {
            return;
        }
        if let Some(ports) = self.shared.links.take(now) {
            for port in &ports {
                let own = *port as usize % Sector::<C>::PORTS;
                self.sectors[*port as usize / Sector::<C>::PORTS].free_link(own);
            }
            self.shared.is_lively = true;
            self.shared.links.give_back(now, ports);
        }
        if let Some(sources) = self.shared.interfaces.take(now) {
            sources.iter().for_each(|source| self.shared.free_source(*source));
            self.shared.interfaces.give_back(now, sources);
        }
    }

    #[inline(never)]
    pub(super) fn arrive_credits<const BARE: bool>(&mut self, now: u64) {
        if let Some(mut credits) = self.shared.credits_to_routers.take(now) {
            self.arrive_at_outputs::<BARE>(now, &mut credits);
            self.shared.credits_to_routers.give_back(now, credits);
        }
        if let Some(credits) = self.shared.credits_to_sources.take(now) {
            credits.iter().for_each(|channel| self.shared.arrive_source_credit((*channel & !OUTSIDE) as usize));
            self.shared.credits_to_sources.give_back(now, credits);
        }
    }

    /// There are free slots behind output channels; then the packets go on that hold those where there was none.
    #[inline]
    fn arrive_at_outputs<const BARE: bool>(&mut self, now: u64, credits: &mut [u32]) {
        let Rows { sectors, shared, .. } = self;
        let only = retain_in_sector(
            sectors,
            credits,
            |channel| channel,
            |sector, channel| shared.arrive_credit::<BARE>(now, sector, channel as usize),
        );
        for_each_in_sector(
            sectors,
            &credits[..only],
            |channel| channel,
            |sector, channel| {
                let own = channel as usize % CHANNELS;
                let owner = sector.outputs[own].owner;
                if owner != NOBODY {
                    sector.reopen::<PLAIN>(own / C, owner);
                    shared.is_lively = true;
                }
            },
        );
    }

    #[inline(never)]
    pub(super) fn arrive_flits(&mut self, now: u64) {
        if let Some(mut flits) = self.shared.to_routers.take(now) {
            self.arrive_at_routers(&mut flits);
            self.shared.is_lively = true;
            self.shared.to_routers.give_back(now, flits);
        }
        if let Some(mut flits) = self.shared.to_nodes.take(now) {
            self.shared.arrive_at_nodes(now, &mut flits);
            self.shared.to_nodes.give_back(now, flits);
        }
    }

    /// Flits are in buffers; then those that are headers, at the front of theirs, are routed.
    fn arrive_at_routers(&mut self, flits: &mut [Moving]) {
        let Rows { sectors, shared, .. } = self;
        let headers = retain_in_sector(
            sectors,
            flits,
            |moving| moving.to,
            |sector, moving| shared.arrive_at_router(sector, moving.to as usize, moving.flit),
        );
        for_each_in_sector(
            sectors,
            &flits[..headers],
            |moving| moving.to,
            |sector, Moving { to, flit }| {
                let header = if PLAIN { flit } else { shared.front(sector, to as usize % CHANNELS) };
                if shared.come_to_front(sector, to as usize, header) {
                    shared.headers.push(to);
                }
            },
        );
    }
}

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// There is a free slot behind an output channel; whether it is the only one.
    #[inline]
    fn arrive_credit<const BARE: bool>(&mut self, now: u64, sector: &mut Sector<C>, channel: usize) -> bool {
        let output = &mut sector.outputs[channel % CHANNELS];
        output.credits += 1;
        assert!(output.credits <= self.rules.buffer_flits, "credits are for slots of a buffer");
        let is_only_one = output.credits == 1;
        if !BARE && self.waits_for_room {
            self.wake_sleepers::<BARE>(sector, channel / C, now);
        }
        is_only_one
    }

    /// A flit is in the buffer of an input channel; whether a packet has come to the front.
    #[inline]
    fn arrive_at_router(&mut self, sector: &mut Sector<C>, to: usize, flit: Flit) -> bool {
        let own = to % CHANNELS;
        let state = &mut sector.inputs[own];
        assert!(state.length < self.rules.buffer_flits, "a flit that was sent has room");
        let slot = usize::from(state.first.wrapping_add(state.length) & self.rules.last_slot);
        state.length += 1;
        let stage = state.stage;
        sector.flits[(own << self.rules.flit_bits) + slot] = flit;
        sector.fill(own);
        if !PLAIN && flit.is_tail() && self.rules.switching == Switching::StoreAndForward {
            sector.tails[own] += 1;
        }
        (stage == Stage::Idle) | (!PLAIN && stage == Stage::Gathering && flit.is_tail())
    }

    /// The flit at the front of an input channel's buffer.
    #[inline]
    pub(super) fn front(&self, sector: &Sector<C>, own: usize) -> Flit {
        sector.flits[(own << self.rules.flit_bits) + usize::from(sector.inputs[own].first)]
    }
}

impl<const C: usize> Sector<C> {
    /// There is room again behind the output channel of an input channel's packet.
    #[inline]
    pub(super) fn reopen<const PLAIN: bool>(&mut self, port: usize, owner: u16) {
        if PLAIN || !self.ports[port % PORTS].is_busy {
            self.open(usize::from(owner));
        }
    }

    /// The channels of an output that are not free.
    #[inline]
    fn held(&self, port: usize) -> u64 {
        u64::from(!self.ports[port].free) & (u64::MAX >> (64 - C))
    }

    /// The link of an output has moved its flit.
    fn free_link(&mut self, port: usize) {
        self.ports[port].is_busy = false;
        let mut held = self.held(port);
        while let Some(channel) = take_lowest(&mut held) {
            let output = self.outputs[port * C + channel as usize];
            if output.owner != NOBODY && output.credits > 0 {
                self.open(usize::from(output.owner));
            }
        }
    }

    /// The link of an output begins to move a flit.
    pub(super) fn hold_link(&mut self, port: usize) {
        self.ports[port].is_busy = true;
        let mut held = self.held(port);
        while let Some(channel) = take_lowest(&mut held) {
            let owner = self.outputs[port * C + channel as usize].owner;
            if owner != NOBODY {
                self.close(usize::from(owner));
            }
        }
    }
}
