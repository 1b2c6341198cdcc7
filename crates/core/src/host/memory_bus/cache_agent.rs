//! A processor's cache as an agent on the bus. It snoops, supplies blocks, and fetches blocks after misses.
//!
//! Each task that fetches a block has one outstanding transaction. On a split bus, several tasks can fetch blocks at
//! the same time. If a replaced block is owned or modified, it is written back before the new one is fetched.
//! Parameters: [`CacheParameters`]. The module leaves out levels of caches, victim buffers and prefetching.

use super::agent::{Agent, AgentId, TransactionKind};
use super::bus::Bus;
use super::moesi::{self, MoesiState, SnoopEffect};
use super::parameters::CacheParameters;
use crate::engine::signal::SignalWait;
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
            let grant = match self.bus.try_acquire(self.id, address) {
                Some(grant) => grant,
                None => self.bus.acquire(self.id, address).await,
            };
            wait_time += grant.wait_time;
            let mut data = Block::ZERO;
            let step = match self.next_step(address, is_write, &mut data) {
                NextStep::Done => return None,
                NextStep::Wait(conflict) => {
                    drop(grant);
                    conflict.await;
                    continue;
                }
                NextStep::Transact(step) => step,
            };
            let result = match grant.start(step.kind, step.block, BLOCK_BYTES, &mut data) {
                Ok(result) => result,
                Err(transaction) => transaction.finish(&mut data).await,
            };
            if self.complete(step, address, result.is_shared, &data) {
                return Some(wait_time);
            }
        }
    }

    /// Returns the next step to make the block of `address` readable or writable. The state is read after the grant,
    /// because it may have changed since the miss. If the step writes a dirty block back, puts the block into `data`.
    fn next_step(&self, address: Address, is_write: bool, data: &mut Block) -> NextStep<'_> {
        let mut cache = self.contents.cache.borrow_mut();
        if let Some((frame, state)) = cache.find(address) {
            return match !is_write || state.writable() {
                true => NextStep::Done,
                false => {
                    NextStep::Transact(Step { kind: TransactionKind::Invalidate, block: block_of(address), frame })
                }
            };
        }
        let (frame, victim) = cache.victim(address);
        let is_dirty = victim.is_some_and(|(_, state)| state.owns());
        if self.bus.is_split() {
            let conflict = match victim {
                _ if self.filling_frames.borrow().contains(&frame) => Some(self.bus.next_end()),
                Some((victim, _)) if is_dirty => self.bus.conflict(victim),
                _ => None,
            };
            if let Some(conflict) = conflict {
                return NextStep::Wait(conflict);
            }
        }
        *data = cache.block(frame);
        // The block is invalidated now, so that no store hits it during the transaction.
        cache.set_state(frame, MoesiState::Invalid);
        drop(cache);
        if victim.is_some_and(|(victim, _)| victim == self.contents.watched_block.get()) {
            self.contents.watched_block_dropped.notify();
        }
        if let Some((block, _)) = victim.filter(|_| is_dirty) {
            return NextStep::Transact(Step { kind: TransactionKind::WriteBack, block, frame });
        }
        if self.bus.is_split() {
            self.filling_frames.borrow_mut().push(frame);
        }
        let kind = if is_write { TransactionKind::ReadExclusive } else { TransactionKind::Read };
        NextStep::Transact(Step { kind, block: block_of(address), frame })
    }

    /// Completes a transaction, whose data is in `data`. Returns whether the block of `address` has the requested
    /// state now. After a write-back, it has not.
    fn complete(&self, Step { kind, frame, .. }: Step, address: Address, is_shared: bool, data: &Block) -> bool {
        match kind {
            TransactionKind::WriteBack => return false,
            TransactionKind::Invalidate => {
                self.contents.cache.borrow_mut().set_state(frame, MoesiState::Modified);
            }
            _ => {
                if self.bus.is_split() {
                    self.filling_frames.borrow_mut().retain(|filling| *filling != frame);
                }
                let state = moesi::fill_state(kind, is_shared);
                if self.contents.cache.borrow_mut().fill(frame, address, state, data) {
                    self.cold_fills.borrow_mut().add(self.sim.now().ps(), 1);
                }
            }
        }
        if cfg!(debug_assertions) {
            self.bus.assert_single_writer(block_of(address));
        }
        true
    }
}

/// The next step of a task that needs a block.
enum NextStep<'a> {
    /// The block has the requested state.
    Done,
    /// Another task is filling the frame, or a transaction is moving the dirty block that would be replaced: the task
    /// waits for the end of a transaction, and then tries again.
    Wait(SignalWait<'a>),
    /// A transaction: a fetch of the block, an invalidation of other copies, or the write-back of the dirty block that
    /// would be replaced, after which the task tries again.
    Transact(Step),
}

/// A transaction on `block`, for the cache frame `frame`.
struct Step {
    kind: TransactionKind,
    block: Address,
    frame: BlockFrame,
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
