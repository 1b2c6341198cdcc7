//! The engine between SRAM and host memory: hostTx when it reads the host, hostRcv when it writes.
//!
//! One engine serves both directions, one transfer at a time (Yocum et al. 1997, §2.1).

use super::registers::Registers;
use super::{Landing, Sram, Wires};
use crate::engine::record::Span;
use crate::engine::{Bytes, Signal, Sim, Time, TrackId, Tracked};
use crate::host::io_bus::{Address, Direction, IoBusHost};
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
    pub message: Tracked,
    /// The stage of the message that ends with it.
    pub closes: Option<&'static str>,
}

/// The engine.
pub struct HostDma {
    sim: Sim,
    sram: Rc<Sram>,
    host: Rc<IoBusHost>,
    attention: Rc<Signal>,
    registers: Registers<HostJob>,
    tracks: [TrackId; 2],
}

impl HostDma {
    pub(super) fn start(wires: &Wires, host: Rc<IoBusHost>) -> Rc<HostDma> {
        let (sim, name) = (wires.sim.clone(), wires.name);
        let engine = Rc::new(HostDma {
            sram: wires.sram.clone(),
            host,
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

    async fn serve(&self) {
        loop {
            let job = self.registers.next().await;
            let start = self.sim.now();
            self.transfer(&job, start).await;
            self.registers.done(self.sim.now() - start);
        }
    }

    async fn transfer(&self, job: &HostJob, start: Time) {
        let mut stream = self.host.bridge.open(job.direction).await;
        job.message.served(start, self.sim.now());
        let mut moved = Bytes::ZERO;
        while moved < job.bytes {
            let burst = stream.burst(job.bytes - moved).await;
            let (from, to) = (self.sim.now(), self.sim.now() + burst.time);
            self.copy(job, moved, burst.bytes);
            self.sram.set_bus_rate(Some(stream.rate()));
            if let Some(landing) = &job.landing {
                landing.begin(burst.bytes, from, to);
            }
            self.sim.until(to).await;
            self.sram.set_bus_rate(None);
            moved += burst.bytes;
            job.message.served(burst.began, to);
            drop(burst);
            if job.landing.as_ref().is_some_and(|landing| landing.settle()) {
                self.attention.notify();
            }
        }
        stream.close();
        if let Some(stage) = job.closes {
            job.message.close(stage, self.sim.now());
        }
        self.record(job, start);
    }

    /// Moves the bytes of a burst.
    fn copy(&self, job: &HostJob, done: Bytes, bytes: Bytes) {
        let mut data = vec![0; bytes.len()];
        let (host, sram) = (job.host_address + done.get(), job.sram_address + done.get());
        match job.direction {
            Direction::Read => {
                self.host.memory.read(host, &mut data);
                self.sram.store(sram, &data);
            }
            Direction::Write => {
                self.sram.load(sram, &mut data);
                self.host.memory.write(host, &data);
            }
        }
    }

    fn record(&self, job: &HostJob, start: Time) {
        let (track, what) = match job.direction {
            Direction::Read => (self.tracks[0], "hostTx"),
            Direction::Write => (self.tracks[1], "hostRcv"),
        };
        let (message, bytes) = (Some(job.message.id), job.bytes);
        self.sim.recorder().span(Span { track, what, message, bytes, start, end: self.sim.now() });
    }
}
