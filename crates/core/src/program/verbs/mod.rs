//! The test of verbs, after linux-rdma/perftest: latency, bandwidth and message rate of writes, reads, sends and atomic
//! operations.
//!
//! As in perftest, the latency of a write is half of a round trip: each side writes to the other's memory and polls
//! the last byte of its own. The latency of a send is half of a round trip as well. The latency of a read or an atomic
//! operation is the time from its post to its completion. Both sides take the completion of a request before they poll
//! for the next message. A bandwidth test keeps `outstanding` requests posted on each queue pair, asks for a
//! completion every `signal-every` requests, polls up to 16 completions at a time, and counts the bytes of completed
//! requests.
//!
//! Keys are exchanged, and receives are posted, before the test begins. Requests use four payload patterns in turn, and
//! every byte that arrives is compared with the pattern. A latency test compares a write when it arrives, and a
//! bandwidth test compares writes at the end; reads and sends are compared at their completion. Atomic operations
//! return each value of the word once and in order.
//!
//! Whether a payload is inlined follows from the interface's largest inline payload. Events in place of polls, and
//! perftest's tests that end after a time, are not modelled.
//!
//! | file | holds |
//! |---|---|
//! | `operation.rs` | the operation and the measure, and perftest's defaults |
//! | `setup.rs`, `connection.rs` | queue pairs, memory regions and buffers, made before the test |
//! | `poster.rs` | requests of one endpoint: posts, doorbells, completions, checks of bytes |
//! | `latency.rs`, `bandwidth.rs` | the two tests |
//! | `measurements.rs`, `peak.rs` | results; the peak of a bandwidth |

mod bandwidth;
mod connection;
mod latency;
mod measurements;
mod operation;
mod peak;
mod poster;
mod result_names;
mod setup;
#[cfg(test)]
mod tests;

use super::{FlowEndpoint, FlowList, RunningWorkload, VerbsNeeds};
use crate::engine::Bytes;
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo};
use crate::program::{Objective, WARM_UP, WorkloadNeeds, WorkloadSpec};
use crate::text::Parameters;
use measurements::VerbsMeasurements;
use operation::ATOMIC_BYTES;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

pub use operation::{VerbsMeasure, VerbsOperation};

/// The parameters of the test of verbs.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub struct VerbsTest {
    /// The flows: the sender of a flow posts the requests, or begins the ping-pong.
    #[param(flatten)]
    pub flows: FlowList,
    /// Operation of the requests.
    #[param(default = "write")]
    pub operation: VerbsOperation,
    /// Quantity that is measured.
    #[param(default = "latency")]
    pub test: VerbsMeasure,
    /// Bytes that each request moves; by default 2 B for a latency, 64 KiB for a bandwidth, and 8 B for an atomic
    /// operation, which moves no other number.
    #[param(min = "1 B", max = "64 MiB", optional_or = test.size(operation))]
    pub size: Bytes,
    /// Number of requests of each queue pair that are measured; by default 1000 for a latency and 5000 for a bandwidth.
    #[param(min = 1, max = 10_000_000, optional_or = test.iterations(), meaning = Repetitions)]
    pub iterations: u64,
    /// Number of requests of each queue pair before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Number of queue pairs of each flow. A latency test uses them in turn.
    #[param(min = 1, max = 16_384, default = 1)]
    pub queue_pairs: u32,
    /// Largest number of outstanding requests of a queue pair; by default 1 for a latency and 128 for a bandwidth.
    #[param(min = 1, max = 16_384, optional_or = test.outstanding())]
    pub outstanding: u64,
    /// Requests for which the doorbell is rung once.
    #[param(min = 1, max = 1024, default = 1)]
    pub post_list: u64,
    /// Requests of a queue pair for which one completion is written; by default 1 for a latency and for requests above
    /// 8 KiB, `post-list` if that is above 1, and otherwise 100, at most `outstanding`.
    #[param(min = 1, max = 1024, optional_or = test.signal_every(size, outstanding, post_list))]
    pub signal_every: u64,
    /// Receives that are kept posted on each queue pair, for sends.
    #[param(min = 1, max = 16_384, default = 512)]
    pub receives: u64,
    /// Whether both sides of each flow post requests; a latency test does so in turn in any case.
    #[param(default = false)]
    pub bidirectional: bool,
}

impl VerbsTest {
    /// Returns the number of requests of each queue pair, including those of the warm-up.
    fn total_requests(&self) -> u64 {
        self.warm_up + self.iterations
    }

    /// Returns whether the second endpoint of a flow posts requests, too.
    fn is_mutual(&self) -> bool {
        match self.test {
            VerbsMeasure::Latency => self.operation.latencies_per_round_trip() == 2,
            VerbsMeasure::Bandwidth => self.bidirectional,
        }
    }

    /// Returns the bytes from one buffer for a request to the next.
    fn slot_bytes(&self) -> u64 {
        self.size.get().next_multiple_of(64)
    }

    /// Returns the number of queue pairs of each endpoint that a flow names.
    fn queue_pairs_by_endpoint(&self) -> BTreeMap<FlowEndpoint<'_>, u32> {
        let mut queue_pair_counts = BTreeMap::new();
        for endpoint in self.flows.planned_endpoints().into_iter().flat_map(|(from, to)| [from, to]) {
            *queue_pair_counts.entry(endpoint).or_default() += self.queue_pairs;
        }
        queue_pair_counts
    }

    /// Returns the largest number of queue pairs that a node connects.
    fn queue_pairs_of_node(&self) -> u32 {
        let mut queue_pair_counts = BTreeMap::<String, u32>::new();
        for (endpoint, number) in self.queue_pairs_by_endpoint() {
            let node = match endpoint {
                FlowEndpoint::Named(name) => name.split(':').next().unwrap_or(name).to_owned(),
                FlowEndpoint::OfNode(node) => node.to_string(),
            };
            *queue_pair_counts.entry(node).or_default() += number;
        }
        queue_pair_counts.into_values().max().unwrap_or(self.queue_pairs)
    }
}

impl Part for VerbsTest {
    const INFO: PartInfo =
        PartInfo::new("verbs", "Writes, reads, sends or atomic operations on queue pairs, as in perftest")
            .results(result_names::RESULTS)
            .small_input("size = \"48 B\"\niterations = 2\nwarm-up = 0");
}

impl WorkloadSpec for VerbsTest {
    fn needs(&self) -> WorkloadNeeds {
        let verbs = VerbsNeeds::new("size", self.size).with_queue_pairs("queue-pairs", self.queue_pairs_of_node());
        let verbs = if self.operation == VerbsOperation::Send { verbs.with_sends() } else { verbs };
        WorkloadNeeds { verbs: Some(verbs), messages: false, ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, _: usize) -> Vec<ParameterError> {
        let mut errors = Vec::new();
        if self.operation.is_atomic() && self.size.get() != ATOMIC_BYTES {
            let message = format!("an atomic operation moves 8 B, not {}", self.size);
            errors.push(ParameterError::new("size", message).related(["operation"]).help("leave out the key"));
        }
        if self.test == VerbsMeasure::Latency && self.outstanding > 1 {
            let message = format!("a latency test has one outstanding request, not {}", self.outstanding);
            let help = "leave out the key, or choose test = \"bandwidth\"";
            errors.push(ParameterError::new("outstanding", message).related(["test"]).help(help));
        }
        for (key, number) in [("post-list", self.post_list), ("signal-every", self.signal_every)] {
            if number > self.outstanding {
                let message =
                    format!("{number} requests exceed the outstanding ones of a queue pair, {}", self.outstanding);
                let help = format!("lower `{key}`, or raise `outstanding`");
                errors.push(ParameterError::new(key, message).related(["outstanding"]).help(help));
            }
        }
        errors.extend(self.shared_endpoint_error());
        errors.extend(self.local_flow_error());
        errors
    }

    fn with_endpoints(&self, names: &dyn Fn() -> Vec<String>) -> Option<Arc<dyn WorkloadSpec>> {
        let flows = self.flows.with_endpoints(names)?;
        Some(Arc::new(VerbsTest { flows, ..self.clone() }))
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.flows.endpoint_names()
    }

    fn endpoint_pairs<'a>(&'a self, _: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        self.flows.endpoint_pairs()
    }

    fn buffer_max(&self) -> Option<(&'static str, Bytes)> {
        Some(("size", self.size))
    }

    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        let queue_pair_counts = self.queue_pairs_by_endpoint().into_iter();
        queue_pair_counts
            .map(|(endpoint, queue_pairs)| (endpoint, Bytes(self.memory_bytes(queue_pairs.into()))))
            .collect()
    }

    fn objective(&self) -> Option<Objective> {
        match self.test {
            VerbsMeasure::Latency => Objective::minimize(measurements::LATENCY),
            VerbsMeasure::Bandwidth => Objective::maximize(measurements::BANDWIDTH),
        }
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let test = Rc::new(self.clone());
        let measurements = Rc::new(VerbsMeasurements::new(test.clone()));
        let (task_world, task_measurements) = (world.clone(), measurements.clone());
        world.sim.spawn("the exchange of keys", async move {
            for (name, task) in setup::create_programs(&test, &task_world, &task_measurements).await {
                task_world.sim.spawn(name, task);
            }
        });
        measurements
    }
}

impl VerbsTest {
    /// Returns the error if both endpoints of a flow are at one node.
    fn local_flow_error(&self) -> Option<ParameterError> {
        let node = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        let is_local = |(_, from, to): &(usize, &str, &str)| node(from) == node(to) && !from.is_empty();
        let (index, from, to) = self.flows.named_flows().into_iter().find(is_local)?;
        let message = format!("`{from}` and `{to}` are at one node, and a queue pair connects two nodes");
        Some(ParameterError::new(format!("flows.{index}"), message).help("name endpoints of two nodes"))
    }

    /// Returns the error if an endpoint of a latency test takes part in several flows: perftest has a process for each,
    /// and an endpoint is a process with one completion queue.
    fn shared_endpoint_error(&self) -> Option<ParameterError> {
        if self.test == VerbsMeasure::Bandwidth {
            return None;
        }
        let mut seen_names = BTreeSet::new();
        let names = self.flows.named_flows().into_iter().flat_map(|(_, from, to)| [from, to]);
        let repeated_name =
            names.map(|name| name.strip_suffix(":0").unwrap_or(name)).find(|name| !seen_names.insert(*name))?;
        let message =
            format!("`{repeated_name}` takes part in several flows, and a latency test has one flow at each endpoint");
        let help = "give nodes several endpoints, such as `a:0` and `a:1`";
        Some(ParameterError::new("flows", message).help(help))
    }
}
