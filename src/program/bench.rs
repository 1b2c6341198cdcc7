//! Machines of ends over an ideal network, for tests of the programs that run on all nodes.

use super::{Running, Workload};
use crate::engine::{Bytes, Hertz, Limits, Map, Metric, Outcome, Recorder, Simulation, Tally, Time};
use crate::messaging::active::{Parameters, connect};
use crate::messaging::{Endpoint, Node, World};
use crate::text::{Document, Reading, Shelf, Source, load};
use std::rc::Rc;

/// The overheads of the paper's synthetic traffic, over a network that keeps order.
pub(super) const SYNTHETIC: Parameters = Parameters {
    clock: Hertz(33_000_000),
    send: 40,
    poll: 0,
    receive: 60,
    barrier: 20,
    reorder: 30,
    packet: Bytes(32),
    in_order: true,
    latency: 30,
    jitter: 0,
};

/// The same over a network that does not.
pub(super) const UNORDERED: Parameters = Parameters { in_order: false, jitter: 300, ..SYNTHETIC };

/// The overheads and packets of the CM-5.
pub(super) const CM5: Parameters = Parameters { send: 46, poll: 22, receive: 56, packet: Bytes(24), ..SYNTHETIC };

/// A machine, and what a program on it measured.
pub(super) struct Bench {
    simulation: Simulation,
    pub world: World,
    pub metrics: Vec<Metric>,
    pub map: Option<Map>,
}

impl Bench {
    pub fn new(nodes: usize, parameters: Parameters, seed: u64) -> Bench {
        let simulation = Simulation::new(Recorder::off());
        let sim = simulation.sim();
        let ends = connect(&sim, nodes, parameters, seed).into_iter().enumerate();
        let nodes = ends.map(|(id, end)| Node { id, name: format!("n{id}"), endpoint: Endpoint::Active(end) });
        let world = World { nodes: Rc::new(nodes.collect()), tally: Tally::new(&sim), sim, seed, alone: None };
        Bench { simulation, world, metrics: Vec::new(), map: None }
    }

    /// Runs a program to its end.
    pub fn run(&mut self, start: impl FnOnce(&World) -> Rc<dyn Running>) {
        let outcome = self.run_to(start);
        assert_eq!(outcome, Outcome::Done);
    }

    /// Runs a program to whatever end.
    pub fn run_to(&mut self, start: impl FnOnce(&World) -> Rc<dyn Running>) -> Outcome {
        let running = start(&self.world);
        let limits = Limits { no_progress: Time::from_us(100_000), ..Limits::default() };
        let outcome = self.simulation.run(limits);
        self.metrics = running.metrics(&self.world, &outcome);
        self.map = running.map();
        outcome
    }

    /// What it measured under `name`.
    pub fn metric(&self, name: &str) -> f64 {
        let metric = self.metrics.iter().find(|metric| metric.name == name);
        metric.unwrap_or_else(|| panic!("no metric {name}")).value
    }
}

/// The workload that `text` describes.
pub(super) fn read(text: &str) -> Workload {
    let document = Document::Text("test.toml", text, None);
    let source = Source { document, sets: &[], varied: &[], shelf: Shelf::EMPTY };
    let read = load(&source).and_then(|loaded| Reading::new(loaded).read(Workload::read));
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}
