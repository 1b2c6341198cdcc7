//! The parameters of the processor, and its interrupt line.

use crate::engine::{Hertz, Signal, Sim, Time};
use crate::text::Parameters;
use std::cell::Cell;

/// The parameters of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
pub struct IoBusProcessorParameters {
    /// Clock of the processor.
    pub clock: Hertz,
    /// From an interrupt to its handler.
    ///
    /// Until the first instruction of the handler.
    pub interrupt_latency: Time,
}

/// An interrupt line: raised by the device, taken by one handler; raising it twice before it is
/// taken is one interrupt, for the causes of both.
pub struct InterruptLine {
    sim: Sim,
    /// From the line to the first instruction of the handler.
    latency: Time,
    /// What it was raised for and nobody has taken: a bit of each cause.
    raised: Cell<u32>,
    change: Signal,
}

impl InterruptLine {
    /// A line at rest.
    pub fn new(sim: &Sim, name: &str, latency: Time) -> InterruptLine {
        let change = Signal::new(sim, format!("{name} interrupt"));
        InterruptLine { sim: sim.clone(), latency, raised: Cell::new(0), change }
    }

    /// Raises the line for causes, a bit each.
    pub fn raise(&self, causes: u32) {
        self.raised.set(self.raised.get() | causes);
        self.change.notify();
    }

    /// Waits until the line is raised, lowers it, and begins the handler: the causes there are by then.
    pub async fn taken(&self) -> u32 {
        while self.raised.get() == 0 {
            self.change.wait().await;
        }
        let causes = self.raised.take();
        self.sim.delay(self.latency).await;
        causes
    }
}
