//! Devices on a host's buses: the registers and memory of an interface, and the windows by which they are accessed.

use super::block::Address;
use crate::engine::{LocalFuture, Time};
use crate::text::ParameterChoice;
use std::rc::Rc;

/// Registers and memory that the processor or another initiator accesses. Offsets are relative to the start of the
/// device's window.
pub trait Device {
    /// Returns the device's access time, for which an access holds a memory bus. On an I/O bus, wait states take its
    /// place.
    fn time(&self, _at: u64) -> Time {
        Time::ZERO
    }

    /// Returns whether the device buffers a block that is written to it, before it writes the block to its memory.
    fn posts_writes(&self) -> bool {
        false
    }

    /// Reads bytes from offset `at` on.
    fn read(&self, at: u64, into: &mut [u8]);

    /// Writes bytes from offset `at` on.
    fn write(&self, at: u64, bytes: &[u8]);
}

/// A device whose responses may take time, because it is behind a link or its memory is busy. A [`Device`] responds at
/// once.
pub trait AsyncDevice {
    /// Reads bytes from offset `at` on. Returns when the device has responded; the processor waits for that.
    fn read<'a>(&'a self, at: u64, into: &'a mut [u8]) -> LocalFuture<'a>;

    /// Writes bytes from offset `at` on. Returns when the device has accepted them; the bus waits for that.
    fn write<'a>(&'a self, at: u64, bytes: &'a [u8]) -> LocalFuture<'a>;
}

/// A [`Device`] used as an [`AsyncDevice`], which responds at once.
pub struct ImmediateDevice<D: ?Sized>(pub Rc<D>);

impl<D: Device + ?Sized> AsyncDevice for ImmediateDevice<D> {
    fn read<'a>(&'a self, at: u64, into: &'a mut [u8]) -> LocalFuture<'a> {
        self.0.read(at, into);
        Box::pin(std::future::ready(()))
    }

    fn write<'a>(&'a self, at: u64, bytes: &'a [u8]) -> LocalFuture<'a> {
        self.0.write(at, bytes);
        Box::pin(std::future::ready(()))
    }
}

/// The mode in which a processor accesses the window of a device.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Mapping {
    /// Each access goes to the device, in program order.
    #[default]
    Uncached,
    /// Stores to one block are combined into a burst. The burst leaves the processor when the block is full, when a
    /// device is accessed at another block, and at a fence.
    WriteCombined,
}

/// The window that a device requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeviceWindow {
    /// Size in bytes.
    pub bytes: u64,
    /// Mode in which the processor accesses the window.
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

/// The first address of a device's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Window(pub Address);

impl Window {
    /// Returns the address of the device's byte `offset`.
    pub const fn at(self, offset: u64) -> Address {
        self.0 + offset
    }
}

/// The direction of a DMA transfer, from the bus's point of view.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Direction {
    /// From main memory to the interface: sending.
    Read,
    /// From the interface to main memory: receiving.
    Write,
}
