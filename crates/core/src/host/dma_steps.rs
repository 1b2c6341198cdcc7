//! The steps of a transfer, by which a port reports its beats of data to an engine.

use crate::engine::{Bytes, Rate, Time};
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::Poll;

/// Bytes that flow between an engine and memory at one rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataBeat {
    /// Offset of the first byte in the transfer.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: Bytes,
    /// Start of the service by buses and memory. It may precede the flow of the bytes.
    pub service_start: Time,
    /// Arrival of the first byte.
    pub from: Time,
    /// Arrival of the last byte.
    pub to: Time,
    /// Rate at which the bytes arrive.
    pub rate: Rate,
}

/// The largest number of stages of a transfer.
const STAGES_MAX: usize = 8;

/// The stages of a transfer, in their order, with the time that each took.
pub(super) type StageTimes = [Option<(&'static str, Time)>; STAGES_MAX];

/// The steps of a transfer: its set-up, and the beginning and the end of each beat. The transfer stops at each step
/// until its engine requests the next step.
#[derive(Default)]
pub struct DmaSteps {
    /// Step up to which the engine lets the transfer advance.
    pub(super) goal_step: Cell<u32>,
    pub(super) reached_step: Cell<u32>,
    /// Service time of the set-up.
    pub(super) set_up_time: Cell<Time>,
    pub(super) beat: Cell<Option<DataBeat>>,
    pub(super) data: RefCell<Vec<u8>>,
    /// Whether the bytes of all beats are collected until the end.
    pub(super) collects_bytes: Cell<bool>,
    pub(super) stages: Cell<StageTimes>,
}

impl DmaSteps {
    /// Reports that the transfer is set up, with the service time of the set-up. This is the first step of a transfer.
    pub async fn set_up(&self, service: Time) {
        self.set_up_time.set(service);
        self.end_step().await;
    }

    /// Reports that a beat of a read begins to flow, whose bytes are `data`. On return, `data` is a buffer that can be
    /// reused.
    pub async fn read_beat(&self, beat: DataBeat, data: &mut Vec<u8>) {
        if self.collects_bytes.get() {
            let mut collected = self.data.borrow_mut();
            match collected.is_empty() {
                true => std::mem::swap(data, &mut collected),
                false => collected.extend_from_slice(data),
            }
            return self.reached_step.set(self.reached_step.get() + 1);
        }
        std::mem::swap(data, &mut self.data.borrow_mut());
        self.beat.set(Some(beat));
        self.end_step().await;
        std::mem::swap(data, &mut self.data.borrow_mut());
    }

    /// Returns whether the engine waits for the end of the transfer only. The port need not report beats at the
    /// instants at which they flow.
    pub fn awaits_end(&self) -> bool {
        self.goal_step.get() == u32::MAX
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
        let step = self.reached_step.get() + 1;
        self.reached_step.set(step);
        poll_fn(|_| if self.goal_step.get() > step { Poll::Ready(()) } else { Poll::Pending }).await;
    }
}
