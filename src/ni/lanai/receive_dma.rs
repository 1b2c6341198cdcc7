//! The engine from the link to SRAM (netRcv).
//!
//! It takes what arrives only while a transfer is posted; else the link's back-pressure stops the
//! sender (Yocum et al. 1997, §3.2). Its transfers stall until the sender transmits.

use super::registers::Registers;
use super::{Landing, Sram, Wires};
use crate::engine::record::Span;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, NodeId, Signal, Sim, Time, TrackId};
use crate::fabric::myrinet::Myrinet;
use crate::fabric::{Arrival, Packet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A transfer from the link to SRAM.
pub struct ReceiveJob {
    /// Where in SRAM.
    pub sram_address: u64,
    /// The counter that shows its progress; it states how much.
    pub landing: Rc<Landing>,
    /// The stage of the message that ends with it.
    pub closes: Option<&'static str>,
}

/// The engine.
pub struct ReceiveDma {
    sim: Sim,
    sram: Rc<Sram>,
    fabric: Rc<Myrinet>,
    node: NodeId,
    attention: Rc<Signal>,
    registers: Registers<ReceiveJob>,
    packet: RefCell<Option<Rc<Packet>>>,
    dropped: RefCell<Option<Rc<Packet>>>,
    ended: Cell<Time>,
    track: TrackId,
}

impl ReceiveDma {
    pub(super) fn start(wires: &Wires, fabric: Rc<Myrinet>, node: NodeId) -> Rc<ReceiveDma> {
        let (sim, name) = (wires.sim.clone(), wires.name);
        let engine = Rc::new(ReceiveDma {
            sram: wires.sram.clone(),
            fabric,
            node,
            attention: wires.attention.clone(),
            registers: Registers::new(wires, "netRcv"),
            packet: RefCell::default(),
            dropped: RefCell::default(),
            ended: Cell::default(),
            track: sim.recorder().track(name, "netRcv"),
            sim: sim.clone(),
        });
        let serve = engine.clone();
        let task = sim.spawn_server(format!("{name} netRcv"), async move { serve.serve().await });
        engine.fabric.set_receiver(node, task);
        engine
    }

    /// Whether a transfer can be posted.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Posts a transfer on the idle engine.
    pub fn begin(&self, job: ReceiveJob) {
        self.registers.begin(job);
    }

    /// The packet of the last transfer that ended.
    pub fn packet(&self) -> Option<Rc<Packet>> {
        self.packet.borrow().clone()
    }

    /// When the last transfer ended.
    pub fn ended(&self) -> Time {
        self.ended.get()
    }

    /// The packet that was dropped during the last transfer, if one was; asking clears it.
    pub fn take_dropped(&self) -> Option<Rc<Packet>> {
        self.dropped.borrow_mut().take()
    }

    /// States who posts its transfers, for the tale of a stuck run.
    pub fn set_poster(&self, task: TaskId) {
        self.sim.set_holder(self.registers.work(), task);
    }

    /// How long the engine has moved bytes in all.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    async fn serve(&self) {
        loop {
            let job = self.registers.next().await;
            let worked = self.transfer(&job).await;
            self.registers.done(worked);
        }
    }

    /// Takes a transfer; how long it moved bytes.
    async fn transfer(&self, job: &ReceiveJob) -> Time {
        let mut worked = Time::ZERO;
        let mut first = None;
        let mut taken = Bytes::ZERO;
        while taken < job.landing.total() {
            match self.fabric.arrival(self.node).await {
                Arrival::Data { packet, bytes, time } => {
                    first.get_or_insert(self.sim.now());
                    worked += self.take(job, taken, &packet, bytes, time).await;
                    taken += bytes;
                    *self.packet.borrow_mut() = Some(packet);
                }
                Arrival::Dropped(packet) => {
                    *self.dropped.borrow_mut() = Some(packet);
                    return worked;
                }
            }
        }
        self.ended.set(self.sim.now());
        if let (Some(stage), Some(packet)) = (job.closes, self.packet()) {
            packet.message.close(stage, self.sim.now());
        }
        self.record(taken, first.unwrap_or(self.sim.now()));
        worked
    }

    /// Takes bytes at the pace of the wire, or of the memory if that is slower.
    async fn take(&self, job: &ReceiveJob, taken: Bytes, packet: &Rc<Packet>, bytes: Bytes, time: Time) -> Time {
        let mut data = vec![0; bytes.len()];
        packet.take(&mut data);
        self.sram.store(job.sram_address + taken.get(), &data);
        self.sram.network_begins();
        let (start, time) = (self.sim.now(), time.max(self.sram.network_rate().time_for(bytes)));
        job.landing.begin(bytes, start, start + time);
        self.sim.delay(time).await;
        self.sram.network_ends();
        packet.message.served(start, self.sim.now());
        self.fabric.taken(self.node, bytes);
        if job.landing.settle() {
            self.attention.notify();
        }
        time
    }

    fn record(&self, bytes: Bytes, start: Time) {
        let message = self.packet.borrow().as_ref().map(|packet| packet.message.id);
        self.sim.recorder().span(Span {
            track: self.track,
            what: "netRcv",
            message,
            bytes,
            start,
            end: self.sim.now(),
        });
    }
}
