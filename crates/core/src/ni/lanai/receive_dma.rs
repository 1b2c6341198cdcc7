//! The engine from the link to SRAM (netRcv).
//!
//! The engine accepts bytes only while a transfer is posted; otherwise the link's back-pressure stops the sender
//! (Yocum et al. 1997, §3.2). A posted transfer waits until the sender transmits.

use super::registers::Registers;
use super::{EngineConnections, Sram, TransferProgress};
use crate::engine::record::Span;
use crate::engine::sim::TaskId;
use crate::engine::{Bytes, Rate, Signal, Sim, Time, TrackId};
use crate::fabric::{AnyStreamRx, Packet, Piece, StreamRx};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A transfer from the link to SRAM.
pub struct ReceiveJob {
    pub sram_address: u64,
    /// The progress counter of the transfer, which also holds its length.
    pub progress: Rc<TransferProgress>,
    /// The stage of the message's latency that the end of this transfer closes.
    pub closed_stage: Option<&'static str>,
}

/// The network receive engine.
pub struct ReceiveDma {
    sim: Sim,
    sram: Rc<Sram>,
    firmware_wakeup: Rc<Signal>,
    registers: Registers<ReceiveJob>,
    packet: RefCell<Option<Rc<Packet>>>,
    dropped_packet: RefCell<Option<Rc<Packet>>>,
    end_time: Cell<Time>,
    link_rate: Rate,
    track: TrackId,
}

impl ReceiveDma {
    pub(super) fn start(connections: &EngineConnections, mut rx: AnyStreamRx) -> Rc<ReceiveDma> {
        let (sim, name) = (connections.sim.clone(), connections.name);
        let engine = Rc::new(ReceiveDma {
            sram: connections.sram.clone(),
            firmware_wakeup: connections.firmware_wakeup.clone(),
            registers: Registers::new(connections, "netRcv"),
            packet: RefCell::default(),
            dropped_packet: RefCell::default(),
            end_time: Cell::default(),
            link_rate: connections.link_rate,
            track: sim.recorder().track(name, "netRcv"),
            sim: sim.clone(),
        });
        let server = engine.clone();
        sim.spawn_server(format!("{name} netRcv"), async move { server.serve(&mut rx).await });
        engine
    }

    /// Returns whether a transfer can be posted.
    pub fn is_idle(&self) -> bool {
        self.registers.is_idle()
    }

    /// Posts a transfer on the idle engine.
    pub fn begin(&self, job: ReceiveJob) {
        self.registers.begin(job);
    }

    /// Returns the packet of the last transfer that received bytes.
    pub fn packet(&self) -> Option<Rc<Packet>> {
        self.packet.borrow().clone()
    }

    /// Returns the time at which the last transfer ended.
    pub fn end_time(&self) -> Time {
        self.end_time.get()
    }

    /// Takes the packet that was dropped during the last transfer, if there was one.
    pub fn take_dropped(&self) -> Option<Rc<Packet>> {
        self.dropped_packet.borrow_mut().take()
    }

    /// Records the task that posts transfers, for the deadlock report.
    pub fn set_poster(&self, task: TaskId) {
        self.sim.set_holder(self.registers.idle_wait_reason(), task);
    }

    /// Returns the total time for which the engine has moved bytes.
    pub fn busy_total(&self) -> Time {
        self.registers.busy_total()
    }

    /// Returns the time that the moved bytes would have taken at the link's rate.
    pub fn active_total(&self) -> Time {
        self.registers.active_total()
    }

    async fn serve(&self, rx: &mut AnyStreamRx) {
        rx.set_receiver(self.sim.current());
        loop {
            let job = self.registers.next().await;
            self.transfer(&job, rx).await;
            self.registers.complete();
        }
    }

    /// Performs a transfer.
    async fn transfer(&self, job: &ReceiveJob, rx: &mut AnyStreamRx) {
        let mut first_arrival = None;
        let mut received_bytes = Bytes::ZERO;
        while received_bytes < job.progress.total() {
            match rx.next(job.progress.total() - received_bytes).await {
                Piece::Bytes { packet, bytes, time, last, .. } => {
                    first_arrival.get_or_insert(self.sim.now());
                    self.receive_bytes(job, received_bytes, &packet, (bytes, time), rx).await;
                    rx.return_credit(bytes);
                    if job.progress.end_burst() {
                        self.firmware_wakeup.notify();
                    }
                    received_bytes += bytes;
                    *self.packet.borrow_mut() = Some(packet);
                    if last {
                        break;
                    }
                }
                Piece::Dropped(packet) => {
                    *self.dropped_packet.borrow_mut() = Some(packet);
                    return;
                }
            }
        }
        self.end_time.set(self.sim.now());
        if let (Some(stage), Some(packet)) = (job.closed_stage, self.packet()) {
            packet.journey.close(stage, self.sim.now());
        }
        self.record(received_bytes, first_arrival.unwrap_or(self.sim.now()));
    }

    /// Receives bytes at the rate of the link, or of the memory if that is slower.
    async fn receive_bytes(
        &self,
        job: &ReceiveJob,
        received_bytes: Bytes,
        packet: &Rc<Packet>,
        (bytes, time): (Bytes, Time),
        rx: &AnyStreamRx,
    ) {
        packet.take(bytes, |data| self.sram.store(job.sram_address + received_bytes.get(), data));
        self.sram.begin_network();
        let start = self.sim.now();
        let link_time = self.link_rate.time_for(bytes);
        let memory_time =
            self.sram.network_time(link_time, start, |rate| rx.end_of_transfer(start, bytes, rate) - start);
        let time = time.max(memory_time);
        job.progress.begin(bytes, start, start + time);
        self.registers.begin_work();
        self.sim.delay(time).await;
        self.registers.end_work();
        // Bytes that arrived earlier can be received faster than at the link's rate.
        self.registers.record_active(link_time.min(time));
        self.sram.end_network();
        packet.journey.add_service(start, self.sim.now());
    }

    fn record(&self, bytes: Bytes, start: Time) {
        let message = self.packet.borrow().as_ref().and_then(|packet| packet.journey.id());
        self.sim.recorder().span(Span {
            track: self.track,
            activity: "netRcv",
            message,
            bytes,
            start,
            end: self.sim.now(),
        });
    }
}
