//! Headers that found nothing: they sleep, and ask again when something they wait for changes.
//!
//! A header that may take one port sleeps behind that port, one that may take several behind its router's
//! first. It is woken when a channel of the port is free again, or there is more room or another place
//! behind it.

use super::cycle::{Rows, Shared};
use super::state::{CHANNELS, NOBODY, PORTS, Sector, WishKind};

impl<const C: usize, const PLAIN: bool> Shared<C, PLAIN> {
    /// The header at the front of an input channel, by its number within the sector, sleeps.
    pub(super) fn sleep<const BARE: bool>(&mut self, sector: &mut Sector<C>, own: usize) {
        let first = if !BARE && sector.wishes[own].kind == WishKind::Several {
            let base = usize::from(sector.at[own / C].base);
            &mut sector.at[base % PORTS].restless
        } else {
            &mut sector.ports[usize::from(sector.inputs[own].out_port) % PORTS].sleeper
        };
        sector.sleepers[own] = std::mem::replace(first, own as u16);
    }

    /// Something changed at a port: who sleeps for it asks again, in a cycle whose channels are not allocated yet.
    #[inline]
    pub(super) fn wake_sleepers<const BARE: bool>(&mut self, sector: &mut Sector<C>, port: usize, cycle: u64) {
        let own = port % Sector::<C>::PORTS;
        let is_restless = || sector.at[usize::from(sector.at[own].base) % PORTS].restless != NOBODY;
        if sector.ports[own].sleeper != NOBODY || (!BARE && self.has_several && is_restless()) {
            self.wake(sector, port, cycle);
        }
    }

    #[inline(never)]
    fn wake(&mut self, sector: &mut Sector<C>, port: usize, cycle: u64) {
        let own = port % Sector::<C>::PORTS;
        let base = usize::from(sector.at[own].base);
        let sleeper = std::mem::replace(&mut sector.ports[own].sleeper, NOBODY);
        let restless = std::mem::replace(&mut sector.at[base % PORTS].restless, NOBODY);
        let sector_first = (port / Sector::<C>::PORTS * CHANNELS) as u32;
        for mut sleeper in [sleeper, restless] {
            while sleeper != NOBODY {
                self.headers.push_at(cycle, sector_first + u32::from(sleeper));
                sleeper = sector.sleepers[usize::from(sleeper) % CHANNELS];
            }
        }
    }
}

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// A node has a place: headers that wait for one ask again.
    pub(super) fn wake_exits(&mut self, node: u32) {
        for exit in 0..self.shared.exits[node as usize].len() {
            let port = self.shared.exits[node as usize][exit] as usize;
            self.shared.wake_sleepers::<false>(&mut self.sectors[port / Sector::<C>::PORTS], port, self.cycle);
        }
    }
}
