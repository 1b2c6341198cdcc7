//! Streams: messages in one direction over one or more flows, as fast as possible or paced.
//!
//! Bandwidth is counted in one window for all flows, which excludes start-up and the end of the run: from the delivery
//! that ends the warm-up of the last flow (without a warm-up its first delivery), to the last delivery of the flow that
//! ends first. Flows that are never active at the same time have no such window; theirs is from the first delivery of
//! any flow to the last of all. Flows may share a sender, a receiver or a trunk. The processors of senders may also
//! copy blocks of memory.

use super::pattern::{ExpectedPayloads, PatternBuffers};
use super::{RunningWorkload, copy};
use crate::engine::stats::Summary;
use crate::engine::{Bytes, EndId, Expected, FlowTally, Metric, Outcome, Signal, Time, rng};
use crate::messaging::{Outgoing, World};
use crate::part::{Part, PartInfo};
use crate::program::{FlowEndpoint, PATTERNS, PlannedFlow, WorkloadNeeds, WorkloadSpec};
use crate::text::{ParameterSink, ParameterType, Parameters, Table};
use rand::RngExt;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The parameters of streams.
#[derive(Clone, PartialEq, Debug, Parameters)]
pub struct Stream {
    /// Sender and receiver of each flow, by name; an empty list is one flow from the first node to the second.
    #[param(with(read = read_flows, write = |flows, to| write_flows(flows, to)))]
    pub flows: Vec<(String, String)>,
    /// Number of messages of each flow.
    #[param(min = 2, max = 10_000_000, default = 200)]
    pub messages: u64,
    /// Number of messages of each flow before anything is measured.
    #[param(max = 10_000_000, default = 0)]
    pub warm_up: u64,
    /// Payload of each message.
    #[param(max = "16 MiB")]
    pub payload: Bytes,
    /// Shortest time from the start of one message to the start of the next.
    #[param(default = "0 us")]
    pub gap: Time,
    /// Whether gaps are drawn from an exponential distribution with mean `gap`.
    #[param(default = false)]
    pub random_gaps: bool,
    /// Whether the senders' processors copy blocks at the same time.
    #[param(default = false)]
    pub copying: bool,
    /// Whether receivers never poll for a message: a fault to study.
    #[param(default = false)]
    pub deaf: bool,
}

struct Measured {
    flows: Vec<(EndId, EndId)>,
    payload: Bytes,
    /// Time at which each receiver had all messages of its warm-up but the last.
    warm: BTreeMap<EndId, Rc<Cell<Time>>>,
    copied: Vec<(EndId, Rc<Cell<Bytes>>)>,
}

impl Stream {
    /// Starts the program of the receiving endpoint `node`; returns the messages that it expects.
    fn expect(&self, world: &World, flows: &[(EndId, EndId)], node: EndId, warm: &Rc<Cell<Time>>) -> Expected {
        let name = format!("{} program", world.endpoint(node).name());
        let count = flows.iter().filter(|&&(_, to)| to == node).count() as u64;
        let receive = self.clone().receive(world.clone(), node, self.warm_up * count, warm.clone());
        let receiver = world.sim.spawn_server(name, receive);
        let messages = (self.warm_up + self.messages) * count;
        Expected { end: node, messages, receiver }
    }

    fn resolve(&self, world: &World) -> Vec<(EndId, EndId)> {
        let named = self.flows.iter().map(|(from, to)| (world.id(from), world.id(to)));
        if self.flows.is_empty() {
            vec![(world.nodes[0].endpoint().id(), world.nodes[1].endpoint().id())]
        } else {
            named.collect()
        }
    }

    /// Sends a flow from a few buffers in turn, each with its own pattern.
    async fn send(self, world: World, flow: usize, from: EndId, to: EndId) {
        let endpoint = world.endpoint(from);
        let patterns = PatternBuffers::prepare(endpoint, self.payload).await;
        let mut random = rng::stream(world.seed, &format!("gaps of flow {flow}"));
        let mut next = endpoint.now();
        for number in 0..self.warm_up + self.messages {
            endpoint.until(next).await;
            let (tag, address) = patterns.message(number);
            let outgoing = Outgoing { destination: to, tag, address, payload: self.payload, words: &[] };
            endpoint.send(outgoing).await;
            next += match self.random_gaps {
                true => exponential(self.gap, random.random()),
                false => self.gap,
            };
        }
    }

    /// Receives messages; the first `warm_up` of them but the last are not measured.
    async fn receive(self, world: World, node: EndId, warm_up: u64, warm: Rc<Cell<Time>>) {
        if self.deaf {
            Signal::new(&world.sim, "nothing: it never polls").wait().await;
        }
        let endpoint = world.endpoint(node);
        let expected = ExpectedPayloads::new(self.payload);
        for number in 0u64.. {
            // The last message of the warm-up is measured, since the bandwidth is counted from its delivery.
            if number + 1 == warm_up.max(1) {
                world.tally.measure(true);
                warm.set(endpoint.now());
            }
            let message = endpoint.receive().await;
            expected.check(endpoint, &message);
            endpoint.release(message).await;
        }
    }

    /// Returns the sender and the receiver of each flow.
    fn planned_endpoints(&self) -> Vec<(FlowEndpoint<'_>, FlowEndpoint<'_>)> {
        match self.flows.is_empty() {
            true => vec![(FlowEndpoint::OfNode(0), FlowEndpoint::OfNode(1))],
            false => self.flows.iter().map(|(from, to)| (FlowEndpoint::Named(from), FlowEndpoint::Named(to))).collect(),
        }
    }

    /// Returns the key of the first flow that names this endpoint, or that is this flow.
    fn flow_key(&self, sought: &str) -> String {
        let both = sought.split_once(" -> ");
        let is_sought = |(from, to): &(String, String)| from == sought || to == sought || both == Some((from, to));
        self.flows.iter().position(is_sought).map_or("flows".to_owned(), |flow| format!("flows.{flow}"))
    }
}

const FLOWS: &str = "flows";

/// Reads flows; each invalid one is reported by itself.
fn read_flows(t: &mut Table<'_>) -> Vec<(String, String)> {
    let doc = "Flows, each as `\"from -> to\"` of nodes or endpoints; by default one from the first node to the second";
    let texts = t.texts(FLOWS, doc).or(&[]);
    let read = |text: &String| {
        super::flow(text).unwrap_or_else(|| {
            t.wrong(FLOWS, format!("`{text}` is not a flow"), "a flow is written as \"from -> to\"");
            Default::default()
        })
    };
    texts.iter().map(read).collect()
}

fn write_flows(flows: &[(String, String)], to: &mut dyn ParameterSink) {
    let texts: Vec<String> = flows.iter().map(|(from, to)| format!("{from} -> {to}")).collect();
    to.value(FLOWS, texts.to_value());
}

impl Part for Stream {
    const INFO: PartInfo = PartInfo::new("stream", "Messages one way, as fast as possible or paced")
        .example("payload = \"64 B\"")
        .small_input("payload = \"300 B\"\nmessages = 4");
}

impl WorkloadSpec for Stream {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds { timed_memory: self.copying.then_some("copying"), ..WorkloadNeeds::default() }
    }

    fn endpoint_names(&self) -> Vec<(String, &str)> {
        let endpoints = self.flows.iter().flat_map(|(from, to)| [from, to]);
        endpoints.map(|name| (self.flow_key(name), name.as_str())).collect()
    }

    fn endpoint_pairs<'a>(&'a self, _: [Option<&'a str>; 2]) -> Vec<(String, (&'a str, &'a str))> {
        let read = self.flows.iter().filter(|(from, _)| !from.is_empty());
        read.map(|(from, to)| (self.flow_key(&format!("{from} -> {to}")), (from.as_str(), to.as_str()))).collect()
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
            send_buffers: (PATTERNS, self.payload),
        };
        self.planned_endpoints().into_iter().map(flow).collect()
    }

    fn local_buffers(&self) -> Vec<(FlowEndpoint<'_>, Bytes)> {
        let mut senders = Vec::new();
        for (from, _) in self.planned_endpoints().into_iter().filter(|_| self.copying) {
            if !senders.contains(&(from, Bytes(2 * copy::AREA))) {
                senders.push((from, Bytes(2 * copy::AREA)));
            }
        }
        senders
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let flows = self.resolve(world);
        world.tally.measure(self.warm_up == 0);
        for (flow, &(from, to)) in flows.iter().enumerate() {
            let name = format!("{} program, flow {flow}", world.endpoint(from).name());
            world.sim.spawn_server(name, self.clone().send(world.clone(), flow, from, to));
        }
        let receivers = distinct(&flows, |&(_, to)| to);
        let warm: BTreeMap<_, _> = receivers.into_iter().map(|node| (node, Rc::default())).collect();
        let expected: Vec<_> = warm.iter().map(|(node, warm)| self.expect(world, &flows, *node, warm)).collect();
        let tally = world.tally.clone();
        world.sim.spawn("the stream", async move { tally.settled(&expected).await });
        let copiers = if self.copying { distinct(&flows, |&(from, _)| from) } else { Vec::new() };
        let copied = copiers.into_iter().map(|node| (node, copy::start(world, node))).collect();
        Rc::new(Measured { flows: distinct_pairs(&flows), payload: self.payload, warm, copied })
    }
}

/// Returns the distinct endpoints on one side of the flows, in order.
fn distinct(flows: &[(EndId, EndId)], end: impl Fn(&(EndId, EndId)) -> EndId) -> Vec<EndId> {
    let mut nodes: Vec<_> = flows.iter().map(end).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Returns the distinct pairs of endpoints; the messages of flows between the same pair are counted together.
fn distinct_pairs(flows: &[(EndId, EndId)]) -> Vec<(EndId, EndId)> {
    let mut known = BTreeSet::new();
    flows.iter().filter(|flow| known.insert(**flow)).copied().collect()
}

/// Returns an exponentially distributed time with this mean, from a uniform number in [0, 1).
fn exponential(mean: Time, uniform: f64) -> Time {
    // Uses the logarithm of a library and not that of the platform, which differs between machines.
    Time::from_ps((-libm::log(1.0 - uniform) * mean.ps() as f64) as u64)
}

/// The measurements of a flow.
struct Flow {
    tally: FlowTally,
    /// Time at which its receiver was warm.
    warm: Time,
}

impl Flow {
    /// Returns the number of messages delivered after `from`, once its receiver was warm, and up to `to`.
    fn delivered(&self, (from, to): (Time, Time)) -> u64 {
        let before_warm = self.warm.since(Time::from_ps(1));
        self.tally.instants.between(from.max(before_warm), to)
    }
}

/// Returns the window in which bandwidth is counted, or `None` if there were no deliveries in it.
fn window(flows: &[Flow]) -> Option<(Time, Time)> {
    let firsts = flows.iter().filter_map(|flow| flow.tally.instants.first_from(flow.warm));
    let lasts = flows.iter().filter_map(|flow| flow.tally.instants.last_from(flow.warm));
    let together = (firsts.clone().max()?, lasts.clone().min()?);
    let window = if together.0 < together.1 { together } else { (firsts.min()?, lasts.max()?) };
    (window.0 < window.1).then_some(window)
}

impl Measured {
    fn flow(&self, world: &World, (from, to): (EndId, EndId)) -> Flow {
        Flow { tally: world.tally.flow(from, to), warm: self.warm[&to].get() }
    }

    /// Returns the rate of messages in a window, in MB/s, or NaN if there is no window.
    fn rate(&self, messages: u64, window: Option<(Time, Time)>) -> f64 {
        window.map_or(f64::NAN, |(from, to)| (messages * self.payload.get()) as f64 / (to - from).as_us())
    }
}

impl RunningWorkload for Measured {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        let flows: Vec<Flow> = self.flows.iter().map(|&flow| self.flow(world, flow)).collect();
        let window = window(&flows);
        let counts: Vec<u64> = flows.iter().map(|flow| window.map_or(0, |window| flow.delivered(window))).collect();
        let mut latencies = Summary::default();
        flows.iter().for_each(|flow| latencies.merge(&flow.tally.latencies));
        let total = self.rate(counts.iter().sum(), window);
        let mut metrics = vec![Metric::new("message.bandwidth", total, "MB/s")];
        metrics.extend(super::latency_metrics("message.latency_one_way", &latencies));
        metrics.extend(super::delivery_metrics(world));
        if flows.len() > 1 {
            for ((from, to), count) in self.flows.iter().zip(counts) {
                let name = format!("flow.{}.{}.bandwidth", world.endpoint(*from).name(), world.endpoint(*to).name());
                metrics.push(Metric::new(name, self.rate(count, window), "MB/s"));
            }
        }
        for (node, copied) in &self.copied {
            let rate = copied.get().get() as f64 / world.sim.now().as_us();
            metrics.push(Metric::new(format!("copy.{}.bandwidth", world.endpoint(*node).name()), rate, "MB/s"));
        }
        metrics
    }
}
