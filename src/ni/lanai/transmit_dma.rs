//! The engine from SRAM to the link (netTx).
//!
//! All transfers of a packet are one packet to the network: the path is taken with the first and
//! let go after the last (Yocum et al. 1997, §3.5).

use super::registers::Registers;
use super::{Sram, Wires};
use crate::engine::record::Span;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Sim, Time, TrackId};
use crate::fabric::Packet;
use crate::fabric::myrinet::{Dropped, Myrinet, Path};
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
    fabric: Rc<Myrinet>,
    registers: Registers<TransmitJob>,
    dropped: Cell<bool>,
    track: TrackId,
    task: Cell<TaskId>,
}

impl TransmitDma {
    pub(super) fn start(wires: &Wires, fabric: Rc<Myrinet>) -> Rc<TransmitDma> {
        let (sim, name) = (wires.sim.clone(), wires.name);
        let engine = Rc::new(TransmitDma {
            sram: wires.sram.clone(),
            fabric,
            registers: Registers::new(wires, "netTx"),
            dropped: Cell::new(false),
            track: sim.recorder().track(name, "netTx"),
            task: Cell::default(),
            sim: sim.clone(),
        });
        let serve = engine.clone();
        engine.task.set(sim.spawn_server(format!("{name} netTx"), async move { serve.serve().await }));
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

    /// How long the engine has been busy in all.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    async fn serve(&self) {
        let mut path = None;
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            path = self.transfer(path, &job).await;
            if let Some(stage) = job.closes {
                job.packet.message.close(stage, self.sim.now());
            }
            self.record(&job, start);
            self.registers.done(self.sim.now() - start);
        }
    }

    /// Sends a transfer; the path is kept unless the packet ended.
    async fn transfer(&self, path: Option<Path>, job: &TransmitJob) -> Option<Path> {
        match self.send(path, job).await {
            Ok(path) if job.last => {
                path.close();
                None
            }
            Ok(path) => Some(path),
            Err(Dropped) => {
                self.dropped.set(true);
                None
            }
        }
    }

    async fn send(&self, path: Option<Path>, job: &TransmitJob) -> Result<Path, Dropped> {
        let mut path = match path {
            Some(path) => path,
            None => self.fabric.open(job.packet.clone()).await?,
        };
        let (flit, link_rate) = (self.fabric.parameters().flit, self.fabric.parameters().link_rate);
        let mut data = vec![0; flit.len()];
        let mut sent = Bytes::ZERO;
        while sent < job.bytes {
            let bytes = flit.min(job.bytes - sent);
            let data = &mut data[..bytes.len()];
            self.sram.load(job.sram_address + sent.get(), data);
            // While the path takes nothing, the engine takes nothing of the memory.
            path.room(bytes).await?;
            self.sram.network_begins();
            let start = self.sim.now();
            path.send(data, link_rate.min(self.sram.network_rate()).time_for(bytes)).await;
            self.sram.network_ends();
            job.packet.message.served(start, self.sim.now());
            sent += bytes;
        }
        Ok(path)
    }

    fn record(&self, job: &TransmitJob, start: Time) {
        let (track, message) = (self.track, Some(job.packet.message.id));
        self.sim.recorder().span(Span { track, what: "netTx", message, bytes: job.bytes, start, end: self.sim.now() });
    }
}
