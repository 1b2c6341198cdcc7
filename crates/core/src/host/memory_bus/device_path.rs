//! A path from the processor to devices that are not agents on the bus, such as a link behind a root complex.
//!
//! The processor's uncached accesses to addresses of the path leave the bus out. The path decides when the processor
//! continues: after a read has returned, and as soon as a write is posted.

use crate::engine::LocalFuture;
use crate::host::block::Address;

/// A path to devices.
pub(in crate::host) trait DevicePath {
    /// Returns whether `address` belongs to a device on the path.
    fn covers(&self, address: Address) -> bool;

    /// Reads bytes at `address`. Returns when they have arrived.
    fn read<'a>(&'a self, address: Address, into: &'a mut [u8]) -> LocalFuture<'a>;

    /// Writes bytes at `address`, which leave a write-combining buffer if `combined`. Returns when the processor
    /// continues.
    fn write<'a>(&'a self, address: Address, bytes: &'a [u8], combined: bool) -> LocalFuture<'a>;

    /// Waits until the writes have left the processor.
    fn fence(&self) -> LocalFuture<'_>;
}
