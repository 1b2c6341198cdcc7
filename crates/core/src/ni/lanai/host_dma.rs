//! The engine between SRAM and host memory: hostTx when it reads the host, hostRcv when it writes.
//!
//! One engine serves both directions, one transfer at a time (Yocum et al. 1997, §2.1).

use super::registers::Registers;
use super::{EngineConnections, Sram, TransferProgress};
use crate::engine::record::Span;
use crate::engine::{Bytes, Journey, Signal, Sim, Time, TrackId};
use crate::host::{
    Address, AnyDmaPort, DataBeat, Direction, DmaOperation, DmaRequest, DmaSource, Transfer, TransferEngine,
};
use std::cell::Cell;
use std::rc::Rc;

/// A transfer between host memory and SRAM.
pub struct HostJob {
    pub direction: Direction,
    pub host_address: Address,
    pub sram_address: u64,
    pub bytes: Bytes,
    /// The progress counter of a read.
    pub progress: Option<Rc<TransferProgress>>,
    pub journey: Journey,
    /// The stage of the message's latency that the end of this transfer closes.
    pub closed_stage: Option<&'static str>,
}

/// The host DMA engine.
pub struct HostDma {
    sim: Sim,
    sram: Rc<Sram>,
    port: AnyDmaPort,
    /// A buffer for the bytes of a beat, reused to avoid allocations.
    buffer: Cell<Vec<u8>>,
    firmware_wakeup: Rc<Signal>,
    registers: Registers<HostJob>,
    tracks: [TrackId; 2],
    /// End of the latest beat.
    last_beat_end: Cell<Time>,
}

impl HostDma {
    pub(super) fn start(connections: &EngineConnections, port: AnyDmaPort) -> Rc<HostDma> {
        let (sim, name) = (connections.sim.clone(), connections.name);
        let engine = Rc::new(HostDma {
            sram: connections.sram.clone(),
            port,
            buffer: Cell::default(),
            firmware_wakeup: connections.firmware_wakeup.clone(),
            registers: Registers::new(connections, "host DMA"),
            tracks: ["hostTx", "hostRcv"].map(|engine| sim.recorder().track(name, engine)),
            last_beat_end: Cell::default(),
            sim: sim.clone(),
        });
        let server = engine.clone();
        sim.spawn_server(format!("{name} host DMA"), async move { server.serve().await });
        engine
    }

    /// Returns whether a transfer can be started.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Starts a transfer on the idle engine.
    pub fn begin(&self, job: HostJob) {
        self.registers.begin(job);
    }

    /// Returns the total time for which the engine has been busy.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    /// Returns the part of the busy time in which the engine was set up or moved bytes. Waits for a bus or for memory
    /// are not included.
    pub fn active_total(&self) -> Time {
        self.registers.active_total()
    }

    async fn serve(&self) {
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            self.registers.begin_work();
            self.port.transfer(&self.request(&job), &HostTransfer { engine: self, job: &job, start }).await;
            self.registers.end_work();
            self.registers.complete();
        }
    }

    fn request(&self, job: &HostJob) -> DmaRequest {
        let (sram, from) = (self.sram.clone(), job.sram_address);
        let operation = match job.direction {
            Direction::Read => DmaOperation::Read(job.bytes),
            Direction::Write => {
                DmaOperation::Write(DmaSource::new(job.bytes, move |offset, into| sram.load(from + offset, into)))
            }
        };
        DmaRequest { address: job.host_address, operation }
    }

    /// Begins to transfer a started beat between bus and SRAM. For a read, `data` holds the beat's bytes. Returns the end
    /// of the beat.
    fn begin_beat(&self, job: &HostJob, beat: &DataBeat, data: &[u8]) -> Time {
        if job.direction == Direction::Read {
            self.sram.store(job.sram_address + beat.offset, data);
        }
        self.sram.set_bus_rate(Some(self.sram.host_rate(beat.rate)));
        let end = self.end_of_beat(beat);
        if let Some(progress) = &job.progress {
            progress.begin(beat.bytes, beat.from, end);
        }
        end
    }

    /// Ends a beat, at its `end`.
    fn end_beat(&self, job: &HostJob, service_start: Time, end: Time) {
        self.sram.set_bus_rate(None);
        job.journey.add_service(service_start, end);
        // The service of a beat may begin before the previous beat has ended.
        let active_from = service_start.max(self.last_beat_end.get());
        self.registers.record_active(end.since(active_from));
        self.last_beat_end.set(end);
        if job.progress.as_ref().is_some_and(|progress| progress.end_burst()) {
            self.firmware_wakeup.notify();
        }
    }

    /// Returns the time at which the last byte of a beat has left the bus and has been written to or read from SRAM.
    fn end_of_beat(&self, beat: &DataBeat) -> Time {
        let memory_rate = self.sram.host_rate(beat.rate);
        if memory_rate < beat.rate { beat.to.max(beat.from + memory_rate.time_for(beat.bytes)) } else { beat.to }
    }

    fn record(&self, job: &HostJob, start: Time) {
        let (track, activity) = match job.direction {
            Direction::Read => (self.tracks[0], "hostTx"),
            Direction::Write => (self.tracks[1], "hostRcv"),
        };
        let (message, bytes) = (job.journey.id(), job.bytes);
        self.sim.recorder().span(Span { track, activity, message, bytes, start, end: self.sim.now() });
    }
}

/// A transfer of the engine, which began at `start`.
struct HostTransfer<'a> {
    engine: &'a HostDma,
    job: &'a HostJob,
    start: Time,
}

impl TransferEngine for HostTransfer<'_> {
    async fn drive(&self, mut transfer: impl Transfer) {
        let HostTransfer { engine, job, start } = *self;
        let setup = transfer.set_up().await;
        job.journey.add_service(start, engine.sim.now());
        engine.registers.record_active(setup);
        let mut data = engine.buffer.take();
        while let Some(beat) = transfer.next_beat(&mut data).await {
            let end = engine.begin_beat(job, &beat, &data);
            let (passed_at, service_start) = (beat.to, beat.service_start);
            match transfer.beat_end() {
                Some(beat_end) => {
                    engine.sim.until(beat_end).await;
                    transfer.end_beat();
                }
                None => transfer.beat_passed().await,
            }
            if end > passed_at {
                engine.sim.until(end).await;
            }
            engine.end_beat(job, service_start, end);
        }
        engine.buffer.set(data);
        if let Some(stage) = job.closed_stage {
            job.journey.close(stage, engine.sim.now());
        }
        engine.record(job, start);
    }
}
