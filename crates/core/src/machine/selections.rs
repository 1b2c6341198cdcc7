//! The registered parts that a description selects, family by family.

use super::registry::Registry;
use crate::fabric::FabricSpec;
use crate::host::HostSpec;
use crate::ni::InterfaceSpec;
use crate::part::{PartInfo, Selected};
use crate::program::WorkloadSpec;
use crate::protocol::ProtocolSpec;
use crate::text::Table;

/// An interface that a description selects.
pub type InterfacePart = Selected<dyn InterfaceSpec>;

/// A protocol that a description selects.
pub type ProtocolPart = Selected<dyn ProtocolSpec>;

/// A fabric that a description selects.
pub type FabricPart = Selected<dyn FabricSpec>;

/// A workload that a description selects.
pub type Workload = Selected<dyn WorkloadSpec>;

/// A kind of host that a description selects.
pub type HostPart = Selected<dyn HostSpec>;

impl Registry {
    /// Reads the kinds of host of a description, by name.
    pub(super) fn read_hosts(&self, t: &mut Table<'_>) -> Vec<(String, HostPart)> {
        let read = |t: &mut Table<'_>| self.hosts().read_variant(t, self.hosts().table());
        let hosts = t.map(self.hosts().table(), "Hosts, by name, each of one kind", read).into_iter();
        hosts.map(|(name, host)| (name.clone(), host.nested_in(format!("{}.{name}", self.hosts().table())))).collect()
    }

    /// Reads the protocol of a description. If it selects none, the result is queues without a protocol.
    pub fn read_protocol(&self, t: &mut Table<'_>) -> ProtocolPart {
        self.protocols().read(t)
    }

    /// Reads the fabric of a description.
    pub fn read_fabric(&self, t: &mut Table<'_>) -> FabricPart {
        self.fabrics().read(t)
    }

    /// Reads the workload of a description.
    pub fn read_workload(&self, t: &mut Table<'_>) -> Workload {
        self.workloads().read(t)
    }

    /// Returns the table of the part called `key`, in its shortest description, from any family; the text is empty if
    /// there is no such part.
    pub(super) fn example_table(&self, key: &str) -> String {
        let host = self.hosts().get(key).map(|entry| format!("[hosts.{key}.{key}]\n{}\n", entry.info.example));
        let tables = [
            host,
            self.interfaces().example_table(key),
            self.protocols().example_table(key),
            self.fabrics().example_table(key),
        ];
        tables.into_iter().flatten().next().unwrap_or_default()
    }

    /// Reports protocols that are written as if they were interfaces.
    pub(super) fn refuse_protocols_as_interfaces(&self, t: &Table<'_>) {
        for PartInfo { key, former_names, .. } in self.protocols().iter().map(|entry| entry.info) {
            for name in former_names.iter().copied().chain([key]) {
                t.not_a_variant("ni", name, || {
                    let message = match name == key {
                        true => format!("`{name}` is a protocol, not an interface"),
                        false => format!("`{name}` is the former name of the protocol `{key}`, not an interface"),
                    };
                    let widest = self.widest_interface();
                    (message, format!("write [protocol.{key}], with [{widest}] or another interface"))
                });
            }
        }
    }
}
