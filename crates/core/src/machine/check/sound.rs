//! Checks that each part is valid alone, in cases where one value excludes another.

use crate::engine::Bytes;
use crate::machine::Machine;
use crate::part::{ParameterError, PartSpec, Selected};
use crate::text::{Layer, Problem, Read};

/// Checks hosts and interfaces.
pub(super) fn check_parts(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    for (_, host) in &read.value.hosts {
        problems.extend(host.check().iter().map(|error| problem_of_part(read, host, error)));
    }
    check_shared_memory_block(read, problems);
    for interface in read.value.interfaces() {
        let rates = read.value.hosts.iter().filter_map(|(_, host)| Some((host, host.dma_rate_max()?)));
        let rate_errors = rates.filter_map(|(host, (key, rate))| interface.check_dma_rate(rate, &host.key(key)));
        let errors = interface.check().into_iter().chain(rate_errors);
        problems.extend(errors.map(|error| problem_of_part(read, interface, &error)));
    }
}

/// Returns the problem of an invalid parameter of a part, at the key that was overridden last.
fn problem_of_part<S: ?Sized + PartSpec>(read: &Read<Machine>, part: &Selected<S>, error: &ParameterError) -> Problem {
    let keys: Vec<String> = error.keys().map(|key| part.key(key)).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let [message, help] = [&error.message, &error.help].map(|text| text.replace("{table}", &part.table()));
    let reported_key = read.highest_layer(&keys);
    let other_keys =
        keys.iter().filter(|key| **key != reported_key && (message.contains(**key) || help.contains(**key)));
    other_keys.fold(read.problem_at(reported_key, &message, &help), |problem, key| {
        problem.help(part_of_value(read, key).unwrap_or_default())
    })
}

/// Returns a sentence on the shipped part that states the value at `key`, if a shipped part does.
fn part_of_value(read: &Read<Machine>, key: &str) -> Option<String> {
    let path: Vec<&str> = key.split('.').collect();
    match read.definitions(&path).pop()?.layer {
        Layer::Part(part) => Some(format!("{key} comes from the shipped part \"{part}\"")),
        _ => None,
    }
}

/// Checks that the size of a block of shared memory is a power of two, so that pages hold whole blocks and blocks hold
/// whole words of eight bytes.
fn check_shared_memory_block(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    let block = read.value.node_parts.as_ref().map(|node_parts| node_parts.shared_memory.block);
    if let Some(block) = block.filter(|block| !block.get().is_power_of_two()) {
        let message = format!("{block} is not a power of two");
        let (below, above) = (block.get().next_power_of_two() / 2, block.get().next_power_of_two());
        let help = format!("the nearest are {} and {}", Bytes(below), Bytes(above));
        problems.push(read.problem_at("shared-memory.software.block", &message, &help));
    }
}
