//! Departure from a router: a flit that was granted the switch leaves its buffer, a credit returns upstream, and a tail
//! frees the channel that its packet held.

use super::branchless_filter::BranchlessFilter;
use super::cycle::{MovingFlit, NetworkState};
use super::state::{CHANNELS, NO_CHANNEL, PORTS, SOURCE_OR_NODE_BIT, Sector, VcState};

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Sends the front flit of an input channel of a sector to an output, and updates the round-robin priorities.
    /// Returns whether the flit is a tail.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        (sector_number, local_channel): (usize, u16),
        output: usize,
        now: u64,
    ) -> bool {
        let local_channel = usize::from(local_channel) % CHANNELS;
        let (input, channel_in_port) = (local_channel / PORT_CHANNELS, local_channel % PORT_CHANNELS);
        let input_port = &mut sector.ports[input];
        (input_port.last_output, input_port.last_channel) = (output as u16, channel_in_port as u8);
        let upstream = input_port.upstream + channel_in_port as u32;
        let credit_line = if upstream & SOURCE_OR_NODE_BIT != 0 {
            &mut self.credits_to_sources
        } else {
            &mut self.credits_to_routers
        };
        let first_port = sector_number * Sector::<PORT_CHANNELS>::PORTS;
        match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                credit_line.push_at(now + u64::from(timings.credit_delay[first_port + input]), upstream)
            }
            _ => credit_line.push(upstream),
        }
        let state = &mut sector.inputs[local_channel];
        let flit = sector.flits[(local_channel << self.rules.slot_bits) + usize::from(state.front_slot)];
        state.front_slot = (state.front_slot + 1) & self.rules.last_slot;
        state.flit_count -= 1;
        let (is_buffer_empty, out_channel) = (state.flit_count == 0, usize::from(state.out_channel));
        sector.mark_empty_if(is_buffer_empty, local_channel);
        let output_port = &mut sector.ports[output];
        output_port.last_input = input as u16;
        output_port.flits_sent += 1;
        let target = output_port.target;
        let delay_line =
            if target & SOURCE_OR_NODE_BIT != 0 { &mut self.flits_to_nodes } else { &mut self.flits_to_routers };
        let moving_flit = MovingFlit { target: target + out_channel as u32, flit };
        match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                delay_line.push_at(now + u64::from(timings.to_input_delay[first_port + output]), moving_flit)
            }
            _ => delay_line.push(moving_flit),
        }
        let held_channel = (output * PORT_CHANNELS + out_channel) % CHANNELS;
        let output_state = &mut sector.outputs[held_channel];
        output_state.credits = output_state.credits.checked_sub(1).expect("a flit is sent only into a free slot");
        let is_last_slot = output_state.credits == 0;
        if !SIMPLE_WORMHOLE {
            self.mark_link_busy(sector, (first_port, output), now);
        }
        sector.close_channel_if(flit.is_tail() | is_last_slot, local_channel);
        flit.is_tail()
    }

    /// Marks the link of an output as busy if it takes more than one cycle to move a flit.
    #[inline]
    fn mark_link_busy(&mut self, sector: &mut Sector<PORT_CHANNELS>, (first_port, output): (usize, usize), now: u64) {
        let port = (first_port + output) as u32;
        match &self.timings {
            None if self.rules.cycles_per_flit == 1 => return,
            None => self.output_link_releases.push(port),
            Some(timings) => match timings.cycles_per_flit[port as usize] {
                1 => return,
                cycles => self.output_link_releases.push_at(now + u64::from(cycles), port),
            },
        }
        sector.mark_link_busy(output);
    }

    /// Frees the output channels of packets whose tails left these input channels of a sector, and starts to route the
    /// headers behind them.
    #[inline]
    pub(super) fn end_packets<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        (sector_number, mut channels): (usize, BranchlessFilter<'_>),
        now: u64,
    ) {
        channels.retain(|local_channel| {
            let local_channel = usize::from(local_channel) % CHANNELS;
            self.end_packet::<WITHOUT_OPTIONAL_FEATURES>(sector, (sector_number, local_channel), now);
            sector.inputs[local_channel].flit_count > 0
        });
        let request_cycle = now + 1 + self.rules.routing_delay;
        let mut requesters = self.headers.lend(request_cycle);
        for index in 0..channels.len() {
            let local_channel = usize::from(channels.get(index)) % CHANNELS;
            let channel = sector_number * CHANNELS + local_channel;
            if self.start_routing(sector, channel, self.front(sector, local_channel)) {
                requesters.push(channel as u32);
            }
        }
        self.headers.restore(request_cycle, requesters);
    }

    /// Frees the output channel of a packet whose tail has left an input channel.
    #[inline]
    fn end_packet<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        (sector_number, local_channel): (usize, usize),
        now: u64,
    ) {
        let state = &mut sector.inputs[local_channel];
        state.vc_state = VcState::Idle;
        let (port, channel) =
            (usize::from(sector.out_ports[local_channel]) % PORTS, usize::from(state.out_channel) % PORT_CHANNELS);
        let held_channel = (port * PORT_CHANNELS + channel) % CHANNELS;
        if !WITHOUT_OPTIONAL_FEATURES && let Some(crossings) = &mut self.crossings {
            let tail_slot = usize::from(sector.inputs[local_channel].front_slot.wrapping_sub(1) & self.rules.last_slot);
            let tail = sector.flits[(local_channel << self.rules.slot_bits) + tail_slot];
            crossings.finish((sector_number * CHANNELS + held_channel) as u32, self.packets.get(tail.slot()));
        }
        sector.outputs[held_channel].owner = NO_CHANNEL;
        sector.ports[port].free_channels |= 1 << channel;
        self.wake_blocked::<WITHOUT_OPTIONAL_FEATURES>(
            sector,
            sector_number * Sector::<PORT_CHANNELS>::PORTS + port,
            now + 1,
        );
        if !SIMPLE_WORMHOLE {
            sector.tails[local_channel] = sector.tails[local_channel].saturating_sub(1);
        }
    }
}
