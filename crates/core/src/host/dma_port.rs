//! The port by which an interface's engine accesses main memory: requests with tags, completions, and beats of data.
//!
//! [`DmaPort::submit`] returns at once. If no tag is free it returns [`NoFreeTag`]; the engine then waits for
//! [`DmaPort::freed`] and selects the most urgent transfer again. A [`DmaCompletion`] returns each beat of data when
//! the beat begins to flow, and an engine may forward its first bytes before the last have arrived.
//!
//! The author of a port writes a transfer as one async function, which reports its steps to [`DmaSteps`].

use super::block::Address;
use crate::engine::{Bytes, LocalFuture, Rate, Signal, Sim, Time};
use std::cell::{Cell, RefCell};
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

/// Bytes that flow between an engine and memory at one rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataBeat {
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: Bytes,
    /// Start of the service by buses and memory. It may precede the flow of the bytes.
    pub began: Time,
    /// Arrival of the first byte.
    pub from: Time,
    /// Arrival of the last byte.
    pub to: Time,
    /// Rate at which the bytes arrive.
    pub rate: Rate,
}

/// A transfer that was submitted. Dropping it abandons the bytes that have not been moved, unless the port advances
/// transfers that are not awaited.
#[must_use = "a transfer may advance only while its completion is awaited"]
pub struct DmaCompletion {
    steps: Rc<DmaSteps>,
    /// The transfer, until its end.
    transfer: Option<LocalFuture<'static, ()>>,
}

/// A transfer that an engine drives from step to step.
pub(crate) trait Transfer {
    /// Waits until the transfer is set up. Returns the service time of the set-up.
    async fn set_up(&mut self) -> Time;

    /// Waits until the next beat begins to flow, as [`DmaCompletion::next_beat`] describes.
    async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat>;

    /// Waits until the beat has passed, as [`DmaCompletion::beat_passed`] describes.
    async fn beat_passed(&mut self);
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
        DmaCompletion { transfer: Some(Box::pin(transfer(steps.clone()))), steps }
    }

    /// Waits until the transfer is set up. Returns the service time of the set-up.
    pub async fn set_up(&mut self) -> Time {
        self.advance_to(1).await;
        self.steps.set_up.get()
    }

    /// Waits until the next beat begins to flow. Returns `None` if all beats have passed. `into` receives the bytes of
    /// a beat that reads, and becomes empty for a beat that writes.
    pub async fn next_beat(&mut self, into: &mut Vec<u8>) -> Option<DataBeat> {
        // Each beat has two steps: it begins with an even one and ends with the next.
        self.advance_to((self.steps.reached.get() / 2 + 1) * 2).await;
        std::mem::swap(into, &mut self.steps.data.borrow_mut());
        self.steps.beat.take()
    }

    /// Waits until the last byte of the current beat has arrived and buses and memory are free for other transfers.
    pub async fn beat_passed(&mut self) {
        self.advance_to(self.steps.reached.get() | 1).await;
    }

    /// Waits for the end of the transfer, after which written bytes are visible to others. The remaining beats are not
    /// returned.
    pub async fn done(&mut self) {
        self.advance_to(u32::MAX).await;
    }

    /// Waits for the end of a read, and returns its bytes. No beat may have been awaited before.
    pub async fn read_to_end(&mut self) -> Vec<u8> {
        self.steps.collects.set(true);
        self.advance_to(u32::MAX).await;
        self.steps.data.take()
    }

    /// Returns the stages of a transfer that has ended, in their order, with the time that each took. They add up to the
    /// latency of the transfer. The list is empty if the port records none.
    pub fn stages(&self) -> Vec<(&'static str, Time)> {
        self.steps.stages.get().iter().flatten().copied().collect()
    }

    async fn advance_to(&mut self, goal: u32) {
        self.steps.goal.set(goal);
        poll_fn(|context| self.poll_until(goal, context)).await;
    }

    fn poll_until(&mut self, goal: u32, context: &mut Context<'_>) -> Poll<()> {
        if self.steps.reached.get() >= goal {
            return Poll::Ready(());
        }
        let Some(transfer) = &mut self.transfer else { return Poll::Ready(()) };
        if transfer.as_mut().poll(context).is_ready() {
            self.transfer = None;
            return Poll::Ready(());
        }
        if self.steps.reached.get() >= goal { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// The largest number of stages of a transfer.
const STAGES_MAX: usize = 8;

/// The stages of a transfer, in their order, with the time that each took.
type StageTimes = [Option<(&'static str, Time)>; STAGES_MAX];

/// The steps of a transfer: its set-up, and the beginning and the end of each beat. The transfer stops at each step
/// until its engine requests the next step.
#[derive(Default)]
pub struct DmaSteps {
    /// Step up to which the engine lets the transfer advance.
    goal: Cell<u32>,
    reached: Cell<u32>,
    set_up: Cell<Time>,
    beat: Cell<Option<DataBeat>>,
    data: RefCell<Vec<u8>>,
    /// Whether the bytes of all beats are collected until the end.
    collects: Cell<bool>,
    stages: Cell<StageTimes>,
}

impl DmaSteps {
    /// Reports that the transfer is set up, with the service time of the set-up. This is the first step of a transfer.
    pub async fn set_up(&self, service: Time) {
        self.set_up.set(service);
        self.end_step().await;
    }

    /// Reports that a beat of a read begins to flow, whose bytes are `data`. On return, `data` is a buffer that can be
    /// reused.
    pub async fn read_beat(&self, beat: DataBeat, data: &mut Vec<u8>) {
        if self.collects.get() {
            let mut all = self.data.borrow_mut();
            match all.is_empty() {
                true => std::mem::swap(data, &mut all),
                false => all.extend_from_slice(data),
            }
            return self.reached.set(self.reached.get() + 1);
        }
        std::mem::swap(data, &mut self.data.borrow_mut());
        self.beat.set(Some(beat));
        self.end_step().await;
        std::mem::swap(data, &mut self.data.borrow_mut());
    }

    /// Returns whether the engine waits for the end of the transfer only. The port need not report beats at the instants
    /// at which they flow.
    pub fn awaits_end(&self) -> bool {
        self.goal.get() == u32::MAX
    }

    /// Reports that a beat of a write begins to flow.
    pub async fn write_beat(&self, beat: DataBeat) {
        self.data.borrow_mut().clear();
        self.beat.set(Some(beat));
        self.end_step().await;
    }

    /// Reports that the beat has passed.
    pub async fn passed(&self) {
        self.beat.set(None);
        self.end_step().await;
    }

    /// Records the stages of the transfer at its end, in their order, with the time that each took. The times add up to
    /// the time from the submission to the end.
    ///
    /// # Panics
    ///
    /// Panics if there are more than eight stages.
    pub fn record_stages(&self, stages: &[(&'static str, Time)]) {
        assert!(stages.len() <= STAGES_MAX, "a transfer has at most {STAGES_MAX} stages");
        self.stages.set(std::array::from_fn(|stage| stages.get(stage).copied()));
    }

    async fn end_step(&self) {
        let step = self.reached.get() + 1;
        self.reached.set(step);
        poll_fn(|_| if self.goal.get() > step { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}

/// The tags of a port.
pub struct DmaTags {
    all: u32,
    free: Cell<u32>,
    freed: Signal,
}

/// A tag of a port; dropping it frees the tag.
pub struct DmaTag(Rc<DmaTags>);

impl DmaTags {
    /// Creates the tags of the port `name`. All of them are free.
    pub fn new(sim: &Sim, name: &str, all: u32) -> Rc<DmaTags> {
        Rc::new(DmaTags { all, free: Cell::new(all), freed: Signal::new(sim, format!("a free tag of {name}")) })
    }

    /// Takes a tag.
    ///
    /// # Errors
    ///
    /// Returns [`NoFreeTag`] if no tag is free.
    pub fn take(self: &Rc<DmaTags>) -> Result<DmaTag, NoFreeTag> {
        let left = self.free.get().checked_sub(1).ok_or(NoFreeTag)?;
        self.free.set(left);
        Ok(DmaTag(self.clone()))
    }

    /// Returns the number of tags, free or not.
    pub fn count(&self) -> u32 {
        self.all
    }

    /// Returns the signal that is notified when a tag is freed.
    pub fn freed(&self) -> &Signal {
        &self.freed
    }
}

impl Drop for DmaTag {
    fn drop(&mut self) {
        self.0.free.set(self.0.free.get() + 1);
        self.0.freed.notify();
    }
}
