//! What arrives at routers: flits in buffers, credits at outputs, links that are free again.

use super::cycle::Rows;
use super::packets::Flit;
use super::state::{CHANNELS, NOBODY, OUTSIDE, PORTS, Sector, Stage};
use crate::fabric::router::Switching;

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Links that have moved their flit.
    pub(super) fn free_links(&mut self, now: u64) {
        if PLAIN || self.shared.rules.cycles_per_flit == 1 {
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
    pub(super) fn arrive_credits(&mut self, now: u64) {
        if let Some(credits) = self.shared.credits_to_routers.take(now) {
            credits.iter().for_each(|channel| self.arrive_credit(now, *channel as usize));
            self.shared.credits_to_routers.give_back(now, credits);
        }
        if let Some(credits) = self.shared.credits_to_sources.take(now) {
            credits.iter().for_each(|channel| self.shared.arrive_source_credit((*channel & !OUTSIDE) as usize));
            self.shared.credits_to_sources.give_back(now, credits);
        }
    }

    #[inline]
    fn arrive_credit(&mut self, now: u64, channel: usize) {
        let sector = &mut self.sectors[channel / CHANNELS];
        let output = &mut sector.outputs[channel % CHANNELS];
        output.credits += 1;
        let (owner, credits) = (output.owner, output.credits);
        assert!(credits <= self.shared.rules.buffer_flits, "credits are for slots of a buffer");
        if credits == 1 && owner != NOBODY {
            sector.reopen::<PLAIN>(channel % CHANNELS / C, owner);
            self.shared.is_lively = true;
        }
        if self.shared.waits_for_room {
            self.shared.wake_sleepers(sector, channel / C, now);
        }
    }

    #[inline(never)]
    pub(super) fn arrive_flits(&mut self, now: u64) {
        if let Some(flits) = self.shared.to_routers.take(now) {
            flits.iter().for_each(|moving| self.arrive_at_router(moving.to as usize, moving.flit));
            self.shared.to_routers.give_back(now, flits);
        }
        if let Some(flits) = self.shared.to_nodes.take(now) {
            flits.iter().for_each(|moving| self.shared.arrive_at_node(now, moving.to & !OUTSIDE, moving.flit));
            self.shared.to_nodes.give_back(now, flits);
        }
    }

    #[inline]
    fn arrive_at_router(&mut self, to: usize, flit: Flit) {
        let (sector, own) = (&mut self.sectors[to / CHANNELS], to % CHANNELS);
        let state = &mut sector.inputs[own];
        assert!(state.length < self.shared.rules.buffer_flits, "a flit that was sent has room");
        let slot = usize::from(state.first.wrapping_add(state.length) & self.shared.rules.last_slot);
        state.length += 1;
        let (stage, first) = (state.stage, usize::from(state.first));
        self.shared.flits[(to << self.shared.rules.flit_bits) + slot] = flit;
        sector.fill(own);
        self.shared.is_lively = true;
        if !PLAIN && flit.is_tail() && self.shared.rules.switching == Switching::StoreAndForward {
            sector.tails[own] += 1;
        }
        let header = match stage {
            Stage::Idle => flit,
            Stage::Gathering if !PLAIN && flit.is_tail() => {
                self.shared.flits[(to << self.shared.rules.flit_bits) + first]
            }
            _ => return,
        };
        debug_assert!(header.is_header(), "a packet begins with its header");
        if self.shared.come_to_front(sector, to, header) {
            self.shared.headers.push(to as u32);
        }
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

    /// The link of an output has moved its flit.
    fn free_link(&mut self, port: usize) {
        self.ports[port].is_busy = false;
        for channel in port * C..(port + 1) * C {
            let output = self.outputs[channel];
            if output.owner != NOBODY && output.credits > 0 {
                self.open(usize::from(output.owner));
            }
        }
    }

    /// The link of an output begins to move a flit.
    pub(super) fn hold_link(&mut self, port: usize) {
        self.ports[port].is_busy = true;
        for channel in port * C..(port + 1) * C {
            let owner = self.outputs[channel].owner;
            if owner != NOBODY {
                self.close(usize::from(owner));
            }
        }
    }
}
