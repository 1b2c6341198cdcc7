//! Leaving a router: the flit that has the switch leaves its buffer, a credit goes back, and a tail frees
//! the channel that its packet held.

use super::cycle::{Moving, Shared};
use super::state::{CHANNELS, NOBODY, OUTSIDE, Sector, Stage};

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// The turns pass, and the front flit of an input channel, of a sector, leaves for an output.
    #[inline]
    pub(super) fn send<const BARE: bool>(
        &mut self,
        sector: &mut Sector<C>,
        (number, own): (usize, u16),
        output: usize,
        now: u64,
    ) {
        let own = usize::from(own) % CHANNELS;
        let (input, channel) = (own / C, own % C);
        let from = &mut sector.ports[input];
        (from.last_output, from.last_channel) = (output as u16, channel as u8);
        let upstream = from.upstream + channel as u32;
        let back = if upstream & OUTSIDE != 0 { &mut self.credits_to_sources } else { &mut self.credits_to_routers };
        back.push(upstream);
        let state = &mut sector.inputs[own];
        let flit = sector.flits[(own << self.rules.flit_bits) + usize::from(state.first)];
        state.first = (state.first + 1) & self.rules.last_slot;
        state.length -= 1;
        let (is_empty, out_channel) = (state.length == 0, usize::from(state.out_channel));
        if is_empty {
            sector.empty(own);
        }
        let to = &mut sector.ports[output];
        to.last_input = input as u16;
        to.sent += 1;
        let target = to.target;
        let on = if target & OUTSIDE != 0 { &mut self.to_nodes } else { &mut self.to_routers };
        on.push(Moving { to: target + out_channel as u32, flit });
        let held = (output * C + out_channel) % CHANNELS;
        let behind = &mut sector.outputs[held];
        behind.credits = behind.credits.checked_sub(1).expect("a flit is sent only into a free slot");
        let is_last_slot = behind.credits == 0;
        if !PLAIN && self.rules.cycles_per_flit > 1 {
            sector.hold_link(output);
            self.links.push((number * Sector::<C>::PORTS + output) as u32);
        }
        if flit.is_tail() {
            sector.close(own);
            if !BARE && let Some(crossings) = &mut self.crossings {
                crossings.end((number * CHANNELS + held) as u32, self.packets.get(flit.slot()));
            }
            self.end_packet::<BARE>(sector, (number, own), held, now);
        } else if is_last_slot {
            sector.close(own);
        }
    }

    /// A packet's tail left its buffer: the channel that it held is free, and the next one's header may be there.
    #[inline]
    fn end_packet<const BARE: bool>(
        &mut self,
        sector: &mut Sector<C>,
        (number, own): (usize, usize),
        held: usize,
        now: u64,
    ) {
        sector.outputs[held].owner = NOBODY;
        sector.ports[held / C].free |= 1 << (held % C);
        self.wake_sleepers::<BARE>(sector, number * Sector::<C>::PORTS + held / C, now + 1);
        if !PLAIN {
            sector.tails[own] = sector.tails[own].saturating_sub(1);
        }
        let state = &mut sector.inputs[own];
        state.stage = Stage::Idle;
        if state.length > 0 {
            let header = sector.flits[(own << self.rules.flit_bits) + usize::from(state.first)];
            let all = number * CHANNELS + own;
            if self.come_to_front(sector, all, header) {
                self.headers.push_at(now + 1 + self.rules.routing, all as u32);
            }
        }
    }
}
