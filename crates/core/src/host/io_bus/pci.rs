//! The PCI bus: one initiator at a time, in cycles of its clock.
//!
//! The module models the length of a transaction, and arbitration in the order of requests, which is round robin
//! because there are only two initiators, the bridge and the interface. The module leaves out parity, locks and
//! retries.

use super::overhead::BusOverhead;
use crate::engine::resource::ResourceHold;
use crate::engine::{Bytes, Hertz, Rate, Resource, Sim, SpanLabel, Time};
use crate::text::Parameters;

/// The parameters of a PCI bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(resource = "PCI")]
pub struct PciParameters {
    /// Clock of the bus.
    #[param(max = "100 GHz")]
    pub clock: Hertz,
    /// Bytes that the bus moves in a cycle.
    #[param(min = "1 B", max = "64 B", meaning = Width, resource = "PCI")]
    pub width: Bytes,
}

impl PciParameters {
    /// Returns the peak rate of the bus: a full width in every cycle.
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
    /// Creates the bus of the host `name`.
    pub fn new(sim: &Sim, name: &str, parameters: PciParameters) -> Pci {
        Pci { sim: sim.clone(), parameters, bus: Resource::new(sim, format!("{name} PCI")).traced(name, "PCI") }
    }

    /// Returns the simulation.
    pub fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Acquires the bus until the guard is dropped.
    pub async fn acquire_bus(&self) -> ResourceHold<'_> {
        self.bus.acquire().await
    }

    /// Returns the bus as a resource.
    pub fn bus(&self) -> &Resource {
        &self.bus
    }

    /// Runs a transaction of the processor on the held `bus`, and records it as a span named `activity`. The bus is
    /// active for the whole transaction.
    pub async fn transact(&self, bus: &ResourceHold<'_>, activity: &'static str, bytes: Bytes, overhead: BusOverhead) {
        bus.set_span_label(SpanLabel { activity, message: None, bytes });
        let time = self.transaction_time(bytes, overhead);
        self.sim.delay(time).await;
        self.bus.add_moved_time(time);
    }

    /// Returns the time for which a transaction of `bytes` holds the bus. The overhead includes the address, the
    /// latency of the target, and turn-around.
    pub fn transaction_time(&self, bytes: Bytes, overhead: BusOverhead) -> Time {
        let data_cycles = bytes.get().div_ceil(self.parameters.width.get());
        overhead.transaction_time(self.parameters.clock, data_cycles)
    }
}
