//! What arrives at routers: flits in buffers, credits at outputs, links that are free again.

use super::cycle::Rows;
use super::packets::Flit;
use super::state::{NOBODY, OUTSIDE, Stage};
use crate::fabric::router::Switching;

impl<const P: usize, const C: usize> Rows<P, C> {
    /// Links that have moved their flit.
    pub(super) fn free_links(&mut self, now: u64) {
        if self.shared.rules.cycles_per_flit == 1 {
            return;
        }
        let ports = self.shared.links.take(now);
        for port in &ports {
            let (router, port) = (port / P as u32, port % P as u32);
            let block = &mut self.blocks[router as usize];
            block.busy &= !(1 << port);
            if block.ready != 0 {
                self.shared.active_routers.insert(router);
            }
        }
        self.shared.links.give_back(now, ports);
        let sources = self.shared.interfaces.take(now);
        for source in &sources {
            self.shared.free_source(*source);
        }
        self.shared.interfaces.give_back(now, sources);
    }

    pub(super) fn arrive_credits(&mut self, now: u64) {
        let (links, nodes) = (self.shared.credits_to_routers.take(now), self.shared.credits_of_nodes.take(now));
        for credits in [&links, &nodes] {
            credits.iter().for_each(|channel| self.arrive_credit(*channel as usize));
        }
        self.shared.credits_to_routers.give_back(now, links);
        self.shared.credits_of_nodes.give_back(now, nodes);
        let credits = self.shared.credits_to_sources.take(now);
        for channel in &credits {
            let channel = (channel & !OUTSIDE) as usize;
            let held = &mut self.shared.source_credits[channel / C][channel % C];
            *held += 1;
            assert!(*held <= self.shared.rules.buffer_flits, "credits are for slots of a buffer");
            self.shared.active_sources.insert((channel / C) as u32);
        }
        self.shared.credits_to_sources.give_back(now, credits);
    }

    #[inline]
    fn arrive_credit(&mut self, channel: usize) {
        let router = channel / (P * C);
        let block = &mut self.blocks[router];
        let output = block.output(channel);
        output.credits += 1;
        assert!(output.credits <= self.shared.rules.buffer_flits, "credits are for slots of a buffer");
        let owner = output.owner;
        if owner != NOBODY && output.credits == 1 {
            let state = block.input(usize::from(owner));
            if state.stage == Stage::Active && state.length > 0 {
                block.make_ready(usize::from(owner));
                self.shared.active_routers.insert(router as u32);
            }
        }
        if self.shared.waits_for_room {
            block.is_changed = true;
            if block.waiting != 0 {
                self.shared.active_routers.insert(router as u32);
            }
        }
    }

    pub(super) fn arrive_flits(&mut self, now: u64) {
        let (links, sources) = (self.shared.to_routers.take(now), self.shared.from_sources.take(now));
        for flits in [&links, &sources] {
            flits.iter().for_each(|moving| self.arrive_at_router(moving.to as usize, moving.flit));
        }
        self.shared.to_routers.give_back(now, links);
        self.shared.from_sources.give_back(now, sources);
        let moving = self.shared.to_nodes.take(now);
        moving.iter().for_each(|moving| self.shared.arrive_at_node(now, moving.to & !OUTSIDE, moving.flit));
        self.shared.to_nodes.give_back(now, moving);
    }

    #[inline]
    fn arrive_at_router(&mut self, to: usize, flit: Flit) {
        let router = to / (P * C);
        let block = &mut self.blocks[router];
        let state = block.input(to);
        assert!(state.length < self.shared.rules.buffer_flits, "a flit that was sent has room");
        let slot = usize::from(state.first + state.length) & ((1 << self.shared.rules.flit_bits) - 1);
        self.shared.flits[(to << self.shared.rules.flit_bits) + slot] = flit;
        state.length += 1;
        if flit.is_tail() && self.shared.rules.switching == Switching::StoreAndForward {
            state.tails += 1;
        }
        let (stage, length, first) = (state.stage, state.length, state.first);
        match stage {
            Stage::Active if length == 1 && block.held(to).credits > 0 => {
                block.make_ready(to);
                self.shared.active_routers.insert(router as u32);
            }
            Stage::Idle => {
                debug_assert!(flit.is_header(), "a packet begins with its header");
                self.shared.come_to_front(block, to, flit, false);
            }
            Stage::Gathering if flit.is_tail() => {
                let front = self.shared.flits[(to << self.shared.rules.flit_bits) + usize::from(first)];
                self.shared.come_to_front(block, to, front, false);
            }
            _ => {}
        }
    }
}
