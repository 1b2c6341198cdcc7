//! The IOMMU: translations of a device's addresses, cached by page, and the walkers that serve misses.
//!
//! The module models a cache of `entries` translations with LRU replacement. A miss holds one of `walkers` for the time
//! of a walk; misses wait for a walker in the order of arrival, and a miss of a page that is being walked waits for
//! that walk. The module leaves out the walkers' own caches, invalidations, and translations cached by the device
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
    /// The last use of a page, and the instant from which its translation is known.
    pages: BTreeMap<u64, (u64, Time)>,
    by_use: BTreeMap<u64, u64>,
    uses: u64,
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
    pub fn translate(&self, now: Time, address: Address, writes: bool) -> Time {
        let page = address / self.parameters.page.get();
        let cache = &mut *self.cache.borrow_mut();
        cache.uses += 1;
        if let Some((used, known)) = cache.pages.get_mut(&page) {
            cache.by_use.remove(used);
            cache.by_use.insert(cache.uses, page);
            *used = cache.uses;
            return now.max(*known);
        }
        self.misses.set(self.misses.get() + 1);
        let known = self.walk(now, writes);
        if cache.pages.len() == self.parameters.entries {
            let (_, replaced) = cache.by_use.pop_first().expect("a translation is cached");
            cache.pages.remove(&replaced);
        }
        cache.pages.insert(page, (cache.uses, known));
        cache.by_use.insert(cache.uses, page);
        known
    }

    /// Walks the page table from `now` on, as soon as a walker is free. Returns the end of the walk.
    fn walk(&self, now: Time, writes: bool) -> Time {
        let time = if writes { self.parameters.write_walk } else { self.parameters.read_walk };
        let mut walkers = self.walkers.borrow_mut();
        let first = walkers.iter_mut().min().expect("there is a walker");
        *first = now.max(*first) + time;
        self.walk_time.set(self.walk_time.get() + time);
        *first
    }

    /// Returns the number of misses.
    pub fn misses(&self) -> u64 {
        self.misses.get()
    }

    /// Returns the time for which a walker has been busy until `now`, on average over the walkers.
    pub fn busy(&self, now: Time) -> Time {
        let walkers = self.walkers.borrow();
        let ahead = walkers.iter().map(|free| free.since(now)).sum::<Time>();
        self.walk_time.get().since(ahead) / walkers.len() as u64
    }
}
