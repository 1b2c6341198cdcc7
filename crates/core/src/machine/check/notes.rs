//! Notes on a machine before time 0: whether its routes can deadlock, whether its fabric drops packets in normal
//! operation, and whether a host's values are beyond what it models.
//!
//! A note is not an error: the purpose of a run may be to show the deadlock, or to count the losses. The time that a
//! packet waits for its reader is not considered, because only a run shows it; a deadlock report names the packets that
//! were lost.

use super::reach;
use crate::fabric::Loss;
use crate::machine::Machine;
use crate::part::ParameterError;
use crate::protocol::ProtocolEnvironment;
use std::fmt;

/// Returns the notes that `narrows check` prints if there is no problem.
pub(in crate::machine) fn notes(machine: &Machine) -> Vec<String> {
    let nodes: Vec<String> = machine.nodes.iter().map(|node| node.name.clone()).collect();
    let notes = machine.fabric.notes(&nodes, machine.run.no_progress_limit);
    let warnings = machine.warnings().into_iter().map(|warning| warning.to_string());
    notes.into_iter().chain(loss_note(machine)).chain(warnings).collect()
}

/// A warning about a value of a host that is valid but probably not intended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostWarning {
    /// The key of the value.
    pub key: String,
    message: String,
    help: String,
}

impl fmt::Display for HostWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "warning: `{}`: {}\n  {}", self.key, self.message, self.help)
    }
}

impl Machine {
    /// Returns warnings about values of the nodes' hosts that are valid but probably not intended.
    pub fn warnings(&self) -> Vec<HostWarning> {
        let is_used = |name: &str| self.nodes.iter().any(|node| node.host == name);
        let used_hosts = self.hosts.iter().filter(|(name, _)| is_used(name));
        let warnings = used_hosts.flat_map(|(_, host)| host.warnings().into_iter().map(move |warning| (host, warning)));
        warnings
            .map(|(host, ParameterError { key, message, help, .. })| HostWarning { key: host.key(&key), message, help })
            .collect()
    }
}

/// Returns the note that packets are lost even without contention and that the protocol does not retransmit them.
fn loss_note(machine: &Machine) -> Option<String> {
    let (node_parts, fabric_capabilities) = (machine.node_parts.as_ref()?, machine.fabric.capabilities());
    let Loss::Held { failure_time, carried_bytes } = fabric_capabilities.loss else { return None };
    let longest_packets =
        machine.interfaces().into_iter().map(|interface| reach::longest_packet(node_parts, interface));
    let ((packet, key), protocol) = (longest_packets.max()?, &node_parts.protocol);
    if packet <= carried_bytes
        || protocol
            .guarantees(&ProtocolEnvironment::new(fabric_capabilities.classes, fabric_capabilities.in_order))
            .survives_loss
    {
        return None;
    }
    Some(format!(
        "loss: the watchdog drops a packet that holds its links for {failure_time}, in which {carried_bytes} cross them; the longest packet has {packet} ({key})\n  [protocol.{}] does not retransmit it, and programs that wait for it may deadlock",
        protocol.name()
    ))
}
