//! Equations 2 to 4 against streams between two nodes.

use super::super::axes::{WINDOWS, interval, network};
use super::super::formula::{self, LINK};
use super::{joined, told};
use crate::study::claims::Seen;
use crate::study::experiment::Results;

/// T_receive of §2.4.3, in cycles.
pub const RECEIVE: f64 = 60.0;
/// The distance of the windows' pair: the mesh's longest.
pub const FAR: u64 = 14;
/// Processors of the windows' pair, each with what limits it, in cycles a packet.
pub const PROCESSORS: [(&str, f64); 2] = [("paper", RECEIVE), ("fast", LINK as f64)];

/// What is seen for the claim `id`, if it is one of these.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    match id {
        "R2" => round_trips(results),
        "R5" => full_bandwidth(results),
        "R6" => far(results).map(|trip| Seen::Number(formula::window(trip, RECEIVE))),
        "R6-curve" => windows(results, false),
        "R7" => windows(results, true),
        _ => None,
    }
}

/// Windows of the pair.
pub fn bulk_windows() -> impl Iterator<Item = u64> {
    WINDOWS.into_iter().filter(|window| *window > 0)
}

/// Cycles between packets of a pair of the mesh: `pair-idle` or `pair-scalar`.
pub fn paired(results: &Results, experiment: &str, distance: u64) -> Option<f64> {
    interval(results, &format!("{experiment}/{distance:02}"))
}

/// Cycles between packets of a dialog across the mesh.
pub fn bulk(results: &Results, processor: &str, each: bool, window: u64) -> Option<f64> {
    let acknowledge = if each { "each-packet" } else { "half-window" };
    interval(results, &format!("pair-bulk/{processor}/{acknowledge}/{window}"))
}

/// The measured round trip across the mesh.
fn far(results: &Results) -> Option<f64> {
    paired(results, "pair-idle", FAR)
}

fn near(measured: f64, expected: f64) -> bool {
    (measured / expected - 1.0).abs() <= 0.02
}

fn round_trips(results: &Results) -> Option<Seen> {
    let mesh = network("mesh");
    let (mut words, mut holds) = (Vec::new(), true);
    for distance in mesh.distances {
        let (measured, expected) = (paired(results, "pair-idle", *distance)?, mesh.latency.round_trip(*distance));
        holds &= near(measured, formula::scalar(expected as f64, LINK as f64));
        words.push(format!("{measured:.1} ({expected}) at d={distance}"));
    }
    told(format!("cycles, and by the equation: {}", joined(words)), holds)
}

fn full_bandwidth(results: &Results) -> Option<Seen> {
    let mesh = network("mesh");
    let (mut full, mut holds) = (Vec::new(), true);
    for distance in mesh.distances {
        let measured = paired(results, "pair-scalar", *distance)?;
        let hidden = mesh.latency.round_trip(*distance) as f64 <= RECEIVE;
        let is_full = near(measured, RECEIVE);
        holds &= is_full == hidden;
        full.extend(is_full.then(|| distance.to_string()));
    }
    let words = format!("every {RECEIVE} cycles at d={}; the equation says d ≤ 3", joined(full));
    told(words, holds)
}

fn windows(results: &Results, each: bool) -> Option<Seen> {
    let trip = far(results)?;
    let (mut words, mut holds) = (Vec::new(), true);
    for (processor, limit) in PROCESSORS {
        for window in bulk_windows() {
            let measured = bulk(results, processor, each, window)?;
            let expected = formula::bulk(trip, limit, window, each);
            holds &= near(measured, expected);
            words.push(format!("{measured:.1} ({expected:.1}) at W={window}, limit {limit}"));
        }
    }
    told(format!("cycles a packet, and by the equation: {}", joined(words)), holds)
}
