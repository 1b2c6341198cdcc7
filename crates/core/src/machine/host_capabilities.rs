//! The capabilities that each kind of host offers.

use crate::host::HostCapabilities;

/// The capabilities of a kind of host.
#[derive(Clone, Debug)]
pub(super) struct CapabilitiesOfHostKind {
    pub key: &'static str,
    pub capabilities: HostCapabilities,
    /// Returns the key and the value that a host must state to offer the required capabilities; `None` if every host of
    /// the kind offers the same.
    pub required_setting: fn(&HostCapabilities) -> Option<&'static str>,
}
