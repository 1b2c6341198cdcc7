//! Checks whether the parts of a machine are compatible, from capabilities, requirements and guarantees alone.

use super::reach::{
    check_endpoint_count, check_message_lengths, check_message_words, check_node_count, check_packet_length,
    check_verbs,
};
use crate::engine::{Bytes, EndpointMap};
use crate::fabric::{FabricCapabilities, Loss};
use crate::host::HostCapabilities;
use crate::machine::{FabricPart, HostPart, InterfacePart, NodeParts, Registry, Workload, shipped};
use crate::messaging::shared::CoherenceMechanism;
use crate::ni::{EndpointLimit, ProtocolMemory};
use crate::protocol::{Guarantees, ProtocolEnvironment};

/// The parts to be checked, of a machine whose parts are each valid alone.
pub struct PartsToCheck<'a> {
    /// The parts that a description may name.
    pub registry: &'a Registry,
    /// The kinds of host that nodes have, by name.
    pub hosts: Vec<(&'a str, &'a HostPart)>,
    /// The interface, protocol and messaging layer of the nodes.
    pub node_parts: &'a NodeParts,
    /// The interface to be checked, which is that of the nodes with `hosts`.
    pub interface: &'a InterfacePart,
    /// All interfaces of the machine.
    pub interfaces: &'a [&'a InterfacePart],
    /// The capabilities of the fabric.
    pub fabric_capabilities: FabricCapabilities,
    /// The fabric.
    pub fabric: &'a FabricPart,
    /// The workload.
    pub workload: &'a Workload,
    /// The numbers of nodes and of endpoints on each.
    pub addresses: EndpointMap,
    /// The key that states the largest number of endpoints on a node.
    pub endpoints_key: &'a str,
}

/// The reason why parts are incompatible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct IncompatibleParts {
    /// The keys at which the reason may be reported. The key that the highest layer of the description states is used.
    pub keys: Vec<String>,
    /// The message.
    pub message: String,
    /// The help line, which states what would be compatible.
    pub help: String,
}

impl IncompatibleParts {
    pub(super) fn new(
        keys: impl IntoIterator<Item = String>,
        message: String,
        help: impl Into<String>,
    ) -> IncompatibleParts {
        IncompatibleParts { keys: keys.into_iter().collect(), message, help: help.into() }
    }
}

/// Returns every incompatibility of the parts.
pub fn incompatibilities(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let checks = [
        check_capabilities,
        check_packet_formats,
        check_udp_only,
        check_firmware_memory,
        check_loss,
        check_fabric_features,
        check_delivery_order,
        check_sequence_numbers,
        check_transfer_order,
        check_packet_length,
        check_message_words,
        check_message_lengths,
        check_node_count,
        check_endpoint_count,
        check_shared_memory,
        check_workload_needs,
    ];
    checks.iter().flat_map(|check| check(parts)).collect()
}

impl PartsToCheck<'_> {
    /// Returns the environment of the protocol: the properties of the fabric and the interface.
    fn environment(&self) -> ProtocolEnvironment {
        ProtocolEnvironment::new(self.fabric_capabilities.classes, self.fabric_capabilities.in_order)
    }

    /// Returns the guarantees of the protocol on the fabric.
    fn guarantees(&self) -> Guarantees {
        let guarantees = self.node_parts.protocol.guarantees(&self.environment());
        match self.interface.is_reliable() {
            true => Guarantees { in_order: true, survives_loss: true, ..guarantees },
            false => guarantees,
        }
    }
}

/// Checks that nodes with different interfaces can read each other's packets.
fn check_packet_formats(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let interface = parts.interface;
    let has_other_family = |first: &&&InterfacePart| first.family_table() != interface.family_table();
    let Some(&other) = parts.interfaces.first().filter(has_other_family) else { return Vec::new() };
    let [format, other_format] = [interface, other].map(|interface| interface.wire_format());
    // Without a common format, only interfaces of one kind read each other's packets.
    let have_own_format = interface.name() == other.name() && [format, other_format] == [None; 2];
    let without_format = [interface, other].into_iter().find(|each| !have_own_format && each.wire_format().is_none());
    let mut keys = vec![interface.table()];
    let [packet, other_packet] = [interface, other].map(|interface| interface.limits().packet);
    let (message, help) = if let Some(unreadable) = without_format {
        let message = format!("only interfaces of its kind can read the packets of [ni.{}]", unreadable.name());
        (message, "choose interfaces of one packet format for all nodes".to_owned())
    } else if format != other_format {
        let [own_format, other_format] = [interface, other]
            .map(|interface| format!("[ni.{}] ({})", interface.name(), interface.wire_format().unwrap_or("")));
        let message = format!(
            "nodes cannot read each other's packets: those of {own_format} and {other_format} have different formats"
        );
        (message, "choose interfaces of one packet format for all nodes".to_owned())
    } else if packet != other_packet {
        keys.push(interface.key(interface.packet_key()));
        let [own_key, other_key] = [interface, other].map(|interface| interface.key(interface.packet_key()));
        (
            format!("the longest packets of nodes differ: {packet} ({own_key}) and {other_packet} ({other_key})"),
            "make them equal".to_owned(),
        )
    } else {
        return Vec::new();
    };
    vec![IncompatibleParts::new(keys, message, help)]
}

/// Checks that hosts offer the capabilities that the interface requires.
fn check_capabilities(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let needs = parts.interface.needs();
    let mut errors = Vec::new();
    for (name, host) in &parts.hosts {
        let missing = host.capabilities().missing(&needs);
        if missing.is_empty() {
            continue;
        }
        let message = format!(
            "`{name}` is a host of kind [hosts.NAME.{}] and lacks what [ni.{}] needs: {}",
            host.name(),
            parts.interface.name(),
            missing.join(", ")
        );
        let help = format!("{}; {}", hosts_with(parts.registry, &needs), interfaces_for(parts.registry, host));
        errors.push(IncompatibleParts::new([parts.interface.table(), host.table()], message, help));
        break;
    }
    errors
}

/// Returns the kinds of host that offer the capabilities `needs`, and the shipped parts of these kinds.
fn hosts_with(registry: &Registry, needs: &HostCapabilities) -> String {
    let kinds = registry.hosts_that_offer(needs);
    let host_names = kinds.map(|(kind, required_setting)| {
        let parts = shipped::hosts(kind);
        let parts = if parts.is_empty() { String::new() } else { format!(" ({parts})") };
        let required_setting = required_setting.map_or_else(String::new, |value| format!(" with {value}"));
        format!("[hosts.NAME.{kind}]{parts}{required_setting}")
    });
    format!("hosts that have it: {}", host_names.collect::<Vec<_>>().join(", "))
}

/// Returns the interfaces whose requirements a host meets, beginning with those that name endpoints without their
/// nodes.
fn interfaces_for(registry: &Registry, host: &HostPart) -> String {
    let (offered, mut all) = (host.capabilities(), registry.interfaces().default_parts().iter().collect::<Vec<_>>());
    all.sort_by_key(|interface| matches!(interface.limits().endpoints, EndpointLimit::PerNode(_)));
    let suitable_interfaces =
        all.iter().filter(|interface| offered.missing(&interface.minimum_requirements()).is_empty());
    format!(
        "interfaces for this host: {}",
        suitable_interfaces.map(|interface| interface.name()).collect::<Vec<_>>().join(", ")
    )
}

/// Checks that a firmware which supports only UDP runs no other protocol.
fn check_udp_only(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (ni, protocol) = (parts.interface.name(), parts.node_parts.protocol.name());
    if parts.interface.runs_protocols() || parts.node_parts.protocol.buffer_requirements().is_none() {
        return Vec::new();
    }
    let message = format!("the firmware of [ni.{ni}] sends UDP/IP packets and cannot run [protocol.{protocol}]");
    let help = parts.registry.protocols().default_key().map_or_else(
        || "choose another interface".to_owned(),
        |default| format!("choose protocol = \"{default}\", or another interface"),
    );
    vec![IncompatibleParts::new([format!("protocol.{protocol}")], message, help)]
}

/// Checks that a protocol's buffers fit the memory of an interface whose firmware runs it.
fn check_firmware_memory(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (ni, protocol) = (parts.interface.name(), parts.node_parts.protocol.name());
    let memory_use = parts.interface.protocol_memory(&*parts.node_parts.protocol, 1);
    let Some(ProtocolMemory { needed, available: memory, size_key, .. }) = memory_use else { return Vec::new() };
    if needed.is_some_and(|needed_memory| needed_memory <= memory)
        || parts.node_parts.protocol.buffer_requirements().is_none()
    {
        return Vec::new();
    }
    let Some(needed) = needed else { return vec![unlimited_buffers_error(parts, memory)] };
    let message = format!(
        "packet buffers for [protocol.{protocol}] and the rings of [ni.{ni}] need {needed} of the interface's memory, \
         which has {memory}"
    );
    let packet = parts.interface.packet_key();
    let help = format!("reduce the buffers of the protocol or ni.{ni}.{packet}, or enlarge the interface's memory");
    let keys = [format!("protocol.{protocol}"), parts.interface.key(packet), parts.interface.key(size_key)];
    vec![IncompatibleParts::new(keys, message, help)]
}

/// Returns the error that a protocol's unlimited buffers do not fit the interface's `memory`.
fn unlimited_buffers_error(parts: &PartsToCheck<'_>, memory: Bytes) -> IncompatibleParts {
    let (ni, protocol) = (parts.interface.name(), &parts.node_parts.protocol);
    let message = format!(
        "unlimited buffers of [protocol.{}] do not fit in the memory of [ni.{ni}], which has {memory}",
        protocol.name()
    );
    let (key, change) = match protocol.unlimited_buffers() {
        Some((flag, number)) => {
            let change = format!("set {} = false and {} to a number", protocol.key(flag), protocol.key(number));
            (protocol.key(flag), change)
        }
        None => (protocol.table(), "limit the number of buffers".to_owned()),
    };
    let help = format!("{change}, or choose an interface that keeps the buffers in host memory");
    IncompatibleParts::new([key], message, help)
}

/// Checks that lost packets are retransmitted.
fn check_loss(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let guarantees = parts.guarantees();
    if parts.fabric_capabilities.loss != Loss::Any || guarantees.survives_loss {
        return Vec::new();
    }
    let message =
        format!("[protocol.{}] does not retransmit packets that the fabric loses", parts.node_parts.protocol.name());
    vec![IncompatibleParts::new(["fabric.loss".to_owned()], message, parts.registry.needs_retransmission())]
}

/// Checks that the switches of the fabric have the features that the protocol needs.
fn check_fabric_features(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (needs, fabric) = (parts.node_parts.protocol.needs(), parts.fabric.table());
    let missing = parts.fabric.features().missing(&needs);
    if missing.is_empty() {
        return Vec::new();
    }
    let protocol = parts.node_parts.protocol.table();
    let message = format!("[{fabric}] lacks what [{protocol}] needs: {}", missing.join(", "));
    let help = parts.registry.needs_fabric(|fabric| fabric.features().missing(&needs).is_empty());
    vec![IncompatibleParts::new([protocol, fabric], message, help)]
}

/// Checks that a protocol which relies on delivery order runs on a fabric that keeps the order.
fn check_delivery_order(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let guarantees = parts.guarantees();
    if !guarantees.needs_order || parts.fabric_capabilities.in_order {
        return Vec::new();
    }
    let message = format!(
        "[{}] may deliver out of order, and the one-bit numbers of [protocol.{}] cannot distinguish a duplicate from a \
         new packet then",
        parts.fabric.table(),
        parts.node_parts.protocol.name()
    );
    let help = format!(
        "choose a fabric with one route between two nodes and one virtual channel, or {}",
        parts.registry.order_free_retransmission()
    );
    let keys = [parts.node_parts.protocol.key(parts.node_parts.protocol.retransmission_key().unwrap_or_default())];
    vec![IncompatibleParts::new(keys, message, help)]
}

/// Checks that sequence numbers distinguish a packet from its duplicates, even out of order.
fn check_sequence_numbers(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let protocol = &parts.node_parts.protocol;
    let incompatibility = |(key, reason): (&'static str, String)| {
        let message = format!("on a fabric that may deliver out of order, {reason}");
        let key = protocol.key(key);
        let help = format!(
            "remove `{key}`, since numbers have 32 bits by default; or choose a fabric with one route between two \
             nodes and one virtual channel"
        );
        IncompatibleParts::new([key], message, help)
    };
    protocol.sequence_space_error(&parts.environment()).into_iter().map(incompatibility).collect()
}

/// Checks that packets of a transfer are delivered in order if transfers rely on it.
fn check_transfer_order(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let guarantees = parts.guarantees();
    if !parts.node_parts.messaging.in_order
        || parts.fabric_capabilities.in_order && !guarantees.reorders
        || guarantees.in_order
    {
        return Vec::new();
    }
    let protocol = parts.node_parts.protocol.name();
    let message = match guarantees.reorders {
        true => format!("[protocol.{protocol}] may deliver out of order"),
        false => format!(
            "[{}] may deliver out of order, and [protocol.{protocol}] does not restore the order",
            parts.fabric.table()
        ),
    };
    let example = parts.registry.order_keeping_protocol().map(|table| format!(", such as {table}"));
    let help =
        format!("choose a protocol that keeps order{}, or messaging.in-order = false", example.unwrap_or_default());
    vec![IncompatibleParts::new(["messaging.in-order".to_owned()], message, help)]
}

/// Checks that hardware shared memory exists if it is selected, and that the processor has contexts for all
/// programs that wait for it.
fn check_shared_memory(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    if parts.node_parts.shared_memory.mechanism != CoherenceMechanism::Hardware || !parts.workload.needs().shared_memory
    {
        return Vec::new();
    }
    if parts.interface.coherent_block().is_none() {
        let message = format!("[ni.{}] does not keep memory coherent between nodes", parts.interface.name());
        let help = parts.registry.needs_interface(|interface| interface.coherent_block().is_some());
        let help = format!("{help} and a host that fits it; or choose [shared-memory.software]");
        return vec![IncompatibleParts::new(["shared-memory.hardware".to_owned()], message, help)];
    }
    let endpoints_max = parts.addresses.endpoints_per_node_max();
    let has_too_few = |(name, host): &(&str, &HostPart)| {
        let (key, contexts) = host.shared_memory_contexts().filter(|(_, contexts)| *contexts < endpoints_max)?;
        Some((name.to_string(), host.key(key), contexts))
    };
    let Some((name, key, contexts)) = parts.hosts.iter().find_map(has_too_few) else { return Vec::new() };
    let message = format!(
        "a node has {endpoints_max} programs with shared memory, and the processor of `{name}` has {contexts} contexts"
    );
    let help = format!("describe fewer endpoints, make {key} larger, or choose [shared-memory.software]");
    vec![IncompatibleParts::new([parts.endpoints_key.to_owned(), key], message, help)]
}

/// Checks that the interface has messages if the workload sends or receives any.
fn check_messages(parts: &PartsToCheck<'_>) -> Option<IncompatibleParts> {
    let is_lacking = parts.workload.needs().messages && !parts.interface.limits().has_messages;
    let (workload, ni) = (parts.workload.table(), parts.interface.name());
    let message = || format!("[{workload}] sends messages, and [ni.{ni}] has only a DMA engine");
    let help = || parts.registry.needs_interface(|interface| interface.limits().has_messages);
    is_lacking.then(|| IncompatibleParts::new([workload.clone()], message(), help()))
}

/// Checks that the engine accepts several transfers at once if the workload requests them.
fn check_queued_host_dma(parts: &PartsToCheck<'_>) -> Option<IncompatibleParts> {
    let (limits, key) = (parts.interface.limits(), parts.workload.needs().queued_host_dma?);
    let is_lacking = limits.has_host_dma && !limits.queues_host_dma;
    let message = || format!("the DMA engine of [ni.{}] makes one transfer at a time", parts.interface.name());
    let help = || {
        let queued = parts.registry.needs_interface(|interface| interface.limits().queues_host_dma);
        format!("leave out the key, or {queued}")
    };
    is_lacking.then(|| IncompatibleParts::new([parts.workload.key(key)], message(), help()))
}

/// Checks that the hosts have a last-level cache if the workload sets its state.
fn check_warmed_cache(parts: &PartsToCheck<'_>) -> Option<IncompatibleParts> {
    let key = parts.workload.needs().warmed_cache?;
    let (name, _) = parts.hosts.iter().find(|(_, host)| !host.warms_cache())?;
    let message = format!("`{name}` has no last-level cache");
    let help = "leave out the key, or choose a host with a last-level cache that devices share";
    Some(IncompatibleParts::new([parts.workload.key(key)], message, help))
}

/// Checks that the machine has the resources that the workload measures.
fn check_workload_needs(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let mut errors = Vec::new();
    if parts.workload.needs().host_dma && !parts.interface.limits().has_host_dma {
        let message = format!(
            "[{}] needs a host DMA engine, and [ni.{}] has none",
            parts.workload.table(),
            parts.interface.name()
        );
        let help = parts.registry.needs_interface(|interface| interface.limits().has_host_dma);
        errors.push(IncompatibleParts::new([parts.workload.table()], message, help));
    }
    errors.extend(check_messages(parts));
    errors.extend(check_queued_host_dma(parts));
    errors.extend(check_warmed_cache(parts));
    errors.extend(check_verbs(parts));
    let untimed_host = parts.hosts.iter().find(|(_, host)| !host.charges_memory());
    if let (Some(key), Some((name, _))) = (parts.workload.needs().timed_memory, untimed_host) {
        let message = format!(
            "`{name}` does not model the time of memory accesses, so the program's copy loop would run forever at one \
             instant"
        );
        errors.push(IncompatibleParts::new(
            [parts.workload.key(key)],
            message,
            "choose a host with an I/O bus or a memory bus",
        ));
    }
    errors
}
