//! The LANai interface: a chip on which firmware runs. This module does not depend on the firmware.
//!
//! ```text
//!   PCI ═══ host DMA ══╗           ╔══ network transmit ══▶ link
//!                      ╠══ SRAM ═══╣
//!        processor ════╝           ╚══ network receive ◀══ link
//! ```
//!
//! Datasheet (Yocum et al. 1997, §2): LANai 4.1 at the 33 MHz clock of the bus; dual-ported SRAM in which PCI has
//! priority; three DMA engines, which the firmware starts and whose progress it can read while they run. The firmware
//! runs on one processor, one action at a time. The model leaves out the instruction set (work is given in cycles) and
//! the processor's own memory cycles.

mod host_dma;
mod progress;
mod receive_dma;
mod registers;
mod result_names;
mod sram;
mod transmit_dma;

pub use host_dma::{HostDma, HostJob};
pub use progress::TransferProgress;
pub use receive_dma::{ReceiveDma, ReceiveJob};
pub use result_names::RESULTS;
pub use sram::{Sram, SramParameters};
pub use transmit_dma::{TransmitDma, TransmitJob};

use crate::engine::{Bytes, Class, Hertz, Journey, LocalFuture, Rate, Signal, Sim, SpanLabel, Time, Track};
use crate::fabric::{Fabric, StreamTx};
use crate::host::{Address, Direction, Host, Utilization};
use crate::ni::extensions::HostDmaEngine;
use crate::part::ParameterError;
use crate::text::Parameters;
use std::cell::Cell;
use std::rc::Rc;

/// The reason, shown to users, why the size of the chip's memory has no effect on a run.
pub const SRAM_FITS: &str = "the memory is large enough";

/// The parameters of the chip.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct LanaiParameters {
    /// Clock of the interface's processor.
    #[param(max = "100 GHz", resource = "firmware")]
    pub clock: Hertz,
    /// The interface's memory.
    #[param(table)]
    pub sram: SramParameters,
}

impl LanaiParameters {
    /// Returns an error if the memory is not faster than a bus that moves DMA at `rate`: the memory serves the bus
    /// first, and part of its rate must be left for the network.
    pub fn check_dma_rate(&self, rate: Rate, rate_key: &str) -> Option<ParameterError> {
        if rate < self.sram.rate {
            return None;
        }
        let message = format!(
            "the SRAM's rate of {} is not above that of host DMA, {rate} ({rate_key}), which has priority: nothing is left \
             for the network",
            self.sram.rate
        );
        let help = format!("choose a rate above {rate}");
        Some(ParameterError::new("lanai.sram.rate", message).help(help))
    }
}

/// A LANai on its card: the processor and the engines that firmware programs.
pub struct Lanai {
    pub sim: Sim,
    /// The memory.
    pub sram: Rc<Sram>,
    /// The engine between host memory and SRAM, for both directions.
    pub host_dma: Rc<HostDma>,
    /// The engine towards the link.
    pub transmit: Rc<TransmitDma>,
    /// The engine from the link.
    pub receive: Rc<ReceiveDma>,
    /// Notified when an engine stops, a watched count is reached, or the host writes to the chip.
    pub firmware_wakeup: Rc<Signal>,
    clock: Hertz,
    work_total: Cell<Time>,
    track: Track,
}

impl Lanai {
    /// Starts the chip on the bus of `host` and at the node's port of `fabric`, of which the chip uses the first class.
    /// The host accesses `sram` directly.
    pub fn start(sim: &Sim, parameters: LanaiParameters, sram: Rc<Sram>, host: &Host, fabric: &Fabric) -> Rc<Lanai> {
        let (node, class) = (host.node, Class::REQUESTS);
        let firmware_wakeup = sram.firmware_wakeup();
        let (tx, rx) = fabric.streams(sim, node, &host.name, class);
        let connections = EngineConnections {
            sim: sim.clone(),
            name: &host.name,
            sram: sram.clone(),
            firmware_wakeup: firmware_wakeup.clone(),
            clock: parameters.clock,
            link_rate: tx.rate(),
        };
        Rc::new(Lanai {
            sim: sim.clone(),
            host_dma: HostDma::start(&connections, host.dma_port()),
            transmit: TransmitDma::start(&connections, tx),
            receive: ReceiveDma::start(&connections, rx),
            sram,
            firmware_wakeup,
            clock: parameters.clock,
            work_total: Cell::default(),
            track: sim.recorder().register_track(&host.name, "firmware"),
        })
    }

    /// Advances time by `cycles` of the firmware's work, to an edge of the clock.
    pub async fn work(&self, cycles: u64) {
        let start = self.sim.now();
        self.sim.until(self.clock.edge_after(start, cycles)).await;
        self.work_total.set(self.work_total.get() + (self.sim.now() - start));
        self.sim.recorder().record_span(
            self.track,
            SpanLabel { activity: "work", ..SpanLabel::default() },
            start,
            self.sim.now(),
        );
    }

    /// Returns the utilization of each engine, the firmware and the memory.
    pub fn utilization(&self) -> Vec<Utilization> {
        let (transmit, receive) = (&self.transmit, &self.receive);
        vec![
            Utilization {
                part_name: "host DMA",
                busy: self.host_dma.busy_total(),
                active: self.host_dma.active_total(),
            },
            Utilization::always_active("firmware", self.work_total()),
            Utilization::always_active("SRAM", self.sram.busy_total()),
            Utilization { part_name: "netTx", busy: transmit.busy_total(), active: transmit.active_total() },
            Utilization { part_name: "netRcv", busy: receive.busy_total(), active: receive.active_total() },
        ]
    }

    /// Returns the total time for which the firmware has worked.
    pub fn work_total(&self) -> Time {
        self.work_total.get()
    }
}

impl HostDmaEngine for Lanai {
    fn transfer<'a>(
        &'a self,
        direction: Direction,
        host_address: Address,
        bytes: Bytes,
        journey: Journey,
    ) -> LocalFuture<'a, ()> {
        Box::pin(async move {
            let job = HostJob {
                direction,
                host_address,
                sram_address: 0,
                bytes,
                progress: None,
                journey,
                closed_stage: None,
            };
            self.host_dma.begin(job);
            while !self.host_dma.is_idle() {
                self.firmware_wakeup.wait().await;
            }
        })
    }
}

/// The connections that all engines share.
struct EngineConnections<'a> {
    sim: Sim,
    name: &'a str,
    sram: Rc<Sram>,
    firmware_wakeup: Rc<Signal>,
    clock: Hertz,
    /// The rate of the network engines when the memory is no bottleneck.
    link_rate: Rate,
}
