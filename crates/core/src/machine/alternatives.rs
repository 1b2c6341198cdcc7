//! Parts that a message may suggest instead of an incompatible one: the parts of the registry that have the missing
//! capability.

use super::host_capabilities::CapabilitiesOfHostKind;
use super::registry::Registry;
use super::selections::{FabricPart, InterfacePart, ProtocolPart};
use crate::host::HostCapabilities;
use crate::ni::EndpointLimit;
use crate::part::{PartFamily, PartSpec, Selected};
use crate::protocol::{Guarantees, ProtocolEnvironment};

/// Returns the tables of the parts that satisfy `fits`, in the form of a help text: `[ni.a] or [ni.b]`.
fn tables_of_parts<S: ?Sized + PartSpec>(family: &PartFamily<S>, fits: impl Fn(&Selected<S>) -> bool) -> Vec<String> {
    family.default_parts().iter().filter(|part| fits(part)).map(|part| format!("[{}]", part.table())).collect()
}

/// Returns the help text to choose one of `tables`, or that no part has the missing capability.
fn needs_one_of(tables: &[String]) -> String {
    if tables.is_empty() {
        return "no registered part has this capability".to_owned();
    }
    format!("choose {}", tables.join(" or "))
}

/// Returns the guarantees of a protocol on a fabric that may deliver out of order.
fn guarantees(protocol: &ProtocolPart) -> Guarantees {
    protocol.guarantees(&ProtocolEnvironment::new(1, false))
}

impl Registry {
    /// Returns the keys of the kinds of host that offer the required capabilities, each with the key and the value that
    /// a host must state for that, if any.
    pub fn hosts_that_offer(
        &self,
        required: &HostCapabilities,
    ) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
        let offers_required = |kind: &&CapabilitiesOfHostKind| kind.capabilities.missing(required).is_empty();
        self.host_capabilities.iter().filter(offers_required).map(|kind| (kind.key, (kind.required_setting)(required)))
    }

    /// Returns a help text that names the interfaces that satisfy `fits`, whatever their values.
    pub(super) fn needs_interface(&self, fits: impl Fn(&InterfacePart) -> bool) -> String {
        needs_one_of(&tables_of_parts(self.interfaces(), fits))
    }

    /// Returns a help text that names the fabrics that satisfy `fits`, whatever their values.
    pub(super) fn needs_fabric(&self, fits: impl Fn(&FabricPart) -> bool) -> String {
        needs_one_of(&tables_of_parts(self.fabrics(), fits))
    }

    /// Returns the table of the interface whose header names the most nodes, such as `ni.queues`.
    pub(super) fn widest_interface(&self) -> String {
        let address_space = |interface: &&InterfacePart| {
            let limits = interface.limits();
            let endpoints = match limits.endpoints {
                EndpointLimit::PerNode(endpoints) => u64::from(endpoints),
                EndpointLimit::Total(_) => 1,
            };
            (limits.nodes, endpoints)
        };
        let widest = self.interfaces().default_parts().iter().max_by_key(address_space);
        widest.map_or_else(|| self.interfaces().table().to_owned(), Selected::table)
    }

    /// Returns a help text that names the protocols that survive loss: first those that always do, then those that do
    /// if a table enables retransmission.
    pub(super) fn needs_retransmission(&self) -> String {
        let always_retransmitting = tables_of_parts(self.protocols(), |protocol| {
            guarantees(protocol).survives_loss && protocol.retransmission_key().is_none()
        });
        let all_protocols = self.protocols().default_parts().iter();
        let retransmitting_if_enabled =
            all_protocols.filter_map(|protocol| Some(format!("[{}]", protocol.key(protocol.retransmission_key()?))));
        needs_one_of(&always_retransmitting.into_iter().chain(retransmitting_if_enabled).collect::<Vec<_>>())
    }

    /// Returns the tables of the protocols that survive loss on a fabric that may deliver out of order.
    pub(super) fn order_free_retransmission(&self) -> String {
        let fits = |protocol: &ProtocolPart| guarantees(protocol).survives_loss && !guarantees(protocol).needs_order;
        tables_of_parts(self.protocols(), fits).join(" or ")
    }

    /// Returns the table of the first protocol that delivers in order on any fabric.
    pub(super) fn order_keeping_protocol(&self) -> Option<String> {
        tables_of_parts(self.protocols(), |protocol| guarantees(protocol).in_order).into_iter().next()
    }
}
