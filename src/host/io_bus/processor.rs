//! The parameters of the processor, and its interrupt line.

use crate::engine::{Hertz, Signal, Sim, Time};
use crate::text::Table;
use std::cell::Cell;

/// The parameters of a processor.
#[derive(Clone, Copy, Debug)]
pub struct IoBusProcessorParameters {
    /// Its clock.
    pub clock: Hertz,
    /// From an interrupt raised to the first instruction of its handler.
    pub interrupt_latency: Time,
}

impl IoBusProcessorParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> IoBusProcessorParameters {
        IoBusProcessorParameters {
            clock: t.hertz("clock", "Clock of the processor").required(),
            interrupt_latency: t.time("interrupt-latency", "From an interrupt to its handler").required(),
        }
    }
}

/// An interrupt line: raised by the device, taken by one handler; raising it twice before it is
/// taken is one interrupt.
pub struct InterruptLine {
    sim: Sim,
    /// From the line to the first instruction of the handler.
    latency: Time,
    raised: Cell<bool>,
    change: Signal,
}

impl InterruptLine {
    /// A line at rest.
    pub fn new(sim: &Sim, name: &str, latency: Time) -> InterruptLine {
        let change = Signal::new(sim, format!("{name} interrupt"));
        InterruptLine { sim: sim.clone(), latency, raised: Cell::new(false), change }
    }

    /// Raises the line.
    pub fn raise(&self) {
        self.raised.set(true);
        self.change.notify();
    }

    /// Waits until the line is raised, lowers it, and begins the handler.
    pub async fn taken(&self) {
        while !self.raised.replace(false) {
            self.change.wait().await;
        }
        self.sim.delay(self.latency).await;
    }
}
