//! A transfer of a device over a link: its beats, its end, and where its time went.
//!
//! A transfer has one or more parts, each of which crosses the link as one request. The root complex adds the beats of
//! a part and states the time at which the part ends, often ahead of the simulation. An engine that needs only the end
//! of the transfer waits with [`LinkTransfer::wait_for_end`]. For an engine that follows the beats,
//! [`LinkTransfer::report`] reports them to [`DmaSteps`].

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
    /// Portion of the time from the access to the data that is the same for data in the LLC and in memory.
    pub fixed_latency: Time,
}

impl DmaStages {
    /// Returns the stages of a read with their times, which add up to its latency.
    pub fn read_stages(&self) -> [(&'static str, Time); 7] {
        let access = self.ready.since(self.accessed);
        let root_complex_time = self.fixed_latency.min(access);
        [
            ("tags and credits", self.sent.since(self.submitted)),
            ("PCIe link up", self.arrived.since(self.sent)),
            ("IOMMU", self.translated.since(self.arrived)),
            ("ordering", self.accessed.since(self.translated)),
            ("root complex", root_complex_time),
            ("LLC and memory", access - root_complex_time),
            ("PCIe link down", self.done.since(self.ready)),
        ]
    }

    /// Returns the stages of a write with their times, which add up to the time until it is visible.
    pub fn write_stages(&self) -> [(&'static str, Time); 5] {
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

/// The transfers of a port. Each object is reused after the end of its transfer, with its signal and its queue of
/// beats.
pub(in crate::host) struct LinkTransfers {
    sim: Sim,
    name: String,
    /// All transfers, from the least to the most recently used.
    transfers: RefCell<VecDeque<Rc<LinkTransfer>>>,
}

impl LinkTransfers {
    pub fn new(sim: &Sim, name: String) -> LinkTransfers {
        LinkTransfers { sim: sim.clone(), name, transfers: RefCell::default() }
    }

    /// Begins a transfer of `part_count` parts, in an idle object if there is one. The transfer writes to memory if
    /// `is_write` is true.
    pub fn begin(&self, part_count: usize, is_write: bool) -> Rc<LinkTransfer> {
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
        transfer.begin(part_count, is_write);
        transfers.push_back(transfer.clone());
        transfer
    }
}

/// A transfer over a link, of one or more parts.
pub(in crate::host) struct LinkTransfer {
    sim: Sim,
    /// Notified when a beat flows, and when the transfer has ended.
    signal: Signal,
    is_write: Cell<bool>,
    beats: RefCell<Beats>,
    /// Whether the engine waits for the end only.
    awaits_end: Cell<bool>,
    /// Offset of the next beat.
    next_offset: Cell<u64>,
    /// Number of parts that have not ended.
    pending_parts: Cell<usize>,
    /// Latest end of a part.
    end_time: Cell<Time>,
    stages: Cell<DmaStages>,
    /// Whether the end was awaited, so that the stages are final.
    has_ended: Cell<bool>,
}

impl LinkTransfer {
    fn new(sim: &Sim, name: &str) -> LinkTransfer {
        let (is_write, beats, awaits_end, next_offset, pending_parts, end_time, stages, has_ended) = Default::default();
        let signal = Signal::new(sim, name);
        let sim = sim.clone();
        LinkTransfer {
            sim,
            signal,
            is_write,
            beats,
            awaits_end,
            next_offset,
            pending_parts,
            end_time,
            stages,
            has_ended,
        }
    }

    /// Begins a transfer of `part_count` parts, after the end of the previous one.
    fn begin(&self, part_count: usize, is_write: bool) {
        self.is_write.set(is_write);
        self.beats.borrow_mut().clear();
        self.awaits_end.set(false);
        self.next_offset.set(0);
        self.pending_parts.set(part_count);
        self.end_time.set(Time::ZERO);
        self.has_ended.set(false);
    }

    /// Adds a beat, whose flow may begin later.
    pub fn add_beat(&self, beat: DataBeat, data: Vec<u8>) {
        let mut beats = self.beats.borrow_mut();
        match beats.back().is_none_or(|(last, _)| last.offset < beat.offset) {
            true => beats.push_back((beat, data)),
            false => {
                let index = beats.partition_point(|(other, _)| other.offset < beat.offset);
                beats.insert(index, (beat, data));
            }
        }
        match self.awaits_end.get() {
            false => self.signal.notify_at(beat.from.max(self.sim.now())),
            // A write ends later, when it is visible.
            true if self.is_write.get() => {}
            true => self.signal.notify_at(beat.to.max(self.sim.now())),
        }
    }

    /// Ends a part at `done`.
    pub fn finish_part(&self, stages: &DmaStages, done: Time) {
        self.pending_parts.set(self.pending_parts.get() - 1);
        if done >= self.end_time.get() {
            self.end_time.set(done);
            self.stages.set(*stages);
        }
        if self.pending_parts.get() == 0 && self.is_write.get() {
            self.signal.notify();
        }
    }

    /// Removes and returns the beat at the next offset, if it has been added.
    fn next_beat(&self) -> Option<(DataBeat, Vec<u8>)> {
        let mut beats = self.beats.borrow_mut();
        let is_added = beats.front().is_some_and(|(beat, _)| beat.offset == self.next_offset.get());
        if is_added { beats.pop_front() } else { None }
    }

    /// Waits for the end of the transfer. Returns the bytes of a read if `collects_bytes` is true.
    pub async fn wait_for_end(&self, collects_bytes: bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            self.awaits_end.set(true);
            match self.next_beat() {
                Some((beat, data)) => {
                    if !self.is_write.get() {
                        match bytes.is_empty() {
                            _ if !collects_bytes => {}
                            true => bytes = data,
                            false => bytes.extend_from_slice(&data),
                        }
                        self.sim.until(beat.to).await;
                    }
                    self.next_offset.set(beat.offset + beat.bytes.get());
                }
                None if self.pending_parts.get() == 0 => break,
                None => _ = self.signal.wait().await,
            }
        }
        self.has_ended.set(true);
        bytes
    }

    /// Returns the stages of a transfer whose end was awaited, in their order, with the time that each took.
    pub fn stages(&self) -> Vec<(&'static str, Time)> {
        let stages = self.stages.get();
        match self.is_write.get() {
            _ if !self.has_ended.get() => Vec::new(),
            true => stages.write_stages().to_vec(),
            false => stages.read_stages().to_vec(),
        }
    }

    /// Reports the transfer to its engine, until its end.
    pub async fn report(&self, steps: &DmaSteps) {
        let sim = &self.sim;
        steps.set_up(Time::ZERO).await;
        loop {
            self.awaits_end.set(steps.awaits_end());
            match self.next_beat() {
                Some((beat, _)) if self.is_write.get() && steps.awaits_end() => {
                    self.next_offset.set(beat.offset + beat.bytes.get());
                }
                Some((beat, mut data)) => {
                    if !steps.awaits_end() {
                        sim.until(beat.from).await;
                    }
                    match self.is_write.get() {
                        true => steps.write_beat(beat).await,
                        false => steps.read_beat(beat, &mut data).await,
                    }
                    sim.until(beat.to).await;
                    self.next_offset.set(beat.offset + beat.bytes.get());
                    steps.passed().await;
                }
                None if self.pending_parts.get() == 0 => break,
                None => _ = self.signal.wait().await,
            }
        }
        let stages = self.stages.get();
        match self.is_write.get() {
            true => steps.record_stages(&stages.write_stages()),
            false => steps.record_stages(&stages.read_stages()),
        }
    }
}
