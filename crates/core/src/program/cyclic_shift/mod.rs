//! Cyclic shift: all nodes send to all others, one after the other (Brewer and Kuszmaul 1994;
//! Callahan and Goldstein 1995, §4.3).
//!
//! "The C-shift communication pattern consists of P-1 phases … in phase p, processor i sends to
//! processor (i+p) mod P." A node that is done with a phase goes on to the next; with `barriers` it
//! waits until it has sent and received what belongs to the phase, and then for all others.
//! The packets that are pending for each receiver, put into an interface and not yet accepted by its
//! processor, are sampled for the congestion map of Figure 5.
//!
//! Leaves out: any order but this one.

use super::{RunningWorkload, parallel};
use crate::engine::{Map, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::part::{Part, PartInfo};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the shift.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct CyclicShift {
    /// Words of 4 bytes that each node sends to each other.
    #[param(min = 1, max = 1_000_000, default = 512)]
    pub words: u64,
    /// Whether all nodes wait for each other after each phase.
    #[param(default = false)]
    pub barriers: bool,
    /// Cycles between samples of the pending packets.
    #[param(min = 1, max = 1_000_000_000, default = 1000)]
    pub sample: u64,
}

struct Measured {
    parameters: CyclicShift,
    nodes: usize,
    /// By receiver, which nodes' words it has.
    received: Vec<RefCell<Vec<bool>>>,
    /// When the last of the nodes had all words.
    ended_cycle: Cell<u64>,
    /// The packets pending for each receiver, sample after sample.
    pending: RefCell<Vec<u32>>,
}

impl CyclicShift {
    async fn run(self, end: Rc<Active>, measured: Rc<Measured>) {
        let (node, nodes) = (end.id().index(), end.ends());
        for phase in 1..nodes {
            let (to, from) = ((node + phase) % nodes, (node + nodes - phase) % nodes);
            end.transfer(parallel::id(to), 0, &self.data(node, to)).await;
            if self.barriers {
                end.wait_until(|| measured.received[node].borrow()[from]).await;
                end.barrier().await;
            }
        }
        end.wait_until(|| measured.count(node) == nodes - 1).await;
        measured.ended_cycle.set(measured.ended_cycle.get().max(end.cycle()));
    }

    /// What node `from` sends to node `to`.
    fn data(&self, from: usize, to: usize) -> Vec<u32> {
        (0..self.words as usize).map(|at| parallel::word(from, to, 0, at)).collect()
    }

    async fn look(self, world: World, measured: Rc<Measured>) {
        let ends: Vec<_> = (0..world.addresses.len()).map(|node| parallel::end(&world, node)).collect();
        for sample in 1.. {
            world.sim.until(ends[0].clock().end_of_cycle(sample * self.sample)).await;
            measured.pending.borrow_mut().extend(ends.iter().map(|end| end.pending() as u32));
        }
    }
}

impl Part for CyclicShift {
    const INFO: PartInfo =
        PartInfo::new("cyclic-shift", "All nodes send to all others, in order").small_input("words = 12");
}

impl WorkloadSpec for CyclicShift {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::maximize("shift.words_per_cycle")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.addresses.len();
        let measured = Rc::new(Measured {
            parameters: self.clone(),
            nodes,
            received: (0..nodes).map(|_| RefCell::new(vec![false; nodes])).collect(),
            ended_cycle: Cell::new(0),
            pending: RefCell::default(),
        });
        parallel::start(world, |end| {
            let (node, taking) = (end.id().index(), measured.clone());
            end.on_transfer(move |from, _, words| taking.take(node, from.index(), &words));
            self.clone().run(end, measured.clone())
        });
        world.sim.spawn_server("samples", self.clone().look(world.clone(), measured.clone()));
        measured
    }
}

impl Measured {
    /// From how many nodes `node` has all words.
    fn count(&self, node: usize) -> usize {
        self.received[node].borrow().iter().filter(|has| **has).count()
    }

    /// Takes what `from` sent to `node`; panics if a model moved wrong bytes.
    fn take(&self, node: usize, from: usize, words: &[u32]) {
        assert!(words == self.parameters.data(from, node), "a transfer arrived with wrong bytes");
        let had = std::mem::replace(&mut self.received[node].borrow_mut()[from], true);
        assert!(!had, "a transfer arrived twice");
        let phase = (node + self.nodes - from) % self.nodes;
        let is_next = self.count(node) == phase;
        assert!(!self.parameters.barriers || is_next, "a phase began before the last one had ended");
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let cycles = super::once(outcome.is_complete(), self.ended_cycle.get() as f64);
        let words = (self.nodes as u64 - 1) * self.parameters.words;
        let most = self.pending.borrow().iter().max().copied().unwrap_or(0);
        let own = [
            Metric::new("shift.cycles", cycles, "cycles"),
            Metric::new("shift.words_per_cycle", words as f64 / cycles, "words/cycle/node"),
            Metric::new("shift.pending_max", most.into(), "packets"),
        ];
        parallel::metrics(world, own)
    }

    fn map(&self) -> Option<Map> {
        let (rows, pending) = (self.nodes, self.pending.borrow());
        let columns = pending.len() / rows;
        let values = (0..rows).flat_map(|row| pending.iter().skip(row).step_by(rows).copied());
        Some(Map {
            name: "shift.pending",
            unit: "packets",
            rows,
            columns,
            every_cycles: self.parameters.sample,
            values: values.collect(),
        })
    }
}
