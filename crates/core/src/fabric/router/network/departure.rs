//! Departure from a router: a flit that was granted the switch leaves its buffer, a credit returns upstream, and a tail
//! frees the channel that its packet held.

use super::branchless_filter::BranchlessFilter;
use super::cycle::{MovingFlit, NetworkState};
use super::state::{CHANNELS, NO_CHANNEL, PORTS, SOURCE_OR_NODE_BIT, Sector, VcState};

impl<const C: usize, const SIMPLE_WORMHOLE: bool> NetworkState<C, SIMPLE_WORMHOLE> {
    /// Sends the front flit of an input channel of a sector to an output, and updates the round-robin priorities.
    /// Returns whether the flit is a tail.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        sector: &mut Sector<C>,
        (number, local): (usize, u16),
        output: usize,
        now: u64,
    ) -> bool {
        let local = usize::from(local) % CHANNELS;
        let (input, channel) = (local / C, local % C);
        let input_port = &mut sector.ports[input];
        (input_port.last_output, input_port.last_channel) = (output as u16, channel as u8);
        let upstream = input_port.upstream + channel as u32;
        let credit_channel = if upstream & SOURCE_OR_NODE_BIT != 0 {
            &mut self.credits_to_sources
        } else {
            &mut self.credits_to_routers
        };
        let first = number * Sector::<C>::PORTS;
        match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                credit_channel.push_at(now + u64::from(timings.credit[first + input]), upstream)
            }
            _ => credit_channel.push(upstream),
        }
        let state = &mut sector.inputs[local];
        let flit = sector.flits[(local << self.rules.flit_bits) + usize::from(state.first)];
        state.first = (state.first + 1) & self.rules.last_slot;
        state.length -= 1;
        let (is_empty, out_channel) = (state.length == 0, usize::from(state.out_channel));
        sector.empty_if(is_empty, local);
        let output_port = &mut sector.ports[output];
        output_port.last_input = input as u16;
        output_port.flits_sent += 1;
        let target = output_port.target;
        let delay_line = if target & SOURCE_OR_NODE_BIT != 0 { &mut self.to_nodes } else { &mut self.to_routers };
        let moving = MovingFlit { to: target + out_channel as u32, flit };
        match &self.timings {
            Some(timings) if !SIMPLE_WORMHOLE => {
                delay_line.push_at(now + u64::from(timings.to_input[first + output]), moving)
            }
            _ => delay_line.push(moving),
        }
        let held_channel = (output * C + out_channel) % CHANNELS;
        let output_state = &mut sector.outputs[held_channel];
        output_state.credits = output_state.credits.checked_sub(1).expect("a flit is sent only into a free slot");
        let is_last_slot = output_state.credits == 0;
        if !SIMPLE_WORMHOLE {
            self.hold_link(sector, (first, output), now);
        }
        sector.close_if(flit.is_tail() | is_last_slot, local);
        flit.is_tail()
    }

    /// Marks the link of an output as busy if it takes more than one cycle to move a flit.
    #[inline]
    fn hold_link(&mut self, sector: &mut Sector<C>, (first, output): (usize, usize), now: u64) {
        let port = (first + output) as u32;
        match &self.timings {
            None if self.rules.cycles_per_flit == 1 => return,
            None => self.links.push(port),
            Some(timings) => match timings.cycles_per_flit[port as usize] {
                1 => return,
                cycles => self.links.push_at(now + u64::from(cycles), port),
            },
        }
        sector.hold_link(output);
    }

    /// Frees the output channels of packets whose tails left these input channels of a sector, and starts to route the
    /// headers behind them.
    #[inline]
    pub(super) fn end_packets<const WITHOUT_OPTIONS: bool>(
        &mut self,
        sector: &mut Sector<C>,
        (number, mut channels): (usize, BranchlessFilter<'_>),
        now: u64,
    ) {
        channels.retain(|local| {
            let local = usize::from(local) % CHANNELS;
            self.end_packet::<WITHOUT_OPTIONS>(sector, (number, local), now);
            sector.inputs[local].length > 0
        });
        for next in 0..channels.len() {
            let local = usize::from(channels.get(next)) % CHANNELS;
            let channel = number * CHANNELS + local;
            if self.start_routing(sector, channel, self.front(sector, local)) {
                self.headers.push_at(now + 1 + self.rules.routing, channel as u32);
            }
        }
    }

    /// Frees the output channel of a packet whose tail has left an input channel.
    #[inline]
    fn end_packet<const WITHOUT_OPTIONS: bool>(
        &mut self,
        sector: &mut Sector<C>,
        (number, local): (usize, usize),
        now: u64,
    ) {
        let state = &mut sector.inputs[local];
        state.vc_state = VcState::Idle;
        let (port, channel) = (usize::from(state.out_port) % PORTS, usize::from(state.out_channel) % C);
        let held_channel = (port * C + channel) % CHANNELS;
        if !WITHOUT_OPTIONS && let Some(crossings) = &mut self.crossings {
            let last = usize::from(sector.inputs[local].first.wrapping_sub(1) & self.rules.last_slot);
            let tail = sector.flits[(local << self.rules.flit_bits) + last];
            crossings.finish((number * CHANNELS + held_channel) as u32, self.packets.get(tail.slot()));
        }
        sector.outputs[held_channel].owner = NO_CHANNEL;
        sector.ports[port].free |= 1 << channel;
        self.wake_blocked::<WITHOUT_OPTIONS>(sector, number * Sector::<C>::PORTS + port, now + 1);
        if !SIMPLE_WORMHOLE {
            sector.tails[local] = sector.tails[local].saturating_sub(1);
        }
    }
}
