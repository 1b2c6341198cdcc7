//! EM3D over shared memory (Chong et al. 1998, §4.1.1): values lie in the memory of the processor that computes them; the
//! others load them there, and a barrier parts the half steps. It may prefetch (§4.1.2): each graph node before it is
//! computed, to write; values some arcs ahead, to read. Whether a value is another processor's it does not ask.
//!
//! Leaves out: graph nodes, arcs and weights, which nobody shares; they are in the cycles of an arc.

use super::graph::SIDES;
use super::{Em3d, Field};
use crate::engine::EndId;
use crate::messaging::shared::{SharedAddress, Space};
use crate::program::worker::Worker;
use crate::protocol::directory::Want;
use std::rc::Rc;

/// Bytes of a value.
const VALUE_BYTES: u64 = 8;

/// The values of all graph nodes in shared memory.
pub(super) struct Values {
    /// By side and processor.
    parts: [Vec<SharedAddress>; SIDES],
}

impl Values {
    /// Lays them out.
    pub fn new(parameters: &Em3d, space: &Space) -> Values {
        let part = |home| space.allocate(EndId(home as u32), VALUE_BYTES * parameters.n_nodes);
        Values { parts: [(); SIDES].map(|()| (0..space.ends()).map(part).collect()) }
    }

    fn place(&self, side: usize, (processor, index): (usize, usize)) -> SharedAddress {
        self.parts[side][processor].plus((VALUE_BYTES as usize * index) as u32)
    }

    /// The program of a processor.
    pub async fn run(&self, worker: Rc<Worker>, field: Rc<Field>) {
        let (graph, own) = (&field.graph, worker.id());
        for side in 0..SIDES {
            for (index, value) in graph.initial(side)[graph.of(own)].iter().enumerate() {
                worker.store_f64(self.place(side, (own, index)), *value).await;
            }
        }
        worker.barrier().await;
        field.begin(worker.end());
        for half_step in 0..2 * field.parameters.iterations as usize {
            self.half_step(&worker, &field, 1 - half_step % 2).await;
            worker.barrier().await;
        }
        field.over(worker.end());
        let mut values = [(); SIDES].map(|()| Vec::new());
        for (side, values) in values.iter_mut().enumerate() {
            for index in 0..graph.of(own).len() {
                values.push(worker.load_f64(self.place(side, (own, index))).await);
            }
        }
        field.end(own, values);
    }

    /// New values of a side, from those of the other.
    async fn half_step(&self, worker: &Worker, field: &Field, target: usize) {
        let (graph, own) = (&field.graph, worker.id());
        let (ahead, source) = (field.parameters.prefetch as usize, 1 - target);
        for (index, node) in graph.of(own).enumerate() {
            let place = self.place(target, (own, index));
            if ahead > 0 {
                worker.prefetch(place, Want::Write).await;
            }
            let mut value = worker.load_f64(place).await;
            let arcs = graph.arcs(target, &(node..node + 1));
            for (at, (from, weight)) in arcs.iter().enumerate() {
                if let Some((next, _)) = arcs.get(at + ahead).filter(|_| ahead > 0) {
                    worker.prefetch(self.place(source, graph.at(*next)), Want::Read).await;
                }
                let known = worker.load_f64(self.place(source, graph.at(*from))).await;
                worker.compute(field.parameters.arc_cycles).await;
                value -= weight * known;
            }
            worker.store_f64(place, value).await;
        }
    }
}
