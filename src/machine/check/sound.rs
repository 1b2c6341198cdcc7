//! Whether each part is sound by itself, where one value makes another impossible.

use crate::engine::Bytes;
use crate::machine::{Interface, Machine};
use crate::ni::lanai::LanaiParameters;
use crate::ni::mcp::parameters::{PipeliningParameters, Users};
use crate::ni::mcp::{self, McpParameters};
use crate::ni::trapeze::layout::Layout;
use crate::ni::trapeze::{self, Policy, TrapezeParameters};
use crate::ni::{InterfaceParameters, NiParameters};
use crate::part::{PartSpec, Selected};
use crate::text::{Problem, Read};

/// Hosts and interface.
pub(super) fn parts(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    for (_, host) in &read.value.hosts {
        part(read, host, problems);
    }
    shared_memory(read, problems);
    for interface in read.value.interfaces() {
        let at = At { read, interface };
        match interface.ni {
            NiParameters::Trapeze(parts) => trapeze_fits(&at, &parts.0, &parts.1, problems),
            NiParameters::Mcp(parts) => mcp_fits(&at, &parts.0, &parts.1, problems),
            NiParameters::Design(interface) => design(&at, interface, problems),
            _ => {}
        }
    }
}

/// Reports what is wrong with a part by itself.
fn part<S: ?Sized + PartSpec>(read: &Read<Machine>, part: &Selected<S>, problems: &mut Vec<Problem>) {
    for error in part.check() {
        let keys: Vec<String> = [&error.key].into_iter().chain(&error.related).map(|key| part.key(key)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let help = error.help.replace("{table}", &part.table());
        problems.push(read.wrong(read.foremost(&keys), &error.message, &help));
    }
}

/// Blocks of shared memory lie in pages, and are words of eight bytes.
fn shared_memory(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let block = read.value.ends.as_ref().map(|ends| ends.shared_memory.block);
    if let Some(block) = block.filter(|block| !block.get().is_power_of_two()) {
        let message = format!("{block} is no power of two");
        let (below, above) = (block.get().next_power_of_two() / 2, block.get().next_power_of_two());
        let help = format!("the nearest are {} and {}", Bytes(below), Bytes(above));
        problems.push(read.wrong("shared-memory.software.block", &message, &help));
    }
}

/// Tells what is wrong with an interface, whose keys begin with `ni`, at the table that describes it.
struct At<'a> {
    read: &'a Read<Machine>,
    interface: Interface<'a>,
}

impl At<'_> {
    fn wrong(&self, key: &str, message: &str, help: &str) -> Problem {
        self.read.wrong(&self.interface.key(key), message, help)
    }

    /// The key of these that stands in the highest layer, as it is given.
    fn foremost<'k>(&self, keys: &[&'k str]) -> &'k str {
        let own: Vec<String> = keys.iter().map(|key| self.interface.key(key)).collect();
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let found = self.read.foremost(&own);
        let place = own.iter().position(|key| *key == found).expect("it is one of them");
        keys[place]
    }
}

fn design(at: &At<'_>, interface: &InterfaceParameters, problems: &mut Vec<Problem>) {
    for problem in interface.check() {
        let key = format!("ni.{}.{}", interface.design.key(), key_of(problem.parameter));
        problems.push(at.wrong(&key, &problem.reason, ""));
    }
}

/// The key under which a parameter stands in a description.
fn key_of(parameter: &'static str) -> &'static str {
    match parameter {
        "message-bytes-max" => "message-max",
        "access-bytes" => "access",
        other => other,
    }
}

fn trapeze_fits(at: &At<'_>, chip: &LanaiParameters, trapeze: &TrapezeParameters, problems: &mut Vec<Problem>) {
    let policy = format!("ni.trapeze.policy.{}", policy_name(&trapeze.policy));
    let (minpulse, buffers) = (format!("{policy}.minpulse"), format!("{policy}.buffers"));
    let of = |key: &str| format!("ni.trapeze.{key}");
    let (payload, entries, tags, memory) = (of("payload-max"), of("ring-entries"), of("tags"), of("lanai.sram.size"));
    for (key, message) in trapeze::check(trapeze, chip) {
        let (place, help) = match key {
            "policy" => {
                (at.foremost(&[&minpulse, &payload]), "make minpulse smaller, or payload-max larger".to_owned())
            }
            "ring-entries" => {
                (at.foremost(&[&entries, &payload]), "make ring-entries or payload-max smaller".to_owned())
            }
            _ => (at.foremost(&[&buffers, &payload, &entries, &tags, &memory]), room(trapeze, chip)),
        };
        problems.push(at.wrong(place, &message, &help));
    }
    bus_before_network(at, ("trapeze", chip), problems);
}

/// Rings and packet buffers lie in the interface's memory.
fn mcp_fits(at: &At<'_>, chip: &LanaiParameters, mcp: &McpParameters, problems: &mut Vec<Problem>) {
    let (needs, memory) = (mcp::needs(mcp), chip.sram.size);
    if needs > memory {
        let message = format!(
            "rings and {} packet buffers of {} in each direction need {needs}, but the interface's memory has {memory}",
            mcp.packet_buffers, mcp.mtu
        );
        let help = "make packet-buffers or mtu smaller, or lanai.sram.size larger";
        let keys = ["packet-buffers", "mtu", "lanai.sram.size"].map(|key| format!("ni.mcp.{key}"));
        let place = at.foremost(&[&keys[0], &keys[1], &keys[2]]);
        problems.push(at.wrong(place, &message, help));
    }
    if matches!((mcp.users, mcp.pipelining), (Users::Library(_), PipeliningParameters::Fine(_))) {
        let message = "a library's firmware passes packets on when they are whole";
        problems.push(at.wrong("ni.mcp.pipelining", message, "choose `coarse` or `serial`, or user-level = false"));
    }
    bus_before_network(at, ("mcp", chip), problems);
}

/// What would fit into the interface's memory.
fn room(trapeze: &TrapezeParameters, chip: &LanaiParameters) -> String {
    let rings = Layout::new(trapeze, 1).send_buffer(0);
    match chip.sram.size.get().saturating_sub(rings) / (2 * trapeze.payload_max.get()) {
        0 => format!(
            "not even one buffer of {} in each direction fits beside rings and tags, which need {}: make payload-max, ring-entries or tags smaller",
            trapeze.payload_max,
            Bytes(rings)
        ),
        fit => format!("{fit} buffers of {} in each direction fit beside the rings", trapeze.payload_max),
    }
}

fn policy_name(policy: &Policy) -> &'static str {
    match policy {
        Policy::StoreAndForward { .. } => "store-and-forward",
        Policy::PureCutThrough { .. } => "pure-cut-through",
        Policy::EagerCutThrough { .. } => "eager-cut-through",
        Policy::AdaptiveCutThrough { .. } => "adaptive-cut-through",
    }
}

/// The interface's memory serves the bus first; something must be left for the network.
fn bus_before_network(at: &At<'_>, (ni, chip): (&str, &LanaiParameters), problems: &mut Vec<Problem>) {
    for (_, host) in &at.read.value.hosts {
        let Some((key, bus)) = host.dma_rate_max() else { continue };
        if bus >= chip.sram.rate {
            let message = format!("memory of {} leaves nothing for the network beside DMA at {bus}", chip.sram.rate);
            let help = format!("the bus comes first: more than the rates of {}", host.key(key));
            problems.push(at.wrong(&format!("ni.{ni}.lanai.sram.rate"), &message, &help));
        }
    }
}
