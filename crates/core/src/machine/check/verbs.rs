//! The check of verbs: the interface has those that the workload uses.

use super::fit::{IncompatibleParts, Parts};
use crate::ni::VerbsLimits;

/// Checks that the interface has the verbs that the workload uses.
pub(super) fn verbs(parts: &Parts<'_>) -> Vec<IncompatibleParts> {
    let Some(needs) = parts.workload.needs().verbs else { return Vec::new() };
    let (ni, workload) = (parts.interface.name(), parts.workload.table());
    let Some(limits) = parts.interface.limits().verbs else {
        let message = format!("[{workload}] uses verbs, and [ni.{ni}] has no queue pairs");
        let help = parts.registry.needs_interface(|interface| interface.limits().verbs.is_some());
        return vec![IncompatibleParts::new([workload], message, help)];
    };
    let mut errors = Vec::new();
    if needs.sends && !limits.has_sends {
        let message = format!("[{workload}] posts sends, and [ni.{ni}] has only one-sided operations");
        let has_sends = |verbs: VerbsLimits| verbs.has_sends;
        let help = parts.registry.needs_interface(|interface| interface.limits().verbs.is_some_and(has_sends));
        errors.push(IncompatibleParts::new([workload], message, help));
    }
    let (key, bytes) = needs.request;
    if bytes > limits.request_max {
        let message = format!("a request of {bytes} exceeds the largest of [ni.{ni}], {}", limits.request_max);
        let keys = [parts.workload.key(key), parts.interface.key(parts.interface.packet_key())];
        errors.push(IncompatibleParts::new(keys, message, "make requests shorter, or packets longer"));
    }
    let (key, number) = needs.queue_pairs;
    if number > limits.queue_pairs {
        let message = format!("{number} queue pairs of a node exceed those of [ni.{ni}], {}", limits.queue_pairs);
        errors.push(IncompatibleParts::new([parts.workload.key(key)], message, "connect fewer queue pairs"));
    }
    errors
}
