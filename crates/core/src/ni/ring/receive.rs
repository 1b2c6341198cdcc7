//! The receive side of the device: it writes arriving frames into posted buffers, and announces them.

use super::completions::CompletionWriter;
use super::context::{DeviceContext, RingSide};
use super::descriptor::RingDescriptor;
use super::fetch::FetchedRing;
use super::frame::FrameHeader;
use super::moderation::Moderation;
use super::parameters::MissingBuffer;
use super::visibility::{CompletedFrames, PendingWrite, PendingWrites};
use crate::engine::{Bytes, Class, Journey, Mailbox, Pool, Resource, Signal, Time};
use crate::host::{DmaCompletion, DmaSource};
use crate::ni::port::TakenPacket;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The reason for which a frame without a receive buffer is dropped.
const NO_BUFFER: &str = "no receive buffer";

/// The device's side of a receive ring.
pub struct ReceiveQueue {
    pub descriptors: Rc<FetchedRing>,
    completions: CompletionWriter,
    /// Journeys of frames whose completions wait to be written.
    uncompleted: RefCell<Vec<Journey>>,
    /// Latest instant at which these completions are written.
    deadline: Cell<Time>,
    /// Number of frames in memory, as the head register shows it.
    head: Cell<u64>,
    /// Journeys of frames that the driver has not found yet.
    pub journeys: RefCell<VecDeque<Journey>>,
    /// Frames whose completions are visible.
    pub completed: Rc<CompletedFrames>,
}

impl ReceiveQueue {
    /// Creates the receive side of a queue.
    pub fn new(
        descriptors: Rc<FetchedRing>,
        completions: CompletionWriter,
        moderation: Option<Rc<Moderation>>,
    ) -> Rc<ReceiveQueue> {
        let deadline = Cell::new(Time::MAX);
        let (uncompleted, head, journeys) = Default::default();
        let completed = CompletedFrames::new(moderation);
        Rc::new(ReceiveQueue { descriptors, completions, uncompleted, deadline, head, journeys, completed })
    }

    /// Returns the number of frames in memory.
    pub fn head(&self) -> u64 {
        self.head.get()
    }

    /// Returns the number of frames whose completions are visible.
    pub fn visible(&self) -> u64 {
        self.completed.visible.get()
    }
}

/// A frame that was written to its buffer, or is being written.
struct WrittenFrame {
    write: DmaCompletion,
    taken: TakenPacket,
    since: Time,
    queue: usize,
    position: u64,
    length: u32,
}

/// The receive side of the device, which all queues share.
pub struct Receiver {
    context: Rc<DeviceContext>,
    queues: Vec<Rc<ReceiveQueue>>,
    /// The queue of each endpoint of the node.
    steering: Vec<usize>,
    /// Arrived frames in the device's pipeline.
    arrived: Mailbox<TakenPacket>,
    fifo: Pool,
    /// Frames that are being written, if the port does not order writes.
    unordered: Mailbox<WrittenFrame>,
    completion_due: Signal,
    /// Whether an arrived frame waits for a receive buffer, and all frames behind it wait too.
    is_held: Cell<bool>,
    /// The right to write completions.
    writing: Resource,
    writes: Rc<PendingWrites>,
    /// Number of frames that were dropped.
    pub dropped: Cell<u64>,
    /// Number of frames that waited for a receive buffer.
    pub waited: Cell<u64>,
}

impl Receiver {
    /// Starts the receive side.
    pub fn start(
        context: &Rc<DeviceContext>,
        queues: Vec<Rc<ReceiveQueue>>,
        steering: Vec<usize>,
        writes: &Rc<PendingWrites>,
        drop_frame: impl Fn(&'static str, &Journey) + 'static,
    ) -> Rc<Receiver> {
        let (sim, name) = (&context.sim, context.name.as_str());
        let receiver = Rc::new(Receiver {
            context: context.clone(),
            queues,
            steering,
            arrived: Mailbox::new(sim, format!("{name}: a frame from the wire")),
            fifo: Pool::new(sim, format!("a slot in the receive FIFO of {name}"), context.parameters.receive_fifo),
            unordered: Mailbox::new(sim, format!("{name}: a frame that is being written")),
            completion_due: Signal::new(sim, format!("{name}: completions to write")),
            is_held: Cell::default(),
            writing: Resource::new(sim, format!("{name}: a write of completions")),
            writes: writes.clone(),
            dropped: Cell::default(),
            waited: Cell::default(),
        });
        let [taking, placing, completing] = [receiver.clone(), receiver.clone(), receiver.clone()];
        sim.spawn_server(format!("{name} intake"), async move { taking.take().await });
        sim.spawn_server(format!("{name} payload writes"), async move { placing.place(drop_frame).await });
        if !context.orders_writes {
            sim.spawn_server(format!("{name} completions"), async move { completing.complete_unordered().await });
        }
        if context.parameters.receive.write_back_delay > Time::ZERO {
            let delayed = receiver.clone();
            sim.spawn_server(format!("{name} delayed completions"), async move { delayed.complete_delayed().await });
        }
        receiver
    }

    /// Takes frames from the wire as long as the FIFO has slots.
    async fn take(&self) {
        loop {
            self.fifo.acquire(1).await;
            let taken = self.context.port.take(Class::REQUESTS).await;
            let (now, processed) = (self.context.sim.now(), self.context.sim.now() + self.context.parameters.pipeline);
            taken.packet.journey.add_service(now, processed);
            self.arrived.send_at(processed, taken);
        }
    }

    /// Writes each frame into the next buffer of its queue.
    async fn place(&self, drop_frame: impl Fn(&'static str, &Journey)) {
        let context = &*self.context;
        let mut entry = Vec::new();
        loop {
            let taken = self.arrived.receive().await;
            let since = context.sim.now();
            let (to, length) = {
                let bytes = taken.packet.bytes();
                (FrameHeader::decode(&bytes).to, bytes.len())
            };
            let queue = self.steering[to.1 as usize];
            let ring = &self.queues[queue].descriptors;
            entry.clear();
            if ring.try_take(&mut entry).is_none() {
                // The driver posts no buffers before it has found all received frames. The frames that are being
                // written are left to `complete`.
                self.is_held.set(ring.is_empty());
                match self.is_held.get() {
                    true => self.write_all_completions().await,
                    false => self.write_completions(queue).await,
                }
                if context.parameters.missing_buffer == MissingBuffer::Drop && ring.is_empty() {
                    self.dropped.set(self.dropped.get() + 1);
                    drop_frame(NO_BUFFER, &taken.packet.journey);
                    context.port.release(taken);
                    self.fifo.release(1);
                    self.is_held.set(false);
                    continue;
                }
                self.waited.set(self.waited.get() + u64::from(ring.is_empty()));
                ring.take(&mut entry).await;
                self.is_held.set(false);
            }
            let position = ring.used() - 1;
            let packet = taken.packet.clone();
            let load = move |offset: u64, into: &mut [u8]| {
                into.copy_from_slice(&packet.bytes()[offset as usize..offset as usize + into.len()]);
            };
            let source = DmaSource::new(Bytes(length as u64), load);
            let write = context.submit_write(RingDescriptor::decode(&entry).address, source).await;
            let frame = WrittenFrame { write, taken, since, queue, position, length: length as u32 };
            match context.orders_writes {
                true => self.complete(frame).await,
                false => self.unordered.send(frame),
            }
        }
    }

    /// Completes frames when they are visible, since a completion might pass its frame.
    async fn complete_unordered(&self) {
        loop {
            let mut frame = self.unordered.receive().await;
            frame.write.done().await;
            self.complete(frame).await;
        }
    }

    /// Completes a frame: adds its completion to a batch, and writes the batch if it is full, or if no completion will
    /// follow because the device is idle or waits for a buffer.
    async fn complete(&self, WrittenFrame { write, taken, since, queue, position, length }: WrittenFrame) {
        let context = &*self.context;
        let ring = &self.queues[queue];
        let journey = taken.packet.journey.clone();
        match context.orders_writes {
            true => self.writes.add(PendingWrite::Frame(write, taken, since)),
            false => self.writes.frame_written(taken, since),
        }
        self.fifo.release(1);
        ring.head.set(position + 1);
        ring.uncompleted.borrow_mut().push(journey);
        let is_first = ring.completions.is_empty();
        let is_full = ring.completions.add(position, length);
        if is_full {
            return self.write_completions(queue).await;
        }
        let delay = context.parameters.receive.write_back_delay;
        let is_last = self.unordered.is_empty() && (self.arrived.is_empty() || self.is_held.get());
        // A frame may wait for a buffer that the driver posts only after it has found this frame.
        if is_last && (delay == Time::ZERO || self.is_held.get()) {
            return self.write_all_completions().await;
        }
        if is_first && delay > Time::ZERO {
            ring.deadline.set(context.sim.now() + delay);
            self.completion_due.notify();
        }
    }

    async fn write_all_completions(&self) {
        for queue in 0..self.queues.len() {
            self.write_completions(queue).await;
        }
    }

    /// Writes the waiting completions of a queue.
    async fn write_completions(&self, queue: usize) {
        let (context, ring) = (&*self.context, &self.queues[queue]);
        // Several tasks write completions, in several runs: completions become visible in the order of the ring.
        let _order = self.writing.acquire().await;
        ring.deadline.set(Time::MAX);
        for (address, bytes, frames) in ring.completions.take() {
            let journeys: SmallVec<[Journey; 1]> = ring.uncompleted.borrow_mut().drain(..frames as usize).collect();
            let write = context.submit_write(address, bytes.into()).await;
            context.write_backs.set(context.write_backs.get() + 1);
            ring.journeys.borrow_mut().extend(journeys.iter().cloned());
            self.writes.add(PendingWrite::Received(write, ring.completed.clone(), journeys));
            if let Some(moderation) = ring.completed.moderation.as_ref().filter(|_| context.orders_writes) {
                moderation.complete(RingSide::Receive, frames);
            }
        }
    }

    /// Writes completions that have waited for a whole batch.
    async fn complete_delayed(&self) {
        let sim = &self.context.sim;
        loop {
            let deadlines = self.queues.iter().map(|queue| queue.deadline.get());
            let next = deadlines.min().unwrap_or(Time::MAX);
            if next > sim.now() {
                self.completion_due.wait_until(next).await;
                continue;
            }
            for queue in 0..self.queues.len() {
                if self.queues[queue].deadline.get() <= sim.now() {
                    self.write_completions(queue).await;
                }
            }
        }
    }
}
