//! The interrupt line from an interface to its processor.

use crate::engine::{Signal, Sim, Time};
use std::cell::Cell;

/// Why the latency of interrupts has no effect on a run without any.
pub const POLLED: &str = "the interface is polled";

/// An interrupt line: raised by the device, taken by one handler. Raising it twice before it is taken gives one
/// interrupt, for the causes of both.
pub struct InterruptLine {
    sim: Sim,
    /// Time from the line to the first instruction of the handler.
    latency: Time,
    /// Causes that were raised and not taken yet, a bit each.
    raised: Cell<u32>,
    change: Signal,
}

impl InterruptLine {
    /// Returns an idle line of the host `name`.
    pub fn new(sim: &Sim, name: &str, latency: Time) -> InterruptLine {
        let change = Signal::new(sim, format!("{name} interrupt"));
        InterruptLine { sim: sim.clone(), latency, raised: Cell::new(0), change }
    }

    /// Raises the line for `causes`, a bit each.
    pub fn raise(&self, causes: u32) {
        self.raised.set(self.raised.get() | causes);
        self.change.notify();
    }

    /// Waits until the line is raised, lowers it, and starts the handler; returns the causes that were raised.
    pub async fn taken(&self) -> u32 {
        while self.raised.get() == 0 {
            self.change.wait().await;
        }
        let causes = self.raised.take();
        self.sim.delay(self.latency).await;
        causes
    }
}
