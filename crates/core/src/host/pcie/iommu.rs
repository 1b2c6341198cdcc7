//! The IOMMU: translations of a device's addresses, cached by page, and the walkers that serve misses.
//!
//! The module models a cache of `entries` translations with LRU replacement. A miss holds one of `walkers` for the time
//! of a walk; misses wait for a walker in the order of arrival, and a miss of a page that is being walked waits for
//! that walk. The module leaves out caches of the walkers, invalidations, and translations cached by the device
//! (ATS).

use crate::engine::{Bytes, Time};
use crate::host::block::Address;
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The parameters of the IOMMU.
#[derive(Clone, Copy, PartialEq, Debug, Parameters)]
pub struct IommuParameters {
    /// Number of cached translations.
    ///
    /// 110 (measured, with pages of 4 KiB).
    #[param(min = 1, max = 1_048_576, default = 110, meaning = Capacity, resource = "IOMMU entries")]
    pub entries: usize,
    /// Size of a page: `4 KiB`, `2 MiB` or `1 GiB`.
    #[param(default = "4 KiB", meaning = Granularity)]
    pub page: Bytes,
    /// Time for which the miss of a read holds a walker.
    ///
    /// 293 ns (measured: 853 ns against 560 ns).
    #[param(default = "293 ns", resource = "IOMMU walkers")]
    pub read_walk: Time,
    /// Time for which the miss of a write holds a walker.
    ///
    /// 240 ns (measured: by a write followed by a read of the same place).
    #[param(default = "240 ns", resource = "IOMMU walkers")]
    pub write_walk: Time,
    /// Number of walkers.
    ///
    /// 5 (measured: 9.2 Gbit/s of reads of 64 B that all miss).
    #[param(min = 1, max = 1024, default = 5, meaning = Width, resource = "IOMMU walkers")]
    pub walkers: usize,
}

/// The IOMMU in a simulation.
pub struct Iommu {
    parameters: IommuParameters,
    cache: RefCell<TranslationCache>,
    /// For each walker, the instant at which it is free.
    walkers: RefCell<Vec<Time>>,
    walk_time: Cell<Time>,
    misses: Cell<u64>,
}

/// The cached translations, by page and by last use.
#[derive(Default)]
struct TranslationCache {
    /// For each page, the number of its last use, and the instant from which its translation is known.
    pages: BTreeMap<u64, (u64, Time)>,
    /// For each last use, its page.
    pages_by_use: BTreeMap<u64, u64>,
    use_count: u64,
}

impl Iommu {
    /// Creates an IOMMU that has cached no translation.
    pub fn new(parameters: IommuParameters) -> Iommu {
        let walkers = RefCell::new(vec![Time::ZERO; parameters.walkers]);
        let (cache, walk_time, misses) = Default::default();
        Iommu { parameters, cache, walkers, walk_time, misses }
    }

    /// Translates the address of an access that arrives at `now`. Returns the instant from which the translation is
    /// known.
    pub fn translate(&self, now: Time, address: Address, is_write: bool) -> Time {
        let page = address / self.parameters.page.get();
        let cache = &mut *self.cache.borrow_mut();
        cache.use_count += 1;
        if let Some((last_use, known_at)) = cache.pages.get_mut(&page) {
            cache.pages_by_use.remove(last_use);
            cache.pages_by_use.insert(cache.use_count, page);
            *last_use = cache.use_count;
            return now.max(*known_at);
        }
        self.misses.set(self.misses.get() + 1);
        let known_at = self.walk(now, is_write);
        if cache.pages.len() == self.parameters.entries {
            let (_, replaced) = cache.pages_by_use.pop_first().expect("a translation is cached");
            cache.pages.remove(&replaced);
        }
        cache.pages.insert(page, (cache.use_count, known_at));
        cache.pages_by_use.insert(cache.use_count, page);
        known_at
    }

    /// Walks the page table from `now` on, as soon as a walker is free. Returns the end of the walk.
    fn walk(&self, now: Time, is_write: bool) -> Time {
        let time = if is_write { self.parameters.write_walk } else { self.parameters.read_walk };
        let mut walkers = self.walkers.borrow_mut();
        let walker_free_at = walkers.iter_mut().min().expect("there is a walker");
        *walker_free_at = now.max(*walker_free_at) + time;
        self.walk_time.set(self.walk_time.get() + time);
        *walker_free_at
    }

    /// Returns the number of misses.
    pub fn misses(&self) -> u64 {
        self.misses.get()
    }

    /// Returns the time for which a walker has been busy until `now`, on average over the walkers.
    pub fn busy(&self, now: Time) -> Time {
        let walkers = self.walkers.borrow();
        let future_time = walkers.iter().map(|free_at| free_at.since(now)).sum::<Time>();
        self.walk_time.get().since(future_time) / walkers.len() as u64
    }
}
