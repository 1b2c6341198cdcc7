//! The grant of the bus to one agent for one transaction, with the wait for the grant and the transaction itself.

use super::{Bus, TransactionResult};
use crate::engine::Time;
use crate::engine::resource::{Acquire, ResourceHold};
use crate::engine::signal::SignalWait;
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of};
use crate::host::memory_bus::agent::{AgentId, TransactionKind};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The future of [`Bus::acquire`].
#[must_use = "a request is granted only when awaited"]
pub struct AcquireBus<'a> {
    bus: &'a Bus,
    requester: AgentId,
    block: Address,
    requested_at: Time,
    request: Acquire<'a>,
    /// The wait for a transaction on the same block.
    conflict: Option<SignalWait<'a>>,
}

impl Bus {
    /// Grants the bus to `requester` for a transaction on the block of `address`, if the bus is free and no other
    /// transaction moves the block.
    #[inline]
    pub fn try_acquire(&self, requester: AgentId, address: Address) -> Option<BusGrant<'_>> {
        if self.is_split() && self.in_flight.moves(block_of(address)) {
            return None;
        }
        let (hold, now) = (self.resource.try_acquire()?, self.sim.now());
        Some(BusGrant { bus: self, requester, wait_time: Time::ZERO, earliest_start: now, hold })
    }

    /// Waits for the bus and runs one transaction.
    pub async fn transact(
        &self,
        requester: AgentId,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> TransactionResult {
        let grant = match self.try_acquire(requester, address) {
            Some(grant) => grant,
            None => self.acquire(requester, address).await,
        };
        match grant.start(kind, address, bytes, data) {
            Ok(result) => result,
            Err(transaction) => transaction.finish(data).await,
        }
    }
}

impl<'a> AcquireBus<'a> {
    pub(super) fn new(bus: &'a Bus, requester: AgentId, block: Address) -> AcquireBus<'a> {
        let requested_at = bus.sim.now();
        AcquireBus { bus, requester, block, requested_at, request: bus.resource.acquire(), conflict: None }
    }

    /// Waits for the end of the transaction on the same block, and then again for the bus.
    #[cold]
    fn poll_conflict(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(conflict) = &mut self.conflict {
            ready!(Pin::new(conflict).poll(context));
            self.conflict = None;
            self.request = self.bus.resource.acquire();
        }
        Poll::Ready(())
    }
}

impl<'a> Future for AcquireBus<'a> {
    type Output = BusGrant<'a>;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<BusGrant<'a>> {
        let hold = loop {
            if self.conflict.is_some() {
                ready!(self.poll_conflict(context));
            }
            let hold = ready!(Pin::new(&mut self.request).poll(context));
            self.conflict = self.bus.conflict(self.block);
            if self.conflict.is_none() {
                break hold;
            }
        };
        let AcquireBus { bus, requester, requested_at, .. } = *self;
        let now = bus.sim.now();
        Poll::Ready(BusGrant { bus, requester, wait_time: now - requested_at, earliest_start: now, hold })
    }
}

/// The bus, granted to one agent for one transaction.
pub struct BusGrant<'a> {
    bus: &'a Bus,
    requester: AgentId,
    /// Time for which the agent waited for the bus.
    pub wait_time: Time,
    earliest_start: Time,
    hold: ResourceHold<'a>,
}

impl BusGrant<'_> {
    /// Delays the start of the transaction to `start`. No other agent may request the bus before `start`.
    pub(in crate::host::memory_bus) fn begin_at(self, start: Time) -> Self {
        self.bus.resource.exclude_hold_before(start);
        BusGrant { earliest_start: start, ..self }
    }

    /// Runs a transaction on `bytes` bytes at `address`, which are in one block.
    pub async fn run(
        self,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> TransactionResult {
        match self.start(kind, address, bytes, data) {
            Ok(result) => result,
            Err(transaction) => transaction.finish(data).await,
        }
    }
}

impl<'a> BusGrant<'a> {
    /// Begins a transaction on `bytes` bytes at `address`, which are in one block. If no other task acts before the
    /// transaction ends, the clock advances to its end within the current event, and the result is returned. Otherwise
    /// returns the transaction, which the caller finishes at once.
    pub fn start(
        self,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> Result<TransactionResult, Transaction<'a>> {
        let mut transaction = self.begin_unseen(kind, address, bytes, data);
        let bus = transaction.bus;
        if transaction.try_advance_to_end() {
            // Nothing could observe the block during the transaction.
            bus.in_flight.transaction_ended().notify();
            return Ok(transaction.complete(data));
        }
        bus.in_flight.add(block_of(address), transaction.end);
        Err(transaction)
    }

    /// Begins a transaction on `bytes` bytes at `address`, which are in one block. If an agent supplies the block, it
    /// writes the block to `data` at once. Bytes to be written may be put into `data` until [`Transaction::finish`].
    #[inline]
    pub fn begin(self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) -> Transaction<'a> {
        let transaction = self.begin_unseen(kind, address, bytes, data);
        transaction.bus.in_flight.add(block_of(address), transaction.end);
        transaction
    }

    /// Begins a transaction, without adding it to the transactions in progress.
    #[inline(always)]
    fn begin_unseen(self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) -> Transaction<'a> {
        let BusGrant { bus, requester, earliest_start, hold, .. } = self;
        let (start, block) = (earliest_start.max(bus.sim.now()), block_of(address));
        debug_assert!(block_of(address + bytes.max(1) as u64 - 1) == block, "a transaction stays in one block");
        debug_assert!(!kind.is_word() || (1..=8).contains(&bytes), "an uncached access has 1 to 8 bytes");
        let (supplier, is_shared) = match kind {
            TransactionKind::ReadWord | TransactionKind::WriteWord | TransactionKind::WriteBack => (None, false),
            _ => bus.snoop(requester, kind, block, data),
        };
        let responder = supplier.or_else(|| (kind != TransactionKind::Invalidate).then(|| bus.home(address)));
        let access_time = bus.access_time(start, kind, supplier, responder, address);
        let access_time = access_time.max(bus.answer_time(requester, kind, block));
        let end = bus.transaction_end(start, kind, bytes, access_time);
        let release_time = bus.release_time((start, end), kind, bytes);
        Transaction {
            bus,
            requester,
            hold: Some(hold),
            kind,
            address,
            bytes,
            supplier,
            is_shared,
            responder,
            access_time,
            start,
            release_time,
            end,
        }
    }
}

/// A transaction that has begun.
#[must_use = "a transaction ends only when it is finished"]
pub struct Transaction<'a> {
    bus: &'a Bus,
    requester: AgentId,
    /// The hold of the bus; `None` after its release.
    hold: Option<ResourceHold<'a>>,
    kind: TransactionKind,
    address: Address,
    bytes: usize,
    supplier: Option<AgentId>,
    /// Whether another agent keeps a copy.
    is_shared: bool,
    /// The agent that supplies or receives the data.
    responder: Option<AgentId>,
    /// Time of the access at the responder.
    access_time: Time,
    /// Start of the transaction.
    pub start: Time,
    /// Time until which the transaction holds the bus.
    release_time: Time,
    /// End of the transaction.
    pub end: Time,
}

impl Transaction<'_> {
    /// Waits for the end of the transaction, whose data is in `data`.
    pub async fn finish(mut self, data: &mut Block) -> TransactionResult {
        self.publish_data(data);
        if self.hold.is_some() && self.release_time < self.end {
            self.bus.sim.until(self.release_time).await;
            self.hold = None;
        }
        self.bus.sim.until(self.end).await;
        self.bus.in_flight.remove(block_of(self.address));
        self.complete(data)
    }

    /// Advances the clock to the end of the transaction, if no other task acts before. Returns whether it was advanced.
    #[inline(always)]
    fn try_advance_to_end(&mut self) -> bool {
        let sim = &self.bus.sim;
        if self.release_time < self.end {
            if !sim.try_advance(self.release_time) {
                return false;
            }
            self.hold = None;
        }
        sim.try_advance(self.end)
    }

    /// Makes the data visible to [`Bus::peek`] during the transaction, if the data is known when the transaction
    /// begins.
    #[inline(always)]
    fn publish_data(&self, data: &Block) {
        let bus = self.bus;
        if self.supplier.is_some() || self.kind.may_be_posted() && self.bytes == BLOCK_BYTES {
            bus.in_flight.set_data(block_of(self.address), data);
        }
    }

    /// Ends the transaction. If no agent has supplied the data, the home reads or writes them.
    #[inline(always)]
    fn complete(self, data: &mut Block) -> TransactionResult {
        let Transaction {
            bus,
            requester,
            // The bus is held until this function returns.
            hold: _,
            kind,
            address,
            bytes,
            supplier,
            is_shared,
            responder,
            access_time,
            start,
            release_time,
            end,
        } = self;
        bus.account(kind, (requester, responder), access_time, (start, release_time, end));
        let completed_at = bus.finish_posted_write(kind, responder, address);
        if let (None, Some(home)) = (supplier, responder) {
            let home = &bus.agents.borrow()[home.0];
            match kind.is_read() {
                true => home.home_read(address, bytes, data),
                false => home.home_write(address, bytes, data),
            }
        }
        bus.record(kind, bytes, start, release_time);
        TransactionResult { is_shared, responder, completed_at }
    }
}
