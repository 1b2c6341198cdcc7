//! Leaving a router: the flit that has the switch leaves its buffer, a credit goes back, and a tail frees
//! the channel that its packet held.

use super::cycle::{Moving, Shared};
use super::state::{CHANNELS, NOBODY, OUTSIDE, Sector, Stage};

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// The turns pass, and the front flit of an input channel, of a sector, leaves for an output.
    #[inline]
    pub(super) fn send(&mut self, sector: &mut Sector<C>, (number, own): (usize, u16), output: usize, now: u64) {
        let own = usize::from(own) % CHANNELS;
        let (input, channel) = (own / C, own % C);
        let from = &mut sector.ports[input];
        (from.next_output, from.next_channel) = (output as u16 + 1, channel as u8 + 1);
        let upstream = from.upstream + channel as u32;
        let back = if upstream & OUTSIDE != 0 { &mut self.credits_to_sources } else { &mut self.credits_to_routers };
        back.push(upstream);
        let state = &mut sector.inputs[own];
        let all = number * CHANNELS + own;
        let flit = self.flits[(all << self.rules.flit_bits) + usize::from(state.first)];
        state.first = (state.first + 1) & self.rules.last_slot;
        state.length -= 1;
        let (is_empty, out_channel) = (state.length == 0, usize::from(state.out_channel));
        if is_empty {
            sector.empty(own);
        }
        let to = &mut sector.ports[output];
        to.next_input = input as u16 + 1;
        to.sent += 1;
        let target = to.target;
        let on = if target & OUTSIDE != 0 { &mut self.to_nodes } else { &mut self.to_routers };
        on.push(Moving { to: target + out_channel as u32, flit });
        let held = (output * C + out_channel) % CHANNELS;
        let behind = &mut sector.outputs[held];
        assert!(behind.credits > 0, "a flit is sent only into a free slot");
        behind.credits -= 1;
        if flit.is_tail() || behind.credits == 0 {
            sector.close(own);
        }
        self.counts.flit_hops += 1;
        if !PLAIN && self.rules.cycles_per_flit > 1 {
            sector.hold_link(output);
            self.links.push((number * Sector::<C>::PORTS + output) as u32);
        }
        if flit.is_tail() {
            if let Some(crossings) = &mut self.crossings {
                crossings.end((number * CHANNELS + held) as u32, self.packets.get(flit.slot()));
            }
            self.end_packet(sector, all, held, now);
        }
    }

    /// A packet's tail left its buffer: the channel that it held is free, and the next one's header may be there.
    #[inline]
    fn end_packet(&mut self, sector: &mut Sector<C>, all: usize, held: usize, now: u64) {
        let own = all % CHANNELS;
        sector.outputs[held].owner = NOBODY;
        sector.ports[held / C].free |= 1 << (held % C);
        self.wake_sleepers(sector, all / CHANNELS * Sector::<C>::PORTS + held / C, now + 1);
        if !PLAIN {
            sector.tails[own] = sector.tails[own].saturating_sub(1);
        }
        let state = &mut sector.inputs[own];
        state.stage = Stage::Idle;
        if state.length > 0 {
            let header = self.flits[(all << self.rules.flit_bits) + usize::from(state.first)];
            if self.come_to_front(sector, all, header) {
                self.headers.push_at(now + 1 + self.rules.routing, all as u32);
            }
        }
    }
}
