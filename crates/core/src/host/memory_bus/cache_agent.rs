//! A processor's cache as an agent on the bus. It snoops, supplies blocks, and fetches blocks after misses.
//!
//! Each task that fetches a block has one outstanding transaction. On a split bus, several tasks can fetch blocks at
//! the same time. If a replaced block is owned or modified, it is written back before the new one is fetched.
//! Parameters: [`CacheParameters`]. The module leaves out levels of caches, victim buffers, prefetch.

use super::agent::{Agent, AgentId, TransactionKind};
use super::bus::{Bus, Granted};
use super::moesi::{self, Snooped, State};
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
    filling: RefCell<Vec<BlockFrame>>,
    /// The fills of frames that had never held a block, over time in picoseconds.
    cold_fills: RefCell<TimeSeries>,
}

/// The contents of a cache, as an agent that snoops.
pub struct Contents {
    cache: RefCell<Cache>,
    supply_time: Time,
    watched: Cell<Address>,
    watched_block_lost: Signal,
}

impl CacheAgent {
    /// Creates an empty cache and attaches it to `bus`.
    pub fn new(sim: &Sim, name: &str, bus: &Rc<Bus>, parameters: &CacheParameters) -> CacheAgent {
        let contents = Rc::new(Contents {
            cache: RefCell::new(Cache::new(parameters.size, parameters.ways)),
            supply_time: parameters.supply_time,
            watched: Cell::new(Address::MAX),
            watched_block_lost: Signal::new(sim, format!("{name}: a change of the polled block")),
        });
        let id = bus.attach(contents.clone(), None);
        CacheAgent {
            contents,
            bus: bus.clone(),
            id,
            sim: sim.clone(),
            filling: RefCell::default(),
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

    /// Returns the number of blocks that were fetched into frames that had never held one, from `from` to `to`.
    pub fn cold_fills(&self, from: Time, to: Time) -> u64 {
        self.cold_fills.borrow().count(from.ps(), to.ps())
    }

    /// Returns the signal that is notified when the watched block was invalidated or replaced.
    pub fn watched_block_lost(&self) -> &Signal {
        &self.contents.watched_block_lost
    }

    /// Watches the block of `address`. Returns the signal that is notified when it was invalidated or replaced. Only
    /// one block is watched at a time.
    pub fn watch(&self, address: Address) -> &Signal {
        self.contents.watched.set(block_of(address));
        &self.contents.watched_block_lost
    }

    /// Makes the block of `address` readable or, if `write` is true, writable. Returns the time for which it waited for
    /// the bus, or `None` if no transaction was needed.
    pub async fn obtain(&self, address: Address, write: bool) -> Option<Time> {
        let mut waited = Time::ZERO;
        loop {
            let granted = self.bus.acquire(self.id, address).await;
            waited += granted.waited;
            // The state is read after the grant, because it may have changed since the miss.
            let found = self.contents.cache.borrow().find(address);
            match found {
                Some((_, state)) if !write || state.writable() => return None,
                Some((place, _)) => {
                    granted
                        .run(TransactionKind::Invalidate, block_of(address), BLOCK_BYTES, &mut Block::ZERO.clone())
                        .await;
                    self.contents.cache.borrow_mut().set_state(place, State::Modified);
                }
                None if self.replace(address, granted, write).await => {}
                None => continue,
            }
            if cfg!(debug_assertions) {
                self.bus.assert_single_writer(block_of(address));
            }
            return Some(waited);
        }
    }

    /// Fetches the block and returns `true`. If the block would replace a dirty block, writes the dirty block back and
    /// returns `false`. If another task fills the frame, or a transaction moves the dirty block, waits for the end of
    /// that transaction and returns `false`. After `false` the caller tries again.
    async fn replace(&self, address: Address, granted: Granted<'_>, write: bool) -> bool {
        let (place, old) = self.contents.cache.borrow().victim(address);
        let is_dirty = old.is_some_and(|(_, state)| state.owns());
        let conflict = match old {
            _ if self.filling.borrow().contains(&place) => Some(self.bus.next_end()),
            Some((old, _)) if is_dirty => self.bus.conflict(old),
            _ => None,
        };
        if let Some(conflict) = conflict {
            drop(granted);
            conflict.await;
            return false;
        }
        let mut data = self.contents.cache.borrow().block(place);
        // The block is invalidated now, so that no store hits it during the transaction.
        self.contents.cache.borrow_mut().set_state(place, State::Invalid);
        if old.is_some_and(|(old, _)| old == self.contents.watched.get()) {
            self.contents.watched_block_lost.notify();
        }
        if let Some((old, _)) = old.filter(|_| is_dirty) {
            granted.run(TransactionKind::WriteBack, old, BLOCK_BYTES, &mut data).await;
            return false;
        }
        let kind = if write { TransactionKind::ReadExclusive } else { TransactionKind::Read };
        if self.bus.is_split() {
            self.filling.borrow_mut().push(place);
        }
        let done = granted.run(kind, block_of(address), BLOCK_BYTES, &mut data).await;
        if self.bus.is_split() {
            self.filling.borrow_mut().retain(|filling| *filling != place);
        }
        let state = moesi::filled(kind, done.shared);
        if self.contents.cache.borrow_mut().fill(place, address, state, &data) {
            self.cold_fills.borrow_mut().add(self.sim.now().ps(), 1);
        }
        true
    }
}

impl Agent for Contents {
    fn snoop(&self, kind: TransactionKind, block: Address, data: &mut Block) -> Snooped {
        let mut cache = self.cache.borrow_mut();
        let Some((place, state)) = cache.find(block) else { return Snooped::NOTHING };
        let snooped = moesi::snoop(state, kind);
        if snooped.supplies {
            *data = cache.block(place);
        }
        cache.set_state(place, snooped.next);
        if snooped.next == State::Invalid && self.watched.get() == block {
            self.watched_block_lost.notify();
        }
        snooped
    }

    fn supply_time(&self) -> Time {
        self.supply_time
    }

    fn state(&self, block: Address) -> State {
        self.cache.borrow().state(block)
    }

    fn peek(&self, block: Address) -> Option<Block> {
        let cache = self.cache.borrow();
        // A shared copy is also current, and the owner's copy may be in flight to this cache.
        cache.find(block).map(|(place, _)| cache.block(place))
    }
}
