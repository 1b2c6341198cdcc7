//! What a traced run says of the four DMA engines.

use super::super::run::RunResult;
use crate::engine::{Span, Time};

/// The bands of a packet-flow graph, top to bottom: engine, and whether it is the sender's.
pub const BANDS: [(&str, bool); 4] = [("hostTx", true), ("netTx", true), ("netRcv", false), ("hostRcv", false)];

/// The transfers of an engine, in order of start.
pub fn transfers<'a>(run: &'a RunResult, engine: &str, from: Time, to: Time) -> Vec<&'a Span> {
    let spans = run.timeline.spans.iter().filter(|span| span.what == engine && span.start >= from && span.end <= to);
    let mut spans: Vec<&Span> = spans.collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// The sizes of an engine's transfers for one message, in order; control messages left out.
pub fn sizes(run: &RunResult, engine: &str, message: u64) -> Vec<u64> {
    let all = transfers(run, engine, Time::ZERO, Time::MAX);
    let of_message = all.into_iter().filter(|span| span.message == Some(message));
    let control = usize::from(engine.starts_with("net"));
    of_message.skip(control).map(|span| span.bytes.get()).collect()
}

/// An engine's mean rate between two instants, in MB/s.
pub fn rate(run: &RunResult, engine: &str, from: Time, to: Time) -> f64 {
    let moved: u64 = transfers(run, engine, from, to).iter().map(|span| span.bytes.get()).sum();
    moved as f64 / (to - from).as_us()
}

/// The share of the time between the first and the last start in which an engine is idle.
pub fn idle(run: &RunResult, engine: &str, from: Time, to: Time) -> Option<f64> {
    let spans = transfers(run, engine, from, to);
    let (first, last) = (spans.first()?, spans.last()?);
    let busy: Time = spans[..spans.len() - 1].iter().map(|span| span.end - span.start).sum();
    Some(1.0 - busy.as_us() / (last.start - first.start).as_us())
}

/// When the steady state has been reached for good, and when the stream is not yet running out:
/// from 800 µs (§3.4) to the end of the last full send.
pub fn steady(run: &RunResult) -> (Time, Time) {
    let last = transfers(run, "hostTx", Time::ZERO, Time::MAX).last().map_or(Time::ZERO, |span| span.end);
    (Time::from_us(800), last)
}

/// The median of sizes.
pub fn median(mut sizes: Vec<u64>) -> Option<u64> {
    sizes.sort_unstable();
    sizes.get(sizes.len() / 2).copied()
}

/// The mean of sizes.
pub fn mean(sizes: &[u64]) -> Option<f64> {
    (!sizes.is_empty()).then(|| sizes.iter().sum::<u64>() as f64 / sizes.len() as f64)
}
