//! Tests of the probe that chooses the constants of a fit.

use super::*;
use narrows_core::engine::transient::TransientTest;
use narrows_core::machine::Registry;
use narrows_core::text::{Document, LayerCache};
use std::path::Path;

#[test]
fn refused_trial_is_no_effect() {
    let refusal = || Err("640 is no power of two".to_owned());
    assert_eq!(probe_result([Ok(false), Ok(true)].into_iter()), ProbeResult::Effect);
    assert_eq!(probe_result([refusal(), Ok(true)].into_iter()), ProbeResult::Effect);
    assert_eq!(probe_result([refusal(), Ok(false)].into_iter()), ProbeResult::NoEffect);
    assert_eq!(probe_result([Ok(false), refusal()].into_iter()), ProbeResult::NoEffect);
    assert_eq!(probe_result([refusal(), refusal()].into_iter()), ProbeResult::Refused("640 is no power of two".into()));
    assert_eq!(probe_result(std::iter::empty()), ProbeResult::NoEffect);
}

const MACHINE: &str = r#"
parts = ["hosts/pcie-gen3-x8", "ni/rdma", "protocols/none"]
nodes.client = { host = "pcie-gen3-x8" }
nodes.server = { host = "pcie-gen3-x8" }
[fabric.ideal]
latency = "100 ns"
rate = "40 Gbit/s"
[workload.verbs]
test = "latency"
operation = "write"
size = "64 B"
iterations = 20
"#;

#[test]
fn constant_whose_values_are_refused_is_not_fitted() {
    let reader = |overrides: &[String]| {
        let machine = Document::Text("machine.toml", MACHINE, None);
        Registry::shared().read_varied(machine, &[], overrides, &LayerCache::default())
    };
    let curve =
        Curve::read(Path::new("curve.csv"), "size [B], latency [us]\n8, 1\n64, 1.1\n").expect("the curve is valid");
    let keys =
        ["hosts.pcie-gen3-x8.pcie.memory.size", "ni.rdma.receive-entries", "fabric.ideal.latency"].map(str::to_owned);
    let control = FitControl::unlimited();
    let curves = &[curve][..];
    let curve_fit =
        CurveFit { reader: &reader, curves, constants: &keys, prior: None, noise: 0.03, tolerance: None, control };
    let constants = curve_fit.constants().unwrap_or_else(|problems| panic!("{problems}"));
    let description = reader(&[]).unwrap_or_else(|problems| panic!("{problems}"));
    let samples = curves[0].samples.iter().map(|sample| (0, sample)).collect();
    let keys = constants.iter().map(|free| free.keys_in(&description)).collect();
    let transients = TransientCounts::default();
    let source = CurveNumbers { curve_fit: &curve_fit, is_verbs: true, samples, keys, transients };
    let effects = source.probe_effects(&constants);
    let is_refused =
        |effect: &ProbeResult, reason: &str| matches!(effect, ProbeResult::Refused(why) if why.contains(reason));
    assert!(is_refused(&effects[0], "multiple of a block"), "{effects:?}");
    assert!(is_refused(&effects[1], "power of two"), "{effects:?}");
    assert_eq!(effects[2], ProbeResult::Effect, "{effects:?}");
}

#[test]
fn transient_runs_are_counted_in_one_warning() {
    let counts = TransientCounts::default();
    let check = |test| WarmUpCheck {
        key: "workload.verbs.warm-up",
        value: 300,
        items: "requests",
        metric: "verbs.latency",
        unit: "us",
        test,
        load: None,
    };
    counts.count_run(None);
    counts.count_run(Some(&check(TransientTest::Steady)));
    for _ in 0..2 {
        counts.count_run(Some(&check(TransientTest::Filling { blocks: 100, values: 50 })));
    }
    assert_eq!(counts.warnings(), ["2 of 4 runs have an initial transient: increase `workload.verbs.warm-up`."]);
}
