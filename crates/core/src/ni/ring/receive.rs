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
    uncompleted_journeys: RefCell<Vec<Journey>>,
    /// Latest instant at which the waiting completions are written.
    deadline: Cell<Time>,
    /// Number of frames in memory, as the head register shows it.
    head: Cell<u64>,
    /// Journeys of frames that the driver has not found yet.
    pub journeys: RefCell<VecDeque<Journey>>,
    /// Frames whose completions are visible.
    pub completed_frames: Rc<CompletedFrames>,
}

impl ReceiveQueue {
    /// Creates the receive side of a queue.
    pub fn new(
        descriptors: Rc<FetchedRing>,
        completions: CompletionWriter,
        moderation: Option<Rc<Moderation>>,
    ) -> Rc<ReceiveQueue> {
        let deadline = Cell::new(Time::MAX);
        let (uncompleted_journeys, head, journeys) = Default::default();
        let completed_frames = CompletedFrames::new(moderation);
        Rc::new(ReceiveQueue {
            descriptors,
            completions,
            uncompleted_journeys,
            deadline,
            head,
            journeys,
            completed_frames,
        })
    }

    /// Returns the number of frames in memory.
    pub fn head(&self) -> u64 {
        self.head.get()
    }

    /// Returns the number of frames whose completions are visible.
    pub fn visible_frames(&self) -> u64 {
        self.completed_frames.visible_frames.get()
    }
}

/// A frame that was written to its buffer, or is being written.
struct WrittenFrame {
    write: DmaCompletion,
    taken_packet: TakenPacket,
    write_start: Time,
    queue: usize,
    position: u64,
    length: u32,
}

/// The receive side of the device, which all queues share.
pub struct Receiver {
    context: Rc<DeviceContext>,
    queues: Vec<Rc<ReceiveQueue>>,
    /// The queue of each endpoint of the node.
    queue_of_endpoint: Vec<usize>,
    /// Arrived frames in the device's pipeline.
    arrived_frames: Mailbox<TakenPacket>,
    fifo_slots: Pool,
    /// Frames that are being written, if the port does not order writes.
    frames_being_written: Mailbox<WrittenFrame>,
    completion_due: Signal,
    /// Whether an arrived frame waits for a receive buffer, and all frames behind it wait too.
    waits_for_buffer: Cell<bool>,
    /// The right to write completions.
    completion_write_right: Resource,
    pending_writes: Rc<PendingWrites>,
    /// Number of frames that were dropped.
    pub dropped_frames: Cell<u64>,
    /// Number of frames that waited for a receive buffer.
    pub waited_frames: Cell<u64>,
}

impl Receiver {
    /// Starts the receive side.
    pub fn start(
        context: &Rc<DeviceContext>,
        queues: Vec<Rc<ReceiveQueue>>,
        queue_of_endpoint: Vec<usize>,
        pending_writes: &Rc<PendingWrites>,
        drop_frame: impl Fn(&'static str, &Journey) + 'static,
    ) -> Rc<Receiver> {
        let (sim, name) = (&context.sim, context.name.as_str());
        let receiver = Rc::new(Receiver {
            context: context.clone(),
            queues,
            queue_of_endpoint,
            arrived_frames: Mailbox::new(sim, format!("{name}: a frame from the wire")),
            fifo_slots: Pool::new(
                sim,
                format!("a slot in the receive FIFO of {name}"),
                context.parameters.receive_fifo,
            ),
            frames_being_written: Mailbox::new(sim, format!("{name}: a frame that is being written")),
            completion_due: Signal::new(sim, format!("{name}: completions to write")),
            waits_for_buffer: Cell::default(),
            completion_write_right: Resource::new(sim, format!("{name}: a write of completions")),
            pending_writes: pending_writes.clone(),
            dropped_frames: Cell::default(),
            waited_frames: Cell::default(),
        });
        let [intake, writer, completer] = [receiver.clone(), receiver.clone(), receiver.clone()];
        sim.spawn_server(format!("{name} intake"), async move { intake.take_frames().await });
        sim.spawn_server(format!("{name} payload writes"), async move { writer.write_frames(drop_frame).await });
        if !context.orders_writes {
            sim.spawn_server(format!("{name} completions"), async move { completer.complete_unordered().await });
        }
        if context.parameters.receive.write_back_delay > Time::ZERO {
            let delayed = receiver.clone();
            sim.spawn_server(format!("{name} delayed completions"), async move { delayed.complete_delayed().await });
        }
        receiver
    }

    /// Takes frames from the wire as long as the FIFO has slots.
    async fn take_frames(&self) {
        loop {
            self.fifo_slots.acquire(1).await;
            let taken_packet = self.context.port.take(Class::REQUESTS).await;
            let (now, processed_at) =
                (self.context.sim.now(), self.context.sim.now() + self.context.parameters.pipeline);
            taken_packet.packet.journey.add_service(now, processed_at);
            self.arrived_frames.send_at(processed_at, taken_packet);
        }
    }

    /// Writes each frame into the next buffer of its queue.
    async fn write_frames(&self, drop_frame: impl Fn(&'static str, &Journey)) {
        let context = &*self.context;
        let mut entry = Vec::new();
        loop {
            let taken_packet = self.arrived_frames.receive().await;
            let write_start = context.sim.now();
            let (to, length) = {
                let bytes = taken_packet.packet.bytes();
                (FrameHeader::decode(&bytes).to, bytes.len())
            };
            let queue = self.queue_of_endpoint[to.1 as usize];
            let ring = &self.queues[queue].descriptors;
            entry.clear();
            if ring.try_take(&mut entry).is_none() {
                // The driver posts no buffers before it has found all received frames. For frames that are still being
                // written, `complete` writes the completions.
                self.waits_for_buffer.set(ring.is_empty());
                match self.waits_for_buffer.get() {
                    true => self.write_all_completions().await,
                    false => self.write_completions(queue).await,
                }
                if context.parameters.missing_buffer == MissingBuffer::Drop && ring.is_empty() {
                    self.dropped_frames.set(self.dropped_frames.get() + 1);
                    drop_frame(NO_BUFFER, &taken_packet.packet.journey);
                    context.port.release(taken_packet);
                    self.fifo_slots.release(1);
                    self.waits_for_buffer.set(false);
                    continue;
                }
                self.waited_frames.set(self.waited_frames.get() + u64::from(ring.is_empty()));
                ring.take(&mut entry).await;
                self.waits_for_buffer.set(false);
            }
            let position = ring.used_entries() - 1;
            let packet = taken_packet.packet.clone();
            let load = move |offset: u64, into: &mut [u8]| {
                into.copy_from_slice(&packet.bytes()[offset as usize..offset as usize + into.len()]);
            };
            let source = DmaSource::new(Bytes(length as u64), load);
            let write = context.submit_write(RingDescriptor::decode(&entry).address, source).await;
            let frame = WrittenFrame { write, taken_packet, write_start, queue, position, length: length as u32 };
            match context.orders_writes {
                true => self.complete(frame).await,
                false => self.frames_being_written.send(frame),
            }
        }
    }

    /// Completes each frame when the frame is visible, since its completion might otherwise become visible earlier.
    async fn complete_unordered(&self) {
        loop {
            let mut frame = self.frames_being_written.receive().await;
            frame.write.done().await;
            self.complete(frame).await;
        }
    }

    /// Completes a frame: adds its completion to a batch, and writes the batch if it is full, or if no completion will
    /// follow because the device is idle or waits for a buffer.
    async fn complete(&self, WrittenFrame { write, taken_packet, write_start, queue, position, length }: WrittenFrame) {
        let context = &*self.context;
        let ring = &self.queues[queue];
        let journey = taken_packet.packet.journey.clone();
        match context.orders_writes {
            true => self.pending_writes.add(PendingWrite::Frame(write, taken_packet, write_start)),
            false => self.pending_writes.frame_written(taken_packet, write_start),
        }
        self.fifo_slots.release(1);
        ring.head.set(position + 1);
        ring.uncompleted_journeys.borrow_mut().push(journey);
        let is_first = ring.completions.is_empty();
        let is_full = ring.completions.add(position, length);
        if is_full {
            return self.write_completions(queue).await;
        }
        let delay = context.parameters.receive.write_back_delay;
        let is_last =
            self.frames_being_written.is_empty() && (self.arrived_frames.is_empty() || self.waits_for_buffer.get());
        // A frame may wait for a buffer that the driver posts only after it has found this frame.
        if is_last && (delay == Time::ZERO || self.waits_for_buffer.get()) {
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
        let _order = self.completion_write_right.acquire().await;
        ring.deadline.set(Time::MAX);
        for (address, bytes, frames) in ring.completions.take_writes() {
            let journeys: SmallVec<[Journey; 1]> =
                ring.uncompleted_journeys.borrow_mut().drain(..frames as usize).collect();
            let write = context.submit_write(address, bytes.into()).await;
            context.write_back_count.set(context.write_back_count.get() + 1);
            ring.journeys.borrow_mut().extend(journeys.iter().cloned());
            self.pending_writes.add(PendingWrite::Received(write, ring.completed_frames.clone(), journeys));
            if let Some(moderation) = ring.completed_frames.moderation.as_ref().filter(|_| context.orders_writes) {
                moderation.count_completions(RingSide::Receive, frames);
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
