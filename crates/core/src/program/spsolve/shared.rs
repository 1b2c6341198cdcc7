//! The solve over shared memory (Chong et al. 1998, §4.3.2): who knows a value subtracts it from the rows that wait for
//! it, wherever they are. A row's sum and its count of what is missing lie in one block, and are changed at once; its
//! processor takes its rows in their order, and waits until nothing is missing.
//!
//! Sums are in the order in which values come, so that unknowns are those of a serial run but for roundings. Leaves
//! out: matrix and right-hand side, which nobody shares; they are in the cycles of instructions.

use super::run::Solve;
use super::{EDGE_INSTRUCTIONS, ROW_INSTRUCTIONS};
use crate::engine::EndId;
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::collective::Collective;
use crate::program::parallel;
use crate::program::worker::{self, Worker};
use crate::protocol::directory::Want;
use std::rc::Rc;

/// Bytes of a row: what is left of its right-hand side, and how many values it waits for.
const ROW_BYTES: u32 = 16;
const MISSING_AT: u32 = 8;

/// Instructions to subtract a value and to count it, beside the loads and stores of both: a subtraction, an addition, a
/// branch. (Chosen, as those of the other way.)
const CHANGE_INSTRUCTIONS: u64 = 3;

/// By row: the rows that wait for it, and by what it is multiplied there.
type Edges = Vec<Vec<(u32, f64)>>;

/// What the programs share.
pub(super) struct SharedSolve {
    solve: Rc<Solve>,
    prefetch: usize,
    /// By way, and row.
    edges: Vec<Edges>,
    /// By row, for both ways.
    places: Vec<SharedAddress>,
}

impl SharedSolve {
    /// Starts it on all; the programs.
    pub fn start(solve: &Rc<Solve>, prefetch: usize, world: &World) -> Vec<Rc<Worker>> {
        let space = Rc::new(Space::new(world.addresses.len(), world.shared_memory.block));
        let place = |owner: &u32| space.allocate(EndId(*owner), ROW_BYTES.into());
        let shared = Rc::new(SharedSolve {
            solve: solve.clone(),
            prefetch,
            edges: solve.ways.iter().map(edges).collect(),
            places: solve.owners.iter().map(place).collect(),
        });
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| {
            let collective = Rc::<Collective>::default();
            parallel::set_handler(worker.endpoint(), &collective, |_, _, _| panic!("nothing is sent but sums"));
            shared.clone().run(worker, collective)
        });
        workers
    }

    async fn run(self: Rc<Self>, worker: Rc<Worker>, collective: Rc<Collective>) {
        let (solve, own) = (&self.solve, worker.id());
        let (rows, mut values, mut changed) = (solve.rows(own), solve.own(&solve.right_hand, own), 0);
        worker.barrier().await;
        solve.span.mark_start(worker.endpoint());
        for _ in 0..solve.iterations {
            let before = values.clone();
            for (way, dag) in solve.ways.iter().enumerate() {
                for (row, value) in rows.iter().zip(&values) {
                    worker.store_f64(self.places[*row], *value).await;
                    worker.store(self.places[*row].plus(MISSING_AT), dag.edges_to(*row).0.len() as u64).await;
                }
                // Nobody changes what is not there yet.
                worker.barrier().await;
                let in_order = |at: usize| if way == 0 { at } else { rows.len() - 1 - at };
                for at in (0..rows.len()).map(in_order) {
                    values[at] = self.solve_row(&worker, way, rows[at]).await;
                }
                worker.barrier().await;
            }
            changed = worker.reduce(&collective, super::run::changes(&before, &values), |one, other| one + other).await;
        }
        solve.span.mark_end(worker.endpoint());
        solve.end(own, (values, changed));
    }

    /// Waits for a row's values, solves it, and subtracts its own from those that wait for it.
    async fn solve_row(&self, worker: &Worker, way: usize, row: usize) -> f64 {
        let place = self.places[row];
        worker.wait_for(place.plus(MISSING_AT), |missing| missing == 0).await;
        let unknown = worker.load_f64(place).await * self.solve.ways[way].reciprocal(row);
        worker.compute(ROW_INSTRUCTIONS).await;
        let edges = &self.edges[way][row];
        for (at, (to, coefficient)) in edges.iter().enumerate() {
            if let Some((ahead, _)) = edges.get(at + self.prefetch).filter(|_| self.prefetch > 0) {
                worker.prefetch(self.places[*ahead as usize], Want::Write).await;
            }
            worker.compute(EDGE_INSTRUCTIONS + CHANGE_INSTRUCTIONS).await;
            let value = coefficient * unknown;
            let less = |[rest, missing]: [u64; 2]| [(f64::from_bits(rest) - value).to_bits(), missing - 1];
            worker.update_pair(self.places[*to as usize], less).await;
        }
        unknown
    }
}

fn edges(dag: &super::dag::Dag) -> Edges {
    let mut edges = vec![Vec::new(); dag.rows()];
    for (row, source, coefficient) in dag.edges() {
        edges[source as usize].push((row, coefficient));
    }
    edges
}
