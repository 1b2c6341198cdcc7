//! From a checked description to a simulation, and its run.

use super::{Fabric, Host, Machine, Ni};
use crate::engine::{Limits, Outcome, Recorder, Sim, Simulation, Tally};
use crate::fabric::myrinet::Myrinet;
use crate::host::io_bus::IoBusParameters;
use crate::messaging::{Endpoint, Node, World};
use crate::ni::trapeze::TrapezeNode;
use crate::program::Running;
use std::rc::Rc;

/// A machine with its workload started, ready to run.
pub struct Built {
    simulation: Simulation,
    /// What the programs run in.
    pub world: World,
    /// The fabric.
    pub fabric: Rc<Myrinet>,
    /// The workload.
    pub running: Rc<dyn Running>,
    limits: Limits,
}

/// Builds the machine and starts its workload.
pub fn build(machine: &Machine, recorder: Recorder) -> Built {
    let simulation = Simulation::new(recorder);
    let sim = simulation.sim();
    let tally = Tally::new(&sim);
    let names: Vec<String> = machine.nodes.iter().map(|node| node.name.clone()).collect();
    let Fabric::Myrinet(parameters) = &machine.fabric;
    let fabric = Myrinet::new(&sim, parameters.clone(), &names).expect("a checked fabric joins its nodes");
    let endpoint = |id: usize| endpoint(&sim, machine, id, &fabric, &tally);
    let nodes = names.iter().enumerate().map(|(id, name)| Node { id, name: name.clone(), endpoint: endpoint(id) });
    let world =
        World { nodes: Rc::new(nodes.collect()), sim: sim.clone(), tally: tally.clone(), seed: machine.run.seed };
    let running = machine.workload.start(&world);
    let limits = Limits { time: machine.run.time_limit, no_progress: machine.run.no_progress_limit };
    Built { simulation, world, fabric, running, limits }
}

impl Built {
    /// Runs to the end.
    pub fn run(&self) -> Outcome {
        self.simulation.run(self.limits)
    }
}

fn endpoint(sim: &Sim, machine: &Machine, id: usize, fabric: &Rc<Myrinet>, tally: &Rc<Tally>) -> Endpoint {
    let name = &machine.nodes[id].name;
    let host = host(machine, &machine.nodes[id].host);
    let Ni::Trapeze { chip, trapeze } = &machine.ni;
    let node = TrapezeNode::start(sim, (id, name), host, *chip, trapeze, fabric.clone(), tally.clone());
    Endpoint::Trapeze(Rc::new(node))
}

fn host<'a>(machine: &'a Machine, name: &str) -> &'a IoBusParameters {
    let (_, Host::IoBus(host)) =
        machine.hosts.iter().find(|(host, _)| host == name).expect("a checked node names a host");
    host
}
