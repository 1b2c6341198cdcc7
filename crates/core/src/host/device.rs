//! An interface as its host sees it: registers and memory on a bus.

use super::block::Address;
use crate::engine::Time;
use crate::text::ParameterChoice;

/// Registers and memory, as the processor or another initiator accesses them. Offsets count from the start of the
/// device's window.
pub trait Device {
    /// Returns the device's access time, for which it holds a memory bus; an I/O bus has wait states of its own.
    fn time(&self, _at: u64) -> Time {
        Time::ZERO
    }

    /// Returns whether the device takes a block into a buffer before its memory.
    fn posts(&self) -> bool {
        false
    }

    /// Reads bytes from offset `at` on.
    fn read(&self, at: u64, into: &mut [u8]);

    /// Writes bytes from offset `at` on.
    fn write(&self, at: u64, bytes: &[u8]);
}

/// How a processor accesses the window of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Mapping {
    /// Each access goes to the device, in order.
    #[default]
    Uncached,
}

/// The window that a device asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeviceWindow {
    /// Size in bytes.
    pub bytes: u64,
    /// How the processor accesses it.
    pub mapping: Mapping,
}

impl DeviceWindow {
    /// Returns an uncached window of `bytes` bytes.
    pub const fn uncached(bytes: u64) -> DeviceWindow {
        DeviceWindow { bytes, mapping: Mapping::Uncached }
    }
}

/// The first address at which a device answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window(pub Address);

impl Window {
    /// Returns the address of the device's byte `offset`.
    pub const fn at(self, offset: u64) -> Address {
        self.0 + offset
    }
}

/// Which way a DMA transfer goes, as the bus sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Direction {
    /// From main memory to the interface: sending.
    Read,
    /// From the interface to main memory: receiving.
    Write,
}
