//! The addresses of successive transfers in the window.

use crate::engine::{Bytes, rng};
use crate::host::Address;
use crate::text::ParameterChoice;
use rand::RngExt;

/// The order in which transfers visit the window.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum AccessOrder {
    /// One unit after another, from the first again after the last.
    Sequential,
    /// Units drawn at random, each as likely as any other.
    Random,
}

/// Alignment of a unit: a cache line, as in pcie-bench.
const ALIGNMENT: u64 = 64;

/// The addresses of successive transfers. The window is divided into units, each of which holds one transfer.
pub struct AddressGenerator {
    window_start: Address,
    unit_bytes: u64,
    unit_count: u64,
    next_unit: u64,
    random: Option<rng::RandomStream>,
}

impl AddressGenerator {
    /// Returns the addresses of transfers of `size` in the window of `window` bytes at `window_start`.
    pub fn new(window_start: Address, size: Bytes, window: Bytes, order: AccessOrder, seed: u64) -> AddressGenerator {
        let unit_bytes = size.get().next_multiple_of(ALIGNMENT);
        let random = (order == AccessOrder::Random).then(|| rng::stream(seed, "addresses of DMA transfers"));
        AddressGenerator {
            window_start,
            unit_bytes,
            unit_count: (window.get() / unit_bytes).max(1),
            next_unit: 0,
            random,
        }
    }

    /// Returns the address of the next transfer.
    pub fn next(&mut self) -> Address {
        let unit = match &mut self.random {
            Some(random) => random.random_range(0..self.unit_count),
            None => {
                let unit = self.next_unit;
                self.next_unit = (unit + 1) % self.unit_count;
                unit
            }
        };
        self.window_start + unit * self.unit_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(size: u64, order: AccessOrder, count: usize) -> Vec<u64> {
        let mut generator = AddressGenerator::new(0x1000, Bytes(size), Bytes(256), order, 1);
        (0..count).map(|_| generator.next() - 0x1000).collect()
    }

    #[test]
    fn sequential_transfers_wrap_at_the_end_of_the_window() {
        assert_eq!(addresses(65, AccessOrder::Sequential, 4), [0, 128, 0, 128]);
        assert_eq!(addresses(4, AccessOrder::Sequential, 5), [0, 64, 128, 192, 0]);
    }

    #[test]
    fn random_transfers_visit_every_unit_of_the_window() {
        let mut visited_addresses = addresses(64, AccessOrder::Random, 64);
        visited_addresses.sort_unstable();
        visited_addresses.dedup();
        assert_eq!(visited_addresses, [0, 64, 128, 192]);
    }
}
