//! The LANai interface: a chip on which firmware runs. Nothing here knows which firmware.
//!
//! ```text
//!   PCI ═══ host DMA ══╗           ╔══ network transmit ══▶ link
//!                      ╠══ SRAM ═══╣
//!        processor ════╝           ╚══ network receive ◀══ link
//! ```
//!
//! Datasheet (Yocum et al. 1997, §2): LANai 4.1 at the 33 MHz clock of the bus; dual-ported SRAM in
//! which PCI comes first; three DMA engines, each started by the firmware and each showing how far
//! it has come while it runs. The firmware's time is the processor's: it does one thing at a time.
//! It leaves out the instruction set (work is stated in cycles) and the memory cycles that the
//! processor itself takes.

mod host_dma;
mod landing;
mod receive_dma;
mod registers;
mod sram;
mod transmit_dma;

pub use host_dma::{HostDma, HostJob};
pub use landing::Landing;
pub use receive_dma::{ReceiveDma, ReceiveJob};
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

/// Why the size of the chip's memory has no effect on a run, for the firmware that uses it.
pub const SRAM_FITS: &str = "what is in the memory fits";

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
    /// Returns what is wrong on a host whose bus moves DMA at `rate`: the chip's memory serves the bus first, and
    /// something must be left for the network.
    pub fn check_dma_rate(&self, rate: Rate, rate_table: &str) -> Option<ParameterError> {
        if rate < self.sram.rate {
            return None;
        }
        let message = format!("memory of {} leaves nothing for the network beside DMA at {rate}", self.sram.rate);
        let help = format!("the bus comes first: more than the rates of {rate_table}");
        Some(ParameterError::new("lanai.sram.rate", message).help(help))
    }
}

/// A LANai on its card: what firmware programs.
pub struct Lanai {
    /// The simulation it acts in.
    pub sim: Sim,
    /// The memory.
    pub sram: Rc<Sram>,
    /// The engine towards host memory, both ways.
    pub host_dma: Rc<HostDma>,
    /// The engine towards the link.
    pub transmit: Rc<TransmitDma>,
    /// The engine from the link.
    pub receive: Rc<ReceiveDma>,
    /// Told when an engine stops, a watched count is reached, or the host writes.
    pub attention: Rc<Signal>,
    clock: Hertz,
    worked: Cell<Time>,
    track: Track,
}

impl Lanai {
    /// The chip on `host`'s bus and at its node's place in `fabric`, whose first class it uses; `sram` is
    /// what the host sees.
    pub fn start(sim: &Sim, parameters: LanaiParameters, sram: Rc<Sram>, host: &Host, fabric: &Fabric) -> Rc<Lanai> {
        let (node, class) = (host.node, Class::REQUESTS);
        let attention = sram.attention();
        let (tx, rx) = fabric.streams(sim, node, &host.name, class);
        let wires = Wires {
            sim: sim.clone(),
            name: &host.name,
            sram: sram.clone(),
            attention: attention.clone(),
            clock: parameters.clock,
            link_rate: tx.rate(),
        };
        Rc::new(Lanai {
            sim: sim.clone(),
            host_dma: HostDma::start(&wires, host.dma_port()),
            transmit: TransmitDma::start(&wires, tx),
            receive: ReceiveDma::start(&wires, rx),
            sram,
            attention,
            clock: parameters.clock,
            worked: Cell::default(),
            track: sim.recorder().register_track(&host.name, "firmware"),
        })
    }

    /// The firmware works for `cycles`, ending on an edge of the clock.
    pub async fn work(&self, cycles: u64) {
        let start = self.sim.now();
        self.sim.until(self.clock.edge_after(start, cycles)).await;
        self.worked.set(self.worked.get() + (self.sim.now() - start));
        self.sim.recorder().record_span(
            self.track,
            SpanLabel { what: "work", ..SpanLabel::default() },
            start,
            self.sim.now(),
        );
    }

    /// For how long each part was at work.
    pub fn utilization(&self) -> Vec<Utilization> {
        let (transmit, receive) = (&self.transmit, &self.receive);
        vec![
            Utilization { what: "host DMA", busy: self.host_dma.busy_total(), active: self.host_dma.moved_total() },
            Utilization::always_active("firmware", self.worked()),
            Utilization::always_active("SRAM", self.sram.busy_total()),
            Utilization { what: "netTx", busy: transmit.busy_total(), active: transmit.moved_total() },
            Utilization { what: "netRcv", busy: receive.busy_total(), active: receive.moved_total() },
        ]
    }

    /// How long the firmware has worked in all.
    pub fn worked(&self) -> Time {
        self.worked.get()
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
            let job = HostJob { direction, host_address, sram_address: 0, bytes, landing: None, journey, closes: None };
            self.host_dma.begin(job);
            while !self.host_dma.is_idle() {
                self.attention.wait().await;
            }
        })
    }
}

/// What every engine is wired to.
struct Wires<'a> {
    sim: Sim,
    name: &'a str,
    sram: Rc<Sram>,
    attention: Rc<Signal>,
    clock: Hertz,
    /// The pace of the network engines, where memory and wire keep up.
    link_rate: Rate,
}
