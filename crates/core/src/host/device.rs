//! An interface as its host sees it: registers and memory on a bus.

use super::block::Address;
use crate::engine::{LocalFuture, Time};
use crate::text::ParameterChoice;
use std::rc::Rc;

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

/// A device whose answers may take time: behind a link, or busy with its own memory. A [`Device`] answers at once.
pub trait AsyncDevice {
    /// Reads bytes from offset `at` on; returns when the device has answered, for which the processor waits.
    fn read<'a>(&'a self, at: u64, into: &'a mut [u8]) -> LocalFuture<'a>;

    /// Writes bytes from offset `at` on; returns when the device has taken them, for which the bus waits.
    fn write<'a>(&'a self, at: u64, bytes: &'a [u8]) -> LocalFuture<'a>;
}

/// A device that answers at once, where any device may be.
pub struct Immediate<D: ?Sized>(pub Rc<D>);

impl<D: Device + ?Sized> AsyncDevice for Immediate<D> {
    fn read<'a>(&'a self, at: u64, into: &'a mut [u8]) -> LocalFuture<'a> {
        self.0.read(at, into);
        Box::pin(std::future::ready(()))
    }

    fn write<'a>(&'a self, at: u64, bytes: &'a [u8]) -> LocalFuture<'a> {
        self.0.write(at, bytes);
        Box::pin(std::future::ready(()))
    }
}

/// How a processor accesses the window of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Mapping {
    /// Each access goes to the device, in order.
    #[default]
    Uncached,
    /// Stores to one block are combined into a burst. It leaves the processor when the block is full, when a device is
    /// accessed at another block, and at a fence.
    WriteCombined,
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

    /// Returns a write-combined window of `bytes` bytes.
    pub const fn write_combined(bytes: u64) -> DeviceWindow {
        DeviceWindow { bytes, mapping: Mapping::WriteCombined }
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
