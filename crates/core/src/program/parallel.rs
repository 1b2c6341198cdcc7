//! Helpers of the programs that run on all endpoints and communicate by active messages.

use super::collective::Collective;
use super::pattern;
use crate::engine::metric::name_word;
use crate::engine::{EndpointId, Metric, Outcome};
use crate::host::Processor;
use crate::messaging::World;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage, Cause};
use crate::protocol::Statistics;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;

/// Returns the active-message endpoint with number `node`.
pub(super) fn endpoint(world: &World, node: usize) -> Rc<ActiveEndpoint> {
    world.active_endpoints()[node].clone()
}

/// Starts one copy of a program on each endpoint.
pub(super) fn start<F: Future<Output = ()> + 'static>(world: &World, mut program: impl FnMut(Rc<ActiveEndpoint>) -> F) {
    for (endpoint, active) in world.endpoints().zip(world.active_endpoints()) {
        active.set_program(world.sim.spawn(format!("{} program", endpoint.name()), program(active.clone())));
    }
}

/// Sends words to a handler of endpoint `to`: in one packet if they fit, otherwise as a transfer.
pub(super) async fn send(endpoint: &ActiveEndpoint, to: usize, handler: u8, words: &[u32]) {
    match words.len() <= endpoint.words_max() {
        true => endpoint.send(ActiveMessage::new(endpoint_id(to), handler, words)).await,
        false => endpoint.transfer(endpoint_id(to), handler, words).await,
    }
}

/// Does what [`send`] does, but from a computation that is part of a handler. Words that do not fit into one packet are
/// sent as a transfer, as a program sends them.
pub(super) async fn send_in_handler(endpoint: &ActiveEndpoint, to: usize, handler: u8, words: &[u32]) {
    match words.len() <= endpoint.words_max() {
        true => endpoint.send_in_handler(ActiveMessage::new(endpoint_id(to), handler, words)).await,
        false => endpoint.transfer(endpoint_id(to), handler, words).await,
    }
}

/// Sets the handler of all messages, single packets and transfers alike, except those of collectives.
///
/// `handle` is called with the sending endpoint, the number of the handler and the words. It returns the number of
/// instructions that handling takes.
pub(super) fn set_handler(
    endpoint: &Rc<ActiveEndpoint>,
    collective: &Rc<Collective>,
    handle: impl Fn(EndpointId, u8, &[u32]) -> u64 + 'static,
) {
    // A handler that owned its endpoint would keep the endpoint alive for ever.
    let (weak_endpoint, collective, handle) = (Rc::downgrade(endpoint), collective.clone(), Rc::new(handle));
    let charge = move |instructions: u64| {
        let endpoint = weak_endpoint.upgrade().expect("an endpoint lives while it handles messages");
        endpoint.charge(endpoint.cpu().cycles_of(instructions));
    };
    let (charge_transfer, handle_transfer) = (charge.clone(), handle.clone());
    endpoint.on_message(move |received| {
        let instructions = collective.handle(received);
        charge(instructions.unwrap_or_else(|| handle(received.from, received.handler, received.words)));
    });
    endpoint.on_transfer(move |from, handler, words| charge_transfer(handle_transfer(from, handler, &words)));
}

/// The timed section of a program, in cycles of its first processor.
#[derive(Default)]
pub(super) struct TimedSection {
    start_cycle: Cell<u64>,
    end_cycle: Cell<u64>,
}

impl TimedSection {
    /// Waits for all processors at a barrier, then starts the timed section.
    pub async fn begin(&self, endpoint: &ActiveEndpoint, collective: &Collective) {
        collective.barrier(endpoint).await;
        self.mark_start(endpoint);
    }

    /// Waits for all processors at a barrier, then ends the timed section.
    pub async fn end(&self, endpoint: &ActiveEndpoint, collective: &Collective) {
        collective.barrier(endpoint).await;
        self.mark_end(endpoint);
    }

    /// Starts the timed section of a processor that has just left a barrier.
    pub fn mark_start(&self, endpoint: &ActiveEndpoint) {
        endpoint.begin_timed();
        if endpoint.id().index() == 0 {
            self.start_cycle.set(endpoint.cycle());
        }
    }

    /// Ends the timed section of a processor that has just left a barrier.
    pub fn mark_end(&self, endpoint: &ActiveEndpoint) {
        endpoint.end_timed();
        if endpoint.id().index() == 0 {
            self.end_cycle.set(endpoint.cycle());
        }
    }

    /// Returns the length of the timed section in cycles.
    pub fn metric(&self, name: &str, outcome: &Outcome) -> Metric {
        self.metric_per_iteration(name, 1, outcome)
    }

    /// Returns the cycles of the timed section per iteration.
    pub fn metric_per_iteration(&self, name: &str, iterations: u64, outcome: &Outcome) -> Metric {
        let cycles = self.end_cycle.get().saturating_sub(self.start_cycle.get()) as f64 / iterations as f64;
        Metric::cost(name, super::value_if(outcome.is_complete(), cycles), "cycles")
    }
}

/// Returns the two words of a message that carry a number.
pub(super) fn f64_to_words(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

/// Returns the number that two words of a message carry.
pub(super) fn f64_from_words([low, high]: [u32; 2]) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

/// Spends the time of `instructions` instructions on the endpoint's processor.
pub(super) async fn compute(endpoint: &ActiveEndpoint, instructions: u64) {
    endpoint.compute(endpoint.cpu().cycles_of(instructions)).await;
}

/// Returns word `index` of message `number` from node `from` to node `to`: a hash that the receiver can also compute.
pub(super) fn payload_word(from: usize, to: usize, number: u32, index: usize) -> u32 {
    let seed = (from as u64) << 42 ^ (to as u64) << 22 ^ u64::from(number) << 4;
    pattern::mix_bits(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(index as u64)) as u32
}

/// Returns the id of the endpoint with number `node`.
pub(super) fn endpoint_id(node: usize) -> EndpointId {
    EndpointId(node as u32)
}

/// Returns the metrics of a program of active messages, in this order: packets, messages and time, the program's
/// `own_metrics`, latencies.
pub(super) fn metrics(world: &World, own_metrics: impl IntoIterator<Item = Metric>) -> Vec<Metric> {
    let mut metrics = packet_metrics(world);
    metrics.extend(own_metrics);
    // Each packet of active messages counts as a message, from the call that sends it.
    metrics.extend(super::message_latency_metrics(&world.tally.latencies()));
    metrics
}

/// Returns the numbers of packets sent and accepted by processors, and the cycles of the run. With a protocol, they are
/// followed by the number of frames that crossed the fabric, including acknowledgements and retransmissions, and by the
/// size of the protocol's state.
fn packet_metrics(world: &World) -> Vec<Metric> {
    let active_endpoints = world.active_endpoints();
    let sent_packets: u64 = active_endpoints.iter().map(|active| active.sent_packets()).sum();
    let delivered_packets: u64 = active_endpoints.iter().map(|active| active.accepted_packets()).sum();
    let cycles = active_endpoints.first().map_or(0, |active| active.clock().cycle_before(world.sim.now()));
    let mut metrics = vec![
        count_metric("packets.sent", sent_packets),
        count_metric("packets.delivered", delivered_packets),
        count_metric("packets.in_flight", sent_packets - delivered_packets),
        Metric::cost("cycles", cycles as f64, "cycles"),
    ];
    // Endpoints that accepted none of the packets sent to them are named, up to a limit.
    let silent_endpoints = world
        .endpoints()
        .zip(active_endpoints)
        .filter(|(_, active)| active.pending_packets() > 0 && active.accepted_packets() == 0);
    for (endpoint, active) in silent_endpoints.take(SILENT_ENDPOINTS_MAX) {
        metrics.push(count_metric(
            &format!("packets.never_accepted.{}", name_word(endpoint.name())),
            active.pending_packets(),
        ));
    }
    // Only machines with `messaging.overflow` buffer packets in memory.
    let overflowed_packets: u64 = active_endpoints.iter().map(|active| active.overflowed_packets()).sum();
    metrics.extend((overflowed_packets > 0).then(|| count_metric("packets.overflowed", overflowed_packets)));
    metrics.extend(size_metrics(active_endpoints));
    metrics.extend(frame_metrics(world, active_endpoints));
    metrics.extend(super::interface_metrics(world));
    metrics.extend(time_metrics(active_endpoints));
    metrics
}

/// Returns the number of messages, their bytes, and the number of messages of each size; sizes include 8 bytes of
/// header.
fn size_metrics(active_endpoints: &[Rc<ActiveEndpoint>]) -> Vec<Metric> {
    let mut sizes = BTreeMap::<u64, u64>::new();
    for (size, times) in active_endpoints.iter().flat_map(|active| active.messages_by_size()) {
        *sizes.entry(size).or_default() += times;
    }
    let messages = count_metric("messages.count", sizes.values().sum());
    let bytes: u64 = sizes.iter().map(|(size, times)| size * times).sum();
    let size_counts = sizes.iter().map(|(size, times)| count_metric(&format!("messages.size.{size}"), *times));
    [messages, Metric::count("messages.bytes", bytes as f64, "B")].into_iter().chain(size_counts).collect()
}

/// Returns the mean time that programs spent in their timed sections, and its breakdown by cause.
fn time_metrics(active_endpoints: &[Rc<ActiveEndpoint>]) -> Vec<Metric> {
    let mean = |cause: Cause| {
        let cycles = |active: &Rc<ActiveEndpoint>| active.time_charged_to(cause).as_s() * active.clock().0 as f64;
        active_endpoints.iter().map(cycles).sum::<f64>() / active_endpoints.len() as f64
    };
    let total: f64 = Cause::ALL.map(|(cause, _)| mean(cause)).iter().sum();
    // Without a run-time system nothing is dispatched, and the cause `Dispatch` is left out.
    let has_dispatches = active_endpoints.iter().any(|active| active.dispatch_cycles() > 0);
    let causes = Cause::ALL.into_iter().filter(|(cause, _)| has_dispatches || *cause != Cause::Dispatch);
    let causes = causes.map(|(cause, key)| Metric::cost(format!("time.{key}"), mean(cause), "cycles"));
    [Metric::cost("time.program", total, "cycles")].into_iter().chain(causes).collect()
}

/// Number of silent endpoints that metrics name.
const SILENT_ENDPOINTS_MAX: usize = 16;

fn count_metric(name: &str, count: u64) -> Metric {
    Metric::count(name, count as f64, "")
}

fn frame_metrics(world: &World, active_endpoints: &[Rc<ActiveEndpoint>]) -> Vec<Metric> {
    let statistics: Vec<_> = active_endpoints.iter().filter_map(|active| active.protocol_statistics()).collect();
    let (Some(fabric), false) = (&world.fabric, statistics.is_empty()) else { return Vec::new() };
    let counts = fabric.packet_counts();
    let sum_metric = |name: &str, field: fn(&Statistics) -> u64| {
        count_metric(name, statistics.iter().map(|(unit_statistics, _)| field(unit_statistics)).sum())
    };
    let state_bytes = statistics.iter().map(|(_, state_bytes)| *state_bytes).max().unwrap_or(0);
    vec![
        count_metric("packets.dropped", counts.dropped),
        count_metric("frames.injected", counts.injected),
        count_metric("frames.delivered", counts.delivered),
        count_metric("frames.dropped", counts.dropped),
        count_metric("frames.in_flight", counts.in_flight()),
        sum_metric("ni.bulk", |unit| unit.bulk),
        sum_metric("ni.acknowledgements", |unit| unit.acknowledgements),
        sum_metric("ni.carried", |unit| unit.piggybacked),
        sum_metric("ni.retransmitted", |unit| unit.retransmitted),
        sum_metric("ni.duplicates", |unit| unit.duplicates),
        Metric::count("ni.state", state_bytes as f64, "B"),
    ]
}

/// Waits for all nodes and returns the cycle at which the processor continues.
pub(super) async fn barrier_cycle(endpoint: &ActiveEndpoint) -> u64 {
    endpoint.barrier().await;
    endpoint.cycle()
}
