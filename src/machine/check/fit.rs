//! Whether the parts of a machine fit together, decided from means, facts and promises alone.

use crate::engine::{Addresses, Bytes};
use crate::fabric::{Facts, Longest, Loss};
use crate::host::{HostParameters, MEANS, Means};
use crate::machine::nodes::NODES_MAX;
use crate::machine::{Ends, Interface, shipped};
use crate::messaging::shared::SharingMake;
use crate::ni::{self, EndsMax, NiParameters};
use crate::program::Workload;

/// What is looked at, of a machine whose every part is sound by itself.
pub struct Parts<'a> {
    /// The kinds of host that nodes are, by name.
    pub hosts: Vec<(&'a str, &'a HostParameters)>,
    /// What nodes have at the fabric.
    pub ends: &'a Ends,
    /// The interface that is looked at, of the hosts.
    pub interface: Interface<'a>,
    /// All of them.
    pub interfaces: &'a [Interface<'a>],
    /// What can be said of the fabric.
    pub facts: Facts,
    /// The key of its table.
    pub fabric: &'a str,
    /// What runs.
    pub workload: &'a Workload,
    /// The nodes, and how many endpoints they have.
    pub addresses: Addresses,
    /// The key that says how many the node has that has the most.
    pub endpoints: &'a str,
}

/// Why parts do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The keys that it may be told at: the one that counts most is chosen.
    pub keys: Vec<String>,
    /// What does not fit.
    pub message: String,
    /// What would.
    pub help: String,
}

impl Misfit {
    fn new(keys: impl IntoIterator<Item = String>, message: String, help: impl Into<String>) -> Misfit {
        Misfit { keys: keys.into_iter().collect(), message, help: help.into() }
    }
}

/// Everything that does not fit.
pub fn misfits(parts: &Parts<'_>) -> Vec<Misfit> {
    let checks = [
        means, format, spoken, firmware, loss, order, numbers, transfers, packets, lengths, names, endpoints, sharing,
        program,
    ];
    checks.iter().flat_map(|check| check(parts)).collect()
}

impl Parts<'_> {
    fn ni(&self) -> &NiParameters {
        self.interface.ni
    }

    /// A key of an interface as it stands in the table of this one.
    fn key(&self, key: &str) -> String {
        self.interface.key(key)
    }
}

fn table(parts: &Parts<'_>) -> String {
    parts.key(&format!("ni.{}", parts.ni().key()))
}

/// Nodes whose interfaces differ read each other's packets.
fn format(parts: &Parts<'_>) -> Vec<Misfit> {
    let own = &parts.interface;
    let Some(other) = parts.interfaces.first().filter(|first| first.table != own.table) else { return Vec::new() };
    let alone = [own, other].into_iter().find(|interface| interface.ni.format().is_none());
    let mut keys = vec![table(parts)];
    let [packet, others] = [own, other].map(|interface| interface.ni.reach().packet);
    let (message, help) = if let Some(alone) = alone {
        let message = format!("only an interface like it reads the packets of [ni.{}]", alone.ni.key());
        (message, "give all nodes interfaces of one format".to_owned())
    } else if own.ni.format() != other.ni.format() {
        let [own, other] = [own, other].map(|one| format!("[ni.{}] ({})", one.ni.key(), one.ni.format().unwrap_or("")));
        let message =
            format!("nodes do not read each other's packets: those of {own} and {other} have different formats");
        (message, "give all nodes interfaces of one format".to_owned())
    } else if packet != others {
        keys.push(parts.key(&parts.ni().packet_key()));
        let [own, other] = [own, other].map(|interface| interface.key(&interface.ni.packet_key()));
        (format!("packets of {packet} here ({own}), and of {others} elsewhere ({other})"), "make them equal".to_owned())
    } else {
        return Vec::new();
    };
    vec![Misfit::new(keys, message, help)]
}

/// Hosts have what the interface needs.
fn means(parts: &Parts<'_>) -> Vec<Misfit> {
    let needs = parts.ni().needs();
    let mut wrong = Vec::new();
    for (name, host) in &parts.hosts {
        let lacking = host.means().lacking(&needs);
        if lacking.is_empty() {
            continue;
        }
        let message = format!(
            "`{name}` is a host of kind [hosts.NAME.{}] and lacks what [ni.{}] needs: {}",
            host.key(),
            parts.ni().key(),
            lacking.join(", ")
        );
        let help = format!("{}; {}", hosts_with(&needs), interfaces_for(host));
        wrong.push(Misfit::new([table(parts), format!("hosts.{name}.{}", host.key())], message, help));
        break;
    }
    wrong
}

/// The kinds of host that have `needs`, and the shipped parts that are of them.
fn hosts_with(needs: &Means) -> String {
    let kinds = MEANS.iter().filter(|(_, means)| means.lacking(needs).is_empty()).map(|(kind, _)| *kind);
    let told: Vec<String> = kinds.map(|kind| format!("[hosts.NAME.{kind}] ({})", shipped::hosts(kind))).collect();
    format!("hosts that have it: {}", told.join(", "))
}

/// The interfaces that find what they need on a host.
fn interfaces_for(host: &HostParameters) -> String {
    let means = host.means();
    let names: Vec<&str> =
        crate::ni::least_needs().filter(|(_, needs)| means.lacking(needs).is_empty()).map(|(name, _)| name).collect();
    format!("interfaces for this host: {}", names.join(", "))
}

/// A firmware that carries UDP alone runs no other protocol.
fn spoken(parts: &Parts<'_>) -> Vec<Misfit> {
    let (ni, protocol) = (parts.ni().key(), parts.ends.protocol.key());
    if parts.ni().runs_protocols() || parts.ends.protocol.keeps().is_none() {
        return Vec::new();
    }
    let message = format!("the firmware of [ni.{ni}] carries UDP/IP and runs no [protocol.{protocol}]");
    vec![Misfit::new([format!("protocol.{protocol}")], message, "it needs [protocol.none]")]
}

/// What a protocol keeps fits the memory of an interface whose firmware runs it.
fn firmware(parts: &Parts<'_>) -> Vec<Misfit> {
    let (ni, protocol) = (parts.ni().key(), parts.ends.protocol.key());
    let Some((needed, memory)) = parts.ni().room_for(&parts.ends.protocol, 1) else { return Vec::new() };
    if needed.is_some_and(|needed| needed <= memory) || parts.ends.protocol.keeps().is_none() {
        return Vec::new();
    }
    let message = match needed {
        Some(needed) => format!(
            "what [protocol.{protocol}] keeps lies in packet buffers of [ni.{ni}], which need {needed} with its rings; \
             its memory has {memory}"
        ),
        None => format!(
            "[protocol.{protocol}] has no end of buffers, and they lie in the memory of [ni.{ni}], which has {memory}"
        ),
    };
    let help = format!("make the buffers of the protocol fewer, or ni.{ni}.payload-max smaller, or its memory larger");
    let of = |key: &str| parts.key(&format!("ni.{ni}.{key}"));
    let keys = [format!("protocol.{protocol}"), of("payload-max"), of("lanai.sram.size")];
    vec![Misfit::new(keys, message, help)]
}

/// What the fabric loses is sent again.
fn loss(parts: &Parts<'_>) -> Vec<Misfit> {
    let promises = parts.ends.protocol.promises_over(parts.facts.classes);
    if parts.facts.loss != Loss::Any || promises.survives_loss {
        return Vec::new();
    }
    let message = format!("[protocol.{}] does not send again what the fabric loses", parts.ends.protocol.key());
    vec![Misfit::new(
        ["fabric.loss".to_owned()],
        message,
        "it needs [protocol.window] or [protocol.nifdy.retransmission]",
    )]
}

/// A protocol that relies on order gets it.
fn order(parts: &Parts<'_>) -> Vec<Misfit> {
    let promises = parts.ends.protocol.promises_over(parts.facts.classes);
    if !promises.needs_order || parts.facts.in_order {
        return Vec::new();
    }
    let message = "on a fabric that may deliver out of order, one bit does not tell a copy from a new packet";
    let help = "retransmission needs one way between two nodes, and one virtual channel; or it needs [protocol.window]";
    let keys = [format!("protocol.{}.retransmission", parts.ends.protocol.key())];
    vec![Misfit::new(keys, message.to_owned(), help)]
}

/// Numbers tell a packet from its copies, whatever the fabric does to their order.
fn numbers(parts: &Parts<'_>) -> Vec<Misfit> {
    let protocol = &parts.ends.protocol;
    let misfit = |reason: String| {
        let message = format!("on a fabric that may deliver out of order, {reason}");
        let help = "leave it out, for 32 bits; or it needs one way between two nodes, and one virtual channel";
        Misfit::new([format!("protocol.{}.sequence-bits", protocol.key())], message, help)
    };
    protocol.confuses(parts.facts.in_order).into_iter().map(misfit).collect()
}

/// Transfers that rely on order get it.
fn transfers(parts: &Parts<'_>) -> Vec<Misfit> {
    let promises = parts.ends.protocol.promises_over(parts.facts.classes);
    if !parts.ends.messaging.in_order || parts.facts.in_order && !promises.reorders || promises.in_order {
        return Vec::new();
    }
    let protocol = parts.ends.protocol.key();
    let message = match promises.reorders {
        true => format!("[protocol.{protocol}] may deliver out of order"),
        false => format!(
            "[fabric.{}] may deliver out of order, and [protocol.{protocol}] does not put that right",
            parts.fabric
        ),
    };
    let help = "it needs a protocol that keeps order, such as [protocol.nifdy], or in-order = false";
    vec![Misfit::new(["messaging.in-order".to_owned()], message, help)]
}

/// The longest of the packets that enter the fabric, and the key that says so.
pub(super) fn longest(ends: &Ends, interface: Interface<'_>) -> (Bytes, String) {
    let (alone, header) = ends.protocol.lengths();
    let packet = interface.ni.reach().packet + header;
    match alone > packet {
        true => (alone, format!("protocol.{}.acknowledgement", ends.protocol.key())),
        false => (packet, interface.key(&interface.ni.packet_key())),
    }
}

/// Packets are no longer than the fabric carries.
fn packets(parts: &Parts<'_>) -> Vec<Misfit> {
    let (packet, key) = longest(parts.ends, parts.interface);
    let Some(Longest { bytes, bound, keys, instead }) = parts.facts.packet_max.filter(|most| most.bytes < packet)
    else {
        return Vec::new();
    };
    let keys: Vec<String> = keys.iter().map(|key| format!("fabric.{key}")).collect();
    let message = format!(
        "a packet of {packet} ({key}) is longer than {bound}: {bytes} ({})",
        keys[..keys.len().min(2)].join(", ")
    );
    let help = format!("make {key} smaller, or {instead}");
    let all = keys.into_iter().chain([key, format!("fabric.{}", parts.fabric)]);
    vec![Misfit::new(all, message, help)]
}

/// Messages are no longer than the interface can say.
fn lengths(parts: &Parts<'_>) -> Vec<Misfit> {
    let all = parts.interfaces.iter().map(|interface| interface.ni);
    if all.clone().any(|ni| ni.format() != parts.ni().format()) {
        return Vec::new();
    }
    let (reach, mut wrong) = (ni::message_reach(all), Vec::new());
    if let Some((key, payload)) = parts.workload.payload_max().filter(|(_, payload)| *payload > reach) {
        wrong.push(too_long(parts, key, payload, reach));
    } else if let (Some(most), Some((key, payload))) = (parts.ends.messaging.message_max, parts.workload.payload_max())
        && payload > most
    {
        let message = format!("a payload of {payload} is larger than a message may be, {most}");
        wrong.push(Misfit::new([key.to_owned()], message, "make it smaller, or messaging.message-max larger"));
    }
    if let Some(most) = parts.ends.messaging.message_max.filter(|most| *most > reach) {
        let message = match parts.interfaces.len() {
            1 => format!("messages of {most} are longer than the interface can number the packets of, {reach}"),
            _ => format!("messages of {most} are longer than all interfaces cut up alike: {reach}"),
        };
        wrong.push(Misfit::new(["messaging.message-max".to_owned()], message, "make it smaller"));
    }
    wrong
}

fn too_long(parts: &Parts<'_>, key: &str, payload: Bytes, most: Bytes) -> Misfit {
    match parts.ni() {
        NiParameters::Trapeze(_) => Misfit::new(
            [key.to_owned()],
            format!("a payload of {payload} is larger than a packet buffer, {most}"),
            "make it smaller, or ni.trapeze.payload-max larger",
        ),
        ni => Misfit::new(
            [key.to_owned()],
            format!("a payload of {payload} is larger than the packets of a message can be numbered, {most}"),
            format!("make it smaller, or the packets of [ni.{}] larger", ni.key()),
        ),
    }
}

/// Headers can name all nodes, and the fabric has places for them.
fn names(parts: &Parts<'_>) -> Vec<Misfit> {
    too_many(parts.addresses.nodes(), Some(parts.interface), &parts.facts, parts.fabric).into_iter().collect()
}

/// More nodes than one of these can have: told of the one that has the fewest.
pub(super) fn too_many(nodes: usize, interface: Option<Interface<'_>>, facts: &Facts, fabric: &str) -> Option<Misfit> {
    let ni = interface.map(|Interface { ni, .. }| (ni.reach().nodes, format!("ni.{}", ni.key())));
    let limits = [
        ni.map(|(most, key)| (most, format!("a header of [{key}] names {most} at most"), key)),
        // A shape without nodes could not be built, and was told of.
        facts.nodes_max.filter(|most| *most > 0).map(|most| {
            let key = format!("fabric.{fabric}");
            (most, format!("[{key}] has {most}"), key)
        }),
        Some((NODES_MAX as u32, format!("Narrows simulates {NODES_MAX} at most"), "nodes".to_owned())),
    ];
    let (most, whose, key) = limits.into_iter().flatten().min_by_key(|(most, ..)| *most)?;
    if nodes <= most as usize {
        return None;
    }
    let message = format!("the machine has {nodes} nodes, and {whose}");
    let help = match key.split_once('.') {
        Some(("ni", _)) => "describe fewer nodes, or choose an interface whose header names more: [ni.queues]",
        Some(_) => "describe fewer nodes, or make the shape larger",
        None => "describe fewer nodes",
    };
    Some(Misfit::new(["nodes".to_owned(), format!("fabric.{fabric}"), key], message, help))
}

/// Headers can tell all endpoints apart, and the interface has room for what each has there.
fn endpoints(parts: &Parts<'_>) -> Vec<Misfit> {
    let (nodes, all, most) = (parts.addresses.nodes(), parts.addresses.len(), parts.addresses.most());
    if all == nodes {
        return Vec::new();
    }
    let told = |message: String, help: &str| vec![Misfit::new([parts.endpoints.to_owned()], message, help)];
    let help = "describe fewer endpoints, or choose an interface whose header names more: [ni.queues]";
    if all > NODES_MAX as usize {
        let message = format!("the machine has {all} endpoints, and Narrows simulates {NODES_MAX} at most");
        return told(message, "describe fewer endpoints");
    }
    match parts.ni().reach().ends {
        EndsMax::InAll(named) if all > named as usize => {
            let message =
                format!("the machine has {all} endpoints, and a header of [{}] names {named} at most", table(parts));
            return told(message, help);
        }
        EndsMax::OfNode(named) if most > named => {
            let message = format!(
                "a node has {most} endpoints, and a header of [{}] tells {named} of a node apart",
                table(parts)
            );
            return told(message, help);
        }
        _ => {}
    }
    let room = |ends| parts.ni().room_for(&parts.ends.protocol, ends);
    let fits = |(needed, memory): (Option<Bytes>, Bytes)| needed.is_some_and(|needed| needed <= memory);
    match (room(1).is_none_or(fits), room(most)) {
        (true, Some((Some(needed), memory))) if needed > memory => {
            let message = format!(
                "with the tags of {most} endpoints [{}] needs {needed} of its memory, which has {memory}",
                table(parts)
            );
            told(message, "describe fewer endpoints, or make ni.trapeze.tags fewer")
        }
        _ => Vec::new(),
    }
}

/// Hardware shares memory where there is such, and the processor has registers for all who wait for it.
fn sharing(parts: &Parts<'_>) -> Vec<Misfit> {
    if parts.ends.shared_memory.make != SharingMake::Hardware || !parts.workload.shares_memory() {
        return Vec::new();
    }
    if !parts.ni().shares_memory() {
        let message = format!("[ni.{}] keeps no memory coherent that nodes share", parts.ni().key());
        let help = "it needs [ni.cmmu], or [shared-memory.software]";
        return vec![Misfit::new(["shared-memory.hardware".to_owned()], message, help)];
    }
    let most = parts.addresses.most();
    let few = |(name, host): &(&str, &HostParameters)| match host {
        HostParameters::Alewife(host) if host.contexts < most => Some((name.to_string(), host.contexts)),
        _ => None,
    };
    let Some((name, contexts)) = parts.hosts.iter().find_map(few) else { return Vec::new() };
    let message = format!("{most} programs of a node wait for blocks, and `{name}` has registers for {contexts}");
    let keys = [parts.endpoints.to_owned(), format!("hosts.{name}.alewife.contexts")];
    vec![Misfit::new(keys, message, "describe fewer endpoints, or more contexts; or choose [shared-memory.software]")]
}

/// The program finds what it tries.
fn program(parts: &Parts<'_>) -> Vec<Misfit> {
    let mut wrong = Vec::new();
    if matches!(parts.workload, Workload::Dma(_)) && !parts.ni().reach().has_host_dma {
        let message = format!("[ni.{}] has no host DMA that could be tried alone", parts.ni().key());
        wrong.push(Misfit::new(["workload.dma".to_owned()], message, "it needs [ni.trapeze]"));
    }
    let copies = match parts.workload {
        Workload::Stream(stream) => stream.copying.then_some("workload.stream.copying"),
        Workload::Dma(dma) => dma.copying.then_some("workload.dma.copying"),
        _ => None,
    };
    let free = parts.hosts.iter().find(|(_, host)| !host.charges_memory());
    if let (Some(key), Some((name, _))) = (copies, free) {
        let message = format!("on `{name}` memory takes no time, and copying would never end");
        wrong.push(Misfit::new([key.to_owned()], message, "it needs a host with an I/O bus or a memory bus"));
    }
    wrong
}
