//! A DMA port with many tags over another port: transfers advance without being awaited, and their latencies overlap.
//!
//! The module models a link between an engine and the port of the host. A request takes time to reach the host, and
//! data that is read takes time to return. The host may serve requests in any order. A tag is held from the submission
//! until the last byte has arrived or the written bytes are visible. The module leaves out the rate of the link, and
//! credits.

use super::dma_port::{DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaTag, DmaTags, NoFreeTag, submit_when_free};
use super::dma_steps::{DataBeat, DmaSteps};
use super::posted_writes::{PostedWrite, PostedWrites};
use crate::engine::{Mailbox, Signal, Sim, Time};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

/// The latencies of a link between an engine and its host.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LinkLatency {
    /// Time from the submission of a request until it reaches the host's port.
    pub request: Time,
    /// Time from the host's port to the engine for data that is read.
    pub reply: Time,
}

/// A port with many tags.
pub struct TaggedDma {
    tags: Rc<DmaTags>,
    lanes: Rc<Lanes>,
    writes: Rc<PostedWrites>,
}

/// The shared state of the tasks that carry out transfers. There is one task, called a lane, for each tag.
struct Lanes {
    sim: Sim,
    latency: LinkLatency,
    jobs: Vec<Mailbox<Job>>,
    idle_lanes: RefCell<Vec<usize>>,
    /// Notified when data has arrived or a transfer has ended.
    change: Signal,
}

/// A transfer that a task carries out.
struct Job {
    request: DmaRequest,
    arrived_beats: Rc<ArrivedBeats>,
    write: Option<PostedWrite>,
    tag: DmaTag,
}

/// The beats of a transfer that have arrived at the engine.
#[derive(Default)]
struct ArrivedBeats {
    beats: RefCell<VecDeque<(DataBeat, Vec<u8>)>>,
    has_ended: Cell<bool>,
}

impl TaggedDma {
    /// Creates a port with `tags` tags over `port`, for the engine `name`.
    pub fn new(sim: &Sim, name: &str, port: Rc<dyn DmaPort>, tags: u32, latency: LinkLatency) -> TaggedDma {
        let jobs = (0..tags).map(|tag| Mailbox::new(sim, format!("a transfer with tag {tag} of {name}")));
        let lanes = Rc::new(Lanes {
            sim: sim.clone(),
            latency,
            jobs: jobs.collect(),
            idle_lanes: RefCell::new((0..tags as usize).rev().collect()),
            change: Signal::new(sim, format!("DMA data for {name}")),
        });
        for lane in 0..tags as usize {
            // Only the tasks hold `port`. Devices hold the `TaggedDma`, and the host keeps the devices, so `port` in
            // the `TaggedDma` could form a cycle of references.
            let (lanes, port) = (lanes.clone(), port.clone());
            sim.spawn_server(format!("{name} tag {lane}"), async move { lanes.serve(lane, &*port).await });
        }
        TaggedDma { tags: DmaTags::new(sim, name, tags), lanes, writes: Rc::new(PostedWrites::new(sim, name)) }
    }

    /// Returns the posted writes. A message-signalled interrupt is delivered after the writes that were posted before
    /// it.
    pub fn writes(&self) -> &Rc<PostedWrites> {
        &self.writes
    }
}

impl DmaPort for TaggedDma {
    fn submit(&self, request: DmaRequest) -> Result<DmaCompletion, NoFreeTag> {
        let tag = self.tags.take()?;
        let lane = self.lanes.idle_lanes.borrow_mut().pop().expect("there is a task for each tag");
        let write = matches!(request.operation, DmaOperation::Write(_)).then(|| self.writes.post());
        let (arrived_beats, lanes) = (Rc::<ArrivedBeats>::default(), self.lanes.clone());
        self.lanes.jobs[lane].send(Job { request, arrived_beats: arrived_beats.clone(), write, tag });
        Ok(DmaCompletion::new(|steps| async move { lanes.deliver(&arrived_beats, &steps).await }))
    }

    fn freed(&self) -> &Signal {
        self.tags.freed()
    }

    fn tags(&self) -> u32 {
        self.tags.count()
    }
}

impl Lanes {
    async fn serve(&self, lane: usize, port: &dyn DmaPort) {
        loop {
            let Job { request, arrived_beats, write, tag } = self.jobs[lane].receive().await;
            self.sim.delay(self.latency.request).await;
            self.carry_out(port, &request, &arrived_beats).await;
            drop(write);
            arrived_beats.has_ended.set(true);
            self.idle_lanes.borrow_mut().push(lane);
            drop(tag);
            self.change.notify();
        }
    }

    /// Carries out a transfer at the host, and returns the data that it reads to the engine.
    async fn carry_out(&self, port: &dyn DmaPort, request: &DmaRequest, arrived_beats: &ArrivedBeats) {
        let reply_latency = match request.operation {
            DmaOperation::Read(_) => self.latency.reply,
            DmaOperation::Write(_) => Time::ZERO,
        };
        let mut transfer = submit_when_free(port, request).await;
        let mut data = Vec::new();
        while let Some(beat) = transfer.next_beat(&mut data).await {
            let arrival = DataBeat { from: beat.from + reply_latency, to: beat.to + reply_latency, ..beat };
            arrived_beats.beats.borrow_mut().push_back((arrival, std::mem::take(&mut data)));
            self.change.notify();
            transfer.beat_passed().await;
        }
        drop(transfer);
        self.sim.delay(reply_latency).await;
    }

    /// Delivers the arriving beats of a transfer to its engine.
    async fn deliver(&self, arrived_beats: &ArrivedBeats, steps: &DmaSteps) {
        steps.set_up(Time::ZERO).await;
        loop {
            let next = arrived_beats.beats.borrow_mut().pop_front();
            match next {
                Some((beat, mut data)) => {
                    self.sim.until(beat.from).await;
                    steps.read_beat(beat, &mut data).await;
                    self.sim.until(beat.to).await;
                    steps.passed().await;
                }
                None if arrived_beats.has_ended.get() => return,
                None => _ = self.change.wait().await,
            }
        }
    }
}
