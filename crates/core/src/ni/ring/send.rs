//! The send side of the device: it fetches descriptors, reads frames, and passes them to the wire in order.

use super::completions::CompletionWriter;
use super::context::{DeviceContext, RingSide, read_bytes, submit_read};
use super::descriptor::RingDescriptor;
use super::fetch::FetchedRing;
use super::frame::FrameHeader;
use super::moderation::Moderation;
use super::parameters::wire_length;
use super::visibility::{CompletedFrames, PendingWrite, PendingWrites};
use crate::engine::{Class, FlowKey, Journey, Mailbox, NodeId, Pool, Time};
use crate::fabric::{Label, Packet};
use crate::host::DmaCompletion;
use crate::ni::dma_stages;
use crate::protocol::{Marks, Offer};
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// A frame that the device reads or sends.
struct IssuedFrame {
    source: FrameSource,
    position: u64,
    entries: u64,
    journey: Journey,
    marks: Marks,
    slot_start: Time,
}

/// The source of a frame's bytes.
enum FrameSource {
    /// A read from its buffer.
    Read(DmaCompletion),
    /// The ring.
    Inline(Vec<u8>),
}

/// The device's side of a send ring.
pub struct SendQueue {
    context: Rc<DeviceContext>,
    pub descriptors: Rc<FetchedRing>,
    completions: CompletionWriter,
    /// Number of completed entries.
    head: Cell<u64>,
    /// Journeys and marks of the frames that the driver has posted, in order.
    posted_frames: RefCell<VecDeque<(Journey, Marks)>>,
    /// Journeys of the frames that the driver has posted since its last doorbell.
    unannounced_journeys: RefCell<SmallVec<[Journey; 1]>>,
    /// Doorbells that the driver has begun to write: the start time, and the journeys of the announced frames.
    begun_doorbells: RefCell<VecDeque<(Time, SmallVec<[Journey; 1]>)>>,
    issued_frames: Mailbox<IssuedFrame>,
    /// Doorbells in the pipeline.
    delayed_doorbells: Mailbox<u32>,
    /// Slots for the frames that the device reads or holds.
    frame_slots: Rc<Pool>,
    completed_frames: Rc<CompletedFrames>,
    pending_writes: Rc<PendingWrites>,
    /// Total time for which frames held a slot.
    pub slot_time: Cell<Time>,
    /// Number of frames that were sent, and number of those whose bytes were in the ring itself.
    pub sent_frames: Cell<u64>,
    pub inline_frames: Cell<u64>,
}

impl SendQueue {
    /// Starts the send side of a queue.
    pub fn start(
        context: &Rc<DeviceContext>,
        name: &str,
        (descriptors, completions): (Rc<FetchedRing>, CompletionWriter),
        frame_slots: &Rc<Pool>,
        moderation: Option<Rc<Moderation>>,
        pending_writes: &Rc<PendingWrites>,
    ) -> Rc<SendQueue> {
        let sim = &context.sim;
        let queue = Rc::new(SendQueue {
            context: context.clone(),
            descriptors,
            completions,
            head: Cell::default(),
            posted_frames: RefCell::default(),
            unannounced_journeys: RefCell::default(),
            begun_doorbells: RefCell::default(),
            issued_frames: Mailbox::new(sim, format!("{name}: a frame to send")),
            delayed_doorbells: Mailbox::new(sim, format!("{name}: a doorbell of the send ring")),
            frame_slots: frame_slots.clone(),
            completed_frames: CompletedFrames::new(moderation),
            pending_writes: pending_writes.clone(),
            slot_time: Cell::default(),
            sent_frames: Cell::default(),
            inline_frames: Cell::default(),
        });
        let [doorbell_queue, issuing_queue, sending_queue] = [queue.clone(), queue.clone(), queue.clone()];
        sim.spawn_server(format!("{name} doorbells"), async move {
            loop {
                doorbell_queue.descriptors.set_tail(doorbell_queue.delayed_doorbells.receive().await);
            }
        });
        sim.spawn_server(format!("{name} payload reads"), async move { issuing_queue.issue_reads().await });
        sim.spawn_server(format!("{name} send"), async move { sending_queue.send_frames().await });
        queue
    }

    /// Records a frame that the driver has posted.
    pub fn post(&self, journey: &Journey, marks: Marks) {
        self.posted_frames.borrow_mut().push_back((journey.clone(), marks));
        if journey.has_ledger() {
            self.unannounced_journeys.borrow_mut().push(journey.clone());
        }
    }

    /// Records that the driver begins to write a doorbell for the posted frames.
    pub fn begin_doorbell(&self, now: Time) {
        self.begun_doorbells.borrow_mut().push_back((now, self.unannounced_journeys.take()));
    }

    /// Receives a doorbell, which takes effect after the device's pipeline.
    pub fn on_doorbell(&self, tail: u32) {
        let effect_time = self.context.sim.now() + self.context.parameters.pipeline;
        if let Some((doorbell_start, journeys)) = self.begun_doorbells.borrow_mut().pop_front() {
            journeys.iter().for_each(|journey| journey.add_service(doorbell_start, effect_time));
        }
        self.delayed_doorbells.send_at(effect_time, tail);
    }

    /// Returns the number of completed entries, as the head register shows it.
    pub fn head(&self) -> u64 {
        self.head.get()
    }

    /// Issues the reads of frames, in the order of the ring.
    async fn issue_reads(&self) {
        let context = &*self.context;
        let mut entry = Vec::new();
        loop {
            entry.clear();
            let request_time = self.descriptors.take(&mut entry).await;
            let position = self.descriptors.used_entries() - 1;
            let descriptor = RingDescriptor::decode(&entry);
            let (journey, marks) = self.posted_frames.borrow_mut().pop_front().expect("the tail counts posted frames");
            journey.close(dma_stages::DOORBELL.pattern, request_time);
            let mut entries = 1;
            if descriptor.is_inline {
                entry.clear();
                while entry.len() < descriptor.length as usize {
                    self.descriptors.take(&mut entry).await;
                    entries += 1;
                }
                entry.truncate(descriptor.length as usize);
            }
            let now = context.sim.now();
            journey.add_service(request_time, now);
            journey.close(dma_stages::DESCRIPTOR.pattern, now);
            self.frame_slots.acquire(1).await;
            let slot_start = context.sim.now();
            let source = match descriptor.is_inline {
                true => FrameSource::Inline(std::mem::take(&mut entry)),
                false => {
                    let (address, bytes) = (descriptor.address, u64::from(descriptor.length));
                    FrameSource::Read(submit_read(&*context.dma, address, bytes).await)
                }
            };
            self.issued_frames.send(IssuedFrame { source, position, entries, journey, marks, slot_start });
        }
    }

    /// Passes frames to the wire as their bytes arrive, in order.
    async fn send_frames(&self) {
        let context = &*self.context;
        loop {
            let IssuedFrame { source, position, entries, journey, marks, slot_start } =
                self.issued_frames.receive().await;
            let bytes = match source {
                FrameSource::Inline(bytes) => {
                    self.inline_frames.set(self.inline_frames.get() + 1);
                    bytes
                }
                FrameSource::Read(read) => {
                    let bytes = read_bytes(read).await;
                    journey.add_service(slot_start, context.sim.now());
                    journey.close(dma_stages::PAYLOAD_READ.pattern, context.sim.now());
                    bytes
                }
            };
            self.sent_frames.set(self.sent_frames.get() + 1);
            self.complete(position, position + entries).await;
            let slot = context.port.reserve(Class::REQUESTS).await;
            let to = NodeId(FrameHeader::decode(&bytes).to.0);
            let length = wire_length(bytes.len());
            let body = Packet::from_owned_bytes(Label::default(), journey, bytes);
            context
                .port
                .offer_and_wait(
                    slot,
                    Offer { to, flow: FlowKey(0), class: Class::REQUESTS, marks, bytes: length, body },
                )
                .await;
            self.slot_time.set(self.slot_time.get() + (context.sim.now() - slot_start));
            self.frame_slots.release(1);
        }
    }

    /// Completes the descriptor at `position`, whose frame is in the device. The head register advances only after the
    /// completion's write is submitted: the driver may then post a new descriptor, which the write must not overwrite.
    async fn complete(&self, position: u64, head: u64) {
        let context = &*self.context;
        if context.parameters.send.write_back_batch == 0 {
            self.head.set(head);
            return match &self.completed_frames.moderation {
                Some(moderation) => moderation.count_completions(RingSide::Send, 1),
                None => context.notify(RingSide::Send),
            };
        }
        let is_full = self.completions.add(position, 0);
        let is_idle = self.issued_frames.is_empty() && self.descriptors.is_empty();
        if !is_full && !is_idle {
            return;
        }
        for (address, bytes, frames) in self.completions.take_writes() {
            let write = context.submit_write(address, bytes.into()).await;
            context.write_back_count.set(context.write_back_count.get() + 1);
            self.pending_writes.add(PendingWrite::Sent(write, self.completed_frames.clone(), frames));
            if let Some(moderation) = self.completed_frames.moderation.as_ref().filter(|_| context.orders_writes) {
                moderation.count_completions(RingSide::Send, frames);
            }
        }
        self.head.set(head);
    }
}
