//! Writes of the device that are not visible in memory yet, and their announcement to the driver.
//!
//! A task waits for the writes in the order of their submission. It ends the stages of frames, frees the device's
//! buffers, and notifies the driver.

use super::context::{DeviceContext, RingSide};
use super::moderation::Moderation;
use crate::engine::{Journey, Mailbox, Time};
use crate::host::DmaCompletion;
use crate::ni::dma_stages;
use crate::ni::port::TakenPacket;
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// A write that was submitted.
pub enum PendingWrite {
    /// A frame that is written into its buffer, with the time at which the write began.
    Frame(DmaCompletion, TakenPacket, Time),
    /// Completions of received frames.
    Received(DmaCompletion, Rc<CompletedFrames>, SmallVec<[Journey; 1]>),
    /// Completions of sent frames: the number of frames.
    Sent(DmaCompletion, Rc<CompletedFrames>, u64),
}

/// The frames of a ring whose completions are visible, and the interrupts that announce them.
#[derive(Default)]
pub struct CompletedFrames {
    /// Number of frames whose completions are visible.
    pub visible_frames: Cell<u64>,
    /// Moderation of interrupts, if the driver takes interrupts.
    pub moderation: Option<Rc<Moderation>>,
}

impl CompletedFrames {
    /// Returns a ring without completed frames.
    pub fn new(moderation: Option<Rc<Moderation>>) -> Rc<CompletedFrames> {
        Rc::new(CompletedFrames { moderation, ..CompletedFrames::default() })
    }
}

/// The writes of the device that are not visible yet.
pub struct PendingWrites {
    context: Rc<DeviceContext>,
    submitted_writes: Mailbox<PendingWrite>,
}

impl PendingWrites {
    /// Starts the task that waits for writes.
    pub fn start(context: &Rc<DeviceContext>) -> Rc<PendingWrites> {
        let (sim, name) = (&context.sim, &context.name);
        let submitted_writes = Mailbox::new(sim, format!("{name}: a write of the interface"));
        let writes = Rc::new(PendingWrites { context: context.clone(), submitted_writes });
        let waiter = writes.clone();
        sim.spawn_server(format!("{name} visible writes"), async move { waiter.run().await });
        writes
    }

    /// Adds a write that was submitted after all earlier ones.
    pub fn add(&self, write: PendingWrite) {
        self.submitted_writes.send(write);
    }

    async fn run(&self) {
        loop {
            match self.submitted_writes.receive().await {
                PendingWrite::Frame(mut write, taken_packet, write_start) => {
                    write.done().await;
                    self.frame_written(taken_packet, write_start);
                }
                PendingWrite::Received(mut write, completed_frames, journeys) => {
                    write.done().await;
                    let now = self.context.sim.now();
                    journeys.iter().for_each(|journey| {
                        journey.add_service(Time::ZERO, now);
                        journey.close(dma_stages::COMPLETION.pattern, now);
                    });
                    self.announce(RingSide::Receive, &completed_frames, journeys.len() as u64);
                }
                PendingWrite::Sent(mut write, completed_frames, frames) => {
                    write.done().await;
                    self.announce(RingSide::Send, &completed_frames, frames);
                }
            }
        }
    }

    /// Ends the stage of a frame whose bytes are visible, and frees the device's buffer.
    pub fn frame_written(&self, taken_packet: TakenPacket, write_start: Time) {
        let context = &self.context;
        taken_packet.packet.journey.add_service(write_start, context.sim.now());
        taken_packet.packet.journey.close(dma_stages::PAYLOAD_WRITE.pattern, context.sim.now());
        context.port.release(taken_packet);
    }

    /// Announces visible completions to a polling driver. Raises interrupts only if the port does not order writes:
    /// otherwise the interrupt was submitted behind the writes.
    fn announce(&self, side: RingSide, completed_frames: &CompletedFrames, count: u64) {
        completed_frames.visible_frames.set(completed_frames.visible_frames.get() + count);
        match &completed_frames.moderation {
            None => self.context.notify(side),
            Some(moderation) if !self.context.orders_writes => moderation.count_completions(side, count),
            Some(_) => {}
        }
    }
}
