//! The solve over shared memory (Chong et al. 1998, §4.3.2): the processor that computes an unknown subtracts its
//! contributions from the rows that wait for it, on any processor. The sum of a row and the number of contributions
//! that it waits for are in one block and are updated together. A processor solves its rows in order, and waits for
//! each row until no contribution is missing.
//!
//! Sums are in the order of arrival, so unknowns differ from those of a serial run by rounding. Accesses to the matrix
//! and the right-hand side are left out; they are private, and part of the cycles of instructions.

use super::run::SolveRun;
use super::{EDGE_INSTRUCTIONS, ROW_INSTRUCTIONS};
use crate::engine::EndpointId;
use crate::messaging::World;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::collective::Collective;
use crate::program::parallel;
use crate::program::worker::{self, Worker};
use crate::protocol::directory::AccessMode;
use std::rc::Rc;

/// Bytes of a row: the remaining right-hand side, and the number of contributions that the row waits for.
const ROW_BYTES: u32 = 16;
/// Offset of the number of missing contributions.
const MISSING_OFFSET: u32 = 8;

/// Instructions to subtract a value and to count it, without the loads and stores: a subtraction, an addition and a
/// branch. (Chosen, as those of messages.)
const UPDATE_INSTRUCTIONS: u64 = 3;

/// For each row, the rows that wait for it, each with the coefficient by which the unknown is multiplied.
type WaitingRows = Vec<Vec<(u32, f64)>>;

/// The data that the programs share.
pub(super) struct SharedSolve {
    solve: Rc<SolveRun>,
    prefetch_distance: usize,
    /// Edges by direction and row.
    edges: Vec<WaitingRows>,
    /// Address of each row, for both directions.
    addresses: Vec<SharedAddress>,
}

impl SharedSolve {
    /// Starts the program on all processors, and returns the workers.
    pub fn start(solve: &Rc<SolveRun>, prefetch_distance: usize, world: &World) -> Vec<Rc<Worker>> {
        let space = Rc::new(Space::new(world.endpoint_map.len(), world.shared_memory.block));
        let address = |owner: &u32| space.allocate(EndpointId(*owner), ROW_BYTES.into());
        let shared = Rc::new(SharedSolve {
            solve: solve.clone(),
            prefetch_distance,
            edges: solve.dags.iter().map(edges_by_source).collect(),
            addresses: solve.owners.iter().map(address).collect(),
        });
        let workers = Worker::all(world, &space);
        worker::start(world, &workers, |worker| {
            let collective = Rc::<Collective>::default();
            parallel::set_handler(worker.endpoint(), &collective, |_, _, _| panic!("only collectives send messages"));
            shared.clone().run(worker, collective)
        });
        workers
    }

    async fn run(self: Rc<Self>, worker: Rc<Worker>, collective: Rc<Collective>) {
        let (solve, own_id) = (&self.solve, worker.id());
        let (rows, mut values, mut changed_unknowns) =
            (solve.rows(own_id), solve.values_of_processor(&solve.right_hand, own_id), 0);
        worker.barrier().await;
        solve.timed_section.mark_start(worker.endpoint());
        for _ in 0..solve.iterations {
            let previous_values = values.clone();
            for (direction, dag) in solve.dags.iter().enumerate() {
                for (row, value) in rows.iter().zip(&values) {
                    worker.store_f64(self.addresses[*row], *value).await;
                    worker.store(self.addresses[*row].plus(MISSING_OFFSET), dag.edges_to(*row).0.len() as u64).await;
                }
                // No processor may update a row before it is initialised.
                worker.barrier().await;
                let row_index = |index: usize| if direction == 0 { index } else { rows.len() - 1 - index };
                for index in (0..rows.len()).map(row_index) {
                    values[index] = self.solve_row(&worker, direction, rows[index]).await;
                }
                worker.barrier().await;
            }
            changed_unknowns = worker
                .reduce(&collective, super::run::count_changes(&previous_values, &values), |one, other| one + other)
                .await;
        }
        solve.timed_section.mark_end(worker.endpoint());
        solve.finish(own_id, (values, changed_unknowns));
    }

    /// Waits for a row's contributions, solves it, and subtracts its contributions from the rows that wait for it.
    async fn solve_row(&self, worker: &Worker, direction: usize, row: usize) -> f64 {
        let address = self.addresses[row];
        worker.wait_for(address.plus(MISSING_OFFSET), |missing| missing == 0).await;
        let unknown = worker.load_f64(address).await * self.solve.dags[direction].reciprocal(row);
        worker.compute(ROW_INSTRUCTIONS).await;
        let edges = &self.edges[direction][row];
        for (index, (to, coefficient)) in edges.iter().enumerate() {
            if let Some((prefetched_row, _)) =
                edges.get(index + self.prefetch_distance).filter(|_| self.prefetch_distance > 0)
            {
                worker.prefetch(self.addresses[*prefetched_row as usize], AccessMode::Write).await;
            }
            worker.compute(EDGE_INSTRUCTIONS + UPDATE_INSTRUCTIONS).await;
            let value = coefficient * unknown;
            let subtract =
                |[remaining, missing]: [u64; 2]| [(f64::from_bits(remaining) - value).to_bits(), missing - 1];
            worker.update_pair(self.addresses[*to as usize], subtract).await;
        }
        unknown
    }
}

fn edges_by_source(dag: &super::dag::Dag) -> WaitingRows {
    let mut edges = vec![Vec::new(); dag.rows()];
    for (row, source, coefficient) in dag.edges() {
        edges[source as usize].push((row, coefficient));
    }
    edges
}
