//! Checks the law of scale: if all times are sixteen times as long, and all rates a sixteenth, everything takes sixteen
//! times as long. A result that depends on the rounding of times to picoseconds violates the law.

use crate::common::parts::{accepted, run_to_completion, text};
use narrows::engine::{Hertz, Rate, Time};
use narrows::machine::combinations::Combination;
use narrows::machine::{self, Machine};
use narrows::text::quantity::parse;
use narrows::text::{Document, Read};
use rayon::prelude::*;

const SCALE: u64 = 16;

/// Largest allowed relative deviation. Times deviate if a poll of one run comes just before the message arrives, and
/// the same poll of the other run just after.
const DEVIATION_MAX: f64 = 0.001;

const PING_PONG: &str = "workload.ping-pong = { payload = \"1 KiB\", messages = 4, warm-up = 0 }";

fn read(text: &str, overrides: &[String]) -> Read<Machine> {
    let read = machine::read(Document::Text("scale.toml", text, None), overrides);
    read.unwrap_or_else(|problems| panic!("{problems}"))
}

/// Returns the mean round trip of a run, in microseconds.
fn round_trip_us(read: &Read<Machine>, combination: &Combination) -> f64 {
    run_to_completion(&read.value, combination).metric("round_trip.latency")
}

/// Returns the setting that scales a value, if it is a time, a rate or a frequency, and not a limit of the run.
fn scaled_setting(path: &str, value: &str) -> Option<String> {
    let scaled_down = |number: u64| {
        assert!(number.is_multiple_of(SCALE), "{path}: a sixteenth of {value} is a whole number");
        number / SCALE
    };
    // The rate of a PCIe link follows from its generation, its lanes (8 become 1) and its efficiency.
    if path.ends_with(".pcie.link.lanes") {
        assert_eq!(value, "8", "{path}");
        return Some(format!("{path}=1"));
    }
    if path.ends_with(".pcie.link.efficiency") {
        let efficiency: f64 = value.parse().expect("a number");
        return Some(format!("{path}={}", efficiency * 8.0 / SCALE as f64));
    }
    let time = parse::<Time>(value).map(|time| format!("{} ps", time.ps() * SCALE));
    let rate = || parse::<Rate>(value).map(|rate| format!("{} bit/s", scaled_down(rate.bits_per_s())));
    let clock = || parse::<Hertz>(value).map(|clock| format!("{} Hz", scaled_down(clock.0)));
    let scaled = time.or_else(|_| rate()).or_else(|_| clock()).ok()?;
    (!path.starts_with("run.")).then(|| format!("{path}={scaled}"))
}

#[test]
fn all_times_sixteenfold_give_sixteenfold_latencies() {
    let ping_pongs = accepted("ping-pong").into_iter();
    let combinations: Vec<_> = ping_pongs.filter(|combination| combination.protocol == "protocols/none").collect();
    assert!(combinations.len() >= 150, "{} combinations", combinations.len());
    let violation = |combination| {
        let text = text(combination, 2, PING_PONG);
        // Clocks whose period is a whole number of picoseconds have the same edges when they are scaled.
        let clocks = ["processor", "interconnect"].map(|part| format!("hosts.pcie-gen3-x8.pcie.{part}.clock=2 GHz"));
        let clocks = if combination.host == "hosts/pcie-gen3-x8" { clocks.to_vec() } else { Vec::new() };
        let reference = read(&text, &clocks);
        let overrides: Vec<String> =
            reference.entries().iter().filter_map(|entry| scaled_setting(&entry.path, &entry.value)).collect();
        let [reference_latency, scaled_latency] =
            [round_trip_us(&reference, combination), round_trip_us(&read(&text, &overrides), combination)];
        let deviation = scaled_latency / SCALE as f64 / reference_latency - 1.0;
        (deviation.abs() > DEVIATION_MAX)
            .then(|| format!("{combination:?}: {reference_latency} us, a sixteenth of {scaled_latency} us"))
    };
    let violations: Vec<String> = combinations.par_iter().filter_map(violation).collect();
    assert!(violations.is_empty(), "{} break the law:\n{}", violations.len(), violations.join("\n"));
}

#[test]
fn faster_router_clocks_up_to_the_lanai_clock_slow_no_message() {
    let clocks = ["32.98 MHz", "32.99 MHz", "33 MHz"];
    let parts = ["hosts/memory-bus-1998", "protocols/none", "fabrics/nifdy-torus"];
    let has_lanai = |combination: &Combination| ["ni/trapeze", "ni/berkeley-via"].contains(&combination.ni);
    let is_tested = |combination: &Combination| {
        has_lanai(combination) && [combination.host, combination.protocol, combination.fabric] == parts
    };
    let combinations: Vec<Combination> = accepted("ping-pong").into_iter().filter(is_tested).collect();
    assert_eq!(combinations.len(), 2, "{combinations:?}");
    for combination in &combinations {
        let text = text(combination, 2, PING_PONG);
        let latencies =
            clocks.map(|clock| round_trip_us(&read(&text, &[format!("fabric.router.clock={clock}")]), combination));
        let has_rise = latencies.windows(2).any(|pair| pair[1] > pair[0] * (1.0 + DEVIATION_MAX));
        assert!(!has_rise, "{combination:?}: {clocks:?} give {latencies:?} us");
    }
}
