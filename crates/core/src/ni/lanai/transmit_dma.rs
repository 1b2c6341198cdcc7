//! The engine from SRAM to the link (netTx).
//!
//! All transfers of a packet are one packet to the network: the path is taken with the first and
//! let go after the last (Yocum et al. 1997, §3.5).

use super::registers::Registers;
use super::{Sram, Wires};
use crate::engine::record::Span;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Hertz, Sim, Time, TrackId};
use crate::fabric::{AnyStreamTx, Dropped, Packet, StreamTx};
use std::cell::Cell;
use std::rc::Rc;

/// A transfer from SRAM to the link.
pub struct TransmitJob {
    /// The packet it is part of.
    pub packet: Rc<Packet>,
    /// Where in SRAM.
    pub sram_address: u64,
    /// How much.
    pub bytes: Bytes,
    /// Whether the packet ends with it.
    pub last: bool,
    /// The stage of the message that ends with it.
    pub closes: Option<&'static str>,
}

/// The engine.
pub struct TransmitDma {
    sim: Sim,
    sram: Rc<Sram>,
    registers: Registers<TransmitJob>,
    dropped: Cell<bool>,
    /// The chip's clock, on whose edges firmware starts transfers.
    clock: Hertz,
    track: TrackId,
    task: Cell<TaskId>,
}

impl TransmitDma {
    pub(super) fn start(wires: &Wires, mut tx: AnyStreamTx) -> Rc<TransmitDma> {
        let (sim, name) = (wires.sim.clone(), wires.name);
        let engine = Rc::new(TransmitDma {
            sram: wires.sram.clone(),
            registers: Registers::new(wires, "netTx"),
            dropped: Cell::new(false),
            clock: wires.clock,
            track: sim.recorder().track(name, "netTx"),
            task: Cell::default(),
            sim: sim.clone(),
        });
        let serve = engine.clone();
        engine.task.set(sim.spawn_server(format!("{name} netTx"), async move { serve.serve(&mut tx).await }));
        engine
    }

    /// Whether a transfer can be started.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Starts a transfer on the idle engine.
    pub fn begin(&self, job: TransmitJob) {
        self.registers.begin(job);
    }

    /// Whether the watchdog dropped the packet of the last transfer; asking clears it.
    pub fn was_dropped(&self) -> bool {
        self.dropped.replace(false)
    }

    /// The engine's task, for the tale of a stuck run.
    pub fn task(&self) -> TaskId {
        self.task.get()
    }

    /// How long the engine has been busy in all, waits for its path among it.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    /// How long it would have taken for the bytes it moved at its own pace, which is the link's.
    pub fn moved_total(&self) -> Time {
        self.registers.moved_total()
    }

    async fn serve(&self, tx: &mut AnyStreamTx) {
        // Whether the way is taken for the packet.
        let mut open = false;
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            self.registers.works();
            open = self.transfer(tx, open, &job).await;
            if let Some(stage) = job.closes {
                job.packet.journey.close(stage, self.sim.now());
            }
            self.record(&job, start);
            self.registers.rests();
            self.registers.done();
        }
    }

    /// Sends a transfer; the way is kept unless the packet ended: whether it is.
    async fn transfer(&self, tx: &mut AnyStreamTx, open: bool, job: &TransmitJob) -> bool {
        match self.send(tx, open, job).await {
            Ok(()) if job.last => {
                tx.close();
                false
            }
            Ok(()) => true,
            Err(Dropped) => {
                self.dropped.set(true);
                false
            }
        }
    }

    async fn send(&self, tx: &mut AnyStreamTx, open: bool, job: &TransmitJob) -> Result<(), Dropped> {
        if !open {
            tx.open(&job.packet).await?;
        }
        let mut sent = Bytes::ZERO;
        while sent < job.bytes {
            // While the way takes nothing, the engine takes nothing of the memory.
            let bytes = tx.reserve((job.bytes - sent).min(tx.flow_unit())).await?;
            self.sram.show(job.sram_address + sent.get(), bytes, |data| job.packet.append(data));
            self.sram.network_begins();
            let start = self.sim.now();
            let last = job.last && sent + bytes == job.bytes;
            let alone = tx.rate().time_for(bytes);
            let time_at = |rate| self.clock.end_of_transfer(start, bytes, rate) - start;
            let memory = self.sram.network_time(alone, start, time_at);
            tx.send(bytes, memory, last).await;
            // The link may still be at the last of them when the engine has none left.
            self.registers.moves(alone.min(self.sim.now() - start));
            self.sram.network_ends();
            job.packet.journey.served(start, self.sim.now());
            sent += bytes;
        }
        Ok(())
    }

    fn record(&self, job: &TransmitJob, start: Time) {
        let (track, message) = (self.track, job.packet.journey.id());
        self.sim.recorder().span(Span { track, what: "netTx", message, bytes: job.bytes, start, end: self.sim.now() });
    }
}
