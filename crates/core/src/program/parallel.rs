//! What the programs that run on all endpoints have in common: they use active messages.

use super::collective::Collective;
use super::pattern;
use crate::engine::{EndId, Metric, Outcome};
use crate::messaging::World;
use crate::messaging::active::{Active, ActiveMessage, Cause};
use crate::protocol::Statistics;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;

/// The end of active messages of this number.
pub(super) fn end(world: &World, node: usize) -> Rc<Active> {
    world.actives()[node].clone()
}

/// Starts the same program on each endpoint.
pub(super) fn start<F: Future<Output = ()> + 'static>(world: &World, mut program: impl FnMut(Rc<Active>) -> F) {
    for (endpoint, end) in world.ends().zip(world.actives()) {
        end.runs(world.sim.spawn(format!("{} program", endpoint.name()), program(end.clone())));
    }
}

/// Processor cycles that an instruction takes where a program's computing is known by its instructions. (Chosen:
/// the processor of Mukherjee and Hill (1998) issues two at once, in order; loads that miss and operations that
/// wait for others take the more that this saves.)
pub(super) const CYCLES_PER_INSTRUCTION: u64 = 1;

/// Sends words to a handler: in one packet if they fit, otherwise as a transfer.
pub(super) async fn send(end: &Active, to: usize, handler: u8, words: &[u32]) {
    match words.len() <= end.words_max() {
        true => end.send(ActiveMessage::new(id(to), handler, words)).await,
        false => end.transfer(id(to), handler, words).await,
    }
}

/// Has messages taken by `take`, in one packet or as a transfer: the sending endpoint, the handler, the words. It
/// gives the instructions that the handler computes. Those of collectives are taken by these.
pub(super) fn take_by(
    end: &Rc<Active>,
    collective: &Rc<Collective>,
    take: impl Fn(EndId, u8, &[u32]) -> u64 + 'static,
) {
    // An end that held itself would never be gone.
    let (this, collective, take) = (Rc::downgrade(end), collective.clone(), Rc::new(take));
    let charge = move |instructions: u64| {
        let end = this.upgrade().expect("an end lives while it takes messages");
        end.charge(instructions * CYCLES_PER_INSTRUCTION);
    };
    let (charge_whole, take_whole) = (charge.clone(), take.clone());
    end.on_message(move |received| {
        let collective = collective.take(received);
        charge(collective.unwrap_or_else(|| take(received.from, received.handler, received.words)));
    });
    end.on_transfer(move |from, handler, words| charge_whole(take_whole(from, handler, &words)));
}

/// The part of a program that is timed: when it began and ended, in cycles of its first processor.
#[derive(Default)]
pub(super) struct Span {
    began: Cell<u64>,
    ended: Cell<u64>,
}

impl Span {
    /// All processors begin, now that the last one is ready.
    pub async fn begin(&self, end: &Active, collective: &Collective) {
        collective.barrier(end).await;
        self.begun(end);
    }

    /// All processors end.
    pub async fn end(&self, end: &Active, collective: &Collective) {
        collective.barrier(end).await;
        self.over(end);
    }

    /// A processor goes on from the barrier at which it begins.
    pub fn begun(&self, end: &Active) {
        end.begin_timed();
        if end.id().index() == 0 {
            self.began.set(end.cycle());
        }
    }

    /// A processor goes on from the barrier at which it ends.
    pub fn over(&self, end: &Active) {
        end.end_timed();
        if end.id().index() == 0 {
            self.ended.set(end.cycle());
        }
    }

    /// How many cycles lie between.
    pub fn metric(&self, name: &str, outcome: &Outcome) -> Metric {
        self.metric_each(name, 1, outcome)
    }

    /// How many of them each of so many iterations took.
    pub fn metric_each(&self, name: &str, iterations: u64, outcome: &Outcome) -> Metric {
        let cycles = self.ended.get().saturating_sub(self.began.get()) as f64 / iterations as f64;
        Metric::new(name, super::once(outcome.is_complete(), cycles), "cycles")
    }
}

/// A number as it travels: two words.
pub(super) fn words_of(value: f64) -> [u32; 2] {
    [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
}

/// A number as it came.
pub(super) fn number([low, high]: [u32; 2]) -> f64 {
    f64::from_bits(u64::from(low) | u64::from(high) << 32)
}

/// Computes so many instructions.
pub(super) async fn compute(end: &Active, instructions: u64) {
    end.compute(instructions * CYCLES_PER_INSTRUCTION).await;
}

/// The word at place `at` of what node `from` sends to node `to` under `number`.
pub(super) fn word(from: usize, to: usize, number: u32, at: usize) -> u32 {
    let of = (from as u64) << 42 ^ (to as u64) << 22 ^ u64::from(number) << 4;
    pattern::mixed(of.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(at as u64)) as u32
}

/// An endpoint's number, of its place among all.
pub(super) fn id(node: usize) -> EndId {
    EndId(node as u32)
}

/// What such a program tells: of packets, messages and time, then what it has of its own, then latencies.
pub(super) fn metrics(world: &World, own: impl IntoIterator<Item = Metric>) -> Vec<Metric> {
    let mut metrics = packet_metrics(world);
    metrics.extend(own);
    metrics.extend(latency_metrics(world));
    metrics
}

/// How many packets were sent, how many of them processors have accepted, and the cycles of the run;
/// where they go by ports also what crossed the fabric, acknowledgements and copies among them, and
/// the protocol's state.
fn packet_metrics(world: &World) -> Vec<Metric> {
    let ends = world.actives();
    let sent: u64 = ends.iter().map(|end| end.sent()).sum();
    let delivered: u64 = ends.iter().map(|end| end.accepted()).sum();
    let cycles = ends.first().map_or(0, |end| end.clock().cycle_before(world.sim.now()));
    let mut metrics = vec![
        count("packets.sent", sent),
        count("packets.delivered", delivered),
        count("packets.in_flight", sent - delivered),
        Metric::new("cycles", cycles as f64, "cycles"),
    ];
    // Who took nothing of what was sent to it is named; the first of them, where they are many.
    let silent = world.ends().zip(ends).filter(|(_, end)| end.pending() > 0 && end.accepted() == 0);
    for (endpoint, end) in silent.take(SILENT_TOLD) {
        metrics.push(count(&format!("packets.never_accepted.{}", endpoint.name()), end.pending()));
    }
    metrics.extend(size_metrics(ends));
    metrics.extend(frame_metrics(world, ends));
    metrics.extend(super::counted(world));
    metrics.extend(time_metrics(ends));
    metrics
}

/// How many messages were sent, the bytes of all, and how many there were of each size; with a header of 8 bytes.
fn size_metrics(ends: &[Rc<Active>]) -> Vec<Metric> {
    let mut sizes = BTreeMap::<u64, u64>::new();
    for (size, times) in ends.iter().flat_map(|end| end.sizes()) {
        *sizes.entry(size).or_default() += times;
    }
    let messages = count("messages.count", sizes.values().sum());
    let bytes: u64 = sizes.iter().map(|(size, times)| size * times).sum();
    let each = sizes.iter().map(|(size, times)| count(&format!("messages.size.{size}"), *times));
    [messages, Metric::new("messages.bytes", bytes as f64, "B")].into_iter().chain(each).collect()
}

/// How long programs ran, from where their timed part begins to its end, and what that time went into, on average.
fn time_metrics(ends: &[Rc<Active>]) -> Vec<Metric> {
    let mean = |cause: Cause| {
        let cycles = |end: &Rc<Active>| end.spent(cause).as_s() * end.clock().0 as f64;
        ends.iter().map(cycles).sum::<f64>() / ends.len() as f64
    };
    let total: f64 = Cause::ALL.map(|(cause, _)| mean(cause)).iter().sum();
    let causes = Cause::ALL.map(|(cause, key)| Metric::new(format!("time.{key}"), mean(cause), "cycles"));
    [Metric::new("time.program", total, "cycles")].into_iter().chain(causes).collect()
}

/// The latencies of all messages that programs took in, from the call that sends each: of active messages,
/// a packet each.
fn latency_metrics(world: &World) -> Vec<Metric> {
    super::latency_metrics("message.latency_one_way", &world.tally.latencies())
}

/// How many nodes that took nothing are named.
const SILENT_TOLD: usize = 16;

fn count(name: &str, count: u64) -> Metric {
    Metric::new(name, count as f64, "")
}

fn frame_metrics(world: &World, ends: &[Rc<Active>]) -> Vec<Metric> {
    let accounts: Vec<_> = ends.iter().filter_map(|end| end.accounts()).collect();
    let (Some(fabric), false) = (&world.fabric, accounts.is_empty()) else { return Vec::new() };
    let counts = fabric.packet_counts();
    let sum = |name: &str, of: fn(&Statistics) -> u64| count(name, accounts.iter().map(|(one, _)| of(one)).sum());
    let state = accounts.iter().map(|(_, state)| *state).max().unwrap_or(0);
    vec![
        count("packets.dropped", counts.dropped),
        count("frames.injected", counts.injected),
        count("frames.delivered", counts.delivered),
        count("frames.dropped", counts.dropped),
        count("frames.in_flight", counts.in_flight()),
        sum("ni.bulk", |unit| unit.bulk),
        sum("ni.acknowledgements", |unit| unit.acknowledgements),
        sum("ni.carried", |unit| unit.carried),
        sum("ni.retransmitted", |unit| unit.retransmitted),
        sum("ni.duplicates", |unit| unit.duplicates),
        Metric::new("ni.state", state as f64, "B"),
    ]
}

/// Waits for all nodes; the cycle at which they go on.
pub(super) async fn barrier(end: &Active) -> u64 {
    end.barrier().await;
    end.cycle()
}
