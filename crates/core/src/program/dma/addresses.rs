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
pub struct Addresses {
    first: Address,
    unit: u64,
    units: u64,
    next: u64,
    random: Option<rng::RandomStream>,
}

impl Addresses {
    /// Returns the addresses of transfers of `size` in the window of `window` bytes at `first`.
    pub fn new(first: Address, size: Bytes, window: Bytes, order: AccessOrder, seed: u64) -> Addresses {
        let unit = size.get().next_multiple_of(ALIGNMENT);
        let random = (order == AccessOrder::Random).then(|| rng::stream(seed, "addresses of DMA transfers"));
        Addresses { first, unit, units: (window.get() / unit).max(1), next: 0, random }
    }

    /// Returns the address of the next transfer.
    pub fn next(&mut self) -> Address {
        let unit = match &mut self.random {
            Some(random) => random.random_range(0..self.units),
            None => {
                let unit = self.next;
                self.next = (unit + 1) % self.units;
                unit
            }
        };
        self.first + unit * self.unit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(size: u64, order: AccessOrder, count: usize) -> Vec<u64> {
        let mut all = Addresses::new(0x1000, Bytes(size), Bytes(256), order, 1);
        (0..count).map(|_| all.next() - 0x1000).collect()
    }

    #[test]
    fn sequential_transfers_wrap_at_the_end_of_the_window() {
        assert_eq!(addresses(65, AccessOrder::Sequential, 4), [0, 128, 0, 128]);
        assert_eq!(addresses(4, AccessOrder::Sequential, 5), [0, 64, 128, 192, 0]);
    }

    #[test]
    fn random_transfers_visit_every_unit_of_the_window() {
        let mut met = addresses(64, AccessOrder::Random, 64);
        met.sort_unstable();
        met.dedup();
        assert_eq!(met, [0, 64, 128, 192]);
    }
}
