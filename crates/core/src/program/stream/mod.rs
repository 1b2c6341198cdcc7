//! Streams: messages one way over one or more flows, in a closed or an open loop.
//!
//! The arrival process decides when a message is offered ([`Arrivals`]). In a closed loop, latency counts from the call
//! to send. In an open loop, it counts from the scheduled arrival, even if the interface could not take the message
//! then. An open loop is saturated if its backlog only grows, or if the number of its messages that were offered and
//! not delivered only grows ([`backlog`](super::backlog)).
//!
//! Bandwidth is counted in one window for all flows, which excludes start-up and the end of the run. The window begins
//! when the last of the flows completes its warm-up (or, without a warm-up, makes its first delivery), and ends when
//! the first of the flows makes its last delivery. If the window would end before it begins, it is instead the time
//! from the first to the last delivery of all flows. Flows may share a sender, a receiver or a trunk. A sender's
//! processor may copy blocks of memory at the same time.

mod measurements;
mod send;
mod undelivered;

use super::arrivals::Arrivals;
use super::flow_list::FlowList;
use super::pattern::ExpectedPayloads;
use super::{RunningWorkload, copy};
use crate::engine::{Bytes, EndpointId, ExpectedMessages, Signal};
use crate::messaging::World;
use crate::part::{ParameterError, Part, PartInfo, ResultName};
use crate::program::{
    FlowEndpoint, MESSAGE_LATENCY, Objective, PAYLOAD_PATTERNS, PlannedFlow, WARM_UP, WorkloadNeeds, WorkloadSpec,
};
use crate::text::{Parameters, Table};
use measurements::StreamMeasurements;
use send::{Sender, SenderCounts};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// The parameters of streams.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(before = report_former_keys, meaning = Load)]
pub struct Stream {
    /// The flows.
    #[param(flatten)]
    pub flows: FlowList,
    /// Messages of each flow.
    #[param(min = 2, max = 10_000_000, default = 200, meaning = Repetitions)]
    pub messages: u64,
    /// Messages of each flow before anything is measured.
    #[param(max = 10_000_000, default = WARM_UP)]
    pub warm_up: u64,
    /// Payload of each message.
    #[param(max = "16 MiB")]
    pub payload: Bytes,
    /// Arrival of messages: a closed loop, or an open loop with an arrival process.
    #[param(one_of, default = "closed-loop")]
    pub arrivals: Arrivals,
    /// Whether the senders' processors copy blocks of memory at the same time.
    #[param(default = false)]
    pub copying: bool,
    /// An injected fault: the receivers never poll for a message.
    #[param(default = false, was = "deaf")]
    pub never_poll: bool,
}

impl Stream {
    /// Returns the number of messages of each flow, including those of the warm-up.
    fn total_messages(&self) -> u64 {
        self.warm_up + self.messages
    }

    /// Starts the program of the receiving endpoint `endpoint`, to which `flows` flows lead. Returns the number of
    /// messages that it is to receive.
    fn start_receiver(self: &Rc<Self>, world: &World, endpoint: EndpointId, flows: u64) -> ExpectedMessages {
        let name = format!("{} program", world.endpoint(endpoint).name());
        let receiver = world.sim.spawn_server(name, self.clone().receive(world.clone(), endpoint));
        ExpectedMessages { endpoint, messages: self.total_messages() * flows, receiver }
    }

    async fn receive(self: Rc<Self>, world: World, id: EndpointId) {
        if self.never_poll {
            Signal::new(&world.sim, "nothing, because `workload.stream.never-poll` is set").wait().await;
        }
        let endpoint = world.endpoint(id);
        let expected_payloads = ExpectedPayloads::new(self.payload);
        loop {
            let message = endpoint.receive().await;
            expected_payloads.check(endpoint, &message);
            endpoint.release(message).await;
        }
    }

    /// Starts the senders, and returns the counts of each.
    fn start_senders(
        self: &Rc<Self>,
        world: &World,
        flows: &[(EndpointId, EndpointId)],
    ) -> Vec<Rc<RefCell<SenderCounts>>> {
        let start_sender = |(flow, &(from, to)): (usize, &(EndpointId, EndpointId))| {
            let counts = Rc::new(RefCell::new(SenderCounts::new(self)));
            let name = format!("{} program, flow {flow}", world.endpoint(from).name());
            let sender = Sender { stream: self.clone(), world: world.clone(), flow, from, to, counts: counts.clone() };
            world.sim.spawn_server(name, sender.run());
            counts
        };
        flows.iter().enumerate().map(start_sender).collect()
    }
}

/// Reports an error for each of the former keys `gap` and `random-gaps`, which `arrivals` replaces.
fn report_former_keys(t: &Table<'_>) {
    let (replaced, help) = ("was replaced by `arrivals`", "write `arrivals.periodic.interval`");
    t.report_replaced("gap", replaced, &format!("{help}, or `arrivals.poisson.interval` for random intervals"));
    t.report_replaced("random-gaps", replaced, "write `arrivals.poisson.interval` for random intervals");
}

/// Names that the part adds to results.
const RESULTS: &[ResultName] = &[
    ResultName::metric("message.offered", "MB/s", "Payload that programs scheduled per time, in an open loop"),
    ResultName::metric("message.accepted", "MB/s", "Payload of an open loop that arrived per time"),
    ResultName::metric("message.backlog", "", "Messages of an open loop that wait in their programs at the end"),
    ResultName::metric("message.backlog_max", "", "Largest number of messages that waited in a program"),
    ResultName::metric(
        "message.backlog_growth",
        "1/s",
        "Messages by which the backlog grew per time; the run is saturated if the growth is significant",
    ),
    ResultName::metric("flow.FROM.TO.bandwidth", "MB/s", "Payload of one flow that arrived per time"),
    ResultName::metric(
        "copy.NODE.bandwidth",
        "MB/s",
        "Bytes that the processor of a node copied per time during the stream",
    ),
];

impl Part for Stream {
    const INFO: PartInfo = PartInfo::new("stream", "Messages one way, as fast as possible or paced")
        .results(RESULTS)
        .example("payload = \"64 B\"")
        .small_input("payload = \"300 B\"\nmessages = 4\nwarm-up = 0");
}

impl WorkloadSpec for Stream {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { timed_memory: self.copying.then_some("copying"), ..WorkloadNeeds::default() }
    }

    fn check_endpoints(&self, _: usize) -> Vec<ParameterError> {
        let flows = self.flows.named_flows().len().max(1);
        self.arrivals.check_flows(flows, self.total_messages()).into_iter().collect()
    }

    fn with_endpoints(&self, names: &dyn Fn() -> Vec<String>) -> Option<Arc<dyn WorkloadSpec>> {
        let flows = self.flows.with_endpoints(names)?;
        Some(Arc::new(Stream { flows, ..self.clone() }))
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        self.flows.endpoint_names()
    }

    fn endpoint_pairs<'a>(&'a self, _: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        self.flows.endpoint_pairs()
    }

    /// Returns the objective of an open loop, which is its latency. Below saturation, the bandwidth is the offered
    /// load, so it is no objective.
    fn objective(&self) -> Option<Objective> {
        match self.arrivals.is_open() {
            true => Objective::minimize(MESSAGE_LATENCY).map(|latency| latency.when_saturated("message.bandwidth")),
            false => None,
        }
    }

    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        Some(("payload", self.payload))
    }

    fn flows(&self) -> Vec<PlannedFlow<'_>> {
        let flow = |(from, to)| PlannedFlow {
            from,
            to,
            in_flight: self.warm_up + self.messages,
            payload: self.payload,
            send_buffers: (PAYLOAD_PATTERNS, self.payload),
        };
        self.flows.planned_endpoints().into_iter().map(flow).collect()
    }

    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        let copiers = self.flows.planned_endpoints().into_iter().filter(|_| self.copying).map(|(from, _)| from);
        copiers.collect::<BTreeSet<_>>().into_iter().map(|from| (from, Bytes(2 * copy::AREA_BYTES))).collect()
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let flows = self.flows.endpoint_ids(world);
        for &(from, to) in &flows {
            world.tally.exclude_warm_up(from, to, self.warm_up);
            world.tally.test_for_transient(from, to, self.messages);
        }
        // All tasks share one copy of the workload, since its list of flows may be long.
        let stream = Rc::new(self.clone());
        let senders = stream.start_senders(world, &flows);
        let mut flows_by_receiver = BTreeMap::new();
        flows.iter().for_each(|(_, to)| *flows_by_receiver.entry(*to).or_insert(0) += 1);
        let expected_messages: Vec<_> =
            flows_by_receiver.into_iter().map(|(node, flows)| stream.start_receiver(world, node, flows)).collect();
        let tally = world.tally.clone();
        world.sim.spawn("the stream", async move { tally.wait_until_settled(&expected_messages).await });
        let copiers = if self.copying { distinct(&flows, |&(from, _)| from) } else { Vec::new() };
        let copied_bytes = copiers.into_iter().map(|node| (node, copy::start(world, node))).collect();
        Rc::new(StreamMeasurements::new(self, &flows, senders, copied_bytes))
    }
}

/// Returns the distinct values of `key` over the flows, in order.
fn distinct<T: Ord>(flows: &[(EndpointId, EndpointId)], key: impl Fn(&(EndpointId, EndpointId)) -> T) -> Vec<T> {
    let mut values: Vec<_> = flows.iter().map(key).collect();
    values.sort_unstable();
    values.dedup();
    values
}
