//! The utilization of a part of a host or an interface: the times for which it was busy and active.

use crate::engine::{Resource, Time};

/// Largest number of cores of a host.
pub const CORES_MAX: u32 = 16;

/// The times for which a part was used since the start of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Utilization {
    /// Name of the part within its node.
    pub part_name: &'static str,
    /// Time for which the part was held.
    pub busy: Time,
    /// The portion of the busy time in which the part worked at its own rate and did not wait for other parts. It
    /// equals the busy time if it is not measured separately.
    pub active: Time,
}

impl Utilization {
    /// Returns the utilization of a part that is active whenever it is busy.
    pub const fn always_active(part_name: &'static str, busy: Time) -> Utilization {
        Utilization { part_name, busy, active: busy }
    }

    /// Returns the utilization of a resource that is active for only a part of the time for which it is held.
    pub fn of_resource(part_name: &'static str, resource: &Resource) -> Utilization {
        Utilization { part_name, busy: resource.held_total(), active: resource.moved_total() }
    }
}
