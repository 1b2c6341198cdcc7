//! Arrivals at routers: flits enter buffers, credits return to outputs, and links become free.

use super::active::take_lowest;
use super::cycle::{MovingFlit, NetworkState, Rows};
use super::packets::Flit;
use super::state::{
    CHANNELS, NO_CHANNEL, PORTS, SOURCE_OR_NODE_BIT, Sector, VcState, for_each_in_sector, retain_in_sector,
};
use crate::fabric::router::Switching;

impl<const C: usize, const SIMPLE_WORMHOLE: bool> Rows<C, SIMPLE_WORMHOLE> {
    /// Frees the links of routers and sources whose flit has crossed.
    pub(super) fn free_links(&mut self, now: u64) {
        if SIMPLE_WORMHOLE || (self.shared.rules.cycles_per_flit == 1 && self.shared.timings.is_none()) {
            return;
        }
        if let Some(ports) = self.shared.links.take(now) {
            for port in &ports {
                let local = *port as usize % Sector::<C>::PORTS;
                self.sectors[*port as usize / Sector::<C>::PORTS].free_link(local);
            }
            self.shared.has_switch_work = true;
            self.shared.links.recycle(now, ports);
        }
        if let Some(sources) = self.shared.source_link_releases.take(now) {
            sources.iter().for_each(|source| self.shared.free_source(*source));
            self.shared.source_link_releases.recycle(now, sources);
        }
    }

    #[inline(never)]
    pub(super) fn arrive_credits<const WITHOUT_OPTIONS: bool>(&mut self, now: u64) {
        if let Some(mut credits) = self.shared.credits_to_routers.take(now) {
            self.arrive_at_outputs::<WITHOUT_OPTIONS>(now, &mut credits);
            self.shared.credits_to_routers.recycle(now, credits);
        }
        if let Some(credits) = self.shared.credits_to_sources.take(now) {
            credits
                .iter()
                .for_each(|channel| self.shared.return_source_credit((*channel & !SOURCE_OR_NODE_BIT) as usize));
            self.shared.credits_to_sources.recycle(now, credits);
        }
    }

    /// Adds credits to output channels. A packet that holds a channel without credits may then continue.
    #[inline]
    fn arrive_at_outputs<const WITHOUT_OPTIONS: bool>(&mut self, now: u64, credits: &mut [u32]) {
        let Rows { sectors, shared, .. } = self;
        let only = retain_in_sector(
            sectors,
            credits,
            |channel| channel,
            |sector, channel| shared.arrive_credit::<WITHOUT_OPTIONS>(now, sector, channel as usize),
        );
        for_each_in_sector(
            sectors,
            &credits[..only],
            |channel| channel,
            |sector, channel| {
                let local = channel as usize % CHANNELS;
                let owner = sector.outputs[local].owner;
                if owner != NO_CHANNEL {
                    sector.reopen::<SIMPLE_WORMHOLE>(local / C, owner);
                    shared.has_switch_work = true;
                }
            },
        );
    }

    #[inline(never)]
    pub(super) fn arrive_flits(&mut self, now: u64) {
        if let Some(mut flits) = self.shared.to_routers.take(now) {
            self.arrive_at_routers(&mut flits);
            self.shared.has_switch_work = true;
            self.shared.to_routers.recycle(now, flits);
        }
        if let Some(mut flits) = self.shared.to_nodes.take(now) {
            self.shared.arrive_at_nodes(now, &mut flits);
            self.shared.to_nodes.recycle(now, flits);
        }
    }

    /// Adds flits to buffers, and starts to route the headers that are at the front of their buffer.
    fn arrive_at_routers(&mut self, flits: &mut [MovingFlit]) {
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
            |sector, MovingFlit { to, flit }| {
                let header = if SIMPLE_WORMHOLE { flit } else { shared.front(sector, to as usize % CHANNELS) };
                if shared.start_routing(sector, to as usize, header) {
                    shared.headers.push(to);
                }
            },
        );
    }
}

impl<const C: usize, const SIMPLE_WORMHOLE: bool> NetworkState<C, SIMPLE_WORMHOLE> {
    /// Adds a credit to an output channel. Returns whether it is the channel's only credit.
    #[inline]
    fn arrive_credit<const WITHOUT_OPTIONS: bool>(&mut self, now: u64, sector: &mut Sector<C>, channel: usize) -> bool {
        let output = &mut sector.outputs[channel % CHANNELS];
        output.credits += 1;
        assert!(output.credits <= self.rules.buffer_flits, "credits are for slots of a buffer");
        let is_only_credit = output.credits == 1;
        if !WITHOUT_OPTIONS && self.needs_min_credits {
            self.wake_blocked::<WITHOUT_OPTIONS>(sector, channel / C, now);
        }
        is_only_credit
    }

    /// Adds a flit to the buffer of an input channel. Returns whether a packet to be routed is at the front now.
    #[inline]
    fn arrive_at_router(&mut self, sector: &mut Sector<C>, channel: usize, flit: Flit) -> bool {
        let local = channel % CHANNELS;
        let state = &mut sector.inputs[local];
        assert!(state.length < self.rules.buffer_flits, "a flit was sent with a credit");
        let slot = usize::from(state.first.wrapping_add(state.length) & self.rules.last_slot);
        state.length += 1;
        let stage = state.vc_state;
        sector.flits[(local << self.rules.flit_bits) + slot] = flit;
        sector.fill(local);
        if !SIMPLE_WORMHOLE && flit.is_tail() && self.rules.switching == Switching::StoreAndForward {
            sector.tails[local] += 1;
        }
        (stage == VcState::Idle) | (!SIMPLE_WORMHOLE && stage == VcState::Buffering && flit.is_tail())
    }

    /// Returns the flit at the front of an input channel's buffer.
    #[inline]
    pub(super) fn front(&self, sector: &Sector<C>, local: usize) -> Flit {
        sector.flits[(local << self.rules.flit_bits) + usize::from(sector.inputs[local].first)]
    }
}

impl<const C: usize> Sector<C> {
    /// Lets the packet of input channel `owner` continue to `port`, whose channel has a credit again.
    #[inline]
    pub(super) fn reopen<const SIMPLE_WORMHOLE: bool>(&mut self, port: usize, owner: u16) {
        if SIMPLE_WORMHOLE || !self.ports[port % PORTS].is_busy {
            self.open_channel(usize::from(owner));
        }
    }

    /// Returns the channels of an output that packets hold, as one bit for each channel.
    #[inline]
    fn buffered_flits(&self, port: usize) -> u64 {
        u64::from(!self.ports[port].free) & (u64::MAX >> (64 - C))
    }

    /// Frees the link of an output when its flit has crossed.
    fn free_link(&mut self, port: usize) {
        self.ports[port].is_busy = false;
        let mut buffered = self.buffered_flits(port);
        while let Some(channel) = take_lowest(&mut buffered) {
            let output = self.outputs[port * C + channel as usize];
            if output.owner != NO_CHANNEL && output.credits > 0 {
                self.open_channel(usize::from(output.owner));
            }
        }
    }

    /// Marks the link of an output as busy when it begins to move a flit.
    pub(super) fn hold_link(&mut self, port: usize) {
        self.ports[port].is_busy = true;
        let mut buffered = self.buffered_flits(port);
        while let Some(channel) = take_lowest(&mut buffered) {
            let owner = self.outputs[port * C + channel as usize].owner;
            if owner != NO_CHANNEL {
                self.close(usize::from(owner));
            }
        }
    }
}
