//! Lists of blocked headers: a header that found no free output channel is not considered again until an event may have
//! unblocked it.
//!
//! A header that may take only one port is in the list of that port. A header that may take several is in the list of
//! its router, which is stored at the router's first port. The headers of a list request channels again when a channel
//! of the port becomes free, or when a credit or a receive slot returns.

use super::cycle::{NetworkState, Rows};
use super::state::{CHANNELS, NO_CHANNEL, PORTS, Sector, VcRequestKind};

impl<const C: usize, const SIMPLE_WORMHOLE: bool> NetworkState<C, SIMPLE_WORMHOLE> {
    /// Adds the header at the front of an input channel to a list. The input channel is given by its number within the
    /// sector.
    pub(super) fn block<const WITHOUT_OPTIONS: bool>(&mut self, sector: &mut Sector<C>, local: usize) {
        let first = if !WITHOUT_OPTIONS && sector.requests[local].kind == VcRequestKind::MultiPort {
            let base = usize::from(sector.locations[local / C].base);
            &mut sector.locations[base % PORTS].blocked_any
        } else {
            &mut sector.ports[usize::from(sector.inputs[local].out_port) % PORTS].blocked
        };
        sector.next_blocked[local] = std::mem::replace(first, local as u16);
    }

    /// Wakes the headers that wait for an event at a port: they request channels again in `cycle`. Call
    /// it before channels are allocated in that cycle.
    #[inline]
    pub(super) fn wake_blocked<const WITHOUT_OPTIONS: bool>(
        &mut self,
        sector: &mut Sector<C>,
        port: usize,
        cycle: u64,
    ) {
        let local = port % Sector::<C>::PORTS;
        let has_blocked_any =
            || sector.locations[usize::from(sector.locations[local].base) % PORTS].blocked_any != NO_CHANNEL;
        if sector.ports[local].blocked != NO_CHANNEL || (!WITHOUT_OPTIONS && self.has_port_choices && has_blocked_any())
        {
            self.wake(sector, port, cycle);
        }
    }

    #[inline(never)]
    fn wake(&mut self, sector: &mut Sector<C>, port: usize, cycle: u64) {
        let local = port % Sector::<C>::PORTS;
        let base = usize::from(sector.locations[local].base);
        let blocked = std::mem::replace(&mut sector.ports[local].blocked, NO_CHANNEL);
        let blocked_any = std::mem::replace(&mut sector.locations[base % PORTS].blocked_any, NO_CHANNEL);
        let sector_first = (port / Sector::<C>::PORTS * CHANNELS) as u32;
        for mut blocked in [blocked, blocked_any] {
            while blocked != NO_CHANNEL {
                self.headers.push_at(cycle, sector_first + u32::from(blocked));
                blocked = sector.next_blocked[usize::from(blocked) % CHANNELS];
            }
        }
    }
}

impl<const C: usize, const SIMPLE_WORMHOLE: bool> Rows<C, SIMPLE_WORMHOLE> {
    /// Wakes the headers that wait for a receive slot of a node.
    pub(super) fn wake_exits(&mut self, node: u32) {
        for exit in 0..self.shared.exits[node as usize].len() {
            let port = self.shared.exits[node as usize][exit] as usize;
            self.shared.wake_blocked::<false>(&mut self.sectors[port / Sector::<C>::PORTS], port, self.cycle);
        }
    }
}
