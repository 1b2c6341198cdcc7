//! EM3D: electromagnetic waves on an irregular graph (Culler et al. 1993; Callahan and Goldstein 1995,
//! §4.4).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | parameters, the program of a node, the check of the result |
//! | `graph.rs` | the graph, and what a serial run makes of it |
//! | `ghosts.rs` | the values of other nodes that a node needs, and holds |
//!
//! Values of the electric (E) and magnetic (H) field lie on the two sides of a bipartite graph. An
//! iteration computes new values of H from those of E, then of E from those of H. Before each of these
//! half steps a processor sends the values that another needs in one message to it; after each is a
//! barrier. Values are of 64 bits, two words each, and must be bit for bit those of a serial run.
//!
//! Instead of transfers it may send updates, as with a custom update protocol (Falsafi et al. 1994; Mukherjee and
//! Hill 1998, Table 4): a message of 12 bytes for each value that another processor needs, its place and the value;
//! barriers are then by messages, too.
//!
//! Leaves out: the set-up of the graph, which is not timed.

mod ghosts;
mod graph;

#[cfg(test)]
mod tests;

use super::collective::Collective;
use super::{Running, parallel};
use crate::engine::{Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::Active;
use crate::text::Table;
use ghosts::Ghosts;
use graph::{Graph, SIDES};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of EM3D.
#[derive(Clone, Debug)]
pub struct Em3d {
    /// Graph nodes of each side on each processor (`n_nodes`).
    pub n_nodes: u64,
    /// Arcs into each graph node (`d_nodes`).
    pub d_nodes: u64,
    /// Of 100 arcs, those from the processor's own graph nodes (`local_p`).
    pub local_p: u64,
    /// How far off the processor is that another arc comes from, at most (`dist_span`);
    /// where nothing is said [`DIST_SPAN`], or as far as there are processors.
    pub dist_span: Option<u64>,
    /// Iterations.
    pub iterations: u64,
    /// How values travel.
    pub sends: Sends,
    /// Processor cycles to compute with an arc: 40 (chosen: two operands that miss the cache, a multiplication and
    /// an addition on a 33 MHz SPARC).
    pub arc_cycles: u64,
}

/// How values travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sends {
    /// All that another processor needs in one message of many packets, and a barrier beside the network.
    Transfers,
    /// Each in a message of its own, and a barrier by messages.
    Updates,
}

/// Instructions to put a value that came in its place (chosen: three loads of what came, an address, a store of two
/// words, and to count it: a load, an addition, a store).
const UPDATE_INSTRUCTIONS: u64 = 3 + 1 + 2 + 3;

struct Field {
    parameters: Em3d,
    graph: Graph,
    ghosts: Vec<Ghosts>,
    messages: Cell<u64>,
    began: Cell<(u64, u64)>,
    ended: Cell<(u64, u64)>,
    /// The values of the processors that are done, by side.
    results: RefCell<Vec<Option<[Vec<f64>; SIDES]>>>,
}

/// The paper's `dist_span` (Callahan and Goldstein 1995, Figure 7).
const DIST_SPAN: u64 = 5;

impl Em3d {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Em3d {
        Em3d {
            n_nodes: t.count("n-nodes", "Graph nodes of each side on each processor").range(1, 100_000).or(200),
            d_nodes: t.count("d-nodes", "Arcs into each graph node").range(1, 1_000).or(10),
            local_p: t.count("local-p", "Of 100 arcs, those from the same processor").max(100).or(80),
            dist_span: t
                .count("dist-span", "How far off the processors of the others are, at most: 5, if there are so many")
                .min(1)
                .optional(),
            iterations: t.count("iterations", "Iterations").range(1, 400).or(5),
            sends: t
                .choice(
                    "sends",
                    "How values travel: transfers of all that a processor needs, or an update of 12 bytes for each",
                    &[("transfers", Sends::Transfers), ("updates", Sends::Updates)],
                )
                .or("transfers"),
            arc_cycles: t.count("arc-cycles", "Processor cycles to compute with an arc").max(1_000_000).or(40),
        }
    }

    /// The key and the reason, for whatever so many nodes cannot do.
    pub fn check(&self, nodes: usize) -> Vec<(&'static str, String)> {
        let reason = format!("{nodes} processors are at most {} from each other", nodes.saturating_sub(1));
        (self.dist_span >= Some(nodes as u64)).then_some(("dist-span", reason)).into_iter().collect()
    }

    /// How far off other processors are of which arcs come, at most.
    fn span(&self, processors: usize) -> u64 {
        self.dist_span.unwrap_or_else(|| DIST_SPAN.min(processors as u64 - 1))
    }

    pub(super) fn start(&self, world: &World) -> Rc<dyn Running> {
        let processors = world.addresses.len();
        assert!(self.check(processors).is_empty(), "a checked description fits its nodes");
        let graph = Graph::new(self, processors, world.seed);
        let field = Rc::new(Field {
            parameters: self.clone(),
            ghosts: (0..processors).map(|processor| Ghosts::new(&graph, processor)).collect(),
            graph,
            messages: Cell::new(0),
            began: Cell::default(),
            ended: Cell::default(),
            results: RefCell::new(vec![None; processors]),
        });
        let packets: Rc<dyn Fn() -> u64> = {
            let ends: Vec<_> = (0..processors).map(|processor| parallel::end(world, processor)).collect();
            Rc::new(move || ends.iter().map(|end| end.sent()).sum())
        };
        parallel::start(world, |end| {
            let (processor, taking, collective) = (end.id().index(), field.clone(), Rc::<Collective>::default());
            match self.sends {
                Sends::Transfers => end.on_transfer(move |from, side, words| {
                    taking.ghosts[processor].take(side.into(), from.index(), &words);
                }),
                Sends::Updates => parallel::take_by(&end, &collective, move |_, side, words| {
                    taking.ghosts[processor].update(side.into(), words);
                    UPDATE_INSTRUCTIONS
                }),
            }
            run(end, collective, field.clone(), packets.clone())
        });
        field
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, collective: Rc<Collective>, field: Rc<Field>, packets: Rc<dyn Fn() -> u64>) {
    let (graph, own) = (&field.graph, end.id().index());
    let (ghosts, arcs) = (&field.ghosts[own], field.parameters.n_nodes * field.parameters.d_nodes);
    let mut values = [0, 1].map(|side| graph.initial(side)[graph.of(own)].to_vec());
    let began = field.barrier(&end, &collective).await;
    if own == 0 {
        field.began.set((began, packets()));
    }
    for half_step in 0..2 * field.parameters.iterations as usize {
        // The values of H, side 1, are made of those of E, side 0, and then the other way.
        let (source, target) = (half_step % 2, 1 - half_step % 2);
        for (to, needed) in Ghosts::sent(&field.ghosts, graph, source, own) {
            field.send(&end, to, source, &needed, &values[source]).await;
        }
        end.wait_until(|| ghosts.are_all_here(source)).await;
        end.compute(arcs * field.parameters.arc_cycles).await;
        let new = {
            let known = ghosts.with(source, graph.of(own), &values[source]);
            graph.step(target, graph.of(own), &values[target], &known)
        };
        values[target] = new;
        let ended = field.barrier(&end, &collective).await;
        if own == 0 {
            field.ended.set((ended, packets()));
        }
    }
    field.end(own, values);
}

/// A value as it travels.
fn words(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

impl Field {
    /// Sends the values that `to` needs of a side.
    async fn send(&self, end: &Active, to: usize, side: usize, needed: &[usize], values: &[f64]) {
        if self.parameters.sends == Sends::Transfers {
            let words: Vec<u32> = needed.iter().flat_map(|index| words(values[*index])).collect();
            self.messages.set(self.messages.get() + 1);
            return end.transfer(parallel::id(to), side as u8, &words).await;
        }
        for index in needed {
            let (node, [low, high]) = (self.graph.of(end.id().index()).start + index, words(values[*index]));
            self.messages.set(self.messages.get() + 1);
            parallel::send(end, to, side as u8, &[node as u32, low, high]).await;
        }
    }

    /// Waits for all processors; the cycle at which this one goes on.
    async fn barrier(&self, end: &Active, collective: &Collective) -> u64 {
        match self.parameters.sends {
            Sends::Transfers => parallel::barrier(end).await,
            Sends::Updates => collective.barrier(end).await,
        }
    }

    /// Keeps a processor's values; the last one compares them all with a serial run.
    fn end(&self, processor: usize, values: [Vec<f64>; SIDES]) {
        self.results.borrow_mut()[processor] = Some(values);
        let Some(results) = self.results.borrow().iter().cloned().collect::<Option<Vec<_>>>() else { return };
        let serial = self.graph.serial(self.parameters.iterations);
        for (side, serial) in serial.iter().enumerate() {
            let parallel = results.iter().flat_map(|values| &values[side]);
            let same = parallel.zip(serial).all(|(value, serial)| value.to_bits() == serial.to_bits());
            assert!(same, "the field is not that of a serial run: a model moved wrong bytes");
        }
    }
}

impl Running for Field {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let ((began, before), (ended, after)) = (self.began.get(), self.ended.get());
        let each = ended.saturating_sub(began) as f64 / self.parameters.iterations as f64;
        let each = super::once(outcome.is_complete(), each);
        let mut metrics = parallel::packet_metrics(world);
        metrics.push(Metric::new("em3d.cycles_per_iteration", each, "cycles"));
        metrics.push(Metric::new("em3d.messages", self.messages.get() as f64, ""));
        metrics.push(Metric::new("em3d.packets", after.saturating_sub(before) as f64, ""));
        metrics.extend(parallel::latency_metrics(world));
        metrics
    }
}
