//! Checks whether the main memory of each node is large enough for the buffers that a description implies.
//!
//! The memory of a node holds the interface's queues and buffers, the buffers from which programs send and copy, and
//! the buffers in which a message waits until all its parts have arrived. The number of such incomplete messages is
//! bounded, because the missing part of each message is still to be sent (at most one message for each flow), is in the
//! outgoing buffers of its sender, from which it may arrive late, or is in the receiver's interface. The check uses
//! this bound, and a run may need less.
//!
//! Memory that only a run determines is not counted: messages that a program receives while its sends are blocked, and
//! messages of which the fabric delays a part. A run that exhausts a memory with such messages ends with an error that
//! names the memory.

use crate::engine::Bytes;
use crate::host::MainMemorySize;
use crate::host::block::FIRST_FREE;
use crate::machine::{EndpointNames, Machine, NodeParts, build};
use crate::messaging::LOOPBACK_SLOTS;
use crate::program::{FlowEndpoint, PlannedFlow};
use crate::text::{Problem, Read};

/// The main memory that a node needs, by purpose, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct MemoryNeed {
    interface_bytes: u64,
    send_bytes: u64,
    receive_bytes: u64,
}

impl MemoryNeed {
    /// Returns the total, rounded up to whole pages of 4 KiB.
    fn rounded_to_pages(self) -> Bytes {
        Bytes(self.total().div_ceil(FIRST_FREE).saturating_mul(FIRST_FREE))
    }

    fn total(self) -> u64 {
        [self.interface_bytes, self.send_bytes, self.receive_bytes].into_iter().fold(FIRST_FREE, u64::saturating_add)
    }
}

/// The buffers of a machine's programs, by node: those from which they send, and those that they copy; and the flows
/// that arrive at each node.
struct Traffic {
    /// The number and size of the buffers that each flow's sender allocates.
    send_buffers: Vec<Vec<(u64, Bytes)>>,
    incoming_flows: Vec<Vec<Flow>>,
    /// The sizes of the program's local buffers.
    local_buffers: Vec<Vec<Bytes>>,
    /// The largest message of any program.
    message_max: u64,
}

/// A program's messages from one node to another.
struct Flow {
    sender: usize,
    messages_in_flight: u64,
    payload: Bytes,
}

/// The granularity of buffers in a memory, in bytes.
#[derive(Clone, Copy)]
struct Granularity(u64);

impl Granularity {
    fn round_up(self, bytes: u64) -> u64 {
        bytes.div_ceil(self.0).saturating_mul(self.0)
    }
}

/// Reports hosts with too little memory, each once.
pub(super) fn check(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let machine = &read.value;
    let Some(node_parts) = &machine.node_parts else { return };
    let traffic = Traffic::new(machine, node_parts);
    for (name, host) in &machine.hosts {
        let Some(MainMemorySize { size, key, granularity }) = host.main_memory() else { continue };
        let grain = Granularity(granularity);
        let nodes = machine.nodes.iter().enumerate().filter(|(_, node)| node.host == *name);
        let needs_of_nodes =
            nodes.map(|(number, node)| (node_need(&traffic, number, machine, node_parts, grain), &node.name));
        let Some((need, node)) = needs_of_nodes.max_by_key(|(need, _)| need.total()) else { continue };
        if need.total() > size.get() {
            let needed = in_unit_of(need.rounded_to_pages(), size);
            let message = format!("`{node}` may need {needed} of main memory, and has {size}");
            let key = host.key(key);
            let buffer_key = machine.workload.buffer_max().map(|(buffer_key, _)| machine.workload.key(buffer_key));
            let reported_key = read.highest_layer(&[&key, buffer_key.as_ref().unwrap_or(&key)]);
            let help = capacity_help(need, size, &key, buffer_key.as_deref());
            problems.push(read.problem_at(reported_key, &message, &help));
        }
    }
}

/// Returns `needed`, rounded up to four decimals, in the unit in which `size` is printed.
fn in_unit_of(needed: Bytes, size: Bytes) -> String {
    let printed_size = size.to_string();
    let (amount, unit) = printed_size.split_once(' ').expect("a size has a unit");
    let unit_bytes = u128::from(size.get() / amount.parse::<u64>().unwrap_or(1).max(1)).max(1);
    let ten_thousandths = (u128::from(needed.get()) * 10_000).div_ceil(unit_bytes);
    let decimals = format!("{:04}", ten_thousandths % 10_000);
    let printed_needed = format!("{}.{decimals}", ten_thousandths / 10_000);
    format!("{} {unit}", printed_needed.trim_end_matches('0').trim_end_matches('.'))
}

/// Returns the changes that would make the memory large enough, and the purposes for which it is needed.
fn capacity_help(need: MemoryNeed, size: Bytes, memory_key: &str, buffer_key: Option<&str>) -> String {
    let purposes = [
        (need.send_bytes, "the program's buffers"),
        (need.receive_bytes, "partly received messages"),
        (need.interface_bytes, "the interface"),
    ];
    let used = purposes.into_iter().filter(|(bytes, _)| *bytes > 0);
    let purposes: String = used.map(|(bytes, purpose)| format!("{} for {purpose}, ", Bytes(bytes))).collect();
    let fits_without_program = need.interface_bytes.saturating_add(FIRST_FREE) < size.get();
    let smaller_buffer = match buffer_key.filter(|_| fits_without_program) {
        Some(key) => format!("choose a smaller {key}, or "),
        None => String::new(),
    };
    format!(
        "{smaller_buffer}make {memory_key} {} or larger: {purposes}{} reserved",
        need.rounded_to_pages(),
        Bytes(FIRST_FREE)
    )
}

fn node_need(
    traffic: &Traffic,
    node: usize,
    machine: &Machine,
    node_parts: &NodeParts,
    grain: Granularity,
) -> MemoryNeed {
    let send_buffers =
        traffic.send_buffers[node].iter().map(|(buffers, bytes)| grain.round_up(bytes.get()).saturating_mul(*buffers));
    let interface = node_parts.interface_of(&machine.nodes[node]).memory_footprint();
    MemoryNeed {
        interface_bytes: interface
            .buffers
            .iter()
            .map(|(count, bytes)| grain.round_up(*bytes).saturating_mul(*count))
            .sum(),
        send_bytes: send_buffers.fold(local_buffer_bytes(traffic, node, grain), u64::saturating_add),
        receive_bytes: receive_bytes(traffic, node, machine, node_parts, grain)
            .saturating_add(loopback_bytes(machine, node, node_parts, grain)),
    }
}

/// Returns the bytes of the loopback queues between the endpoints of one node, and of the buffers for their packets.
fn loopback_bytes(machine: &Machine, node: usize, node_parts: &NodeParts, grain: Granularity) -> u64 {
    let endpoints = u64::from(machine.nodes[node].endpoints);
    let loopback_slots = if endpoints > 1 { 2 * LOOPBACK_SLOTS as u64 * endpoints } else { 0 };
    grain.round_up(node_parts.interface_of(&machine.nodes[node]).limits().packet.get()).saturating_mul(loopback_slots)
}

/// Returns the bytes of the buffers in which messages are assembled. An interface that places messages itself needs no
/// such buffers.
fn receive_bytes(traffic: &Traffic, node: usize, machine: &Machine, node_parts: &NodeParts, grain: Granularity) -> u64 {
    let footprint = node_parts.interface_of(&machine.nodes[node]).memory_footprint();
    let Some(packet) = footprint.packet else { return 0 };
    let fragments = traffic.message_max.max(1).div_ceil(packet.message_bytes);
    let buffer = grain.round_up(fragments.saturating_mul(packet.buffer_bytes));
    let programs = u64::from(machine.nodes[node].endpoints);
    incomplete_messages_max(
        &traffic.incoming_flows[node],
        (node_parts, programs, footprint.queued_packets),
        packet.message_bytes,
    )
    .saturating_mul(buffer)
}

/// Returns the largest number of messages that may have arrived only in part at a node with the flows `incoming`.
fn incomplete_messages_max(
    incoming: &[Flow],
    (node_parts, programs, queued): (&NodeParts, u64, u64),
    fragment: u64,
) -> u64 {
    let messages = incoming.iter().map(|flow| flow.messages_in_flight).fold(0, u64::saturating_add);
    if incoming.iter().all(|flow| flow.payload.get() <= fragment) {
        return messages.min(programs);
    }
    let mut senders: Vec<usize> = incoming.iter().map(|flow| flow.sender).collect();
    senders.sort_unstable();
    senders.dedup();
    let late_packets = node_parts.protocol.late_packets(senders.len() as u64, queued);
    messages.min(incoming.len() as u64 + late_packets)
}

/// Returns the bytes of the program's local buffers on a node, in addition to those of messages.
fn local_buffer_bytes(traffic: &Traffic, node: usize, grain: Granularity) -> u64 {
    traffic.local_buffers[node].iter().map(|bytes| grain.round_up(bytes.get())).fold(0, u64::saturating_add)
}

/// Returns the number of the node on which an endpoint of a workload is, if there is such an endpoint.
fn node_of(endpoints: &EndpointNames<'_>, endpoint: FlowEndpoint<'_>) -> Option<usize> {
    match endpoint {
        FlowEndpoint::Named(name) => endpoints.node_of(name),
        FlowEndpoint::OfNode(node) => Some(node),
    }
}

impl Traffic {
    /// Returns the flows of a workload and the buffers that it allocates.
    fn new(machine: &Machine, node_parts: &NodeParts) -> Traffic {
        let (endpoints, nodes) = (EndpointNames::new(machine), machine.nodes.len());
        let message_max = build::message_max(machine, node_parts).get();
        let mut send_buffers_by_node = vec![Vec::new(); nodes];
        let (mut incoming_flows, mut local_buffers) = (Vec::new(), vec![Vec::new(); nodes]);
        incoming_flows.resize_with(nodes, Vec::new);
        for PlannedFlow { from, to, in_flight, payload, send_buffers } in machine.workload.flows() {
            let (Some(from), Some(to)) = (node_of(&endpoints, from), node_of(&endpoints, to)) else { continue };
            // A workload may need more nodes than there are; another check reports that.
            if from.max(to) < nodes {
                send_buffers_by_node[from].push(send_buffers);
                incoming_flows[to].push(Flow { sender: from, messages_in_flight: in_flight, payload });
            }
        }
        for (endpoint, bytes) in machine.workload.local_buffers() {
            if let Some(node) = node_of(&endpoints, endpoint).filter(|node| *node < nodes) {
                local_buffers[node].push(bytes);
            }
        }
        Traffic { send_buffers: send_buffers_by_node, incoming_flows, local_buffers, message_max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn need_is_printed_in_the_unit_of_the_memory_and_rounded_up() {
        let printed = |needed: u64, size: u64| in_unit_of(Bytes(needed), Bytes(size));
        assert_eq!(printed(36 << 10, 16 << 10), "36 KiB");
        assert_eq!(printed((5 << 30) + (516 << 10), 4 << 30), "5120.504 MiB");
        assert_eq!(printed((4 << 30) + 1, 4 << 30), "4096.0001 MiB");
        assert_eq!([printed(4096, 100), printed(4096, 0)], ["4096 B", "4096 B"]);
    }
}
