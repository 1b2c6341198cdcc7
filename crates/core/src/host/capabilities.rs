//! The capabilities of a host, identified by name. Interfaces require them of their host.
//!
//! A host from another crate may offer, and an interface may require, capabilities that this crate does not define.

/// The capabilities that a host offers or that an interface requires, each with its amount.
///
/// The well-known names come first, in the order in which they are declared here; others follow in the order of their
/// names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostCapabilities {
    amounts: Vec<(&'static str, u64)>,
}

impl HostCapabilities {
    /// Registers of devices that the processor reads and writes.
    pub const REGISTERS: &'static str = "registers";
    /// Blocks of 64 bytes that the processor reads and writes in one access.
    pub const BLOCKS: &'static str = "blocks";
    /// Access to main memory for the interface's engines. The amount is the number of reads that may be outstanding.
    pub const DMA: &'static str = "DMA";
    /// A cache that snoops, for queues in cacheable memory.
    pub const COHERENT: &'static str = "a coherent memory bus";
    /// Windows of devices in which the processor combines stores.
    pub const WRITE_COMBINING: &'static str = "write-combined windows";
    /// Devices that take time to answer ([`AsyncDevice`](super::AsyncDevice)).
    pub const ASYNC_DEVICES: &'static str = "devices that take time to answer";
    /// Interrupts of the processor by the interface. The amount is the number of vectors.
    pub const INTERRUPTS: &'static str = "interrupts";
    /// A cache whose misses the interface serves.
    pub const DELEGATED_MISSES: &'static str = "a cache whose misses the interface serves";

    /// No capability.
    pub const NONE: HostCapabilities = HostCapabilities { amounts: Vec::new() };

    const WELL_KNOWN: [&'static str; 8] = [
        Self::REGISTERS,
        Self::BLOCKS,
        Self::DMA,
        Self::COHERENT,
        Self::WRITE_COMBINING,
        Self::ASYNC_DEVICES,
        Self::INTERRUPTS,
        Self::DELEGATED_MISSES,
    ];

    /// Returns the capabilities `names`, each with the amount 1.
    pub fn of<const N: usize>(names: [&'static str; N]) -> HostCapabilities {
        names.into_iter().fold(HostCapabilities::NONE, |all, name| all.with(name, 1))
    }

    /// Sets the amount of the capability `name`.
    #[must_use]
    pub fn with(mut self, name: &'static str, amount: u64) -> HostCapabilities {
        self.amounts.retain(|(known, _)| *known != name);
        self.amounts.push((name, amount));
        self.amounts.sort_by_key(|(name, _)| (Self::rank(name), *name));
        self
    }

    /// Returns the amount of the capability `name`; 0 if it is missing.
    pub fn amount(&self, name: &str) -> u64 {
        self.amounts.iter().find(|(known, _)| *known == name).map_or(0, |(_, amount)| *amount)
    }

    /// Returns the names of the capabilities of which `self` has a smaller amount than `required`.
    pub fn missing(&self, required: &HostCapabilities) -> Vec<&'static str> {
        let is_missing = |(name, amount): &&(&'static str, u64)| self.amount(name) < *amount;
        required.amounts.iter().filter(is_missing).map(|(name, _)| *name).collect()
    }

    fn rank(name: &str) -> usize {
        Self::WELL_KNOWN.iter().position(|known| *known == name).unwrap_or(Self::WELL_KNOWN.len())
    }
}

#[cfg(test)]
mod tests {
    use super::HostCapabilities as Capabilities;

    #[test]
    fn missing_capabilities_are_listed_in_declaration_order_and_compared_by_amount() {
        let required = Capabilities::of([Capabilities::INTERRUPTS, "a clock of its own", Capabilities::DMA])
            .with(Capabilities::REGISTERS, 1);
        assert_eq!(Capabilities::NONE.missing(&required), ["registers", "DMA", "interrupts", "a clock of its own"]);
        let offered = Capabilities::of([
            Capabilities::REGISTERS,
            Capabilities::DMA,
            Capabilities::INTERRUPTS,
            "a clock of its own",
        ]);
        assert!(offered.missing(&required).is_empty());
        assert_eq!(offered.missing(&required.with(Capabilities::INTERRUPTS, 64)), ["interrupts"]);
    }
}
