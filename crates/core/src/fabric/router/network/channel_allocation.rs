//! Channel allocation, which is separable and input first. Each header that waits for a channel requests a free one,
//! and each requested output channel is granted to one header. Both choices are round-robin, and their priorities
//! change only with a grant.
//!
//! Only headers that request a channel in this cycle are visited: those that were just routed, that lost the last
//! arbitration, or that were woken. The allocations of different routers are independent, unless nodes have a limited
//! number of receive slots: routers and their outputs are then served in order, which determines which packet gets the
//! last slot.

use super::active::{round_robin, take_lowest};
use super::cycle::{NetworkState, SpecializedNetwork};
use super::state::{
    CHANNELS, NO_CHANNEL, PORTS, SOURCE_OR_NODE_BIT, Sector, VcRequestKind, VcState, for_each_in_sector,
};

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Collects the requests of headers and grants channels; with an allocation delay of one cycle, channels are
    /// granted later in the cycle, after the switch is allocated.
    pub(super) fn allocate_channels<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        let Some(mut requesters) = self.shared.headers.take(now) else { return };
        if !WITHOUT_OPTIONAL_FEATURES && self.shared.has_slot_limits {
            requesters.sort_unstable();
            let mut remaining_requesters = requesters.as_slice();
            while let [first, ..] = remaining_requesters {
                let router = router_of(&self.sectors, *first);
                let same_router_count = remaining_requesters
                    .iter()
                    .take_while(|requester| router_of(&self.sectors, **requester) == router)
                    .count();
                self.shared.collect_requests::<WITHOUT_OPTIONAL_FEATURES>(
                    &mut self.sectors,
                    &remaining_requesters[..same_router_count],
                    now,
                );
                self.shared.requested_outputs.sort_unstable();
                self.grant_channels::<WITHOUT_OPTIONAL_FEATURES>(now);
                remaining_requesters = &remaining_requesters[same_router_count..];
            }
        } else {
            self.shared.collect_requests::<WITHOUT_OPTIONAL_FEATURES>(&mut self.sectors, &requesters, now);
            if !self.shared.rules.grants_after_switch {
                self.grant_channels::<WITHOUT_OPTIONAL_FEATURES>(now);
            }
        }
        self.shared.headers.recycle(now, requesters);
    }

    /// Grants each requested output channel to its candidate.
    pub(super) fn grant_channels<const WITHOUT_OPTIONAL_FEATURES: bool>(&mut self, now: u64) {
        let mut requested_outputs = std::mem::take(&mut self.shared.requested_outputs);
        for_each_in_sector(
            &mut self.sectors,
            &requested_outputs,
            |output| output,
            |sector, output| {
                self.shared.grant::<WITHOUT_OPTIONAL_FEATURES>(sector, output as usize, now);
            },
        );
        self.shared.has_switch_work |= self.shared.rules.uses_grant_at_once && !requested_outputs.is_empty();
        requested_outputs.clear();
        self.shared.requested_outputs = requested_outputs;
    }

    /// Lets a packet whose channel allocation ends in this cycle request the switch.
    pub(super) fn end_channel_allocation(&mut self, now: u64) {
        let Some(granted_inputs) = self.shared.granted_inputs.take(now) else { return };
        for channel in &granted_inputs {
            let sector = &mut self.sectors[*channel as usize / CHANNELS];
            let state = sector.inputs[*channel as usize % CHANNELS];
            let out_port = sector.out_ports[*channel as usize % CHANNELS];
            let held_channel = usize::from(out_port) * PORT_CHANNELS + usize::from(state.out_channel);
            sector.hold_output::<SIMPLE_WORMHOLE>(*channel as usize % CHANNELS, held_channel);
        }
        self.shared.has_switch_work = true;
        self.shared.granted_inputs.recycle(now, granted_inputs);
    }
}

/// Returns the first port, over all sectors, of the router to which a channel belongs.
fn router_of<const PORT_CHANNELS: usize>(sectors: &[Sector<PORT_CHANNELS>], channel: u32) -> usize {
    let (sector, port) = (channel as usize / CHANNELS, channel as usize % CHANNELS / PORT_CHANNELS);
    sector * Sector::<PORT_CHANNELS>::PORTS + usize::from(sectors[sector].locations[port % PORTS].router_start)
}

impl<const PORT_CHANNELS: usize> Sector<PORT_CHANNELS> {
    /// Makes the input channel `requester` the candidate of an output channel if its turn is before that of the current
    /// candidate. Returns the input channel that lost.
    #[inline(never)]
    fn arbitrate(&mut self, output: usize, requester: u16) -> u16 {
        let output = &mut self.outputs[output % CHANNELS];
        let distance = |input: u16| usize::from(input.wrapping_sub(output.last_owner).wrapping_sub(1)) % CHANNELS;
        if distance(requester) < distance(output.candidate) {
            std::mem::replace(&mut output.candidate, requester)
        } else {
            requester
        }
    }

    /// Makes the packet of an input channel the owner of the output channel `held_channel`. Its flits request the
    /// switch from now on.
    #[inline]
    fn hold_output<const SIMPLE_WORMHOLE: bool>(&mut self, channel: usize, held_channel: usize) {
        let output = &mut self.outputs[held_channel % CHANNELS];
        output.owner = channel as u16;
        if output.credits > 0 {
            self.reopen::<SIMPLE_WORMHOLE>(held_channel / PORT_CHANNELS, channel as u16);
        }
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Collects the output channels that headers request, each with its candidate.
    #[inline(never)]
    fn collect_requests<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sectors: &mut [Sector<PORT_CHANNELS>],
        requesters: &[u32],
        now: u64,
    ) {
        for_each_in_sector(
            sectors,
            requesters,
            |requester| requester,
            |sector, requester| {
                self.request_vc::<WITHOUT_OPTIONAL_FEATURES>(sector, requester as usize, now);
            },
        );
    }

    /// Requests an output channel for a header. If no channel is available, adds the header to a list of blocked
    /// headers.
    #[inline]
    fn request_vc<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        requester: usize,
        now: u64,
    ) {
        let (first_channel, local_channel) = (requester / CHANNELS * CHANNELS, requester % CHANNELS);
        let Some(output) = self.wanted_channel::<WITHOUT_OPTIONAL_FEATURES>(sector, requester) else {
            self.block::<WITHOUT_OPTIONAL_FEATURES>(sector, local_channel);
            return;
        };
        let output_state = &mut sector.outputs[output % CHANNELS];
        if output_state.candidate == NO_CHANNEL {
            output_state.candidate = local_channel as u16;
            self.requested_outputs.push((first_channel + output) as u32);
        } else {
            let loser = sector.arbitrate(output, local_channel as u16);
            self.headers.push_at(now + 1, first_channel as u32 + u32::from(loser));
        }
    }

    /// Returns the output channel, within the sector, that the header of an input channel requests; `None` if no
    /// channel is available.
    #[inline]
    fn wanted_channel<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &self,
        sector: &Sector<PORT_CHANNELS>,
        requester: usize,
    ) -> Option<usize> {
        let local_channel = requester % CHANNELS;
        let request = &sector.requests[local_channel];
        let port = usize::from(sector.out_ports[local_channel]);
        let (port, available) = if WITHOUT_OPTIONAL_FEATURES || request.kind == VcRequestKind::AnyFree {
            (port, sector.ports[port % PORTS].free_channels & request.allowed)
        } else {
            self.constrained_request(sector, requester)
        };
        if available == 0 {
            return None;
        }
        let offset = usize::from(sector.round_robin_starts[local_channel]).wrapping_sub(port * PORT_CHANNELS);
        let first_channel = if offset < PORT_CHANNELS { offset as u8 } else { 0 };
        Some(port * PORT_CHANNELS + usize::from(round_robin(u64::from(available), first_channel)))
    }

    /// Returns the port that a header with a constrained request asks for, and the available channels of that port.
    #[inline(never)]
    fn constrained_request(&self, sector: &Sector<PORT_CHANNELS>, requester: usize) -> (usize, u32) {
        let request = &sector.requests[requester % CHANNELS];
        if request.kind == VcRequestKind::MultiPort {
            return self.select_output_port(sector, requester);
        }
        let port = usize::from(sector.out_ports[requester % CHANNELS]);
        (port, self.available(sector, requester, port, (request.allowed, request.min_credits)))
    }

    /// Selects the port for a header that may take several: the first one with an available channel, or otherwise the
    /// escape. Returns the port and its available channels.
    fn select_output_port(&self, sector: &Sector<PORT_CHANNELS>, requester: usize) -> (usize, u32) {
        let local_channel = requester % CHANNELS;
        let (router_start, request) = (
            usize::from(sector.locations[local_channel / PORT_CHANNELS].router_start),
            &sector.requests[local_channel],
        );
        let port_choice = &self.port_choices[requester];
        let ports_from_start = port_choice.ports & (u64::MAX << port_choice.first_port);
        for mut ports in [ports_from_start, port_choice.ports & !ports_from_start] {
            while let Some(port) = take_lowest(&mut ports) {
                let port = router_start + port as usize;
                let available = self.available(sector, requester, port, (request.allowed, request.min_credits));
                if available != 0 {
                    return (port, available);
                }
            }
        }
        let Some((port, channels)) = port_choice.escape else { return (0, 0) };
        let port = router_start + usize::from(port);
        (port, self.available(sector, requester, port, (channels, port_choice.escape_min_credits)))
    }

    /// Returns the free channels of an output port among those `allowed` that have at least `min_credits` credits.
    /// Returns 0 if the header needs a receive slot and the node behind the port has no free slot.
    fn available(
        &self,
        sector: &Sector<PORT_CHANNELS>,
        requester: usize,
        port: usize,
        (allowed, min_credits): (u32, u16),
    ) -> u32 {
        let request = &sector.requests[requester % CHANNELS];
        let output = &sector.ports[port];
        if request.needs_slot
            && output.target & SOURCE_OR_NODE_BIT != 0
            && self.slots[self.slots_index(sector, requester, port)] == 0
        {
            return 0;
        }
        let mut available = output.free_channels & allowed;
        if min_credits > 0 {
            let mut free = u64::from(available);
            while let Some(channel) = take_lowest(&mut free) {
                if sector.outputs[port * PORT_CHANNELS + channel as usize].credits < min_credits {
                    available &= !(1 << channel);
                }
            }
        }
        available
    }

    /// Returns the index of the receive slots of the node behind a port, for the logical network of an input channel of
    /// the port's router.
    fn slots_index(&self, sector: &Sector<PORT_CHANNELS>, requester: usize, port: usize) -> usize {
        let lane = (requester % PORT_CHANNELS) as u32 / self.rules.virtual_channels;
        let network = u32::from(sector.locations[requester % CHANNELS / PORT_CHANNELS].network) + lane;
        let node = self.nodes_of_ports[requester / CHANNELS * Sector::<PORT_CHANNELS>::PORTS + port];
        (node * self.rules.networks + network) as usize
    }

    /// Grants an output channel to its candidate, unless another packet took the last receive slot of the node.
    #[inline]
    fn grant<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        output_channel: usize,
        now: u64,
    ) {
        let (first_channel, output_in_sector) = (output_channel / CHANNELS * CHANNELS, output_channel % CHANNELS);
        let (port, channel) = (output_in_sector / PORT_CHANNELS, output_in_sector % PORT_CHANNELS);
        let output = &mut sector.outputs[output_in_sector];
        let winner = std::mem::replace(&mut output.candidate, NO_CHANNEL);
        let local_channel = usize::from(winner) % CHANNELS;
        if !WITHOUT_OPTIONAL_FEATURES
            && self.has_slot_limits
            && sector.requests[local_channel].needs_slot
            && !self.take_slot(sector, first_channel + local_channel, port)
        {
            self.headers.push_at(now + 1, (first_channel + local_channel) as u32);
            return;
        }
        sector.outputs[output_in_sector].last_owner = winner;
        sector.ports[port].free_channels &= !(1 << channel);
        if !WITHOUT_OPTIONAL_FEATURES && let Some(crossings) = &mut self.crossings {
            crossings.start(output_channel as u32);
        }
        sector.round_robin_starts[local_channel] = (output_in_sector + 1) as u16;
        let state = &mut sector.inputs[local_channel];
        (state.out_channel, state.vc_state) = (channel as u8, VcState::Active);
        sector.out_ports[local_channel] = port as u16;
        if self.rules.uses_grant_at_once {
            sector.hold_output::<SIMPLE_WORMHOLE>(local_channel, output_in_sector);
        } else {
            self.granted_inputs.push((first_channel + local_channel) as u32);
        }
    }

    /// Takes a receive slot if a node is behind the port. Returns `false` if the node has no free slot.
    fn take_slot(&mut self, sector: &Sector<PORT_CHANNELS>, requester: usize, port: usize) -> bool {
        if sector.ports[port].target & SOURCE_OR_NODE_BIT == 0 {
            return true;
        }
        let slots_index = self.slots_index(sector, requester, port);
        match self.slots[slots_index] {
            0 => return false,
            u32::MAX => {}
            _ => self.slots[slots_index] -= 1,
        }
        true
    }
}
