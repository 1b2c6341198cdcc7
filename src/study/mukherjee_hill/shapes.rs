//! The claims that are not one number of one run, each judged as `claims.toml` states it.

use super::super::claims::Seen;
use super::super::experiment::Results;
use super::axes::{self, INTERFACES, Interface, ROUND_TRIP_SIZES, SEVEN, TABLE};
use std::ops::RangeInclusive;

/// What is seen for the claim `id`, if the results hold what it needs.
pub fn seen(id: &str, results: &Results) -> Option<Seen> {
    match id {
        "R1" => factor(results),
        "R2" => best(results),
        "R3" => break_even(results, "ni2w", "udma", 72.0..=120.0),
        "R4" => twice(results),
        "R5" => break_even(results, "startjr", "ap3000", 56.0..=128.0),
        "R6" => alike(results),
        "R7" => steered(results),
        "R8" => throttled(results),
        _ => None,
    }
}

/// The name of an interface in the paper.
pub fn name(interface: &str) -> &'static str {
    INTERFACES.iter().find(|(key, _)| *key == interface).expect("an interface of the paper").1
}

/// Two interfaces' round trips at each size of Table 5: size, and the two in µs.
fn pairs(results: &Results, one: &str, other: &str) -> Option<Vec<(u64, f64, f64)>> {
    let pair = |size| Some((size, axes::latency(results, one, size)?, axes::latency(results, other, size)?));
    ROUND_TRIP_SIZES.into_iter().map(pair).collect()
}

/// The seven interfaces with their round trips of `size`, fastest first.
fn ranked(results: &Results, size: u64) -> Option<Vec<(f64, Interface)>> {
    let one = |interface: &Interface| Some((axes::latency(results, interface.0, size)?, *interface));
    let mut ranked: Vec<_> = INTERFACES[..SEVEN].iter().map(one).collect::<Option<_>>()?;
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(ranked)
}

fn joined(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

fn factor(results: &Results) -> Option<Seen> {
    let mut words = Vec::new();
    let mut most: f64 = 0.0;
    for size in ROUND_TRIP_SIZES {
        let ranked = ranked(results, size)?;
        let ((fastest, by), (slowest, of)) = (ranked[0], ranked[SEVEN - 1]);
        most = most.max(slowest / fastest);
        words.push(format!("{:.2} times at {size} B ({} over {})", slowest / fastest, of.1, by.1));
    }
    Some(Seen::Words(joined(words), most > 3.0))
}

fn best(results: &Results) -> Option<Seen> {
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    let mut fastest = Vec::new();
    for size in ROUND_TRIP_SIZES {
        let ranked = ranked(results, size)?;
        fastest.push((size, ranked[0].1));
        let own = axes::latency(results, "cni32qm", size)?;
        for (other, _) in ranked.iter().filter(|(_, interface)| interface.0 != "cni32qm") {
            (least, most) = (least.min(other / own), most.max(other / own));
        }
    }
    let near = |ratio: f64, paper: f64| (ratio / paper - 1.0).abs() <= 0.1;
    let first = fastest.iter().all(|(_, interface)| interface.0 == "cni32qm");
    let words = joined(fastest.iter().map(|(size, interface)| format!("{} at {size} B", interface.1)));
    let holds = first && near(least, 1.54 / 1.29) && near(most, 15.11 / 3.42);
    Some(Seen::Words(format!("fastest: {words}; the others take {least:.2} to {most:.2} times as long"), holds))
}

/// The payloads at which two interfaces' round trips are equal, by straight lines between steps.
pub fn crossings(results: &Results, one: &str, other: &str) -> Option<Vec<f64>> {
    let ahead = |size| Some((size as f64, axes::stepped(results, one, size)? - axes::stepped(results, other, size)?));
    let ahead: Vec<(f64, f64)> = axes::steps().map(ahead).collect::<Option<_>>()?;
    let pairs = ahead.windows(2).map(|pair| (pair[0], pair[1]));
    let crossing = pairs.filter(|(before, after)| (before.1 < 0.0) != (after.1 < 0.0));
    Some(crossing.map(|(before, after)| before.0 + (after.0 - before.0) * before.1 / (before.1 - after.1)).collect())
}

/// `small` is faster for small payloads, `large` for large ones, and they are equal within `range`.
fn break_even(results: &Results, small: &str, large: &str, range: RangeInclusive<f64>) -> Option<Seen> {
    let crossings = crossings(results, small, large)?;
    let at = |size| Some((axes::stepped(results, small, size)?, axes::stepped(results, large, size)?));
    let (first, last) = (at(8)?, at(248)?);
    let words = if crossings.is_empty() {
        "never equal".to_owned()
    } else {
        format!("equal at {} B", joined(crossings.iter().map(|crossing| format!("{crossing:.0}"))))
    };
    let told = |(one, other): (f64, f64), size: u64| {
        format!("at {size} B {} {one:.2} us, {} {other:.2} us", name(small), name(large))
    };
    let within = !crossings.is_empty() && crossings.iter().all(|crossing| range.contains(crossing));
    let holds = within && first.0 < first.1 && last.1 < last.0;
    Some(Seen::Words(format!("{words}; {}; {}", told(first, 8), told(last, 248)), holds))
}

fn twice(results: &Results) -> Option<Seen> {
    let pairs = pairs(results, "udma", "ap3000")?;
    let words = joined(pairs.iter().map(|(size, udma, ap3000)| format!("{:.2} times at {size} B", udma / ap3000)));
    Some(Seen::Words(words, pairs.iter().all(|(_, udma, ap3000)| udma / ap3000 > 2.0)))
}

fn alike(results: &Results) -> Option<Seen> {
    let pairs = pairs(results, "memory-channel", "startjr")?;
    let apart = |channel: f64, startjr: f64| channel / startjr - 1.0;
    let words = pairs.iter().map(|&(size, one, other)| format!("{:+.1} % at {size} B", apart(one, other) * 100.0));
    Some(Seen::Words(joined(words), pairs.iter().all(|&(_, one, other)| apart(one, other).abs() <= 0.03)))
}

fn steered(results: &Results) -> Option<Seen> {
    let pairs = pairs(results, "cni512q", "startjr")?;
    let words = pairs.iter().map(|(size, one, other)| format!("{one:.2} us against {other:.2} us at {size} B"));
    Some(Seen::Words(joined(words), pairs.iter().all(|(size, one, other)| *size < 64 || one < other)))
}

fn throttled(results: &Results) -> Option<Seen> {
    let mut words = Vec::new();
    let pairs = pairs(results, "cni32qm", "ap3000")?;
    let mut holds = pairs.iter().all(|(_, one, other)| one < other);
    for size in [64, 256, 4096] {
        let rate = |interface: &str| axes::bandwidth(results, interface, size);
        let (free, ap3000, throttled) = (rate("cni32qm")?, rate("ap3000")?, rate("cni32qm-throttle")?);
        for (key, _) in INTERFACES[..TABLE].iter().filter(|(key, _)| *key != "cni32qm-throttle") {
            holds &= rate(key)? < throttled;
        }
        holds &= free < ap3000;
        words.push(format!("{free:.0}, {ap3000:.0} and {throttled:.0} MB/s at {size} B"));
    }
    let trips = joined(pairs.iter().map(|(size, one, other)| format!("{one:.2} and {other:.2} us at {size} B")));
    let words = format!("CNI32Qm, AP3000-like, throttled: {}; round trips of the first two: {trips}", words.join("; "));
    Some(Seen::Words(words, holds))
}
