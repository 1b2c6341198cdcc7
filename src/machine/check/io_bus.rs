//! What must fit together in a host with an I/O bus.

use crate::host::HostParameters;
use crate::host::io_bus::IoBusParameters;
use crate::host::io_bus::competition::Competition;
use crate::machine::Machine;
use crate::text::{Problem, Read};

/// A bridge moves data over its bus: no faster than that goes.
pub(super) fn bridges_fit_their_buses(read: &Read<Machine>, problems: &mut Vec<Problem>) {
    for (name, host) in &read.value.hosts {
        if let HostParameters::IoBus(host) = host {
            bridge_fits_its_bus(read, name, host, problems);
            memory_keeps_up(read, name, host, problems);
        }
    }
}

fn bridge_fits_its_bus(read: &Read<Machine>, name: &str, host: &IoBusParameters, problems: &mut Vec<Problem>) {
    let (pci, peak) = (host.pci, host.pci.peak());
    let [clock, width] = ["clock", "width"].map(|key| format!("hosts.{name}.io-bus.pci.{key}"));
    for (key, rate) in [("read-rate", host.bridge.read_rate), ("write-rate", host.bridge.write_rate)] {
        if rate <= peak {
            continue;
        }
        let own = format!("hosts.{name}.io-bus.bridge.{key}");
        let at = read.foremost(&[&own, &clock, &width]);
        let (width, clock) = (pci.width, pci.clock);
        let message = format!("bridge.{key} is {rate}, but a bus of {width} at {clock} moves at most {peak}");
        let help = format!("lower {own} to {peak} at most, or make pci.clock or pci.width larger");
        problems.push(read.wrong(at, &message, &help));
    }
}

/// Memory that fills and empties a bridge's buffer holds up no burst that goes through it.
fn memory_keeps_up(read: &Read<Machine>, name: &str, host: &IoBusParameters, problems: &mut Vec<Problem>) {
    let Competition::Buffered { memory_rate, .. } = host.bridge.competition else { return };
    let of = |key: &str| format!("hosts.{name}.io-bus.bridge.{key}");
    let memory = of("competition.buffered.memory-rate");
    for (key, rate) in [("read-rate", host.bridge.read_rate), ("write-rate", host.bridge.write_rate)] {
        if rate <= memory_rate {
            continue;
        }
        let own = of(key);
        let message = format!("bridge.{key} is {rate}, but memory gives and takes {memory_rate} at most");
        let help = format!("lower {own} to {memory_rate} at most, or make {memory} larger");
        problems.push(read.wrong(read.foremost(&[&own, &memory]), &message, &help));
    }
}
