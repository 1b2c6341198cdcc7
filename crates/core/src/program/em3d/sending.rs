//! The program of a processor that sends the values that another processor needs: all in one message, in groups, or
//! one by one.

use super::ghosts::Ghosts;
use super::graph::SIDES;
use super::{Em3dRun, ExchangeMethod};
use crate::engine::EndpointId;
use crate::messaging::World;
use crate::messaging::active::ActiveEndpoint;
use crate::program::parallel;
use std::rc::Rc;

/// First handler of counts, one for each side. The handlers of single values have lower numbers.
const FIRST_COUNT_HANDLER: u8 = SIDES as u8;
/// First handler of groups, one for each side.
const FIRST_GROUP_HANDLER: u8 = 2 * SIDES as u8;

/// Instructions to add a count (chosen: two loads of the message, two other loads, two additions, two stores).
const COUNT_INSTRUCTIONS: u64 = 8;

/// Instructions to store an arrived value (chosen: three loads of the message, an address, a store of two words; and a
/// load, an addition and a store to count it).
const UPDATE_INSTRUCTIONS: u64 = 3 + 1 + 2 + 3;

/// Instructions to store a group, and each of its values. (Chosen: for a group, a load of the first index and two to
/// find its address; for a value, two loads of the message, a store of two words, an address, and two for the loop.)
const GROUP_INSTRUCTIONS: [u64; 2] = [3, 2 + 2 + 1 + 2];

/// Starts the program on all processors.
pub(super) fn start(em3d_run: &Rc<Em3dRun>, world: &World) {
    parallel::start(world, |endpoint| {
        // A handler that owned the run, which owns the endpoint, would keep both alive for ever.
        let (own_processor, weak_run) = (endpoint.id().index(), Rc::downgrade(em3d_run));
        let live_run = move || weak_run.upgrade().expect("a run lives while its messages arrive");
        match em3d_run.parameters.exchange {
            ExchangeMethod::Transfers => endpoint.on_transfer(move |from, side, words| {
                live_run().ghosts[own_processor].receive_all(side.into(), from.index(), &words);
            }),
            _ => parallel::set_handler(&endpoint, &Rc::default(), move |from, handler, words| {
                handle(&live_run().ghosts[own_processor], from, handler, words)
            }),
        }
        run(endpoint, em3d_run.clone())
    });
}

/// Handles a group, a value or a count, and returns the number of instructions that this takes.
fn handle(ghosts: &Ghosts, from: EndpointId, handler: u8, words: &[u32]) -> u64 {
    match handler {
        ..FIRST_COUNT_HANDLER => {
            ghosts.receive_value(handler.into(), words);
            UPDATE_INSTRUCTIONS
        }
        FIRST_COUNT_HANDLER..FIRST_GROUP_HANDLER => {
            ghosts.receive_count((handler - FIRST_COUNT_HANDLER).into(), words[0] as usize);
            COUNT_INSTRUCTIONS
        }
        FIRST_GROUP_HANDLER.. => {
            let [instructions_per_group, instructions_per_value] = GROUP_INSTRUCTIONS;
            let values = ghosts.receive_group(
                (handler - FIRST_GROUP_HANDLER).into(),
                from.index(),
                words[0] as usize,
                &words[1..],
            );
            instructions_per_group + instructions_per_value * values as u64
        }
    }
}

/// Runs the program of a processor.
async fn run(endpoint: Rc<ActiveEndpoint>, em3d_run: Rc<Em3dRun>) {
    let (graph, own_processor) = (&em3d_run.graph, endpoint.id().index());
    let (ghosts, arcs) =
        (&em3d_run.ghosts[own_processor], em3d_run.parameters.nodes_per_processor * em3d_run.parameters.arcs_per_node);
    let mut values = [0, 1].map(|side| graph.initial_values(side)[graph.nodes_of(own_processor)].to_vec());
    endpoint.barrier().await;
    em3d_run.mark_start(&endpoint);
    for half_step in 0..2 * em3d_run.parameters.iterations as usize {
        // The values of H (side 1) are computed from those of E (side 0), and then those of E from those of H.
        let (source, target) = (half_step % 2, 1 - half_step % 2);
        match em3d_run.parameters.exchange {
            ExchangeMethod::Updates => {
                em3d_run.send_updates(&endpoint, source, &values[source]).await;
                endpoint.wait_until(|| ghosts.has_all_reported_values(source)).await;
            }
            _ => {
                em3d_run.send_bulk(&endpoint, source, &values[source]).await;
                endpoint.wait_until(|| ghosts.has_all_values(source)).await;
            }
        }
        parallel::compute(&endpoint, arcs * em3d_run.parameters.arc_cycles).await;
        let new_values = {
            let source_values = ghosts.take_values(source, graph.nodes_of(own_processor), &values[source]);
            graph.compute_values(target, graph.nodes_of(own_processor), &values[target], &source_values)
        };
        values[target] = new_values;
        endpoint.barrier().await;
    }
    em3d_run.mark_end(&endpoint);
    em3d_run.finish(own_processor, values);
}

impl Em3dRun {
    /// Sends the values of a side that other processors need: to each receiver in one message, or in groups.
    async fn send_bulk(&self, endpoint: &ActiveEndpoint, side: usize, values: &[f64]) {
        let parameters = &self.parameters;
        for (to, needed_nodes) in &self.send_lists[endpoint.id().index()][side].nodes_by_receiver {
            let encode = |nodes: &[usize]| {
                nodes.iter().flat_map(|index| parallel::f64_to_words(values[*index])).collect::<Vec<u32>>()
            };
            if parameters.exchange == ExchangeMethod::Transfers {
                self.message_count.set(self.message_count.get() + 1);
                endpoint.transfer(parallel::endpoint_id(*to), side as u8, &encode(needed_nodes)).await;
                continue;
            }
            let group_size = parameters.group as usize;
            for (group, nodes) in needed_nodes.chunks(group_size).enumerate() {
                self.message_count.set(self.message_count.get() + 1);
                let words = [vec![(group * group_size) as u32], encode(nodes)].concat();
                parallel::send(endpoint, *to, FIRST_GROUP_HANDLER + side as u8, &words).await;
            }
        }
    }

    /// Sends, one by one, the values of a side that other processors need, and then the numbers of values.
    async fn send_updates(&self, endpoint: &ActiveEndpoint, side: usize, values: &[f64]) {
        let own_index = endpoint.id().index();
        let lists = &self.send_lists[own_index][side];
        for (index, to) in &lists.receivers_by_node {
            let (node, [low, high]) =
                (self.graph.nodes_of(own_index).start + index, parallel::f64_to_words(values[*index]));
            self.message_count.set(self.message_count.get() + 1);
            parallel::send(endpoint, *to, side as u8, &[node as u32, low, high]).await;
        }
        for (to, sent_nodes) in &lists.nodes_by_receiver {
            parallel::send(endpoint, *to, FIRST_COUNT_HANDLER + side as u8, &[sent_nodes.len() as u32]).await;
        }
    }
}
