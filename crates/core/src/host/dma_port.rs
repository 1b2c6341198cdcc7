//! The port by which an interface's engine accesses main memory: requests with tags, completions, and beats of data.
//!
//! [`DmaPort::submit`] returns at once. If no tag is free it returns [`NoFreeTag`]; the engine then waits for
//! [`DmaPort::freed`] and selects the most urgent transfer again. A [`DmaCompletion`] returns each beat of data when
//! the beat begins to flow, and an engine may forward the beat's first bytes before its last bytes have arrived.
//!
//! The author of a port writes a transfer as one async function, which reports its steps to [`DmaSteps`].

use super::block::Address;
use super::dma_steps::{DataBeat, DmaSteps};
use super::link_transfer::LinkTransfer;
use crate::engine::{Bytes, LocalFuture, Signal, Sim, Time};
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::rc::Rc;
use std::task::{Context, Poll};

/// An engine's access to main memory.
pub trait DmaPort {
    /// Submits a transfer and returns at once. The transfer advances while its completion is awaited; some ports
    /// advance it even when it is not awaited.
    ///
    /// # Errors
    ///
    /// Returns [`NoFreeTag`] if no tag is free.
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag>;

    /// Returns the signal that is notified when a tag is freed.
    fn freed(&self) -> &Signal;

    /// Returns the number of tags, which is the largest number of outstanding transfers.
    fn tags(&self) -> u32;

    /// Returns whether writes, and interrupts that are raised after them, become visible in the order of their
    /// submission, and whether transfers advance without being awaited. A device may then submit the write that
    /// announces data right after the data.
    fn orders_writes(&self) -> bool {
        false
    }
}

/// Submits `request` as soon as a tag is free. This suits an engine that has no other transfer to submit.
pub async fn submit_when_free(port: &dyn DmaPort, request: &DmaRequest) -> DmaCompletion {
    loop {
        match port.submit(request.clone()) {
            Ok(completion) => return completion,
            Err(NoFreeTag) => _ = port.freed().wait().await,
        }
    }
}

/// The error of a port that has no free tag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoFreeTag;

/// A transfer between an engine and main memory.
#[derive(Clone)]
pub struct DmaRequest {
    /// First address in main memory.
    pub address: Address,
    /// Operation on main memory.
    pub operation: DmaOperation,
}

/// The operation of a transfer.
#[derive(Clone)]
#[non_exhaustive]
pub enum DmaOperation {
    /// Reads this many bytes.
    Read(Bytes),
    /// Writes the bytes of a source.
    Write(DmaSource),
}

impl DmaOperation {
    /// Returns the number of bytes that the operation moves.
    pub fn bytes(&self) -> Bytes {
        match self {
            DmaOperation::Read(bytes) => *bytes,
            DmaOperation::Write(source) => source.bytes,
        }
    }
}

/// Loads bytes of an engine's memory, from an offset on.
type ByteLoader = Rc<dyn Fn(u64, &mut [u8])>;

/// The bytes of a write. They are loaded from the engine's memory when they begin to flow.
#[derive(Clone)]
pub struct DmaSource {
    bytes: Bytes,
    load: ByteLoader,
}

impl DmaSource {
    /// Creates a source of `bytes` bytes. `load` fills a slice with the bytes from an offset on.
    pub fn new(bytes: Bytes, load: impl Fn(u64, &mut [u8]) + 'static) -> DmaSource {
        DmaSource { bytes, load: Rc::new(load) }
    }

    /// Fills `into` with the bytes from `offset` on.
    pub fn load(&self, offset: u64, into: &mut [u8]) {
        (self.load)(offset, into);
    }
}

impl From<Vec<u8>> for DmaSource {
    fn from(bytes: Vec<u8>) -> DmaSource {
        DmaSource::new(Bytes(bytes.len() as u64), move |offset, into| {
            into.copy_from_slice(&bytes[offset as usize..offset as usize + into.len()]);
        })
    }
}

/// A transfer that was submitted. Dropping it abandons the bytes that have not been moved, unless the port advances
/// transfers that are not awaited.
#[must_use = "a transfer may advance only while its completion is awaited"]
pub struct DmaCompletion(CompletionKind);

/// The form in which an engine follows a transfer.
enum CompletionKind {
    /// A transfer whose steps the engine follows: its future, which is `None` after its end, and its steps.
    Steps(Option<LocalFuture<'static, ()>>, Rc<DmaSteps>),
    /// A transfer over a link, while the engine does not follow its steps. Waiting for its end needs no boxed future.
    Link(Rc<LinkTransfer>),
}

/// A transfer that an engine drives from step to step.
pub(crate) trait Transfer {
    /// Waits until the transfer is set up. Returns the service time of the set-up.
    async fn set_up(&mut self) -> Time;

    /// Waits until the next beat begins to flow, as [`DmaCompletion::next_beat`] describes.
    async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat>;

    /// Waits until the beat has passed, as [`DmaCompletion::beat_passed`] describes.
    async fn beat_passed(&mut self);

    /// Returns the time at which the beat passes, if it is known. The engine may then wait until this time and call
    /// [`end_beat`](Transfer::end_beat) instead of [`beat_passed`](Transfer::beat_passed), which saves a future.
    fn beat_end(&self) -> Option<Time> {
        None
    }

    /// Ends the beat at the time that [`beat_end`](Transfer::beat_end) returned.
    fn end_beat(&mut self) {}
}

/// An engine that drives transfers of any kind.
pub(crate) trait TransferEngine {
    /// Drives a transfer from its set-up to its end.
    async fn drive(&self, transfer: impl Transfer);
}

impl Transfer for DmaCompletion {
    async fn set_up(&mut self) -> Time {
        DmaCompletion::set_up(self).await
    }

    async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat> {
        DmaCompletion::next_beat(self, into).await
    }

    async fn beat_passed(&mut self) {
        DmaCompletion::beat_passed(self).await;
    }
}

impl DmaCompletion {
    /// Creates the completion of a transfer. The transfer reports its steps to the [`DmaSteps`] with which it is
    /// called.
    pub fn new<T: Future<Output = ()> + 'static>(transfer: impl FnOnce(Rc<DmaSteps>) -> T) -> DmaCompletion {
        let steps = Rc::<DmaSteps>::default();
        DmaCompletion(CompletionKind::Steps(Some(Box::pin(transfer(steps.clone()))), steps))
    }

    /// Creates the completion of a transfer over a link.
    pub(super) fn over_link(transfer: Rc<LinkTransfer>) -> DmaCompletion {
        DmaCompletion(CompletionKind::Link(transfer))
    }

    /// Follows the steps of the transfer from now on. Returns the future of the transfer, which is `None` after its
    /// end, and the steps.
    fn follow_steps(&mut self) -> (&mut Option<LocalFuture<'static, ()>>, &DmaSteps) {
        if let CompletionKind::Link(transfer) = &self.0 {
            let transfer = transfer.clone();
            *self = DmaCompletion::new(|steps| async move { transfer.report(&steps).await });
        }
        match &mut self.0 {
            CompletionKind::Steps(transfer, steps) => (transfer, steps),
            CompletionKind::Link(_) => unreachable!("the steps are followed"),
        }
    }

    fn steps(&mut self) -> &DmaSteps {
        self.follow_steps().1
    }

    /// Waits until the transfer is set up. Returns the service time of the set-up.
    pub async fn set_up(&mut self) -> Time {
        self.advance_to(1).await;
        self.steps().set_up_time.get()
    }

    /// Waits until the next beat begins to flow. Returns `None` if all beats have passed. `into` receives the bytes of
    /// a beat that reads, and becomes empty for a beat that writes.
    pub async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat> {
        // Each beat has two steps: an even step begins it, and the next step ends it.
        let first_step = (self.steps().reached_step.get() / 2 + 1) * 2;
        self.advance_to(first_step).await;
        let steps = self.steps();
        std::mem::swap(into, &mut steps.data.borrow_mut());
        steps.beat.take()
    }

    /// Waits until the last byte of the current beat has arrived and buses and memory are free for other transfers.
    pub async fn beat_passed(&mut self) {
        let last_step = self.steps().reached_step.get() | 1;
        self.advance_to(last_step).await;
    }

    /// Waits for the end of the transfer, after which written bytes are visible to others. The remaining beats are not
    /// returned.
    pub async fn done(&mut self) {
        match &self.0 {
            CompletionKind::Link(transfer) => _ = transfer.wait_for_end(false).await,
            CompletionKind::Steps(..) => self.advance_to(u32::MAX).await,
        }
    }

    /// Waits for the end of a read, and returns its bytes. No beat may have been awaited before.
    pub async fn read_to_end(&mut self) -> Vec<u8> {
        if let CompletionKind::Link(transfer) = &self.0 {
            return transfer.wait_for_end(true).await;
        }
        self.steps().collects_bytes.set(true);
        self.advance_to(u32::MAX).await;
        self.steps().data.take()
    }

    /// Returns the stages of a transfer that has ended, in their order, with the time that each took. They add up to
    /// the latency of the transfer. The list is empty if the port records none.
    pub fn stages(&self) -> Vec<(&'static str, Time)> {
        match &self.0 {
            CompletionKind::Steps(_, steps) => steps.stages.get().iter().flatten().copied().collect(),
            CompletionKind::Link(transfer) => transfer.stages(),
        }
    }

    async fn advance_to(&mut self, goal: u32) {
        self.steps().goal_step.set(goal);
        poll_fn(|context| self.poll_until(goal, context)).await;
    }

    fn poll_until(&mut self, goal: u32, context: &mut Context<'_>) -> Poll<()> {
        let (transfer, steps) = self.follow_steps();
        if steps.reached_step.get() >= goal {
            return Poll::Ready(());
        }
        let Some(future) = transfer else { return Poll::Ready(()) };
        if future.as_mut().poll(context).is_ready() {
            *transfer = None;
            return Poll::Ready(());
        }
        if steps.reached_step.get() >= goal { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// The tags of a port.
pub struct DmaTags {
    total: u32,
    free_count: Cell<u32>,
    freed: Signal,
}

/// A tag of a port; dropping it frees the tag.
pub struct DmaTag(Rc<DmaTags>);

impl DmaTags {
    /// Creates the tags of the port `name`. All of them are free.
    pub fn new(sim: &Sim, name: &str, total: u32) -> Rc<DmaTags> {
        Rc::new(DmaTags {
            total,
            free_count: Cell::new(total),
            freed: Signal::new(sim, format!("a free tag of {name}")),
        })
    }

    /// Takes a tag.
    ///
    /// # Errors
    ///
    /// Returns [`NoFreeTag`] if no tag is free.
    pub fn take(self: &Rc<DmaTags>) -> Result<DmaTag, NoFreeTag> {
        let remaining = self.free_count.get().checked_sub(1).ok_or(NoFreeTag)?;
        self.free_count.set(remaining);
        Ok(DmaTag(self.clone()))
    }

    /// Returns the number of tags, free or not.
    pub fn count(&self) -> u32 {
        self.total
    }

    /// Returns the signal that is notified when a tag is freed.
    pub fn freed(&self) -> &Signal {
        &self.freed
    }
}

impl Drop for DmaTag {
    fn drop(&mut self) {
        self.0.free_count.set(self.0.free_count.get() + 1);
        self.0.freed.notify();
    }
}
