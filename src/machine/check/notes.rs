//! What is noted of a Myrinet before time 0: whether its source routes can deadlock, and whether its
//! watchdog drops packets that nothing has gone wrong with.
//!
//! Neither is an error. Every Myrinet has a watchdog, which breaks a circle at the price of a packet;
//! whoever sets it to come after the run has given up wants to see the deadlock, and whoever sets it
//! to come early, the losses: programs count them. Leaves out how long a packet waits for its reader,
//! which only the run can tell; a run that ends stuck names the packets it lost.

use super::reach;
use crate::fabric::Loss;
use crate::fabric::myrinet::circle;
use crate::machine::{FabricParameters, Machine};
use crate::protocol::ProtocolEnvironment;

/// What `narrows check` tells of it.
pub(in crate::machine) fn notes(machine: &Machine) -> Vec<String> {
    deadlock(machine).into_iter().chain(loss(machine)).collect()
}

/// That packets are lost even where nothing waits, and who does not send them again.
fn loss(machine: &Machine) -> Option<String> {
    let (ends, facts) = (machine.ends.as_ref()?, machine.fabric.facts());
    let Loss::Held { after, carries } = facts.loss else { return None };
    let longest = machine.interfaces().into_iter().map(|interface| reach::longest(ends, interface));
    let ((packet, key), protocol) = (longest.max()?, &ends.protocol);
    if packet <= carries || protocol.guarantees(&ProtocolEnvironment::new(facts.classes, facts.in_order)).survives_loss
    {
        return None;
    }
    Some(format!(
        "loss: the watchdog drops a packet that holds its links for {after}, in which {carries} cross them, and packets may have {packet} ({key})\n  [protocol.{}] does not send them again, and what waits for one may end stuck",
        protocol.name()
    ))
}

/// That source routes can deadlock.
fn deadlock(machine: &Machine) -> Option<String> {
    let FabricParameters::Myrinet(parameters) = &machine.fabric else { return None };
    let nodes: Vec<String> = machine.nodes.iter().map(|node| node.name.clone()).collect();
    let circle = circle(&nodes, parameters)?;
    let (watchdog, patience) = (parameters.watchdog, machine.run.no_progress_limit);
    let end = match watchdog < patience {
        true => format!(
            "the watchdog drops a packet that holds its links for {watchdog}, and what waits for it may end stuck"
        ),
        false => format!(
            "the run would end stuck: fabric.myrinet.watchdog is {watchdog}, and run.no-progress-limit {patience}"
        ),
    };
    Some(format!("deadlock: packets can wait in a circle: {circle}\n  {end}"))
}
