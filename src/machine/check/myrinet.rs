//! What is noted of a Myrinet before time 0: whether its source routes can deadlock.
//!
//! It is no error. Every Myrinet has a watchdog, which breaks a circle at the price of a packet; and
//! whoever sets it to come after the run has given up wants to see the deadlock.

use crate::fabric::myrinet::circle;
use crate::machine::{Fabric, Machine};

/// What `narrows check` tells of source routes that can deadlock.
pub(in crate::machine) fn note(machine: &Machine) -> Option<String> {
    let Fabric::Myrinet(parameters) = &machine.fabric else { return None };
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
