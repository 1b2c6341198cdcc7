//! An end of shared memory, of whichever make: where a place is, and how a program waits for it.

use super::in_hardware::Hardware;
use super::in_software::Software;
use super::locks::Locks;
use super::{SharedAddress, SharedMemoryParameters, SharingMake, Space};
use crate::host::{Address, Processor};
use crate::messaging::active::Active;
use crate::protocol::directory::Want;
use std::cell::Cell;
use std::rc::Rc;

/// An end of shared memory.
pub struct SharedMemory {
    pub(super) active: Rc<Active>,
    pub(super) parameters: SharedMemoryParameters,
    pub(super) space: Rc<Space>,
    pub(super) make: Make,
    pub(super) locks: Locks,
    faults: Cell<u64>,
}

/// Who keeps it coherent.
pub(super) enum Make {
    Software(Box<Software>),
    Hardware(Hardware),
}

impl SharedMemory {
    /// An end for each of these, whose program runs there; the space is laid out.
    pub fn all(actives: &[Rc<Active>], space: &Rc<Space>, parameters: SharedMemoryParameters) -> Vec<Rc<SharedMemory>> {
        let places: Vec<Address> = match parameters.make {
            SharingMake::Software => Vec::new(),
            SharingMake::Hardware => {
                actives.iter().map(|active| active.allocate(space.size(active.id().index()) as usize)).collect()
            }
        };
        actives.iter().map(|active| SharedMemory::new(active, space, parameters, &places)).collect()
    }

    fn new(
        active: &Rc<Active>,
        space: &Rc<Space>,
        parameters: SharedMemoryParameters,
        places: &[Address],
    ) -> Rc<SharedMemory> {
        let make = match parameters.make {
            SharingMake::Software => Make::Software(Box::new(Software::new(active.id(), space))),
            SharingMake::Hardware => Make::Hardware(Hardware::new(active, places)),
        };
        let end = Rc::new(SharedMemory {
            active: active.clone(),
            parameters,
            space: space.clone(),
            make,
            locks: Locks::default(),
            faults: Cell::new(0),
        });
        let handles = Rc::downgrade(&end);
        active.on_protocol(move |from, handler, words| {
            let end = handles.upgrade();
            Box::pin(async move {
                if let Some(end) = end {
                    end.take(from, handler, &words).await;
                }
            })
        });
        end
    }

    /// The end of active messages that it is over.
    pub fn active(&self) -> &Rc<Active> {
        &self.active
    }

    /// How often the program waited for a block.
    pub fn faults(&self) -> u64 {
        self.faults.get()
    }

    /// Processor cycles to find a tag.
    pub fn check(&self) -> u64 {
        self.parameters.check
    }

    /// Where the bytes of `at` are for this host's processor, if it may do this with them.
    #[inline]
    pub fn place(&self, at: SharedAddress, want: Want) -> Option<Address> {
        match &self.make {
            Make::Software(make) => {
                let Some(tag) = make.tag(at) else { self.is_outside(at) };
                tag.allows(want).then(|| make.address(&self.active, at))
            }
            Make::Hardware(make) => {
                if at.offset >= self.space.size(at.home.index()) {
                    self.is_outside(at)
                }
                make.place(at, want)
            }
        }
    }

    /// An access of what nobody shares is an error of the program's.
    #[cold]
    fn is_outside(&self, at: SharedAddress) -> ! {
        let size = self.space.size(at.home.index());
        panic!("{} accesses byte {} of the {size} that {} shares", self.active.id(), at.offset, at.home)
    }

    /// The program waits until it may do this, once, and says [`SharedMemory::used`] then; its turn on the
    /// processor is over.
    pub async fn fault(&self, at: SharedAddress, want: Want) -> Address {
        match &self.make {
            Make::Software(make) => {
                self.faults.set(self.faults.get() + 1);
                make.fault(self, at, want).await
            }
            Make::Hardware(make) => {
                let (address, waited) = make.fault(self, at, want).await;
                self.faults.set(self.faults.get() + u64::from(waited));
                address
            }
        }
    }

    /// The program has done what it was granted.
    pub async fn used(&self, at: SharedAddress) {
        match &self.make {
            Make::Software(make) => make.used(self, at).await,
            Make::Hardware(make) => make.used(at).await,
        }
    }

    /// The program will want the block of `at`; it binds nobody, and costs nothing where no hardware could do it.
    pub async fn prefetch(&self, at: SharedAddress, want: Want) {
        if let Make::Hardware(make) = &self.make {
            make.prefetch(self, at, want).await;
        }
    }

    /// Whether other programs have the same copies, so that what these store takes none away.
    pub fn shares_cache(&self) -> bool {
        matches!(&self.make, Make::Hardware(make) if make.is_shared())
    }

    /// Changes two words, of a block that the processor may store to, if nobody takes it meanwhile; what they were. In
    /// software nobody does: handlers run when the processor polls.
    pub async fn change(&self, address: Address, change: &dyn Fn([u64; 2]) -> [u64; 2]) -> Option<[u64; 2]> {
        let (cpu, places) = (self.active.cpu(), [address, address + 8]);
        if let Make::Software(_) = self.make {
            let was = [cpu.load_word(places[0], 8).await, cpu.load_word(places[1], 8).await];
            for (place, value) in places.into_iter().zip(change(was)) {
                cpu.store_word(place, 8, value).await;
            }
            return Some(was);
        }
        // Between these nothing else happens; a block that is not in the cache comes, and the change is tried again.
        let was = places.map(|place| cpu.try_load(place, 8));
        let [Some(first), Some(second)] = was else {
            _ = cpu.load(address, 8).await;
            return None;
        };
        let new = change([first, second]);
        if !cpu.try_store(places[0], 8, new[0]) {
            return None;
        }
        assert!(cpu.try_store(places[1], 8, new[1]), "who may store to a block may store to all of it");
        Some([first, second])
    }

    /// Whether prefetches do anything.
    pub fn prefetches(&self) -> bool {
        matches!(self.make, Make::Hardware(_))
    }

    /// Processor cycles of a handler, beside the bytes that it moves.
    pub(super) fn handler(&self) -> u64 {
        match &self.make {
            Make::Software(_) => self.parameters.handler,
            Make::Hardware(make) => make.lock(),
        }
    }
}
