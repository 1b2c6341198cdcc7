//! The analytic model of Jin et al. (2005), §4.4, Equations 1 to 4. The paper refers to another report for Γ and *u*;
//! `docs/pipelining.md` derives them.
//!
//! A packet of *B* bytes passes several layers; layer *i* takes the time *g* for a packet, and *G* for each byte. As in
//! the paper, both are measured with coarse-grained pipelining: *g* with messages of one byte, and *G* by the time that
//! a message of 32 KiB takes in addition. The layers with a *G* are the engines. For each fragment, an engine takes a
//! start-up time *S*, which is the part of *g* that is service time.

use crate::report::MeanLedger;
use crate::study::points::Results;

/// The engines in order, by the names of their stages.
const ENGINES: [&str; 3] = ["hostTx", "netTx", "hostRcv"];
/// The message sizes on which layers are measured, in bytes.
const SIZE_MIN: f64 = 1.0;
const SIZE_MAX: f64 = 32_768.0;

/// The times of an engine, in µs: *g* for a packet, *S* for a further fragment, and *G* for a byte.
#[derive(Clone, Copy, Debug)]
struct Engine {
    g: f64,
    start_up: f64,
    per_byte: f64,
}

/// The layers of a stack.
struct Layers {
    /// The time per packet of the layers that do not touch the data.
    other_layers_us: f64,
    engines: [Engine; 3],
}

/// The arrival of bytes in the memory of a layer: intervals, each with a start, an end and a number of bytes that
/// arrive at a constant rate.
type Arrivals = Vec<(f64, f64, f64)>;

impl Layers {
    /// Returns the layers of E-UDP as measured.
    fn measured(results: &Results) -> Option<Layers> {
        let ledger_of = |size: &str| Some(MeanLedger::new(&results.get(&format!("latency/coarse/{size}"))?.ledger));
        let (ledger_min, ledger_max) = (ledger_of("1")?, ledger_of("32768")?);
        let mut engines = [Engine { g: 0.0, start_up: 0.0, per_byte: 0.0 }; 3];
        for (engine, name) in engines.iter_mut().zip(ENGINES) {
            let [short, long] =
                [&ledger_min, &ledger_max].map(|ledger| ledger.stages.iter().find(|stage| stage.name == name));
            let (short, long) = (short?, long?);
            let per_byte = (long.total_us() - short.total_us()) / (SIZE_MAX - SIZE_MIN);
            let per_packet_part = |time: f64| (time - per_byte * SIZE_MIN).max(0.0);
            *engine =
                Engine { g: per_packet_part(short.total_us()), start_up: per_packet_part(short.service_us), per_byte };
        }
        let engines_us: f64 = engines.iter().map(|engine| engine.g + engine.per_byte * SIZE_MIN).sum();
        Some(Layers { other_layers_us: ledger_min.total_us() - engines_us, engines })
    }

    /// Evaluates Equation 1.
    fn coarse_grained_latency(&self, bytes: f64) -> f64 {
        self.other_layers_us + self.engines.iter().map(|engine| engine.g + bytes * engine.per_byte).sum::<f64>()
    }

    /// Evaluates Equation 3 with Γ expanded: each engine takes all bytes that have arrived when it starts, and at least
    /// the threshold or the rest of the packet.
    fn fine_grained_latency(&self, bytes: f64, threshold: f64) -> f64 {
        if bytes < threshold {
            return self.coarse_grained_latency(bytes);
        }
        let [first, others @ ..] = &self.engines;
        let mut arrivals = vec![(first.g, first.g + bytes * first.per_byte, bytes)];
        for engine in others {
            arrivals = after_engine(&arrivals, *engine, bytes, threshold);
        }
        self.other_layers_us + arrivals.last().map_or(0.0, |(_, end, _)| *end)
    }

    /// Evaluates Equations 2 and 4, in bytes per µs.
    fn bandwidth(&self, bytes: f64) -> f64 {
        let slowest = self.engines.iter().map(|engine| engine.g + bytes * engine.per_byte).fold(0.0, f64::max);
        bytes / slowest
    }
}

/// Returns the time at which `count` bytes have arrived.
fn arrival_time(arrivals: &Arrivals, count: f64) -> f64 {
    let mut earlier_bytes = 0.0;
    for (start, end, bytes) in arrivals {
        if count <= earlier_bytes + bytes {
            return start + (end - start) * ((count - earlier_bytes) / bytes);
        }
        earlier_bytes += bytes;
    }
    arrivals.last().map_or(0.0, |(_, end, _)| *end)
}

/// Returns the number of bytes that have arrived at the time `time`.
fn bytes_at(arrivals: &Arrivals, time: f64) -> f64 {
    arrivals
        .iter()
        .map(|(start, end, bytes)| bytes * ((time - start) / (end - start).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0))
        .sum()
}

/// Returns the arrivals in the memory after an engine.
fn after_engine(arrivals: &Arrivals, engine: Engine, bytes: f64, threshold: f64) -> Arrivals {
    let (mut taken_bytes, mut engine_free_us, mut departures) = (0.0, 0.0f64, Vec::new());
    while taken_bytes < bytes {
        let bytes_needed = (taken_bytes + threshold).min(bytes);
        let start_us = engine_free_us.max(arrival_time(arrivals, bytes_needed));
        // Bytes that arrive while the engine is being started belong to the next fragment.
        let fragment = bytes_at(arrivals, start_us).clamp(bytes_needed, bytes) - taken_bytes;
        let first_byte_us = start_us + if taken_bytes == 0.0 { engine.g } else { engine.start_up };
        engine_free_us = first_byte_us + fragment * engine.per_byte;
        departures.push((first_byte_us, engine_free_us, fragment));
        taken_bytes += fragment;
    }
    departures
}

/// Returns the latency of E-UDP according to the model, in µs. The arguments are `coarse` or `fine`, SIZE and
/// THRESHOLD.
pub fn latency(results: &Results, arguments: &[&str]) -> Option<f64> {
    let [pipelining, size, threshold] = arguments else { return None };
    let (layers, bytes) = (Layers::measured(results)?, size.parse().ok()?);
    match *pipelining {
        "coarse" => Some(layers.coarse_grained_latency(bytes)),
        _ => Some(layers.fine_grained_latency(bytes, threshold.parse().ok()?)),
    }
}

/// Returns the bandwidth of E-UDP according to the model, in Mbit/s. The argument is SIZE.
pub fn bandwidth(results: &Results, arguments: &[&str]) -> Option<f64> {
    let [size] = arguments else { return None };
    Some(8.0 * Layers::measured(results)?.bandwidth(size.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers(engines: [(f64, f64); 3]) -> Layers {
        Layers { other_layers_us: 10.0, engines: engines.map(|(g, per_byte)| Engine { g, start_up: g, per_byte }) }
    }

    #[test]
    fn equation_1_is_a_sum_and_equation_2_the_slowest_engine() {
        let layers = layers([(1.0, 0.01), (2.0, 0.005), (3.0, 0.02)]);
        assert!((layers.coarse_grained_latency(1_000.0) - (10.0 + 6.0 + 35.0)).abs() < 1e-9);
        assert!((layers.bandwidth(1_000.0) - 1_000.0 / 23.0).abs() < 1e-9);
    }

    #[test]
    fn without_start_up_cost_faster_engines_add_one_threshold_each() {
        // Γ is then the largest G. The last engine is the slowest, so the latency is Σ t·G over the other engines, plus
        // B·Γ.
        let layers = layers([(0.0, 0.01), (0.0, 0.005), (0.0, 0.02)]);
        let (bytes, threshold) = (64_000.0, 500.0);
        let expected = 10.0 + threshold * (0.01 + 0.005) + bytes * 0.02;
        assert!(
            (layers.fine_grained_latency(bytes, threshold) - expected).abs() < 1e-6 * expected,
            "{}",
            layers.fine_grained_latency(bytes, threshold)
        );
    }

    #[test]
    fn fine_grained_is_not_slower_than_coarse_and_equal_below_the_threshold() {
        let layers = layers([(1.0, 0.008), (1.5, 0.006), (2.0, 0.008)]);
        assert_eq!(layers.fine_grained_latency(1_000.0, 2_048.0), layers.coarse_grained_latency(1_000.0));
        for bytes in [2_048.0, 5_000.0, 32_768.0, 60_000.0] {
            assert!(
                layers.fine_grained_latency(bytes, 2_048.0) <= layers.coarse_grained_latency(bytes) + 1e-9,
                "{bytes}"
            );
        }
    }
}
