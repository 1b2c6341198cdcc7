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
    held: Acquire<'a>,
    /// The wait for a transaction on the same block.
    conflict: Option<SignalWait<'a>>,
}

impl<'a> AcquireBus<'a> {
    pub(super) fn new(bus: &'a Bus, requester: AgentId, block: Address) -> AcquireBus<'a> {
        let requested_at = bus.sim.now();
        AcquireBus { bus, requester, block, requested_at, held: bus.held.acquire(), conflict: None }
    }

    /// Waits for the end of the transaction on the same block, and then again for the bus.
    #[cold]
    fn poll_conflict(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(conflict) = &mut self.conflict {
            ready!(Pin::new(conflict).poll(context));
            self.conflict = None;
            self.held = self.bus.held.acquire();
        }
        Poll::Ready(())
    }
}

impl<'a> Future for AcquireBus<'a> {
    type Output = Granted<'a>;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Granted<'a>> {
        let held = loop {
            if self.conflict.is_some() {
                ready!(self.poll_conflict(context));
            }
            let held = ready!(Pin::new(&mut self.held).poll(context));
            self.conflict = self.bus.conflict(self.block);
            if self.conflict.is_none() {
                break held;
            }
        };
        let AcquireBus { bus, requester, requested_at, .. } = *self;
        let now = bus.sim.now();
        Poll::Ready(Granted { bus, requester, waited: now - requested_at, begins: now, held: Some(held) })
    }
}

/// The bus, granted to one agent for one transaction.
pub struct Granted<'a> {
    bus: &'a Bus,
    requester: AgentId,
    /// Time for which the agent waited for the bus.
    pub waited: Time,
    /// Earliest start of the transaction.
    begins: Time,
    /// The hold of the bus, until it is released.
    held: Option<ResourceHold<'a>>,
}

impl Granted<'_> {
    /// Delays the start of the transaction to `begins`. No other agent may request the bus before
    /// `begins`.
    pub(in crate::host::memory_bus) fn begin_at(self, begins: Time) -> Self {
        self.bus.held.exclude_hold_before(begins);
        Granted { begins, ..self }
    }

    /// Runs a transaction on `bytes` bytes at `address`, which are in one block.
    pub async fn run(
        self,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> TransactionResult {
        // The calls are written out here, so that no future contains another.
        let mut transaction = self.begin(kind, address, bytes, data);
        transaction.depart(data);
        if transaction.release < transaction.to {
            transaction.granted.bus.sim.until(transaction.release).await;
            transaction.granted.held = None;
        }
        transaction.granted.bus.sim.until(transaction.to).await;
        transaction.arrive(data)
    }
}

impl<'a> Granted<'a> {
    /// Begins a transaction on `bytes` bytes at `address`, which are in one block. If an agent supplies the block, it
    /// writes the block to `data` at once. Bytes to be written may be put into `data` until [`Transaction::finish`].
    #[inline(always)]
    pub fn begin(self, kind: TransactionKind, address: Address, bytes: usize, data: &mut Block) -> Transaction<'a> {
        let (bus, block) = (self.bus, block_of(address));
        let from = self.begins.max(bus.sim.now());
        debug_assert!(block_of(address + bytes.max(1) as u64 - 1) == block, "a transaction stays in one block");
        debug_assert!(!kind.is_word() || (1..=8).contains(&bytes), "an uncached access has 1 to 8 bytes");
        let (supplier, shared) = match kind {
            TransactionKind::ReadWord | TransactionKind::WriteWord | TransactionKind::WriteBack => (None, false),
            _ => bus.snoop(self.requester, kind, block, data),
        };
        let responder = supplier.or_else(|| (kind != TransactionKind::Invalidate).then(|| bus.home(address)));
        let access = bus.access_time(from, kind, supplier, responder, address);
        let access = access.max(bus.answer_time(self.requester, kind, block));
        let to = bus.end(from, kind, bytes, access);
        let release = bus.release((from, to), kind, bytes);
        bus.in_flight.add(block, to);
        Transaction { granted: self, kind, address, bytes, supplier, shared, responder, access, from, release, to }
    }
}

/// A transaction that has begun.
#[must_use = "a transaction ends only when it is finished"]
pub struct Transaction<'a> {
    granted: Granted<'a>,
    kind: TransactionKind,
    address: Address,
    bytes: usize,
    supplier: Option<AgentId>,
    shared: bool,
    /// The agent that supplies or takes the data.
    responder: Option<AgentId>,
    access: Time,
    /// Start of the transaction.
    pub from: Time,
    /// Time until which the transaction holds the bus.
    release: Time,
    /// End of the transaction.
    pub to: Time,
}

impl Transaction<'_> {
    /// Waits for the end of the transaction, whose data is in `data`.
    pub async fn finish(mut self, data: &mut Block) -> TransactionResult {
        self.depart(data);
        if self.release < self.to {
            self.granted.bus.sim.until(self.release).await;
            self.granted.held = None;
        }
        self.granted.bus.sim.until(self.to).await;
        self.arrive(data)
    }

    /// If the data of the transaction is known when it begins, puts the data on the bus.
    #[inline(always)]
    fn depart(&self, data: &Block) {
        let bus = self.granted.bus;
        if self.supplier.is_some() || self.kind.may_be_posted() && self.bytes == BLOCK_BYTES {
            bus.in_flight.set_data(block_of(self.address), data);
        }
    }

    /// Ends the transaction: the home reads or writes the data that no agent has supplied.
    #[inline(always)]
    fn arrive(self, data: &mut Block) -> TransactionResult {
        let Transaction { ref granted, kind, address, bytes, supplier, shared, responder, access, from, release, to } =
            self;
        let (bus, requester) = (granted.bus, granted.requester);
        bus.in_flight.remove(block_of(address));
        bus.account(kind, (requester, responder), access, (from, release, to));
        let settled = bus.settle(kind, responder, address);
        if let (None, Some(home)) = (supplier, responder) {
            let home = &bus.agents.borrow()[home.0];
            match kind.reads() {
                true => home.home_read(address, bytes, data),
                false => home.home_write(address, bytes, data),
            }
        }
        bus.record(kind, bytes, from, release);
        TransactionResult { shared, by: responder, settled }
    }
}
