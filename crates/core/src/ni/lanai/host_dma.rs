//! The engine between SRAM and host memory: hostTx when it reads the host, hostRcv when it writes.
//!
//! One engine serves both directions, one transfer at a time (Yocum et al. 1997, §2.1).

use super::registers::Registers;
use super::{Landing, Sram, Wires};
use crate::engine::record::Span;
use crate::engine::{Bytes, Journey, Signal, Sim, Time, TrackId};
use crate::host::dma::Flow;
use crate::host::{Address, Direction, DmaInitiator};
use std::rc::Rc;

/// A transfer between host memory and SRAM.
pub struct HostJob {
    /// Which way.
    pub direction: Direction,
    /// Where in host memory.
    pub host_address: Address,
    /// Where in SRAM.
    pub sram_address: u64,
    /// How much.
    pub bytes: Bytes,
    /// The counter that shows the progress of a read.
    pub landing: Option<Rc<Landing>>,
    /// For whom.
    pub journey: Journey,
    /// The stage of the message that ends with it.
    pub closes: Option<&'static str>,
}

/// The engine.
pub struct HostDma {
    sim: Sim,
    sram: Rc<Sram>,
    initiator: DmaInitiator,
    attention: Rc<Signal>,
    registers: Registers<HostJob>,
    tracks: [TrackId; 2],
}

impl HostDma {
    pub(super) fn start(wires: &Wires, initiator: DmaInitiator) -> Rc<HostDma> {
        let (sim, name) = (wires.sim.clone(), wires.name);
        let engine = Rc::new(HostDma {
            sram: wires.sram.clone(),
            initiator,
            attention: wires.attention.clone(),
            registers: Registers::new(wires, "host DMA"),
            tracks: ["hostTx", "hostRcv"].map(|engine| sim.recorder().track(name, engine)),
            sim: sim.clone(),
        });
        let serve = engine.clone();
        sim.spawn_server(format!("{name} host DMA"), async move { serve.serve().await });
        engine
    }

    /// Whether a transfer can be started.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Starts a transfer on the idle engine.
    pub fn begin(&self, job: HostJob) {
        self.registers.begin(job);
    }

    /// How long the engine has been busy in all.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    /// How long of that it was set up and moved bytes, and did not wait for a bus or for memory.
    pub fn moved_total(&self) -> Time {
        self.registers.moved_total()
    }

    async fn serve(&self) {
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            self.registers.works();
            self.transfer(&job, start).await;
            self.registers.rests();
            self.registers.done();
        }
    }

    async fn transfer(&self, job: &HostJob, start: Time) {
        let mut transfer = self.initiator.open(job.direction).await;
        job.journey.served(start, self.sim.now());
        self.registers.moves(transfer.setup());
        let mut moved = Bytes::ZERO;
        while moved < job.bytes {
            let sram = job.sram_address + moved.get();
            let begins = |flow: &Flow, data: &mut [u8]| {
                match job.direction {
                    Direction::Read => self.sram.store(sram, data),
                    Direction::Write => self.sram.load(sram, data),
                }
                self.sram.set_bus_rate(Some(self.sram.host_rate(flow.rate)));
                if let Some(landing) = &job.landing {
                    landing.begin(flow.bytes, flow.from, self.ends(flow));
                }
            };
            let flow = transfer.burst(job.host_address + moved.get(), job.bytes - moved, begins).await;
            let end = self.ends(&flow);
            if end > flow.to {
                self.sim.until(end).await;
            }
            self.sram.set_bus_rate(None);
            moved += flow.bytes;
            job.journey.served(flow.began, end);
            self.registers.moves(end - flow.began);
            if job.landing.as_ref().is_some_and(|landing| landing.settle()) {
                self.attention.notify();
            }
        }
        transfer.close();
        if let Some(stage) = job.closes {
            job.journey.close(stage, self.sim.now());
        }
        self.record(job, start);
    }

    /// When the last byte of a burst has left the bus, and is in memory or was taken from it.
    fn ends(&self, flow: &Flow) -> Time {
        let met = self.sram.host_rate(flow.rate);
        if met < flow.rate { flow.to.max(flow.from + met.time_for(flow.bytes)) } else { flow.to }
    }

    fn record(&self, job: &HostJob, start: Time) {
        let (track, what) = match job.direction {
            Direction::Read => (self.tracks[0], "hostTx"),
            Direction::Write => (self.tracks[1], "hostRcv"),
        };
        let (message, bytes) = (job.journey.id(), job.bytes);
        self.sim.recorder().span(Span { track, what, message, bytes, start, end: self.sim.now() });
    }
}
