//! A transfer of a device over a link: its beats, its end, and where its time went.
//!
//! The root complex adds beats and ends parts at instants that it knows. An engine that awaits the end alone waits for
//! the transfer itself ([`LinkTransfer::end`]); one that follows the beats has them reported to [`DmaSteps`]
//! ([`LinkTransfer::report`]).

use super::dma_steps::{DataBeat, DmaSteps};
use crate::engine::{Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The instants at which a request reached its stages.
#[derive(Clone, Copy, Default, Debug)]
pub(in crate::host) struct DmaStages {
    pub submitted: Time,
    /// The request has its credits and its tag.
    pub sent: Time,
    pub arrived: Time,
    pub translated: Time,
    /// All earlier writes are visible.
    pub accessed: Time,
    pub ready: Time,
    pub done: Time,
    /// The part of the time from the access to the data that is the same for all places.
    pub fixed: Time,
}

impl DmaStages {
    /// Returns the stages of a read with their times, which add up to its latency.
    pub fn of_read(&self) -> [(&'static str, Time); 7] {
        let access = self.ready.since(self.accessed);
        let fixed = self.fixed.min(access);
        [
            ("tags and credits", self.sent.since(self.submitted)),
            ("PCIe link up", self.arrived.since(self.sent)),
            ("IOMMU", self.translated.since(self.arrived)),
            ("ordering", self.accessed.since(self.translated)),
            ("root complex", fixed),
            ("LLC and memory", access - fixed),
            ("PCIe link down", self.done.since(self.ready)),
        ]
    }

    /// Returns the stages of a write with their times, which add up to the time until it is visible.
    pub fn of_write(&self) -> [(&'static str, Time); 5] {
        [
            ("tags and credits", self.sent.since(self.submitted)),
            ("PCIe link up", self.arrived.since(self.sent)),
            ("IOMMU", self.translated.since(self.arrived)),
            ("ordering", self.accessed.since(self.translated)),
            ("LLC and memory", self.done.since(self.accessed)),
        ]
    }
}

/// Beats with their bytes, in the order of their offsets.
type Beats = VecDeque<(DataBeat, Vec<u8>)>;

/// The transfers of a port. Each is used again after its end, with its signal and its queue of beats.
pub(in crate::host) struct LinkTransfers {
    sim: Sim,
    name: String,
    /// All transfers, beginning with the one that was not used for the longest time.
    transfers: RefCell<VecDeque<Rc<LinkTransfer>>>,
}

impl LinkTransfers {
    pub fn new(sim: &Sim, name: String) -> LinkTransfers {
        LinkTransfers { sim: sim.clone(), name, transfers: RefCell::default() }
    }

    /// Returns a transfer of `parts` parts.
    pub fn begin(&self, parts: usize, writes: bool) -> Rc<LinkTransfer> {
        let mut transfers = self.transfers.borrow_mut();
        let is_first_idle = transfers.front().is_some_and(|first| Rc::strong_count(first) == 1);
        let first = transfers.pop_front();
        let transfer = match first {
            Some(first) if is_first_idle => first,
            first => {
                transfers.extend(first);
                Rc::new(LinkTransfer::new(&self.sim, &self.name))
            }
        };
        transfer.begin(parts, writes);
        transfers.push_back(transfer.clone());
        transfer
    }
}

/// A transfer.
pub(in crate::host) struct LinkTransfer {
    sim: Sim,
    /// Notified when a beat flows, and when the transfer has ended.
    signal: Signal,
    writes: Cell<bool>,
    beats: RefCell<Beats>,
    /// Whether the engine waits for the end only.
    awaits_end: Cell<bool>,
    /// Offset of the next beat.
    offset: Cell<u64>,
    /// Number of parts that have not ended.
    parts: Cell<usize>,
    ended: Cell<Time>,
    stages: Cell<DmaStages>,
    /// Whether the end was awaited, so that the stages are final.
    has_ended: Cell<bool>,
}

impl LinkTransfer {
    fn new(sim: &Sim, name: &str) -> LinkTransfer {
        let (writes, beats, awaits_end, offset, parts, ended, stages, has_ended) = Default::default();
        let signal = Signal::new(sim, name);
        LinkTransfer { sim: sim.clone(), signal, writes, beats, awaits_end, offset, parts, ended, stages, has_ended }
    }

    /// Begins a transfer of `parts` parts, after the end of the previous one.
    fn begin(&self, parts: usize, writes: bool) {
        self.writes.set(writes);
        self.beats.borrow_mut().clear();
        self.awaits_end.set(false);
        self.offset.set(0);
        self.parts.set(parts);
        self.ended.set(Time::ZERO);
        self.has_ended.set(false);
    }

    /// Adds a beat, whose flow may begin later.
    pub fn add_beat(&self, beat: DataBeat, data: Vec<u8>) {
        let mut beats = self.beats.borrow_mut();
        match beats.back().is_none_or(|(last, _)| last.offset < beat.offset) {
            true => beats.push_back((beat, data)),
            false => {
                let at = beats.partition_point(|(other, _)| other.offset < beat.offset);
                beats.insert(at, (beat, data));
            }
        }
        match self.awaits_end.get() {
            false => self.signal.notify_at(beat.from.max(self.sim.now())),
            // A write ends later, when it is visible.
            true if self.writes.get() => {}
            true => self.signal.notify_at(beat.to.max(self.sim.now())),
        }
    }

    /// Ends a part at `done`.
    pub fn finish_part(&self, stages: &DmaStages, done: Time) {
        self.parts.set(self.parts.get() - 1);
        if done >= self.ended.get() {
            self.ended.set(done);
            self.stages.set(*stages);
        }
        if self.parts.get() == 0 && self.writes.get() {
            self.signal.notify();
        }
    }

    /// Takes the next beat, if it is known.
    fn next_beat(&self) -> Option<(DataBeat, Vec<u8>)> {
        let mut beats = self.beats.borrow_mut();
        let is_known = beats.front().is_some_and(|(beat, _)| beat.offset == self.offset.get());
        if is_known { beats.pop_front() } else { None }
    }

    /// Waits for the end of the transfer. Returns the bytes of a read if `collects` is true.
    pub async fn end(&self, collects: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            self.awaits_end.set(true);
            match self.next_beat() {
                Some((beat, data)) => {
                    if !self.writes.get() {
                        match bytes.is_empty() {
                            _ if !collects => {}
                            true => bytes = data,
                            false => bytes.extend_from_slice(&data),
                        }
                        self.sim.until(beat.to).await;
                    }
                    self.offset.set(beat.offset + beat.bytes.get());
                }
                None if self.parts.get() == 0 => break,
                None => _ = self.signal.wait().await,
            }
        }
        self.has_ended.set(true);
        bytes
    }

    /// Returns the stages of a transfer whose end was awaited, in their order, with the time that each took.
    pub fn stages(&self) -> Vec<(&'static str, Time)> {
        let stages = self.stages.get();
        match self.writes.get() {
            _ if !self.has_ended.get() => Vec::new(),
            true => stages.of_write().to_vec(),
            false => stages.of_read().to_vec(),
        }
    }

    /// Reports the transfer to its engine, until its end.
    pub async fn report(&self, steps: &DmaSteps) {
        let sim = &self.sim;
        steps.set_up(Time::ZERO).await;
        loop {
            self.awaits_end.set(steps.awaits_end());
            match self.next_beat() {
                Some((beat, _)) if self.writes.get() && steps.awaits_end() => {
                    self.offset.set(beat.offset + beat.bytes.get());
                }
                Some((beat, mut data)) => {
                    if !steps.awaits_end() {
                        sim.until(beat.from).await;
                    }
                    match self.writes.get() {
                        true => steps.write_beat(beat).await,
                        false => steps.read_beat(beat, &mut data).await,
                    }
                    sim.until(beat.to).await;
                    self.offset.set(beat.offset + beat.bytes.get());
                    steps.passed().await;
                }
                None if self.parts.get() == 0 => break,
                None => _ = self.signal.wait().await,
            }
        }
        let stages = self.stages.get();
        match self.writes.get() {
            true => steps.record_stages(&stages.of_write()),
            false => steps.record_stages(&stages.of_read()),
        }
    }
}
