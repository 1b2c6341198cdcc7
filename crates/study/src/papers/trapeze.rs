//! The built-in functions of Yocum et al. (1997), "Balancing DMA Latency and Bandwidth in a High-Speed Network
//! Adapter": statistics of the four DMA engines in a traced run. All other parts of the study are data
//! (`papers/trapeze`).

use crate::experiment::RunResult;
use crate::study::points::Results;
use crate::study::{BuiltinFn, BuiltinFns};
use narrows_core::engine::{Span, Time};

/// Adds the paper's functions.
pub(super) fn register(functions: BuiltinFns) -> BuiltinFns {
    functions
        .with_value_of_point("transfer-times", BuiltinFn::Numbers(transfer_times))
        .with_value_of_point("transfer-sizes", BuiltinFn::Numbers(transfer_sizes))
        .with_value_of_point("steady-sizes", BuiltinFn::Numbers(steady_sizes))
        .with_value_of_point("steady-rate", BuiltinFn::Number(steady_rate))
        .with_value_of_point("steady-idle", BuiltinFn::Number(steady_idle))
        .with_value_of_point("clearing-times", BuiltinFn::Numbers(clearing_times))
        .with_value_of_point("mean-transfer-of-node", BuiltinFn::Number(mean_transfer_of_node))
}

/// The size of the control message that precedes every payload, in bytes.
const CONTROL_BYTES: u64 = 128;

/// Returns the run that the first argument names, and the second argument.
fn run_and_name<'r, 'a>(results: &'r Results, arguments: &[&'a str]) -> Option<(&'r RunResult, &'a str)> {
    let [point, name, ..] = arguments else { return None };
    Some((results.get(*point)?, name))
}

/// Returns the transfers of an engine that lie between two times, in order of their starts.
fn transfers<'a>(run: &'a RunResult, engine: &str, from: Time, to: Time) -> Vec<&'a Span> {
    let spans =
        run.timeline.spans.iter().filter(|span| span.activity == engine && span.start >= from && span.end <= to);
    let mut spans: Vec<&Span> = spans.collect();
    spans.sort_by_key(|span| span.start);
    spans
}

fn all_transfers<'a>(run: &'a RunResult, engine: &str) -> Vec<&'a Span> {
    transfers(run, engine, Time::ZERO, Time::MAX)
}

/// Returns the interval of the steady state: from 800 µs (Yocum et al. 1997, §3.4) to the end of the last host transfer
/// of the sender.
fn steady_interval(run: &RunResult) -> (Time, Time) {
    (Time::from_us(800), all_transfers(run, "hostTx").last().map_or(Time::ZERO, |span| span.end))
}

/// Returns the duration of each transfer of an engine, in µs. The arguments are POINT/ENGINE.
fn transfer_times(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    let (run, engine) = run_and_name(results, arguments)?;
    Some(all_transfers(run, engine).iter().map(|span| (span.end - span.start).as_us()).collect())
}

/// Returns the sizes of an engine's transfers for one message, without the control message, in bytes. The arguments are
/// POINT/ENGINE/MESSAGE.
fn transfer_sizes(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    let (run, engine) = run_and_name(results, arguments)?;
    let message = arguments.get(2)?.parse().ok()?;
    let message_transfers = all_transfers(run, engine).into_iter().filter(|span| span.message == Some(message));
    let control_transfers = usize::from(engine.starts_with("net"));
    Some(message_transfers.skip(control_transfers).map(|span| span.bytes.get() as f64).collect())
}

/// Returns the sizes of an engine's transfers in the steady state, in bytes. The arguments are POINT/ENGINE.
fn steady_sizes(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    let (run, engine) = run_and_name(results, arguments)?;
    let (from, to) = steady_interval(run);
    Some(transfers(run, engine, from, to).iter().map(|span| span.bytes.get() as f64).collect())
}

/// Returns the mean rate of an engine in the steady state, in MB/s. The arguments are POINT/ENGINE.
fn steady_rate(results: &Results, arguments: &[&str]) -> Option<f64> {
    let (run, engine) = run_and_name(results, arguments)?;
    let (from, to) = steady_interval(run);
    let moved: u64 = transfers(run, engine, from, to).iter().map(|span| span.bytes.get()).sum();
    Some(moved as f64 / (to - from).as_us())
}

/// Returns the fraction of the time between the first and the last start in which an engine is idle. The arguments are
/// POINT/ENGINE.
fn steady_idle(results: &Results, arguments: &[&str]) -> Option<f64> {
    let (run, engine) = run_and_name(results, arguments)?;
    let (from, to) = steady_interval(run);
    let spans = transfers(run, engine, from, to);
    let (first, last) = (spans.first()?, spans.last()?);
    let busy: Time = spans[..spans.len() - 1].iter().map(|span| span.end - span.start).sum();
    Some(1.0 - busy.as_us() / (last.start - first.start).as_us())
}

/// Returns the time from the start of each hostTx to the end of the packet's last hostRcv, in µs. The argument is
/// POINT.
fn clearing_times(results: &Results, arguments: &[&str]) -> Option<Vec<f64>> {
    let run = results.get(*arguments.first()?)?;
    let receives = all_transfers(run, "hostRcv");
    let clearing_time = |send: &&Span| {
        let packet_receives = receives.iter().filter(|span| span.message == send.message);
        Some((packet_receives.map(|span| span.end).max()? - send.start).as_us())
    };
    all_transfers(run, "hostTx").iter().map(clearing_time).collect()
}

/// Returns the mean size of the payload transfers of a node's netTx, in bytes, over the first half of these transfers,
/// while other nodes also have work. The arguments are POINT/NODE.
fn mean_transfer_of_node(results: &Results, arguments: &[&str]) -> Option<f64> {
    let (run, node) = run_and_name(results, arguments)?;
    let sizes: Vec<u64> = run
        .timeline
        .spans_on(node, "netTx")?
        .map(|span| span.bytes.get())
        .filter(|bytes| *bytes != CONTROL_BYTES)
        .collect();
    let sizes = &sizes[..sizes.len() / 2];
    (!sizes.is_empty()).then(|| sizes.iter().sum::<u64>() as f64 / sizes.len() as f64)
}
