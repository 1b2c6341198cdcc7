//! The PCI bus: one master at a time, in cycles of its clock.
//!
//! It models arbitration in the order of asking (two masters: bridge and interface, so this is
//! round robin), and the length of a transaction. It leaves out parity, locks and retries.

use super::overhead::BusOverhead;
use crate::engine::resource::Held;
use crate::engine::{Bytes, Hertz, Rate, Resource, Sim, SpanLabel, Time};
use crate::text::Parameters;

/// The parameters of a PCI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(resource = "PCI")]
pub struct PciParameters {
    /// Clock of the bus.
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// What the bus moves in a cycle.
    #[param(min = "1 B", max = "64 B", meaning = Width, resource = "PCI")]
    pub width: Bytes,
}

impl PciParameters {
    /// The bus's peak rate: a full width every cycle.
    pub fn peak(&self) -> Rate {
        Rate::from_bits_per_s(self.clock.0.saturating_mul(8 * self.width.get()))
    }
}

/// A PCI bus.
pub struct Pci {
    sim: Sim,
    parameters: PciParameters,
    bus: Resource,
}

impl Pci {
    /// The idle bus of the host `name`.
    pub fn new(sim: &Sim, name: &str, parameters: PciParameters) -> Pci {
        Pci { sim: sim.clone(), parameters, bus: Resource::new(sim, format!("{name} PCI")).traced(name, "PCI") }
    }

    /// The simulation it lives in.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Becomes master of the bus until the guard is dropped.
    pub async fn master(&self) -> Held<'_> {
        self.bus.acquire().await
    }

    /// The bus as a resource, for utilisation and to see whether another master asks.
    pub fn bus(&self) -> &Resource {
        &self.bus
    }

    /// Holds it as `bus` for a transaction of the processor's, for `what`, which is all its own work.
    pub async fn transact(&self, bus: &Held<'_>, what: &'static str, bytes: Bytes, overhead: BusOverhead) {
        bus.does(SpanLabel { what, message: None, bytes });
        let time = self.transaction(bytes, overhead);
        self.sim.delay(time).await;
        self.bus.moves(time);
    }

    /// Returns the time for which a transaction of `bytes` with this overhead (address, latency of the target,
    /// turn-around) holds the bus.
    pub fn transaction(&self, bytes: Bytes, overhead: BusOverhead) -> Time {
        let data_cycles = bytes.get().div_ceil(self.parameters.width.get());
        overhead.with_data(self.parameters.clock, data_cycles)
    }
}
