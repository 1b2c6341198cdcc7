//! From a checked description to a simulation, and its run.

use super::{Fabric, Host, Machine, Ni};
use crate::engine::{Limits, Outcome, Recorder, Sim, Simulation, Tally};
use crate::fabric::myrinet::Myrinet;
use crate::host::memory_bus::Node as MemoryBusNode;
use crate::messaging::polled;
use crate::messaging::{Endpoint, Node, World};
use crate::ni::memory_bus::Interface;
use crate::ni::memory_bus::port::{Networks, Port};
use crate::ni::trapeze::TrapezeNode;
use crate::program::Running;
use std::rc::Rc;

/// A machine with its workload started, ready to run.
pub struct Built {
    simulation: Simulation,
    /// What the programs run in.
    pub world: World,
    /// The fabric, if it is one of links.
    pub myrinet: Option<Rc<Myrinet>>,
    /// The workload.
    pub running: Rc<dyn Running>,
    limits: Limits,
}

/// A fabric that was built.
enum Wires {
    Myrinet(Rc<Myrinet>),
    Ideal(Rc<Networks>),
}

/// Builds the machine and starts its workload.
pub fn build(machine: &Machine, recorder: Recorder) -> Built {
    let simulation = Simulation::new(recorder);
    let sim = simulation.sim();
    let tally = Tally::new(&sim);
    let names: Vec<String> = machine.nodes.iter().map(|node| node.name.clone()).collect();
    let wires = wires(&sim, machine, &names);
    let endpoint = |id: usize| endpoint(&sim, machine, id, &wires, &tally);
    let nodes = names.iter().enumerate().map(|(id, name)| Node { id, name: name.clone(), endpoint: endpoint(id) });
    let world =
        World { nodes: Rc::new(nodes.collect()), sim: sim.clone(), tally: tally.clone(), seed: machine.run.seed };
    let running = machine.workload.start(&world);
    let limits = Limits { time: machine.run.time_limit, no_progress: machine.run.no_progress_limit };
    let myrinet = match wires {
        Wires::Myrinet(myrinet) => Some(myrinet),
        Wires::Ideal(_) => None,
    };
    Built { simulation, world, myrinet, running, limits }
}

impl Built {
    /// Runs to the end.
    pub fn run(&self) -> Outcome {
        self.simulation.run(self.limits)
    }
}

fn wires(sim: &Sim, machine: &Machine, names: &[String]) -> Wires {
    match &machine.fabric {
        Fabric::Myrinet(parameters) => {
            let fabric = Myrinet::new(sim, parameters.clone(), names);
            Wires::Myrinet(fabric.expect("a checked fabric joins its nodes"))
        }
        Fabric::Ideal(parameters) => Wires::Ideal(Networks::new(sim, names.len(), *parameters)),
    }
}

fn endpoint(sim: &Sim, machine: &Machine, id: usize, wires: &Wires, tally: &Rc<Tally>) -> Endpoint {
    let node = &machine.nodes[id];
    let (_, host) = machine.hosts.iter().find(|(host, _)| *host == node.host).expect("a checked node names a host");
    match (&machine.ni, host, wires) {
        (Ni::Trapeze { chip, trapeze }, Host::IoBus(host), Wires::Myrinet(fabric)) => {
            let who = (id, node.name.as_str());
            let node = TrapezeNode::start(sim, who, host, *chip, trapeze, fabric.clone(), tally.clone());
            Endpoint::Trapeze(Rc::new(node))
        }
        (Ni::MemoryBus { interface, messaging }, Host::MemoryBus(host), Wires::Ideal(networks)) => {
            let host = Rc::new(MemoryBusNode::new(sim, &node.name, host));
            let port = Port::new(sim, id as u32, machine.nodes.len(), interface.flow, networks);
            let interface = Rc::new(Interface::new(sim, &host, port, *interface));
            Endpoint::Polled(Rc::new(polled::Endpoint::new(host, interface, id as u16, *messaging)))
        }
        _ => unreachable!("a checked description joins an interface with its kind of host and fabric"),
    }
}
