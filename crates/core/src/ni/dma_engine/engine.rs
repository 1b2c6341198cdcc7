//! The engine: slots, issue stage and copies of one queue for reads and one for writes.

use super::issue_time::IssueTime;
use super::parameters::DmaEngineParameters;
use crate::engine::resource::Pool;
use crate::engine::{Bytes, Journey, LocalFuture, Mailbox, Rate, Resource, Sim, Time};
use crate::host::{
    Address, DataBeat, Direction, DmaCompletion, DmaOperation, DmaPort, DmaRequest, DmaSource, Utilization,
    submit_when_free,
};
use crate::ni::build_context::BuildContext;
use crate::ni::extensions::HostDmaEngine;
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
    posted: Rc<Mailbox<DmaCompletion>>,
}

/// The slots and the issue stage of one direction.
struct TransferQueue {
    slots: Pool,
    issue: Resource,
    time: IssueTime,
}

impl TransferQueue {
    fn new(sim: &Sim, name: &str, slots: u32, time: IssueTime) -> TransferQueue {
        TransferQueue {
            slots: Pool::new(sim, format!("a slot of {name}"), u64::from(slots)),
            issue: Resource::new(sim, name.to_owned()),
            time,
        }
    }

    /// Waits for a slot, and then passes the issue stage.
    async fn issue(&self, sim: &Sim, bytes: Bytes) {
        self.slots.acquire(1).await;
        let _held = self.issue.acquire().await;
        let time = self.time.of(bytes);
        sim.delay(time).await;
        self.issue.moves(time);
    }
}

impl DmaEngine {
    /// Starts the engine of a node.
    pub(super) fn start(parameters: &DmaEngineParameters, context: &BuildContext<'_>) -> Rc<DmaEngine> {
        let DmaEngineParameters { slots, overhead, write_overhead, rate, write_rate, piece, timer_tick, .. } = *parameters;
        let (sim, name) = (context.sim, context.name());
        let queue = |what: &str, time| TransferQueue::new(sim, &format!("{name} DMA {what}"), slots, time);
        let posted = Rc::new(Mailbox::<DmaCompletion>::new(sim, format!("a posted write of {name}")));
        let engine = DmaEngine {
            sim: sim.clone(),
            port: context.host.dma_port().port(),
            reads: queue("reads", parameters.read_issue()),
            writes: queue("writes", parameters.write_issue()),
            overhead,
            write_overhead,
            rate,
            write_rate,
            piece,
            timer_tick,
            posted: posted.clone(),
        };
        // A port may advance a transfer only while its completion is awaited.
        sim.spawn_server(format!("{name} posted writes"), async move {
            loop {
                posted.receive().await.done().await;
            }
        });
        Rc::new(engine)
    }

    pub(super) fn utilization(&self) -> Vec<Utilization> {
        let of = |what, queue: &TransferQueue| Utilization {
            what,
            busy: queue.issue.held_total(),
            active: queue.issue.moved_total(),
        };
        vec![of("DMA reads", &self.reads), of("DMA writes", &self.writes)]
    }

    async fn read(&self, address: Address, bytes: Bytes, journey: &Journey) {
        self.sim.delay(self.overhead).await;
        self.reads.issue(&self.sim, bytes).await;
        let start = self.sim.now();
        let request = DmaRequest { address, operation: DmaOperation::Read(bytes) };
        let mut completion = submit_when_free(&*self.port, &request).await;
        let (mut data, mut copied) = (Vec::new(), Time::ZERO);
        while let Some(beat) = completion.next_beat(&mut data).await {
            copied = self.copied(&beat, copied);
            completion.beat_passed().await;
        }
        if copied > self.sim.now() {
            self.sim.until(copied).await;
        }
        journey.add_service(start, self.sim.now());
        self.reads.slots.release(1);
    }

    /// Returns the time at which the engine has copied the data of `beat`, if it had copied earlier beats at `before`.
    fn copied(&self, beat: &DataBeat, before: Time) -> Time {
        let piece = self.piece.min(beat.bytes);
        let first = (beat.from + beat.rate.time_for(piece)).min(beat.to).max(before);
        (first + self.rate.time_for(beat.bytes)).max(beat.to + self.rate.time_for(piece))
    }

    async fn write(&self, address: Address, bytes: Bytes, journey: &Journey) {
        self.sim.delay(self.write_overhead).await;
        self.writes.issue(&self.sim, bytes).await;
        let start = self.sim.now();
        self.sim.delay(self.write_rate.time_for(bytes)).await;
        let source = DmaSource::new(bytes, |offset, into| {
            into.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = at as u8);
        });
        let request = DmaRequest { address, operation: DmaOperation::Write(source) };
        let mut completion = submit_when_free(&*self.port, &request).await;
        let (mut data, mut left) = (Vec::new(), bytes.get());
        while left > 0 {
            let Some(beat) = completion.next_beat(&mut data).await else { break };
            left = left.saturating_sub(beat.bytes.get());
            completion.beat_passed().await;
        }
        self.posted.send(completion);
        journey.add_service(start, self.sim.now());
        self.writes.slots.release(1);
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
