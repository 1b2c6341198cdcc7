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

/// A frame in the device.
struct SentFrame {
    source: FrameSource,
    position: u64,
    entries: u64,
    journey: Journey,
    marks: Marks,
    since: Time,
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
    /// Frames that the driver has posted, in order, with their records.
    posted: RefCell<VecDeque<(Journey, Marks)>>,
    /// Records of the frames that the driver has posted since its last doorbell.
    unrung: RefCell<SmallVec<[Journey; 1]>>,
    /// Doorbells that the driver has begun to write: the time, and the records of the frames that they announce.
    begun: RefCell<VecDeque<(Time, SmallVec<[Journey; 1]>)>>,
    issued: Mailbox<SentFrame>,
    /// Doorbells in the pipeline.
    doorbells: Mailbox<u32>,
    slots: Rc<Pool>,
    completed: Rc<CompletedFrames>,
    writes: Rc<PendingWrites>,
    /// Total time for which frames held a slot.
    pub held: Cell<Time>,
    /// Number of frames that were sent, and number of those whose bytes were in the ring itself.
    pub frames: Cell<u64>,
    pub inline_frames: Cell<u64>,
}

impl SendQueue {
    /// Starts the send side of a queue.
    pub fn start(
        context: &Rc<DeviceContext>,
        name: &str,
        (descriptors, completions): (Rc<FetchedRing>, CompletionWriter),
        slots: &Rc<Pool>,
        moderation: Option<Rc<Moderation>>,
        writes: &Rc<PendingWrites>,
    ) -> Rc<SendQueue> {
        let sim = &context.sim;
        let queue = Rc::new(SendQueue {
            context: context.clone(),
            descriptors,
            completions,
            head: Cell::default(),
            posted: RefCell::default(),
            unrung: RefCell::default(),
            begun: RefCell::default(),
            issued: Mailbox::new(sim, format!("{name}: a frame to send")),
            doorbells: Mailbox::new(sim, format!("{name}: a doorbell of the send ring")),
            slots: slots.clone(),
            completed: CompletedFrames::new(moderation),
            writes: writes.clone(),
            held: Cell::default(),
            frames: Cell::default(),
            inline_frames: Cell::default(),
        });
        let [rung, issuing, sending] = [queue.clone(), queue.clone(), queue.clone()];
        sim.spawn_server(format!("{name} doorbells"), async move {
            loop {
                rung.descriptors.ring(rung.doorbells.receive().await);
            }
        });
        sim.spawn_server(format!("{name} payload reads"), async move { issuing.issue().await });
        sim.spawn_server(format!("{name} send"), async move { sending.send().await });
        queue
    }

    /// Records a frame that the driver has posted.
    pub fn post(&self, journey: &Journey, marks: Marks) {
        self.posted.borrow_mut().push_back((journey.clone(), marks));
        if journey.has_ledger() {
            self.unrung.borrow_mut().push(journey.clone());
        }
    }

    /// Records that the driver begins to write a doorbell for the posted frames.
    pub fn begin_doorbell(&self, now: Time) {
        self.begun.borrow_mut().push_back((now, self.unrung.take()));
    }

    /// Receives a doorbell, which takes effect after the device's pipeline.
    pub fn ring(&self, tail: u32) {
        let effective = self.context.sim.now() + self.context.parameters.pipeline;
        if let Some((begun, journeys)) = self.begun.borrow_mut().pop_front() {
            journeys.iter().for_each(|journey| journey.add_service(begun, effective));
        }
        self.doorbells.send_at(effective, tail);
    }

    /// Returns the number of completed entries, as the head register shows it.
    pub fn head(&self) -> u64 {
        self.head.get()
    }

    /// Issues the reads of frames, in the order of the ring.
    async fn issue(&self) {
        let context = &*self.context;
        let mut entry = Vec::new();
        loop {
            entry.clear();
            let requested = self.descriptors.take(&mut entry).await;
            let position = self.descriptors.used() - 1;
            let descriptor = RingDescriptor::decode(&entry);
            let (journey, marks) = self.posted.borrow_mut().pop_front().expect("the tail counts posted frames");
            journey.close(dma_stages::DOORBELL.pattern, requested);
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
            journey.add_service(requested, now);
            journey.close(dma_stages::DESCRIPTOR.pattern, now);
            self.slots.acquire(1).await;
            let since = context.sim.now();
            let source = match descriptor.is_inline {
                true => FrameSource::Inline(std::mem::take(&mut entry)),
                false => {
                    let (address, bytes) = (descriptor.address, u64::from(descriptor.length));
                    FrameSource::Read(submit_read(&*context.dma, address, bytes).await)
                }
            };
            self.issued.send(SentFrame { source, position, entries, journey, marks, since });
        }
    }

    /// Passes frames to the wire as their bytes arrive, in order.
    async fn send(&self) {
        let context = &*self.context;
        loop {
            let SentFrame { source, position, entries, journey, marks, since } = self.issued.receive().await;
            let bytes = match source {
                FrameSource::Inline(bytes) => {
                    self.inline_frames.set(self.inline_frames.get() + 1);
                    bytes
                }
                FrameSource::Read(read) => {
                    let bytes = read_bytes(read).await;
                    journey.add_service(since, context.sim.now());
                    journey.close(dma_stages::PAYLOAD_READ.pattern, context.sim.now());
                    bytes
                }
            };
            self.frames.set(self.frames.get() + 1);
            self.complete(position, position + entries).await;
            let slot = context.port.reserve(Class::REQUESTS).await;
            let to = NodeId(FrameHeader::decode(&bytes).to.0);
            let length = wire_length(bytes.len());
            let body = Packet::from_owned_bytes(Label::default(), journey, bytes);
            context
                .port
                .pass(slot, Offer { to, flow: FlowKey(0), class: Class::REQUESTS, marks, bytes: length, body })
                .await;
            self.held.set(self.held.get() + (context.sim.now() - since));
            self.slots.release(1);
        }
    }

    /// Completes the descriptor at `position`, whose frame is in the device.
    /// The head register advances with the completion's write, which must not follow a new descriptor.
    async fn complete(&self, position: u64, head: u64) {
        let context = &*self.context;
        if context.parameters.send.write_back_batch == 0 {
            self.head.set(head);
            return match &self.completed.moderation {
                Some(moderation) => moderation.complete(RingSide::Send, 1),
                None => context.notify(RingSide::Send),
            };
        }
        let is_full = self.completions.add(position, 0);
        let is_idle = self.issued.is_empty() && self.descriptors.is_empty();
        if !is_full && !is_idle {
            return;
        }
        for (address, bytes, frames) in self.completions.take() {
            let write = context.submit_write(address, bytes.into()).await;
            context.write_backs.set(context.write_backs.get() + 1);
            self.writes.add(PendingWrite::Sent(write, self.completed.clone(), frames));
            if let Some(moderation) = self.completed.moderation.as_ref().filter(|_| context.orders_writes) {
                moderation.complete(RingSide::Send, frames);
            }
        }
        self.head.set(head);
    }
}
