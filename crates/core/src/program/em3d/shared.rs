//! EM3D over shared memory (Chong et al. 1998, §4.1.1): values are in the memory of the processor that computes them,
//! the others load them from there, and a barrier separates the half steps. The program may prefetch (Chong et al.
//! 1998, §4.1.2) each graph node for writing before it is computed, and values a number of arcs ahead for reading,
//! whichever processor they belong to.
//!
//! Accesses to graph nodes, arcs and weights are left out; they are private, and part of the cycles of an arc.

use super::graph::SIDES;
use super::{Em3d, Em3dRun};
use crate::engine::EndpointId;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::Worker;
use crate::protocol::directory::AccessMode;
use std::rc::Rc;

/// Bytes of a value.
const VALUE_BYTES: u64 = 8;

/// The values of all graph nodes in shared memory.
pub(super) struct SharedValues {
    /// Address of the values by side and processor.
    areas: [Vec<SharedAddress>; SIDES],
}

impl SharedValues {
    /// Allocates the values.
    pub fn new(parameters: &Em3d, space: &Space) -> SharedValues {
        let allocate_area =
            |home| space.allocate(EndpointId(home as u32), VALUE_BYTES * parameters.nodes_per_processor);
        SharedValues { areas: [(); SIDES].map(|()| (0..space.endpoint_count()).map(allocate_area).collect()) }
    }

    fn address(&self, side: usize, (processor, index): (usize, usize)) -> SharedAddress {
        self.areas[side][processor].plus((VALUE_BYTES as usize * index) as u32)
    }

    /// Runs the program of a processor.
    pub async fn run(&self, worker: Rc<Worker>, em3d_run: Rc<Em3dRun>) {
        let (graph, own_processor) = (&em3d_run.graph, worker.id());
        for side in 0..SIDES {
            for (index, value) in graph.initial_values(side)[graph.nodes_of(own_processor)].iter().enumerate() {
                worker.store_f64(self.address(side, (own_processor, index)), *value).await;
            }
        }
        worker.barrier().await;
        em3d_run.mark_start(worker.endpoint());
        for half_step in 0..2 * em3d_run.parameters.iterations as usize {
            self.half_step(&worker, &em3d_run, 1 - half_step % 2).await;
            worker.barrier().await;
        }
        em3d_run.mark_end(worker.endpoint());
        let mut values = [(); SIDES].map(|()| Vec::new());
        for (side, values) in values.iter_mut().enumerate() {
            for index in 0..graph.nodes_of(own_processor).len() {
                values.push(worker.load_f64(self.address(side, (own_processor, index))).await);
            }
        }
        em3d_run.finish(own_processor, values);
    }

    /// Computes new values of the side `target` from the values of the other side.
    async fn half_step(&self, worker: &Worker, em3d_run: &Em3dRun, target: usize) {
        let (graph, own_processor) = (&em3d_run.graph, worker.id());
        let (prefetch_distance, source) = (em3d_run.parameters.prefetch as usize, 1 - target);
        for (index, node) in graph.nodes_of(own_processor).enumerate() {
            let address = self.address(target, (own_processor, index));
            if prefetch_distance > 0 {
                worker.prefetch(address, AccessMode::Write).await;
            }
            let mut value = worker.load_f64(address).await;
            let arcs = graph.arcs(target, &(node..node + 1));
            for (arc_index, (from, weight)) in arcs.iter().enumerate() {
                if let Some((prefetched_node, _)) =
                    arcs.get(arc_index + prefetch_distance).filter(|_| prefetch_distance > 0)
                {
                    worker
                        .prefetch(self.address(source, graph.owner_and_index(*prefetched_node)), AccessMode::Read)
                        .await;
                }
                let source_value = worker.load_f64(self.address(source, graph.owner_and_index(*from))).await;
                worker.compute(em3d_run.parameters.arc_cycles).await;
                value -= weight * source_value;
            }
            worker.store_f64(address, value).await;
        }
    }
}
