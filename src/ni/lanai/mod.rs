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

use crate::engine::{Hertz, NodeId, Signal, Sim, Time};
use crate::fabric::myrinet::Myrinet;
use crate::host::io_bus::IoBusHost;
use crate::text::Table;
use std::cell::Cell;
use std::rc::Rc;

/// The parameters of the chip.
#[derive(Clone, Copy, Debug)]
pub struct LanaiParameters {
    /// The clock of the processor.
    pub clock: Hertz,
    /// The memory.
    pub sram: SramParameters,
}

impl LanaiParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> LanaiParameters {
        LanaiParameters {
            clock: t.hertz("clock", "Clock of the interface's processor").required(),
            sram: t.table("sram", "The interface's memory", SramParameters::read),
        }
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
}

impl Lanai {
    /// The chip of `node`, on `host`'s bus and `fabric`'s port; `sram` is what the host sees.
    pub fn start(
        sim: &Sim,
        name: &str,
        parameters: LanaiParameters,
        sram: Rc<Sram>,
        host: Rc<IoBusHost>,
        fabric: Rc<Myrinet>,
    ) -> Rc<Lanai> {
        let node: NodeId = host.node;
        let attention = sram.attention();
        let wires = Wires { sim: sim.clone(), name, sram: sram.clone(), attention: attention.clone() };
        Rc::new(Lanai {
            sim: sim.clone(),
            host_dma: HostDma::start(&wires, host),
            transmit: TransmitDma::start(&wires, fabric.clone()),
            receive: ReceiveDma::start(&wires, fabric, node),
            sram,
            attention,
            clock: parameters.clock,
            worked: Cell::default(),
        })
    }

    /// The firmware works for `cycles`, ending on an edge of the clock.
    pub async fn work(&self, cycles: u64) {
        let start = self.sim.now();
        self.sim.until(self.clock.edge_after(start, cycles)).await;
        self.worked.set(self.worked.get() + (self.sim.now() - start));
    }

    /// How long the firmware has worked in all.
    pub fn worked(&self) -> Time {
        self.worked.get()
    }
}

/// What every engine is wired to.
struct Wires<'a> {
    sim: Sim,
    name: &'a str,
    sram: Rc<Sram>,
    attention: Rc<Signal>,
}
