//! The paper's interfaces and sizes, and how its points are named.

use super::super::claims::Stated;
use super::super::experiment::Results;

/// An interface: key, and name in the paper.
pub type Interface = (&'static str, &'static str);

/// Interfaces: those of Table 5 in its order, then the one of §6.3.
pub const INTERFACES: [Interface; 9] = [
    ("ni2w", "CM-5-like NI"),
    ("udma", "Udma-based NI"),
    ("ap3000", "AP3000-like NI"),
    ("startjr", "Start-JR-like NI"),
    ("memory-channel", "Memory Channel-like NI"),
    ("cni512q", "CNI512Q"),
    ("cni32qm", "CNI32Qm"),
    ("cni32qm-throttle", "CNI32Qm+Throttle"),
    ("single-cycle", "single-cycle NI2w"),
];

/// How many of them Table 5 has.
pub const TABLE: usize = 8;

/// How many of those it gives round trips for.
pub const SEVEN: usize = 7;

/// Payloads of Table 5's round trips, in bytes.
pub const ROUND_TRIP_SIZES: [u64; 3] = [8, 64, 256];

/// Payloads of Table 5's bandwidths, in bytes.
pub const STREAM_SIZES: [u64; 4] = [8, 64, 256, 4096];

/// Payloads of the curves, in bytes; 248 is the most that one network message holds.
pub const SIZES: [u64; 11] = [8, 16, 32, 64, 128, 248, 256, 512, 1024, 2048, 4096];

/// Payloads at which round trips are compared to find where they cross, in bytes.
pub fn steps() -> impl Iterator<Item = u64> {
    (8..=248).step_by(8)
}

fn metric(results: &Results, point: &str, name: &str) -> Option<f64> {
    results.get(point)?.metric(name)
}

/// Round-trip latency, in µs.
pub fn latency(results: &Results, interface: &str, size: u64) -> Option<f64> {
    let of = |experiment: &str| metric(results, &format!("{experiment}/{interface}/{size}"), "round_trip.latency");
    of("latency").or_else(|| of("latency-curve"))
}

/// Bandwidth of a stream, in MB/s.
pub fn bandwidth(results: &Results, interface: &str, size: u64) -> Option<f64> {
    let of = |experiment: &str| metric(results, &format!("{experiment}/{interface}/{size}"), "message.bandwidth");
    of("bandwidth").or_else(|| of("bandwidth-curve"))
}

/// Round-trip latency in the steps of a search for where two cross, in µs.
pub fn stepped(results: &Results, interface: &str, size: u64) -> Option<f64> {
    metric(results, &format!("break-even/{interface}/{size}"), "round_trip.latency")
}

/// Round-trip latency with a parameter at a value, in µs.
pub fn varied_latency(results: &Results, parameter: &str, interface: &str, value: &str, size: u64) -> Option<f64> {
    metric(results, &format!("{parameter}-latency/{interface}/{value}/{size}"), "round_trip.latency")
}

/// Bandwidth of a stream with a parameter at a value, in MB/s.
pub fn varied_bandwidth(results: &Results, parameter: &str, interface: &str, value: &str, size: u64) -> Option<f64> {
    metric(results, &format!("{parameter}-bandwidth/{interface}/{value}/{size}"), "message.bandwidth")
}

/// Bus transactions of one kind that a 64-byte message of a stream costs a node: what a thousand
/// messages more add.
pub fn transactions(results: &Results, interface: &str, node: &str, kind: &str) -> Option<f64> {
    let count =
        |messages| metric(results, &format!("transactions/{interface}/{messages}"), &format!("bus.{node}.{kind}"));
    Some((count("1500")? - count("500")?) / 1000.0)
}

/// What Table 5 gives for an interface: `latency` in µs, or `bandwidth` in MB/s.
pub fn published(claims: &[Stated], interface: &str, what: &str, size: u64) -> Option<f64> {
    let id = format!("T5-{interface}-{what}-{size}");
    claims.iter().find(|claim| claim.id == id).and_then(Stated::expected)
}
