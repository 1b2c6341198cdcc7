//! From a checked description to a simulation, and its run.

use super::{Fabric, Host, Machine, Ni};
use crate::engine::{Limits, Outcome, Recorder, Sim, Simulation, Tally};
use crate::fabric::ideal_carrier::IdealCarrier;
use crate::fabric::myrinet::Myrinet;
use crate::fabric::myrinet::carrier::MyrinetCarrier;
use crate::fabric::routed::{Routed, RoutedParameters};
use crate::fabric::router::{Network, Switching};
use crate::fabric::topology::{Shape, Topology};
use crate::host::memory_bus::Node as MemoryBusNode;
use crate::host::software::SoftwareParameters;
use crate::messaging::{Alone, Endpoint, Node, World, active, polled};
use crate::ni::memory_bus::Interface;
use crate::ni::memory_bus::port::{Networks, Port};
use crate::ni::nifdy::{self, Pending};
use crate::ni::trapeze::TrapezeNode;
use crate::program::Running;
use std::cell::RefCell;
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
    Frames { carrier: Rc<nifdy::Fabric>, networks: u8 },
    Alone(Rc<Alone>),
}

/// Logical networks of a fabric that does not say how many it has.
const NETWORKS: u8 = 2;

/// Builds the machine and starts its workload.
pub fn build(machine: &Machine, recorder: Recorder) -> Built {
    let simulation = Simulation::new(recorder);
    let sim = simulation.sim();
    let tally = Tally::new(&sim);
    let names: Vec<String> = machine.nodes.iter().map(|node| node.name.clone()).collect();
    let wires = wires(&sim, machine, &names);
    let endpoints = endpoints(&sim, machine, &wires, &tally);
    let nodes = names.into_iter().zip(endpoints).enumerate();
    let nodes = nodes.map(|(id, (name, endpoint))| Node { id, name, endpoint });
    let (myrinet, alone) = match wires {
        Wires::Myrinet(myrinet) => (Some(myrinet), None),
        Wires::Alone(alone) => (None, Some(alone)),
        Wires::Ideal(_) | Wires::Frames { .. } => (None, None),
    };
    let world = World { nodes: Rc::new(nodes.collect()), sim, tally, seed: machine.run.seed, alone };
    let running = machine.workload.start(&world);
    let limits = Limits { time: machine.run.time_limit, no_progress: machine.run.no_progress_limit };
    Built { simulation, world, myrinet, running, limits }
}

impl Built {
    /// Runs to the end.
    pub fn run(&self) -> Outcome {
        self.simulation.run(self.limits)
    }
}

fn wires(sim: &Sim, machine: &Machine, names: &[String]) -> Wires {
    let myrinet =
        |parameters: &_| Myrinet::new(sim, Clone::clone(parameters), names).expect("a checked fabric joins its nodes");
    match (&machine.fabric, &machine.ni) {
        (Fabric::Routed(topology, routed), Ni::None) => Wires::Alone(alone(shape(topology), routed, machine.run.seed)),
        (Fabric::Routed(topology, parameters), _) => {
            let carrier = Routed::start(sim, shape(topology), parameters, machine.run.seed);
            Wires::Frames { carrier, networks: parameters.router.networks }
        }
        (Fabric::Myrinet(parameters), Ni::Packets { .. }) => {
            let carrier = MyrinetCarrier::start(sim, myrinet(parameters), names.len());
            Wires::Frames { carrier, networks: NETWORKS }
        }
        (Fabric::Ideal(parameters), Ni::Packets { .. }) => {
            let carrier = IdealCarrier::start(sim, names.len(), NETWORKS, *parameters);
            Wires::Frames { carrier, networks: NETWORKS }
        }
        (Fabric::Myrinet(parameters), _) => Wires::Myrinet(myrinet(parameters)),
        (Fabric::Ideal(parameters), _) => Wires::Ideal(Networks::new(sim, names.len(), *parameters)),
    }
}

fn shape(topology: &Topology) -> Shape {
    topology.build().expect("a checked shape can be built")
}

fn alone(shape: Shape, routed: &RoutedParameters, seed: u64) -> Rc<Alone> {
    let router = &routed.router;
    Rc::new(Alone {
        routing: shape.routing.clone(),
        nodes: shape.wiring.nodes(),
        clock: router.clock,
        exit_delay: routed.exit_delay,
        whole: router.switching == Switching::StoreAndForward,
        network: RefCell::new(Network::new(shape, router, seed)),
    })
}

/// The nodes' ends, in order; none where the fabric is driven alone.
fn endpoints(sim: &Sim, machine: &Machine, wires: &Wires, tally: &Rc<Tally>) -> Vec<Endpoint> {
    match (&machine.ni, wires) {
        (Ni::None, _) => Vec::new(),
        (Ni::Packets { interface, messaging }, Wires::Frames { carrier, networks, .. }) => {
            let costs: Vec<_> = (0..machine.nodes.len())
                .map(|id| active::Parameters::of(software(host(machine, id)), messaging, interface.packet))
                .collect();
            let pending = Rc::new(Pending::new(machine.nodes.len()));
            let nodes = machine.nodes.iter().zip(&costs).enumerate();
            let interfaces = nodes.map(|(id, (node, costs))| {
                let who = (id as u32, node.name.as_str());
                nifdy::Interface::start(sim, costs.clock, who, *networks, interface, (carrier, &pending))
            });
            let ends = active::join(sim, interfaces.collect(), (carrier.clone(), pending.clone()), &costs, tally);
            ends.into_iter().map(Endpoint::Active).collect()
        }
        _ => (0..machine.nodes.len()).map(|id| endpoint(sim, machine, id, wires, tally)).collect(),
    }
}

fn host(machine: &Machine, id: usize) -> &Host {
    let name = &machine.nodes[id].host;
    let (_, host) = machine.hosts.iter().find(|(host, _)| host == name).expect("a checked node names a host");
    host
}

fn software(host: &Host) -> &SoftwareParameters {
    match host {
        Host::Software(software) => software,
        _ => unreachable!("{JOINED}"),
    }
}

const JOINED: &str = "a checked description joins an interface with its kind of host and fabric";

fn endpoint(sim: &Sim, machine: &Machine, id: usize, wires: &Wires, tally: &Rc<Tally>) -> Endpoint {
    let node = &machine.nodes[id];
    match (&machine.ni, host(machine, id), wires) {
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
        _ => unreachable!("{JOINED}"),
    }
}
