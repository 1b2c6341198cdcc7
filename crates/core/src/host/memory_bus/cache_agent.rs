//! A processor's cache as an agent on the bus. It snoops, supplies blocks, and fetches blocks after misses.
//!
//! Each task that fetches a block has one outstanding transaction. On a split bus, several tasks can fetch blocks at
//! the same time. If a replaced block is owned or modified, it is written back before the new one is fetched.
//! Parameters: [`CacheParameters`]. The module leaves out levels of caches, victim buffers and prefetching.

use super::agent::{Agent, AgentId, TransactionKind};
use super::bus::{Bus, BusGrant};
use super::moesi::{self, MoesiState, SnoopEffect};
use super::parameters::CacheParameters;
use crate::engine::time_series::TimeSeries;
use crate::engine::{Signal, Sim, Time};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of};
use crate::host::cache::{BlockFrame, Cache};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A cache on a bus.
pub struct CacheAgent {
    contents: Rc<Contents>,
    bus: Rc<Bus>,
    id: AgentId,
    sim: Sim,
    /// The frames that wait for a block on a split bus.
    filling_frames: RefCell<Vec<BlockFrame>>,
    /// The fills of frames that had never held a block, over time in picoseconds.
    cold_fills: RefCell<TimeSeries>,
}

/// The contents of a cache, as an agent that snoops.
pub struct Contents {
    cache: RefCell<Cache>,
    supply_time: Time,
    watched_block: Cell<Address>,
    watched_block_dropped: Signal,
}

impl CacheAgent {
    /// Creates an empty cache and attaches it to `bus`.
    pub fn new(sim: &Sim, name: &str, bus: &Rc<Bus>, parameters: &CacheParameters) -> CacheAgent {
        let contents = Rc::new(Contents {
            cache: RefCell::new(Cache::new(parameters.size, parameters.ways)),
            supply_time: parameters.supply_time,
            watched_block: Cell::new(Address::MAX),
            watched_block_dropped: Signal::new(sim, format!("{name}: a change of the polled block")),
        });
        let id = bus.attach(contents.clone(), None);
        CacheAgent {
            contents,
            bus: bus.clone(),
            id,
            sim: sim.clone(),
            filling_frames: RefCell::default(),
            cold_fills: RefCell::default(),
        }
    }

    /// Returns the cache's agent number on the bus.
    pub fn id(&self) -> AgentId {
        self.id
    }

    /// Returns the contents, for accesses that hit.
    #[inline]
    pub fn contents(&self) -> &RefCell<Cache> {
        &self.contents.cache
    }

    /// Returns the number of blocks that were fetched into frames for the first time, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.cold_fills.borrow().count(from.ps(), to.ps())
    }

    /// Returns the signal that is notified when the watched block was invalidated or replaced.
    pub fn watched_block_dropped(&self) -> &Signal {
        &self.contents.watched_block_dropped
    }

    /// Watches the block of `address`. Returns the signal that is notified when the block was invalidated or replaced.
    /// Only one block is watched at a time.
    pub fn watch(&self, address: Address) -> &Signal {
        self.contents.watched_block.set(block_of(address));
        &self.contents.watched_block_dropped
    }

    /// Makes the block of `address` readable or, if `is_write` is true, writable. Returns the time for which the
    /// transaction waited for the bus, or `None` if no transaction was needed.
    pub async fn obtain(&self, address: Address, is_write: bool) -> Option<Time> {
        let mut wait_time = Time::ZERO;
        loop {
            let grant = self.bus.acquire(self.id, address).await;
            wait_time += grant.wait_time;
            // The state is read after the grant, because it may have changed since the miss.
            let found = self.contents.cache.borrow().find(address);
            match found {
                Some((_, state)) if !is_write || state.writable() => return None,
                Some((frame, _)) => {
                    grant
                        .run(TransactionKind::Invalidate, block_of(address), BLOCK_BYTES, &mut Block::ZERO.clone())
                        .await;
                    self.contents.cache.borrow_mut().set_state(frame, MoesiState::Modified);
                }
                None if self.fetch_or_write_back(address, grant, is_write).await => {}
                None => continue,
            }
            if cfg!(debug_assertions) {
                self.bus.assert_single_writer(block_of(address));
            }
            return Some(wait_time);
        }
    }

    /// Fetches the block of `address` and returns `true`. If the block would replace a dirty block, writes the dirty
    /// block back instead and returns `false`. If another task is filling the frame, or a transaction is moving the
    /// dirty block, waits for the end of a transaction and returns `false`. The caller tries again after `false`.
    async fn fetch_or_write_back(&self, address: Address, grant: BusGrant<'_>, is_write: bool) -> bool {
        let (frame, victim) = self.contents.cache.borrow().victim(address);
        let is_dirty = victim.is_some_and(|(_, state)| state.owns());
        let conflict = match victim {
            _ if self.filling_frames.borrow().contains(&frame) => Some(self.bus.next_end()),
            Some((victim, _)) if is_dirty => self.bus.conflict(victim),
            _ => None,
        };
        if let Some(conflict) = conflict {
            drop(grant);
            conflict.await;
            return false;
        }
        let mut data = self.contents.cache.borrow().block(frame);
        // The block is invalidated now, so that no store hits it during the transaction.
        self.contents.cache.borrow_mut().set_state(frame, MoesiState::Invalid);
        if victim.is_some_and(|(victim, _)| victim == self.contents.watched_block.get()) {
            self.contents.watched_block_dropped.notify();
        }
        if let Some((victim, _)) = victim.filter(|_| is_dirty) {
            grant.run(TransactionKind::WriteBack, victim, BLOCK_BYTES, &mut data).await;
            return false;
        }
        let kind = if is_write { TransactionKind::ReadExclusive } else { TransactionKind::Read };
        if self.bus.is_split() {
            self.filling_frames.borrow_mut().push(frame);
        }
        let result = grant.run(kind, block_of(address), BLOCK_BYTES, &mut data).await;
        if self.bus.is_split() {
            self.filling_frames.borrow_mut().retain(|filling| *filling != frame);
        }
        let state = moesi::fill_state(kind, result.is_shared);
        if self.contents.cache.borrow_mut().fill(frame, address, state, &data) {
            self.cold_fills.borrow_mut().add(self.sim.now().ps(), 1);
        }
        true
    }
}

impl Agent for Contents {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> SnoopEffect {
        let mut cache = self.cache.borrow_mut();
        let Some((frame, state)) = cache.find(block) else { return SnoopEffect::NO_COPY };
        let snooped = moesi::snoop(state, kind);
        if snooped.supplies {
            *data = cache.block(frame);
        }
        cache.set_state(frame, snooped.next_state);
        if snooped.next_state == MoesiState::Invalid && self.watched_block.get() == block {
            self.watched_block_dropped.notify();
        }
        snooped
    }

    fn supply_time(&self) -> Time {
        self.supply_time
    }

    fn state(&self, block: Address) -> MoesiState {
        self.cache.borrow().state(block)
    }

    fn peek(&self, block: Address) -> Option<Block> {
        let cache = self.cache.borrow();
        // A shared copy is also current, and the owner's copy may be in flight to this cache.
        cache.find(block).map(|(frame, _)| cache.block(frame))
    }
}
