//! Radix sort of real keys, a digit in each pass (Dusseau 1994; Callahan and Goldstein 1995, §4.5).
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | parameters, the passes, the check of the result |
//! | `scan.rs` | how each node learns where its keys belong |
//! | `node.rs` | what a node holds, and what messages do to it |
//!
//! A pass: each node counts its keys by digit; the scan phase adds the counts up over all nodes; the
//! coalesce phase sends each key to its place, "using one message for each key". There is a barrier
//! between phases. Keys are drawn from the run's seed; the result must be that of a serial sort.
//! A node polls after each packet it sends.
//!
//! Leaves out: keys of several words, and more keys in a message than one.

mod node;
mod scan;
#[cfg(test)]
mod tests;

use super::{RunningWorkload, parallel};
use crate::engine::{Metric, Outcome, rng};
use crate::messaging::World;
use crate::messaging::active::{Active, ActiveMessage};
use crate::part::{Part, PartInfo};
use crate::program::{Objective, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use node::{COALESCE, NodeState};
use rand::RngExt;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The parameters of the sort.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(check = RadixSort::refused)]
pub struct RadixSort {
    /// Keys of each node.
    #[param(min = 1, max = 1_000_000, default = 256)]
    pub keys: u64,
    /// Bits of a digit.
    #[param(min = 1, max = 16, default = 8)]
    pub bits: u64,
    /// Digits of a key, with a pass for each.
    #[param(min = 1, max = 32, default = 2)]
    pub passes: u64,
    /// Least cycles from the end of a send in a scan to the next to the same node.
    #[param(max = 1_000_000, default = 0)]
    pub delay: u64,
    /// Processor cycles to count a key, and again to find its place.
    #[param(max = 1_000_000, default = 10)]
    pub key_cycles: u64,
}

impl RadixSort {
    fn refused(&self) -> Option<(&'static str, &'static str, &'static str)> {
        let is_long = self.bits * self.passes > u32::BITS.into();
        is_long.then_some(("passes", "a key has at most 32 bits", "passes times bits is at most 32"))
    }
}

struct Sort {
    parameters: RadixSort,
    /// The keys of all nodes before the sort.
    keys: Vec<u32>,
    nodes: Vec<NodeState>,
    scan_cycles: Cell<u64>,
    coalesce_cycles: Cell<u64>,
    ended_cycle: Cell<u64>,
    /// The sorted keys of the nodes that are done.
    sorted: RefCell<Vec<Option<Vec<u32>>>>,
}

impl Part for RadixSort {
    const INFO: PartInfo =
        PartInfo::new("radix-sort", "A sort of keys on all nodes").small_input("keys = 8\nbits = 3\npasses = 1");
}

impl WorkloadSpec for RadixSort {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("radix.cycles")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let nodes = world.addresses.len();
        let width = 1u64 << (self.bits * self.passes);
        let mut random = rng::stream(world.seed, "keys to sort");
        let keys = (0..nodes as u64 * self.keys).map(|_| random.random_range(0..width) as u32).collect();
        let sort = Rc::new(Sort {
            parameters: self.clone(),
            keys,
            nodes: (0..nodes).map(|_| NodeState::new(1 << self.bits, self.keys as usize)).collect(),
            scan_cycles: Cell::new(0),
            coalesce_cycles: Cell::new(0),
            ended_cycle: Cell::new(0),
            sorted: RefCell::new(vec![None; nodes]),
        });
        parallel::start(world, |end| {
            let (node, state) = (end.id().index(), sort.clone());
            end.on_message(move |received| state.nodes[node].take(received));
            run(end, sort.clone())
        });
        sort
    }
}

/// The program of a node.
async fn run(end: Rc<Active>, sort: Rc<Sort>) {
    let (parameters, node) = (&sort.parameters, end.id().index());
    let (state, share) = (&sort.nodes[node], parameters.keys as usize);
    let mut keys = sort.keys[node * share..][..share].to_vec();
    for pass in 0..parameters.passes {
        let digit = |key: u32| (key >> (pass * parameters.bits)) as usize & ((1 << parameters.bits) - 1);
        end.compute(parameters.keys * parameters.key_cycles).await;
        state.count(keys.iter().map(|key| digit(*key)));
        let times = [parallel::barrier(&end).await];
        let mut places = scan::places(&end, parameters, state).await;
        let times = [times[0], parallel::barrier(&end).await];
        for key in &keys {
            end.compute(parameters.key_cycles).await;
            let place = &mut places[digit(*key)];
            let (to, index) = (*place as usize / share, *place % share as u32);
            *place += 1;
            match to == node {
                true => state.put(index, *key),
                false => end.send(ActiveMessage::new(parallel::id(to), COALESCE, &[index, *key])).await,
            }
        }
        end.wait_until(|| state.is_full()).await;
        keys = state.keys();
        let ended = parallel::barrier(&end).await;
        if node == 0 {
            sort.scan_cycles.set(sort.scan_cycles.get() + times[1] - times[0]);
            sort.coalesce_cycles.set(sort.coalesce_cycles.get() + ended - times[1]);
            sort.ended_cycle.set(ended);
        }
    }
    sort.end(node, keys);
}

impl Sort {
    /// Keeps a node's keys; the last one compares them all with a serial sort.
    fn end(&self, node: usize, keys: Vec<u32>) {
        self.sorted.borrow_mut()[node] = Some(keys);
        if let Some(sorted) = self.sorted.borrow().iter().cloned().collect::<Option<Vec<_>>>() {
            let mut serial = self.keys.clone();
            serial.sort_unstable();
            assert!(sorted.concat() == serial, "keys are not sorted: a model moved wrong bytes");
        }
    }
}

impl RunningWorkload for Sort {
    fn metrics(&self, world: &World, outcome: &Outcome) -> Vec<Metric> {
        let of_whole = |cycles: f64| super::once(outcome.is_complete(), cycles);
        let cycles = |name: &str, cycles: f64| Metric::new(name, of_whole(cycles), "cycles");
        let passes = self.parameters.passes as f64;
        let own = [
            cycles("radix.scan_cycles", self.scan_cycles.get() as f64 / passes),
            cycles("radix.coalesce_cycles", self.coalesce_cycles.get() as f64 / passes),
            cycles("radix.cycles", self.ended_cycle.get() as f64),
        ];
        parallel::metrics(world, own)
    }
}
