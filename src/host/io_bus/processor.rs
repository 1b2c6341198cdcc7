//! The processor: one program at a time, in cycles of its clock, and its interrupts.
//!
//! It models the time that messaging software takes. It leaves out instructions and caches.

use crate::engine::resource::Held;
use crate::engine::{Hertz, Resource, Signal, Sim, Time};
use crate::text::Table;
use std::cell::Cell;

/// The parameters of a processor.
#[derive(Clone, Copy, Debug)]
pub struct ProcessorParameters {
    /// Its clock.
    pub clock: Hertz,
    /// From an interrupt raised to the first instruction of its handler.
    pub interrupt_latency: Time,
}

impl ProcessorParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> ProcessorParameters {
        ProcessorParameters {
            clock: t.hertz("clock", "Clock of the processor").required(),
            interrupt_latency: t.time("interrupt-latency", "From an interrupt to its handler").required(),
        }
    }
}

/// A processor; its time is a resource that programs and interrupt handlers share.
pub struct Processor {
    sim: Sim,
    parameters: ProcessorParameters,
    time: Resource,
}

impl Processor {
    /// The idle processor of the host `name`.
    pub fn new(sim: &Sim, name: &str, parameters: ProcessorParameters) -> Processor {
        Processor { sim: sim.clone(), parameters, time: Resource::new(sim, format!("{name} processor")) }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &ProcessorParameters {
        &self.parameters
    }

    /// Takes the processor until the guard is dropped.
    pub async fn hold(&self) -> Held<'_> {
        self.time.acquire().await
    }

    /// Runs `cycles` of software on a processor that is held.
    pub async fn work(&self, _held: &Held<'_>, cycles: u64) {
        self.sim.delay(self.parameters.clock.cycles(cycles)).await;
    }

    /// Its time as a resource, for utilisation.
    pub fn time(&self) -> &Resource {
        &self.time
    }
}

/// An interrupt line: raised by the device, taken by one handler; raising it twice before it is
/// taken is one interrupt.
pub struct InterruptLine {
    raised: Cell<bool>,
    change: Signal,
}

impl InterruptLine {
    /// A line at rest.
    pub fn new(sim: &Sim, name: &str) -> InterruptLine {
        InterruptLine { raised: Cell::new(false), change: Signal::new(sim, format!("{name} interrupt")) }
    }

    /// Raises the line.
    pub fn raise(&self) {
        self.raised.set(true);
        self.change.notify();
    }

    /// Waits until the line is raised, and lowers it.
    pub async fn taken(&self) {
        while !self.raised.replace(false) {
            self.change.wait().await;
        }
    }
}
