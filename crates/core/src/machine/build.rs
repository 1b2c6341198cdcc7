//! Builds a simulation from a checked description, and runs it.

use super::{Machine, NodeParts};
use crate::engine::{Bytes, EndpointMap, Limits, MessageTally, NodeId, Outcome, Recorder, Sim, Simulation};
use crate::fabric;
use crate::fabric::routed::FabricOnly;
use crate::host::{Host, HostSpec};
use crate::messaging::shared::SharedMemoryParameters;
use crate::messaging::{Endpoint, Node, World};
use crate::ni::{BuildContext, ConnectionTable, InFlight};
use crate::program::RunningWorkload;
use crate::protocol::{ProtocolBinding, ProtocolEnvironment};
use crate::text::Parameters;
use std::rc::Rc;

/// A machine with its workload started, ready to run.
pub struct BuiltMachine {
    simulation: Simulation,
    /// The world in which the programs run.
    pub world: World,
    /// The workload.
    pub workload: Rc<dyn RunningWorkload>,
    limits: Limits,
}

/// Builds the machine and starts its workload.
pub fn build(machine: &Machine, recorder: Recorder) -> BuiltMachine {
    build_with(machine, recorder, Box::new(|world| machine.workload.start(world)))
}

/// A function that starts a program in a world.
pub type StartProgram<'a> = dyn FnOnce(&World) -> Rc<dyn RunningWorkload> + 'a;

/// Builds the machine, and starts another program in place of its workload.
pub fn build_with(machine: &Machine, recorder: Recorder, start: Box<StartProgram<'_>>) -> BuiltMachine {
    let simulation = Simulation::new(recorder);
    let sim = simulation.sim();
    let tally = MessageTally::new(&sim);
    let addresses = Rc::new(machine.addresses());
    let fabric = machine.node_parts.as_ref().map(|_| machine.fabric.join(&sim, &node_names(machine), machine.run.seed));
    let nodes = match (&machine.node_parts, &fabric) {
        (Some(node_parts), Some(fabric)) => build_nodes((&sim, machine, node_parts), fabric, (&tally, &addresses)),
        _ => Vec::new(),
    };
    let fabric_only = if machine.node_parts.is_none() { build_fabric_only(&sim, machine) } else { None };
    let (nodes, seed, active_endpoints, endpoint_ids) =
        (Rc::new(nodes), machine.run.seed, Rc::default(), Rc::default());
    let shared_memory =
        machine.node_parts.as_ref().map_or(SharedMemoryParameters::defaults(), |node_parts| node_parts.shared_memory);
    let world = World {
        nodes,
        endpoint_map: addresses,
        sim,
        fabric,
        tally,
        active_endpoints,
        endpoint_ids,
        shared_memory,
        seed,
        fabric_only,
    };
    let workload = start(&world);
    let limits = Limits { time: machine.run.time_limit, no_progress: machine.run.no_progress_limit };
    BuiltMachine { simulation, world, workload, limits }
}

impl BuiltMachine {
    /// Drops the machine, and asserts that nothing of it remains in memory. Parts remain if they hold references to
    /// each other in a cycle, for example a device and its host.
    ///
    /// # Panics
    ///
    /// Panics if a part of the machine remains.
    pub fn assert_released(self) {
        let remaining = self.world.sim.downgrade();
        drop(self);
        assert_eq!(
            remaining.strong_count(),
            0,
            "handles of the simulation remain after the run: parts hold each other"
        );
    }

    /// Runs the machine to the end.
    pub fn run(&self) -> Outcome {
        self.simulation.run(self.limits)
    }

    /// Returns the final outcome of a run that ended with `outcome` according to the engine. The program may state
    /// another outcome. A run that completed although messages were dropped has the outcome [`Outcome::Loss`].
    pub fn final_outcome(&self, outcome: Outcome) -> Outcome {
        let outcome = self.workload.final_outcome(&self.world, outcome);
        match (outcome.is_complete(), self.world.tally.lost_count()) {
            (false, _) | (_, 0) => outcome,
            (true, lost_messages) => {
                let (sent, losses) = (self.world.tally.sent_count(), self.world.sim.losses());
                let first =
                    losses.descriptions.first().map_or_else(String::new, |first| format!("; the first loss: {first}"));
                Outcome::Loss(format!("{lost_messages} of {sent} messages were lost and are not retransmitted{first}"))
            }
        }
    }
}

fn node_names(machine: &Machine) -> Vec<String> {
    machine.nodes.iter().map(|node| node.name.clone()).collect()
}

/// Builds the routers of a routed fabric for a workload that drives them without nodes.
fn build_fabric_only(sim: &Sim, machine: &Machine) -> Option<Rc<FabricOnly>> {
    let fabric = machine.fabric.routers()?;
    Some(FabricOnly::new(sim, fabric, &node_names(machine), machine.run.seed))
}

/// Builds the nodes, in order.
fn build_nodes(
    (sim, machine, node_parts): (&Sim, &Machine, &NodeParts),
    fabric: &fabric::Fabric,
    (tally, addresses): (&Rc<MessageTally>, &Rc<EndpointMap>),
) -> Vec<Node> {
    let (in_flight, connections) = (InFlight::new(machine.nodes.len()), ConnectionTable::new());
    let message_max = message_max(machine, node_parts);
    let capabilities = fabric.capabilities();
    let environment = ProtocolEnvironment::new(capabilities.classes, capabilities.in_order).with_seed(machine.run.seed);
    let protocol = ProtocolBinding::new(node_parts.protocol.spec().clone(), environment);
    let build_node = |(index, node): (usize, &super::NodeDescription)| {
        let id = NodeId(index as u32);
        let host = Host::new(id, &node.name, host_spec(machine, &node.host).start(sim, id, &node.name));
        let (protocol, costs) = (&protocol, node_parts.messaging.costs);
        let context = BuildContext {
            sim,
            host: &host,
            fabric,
            protocol,
            costs,
            tally,
            in_flight: &in_flight,
            addresses,
            connections: &connections,
        };
        let driver = node_parts.interface_of(node).start(&context);
        let endpoints =
            Endpoint::for_node(&host, driver, node_parts.messaging, message_max, (tally, &in_flight, addresses));
        Node { id, name: node.name.clone(), endpoints }
    };
    machine.nodes.iter().enumerate().map(build_node).collect()
}

/// Returns the size of the largest message that a program may send.
pub(super) fn message_max(machine: &Machine, node_parts: &NodeParts) -> Bytes {
    let payload_max = machine.workload.payload_max().map_or(Bytes::ZERO, |(_, payload)| payload);
    node_parts.messaging.message_max.unwrap_or(payload_max.max(WORDS_BYTES))
}

/// Largest number of bytes of words that a program sends in place of a payload (chosen).
const WORDS_BYTES: Bytes = Bytes(64);

fn host_spec<'a>(machine: &'a Machine, name: &str) -> &'a dyn HostSpec {
    let host_entry = machine.hosts.iter().find(|(host, _)| host == name);
    &**host_entry.expect("a checked node names a host").1.spec()
}
