//! Arrivals at routers: flits enter buffers, credits return to outputs, and links become free.

use super::active::take_lowest;
use super::cycle::{MovingFlit, NetworkState, SpecializedNetwork};
use super::packets::Flit;
use super::state::{
    CHANNELS, NO_CHANNEL, PORTS, SOURCE_OR_NODE_BIT, Sector, VcState, for_each_in_sector, retain_in_sector,
};
use crate::fabric::router::Switching;

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Frees the links at routers and sources that have finished moving a flit.
    pub(super) fn free_links(&mut self, now: u64) {
        if SIMPLE_WORMHOLE || (self.shared.rules.cycles_per_flit == 1 && self.shared.timings.is_none()) {
            return;
        }
        if let Some(ports) = self.shared.output_link_releases.take(now) {
            for port in &ports {
                let local_port = *port as usize % Sector::<PORT_CHANNELS>::PORTS;
                self.sectors[*port as usize / Sector::<PORT_CHANNELS>::PORTS].free_link(local_port);
            }
            self.shared.has_switch_work = true;
            self.shared.output_link_releases.recycle(now, ports);
        }
        if let Some(sources) = self.shared.source_link_releases.take(now) {
            sources.iter().for_each(|source| self.shared.free_source(*source));
            self.shared.source_link_releases.recycle(now, sources);
        }
    }

    #[inline(never)]
    pub(super) fn arrive_credits<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        if let Some(mut credits) = self.shared.credits_to_routers.take(now) {
            self.arrive_at_outputs::<WITHOUT_OPTIONAL_FEATURES>(now, &mut credits);
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
    fn arrive_at_outputs<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64, credits: &mut [u32]) {
        let SpecializedNetwork { sectors, shared, .. } = self;
        let only_credit_count = retain_in_sector(
            sectors,
            credits,
            |channel| channel,
            |sector, channel| shared.arrive_credit::<WITHOUT_OPTIONAL_FEATURES>(now, sector, channel as usize),
        );
        for_each_in_sector(
            sectors,
            &credits[..only_credit_count],
            |channel| channel,
            |sector, channel| {
                let local_channel = channel as usize % CHANNELS;
                let owner = sector.outputs[local_channel].owner;
                if owner != NO_CHANNEL {
                    sector.reopen::<SIMPLE_WORMHOLE>(local_channel / PORT_CHANNELS, owner);
                    shared.has_switch_work = true;
                }
            },
        );
    }

    #[inline(never)]
    pub(super) fn arrive_flits(&mut self, now: u64) {
        if let Some(mut flits) = self.shared.flits_to_routers.take(now) {
            self.arrive_at_routers(now, &mut flits);
            self.shared.has_switch_work = true;
            self.shared.flits_to_routers.recycle(now, flits);
        }
        if let Some(mut flits) = self.shared.flits_to_nodes.take(now) {
            self.shared.arrive_at_nodes(now, &mut flits);
            self.shared.flits_to_nodes.recycle(now, flits);
        }
    }

    /// Adds flits to buffers, and starts to route the headers that are at the front of their buffer.
    fn arrive_at_routers(&mut self, now: u64, flits: &mut [MovingFlit]) {
        let SpecializedNetwork { sectors, shared, .. } = self;
        let headers = retain_in_sector(
            sectors,
            flits,
            |moving_flit| moving_flit.target,
            |sector, moving_flit| shared.arrive_at_router(sector, moving_flit.target as usize, moving_flit.flit),
        );
        let request_cycle = now + shared.rules.routing_delay;
        let mut requesters = shared.headers.lend(request_cycle);
        for_each_in_sector(
            sectors,
            &flits[..headers],
            |moving_flit| moving_flit.target,
            |sector, MovingFlit { target, flit }| {
                let header = if SIMPLE_WORMHOLE { flit } else { shared.front(sector, target as usize % CHANNELS) };
                if shared.start_routing(sector, target as usize, header) {
                    requesters.push(target);
                }
            },
        );
        shared.headers.restore(request_cycle, requesters);
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Adds a credit to an output channel. Returns whether it is the channel's only credit.
    #[inline]
    fn arrive_credit<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        now: u64,
        sector: &mut Sector<PORT_CHANNELS>,
        channel: usize,
    ) -> bool {
        let output = &mut sector.outputs[channel % CHANNELS];
        output.credits += 1;
        assert!(output.credits <= self.rules.buffer_flits, "more credits than the buffer has slots");
        let is_only_credit = output.credits == 1;
        if !WITHOUT_OPTIONAL_FEATURES && self.needs_min_credits {
            self.wake_blocked::<WITHOUT_OPTIONAL_FEATURES>(sector, channel / PORT_CHANNELS, now);
        }
        is_only_credit
    }

    /// Adds a flit to the buffer of an input channel. Returns whether a packet to be routed is at the front now.
    #[inline]
    fn arrive_at_router(&mut self, sector: &mut Sector<PORT_CHANNELS>, channel: usize, flit: Flit) -> bool {
        let local_channel = channel % CHANNELS;
        let state = &mut sector.inputs[local_channel];
        assert!(state.flit_count < self.rules.buffer_flits, "a flit was sent with a credit");
        let slot = usize::from(state.front_slot.wrapping_add(state.flit_count) & self.rules.last_slot);
        state.flit_count += 1;
        let vc_state = state.vc_state;
        sector.flits[(local_channel << self.rules.slot_bits) + slot] = flit;
        sector.mark_filled(local_channel);
        if !SIMPLE_WORMHOLE && flit.is_tail() && self.rules.switching == Switching::StoreAndForward {
            sector.tails[local_channel] += 1;
        }
        (vc_state == VcState::Idle) | (!SIMPLE_WORMHOLE && vc_state == VcState::Buffering && flit.is_tail())
    }

    /// Returns the flit at the front of an input channel's buffer.
    #[inline]
    pub(super) fn front(&self, sector: &Sector<PORT_CHANNELS>, local_channel: usize) -> Flit {
        sector.flits[(local_channel << self.rules.slot_bits) + usize::from(sector.inputs[local_channel].front_slot)]
    }
}

impl<const PORT_CHANNELS: usize> Sector<PORT_CHANNELS> {
    /// Lets the packet of input channel `owner` continue to `port`, whose channel has a credit again.
    #[inline]
    pub(super) fn reopen<const SIMPLE_WORMHOLE: bool>(&mut self, port: usize, owner: u16) {
        if SIMPLE_WORMHOLE || !self.ports[port % PORTS].is_busy {
            self.open_channel(usize::from(owner));
        }
    }

    /// Returns the channels of an output that packets hold, as one bit for each channel.
    #[inline]
    fn held_channels(&self, port: usize) -> u64 {
        u64::from(!self.ports[port].free_channels) & (u64::MAX >> (64 - PORT_CHANNELS))
    }

    /// Frees the link of an output when its flit has crossed.
    fn free_link(&mut self, port: usize) {
        self.ports[port].is_busy = false;
        let mut held_channels = self.held_channels(port);
        while let Some(channel) = take_lowest(&mut held_channels) {
            let output = self.outputs[port * PORT_CHANNELS + channel as usize];
            if output.owner != NO_CHANNEL && output.credits > 0 {
                self.open_channel(usize::from(output.owner));
            }
        }
    }

    /// Marks the link of an output as busy when it begins to move a flit.
    pub(super) fn mark_link_busy(&mut self, port: usize) {
        self.ports[port].is_busy = true;
        let mut held_channels = self.held_channels(port);
        while let Some(channel) = take_lowest(&mut held_channels) {
            let owner = self.outputs[port * PORT_CHANNELS + channel as usize].owner;
            if owner != NO_CHANNEL {
                self.close_channel(usize::from(owner));
            }
        }
    }
}
