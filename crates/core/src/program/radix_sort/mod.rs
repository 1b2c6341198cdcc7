//! Radix sort of keys, one pass for each digit (Dusseau 1994; Callahan and Goldstein 1995, §4.5).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | parameters, the passes, the check of the result |
//! | `scan.rs` | the scan, which computes the positions of each node's keys |
//! | `node.rs` | the state of a node, and the handlers of its messages |
//!
//! In a pass, each node counts its keys by digit. The scan phase adds the counts over all nodes; the coalesce phase
//! sends each key to its new position, "using one message for each key". There is a barrier between phases. Keys are
//! drawn from the run's seed, and the result must be that of a serial sort. A node polls after each packet that it
//! sends.
//!
//! The module leaves out keys of several words, and messages with more than one key.

mod node;
mod scan;
#[cfg(test)]
mod tests;

use super::{RunningWorkload, parallel};
use crate::engine::{Metric, Outcome, rng};
use crate::messaging::World;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};
use crate::part::{Part, PartInfo, ResultName};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use node::{COALESCE_HANDLER, NodeState};
use rand::RngExt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the radix sort.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(check = RadixSort::check_bits, meaning = Load)]
pub struct RadixSort {
    /// Number of keys of each node.
    #[param(min = 1, max = 1_000_000, default = 256)]
    pub keys: u64,
    /// Number of bits of a digit.
    #[param(min = 1, max = 16, default = 8)]
    pub bits: u64,
    /// Number of digits of a key, with one pass for each.
    #[param(min = 1, max = 32, default = 2)]
    pub passes: u64,
    /// Smallest number of cycles between two sends to the same node in a scan.
    #[param(max = 1_000_000, default = 0)]
    pub delay: u64,
    /// Processor cycles to count a key, and as many to find its position.
    #[param(max = 1_000_000, default = 10)]
    pub key_cycles: u64,
}

impl RadixSort {
    fn check_bits(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let is_long = self.bits * self.passes > u32::BITS.into();
        is_long.then_some(("passes", "a key has at most 32 bits", "passes times bits is at most 32"))
    }
}

/// The state of a run.
struct SortRun {
    parameters: RadixSort,
    /// Keys of all nodes before the sort.
    keys: Vec<u32>,
    nodes: Vec<NodeState>,
    scan_cycles: Cell<u64>,
    coalesce_cycles: Cell<u64>,
    end_cycle: Cell<u64>,
    /// Sorted keys of the nodes that are done.
    sorted_keys: RefCell<Vec<Option<Vec<u32>>>>,
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("radix.cycles", "cycles", "Length of the sort"),
    ResultName::metric("radix.scan_cycles", "cycles", "Length of the scan of counts, the mean over all passes"),
    ResultName::metric("radix.coalesce_cycles", "cycles", "Length of the exchange of keys, the mean over all passes"),
];

impl Part for RadixSort {
    const INFO: PartInfo = PartInfo::new("radix-sort", "Parallel radix sort on all nodes")
        .results(RESULTS)
        .small_input("keys = 8\nbits = 3\npasses = 1");
}

impl WorkloadSpec for RadixSort {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::active_messages()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("radix.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.endpoint_map.len();
        let key_limit = 1u64 << (self.bits * self.passes);
        let mut random = rng::stream(world.seed, "keys to sort");
        let keys = (0..nodes as u64 * self.keys).map(|_| random.random_range(0..key_limit) as u32).collect();
        let sort = Rc::new(SortRun {
            parameters: self.clone(),
            keys,
            nodes: (0..nodes).map(|_| NodeState::new(1 << self.bits, self.keys as usize)).collect(),
            scan_cycles: Cell::new(0),
            coalesce_cycles: Cell::new(0),
            end_cycle: Cell::new(0),
            sorted_keys: RefCell::new(vec![None; nodes]),
        });
        parallel::start(world, |endpoint| {
            let (node, handler_sort) = (endpoint.id().index(), sort.clone());
            endpoint.on_message(move |received| handler_sort.nodes[node].handle(received));
            run(endpoint, sort.clone())
        });
        sort
    }
}

/// Runs the program of a node.
async fn run(endpoint: Rc<ActiveEndpoint>, sort: Rc<SortRun>) {
    let (parameters, node) = (&sort.parameters, endpoint.id().index());
    let (state, keys_per_node) = (&sort.nodes[node], parameters.keys as usize);
    let mut keys = sort.keys[node * keys_per_node..][..keys_per_node].to_vec();
    for pass in 0..parameters.passes {
        let digit = |key: u32| (key >> (pass * parameters.bits)) as usize & ((1 << parameters.bits) - 1);
        endpoint.compute(parameters.keys * parameters.key_cycles).await;
        state.count_keys(keys.iter().map(|key| digit(*key)));
        let start = parallel::barrier_cycle(&endpoint).await;
        let mut positions = scan::positions(&endpoint, parameters, state).await;
        let scan_end = parallel::barrier_cycle(&endpoint).await;
        for key in &keys {
            endpoint.compute(parameters.key_cycles).await;
            let position = &mut positions[digit(*key)];
            let (to, index) = (*position as usize / keys_per_node, *position % keys_per_node as u32);
            *position += 1;
            match to == node {
                true => state.store(index, *key),
                false => {
                    endpoint.send(ActiveMessage::new(parallel::endpoint_id(to), COALESCE_HANDLER, &[index, *key])).await
                }
            }
        }
        endpoint.wait_until(|| state.is_full()).await;
        keys = state.take_keys();
        let end = parallel::barrier_cycle(&endpoint).await;
        if node == 0 {
            sort.scan_cycles.set(sort.scan_cycles.get() + scan_end - start);
            sort.coalesce_cycles.set(sort.coalesce_cycles.get() + end - scan_end);
            sort.end_cycle.set(end);
        }
    }
    sort.finish(node, keys);
}

impl SortRun {
    /// Stores a node's keys; the last node compares all keys with a serial sort.
    fn finish(&self, node: usize, keys: Vec<u32>) {
        self.sorted_keys.borrow_mut()[node] = Some(keys);
        if let Some(sorted) = self.sorted_keys.borrow().iter().cloned().collect::<Option<Vec<_>>>() {
            let mut serial = self.keys.clone();
            serial.sort_unstable();
            assert!(sorted.concat() == serial, "the keys are not sorted: a model corrupted data");
        }
    }
}

impl RunningWorkload for SortRun {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let if_complete = |cycles: f64| super::value_if(outcome.is_complete(), cycles);
        let cycles = |name: &str, cycles: f64| Metric::cost(name, if_complete(cycles), "cycles");
        let passes = self.parameters.passes as f64;
        let workload_metrics = [
            cycles("radix.scan_cycles", self.scan_cycles.get() as f64 / passes),
            cycles("radix.coalesce_cycles", self.coalesce_cycles.get() as f64 / passes),
            cycles("radix.cycles", self.end_cycle.get() as f64),
        ];
        parallel::metrics(world, workload_metrics)
    }
}
