//! From a checked description to a simulation, and its run.

use crate::engine::{Limits, Metric, Outcome, Recorder, Sim, Simulation, Tally};
use crate::fabric::myrinet::{Myrinet, MyrinetParameters};
use crate::host::io_bus::IoBusParameters;
use crate::messaging::{Endpoint, Node, World};
use crate::ni::lanai::LanaiParameters;
use crate::ni::trapeze::{TrapezeNode, TrapezeParameters};
use crate::program::Workload;
use std::rc::Rc;

/// A machine and its workload.
#[derive(Clone, Debug)]
pub struct Description {
    /// The nodes: name, and host.
    pub nodes: Vec<(String, IoBusParameters)>,
    /// The interface of every node.
    pub chip: LanaiParameters,
    /// Its firmware and driver.
    pub trapeze: TrapezeParameters,
    /// The fabric.
    pub fabric: MyrinetParameters,
    /// What runs.
    pub workload: Workload,
    /// When a run gives up.
    pub limits: Limits,
    /// The seed of every random stream.
    pub seed: u64,
}

/// Builds and runs.
pub fn run(description: &Description) -> (Outcome, Vec<Metric>) {
    let (o, m, _) = run_with(description, Recorder::off());
    (o, m)
}
pub fn trace(description: &Description) -> (crate::engine::Timeline, Vec<Metric>) {
    let (_, m, t) = run_with(description, Recorder::keeping(100_000));
    (t, m)
}
fn run_with(description: &Description, recorder: Recorder) -> (Outcome, Vec<Metric>, crate::engine::Timeline) {
    let simulation = Simulation::new(recorder);
    let sim: Sim = simulation.sim();
    let tally = Tally::new(&sim);
    let names: Vec<String> = description.nodes.iter().map(|(name, _)| name.clone()).collect();
    let fabric = Myrinet::new(&sim, description.fabric.clone(), &names).expect("checked");
    let nodes = description
        .nodes
        .iter()
        .enumerate()
        .map(|(id, (name, host))| {
            let node = TrapezeNode::start(
                &sim,
                (id, name),
                host,
                description.chip,
                &description.trapeze,
                fabric.clone(),
                tally.clone(),
            );
            Node { id, name: name.clone(), endpoint: Endpoint::Trapeze(Rc::new(node)) }
        })
        .collect();
    let world = World { sim, nodes: Rc::new(nodes), tally, seed: description.seed };
    let running = description.workload.start(&world);
    let outcome = simulation.run(description.limits);
    let metrics = running.metrics(&world, &outcome);
    let timeline = world.sim.recorder().take();
    (outcome, metrics, timeline)
}
