//! The interface's memory: its bytes, and how its rate is divided between the bus and the network engines.
//!
//! "The PCI has highest priority for LANai memory cycles" and "both netTx and netRcv may be slowed by memory bandwidth
//! limitations on the LANai" (Yocum et al. 1997, §3.2): the network engines share the part of the memory's rate that
//! the bus does not use.
//!
//! The rate of the engines is fixed per flit: a flit has the rate that is available when it begins. It keeps that rate
//! even if a burst of the bus ends earlier. The memory counts as busy while it slows down a network engine, that is,
//! while its whole rate is in use.

use crate::engine::{BusyTime, Bytes, Rate, Signal, Sim, Time};
use crate::host::{Device, PagedBytes};
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct SramParameters {
    /// Size of the interface's memory.
    #[param(min = "4 KiB", max = "64 MiB", meaning = Capacity)]
    pub size: Bytes,
    /// Total rate of the memory, for bus and network together.
    #[param(resource = "SRAM")]
    pub rate: Rate,
}

/// The memory.
pub struct Sram {
    parameters: SramParameters,
    bytes: RefCell<PagedBytes>,
    bus_rate: Cell<Option<Rate>>,
    network_engines: Cell<u64>,
    sim: Sim,
    /// The time for which the memory slowed down a network engine; two engines at once count once.
    network_slowdown: BusyTime,
    firmware_wakeup: Rc<Signal>,
}

impl Sram {
    /// Creates zeroed memory for the interface of the node `name`.
    pub fn new(sim: &Sim, name: &str, parameters: SramParameters) -> Rc<Sram> {
        Rc::new(Sram {
            parameters,
            bytes: RefCell::new(PagedBytes::new(parameters.size.len())),
            bus_rate: Cell::new(None),
            network_engines: Cell::new(0),
            sim: sim.clone(),
            network_slowdown: BusyTime::default(),
            firmware_wakeup: Rc::new(Signal::new(sim, format!("{name} firmware's attention"))),
        })
    }

    /// Returns the signal that is notified when the host has written.
    pub(super) fn firmware_wakeup(&self) -> Rc<Signal> {
        self.firmware_wakeup.clone()
    }

    /// Reads bytes from `address` on.
    pub fn load(&self, address: u64, into: &mut [u8]) {
        self.bytes.borrow().read(address as usize, into);
    }

    /// Calls `read` with the `bytes` bytes from `address` on.
    pub fn with_bytes<T>(&self, address: u64, bytes: Bytes, read: impl FnOnce(&[u8]) -> T) -> T {
        self.bytes.borrow().with(address as usize, bytes.len(), read)
    }

    /// Writes bytes from `address` on.
    pub fn store(&self, address: u64, from: &[u8]) {
        self.bytes.borrow_mut().write(address as usize, from);
    }

    /// Loads a 32-bit word.
    pub fn load_word(&self, address: u64) -> u32 {
        let mut word = [0; 4];
        self.load(address, &mut word);
        u32::from_le_bytes(word)
    }

    /// Stores a 32-bit word.
    pub fn store_word(&self, address: u64, word: u32) {
        self.store(address, &word.to_le_bytes());
    }

    /// Sets the rate at which the bus moves data from now on; `None` if it stops.
    pub(super) fn set_bus_rate(&self, rate: Option<Rate>) {
        self.bus_rate.set(rate);
    }

    /// Returns the rate at which the memory serves a burst that crosses the bus at `bus_rate`. A bus that is at least
    /// as fast as the memory is served through a burst buffer, which gets every other access of the memory. That share
    /// is chosen: 32-bit PCI at the chip's clock has the same share.
    pub(super) fn host_rate(&self, bus_rate: Rate) -> Rate {
        let half = Rate::from_bits_per_s(self.parameters.rate.bits_per_s() / 2);
        if bus_rate < self.parameters.rate { bus_rate } else { half }
    }

    /// Counts a network engine that begins to move data.
    pub(super) fn begin_network(&self) {
        self.network_engines.set(self.network_engines.get() + 1);
    }

    /// Removes a network engine that stops from the count.
    pub(super) fn end_network(&self) {
        self.network_engines.set(self.network_engines.get() - 1);
    }

    /// Returns the time that a network engine takes, from `now` on, to move bytes through the memory. The bytes take
    /// `unslowed_time` at the engine's own rate, and `time_at(rate)` at another rate.
    pub(super) fn network_time(&self, unslowed_time: Time, now: Time, time_at: impl FnOnce(Rate) -> Time) -> Time {
        let time = time_at(self.network_rate());
        if time > unslowed_time {
            self.network_slowdown.add_interval(now, now + time);
        }
        time
    }

    /// Returns the total time for which the memory's whole rate was in use and slowed down a network engine.
    pub fn busy_total(&self) -> Time {
        self.network_slowdown.total(self.sim.now())
    }

    /// Returns the memory rate that is now available to one network engine.
    fn network_rate(&self) -> Rate {
        let remaining_rate = self.bus_rate.get().map_or(self.parameters.rate, |bus| self.parameters.rate.minus(bus));
        Rate::from_bits_per_s((remaining_rate.bits_per_s() / self.network_engines.get().max(1)).max(1))
    }
}

impl Device for Sram {
    fn time(&self, _at: u64) -> Time {
        self.parameters.rate.time_for(Bytes(8))
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        self.store(at, bytes);
        self.firmware_wakeup.notify();
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        self.load(at, into);
    }
}
