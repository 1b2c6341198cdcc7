//! The analytic model of Jin et al. (2005), §4.4: Equations 1 to 4, and what they leave to another report,
//! Γ and *u*, worked out (`docs/pipelining.md`).
//!
//! A packet of *B* bytes passes layers; layer *i* takes *g* for a packet and *G* for a byte. Both are measured,
//! as the paper's are: *g* on messages of one byte, *G* on what 32 KiB take longer, with coarse-grained
//! pipelining. The layers with *G* are the engines; a fragment costs an engine a start-up *S*: the part of *g* in
//! which something works for the packet, and none waits.

use crate::report::MeanLedger;
use crate::study::experiments::Results;

/// The engines, in order, by the stages that end with them.
const ENGINES: [&str; 3] = ["hostTx", "netTx", "hostRcv"];
/// The sizes that layers are measured on.
const LEAST: f64 = 1.0;
const MOST: f64 = 32_768.0;

/// An engine: what it takes for a packet, for a further fragment, and for a byte, in µs.
#[derive(Clone, Copy, Debug)]
struct Engine {
    g: f64,
    start_up: f64,
    per_byte: f64,
}

/// The layers of a stack.
struct Layers {
    /// What layers take that touch no data, for a packet.
    rest: f64,
    engines: [Engine; 3],
}

/// Bytes that lie in a layer's memory: from when to when how many came, evenly.
type Landed = Vec<(f64, f64, f64)>;

impl Layers {
    /// Those of E-UDP, measured.
    fn measured(results: &Results) -> Option<Layers> {
        let of = |size: &str| Some(MeanLedger::of(&results.get(&format!("latency/coarse/{size}"))?.ledger));
        let (least, most) = (of("1")?, of("32768")?);
        let mut engines = [Engine { g: 0.0, start_up: 0.0, per_byte: 0.0 }; 3];
        for (engine, name) in engines.iter_mut().zip(ENGINES) {
            let [short, long] = [&least, &most].map(|of| of.stages.iter().find(|stage| stage.name == name));
            let (short, long) = (short?, long?);
            let per_byte = (long.total_us() - short.total_us()) / (MOST - LEAST);
            let less = |time: f64| (time - per_byte * LEAST).max(0.0);
            *engine = Engine { g: less(short.total_us()), start_up: less(short.service_us), per_byte };
        }
        let all: f64 = engines.iter().map(|engine| engine.g + engine.per_byte * LEAST).sum();
        Some(Layers { rest: least.total_us() - all, engines })
    }

    /// Equation 1.
    fn coarse(&self, bytes: f64) -> f64 {
        self.rest + self.engines.iter().map(|engine| engine.g + bytes * engine.per_byte).sum::<f64>()
    }

    /// Equation 3, with Γ as what it stands for: each engine takes what lies there when it begins, and at least
    /// the threshold, or the rest.
    fn fine(&self, bytes: f64, threshold: f64) -> f64 {
        if bytes < threshold {
            return self.coarse(bytes);
        }
        let [first, others @ ..] = &self.engines;
        let mut landed = vec![(first.g, first.g + bytes * first.per_byte, bytes)];
        for engine in others {
            landed = passed(&landed, *engine, bytes, threshold);
        }
        self.rest + landed.last().map_or(0.0, |(_, end, _)| *end)
    }

    /// Equations 2 and 4, in bytes a µs.
    fn bandwidth(&self, bytes: f64) -> f64 {
        let slowest = self.engines.iter().map(|engine| engine.g + bytes * engine.per_byte).fold(0.0, f64::max);
        bytes / slowest
    }
}

/// When so many bytes have landed.
fn when(landed: &Landed, count: f64) -> f64 {
    let mut before = 0.0;
    for (start, end, bytes) in landed {
        if count <= before + bytes {
            return start + (end - start) * ((count - before) / bytes);
        }
        before += bytes;
    }
    landed.last().map_or(0.0, |(_, end, _)| *end)
}

/// How many bytes have landed at an instant.
fn count(landed: &Landed, at: f64) -> f64 {
    landed
        .iter()
        .map(|(start, end, bytes)| bytes * ((at - start) / (end - start).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
        .sum()
}

/// What an engine makes of what comes.
fn passed(landed: &Landed, engine: Engine, bytes: f64, threshold: f64) -> Landed {
    let (mut taken, mut free, mut passed) = (0.0, 0.0f64, Vec::new());
    while taken < bytes {
        let least = (taken + threshold).min(bytes);
        let begins = free.max(when(landed, least));
        // What landed while the engine was started goes with the next.
        let fragment = count(landed, begins).clamp(least, bytes) - taken;
        let from = begins + if taken == 0.0 { engine.g } else { engine.start_up };
        free = from + fragment * engine.per_byte;
        passed.push((from, free, fragment));
        taken += fragment;
    }
    passed
}

/// What the model says of E-UDP's latency, in µs: coarse or fine/SIZE/THRESHOLD.
pub fn latency(results: &Results, arguments: &[&str]) -> Option<f64> {
    let [pipelining, size, threshold] = arguments else { return None };
    let (layers, bytes) = (Layers::measured(results)?, size.parse().ok()?);
    match *pipelining {
        "coarse" => Some(layers.coarse(bytes)),
        _ => Some(layers.fine(bytes, threshold.parse().ok()?)),
    }
}

/// What it says of the bandwidth, in Mbit/s: SIZE.
pub fn bandwidth(results: &Results, arguments: &[&str]) -> Option<f64> {
    let [size] = arguments else { return None };
    Some(8.0 * Layers::measured(results)?.bandwidth(size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(engines: [(f64, f64); 3]) -> Layers {
        Layers { rest: 10.0, engines: engines.map(|(g, per_byte)| Engine { g, start_up: g, per_byte }) }
    }

    #[test]
    fn equations_1_and_2_are_sums_and_the_slowest() {
        let layers = layers([(1.0, 0.01), (2.0, 0.005), (3.0, 0.02)]);
        assert!((layers.coarse(1_000.0) - (10.0 + 6.0 + 35.0)).abs() < 1e-9);
        assert!((layers.bandwidth(1_000.0) - 1_000.0 / 23.0).abs() < 1e-9);
    }

    #[test]
    fn with_free_starts_only_the_slowest_counts_and_each_other_for_a_threshold() {
        // Γ is then the slowest G: Σ t·G + B·Γ, with the last engine the slowest.
        let layers = layers([(0.0, 0.01), (0.0, 0.005), (0.0, 0.02)]);
        let (bytes, threshold) = (64_000.0, 500.0);
        let expected = 10.0 + threshold * (0.01 + 0.005) + bytes * 0.02;
        assert!(
            (layers.fine(bytes, threshold) - expected).abs() < 1e-6 * expected,
            "{}",
            layers.fine(bytes, threshold)
        );
    }

    #[test]
    fn fine_grained_is_never_slower_than_coarse_and_the_same_below_the_threshold() {
        let layers = layers([(1.0, 0.008), (1.5, 0.006), (2.0, 0.008)]);
        assert_eq!(layers.fine(1_000.0, 2_048.0), layers.coarse(1_000.0));
        for bytes in [2_048.0, 5_000.0, 32_768.0, 60_000.0] {
            assert!(layers.fine(bytes, 2_048.0) <= layers.coarse(bytes) + 1e-9, "{bytes}");
        }
    }
}
