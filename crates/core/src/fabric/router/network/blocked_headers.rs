//! Lists of blocked headers: a header that found no free output channel is not considered again until an event may have
//! unblocked it.
//!
//! A header that may take only one port is in the list of that port. A header that may take several is in the list of
//! its router, which is stored at the router's first port. The headers of a list request channels again when a channel
//! of the port becomes free, or when a credit or a receive slot returns.

use super::cycle::{NetworkState, SpecializedNetwork};
use super::state::{CHANNELS, NO_CHANNEL, PORTS, Sector, VcRequestKind};

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> NetworkState<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Adds the header at the front of an input channel to its list of blocked headers. The input channel is given by
    /// its number within the sector.
    pub(super) fn block<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        local_channel: usize,
    ) {
        let list_head = if !WITHOUT_OPTIONAL_FEATURES && sector.requests[local_channel].kind == VcRequestKind::MultiPort
        {
            let router_start = usize::from(sector.locations[local_channel / PORT_CHANNELS].router_start);
            &mut sector.locations[router_start % PORTS].first_blocked_any
        } else {
            &mut sector.ports[usize::from(sector.out_ports[local_channel]) % PORTS].first_blocked
        };
        sector.next_blocked[local_channel] = std::mem::replace(list_head, local_channel as u16);
    }

    /// Wakes the headers that wait for an event at a port: they request channels again in `cycle`. The function must be
    /// called before channels are allocated in that cycle.
    #[inline]
    pub(super) fn wake_blocked<const WITHOUT_OPTIONAL_FEATURES: bool>(
        &mut self,
        sector: &mut Sector<PORT_CHANNELS>,
        port: usize,
        cycle: u64,
    ) {
        let local_port = port % Sector::<PORT_CHANNELS>::PORTS;
        let has_blocked_any = || {
            sector.locations[usize::from(sector.locations[local_port].router_start) % PORTS].first_blocked_any
                != NO_CHANNEL
        };
        if sector.ports[local_port].first_blocked != NO_CHANNEL
            || (!WITHOUT_OPTIONAL_FEATURES && self.has_port_choices && has_blocked_any())
        {
            self.wake(sector, port, cycle);
        }
    }

    #[inline(never)]
    fn wake(&mut self, sector: &mut Sector<PORT_CHANNELS>, port: usize, cycle: u64) {
        let local_port = port % Sector::<PORT_CHANNELS>::PORTS;
        let router_start = usize::from(sector.locations[local_port].router_start);
        let blocked = std::mem::replace(&mut sector.ports[local_port].first_blocked, NO_CHANNEL);
        let first_blocked_any =
            std::mem::replace(&mut sector.locations[router_start % PORTS].first_blocked_any, NO_CHANNEL);
        let first_channel = (port / Sector::<PORT_CHANNELS>::PORTS * CHANNELS) as u32;
        for mut blocked in [blocked, first_blocked_any] {
            while blocked != NO_CHANNEL {
                self.headers.push_at(cycle, first_channel + u32::from(blocked));
                blocked = sector.next_blocked[usize::from(blocked) % CHANNELS];
            }
        }
    }
}

impl<const PORT_CHANNELS: usize, const SIMPLE_WORMHOLE: bool> SpecializedNetwork<PORT_CHANNELS, SIMPLE_WORMHOLE> {
    /// Wakes the headers that wait for a receive slot of a node.
    pub(super) fn wake_exits(&mut self, node: u32) {
        for exit in 0..self.shared.exit_ports[node as usize].len() {
            let port = self.shared.exit_ports[node as usize][exit] as usize;
            self.shared.wake_blocked::<false>(
                &mut self.sectors[port / Sector::<PORT_CHANNELS>::PORTS],
                port,
                self.cycle,
            );
        }
    }
}
