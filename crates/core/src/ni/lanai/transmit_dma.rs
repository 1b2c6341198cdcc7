//! The engine from SRAM to the link (netTx).
//!
//! All transfers of a packet form one packet in the network: the first transfer allocates the path, and the last one
//! releases it (Yocum et al. 1997, §3.5).

use super::registers::Registers;
use super::{EngineConnections, Sram};
use crate::engine::record::Span;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Hertz, Sim, Time, TrackId};
use crate::fabric::{AnyStreamTx, Packet, PacketDropped, StreamTx};
use std::cell::Cell;
use std::rc::Rc;

/// A transfer from SRAM to the link.
pub struct TransmitJob {
    /// The packet that the transfer is part of.
    pub packet: Rc<Packet>,
    pub sram_address: u64,
    pub bytes: Bytes,
    /// Whether the packet ends with this transfer.
    pub ends_packet: bool,
    /// The stage of the message's latency that the end of this transfer closes.
    pub closed_stage: Option<&'static str>,
}

/// The network transmit engine.
pub struct TransmitDma {
    sim: Sim,
    sram: Rc<Sram>,
    registers: Registers<TransmitJob>,
    has_dropped: Cell<bool>,
    /// The chip's clock, on whose edges firmware starts transfers.
    clock: Hertz,
    track: TrackId,
    task: Cell<TaskId>,
}

impl TransmitDma {
    pub(super) fn start(connections: &EngineConnections, mut tx: AnyStreamTx) -> Rc<TransmitDma> {
        let (sim, name) = (connections.sim.clone(), connections.name);
        let engine = Rc::new(TransmitDma {
            sram: connections.sram.clone(),
            registers: Registers::new(connections, "netTx"),
            has_dropped: Cell::new(false),
            clock: connections.clock,
            track: sim.recorder().track(name, "netTx"),
            task: Cell::default(),
            sim: sim.clone(),
        });
        let server = engine.clone();
        engine.task.set(sim.spawn_server(format!("{name} netTx"), async move { server.serve(&mut tx).await }));
        engine
    }

    /// Returns whether a transfer can be started.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Starts a transfer on the idle engine.
    pub fn begin(&self, job: TransmitJob) {
        self.registers.begin(job);
    }

    /// Returns whether the watchdog dropped the packet of the last transfer, and clears that state.
    pub fn was_dropped(&self) -> bool {
        self.has_dropped.replace(false)
    }

    /// Returns the engine's task, for the deadlock report.
    pub fn task(&self) -> TaskId {
        self.task.get()
    }

    /// Returns the total time for which the engine has been busy, including waits for the path.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    /// Returns the time that the moved bytes would have taken at the link's rate.
    pub fn active_total(&self) -> Time {
        self.registers.active_total()
    }

    async fn serve(&self, tx: &mut AnyStreamTx) {
        // Whether the packet of the last transfer holds its path.
        let mut holds_path = false;
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            self.registers.begin_work();
            holds_path = self.transfer(tx, holds_path, &job).await;
            if let Some(stage) = job.closed_stage {
                job.packet.journey.close(stage, self.sim.now());
            }
            self.record(&job, start);
            self.registers.end_work();
            self.registers.complete();
        }
    }

    /// Performs a transfer. Returns whether the packet still holds its path afterwards; it releases the path when it
    /// ends or is dropped.
    async fn transfer(&self, tx: &mut AnyStreamTx, holds_path: bool, job: &TransmitJob) -> bool {
        match self.send(tx, holds_path, job).await {
            Ok(()) if job.ends_packet => {
                tx.close();
                false
            }
            Ok(()) => true,
            Err(PacketDropped) => {
                self.has_dropped.set(true);
                false
            }
        }
    }

    async fn send(&self, tx: &mut AnyStreamTx, holds_path: bool, job: &TransmitJob) -> Result<(), PacketDropped> {
        if !holds_path {
            tx.open(&job.packet).await?;
        }
        let mut sent_bytes = Bytes::ZERO;
        while sent_bytes < job.bytes {
            // While the path accepts no data, the engine uses none of the memory's rate.
            let bytes = tx.reserve((job.bytes - sent_bytes).min(tx.flow_unit())).await?;
            self.sram.with_bytes(job.sram_address + sent_bytes.get(), bytes, |data| job.packet.append(data));
            self.sram.begin_network();
            let start = self.sim.now();
            let last = job.ends_packet && sent_bytes + bytes == job.bytes;
            let link_time = tx.rate().time_for(bytes);
            let time_at = |rate| self.clock.end_of_transfer(start, bytes, rate) - start;
            let memory_time = self.sram.network_time(link_time, start, time_at);
            tx.send(bytes, memory_time, last).await;
            // The link may still transmit the last bytes when the engine has read all of them.
            self.registers.record_active(link_time.min(self.sim.now() - start));
            self.sram.end_network();
            job.packet.journey.add_service(start, self.sim.now());
            sent_bytes += bytes;
        }
        Ok(())
    }

    fn record(&self, job: &TransmitJob, start: Time) {
        let (track, message) = (self.track, job.packet.journey.id());
        self.sim.recorder().span(Span {
            track,
            activity: "netTx",
            message,
            bytes: job.bytes,
            start,
            end: self.sim.now(),
        });
    }
}
