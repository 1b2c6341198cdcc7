//! A transfer of the device: its beats, its end, and where its time went.

use crate::engine::{Signal, Sim, Time};
use crate::host::dma_port::{DataBeat, DmaSteps};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The instants at which a request reached its stages.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct DmaStages {
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

/// Signals and queues of beats that transfers use one after the other.
pub(super) struct SignalPool {
    sim: Sim,
    name: String,
    idle: RefCell<Vec<(Signal, Beats)>>,
}

impl SignalPool {
    pub fn new(sim: &Sim, name: String) -> Rc<SignalPool> {
        Rc::new(SignalPool { sim: sim.clone(), name, idle: RefCell::default() })
    }
}

/// A transfer.
pub(super) struct Transfer {
    pool: Rc<SignalPool>,
    /// Notified when a beat flows, and when the transfer has ended.
    signal: Option<Signal>,
    writes: bool,
    beats: RefCell<Beats>,
    /// Whether the engine waits for the end only.
    awaits_end: Cell<bool>,
    /// Offset of the next beat.
    offset: Cell<u64>,
    /// Number of parts that have not ended.
    parts: Cell<usize>,
    ended: Cell<Time>,
    stages: Cell<DmaStages>,
}

impl Transfer {
    /// Creates a transfer of `parts` parts.
    pub fn new(pool: &Rc<SignalPool>, parts: usize, writes: bool) -> Rc<Transfer> {
        let idle = pool.idle.borrow_mut().pop();
        let (signal, beats) = idle.unwrap_or_else(|| (Signal::new(&pool.sim, pool.name.as_str()), Beats::default()));
        let (signal, beats) = (Some(signal), RefCell::new(beats));
        let (awaits_end, offset, ended, stages) = Default::default();
        let (pool, parts) = (pool.clone(), Cell::new(parts));
        Rc::new(Transfer { pool, signal, writes, beats, awaits_end, offset, parts, ended, stages })
    }

    fn signal(&self) -> &Signal {
        self.signal.as_ref().expect("a transfer has a signal until it is dropped")
    }

    /// Adds a beat, whose flow may begin later.
    pub fn add_beat(&self, beat: DataBeat, data: Vec<u8>) {
        let mut beats = self.beats.borrow_mut();
        let at = beats.partition_point(|(other, _)| other.offset < beat.offset);
        beats.insert(at, (beat, data));
        match self.awaits_end.get() {
            false => self.signal().notify_at(beat.from.max(self.pool.sim.now())),
            // A write ends later, when it is visible.
            true if self.writes => {}
            true => self.signal().notify_at(beat.to.max(self.pool.sim.now())),
        }
    }

    /// Ends a part at `done`.
    pub fn finish_part(&self, stages: &DmaStages, done: Time) {
        self.parts.set(self.parts.get() - 1);
        if done >= self.ended.get() {
            self.ended.set(done);
            self.stages.set(*stages);
        }
        if self.parts.get() == 0 && self.writes {
            self.signal().notify();
        }
    }

    /// Reports the transfer to its engine, until its end.
    pub async fn report(&self, steps: &DmaSteps) {
        let sim = &self.pool.sim;
        steps.set_up(Time::ZERO).await;
        loop {
            self.awaits_end.set(steps.awaits_end());
            let next = {
                let mut beats = self.beats.borrow_mut();
                beats.pop_front_if(|(beat, _)| beat.offset == self.offset.get())
            };
            match next {
                Some((beat, _)) if self.writes && steps.awaits_end() => {
                    self.offset.set(beat.offset + beat.bytes.get());
                }
                Some((beat, mut data)) => {
                    if !steps.awaits_end() {
                        sim.until(beat.from).await;
                    }
                    match self.writes {
                        true => steps.write_beat(beat).await,
                        false => steps.read_beat(beat, &mut data).await,
                    }
                    sim.until(beat.to).await;
                    self.offset.set(beat.offset + beat.bytes.get());
                    steps.passed().await;
                }
                None if self.parts.get() == 0 => break,
                None => _ = self.signal().wait().await,
            }
        }
        let stages = self.stages.get();
        match self.writes {
            true => steps.record_stages(&stages.of_write()),
            false => steps.record_stages(&stages.of_read()),
        }
    }
}

impl Drop for Transfer {
    fn drop(&mut self) {
        let mut beats = self.beats.take();
        beats.clear();
        self.pool.idle.borrow_mut().extend(self.signal.take().map(|signal| (signal, beats)));
    }
}
