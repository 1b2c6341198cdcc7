//! The capabilities that each kind of host offers.

use crate::host::HostCapabilities;

/// The capabilities of a kind of host.
#[derive(Clone, Debug)]
pub(super) struct OfferedBy {
    pub key: &'static str,
    pub offered: HostCapabilities,
    /// The value that a host must state to offer the required capabilities, if not every host of the kind does.
    pub condition: fn(&HostCapabilities) -> Option<&'static str>,
}
