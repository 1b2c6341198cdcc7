//! A path from the processor to devices that are not agents on the bus, such as a link behind a root complex.
//!
//! The processor's uncached accesses to addresses of the path do not use the bus. The path determines when the
//! processor continues: after a read has returned its data, and as soon as a write is posted.

use crate::engine::LocalFuture;
use crate::host::block::Address;

/// A path to devices.
pub(in crate::host) trait DevicePath {
    /// Returns whether `address` belongs to a device on the path.
    fn covers(&self, address: Address) -> bool;

    /// Reads bytes at `address`. Returns when they have arrived.
    fn read<'a>(&'a self, address: Address, into: &'a mut [u8]) -> LocalFuture<'a>;

    /// Writes bytes at `address`, which leave a write-combining buffer if `is_combined` is true. Returns when the
    /// processor may continue.
    fn write<'a>(&'a self, address: Address, bytes: &'a [u8], is_combined: bool) -> LocalFuture<'a>;

    /// Waits until the writes have left the processor.
    fn fence(&self) -> LocalFuture<'_>;
}
