//! Figures 5 to 9: cyclic shift, EM3D and radix sort.

use super::super::axes::{NETWORKS, Network, em3d, metric, pending, radix};
use super::{OfNetworks, gains, joined, of_networks, told};
use crate::engine::Map;
use crate::report::number::signed_percent;
use crate::study::claims::Seen;
use crate::study::experiment::Results;

/// What is seen for the claim `id`, if it is one of these.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    match id {
        "R15-pending" => piles(results),
        "R15-dissipates" => dissipates(results),
        "R15-barriers" => faster(results, "shift-nifdy/flow", "shift/barriers"),
        "R15-order" => faster(results, "shift-nifdy/nifdy", "shift-nifdy/flow"),
        "R8-shift" => faster(results, "shift-nifdy/nifdy", "shift/none"),
        "R9-shift" => shift_gain(results),
        "R9-em3d" => em3d_gain(results),
        "R8-em3d-light" => over_none(results, "light"),
        "R8-em3d-heavy" => over_none(results, "heavy"),
        "R10-light-flow" => negligible(results, "light"),
        "R10-heavy-flow" => negligible(results, "heavy"),
        "R10-light-order" => order_wins(results, "light"),
        "R10-heavy-order" => order_wins(results, "heavy"),
        "R16-delay" => delays_help(results),
        "R16-critical" => critical(results),
        "R16-latency" => high_latency(results),
        "R16-coalesce" => coalesce(results),
        "R8-radix" => radix_over_none(results),
        _ => None,
    }
}

/// Throughput of a cyclic shift, in words a cycle and node.
pub fn throughput(results: &Results, point: &str) -> Option<f64> {
    metric(results, point, "shift.words_per_cycle")
}

fn faster(results: &Results, one: &str, other: &str) -> Option<Seen> {
    let (one, other) = (throughput(results, one)?, throughput(results, other)?);
    told(format!("{one:.3} against {other:.3} words a cycle ({})", signed_percent(one / other - 1.0)), one > other)
}

fn shift_gain(results: &Results) -> Option<Seen> {
    let gain = throughput(results, "shift-nifdy/nifdy")? / throughput(results, "shift/buffers")? - 1.0;
    told(signed_percent(gain), (0.6..=1.4).contains(&gain))
}

/// Pending packets from which on the paper's map is black.
pub const BLACK: u32 = 20;

fn piles(results: &Results) -> Option<Seen> {
    let most = |point| metric(results, point, "shift.pending_max");
    let (without, with) = (most("shift/none")?, most("shift-nifdy/nifdy")?);
    told(
        format!("at most {without} packets pending for a receiver without NIFDY, {with} with it"),
        without >= f64::from(BLACK),
    )
}

/// The longest time, in cycles, for which half of [`BLACK`] or more was pending for one receiver.
pub fn longest_pile(map: &Map) -> u64 {
    let longest = |row: &[u32]| {
        let runs = row.split(|pending| *pending < BLACK / 2);
        runs.map(<[u32]>::len).max().unwrap_or(0)
    };
    (0..map.rows).map(|row| longest(map.row(row))).max().unwrap_or(0) as u64 * map.every_cycles
}

fn dissipates(results: &Results) -> Option<Seen> {
    let longest = |point| pending(results, point).map(longest_pile);
    let (without, with) = (longest("shift/none")?, longest("shift-nifdy/nifdy")?);
    let words = format!(
        "{} packets or more stay pending for a receiver for up to {with} cycles with NIFDY, {without} without",
        BLACK / 2
    );
    told(words, 2 * with <= without)
}

fn disordered() -> impl Iterator<Item = &'static Network> {
    NETWORKS.iter().filter(|network| !network.in_order)
}

/// How much faster EM3D is with one interface than with another, on networks that deliver out of
/// order.
fn speedup(results: &Results, load: &str, one: &str, other: &str) -> Option<OfNetworks> {
    let cycles = |interface, network: &str| em3d(results, load, interface, network);
    of_networks(disordered(), |network| Some(cycles(other, network)? / cycles(one, network)? - 1.0))
}

fn over_none(results: &Results, load: &str) -> Option<Seen> {
    let cycles = |interface, network: &str| em3d(results, load, interface, network);
    let gained = of_networks(&NETWORKS, |network| Some(cycles("none", network)? / cycles("nifdy", network)? - 1.0))?;
    told(gains(&gained), gained.iter().all(|(_, gain)| *gain > 0.0))
}

fn em3d_gain(results: &Results) -> Option<Seen> {
    let gained = speedup(results, "light", "nifdy", "buffers")?;
    let mean = gained.iter().map(|(_, gain)| gain).sum::<f64>() / gained.len() as f64;
    told(format!("{} in the mean: {}", signed_percent(mean), gains(&gained)), (0.05..=0.2).contains(&mean))
}

fn negligible(results: &Results, load: &str) -> Option<Seen> {
    let gained = speedup(results, load, "flow", "buffers")?;
    told(gains(&gained), gained.iter().all(|(_, gain)| gain.abs() <= 0.05))
}

fn order_wins(results: &Results, load: &str) -> Option<Seen> {
    let gained = speedup(results, load, "nifdy", "buffers")?;
    told(gains(&gained), gained.iter().all(|(_, gain)| *gain > 0.0))
}

/// How many times as long a scan without delays takes as one with them.
fn delay_gain(results: &Results, interface: &str) -> Option<OfNetworks> {
    let cycles = |network: &str, delay| radix(results, interface, network, delay, "scan");
    of_networks(&NETWORKS, |network| Some(cycles(network, "without")? / cycles(network, "with")? - 1.0))
}

fn delays_help(results: &Results) -> Option<Seen> {
    let (without, with) = (delay_gain(results, "none")?, delay_gain(results, "nifdy")?);
    let words = format!("without NIFDY {}; with it {}", gains(&without), gains(&with));
    told(words, without.iter().chain(&with).all(|(_, gain)| *gain > 0.0))
}

fn critical(results: &Results) -> Option<Seen> {
    let (without, with) = (delay_gain(results, "none")?, delay_gain(results, "nifdy")?);
    let pairs = || without.iter().zip(&with);
    let words = pairs().map(|((network, without), (_, with))| {
        format!("{} {} without, {} with", network.name, signed_percent(*without), signed_percent(*with))
    });
    told(joined(words), pairs().all(|((_, without), (_, with))| without > with))
}

/// What NIFDY gains on a scan without delays.
fn scan_gain(results: &Results) -> Option<OfNetworks> {
    let cycles = |interface, network: &str| radix(results, interface, network, "without", "scan");
    of_networks(&NETWORKS, |network| Some(cycles("none", network)? / cycles("nifdy", network)? - 1.0))
}

fn high_latency(results: &Results) -> Option<Seen> {
    let gained = scan_gain(results)?;
    let of = |key: &str| gained.iter().find(|(network, _)| network.key == key).map(|(_, gain)| *gain);
    let (slow, fast) = (of("store-and-forward")?, of("fat-tree")?);
    told(gains(&gained), slow > fast)
}

fn radix_over_none(results: &Results) -> Option<Seen> {
    let gained = scan_gain(results)?;
    told(gains(&gained), gained.iter().all(|(_, gain)| *gain > 0.0))
}

fn coalesce(results: &Results) -> Option<Seen> {
    let cycles = |interface, network: &str| radix(results, interface, network, "with", "coalesce");
    let gained = of_networks(&NETWORKS, |network| Some(cycles("none", network)? / cycles("nifdy", network)? - 1.0))?;
    told(gains(&gained), gained.iter().all(|(_, gain)| gain.abs() <= 0.05))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pile_lasts_as_long_as_its_longest_run_of_samples() {
        let values = vec![0, 10, 12, 3, 30, 0, 9, 9, 9, 9, 11, 10];
        let map = Map { name: "pending", unit: "", rows: 2, columns: 6, every_cycles: 100, values };
        assert_eq!(longest_pile(&map), 200);
    }
}
