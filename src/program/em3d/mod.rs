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
//! Hill 1998, Table 4): a message of 12 bytes for each value that another processor needs, its place and the value,
//! in the order of graph nodes; and one of 4 to each processor that gets any: how many, since they may
//! overtake each other.
//!
//! Leaves out: the set-up of the graph, which is not timed.

mod ghosts;
mod graph;

#[cfg(test)]
mod tests;

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
    /// All that another processor needs in one message of many packets.
    Transfers,
    /// Each in a message of its own.
    Updates,
}

/// The handlers of counts are behind those of values, one for each side.
const COUNTS: u8 = SIDES as u8;

/// Instructions to add a count (chosen: two loads of what came, two others, two additions, two stores).
const COUNT_INSTRUCTIONS: u64 = 8;

/// Instructions to put a value that came in its place (chosen: three loads of what came, an address, a store of two
/// words, and to count it: a load, an addition, a store).
const UPDATE_INSTRUCTIONS: u64 = 3 + 1 + 2 + 3;

struct Field {
    parameters: Em3d,
    graph: Graph,
    ghosts: Vec<Ghosts>,
    messages: Cell<u64>,
    span: parallel::Span,
    /// How many packets were sent before, and until the end.
    packets: [Cell<u64>; 2],
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
            span: parallel::Span::default(),
            packets: Default::default(),
            results: RefCell::new(vec![None; processors]),
        });
        let packets: Rc<dyn Fn() -> u64> = {
            let ends: Vec<_> = (0..processors).map(|processor| parallel::end(world, processor)).collect();
            Rc::new(move || ends.iter().map(|end| end.sent()).sum())
        };
        parallel::start(world, |end| {
            let (processor, taking) = (end.id().index(), field.clone());
            match self.sends {
                Sends::Transfers => end.on_transfer(move |from, side, words| {
                    taking.ghosts[processor].take(side.into(), from.index(), &words);
                }),
                Sends::Updates => parallel::take_by(&end, &Rc::default(), move |_, handler, words| {
                    taking.ghosts[processor].take_update(handler, words)
                }),
            }
            run(end, field.clone(), packets.clone())
        });
        field
    }
}

/// The program of a processor.
async fn run(end: Rc<Active>, field: Rc<Field>, packets: Rc<dyn Fn() -> u64>) {
    let (graph, own) = (&field.graph, end.id().index());
    let (ghosts, arcs) = (&field.ghosts[own], field.parameters.n_nodes * field.parameters.d_nodes);
    let mut values = [0, 1].map(|side| graph.initial(side)[graph.of(own)].to_vec());
    end.barrier().await;
    field.span.begun(&end);
    if own == 0 {
        field.packets[0].set(packets());
    }
    for half_step in 0..2 * field.parameters.iterations as usize {
        // The values of H, side 1, are made of those of E, side 0, and then the other way.
        let (source, target) = (half_step % 2, 1 - half_step % 2);
        match field.parameters.sends {
            Sends::Transfers => {
                field.transfer(&end, source, &values[source]).await;
                end.wait_until(|| ghosts.are_all_here(source)).await;
            }
            Sends::Updates => {
                field.update(&end, source, &values[source]).await;
                end.wait_until(|| ghosts.are_all_told(source)).await;
            }
        }
        end.compute(arcs * field.parameters.arc_cycles).await;
        let new = {
            let known = ghosts.with(source, graph.of(own), &values[source]);
            graph.step(target, graph.of(own), &values[target], &known)
        };
        values[target] = new;
        end.barrier().await;
    }
    field.span.over(&end);
    if own == 0 {
        field.packets[1].set(packets());
    }
    field.end(own, values);
}

/// A value as it travels.
fn words(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

impl Field {
    /// Sends the values of a side that others need, all that one needs at once.
    async fn transfer(&self, end: &Active, side: usize, values: &[f64]) {
        for (to, needed) in Ghosts::sent(&self.ghosts, &self.graph, side, end.id().index()) {
            let words: Vec<u32> = needed.iter().flat_map(|index| words(values[*index])).collect();
            self.messages.set(self.messages.get() + 1);
            end.transfer(parallel::id(to), side as u8, &words).await;
        }
    }

    /// Sends them one by one, and tells how many.
    async fn update(&self, end: &Active, side: usize, values: &[f64]) {
        let own = end.id().index();
        for (index, to) in Ghosts::updates(&self.ghosts, &self.graph, side, own) {
            let (node, [low, high]) = (self.graph.of(own).start + index, words(values[index]));
            self.messages.set(self.messages.get() + 1);
            parallel::send(end, to, side as u8, &[node as u32, low, high]).await;
        }
        for (to, sent) in Ghosts::sent(&self.ghosts, &self.graph, side, own) {
            parallel::send(end, to, COUNTS + side as u8, &[sent.len() as u32]).await;
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
        let [before, after] = [0, 1].map(|at| self.packets[at].get() as f64);
        let own = [
            self.span.metric_each("em3d.cycles_per_iteration", self.parameters.iterations, outcome),
            Metric::new("em3d.messages", self.messages.get() as f64, ""),
            Metric::new("em3d.packets", super::once(outcome.is_complete(), after - before), ""),
        ];
        parallel::metrics(world, own)
    }
}
