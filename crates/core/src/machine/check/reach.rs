//! Checks that packets, messages and names fit the part that carries them, and that headers can distinguish all names.

use super::fit::{IncompatibleParts, PartsToCheck};
use crate::engine::Bytes;
use crate::fabric::MtuLimit;
use crate::machine::nodes::NODES_MAX;
use crate::machine::{FabricPart, InterfacePart, NodeParts, Registry};
use crate::messaging::shared::{CoherenceMechanism, PART_WORDS_MIN};
use crate::ni::{self, EndpointLimit, MessageBound, ProtocolMemory, VerbsLimits};

/// Returns the length of the longest packet that enters the fabric, and the key that determines it.
pub(super) fn longest_packet(node_parts: &NodeParts, interface: &InterfacePart) -> (Bytes, String) {
    let (control_frame, packet) = (node_parts.protocol.control_frame_length(), interface.limits().packet);
    match control_frame > packet {
        true => (control_frame, node_parts.protocol.key("acknowledgement")),
        false => (packet, interface.key(interface.packet_key())),
    }
}

/// Checks that packets are no longer than the fabric carries.
pub(super) fn check_packet_length(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (packet, key) = longest_packet(parts.node_parts, parts.interface);
    let Some(MtuLimit { bytes, reason, keys, hint }) =
        parts.fabric_capabilities.packet_max.filter(|limit| limit.bytes < packet)
    else {
        return Vec::new();
    };
    let keys: Vec<String> = keys.iter().map(|key| parts.fabric.key(key)).collect();
    let overhead = match parts.interface.packet_overhead() {
        Some((bytes, content)) if key == parts.interface.key(parts.interface.packet_key()) => {
            format!(" plus {bytes} for {content}")
        }
        _ => String::new(),
    };
    let message = format!(
        "a packet of {packet} ({key}{overhead}) does not fit in {reason}: at most {bytes} ({})",
        keys[..keys.len().min(2)].join(" × ")
    );
    let help = match hint.is_empty() {
        true => format!("make {key} smaller"),
        false => format!("make {key} smaller, or {hint}"),
    };
    let reported_keys = keys.into_iter().chain([key, parts.fabric.table()]);
    vec![IncompatibleParts::new(reported_keys, message, help)]
}

/// Checks that a packet carries the words of the workload's active messages, and of software shared memory.
pub(super) fn check_message_words(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (needs, carried_words) = (parts.workload.needs(), parts.interface.limits().words);
    let shares_in_software =
        needs.shared_memory && parts.node_parts.shared_memory.mechanism == CoherenceMechanism::Software;
    let (needed_words, requirement) = match shares_in_software && needs.packet_words <= PART_WORDS_MIN {
        true => (
            PART_WORDS_MIN,
            "software shared memory needs 3: the kind of the message, an offset and a word of a block".to_owned(),
        ),
        false => (needs.packet_words, format!("[{}] needs {}", parts.workload.table(), needs.packet_words)),
    };
    if carried_words >= needed_words {
        return Vec::new();
    }
    let (packet, key) = (parts.interface.limits().packet, parts.interface.key(parts.interface.packet_key()));
    let message = format!(
        "a packet of {packet} ({key}) carries only {carried_words} words of an active message, but {requirement}"
    );
    // Some interfaces need a multiple of 8 bytes, the others of a word.
    let packet_min = (packet.get() + 4 * (needed_words - carried_words) as u64).next_multiple_of(8);
    let help = format!("make {key} {} or larger", Bytes(packet_min));
    vec![IncompatibleParts::new([parts.workload.table(), key], message, help)]
}

/// Checks that messages are no longer than the interface's headers can state.
pub(super) fn check_message_lengths(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let interfaces = parts.interfaces.iter().map(|interface| &***interface);
    if interfaces.clone().any(|ni| ni.wire_format() != parts.interface.wire_format()) {
        return Vec::new();
    }
    let (message_max, mut errors) = (ni::message_max(interfaces), Vec::new());
    if let Some((key, payload)) = parts.workload.payload_max().filter(|(_, payload)| *payload > message_max) {
        errors.push(payload_error(parts, &parts.workload.key(key), payload, message_max));
    } else if let (Some(limit), Some((key, payload))) =
        (parts.node_parts.messaging.message_max, parts.workload.payload_max())
        && payload > limit
    {
        let message = format!("a payload of {payload} is larger than the largest message, {limit}");
        errors.push(IncompatibleParts::new(
            [parts.workload.key(key)],
            message,
            "make it smaller, or messaging.message-max larger",
        ));
    }
    if let Some(limit) = parts.node_parts.messaging.message_max.filter(|limit| *limit > message_max) {
        let message = match parts.interfaces.len() {
            1 => format!("messages of {limit} need more packets than the interface can number: at most {message_max}"),
            _ => format!(
                "messages of {limit} are longer than those that all interfaces split into packets alike: at most {message_max}"
            ),
        };
        errors.push(IncompatibleParts::new(["messaging.message-max".to_owned()], message, "make it smaller"));
    }
    errors
}

fn payload_error(parts: &PartsToCheck<'_>, key: &str, payload: Bytes, limit: Bytes) -> IncompatibleParts {
    let (name, packet) = (parts.interface.name(), parts.interface.packet_key());
    let (message, help) = match parts.interface.limits().message_bound {
        MessageBound::PacketBuffer => (
            format!("a payload of {payload} is larger than a packet buffer, {limit}"),
            format!("make it smaller, or ni.{name}.{packet} larger"),
        ),
        MessageBound::PacketNumbers => (
            format!("a payload of {payload} needs more packets than the interface can number: at most {limit}"),
            format!("make it smaller, or the packets of [ni.{name}] larger"),
        ),
    };
    IncompatibleParts::new([key.to_owned()], message, help)
}

/// Checks that headers can name all nodes and that the fabric has ports for them.
pub(super) fn check_node_count(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let nodes = parts.addresses.nodes();
    node_count_error(parts.registry, nodes, Some(parts.interface), parts.fabric).into_iter().collect()
}

/// Returns the problem that there are too many nodes, for the part with the lowest limit.
pub(super) fn node_count_error(
    registry: &Registry,
    nodes: usize,
    interface: Option<&InterfacePart>,
    fabric: &FabricPart,
) -> Option<IncompatibleParts> {
    let ni = interface.map(|interface| (interface.limits().nodes, format!("ni.{}", interface.name())));
    let limits = [
        ni.map(|(limit, key)| (limit, format!("a packet header of [{key}] can address {limit} at most"), key)),
        // If a shape has no nodes, it could not be built, which is already reported.
        fabric.capabilities().nodes_max.filter(|limit| *limit > 0).map(|limit| {
            let key = fabric.table();
            (limit, format!("[{key}] has {limit}"), key)
        }),
        Some((NODES_MAX as u32, format!("Narrows simulates {NODES_MAX} at most"), "nodes".to_owned())),
    ];
    let (limit, limit_text, key) = limits.into_iter().flatten().min_by_key(|(limit, ..)| *limit)?;
    if nodes <= limit as usize {
        return None;
    }
    let message = format!("the machine has {nodes} nodes, and {limit_text}");
    // Without [nodes], every position of a shape has a node.
    let shape = fabric.capabilities().nodes_max.is_some_and(|positions| positions as usize == nodes);
    let fewer_nodes = match shape {
        true => format!(
            "make [{}] smaller, or describe at most {limit} nodes in [nodes] (without it, each position of the fabric \
             has a node)",
            fabric.table()
        ),
        false => format!("describe at most {limit} nodes in [nodes]"),
    };
    let help = match key.split_once('.') {
        Some(("ni", _)) => {
            let widest_interface = registry.widest_interface();
            format!("{fewer_nodes}, or choose an interface whose header can address more: [{widest_interface}]")
        }
        Some(_) => format!("{fewer_nodes}, or make [{key}] larger"),
        None => fewer_nodes,
    };
    Some(IncompatibleParts::new(["nodes".to_owned(), fabric.table(), key], message, help))
}

/// Checks that headers can distinguish all endpoints and that the interface has memory for each.
pub(super) fn check_endpoint_count(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
    let (nodes, endpoint_count, endpoints_per_node) =
        (parts.addresses.nodes(), parts.addresses.len(), parts.addresses.endpoints_per_node_max());
    if endpoint_count == nodes {
        return Vec::new();
    }
    let report =
        |message: String, help: &str| vec![IncompatibleParts::new([parts.endpoints_key.to_owned()], message, help)];
    let widest_interface = parts.registry.widest_interface();
    let help = &format!(
        "describe fewer endpoints, or choose an interface whose header can address more: [{widest_interface}]"
    );
    if endpoint_count > NODES_MAX as usize {
        let message = format!("the machine has {endpoint_count} endpoints, and Narrows simulates {NODES_MAX} at most");
        return report(message, "describe fewer endpoints");
    }
    match parts.interface.limits().endpoints {
        EndpointLimit::Total(address_limit) if endpoint_count > address_limit as usize => {
            let message = format!(
                "the machine has {endpoint_count} endpoints, and a packet header of [{}] can address {address_limit} at most",
                parts.interface.table()
            );
            return report(message, help);
        }
        EndpointLimit::PerNode(address_limit) if endpoints_per_node > address_limit => {
            let message = format!(
                "a node has {endpoints_per_node} endpoints, and a packet header of [{}] can address {address_limit} of \
                 one node at most",
                parts.interface.table()
            );
            return report(message, help);
        }
        _ => {}
    }
    let memory_use = |endpoints| parts.interface.protocol_memory(&*parts.node_parts.protocol, endpoints);
    let has_sufficient_memory = |memory: ProtocolMemory| memory.needed.is_some_and(|needed| needed <= memory.available);
    match (memory_use(1).is_none_or(has_sufficient_memory), memory_use(endpoints_per_node)) {
        (true, Some(ProtocolMemory { needed: Some(needed), available, endpoint_key, .. })) if needed > available => {
            let [needed, available] = needed.in_common_unit(available);
            let message = format!(
                "with the {endpoint_key} of {endpoints_per_node} endpoints, [{}] needs {needed} of its memory, \
                 which has {available}",
                parts.interface.table()
            );
            let name = parts.interface.name();
            report(message, &format!("describe fewer endpoints, or reduce ni.{name}.{endpoint_key}"))
        }
        _ => Vec::new(),
    }
}

/// Checks that the interface has the verbs that the workload uses.
pub(super) fn check_verbs(parts: &PartsToCheck<'_>) -> Vec<IncompatibleParts> {
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
    let (key, pair_count) = needs.queue_pairs;
    if pair_count > limits.queue_pairs {
        let message = format!("{pair_count} queue pairs of a node exceed those of [ni.{ni}], {}", limits.queue_pairs);
        errors.push(IncompatibleParts::new([parts.workload.key(key)], message, "connect fewer queue pairs"));
    }
    errors
}
