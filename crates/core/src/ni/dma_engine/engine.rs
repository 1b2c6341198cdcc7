//! The engine: slots, issue stage and copies of one queue for reads and one for writes.

use super::issue_time::IssueTime;
use super::parameters::DmaEngineParameters;
use crate::engine::record::Span;
use crate::engine::{Bytes, Journey, LocalFuture, Mailbox, Pool, Rate, Resource, Sim, Time, TrackId};
use crate::host::{
    Address, DataBeat, Direction, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, Utilization,
    submit_when_free,
};
use crate::ni::build_context::BuildContext;
use crate::ni::extensions::HostDmaEngine;
use std::cell::Cell;
use std::rc::Rc;

/// The engine.
pub struct DmaEngine {
    sim: Sim,
    port: Rc<dyn DmaPort>,
    reads: TransferQueue,
    writes: TransferQueue,
    overhead: Time,
    write_overhead: Time,
    rate: Rate,
    write_rate: Rate,
    piece: Bytes,
    timer_tick: Option<Time>,
    /// Writes whose data have left the interface and are not yet visible in memory.
    posted_writes: Rc<Mailbox<DmaCompletion>>,
}

/// The slots and the issue stage of one direction.
struct TransferQueue {
    slots: Pool,
    /// Instant at which the issue stage is free.
    issue_stage_free_at: Cell<Time>,
    busy_time: Cell<Time>,
    /// The head position of the queue: only the transfer that holds it waits for the host's port to accept it.
    head_position: Resource,
    issue_time: IssueTime,
    label: &'static str,
    track: TrackId,
}

impl TransferQueue {
    fn new(sim: &Sim, name: &str, label: &'static str, slots: u32, issue_time: IssueTime) -> TransferQueue {
        TransferQueue {
            slots: Pool::new(sim, format!("a slot for {label} of {name}"), u64::from(slots)),
            issue_stage_free_at: Cell::default(),
            busy_time: Cell::default(),
            head_position: Resource::new(sim, format!("the head of the queue for {label} of {name}")),
            issue_time,
            label,
            track: sim.recorder().track(name, label),
        }
    }

    /// Waits for a slot, and then for the issue stage, which stays occupied for the time of this transfer.
    async fn issue(&self, sim: &Sim, bytes: Bytes) {
        self.slots.acquire(1).await;
        let (now, time) = (sim.now(), self.issue_time.for_bytes(bytes));
        let start = now.max(self.issue_stage_free_at.get());
        self.issue_stage_free_at.set(start + time);
        self.busy_time.set(self.busy_time.get() + time);
        if start > now {
            sim.until(start).await;
        }
    }

    /// Submits a transfer as soon as `port` accepts it and all earlier ones have been submitted.
    async fn submit(&self, port: &dyn DmaPort, request: &DmaRequest) -> DmaCompletion {
        let _head = self.head_position.acquire().await;
        submit_when_free(port, request).await
    }

    /// Ends a transfer that was issued at `start`: frees its slot, and records its time in the issue stage.
    fn complete(&self, sim: &Sim, start: Time, bytes: Bytes, journey: &Journey) {
        let end = (start + self.issue_time.for_bytes(bytes)).min(sim.now());
        let (track, label, message) = (self.track, self.label, journey.id());
        sim.recorder().span(Span { track, activity: label, message, bytes, start, end });
        journey.add_service(start, sim.now());
        self.slots.release(1);
    }

    /// Returns the time for which the issue stage was occupied until `now`.
    fn occupied_time(&self, now: Time) -> Time {
        self.busy_time.get().since(self.issue_stage_free_at.get().since(now))
    }
}

impl DmaEngine {
    /// Starts the engine of a node.
    pub(super) fn start(parameters: &DmaEngineParameters, context: &BuildContext<'_>) -> Rc<DmaEngine> {
        let DmaEngineParameters { slots, overhead, write_overhead, rate, write_rate, piece, timer_tick, .. } =
            *parameters;
        let (sim, name) = (context.sim, context.name());
        let new_queue = |label, issue_time| TransferQueue::new(sim, name, label, slots, issue_time);
        let posted_writes = Rc::new(Mailbox::<DmaCompletion>::new(sim, format!("a posted write of {name}")));
        let engine = DmaEngine {
            sim: sim.clone(),
            port: context.host.dma_port().port(),
            reads: new_queue("DMA reads", parameters.read_issue_time()),
            writes: new_queue("DMA writes", parameters.write_issue_time()),
            overhead,
            write_overhead,
            rate,
            write_rate,
            piece,
            timer_tick,
            posted_writes: posted_writes.clone(),
        };
        // A port may advance a transfer only while its completion is awaited.
        sim.spawn_server(format!("{name} posted writes"), async move {
            loop {
                posted_writes.receive().await.done().await;
            }
        });
        Rc::new(engine)
    }

    pub(super) fn utilization(&self) -> Vec<Utilization> {
        let utilization_of =
            |queue: &TransferQueue| Utilization::always_active(queue.label, queue.occupied_time(self.sim.now()));
        vec![utilization_of(&self.reads), utilization_of(&self.writes)]
    }

    async fn read(&self, address: Address, bytes: Bytes, journey: &Journey) {
        self.sim.delay(self.overhead).await;
        self.reads.issue(&self.sim, bytes).await;
        let start = self.sim.now();
        let request = DmaRequest { address, operation: DmaOperation::Read(bytes) };
        let mut completion = self.reads.submit(&*self.port, &request).await;
        let (mut data, mut copy_end_time) = (Vec::new(), Time::ZERO);
        while let Some(beat) = completion.next_beat(&mut data).await {
            copy_end_time = self.copy_end(&beat, copy_end_time);
            completion.beat_passed().await;
        }
        if copy_end_time > self.sim.now() {
            self.sim.until(copy_end_time).await;
        }
        self.reads.complete(&self.sim, start, bytes, journey);
    }

    /// Returns the time at which the engine has copied the data of `beat`, if it finished the earlier beats at
    /// `previous_end`.
    fn copy_end(&self, beat: &DataBeat, previous_end: Time) -> Time {
        let piece = self.piece.min(beat.bytes);
        let copy_start = (beat.from + beat.rate.time_for(piece)).min(beat.to).max(previous_end);
        (copy_start + self.rate.time_for(beat.bytes)).max(beat.to + self.rate.time_for(piece))
    }

    /// Returns `bytes` rounded up to whole pieces.
    fn round_up_to_pieces(&self, bytes: Bytes) -> Bytes {
        Bytes(bytes.get().next_multiple_of(self.piece.get()))
    }

    async fn write(&self, address: Address, bytes: Bytes, journey: &Journey) {
        self.sim.delay(self.write_overhead).await;
        self.writes.issue(&self.sim, bytes).await;
        let start = self.sim.now();
        let copy_end_time = start + self.write_rate.time_for(self.round_up_to_pieces(bytes));
        let source = DmaSource::new(bytes, |offset, into| {
            into.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = at as u8);
        });
        let request = DmaRequest { address, operation: DmaOperation::Write(source) };
        let mut completion = self.writes.submit(&*self.port, &request).await;
        let (mut data, mut remaining_bytes) = (Vec::new(), bytes.get());
        while remaining_bytes > 0 {
            let Some(beat) = completion.next_beat(&mut data).await else { break };
            remaining_bytes = remaining_bytes.saturating_sub(beat.bytes.get());
            completion.beat_passed().await;
        }
        if copy_end_time > self.sim.now() {
            self.sim.until(copy_end_time).await;
        }
        self.posted_writes.send(completion);
        self.writes.complete(&self.sim, start, bytes, journey);
    }
}

impl HostDmaEngine for DmaEngine {
    fn transfer<'a>(
        &'a self,
        direction: Direction,
        address: Address,
        bytes: Bytes,
        journey: Journey,
    ) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            match direction {
                Direction::Read => self.read(address, bytes, &journey).await,
                Direction::Write => self.write(address, bytes, &journey).await,
            }
        })
    }

    fn timer_tick(&self) -> Option<Time> {
        self.timer_tick
    }
}
