//! The bus, granted to one agent for one transaction, and the wait for it.

use super::{Bus, Done};
use crate::engine::Time;
use crate::engine::resource::{Acquire, Held};
use crate::host::block::{Address, BLOCK_BYTES, Block, block_of};
use crate::host::memory_bus::agent::{AgentId, TransactionKind};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// The wait of [`Bus::acquire`].
#[must_use = "a wait waits only when awaited"]
pub struct AcquireBus<'a> {
    bus: &'a Bus,
    by: AgentId,
    asked: Time,
    held: Acquire<'a>,
}

impl<'a> AcquireBus<'a> {
    pub(super) fn new(bus: &'a Bus, by: AgentId) -> AcquireBus<'a> {
        AcquireBus { bus, by, asked: bus.sim.now(), held: bus.held.acquire() }
    }
}

impl<'a> Future for AcquireBus<'a> {
    type Output = Granted<'a>;
    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Granted<'a>> {
        let held = ready!(Pin::new(&mut self.held).poll(context));
        let AcquireBus { bus, by, asked, .. } = *self;
        let now = bus.sim.now();
        Poll::Ready(Granted { bus, by, waited: now - asked, begins: now, _held: held })
    }
}

/// The bus, granted to one agent for one transaction.
pub struct Granted<'a> {
    bus: &'a Bus,
    by: AgentId,
    /// How long the agent waited for it.
    pub waited: Time,
    /// Before then no transaction begins.
    begins: Time,
    _held: Held<'a>,
}

impl Granted<'_> {
    /// It is used only from an instant on; until then nobody else asks for it.
    pub(in crate::host::memory_bus) fn begin_at(self, begins: Time) -> Self {
        self.bus.held.holds_from(begins);
        Granted { begins, ..self }
    }

    /// Runs a transaction on `bytes` bytes at `address`, which lie in one block.
    pub fn run(
        self,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
    ) -> impl Future<Output = Done> {
        self.run_told(kind, address, bytes, data, |_, _, _| {})
    }

    /// Runs a transaction and tells when it begins and will end, and of the data, when it begins.
    pub async fn run_told(
        self,
        kind: TransactionKind,
        address: Address,
        bytes: usize,
        data: &mut Block,
        begins: impl FnOnce(Time, Time, &mut Block),
    ) -> Done {
        let (bus, block) = (self.bus, block_of(address));
        let start = self.begins.max(bus.sim.now());
        debug_assert!(block_of(address + bytes.max(1) as u64 - 1) == block, "a transaction stays in one block");
        debug_assert!(!kind.is_word() || (1..=8).contains(&bytes), "an uncached access has 1 to 8 bytes");
        let (supplier, shared) = match kind {
            TransactionKind::ReadWord | TransactionKind::WriteWord | TransactionKind::WriteBack => (None, false),
            _ => bus.snoop(self.by, kind, block, data),
        };
        let by = supplier.or_else(|| (kind != TransactionKind::Invalidate).then(|| bus.home(address)));
        let access = bus.access_time(start, kind, supplier, by, address);
        let end = bus.end(start, kind, bytes, access);
        begins(start, end, data);
        let carries = supplier.is_some() || kind.may_be_posted() && bytes == BLOCK_BYTES;
        if carries {
            bus.moved.set(*data);
            bus.under_way.set(Some(block));
        }
        bus.sim.until(end).await;
        bus.under_way.set(None);
        bus.account(kind, (self.by, by), access, (start, end));
        let settled = bus.settle(kind, by, address);
        if let (None, Some(home)) = (supplier, by) {
            let home = &bus.agents.borrow()[home.0];
            match kind.reads() {
                true => home.home_read(address, bytes, data),
                false => home.home_write(address, bytes, data),
            }
        }
        bus.record(kind, bytes, start, end);
        Done { shared, by, settled }
    }
}
