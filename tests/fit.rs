//! Checks fits of machines with known constants: the constants are found within the stated standard deviations, and
//! those that the measurements leave undetermined are named.

mod command;

use crate::common::cli::{Folder, narrows};
use narrows::experiment::fit::FitResult;
use narrows::experiment::fit::control::FitControl;
use narrows::experiment::fit::curve::Curve;
use narrows::experiment::fit::curve_fit::CurveFit;
use narrows::experiment::fit::free_constant::key_matches;
use narrows::experiment::run;
use narrows::machine::{Machine, Registry};
use narrows::papers::builtins;
use narrows::study::{constants, find, scaffold};
use narrows::text::{Document, LayerCache, Problems, Read};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use std::fs;
use std::path::Path;
use std::process::Output;

/// A machine of two processors and a slow wire. A latency consists of two overheads, the wire's delay, and the time in
/// which the wire transfers a packet of 32 bytes.
const MACHINE: &str = r#"
parts = ["hosts/overheads-40-60", "ni/queues", "protocols/none", "fabrics/ideal-1998"]
[hosts.overheads-40-60.software]
clock = "1 GHz"
[messaging]
send = 100
receive = 100
[fabric.ideal]
latency = "2 us"
rate = "20 MB/s"
[workload.ping-pong]
warm-up = 0
messages = 1
payload = "64 B"
"#;

const LATENCY: &str = "fabric.ideal.latency";
const RATE: &str = "fabric.ideal.rate";
const SIZES: [u64; 4] = [16, 128, 512, 2048];

fn read(base: &[&str], overrides: &[String]) -> Result<Read<Machine>, Problems> {
    let base: Vec<String> = base.iter().map(|setting| (*setting).to_owned()).collect();
    Registry::shared().read_varied(
        Document::Text("machine.toml", MACHINE, None),
        &base,
        overrides,
        &LayerCache::default(),
    )
}

/// Returns the latencies of the machine whose constants have their true values, each multiplied by a factor that
/// represents noise, as a measured curve.
fn curve(base: &[&str], truth: &[String], factors: [f64; 4]) -> Curve {
    let mut text = "size [B], latency [us]\n".to_owned();
    for (size, factor) in SIZES.iter().zip(factors) {
        let overrides = [truth, &[format!("workload.ping-pong.payload={size} B")]].concat();
        let result =
            run::run(&read(base, &overrides).expect("the machine is valid").value, narrows::engine::Recorder::off());
        let latency = result.metric("message.latency_one_way").expect("a ping-pong has a latency");
        text += &format!("{size}, {:.9}\n", latency * factor);
    }
    Curve::read(Path::new("curve.csv"), &text).expect("the curve is valid")
}

fn fit_curve(base: &[&str], curve: Curve, constants: &[&str], noise: f64) -> FitResult {
    let constants: Vec<String> = constants.iter().map(|key| (*key).to_owned()).collect();
    let reader = |overrides: &[String]| read(base, overrides);
    let (curves, constants, prior, control) = (&[curve], &constants[..], Some(PRIOR_STD_DEV), FitControl::unlimited());
    let curve_fit = CurveFit { reader: &reader, curves, constants, prior, noise, tolerance: None, control };
    curve_fit.fit().unwrap_or_else(|problems| panic!("{problems}"))
}

/// Standard deviation of the priors, as a fraction of the starting value.
const PRIOR_STD_DEV: f64 = 0.25;
const WITHOUT_NOISE: [f64; 4] = [1.0; 4];

#[test]
fn determined_constants_are_found_within_2_percent() {
    for (latency_ns, rate_mb) in [(2600.0, 16.0), (1500.0, 25.0), (2000.0, 20.0)] {
        let truth = [format!("{LATENCY}={latency_ns} ns"), format!("{RATE}={rate_mb} MB/s")];
        let fit = fit_curve(&[], curve(&[], &truth, WITHOUT_NOISE), &[LATENCY, RATE], 0.01);
        assert!(fit.converged);
        for (constant, truth) in fit.constants.iter().zip([latency_ns * 1e3, rate_mb * 8e6]) {
            assert!(constant.determined, "{constant:?}");
            assert!((constant.value / truth - 1.0).abs() < 0.02, "{constant:?} is {truth}");
        }
        for residual in &fit.residuals {
            assert!(residual.error().abs() < 0.01, "{residual:?}");
        }
    }
}

/// Checks that overheads and the wire's delay, which only appear as a sum, are reported as undetermined, while the rate
/// is determined.
#[test]
fn undetermined_constants_are_named() {
    let base = ["messaging.send=1200", "messaging.receive=1000"];
    let truth = [format!("{LATENCY}=2600 ns"), format!("{RATE}=16 MB/s"), "messaging.send=900".to_owned()];
    let fit = fit_curve(
        &base,
        curve(&base, &truth, WITHOUT_NOISE),
        &[LATENCY, "messaging.send", "messaging.receive", RATE],
        0.01,
    );
    let determined: Vec<bool> = fit.constants.iter().map(|constant| constant.determined).collect();
    assert_eq!(determined, [false, false, false, true], "{:?}", fit.constants);
    let rate = &fit.constants[3];
    assert!((rate.value / (16.0 * 8e6) - 1.0).abs() < 0.02, "{rate:?}");
    // Only the sum of the three constants is measured, so two independent combinations are undetermined; the rate is in
    // neither.
    assert_eq!(fit.undetermined.len(), 2, "{:?}", fit.undetermined);
    for combination in &fit.undetermined {
        let changed_constants: Vec<usize> = combination.changes.iter().map(|(constant, _)| *constant).collect();
        assert!(changed_constants.len() == 2 && !changed_constants.contains(&3), "{combination:?}");
        assert!(combination.changes[1].1 < 0.0 && combination.effect < 0.01, "{combination:?}");
    }
    for (first, other) in [(0, 1), (0, 2)] {
        assert!(fit.correlation[first][other] < -0.3, "{:?}", fit.correlation);
    }
    assert!(fit.is_within_tolerance() && fit.failed_ranges().is_empty());
}

/// Checks that a constant on which no measurement depends keeps its starting value and the standard deviation of its
/// prior.
#[test]
fn constant_without_effect_keeps_its_value_and_its_prior() {
    let fit = fit_curve(&[], curve(&[], &[], WITHOUT_NOISE), &[RATE, "protocol.none.receive-buffers"], 0.01);
    let constant = &fit.constants[1];
    assert!(
        !constant.determined && (constant.std_dev - PRIOR_STD_DEV).abs() < 1e-9 && constant.final_value == "8",
        "{constant:?}"
    );
    assert!(fit.constants.len() < fit.residuals.len());
    let undetermined = &fit.undetermined;
    assert!(
        undetermined.len() == 1 && undetermined[0].changes.len() == 1 && undetermined[0].changes[0].0 == 1,
        "{undetermined:?}"
    );
    assert_eq!(undetermined[0].effect, 0.0);
}

/// Draws from an approximately standard normal distribution, as the sum of twelve uniform numbers.
fn normal(rng: &mut Pcg64Mcg) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Checks machines that are drawn from the priors and measured with noise: the stated standard deviation must cover the
/// true value in about 68 % of them.
#[test]
fn one_standard_deviation_covers_the_truth_of_two_machines_in_three() {
    const NOISE: f64 = 0.03;
    const MACHINES: u64 = 200;
    let is_covered = |seed: u64| -> [bool; 2] {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let truth = [2000e3, 20.0 * 8e6].map(|start: f64| start * (PRIOR_STD_DEV * normal(&mut rng)).exp());
        let overrides = [format!("{LATENCY}={:.0} ps", truth[0]), format!("{RATE}={:.0} B/s", truth[1] / 8.0)];
        let factors = [(); 4].map(|()| (NOISE * normal(&mut rng)).exp());
        let fit = fit_curve(&[], curve(&[], &overrides, factors), &[LATENCY, RATE], NOISE);
        [0, 1].map(|index| (fit.constants[index].value / truth[index]).ln().abs() <= fit.constants[index].std_dev)
    };
    let coverage: Vec<[bool; 2]> = (1..=MACHINES).into_par_iter().map(is_covered).collect();
    for constant in [0, 1] {
        let share = coverage.iter().filter(|covered| covered[constant]).count() as f64 / MACHINES as f64;
        assert!((0.63..=0.73).contains(&share), "constant {constant}: {share}");
    }
}

/// Runs `narrows fit` with these options on the small study that `narrows new` makes, changed to have a calibrated
/// claim, a constant to fit, and this `fit.toml`.
fn fit_small_study(name: &str, fit_toml: &str, options: &[&str]) -> (Output, Folder) {
    let folder = Folder::new(&format!("fit-{name}"));
    for (file, text) in scaffold::FILES {
        let role = "tolerance = 0.1\nrole = \"calibrated\"";
        let text = text.replacen("tolerance = 0.1", role, 1).replace(
            "[nodes.receiver]",
            "[fabric.myrinet]\nswitch-latency = \"5 us\"   # chosen: made up\n\n[nodes.receiver]",
        );
        fs::write(folder.0.join(file), text).expect("a file");
    }
    fs::write(folder.0.join("fit.toml"), fit_toml).expect("a file");
    (narrows(&[&["fit", folder.root()], options].concat()), folder)
}

const FIT_TOML: &str =
    "[fit]\nclaims = [\"latency-8K\"]\n\n[[fit.constant]]\nkey = \"fabric.myrinet.switch-latency\"\n";

#[test]
fn fitted_study_is_printed_as_json_and_written_to_its_description() {
    let (output, folder) = fit_small_study("written", FIT_TOML, &["--format", "json", "--write"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let constant = &json["constants"][0];
    assert_eq!((&constant["key"], &constant["before"]), (&FITTED_KEY.into(), &"5 us".into()));
    assert_eq!(constant["determined"], false, "one latency of 110 us does not determine that of a switch: {constant}");
    let residual = &json["residuals"][0];
    let (start_error, fitted_error) = (residual["before"].as_f64().expect("a number"), residual["after"].as_f64());
    assert!(
        fitted_error.expect("a number") < start_error,
        "the fit moves the latency from 120 us towards 110 us: {residual}"
    );
    let text = fs::read_to_string(folder.0.join("machine.toml")).expect("the description");
    let line = format!("switch-latency = \"{}\"", constant["after"].as_str().expect("a text"));
    assert!(text.contains(&line) && text.contains("# chosen: made up"), "{text}");
}

const FITTED_KEY: &str = "fabric.myrinet.switch-latency";

/// Checks that the state file of a fit belongs to what its claims compute, and not to how their file is laid out.
#[test]
fn state_of_a_study_is_refused_after_a_change_of_its_claims_and_not_of_a_comment() {
    let (output, folder) = fit_small_study("state", FIT_TOML, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let out = folder.path("out.json");
    let fit = || narrows(&["fit", folder.root(), "--out", &out]);
    assert_eq!(fit().status.code(), Some(0));
    let path = folder.0.join("claims.toml");
    let claims = fs::read_to_string(&path).expect("the claims");
    fs::write(&path, format!("# A comment moves every claim.\n{claims}")).expect("a file");
    let message = String::from_utf8_lossy(&fit().stderr).into_owned();
    assert!(message.contains(" 0 runs, "), "every run is stored: {message}");
    fs::write(&path, claims.replace("latency[pure-cut-through/8192]", "latency[pure-cut-through/8192] * 2"))
        .expect("a file");
    let message = String::from_utf8_lossy(&fit().stderr).into_owned();
    assert!(message.contains("is the state of another fit, which differs in the description"), "{message}");
}

#[test]
fn number_left_out_of_the_fit_is_predicted_without_it() {
    let (output, _folder) = fit_small_study("held-out", FIT_TOML, &["--cross-validate", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let number_of = |key: &str| json[0][key].as_f64().expect("a number");
    assert_eq!((json[0]["claim"].as_str(), json.as_array().map(Vec::len)), (Some("latency-8K"), Some(1)));
    let [expected, fitted, predicted] = ["expected", "fitted", "predicted"].map(number_of);
    assert!(expected < fitted && fitted < predicted, "no other number determines the constant: {json}");
    let (output, _folder) = fit_small_study("held-out-text", FIT_TOML, &["--cross-validate"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("of 1 numbers are within 10 % when their row is left out"), "{text}");
}

#[test]
fn cross_validation_resumes_with_the_same_bytes_and_refuses_the_state_of_another() {
    let (output, folder) = fit_small_study("held-out-resumed", FIT_TOML, &["--cross-validate"]);
    let uninterrupted = output.stdout;
    let out = folder.0.join("held-out.txt");
    let state = folder.0.join("held-out.txt.fit");
    let resume = || narrows(&["fit", folder.root(), "--cross-validate", "--out", &out.to_string_lossy()]);
    let first = resume();
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    let stored = fs::read(&state).expect("a state file");
    let second = resume();
    let message = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(message.contains("Fit 1 of 2: on all numbers."), "{message}");
    assert!(message.contains(" 0 runs, ") && message.contains(" stored before"), "every run is stored: {message}");
    assert_eq!(fs::read(&out).expect("the result"), uninterrupted);
    assert_eq!(fs::read(&state).expect("a state file"), stored, "nothing is run again");
    fs::write(folder.0.join("fit.toml"), FIT_TOML.replacen("[fit]", "[fit]\nnoise = 0.02", 1)).expect("a file");
    let message = String::from_utf8_lossy(&resume().stderr).into_owned();
    assert!(message.contains("is the state of another fit, which differs in"), "{message}");
}

#[test]
fn stored_cross_validation_is_on_the_page_of_its_study_and_names_its_claims() {
    let (output, folder) = fit_small_study("held-out-stored", FIT_TOML, &["--cross-validate", "--write"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let path = folder.0.join("cross-validation.toml");
    let stored = fs::read_to_string(&path).expect("the predictions");
    assert!(stored.contains("claim = \"latency-8K\"\nleft-out = \"latency-8K\"\nfitted = "), "{stored}");
    let reproduce = || narrows(&["reproduce", folder.root(), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&reproduce().stdout).expect("JSON");
    let artifacts = json["artifacts"].as_array().expect("a list");
    let row = artifacts
        .iter()
        .find(|artifact| artifact["id"] == "cross-validation")
        .expect("the page shows the cross-validation");
    assert_eq!(row["rows"][0][0], "latency-8K", "{row}");
    fs::write(&path, stored.replace("claim = \"latency-8K\"", "claim = \"faster\"")).expect("a file");
    let message = String::from_utf8_lossy(&reproduce().stderr).into_owned();
    assert!(message.contains("the cross-validation has no prediction of `latency-8K`"), "{message}");
    fs::write(&path, stored.replace("latency-8K", "latency-9K")).expect("a file");
    let message = String::from_utf8_lossy(&reproduce().stderr).into_owned();
    assert!(message.contains("there is no claim `latency-9K`"), "{message}");
}

#[test]
fn errors_in_fit_toml_have_their_line() {
    let errors: [(&str, &str, &[&str]); 7] = [
        ("[fit]", "[fit]\nnoise = 0.0", &["fit.toml:2:", "a noise of 0"]),
        ("switch-latency\"", "switch-latency\"\nprior = 0.0", &["fit.toml:6:", "a prior of 0", "above 0"]),
        ("latency-8K", "latency-9K", &["fit.toml:2:", "no claim `latency-9K`", "did you mean `latency-8K`?"]),
        ("latency-8K", "faster", &["fit.toml:2:", "`faster` is not a number"]),
        ("switch-latency", "switch-latence", &["fit.toml:5:", "no constant", "did you mean"]),
        ("switch-latency\"", "switch-latency\"\nstart = \"5\"", &["fit.toml:6:", "`5` is not a value"]),
        (
            "switch-latency\"",
            "switch-latency\"\nbounds = [\"6 us\", \"7 us\"]",
            &["fit.toml:5:", "outside its bounds", "5 us must lie between 6 us and 7 us"],
        ),
    ];
    for (number, (from, to, expected)) in errors.iter().enumerate() {
        assert!(FIT_TOML.contains(from), "{from}");
        let (output, _folder) = fit_small_study(&format!("error-{number}"), &FIT_TOML.replacen(from, to, 1), &[]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{to}: {stderr}");
        assert!(expected.iter().all(|words| stderr.contains(words)), "{to}: {stderr}");
    }
}

/// Checks that every constant that a paper's `fit.toml` fits has the source `calibrated` in its description, and that
/// no other constant has.
#[test]
fn fitted_constants_are_marked_calibrated() {
    for paper in ["trapeze", "mukherjee-hill"] {
        let located = find(paper, &builtins(Registry::shared())).unwrap_or_else(|problems| panic!("{problems}"));
        let calibrated = constants(&located);
        let plan = located.read.value.fit.as_ref().expect("the paper has a fit.toml");
        for constant in &plan.constants {
            let key = &constant.key.text;
            let is_calibrated = calibrated.iter().any(|constant| key_matches(key, &constant.path));
            assert!(is_calibrated, "{paper}: {key} is not marked as calibrated");
        }
        let is_fitted = |path: &str| plan.constants.iter().any(|constant| key_matches(&constant.key.text, path));
        let unexplained: Vec<&str> =
            calibrated.iter().map(|constant| constant.path.as_str()).filter(|path| !is_fitted(path)).collect();
        assert!(unexplained.is_empty(), "{paper}: calibrated, but not by its fit.toml: {unexplained:?}");
    }
}
