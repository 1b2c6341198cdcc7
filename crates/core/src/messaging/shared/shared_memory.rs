//! An endpoint's shared memory: the addresses of accesses, faults, locks, and the dispatch of its packets.
//!
//! This file holds the parts common to both kinds of coherence, software and hardware; each kind has a file of its own.

use super::handlers::LOCK;
use super::hardware_coherence::HardwareCoherence;
use super::locks::Locks;
use super::parameters::{CoherenceMechanism, SharedMemoryParameters};
use super::software_coherence::SoftwareCoherence;
use super::space::{SharedAddress, Space};
use crate::engine::EndpointId;
use crate::host::{Address, Processor};
use crate::messaging::active::ActiveEndpoint;
use crate::protocol::directory::{Access, AccessMode};
use std::cell::Cell;
use std::rc::Rc;

/// An endpoint's shared memory.
pub struct SharedMemory {
    active: Rc<ActiveEndpoint>,
    parameters: SharedMemoryParameters,
    space: Rc<Space>,
    coherence: Coherence,
    locks: Locks,
    faults: Cell<u64>,
}

/// The implementation that keeps the memory coherent.
enum Coherence {
    Software(Box<SoftwareCoherence>),
    Hardware(HardwareCoherence),
}

impl SharedMemory {
    /// Creates the shared memory of each of these endpoints, in a space that is already laid out.
    pub fn for_endpoints(
        active_endpoints: &[Rc<ActiveEndpoint>],
        space: &Rc<Space>,
        parameters: SharedMemoryParameters,
    ) -> Vec<Rc<SharedMemory>> {
        let bases: Vec<Address> = match parameters.mechanism {
            CoherenceMechanism::Software => Vec::new(),
            CoherenceMechanism::Hardware => active_endpoints
                .iter()
                .map(|active| active.allocate(space.size(active.id().index()) as usize))
                .collect(),
        };
        active_endpoints.iter().map(|active| SharedMemory::new(active, space, parameters, &bases)).collect()
    }

    fn new(
        active: &Rc<ActiveEndpoint>,
        space: &Rc<Space>,
        parameters: SharedMemoryParameters,
        bases: &[Address],
    ) -> Rc<SharedMemory> {
        let coherence = match parameters.mechanism {
            CoherenceMechanism::Software => {
                Coherence::Software(Box::new(SoftwareCoherence::new(active, space, parameters.fault)))
            }
            CoherenceMechanism::Hardware => Coherence::Hardware(HardwareCoherence::new(active, bases)),
        };
        let memory = Rc::new(SharedMemory {
            active: active.clone(),
            parameters,
            space: space.clone(),
            coherence,
            locks: Locks::new(active, space.endpoint_count() as u32),
            faults: Cell::new(0),
        });
        let handler_memory = Rc::downgrade(&memory);
        active.on_protocol(move |from, handler, words| {
            let memory = handler_memory.upgrade();
            Box::pin(async move {
                if let Some(memory) = memory {
                    memory.accept(from, handler, &words).await;
                }
            })
        });
        memory
    }

    /// Returns the endpoint of active messages that the shared memory uses.
    pub fn active(&self) -> &Rc<ActiveEndpoint> {
        &self.active
    }

    /// Returns the number of times that the program waited for a block.
    pub fn faults(&self) -> u64 {
        self.faults.get()
    }

    /// Returns the processor cycles to check a tag.
    pub fn tag_check_cycles(&self) -> u64 {
        self.parameters.check
    }

    /// Returns the address of the bytes of `at` for this host's processor, if the processor may access them with
    /// `mode`.
    ///
    /// # Panics
    ///
    /// Panics if `at` is outside the memory that its home shares.
    #[inline]
    pub fn accessible_address(&self, at: SharedAddress, mode: AccessMode) -> Option<Address> {
        match &self.coherence {
            Coherence::Software(software) => {
                let Some(tag) = software.tag(at) else { self.panic_outside(at) };
                tag.allows(mode).then(|| software.address(at))
            }
            Coherence::Hardware(hardware) => {
                if at.offset >= self.space.size(at.home.index()) {
                    self.panic_outside(at)
                }
                hardware.accessible_address(at, mode)
            }
        }
    }

    /// Reports an access outside shared memory, which is an error of the program.
    #[cold]
    fn panic_outside(&self, at: SharedAddress) -> ! {
        let size = self.space.size(at.home.index());
        panic!("{} accesses byte {} of the {size} that {} shares", self.active.id(), at.offset, at.home)
    }

    /// Waits until the program may access `at` once, and returns the address. The program must not hold the processor
    /// while it waits, and calls [`SharedMemory::end_use`] after the access.
    pub async fn fault(&self, at: SharedAddress, mode: AccessMode) -> Address {
        match &self.coherence {
            Coherence::Software(software) => {
                self.faults.set(self.faults.get() + 1);
                software.fault(at, mode).await
            }
            Coherence::Hardware(hardware) => {
                let (address, has_waited) = hardware.fault(at, mode).await;
                self.faults.set(self.faults.get() + u64::from(has_waited));
                address
            }
        }
    }

    /// Ends the access to `at` that a fault granted.
    pub async fn end_use(&self, at: SharedAddress) {
        match &self.coherence {
            Coherence::Software(software) => software.end_use(at).await,
            Coherence::Hardware(hardware) => hardware.end_use(at).await,
        }
    }

    /// Prefetches the block of `at`. Another endpoint may take the block away before it is used. Software ignores
    /// prefetches.
    pub async fn prefetch(&self, at: SharedAddress, mode: AccessMode) {
        if let Coherence::Hardware(hardware) = &self.coherence {
            hardware.prefetch(at, mode).await;
        }
    }

    /// Returns whether the endpoint has a copy of the block of `at` that it could [check in](SharedMemory::check_in).
    pub fn has_read_only_copy(&self, at: SharedAddress) -> bool {
        match &self.coherence {
            Coherence::Software(software) => {
                at.home != self.active.id() && software.tag(at).is_some_and(|tag| tag == Access::ReadOnly)
            }
            Coherence::Hardware(_) => false,
        }
    }

    /// Sends the copy of the block of `at` back to its home, if software keeps memory coherent and the copy is
    /// read-only. Returns whether a message was sent. The program must not hold the processor.
    pub async fn check_in(&self, at: SharedAddress) -> bool {
        match &self.coherence {
            Coherence::Software(software) => software.check_in(at).await,
            Coherence::Hardware(_) => false,
        }
    }

    /// Returns whether other programs use the same cache, so that their stores invalidate no copy of this program's
    /// blocks.
    pub fn shares_cache(&self) -> bool {
        matches!(&self.coherence, Coherence::Hardware(hardware) if hardware.is_shared())
    }

    /// Replaces two words at `address`, in a block that the processor may store to, by the result of `change`. Returns
    /// the previous words, or `None` if the block was taken away meanwhile. With software coherence the block cannot be
    /// taken away meanwhile, because handlers run only when the processor polls.
    pub async fn update_pair(&self, address: Address, change: &dyn Fn([u64; 2]) -> [u64; 2]) -> Option<[u64; 2]> {
        let (cpu, words) = (self.active.cpu(), [address, address + 8]);
        if let Coherence::Software(_) = self.coherence {
            let previous_words = [cpu.load_word(words[0], 8).await, cpu.load_word(words[1], 8).await];
            for (word, value) in words.into_iter().zip(change(previous_words)) {
                cpu.store_word(word, 8, value).await;
            }
            return Some(previous_words);
        }
        // No other event happens between these accesses. If the block is not in the cache, it is loaded, and the caller
        // retries.
        let previous_words = words.map(|word| cpu.try_load(word, 8));
        let [Some(first), Some(second)] = previous_words else {
            _ = cpu.load(address, 8).await;
            return None;
        };
        let new_words = change([first, second]);
        if !cpu.try_store(words[0], 8, new_words[0]) {
            return None;
        }
        assert!(cpu.try_store(words[1], 8, new_words[1]), "a block is writable as a whole");
        Some([first, second])
    }

    /// Returns whether prefetches have an effect.
    pub fn supports_prefetching(&self) -> bool {
        matches!(self.coherence, Coherence::Hardware(_))
    }

    /// Waits for lock `number`, and acquires it.
    pub async fn lock(&self, number: u32) {
        self.locks.acquire(number).await;
    }

    /// Releases lock `number`.
    pub async fn unlock(&self, number: u32) {
        self.locks.release(number).await;
    }

    /// Accepts a packet of the protocol or about a lock.
    async fn accept(&self, from: EndpointId, handler: u8, words: &[u32]) {
        self.active.charge(self.handler_cycles());
        match &self.coherence {
            _ if handler == LOCK => self.locks.accept(from, words),
            Coherence::Software(software) => software.accept(from, handler, words).await,
            Coherence::Hardware(_) => panic!("hardware sends no messages of its own to programs"),
        }
    }

    /// Returns the processor cycles of a handler, without those of moving a block's bytes.
    fn handler_cycles(&self) -> u64 {
        match &self.coherence {
            Coherence::Software(_) => self.parameters.handler,
            Coherence::Hardware(hardware) => hardware.lock_cycles(),
        }
    }
}
