//! Tests of `narrows fit` on measured curves: progress, curves that cannot be reached, runs that do not complete, and
//! fits that are interrupted and resumed.

use super::{LATENCY, MACHINE, RATE};
use crate::common::cli::{Folder, command, interrupt, interruptible, narrows, stderr};
use serde_json::Value as Json;
use std::fs;
use std::process::{Output, Stdio};
use std::time::Duration;

/// A measured curve with a latency of nearly 2.6 µs and a rate of 16 MB/s.
const CURVE: &str = "size [B], latency [us]\n16, 6.9\n128, 16.6\n512, 48.7\n2048, 177.1\n";
/// A measured curve that no rate fits: it is far too high at large sizes, and equals the machine's at small ones.
const UNREACHABLE_CURVE: &str = "size [B], latency [us]\n16, 5.2\n32, 6.2\n512, 400\n2048, 1600\n";

/// Returns a folder with a description, changed by one replacement, and a measured curve.
fn folder(name: &str, curve: &str, (from, to): (&str, &str)) -> Folder {
    let folder = Folder::new(&format!("fit-{name}"));
    assert!(MACHINE.contains(from));
    fs::write(folder.0.join("machine.toml"), MACHINE.replacen(from, to, 1)).expect("a file");
    fs::write(folder.0.join("curve.csv"), curve).expect("a file");
    folder
}

/// Returns the arguments of a fit of these constants.
fn arguments(folder: &Folder, constants: &[&str], options: &[&str]) -> Vec<String> {
    let mut all_arguments =
        vec!["fit".to_owned(), folder.path("machine.toml"), "--measured".to_owned(), folder.path("curve.csv")];
    all_arguments.extend(constants.iter().flat_map(|key| ["--constant".to_owned(), (*key).to_owned()]));
    all_arguments.extend(options.iter().map(|option| (*option).to_owned()));
    all_arguments
}

fn fit(folder: &Folder, constants: &[&str], options: &[&str]) -> Output {
    let all_arguments = arguments(folder, constants, options);
    narrows(&all_arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

fn json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

#[test]
fn fit_reports_progress_on_standard_error_and_does_not_depend_on_jobs() {
    let folder = folder("jobs", CURVE, ("", ""));
    let fit = |jobs: &str| fit(&folder, &[LATENCY, RATE], &["--format=json", "--jobs", jobs]);
    let (with_one_job, with_three_jobs) = (fit("1"), fit("3"));
    assert_eq!(with_one_job.status.code(), Some(0), "{}", stderr(&with_one_job));
    assert_eq!(with_one_job.stdout, with_three_jobs.stdout);
    let result = json(&with_one_job);
    assert_eq!(result["reached"], true, "{result}");
    let correlation = result["correlation"][0][1].as_f64().expect("a number");
    assert!((0.05..1.0).contains(&correlation), "a longer delay goes with a higher rate: {correlation}");
    let progress = stderr(&with_one_job);
    assert!(progress.contains("starting values: error ") && progress.contains(" rms, largest −"), "{progress}");
    assert!(progress.contains(" steps, ") && progress.contains("Without --out no run is stored"), "{progress}");
}

#[test]
fn curve_that_cannot_be_reached_is_a_failed_fit() {
    let folder = folder("bent", UNREACHABLE_CURVE, ("", ""));
    let text_before = fs::read_to_string(folder.0.join("machine.toml")).expect("a file");
    let output = fit(&folder, &[RATE], &["--write"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("The fit failed: ") && text.contains(" of 4 numbers are not reached."), "{text}");
    assert!(text.contains("latency of 16 B to latency of 32 B (2 numbers): error +"), "{text}");
    assert!(text.contains("tolerance 9 %"), "{text}");
    assert_eq!(fs::read_to_string(folder.0.join("machine.toml")).expect("a file"), text_before);
    // A tolerance that allows these errors makes the fit succeed.
    let output = fit(&folder, &[RATE], &["--tolerance", "900"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn constant_at_its_bound_is_named() {
    let folder = folder("bound", "size [B], latency [us]\n16, 900\n128, 910\n", ("", ""));
    let output = fit(&folder, &["messaging.send"], &["--prior", "1000"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("At a bound: `messaging.send` is at its upper bound 10000."), "{text}");
    assert!(text.contains("(at its upper bound 10000)") || text.contains("; at its upper bound 10000)"), "{text}");
    assert!(text.contains("latency of 16 B to latency of 128 B (2 numbers): error −"), "{text}");
}

#[test]
fn runs_that_do_not_complete_are_named_and_not_compared() {
    // The time limit cuts off the largest size at the starting values.
    let limit = ("[workload.ping-pong]", "[run]\ntime-limit = \"250 us\"\n[workload.ping-pong]");
    let folder = folder("limit", CURVE, limit);
    let output = fit(&folder, &[RATE], &["--set=fabric.ideal.rate=20 MB/s"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains("latency of 2048 B (time-limit)") && !message.contains("latency of 512 B"), "{message}");
    // From a rate at which the run completes, the solver tries lower rates at which it does not.
    let output = fit(&folder, &[RATE], &["--set=fabric.ideal.rate=40 MB/s", "--prior=1000", "--format=json"]);
    let result = json(&output);
    let name_and_reason = |incomplete: &Json| (incomplete["name"].clone(), incomplete["reason"].clone());
    let incomplete: Vec<_> = result["incomplete"].as_array().expect("a list").iter().map(name_and_reason).collect();
    assert!(incomplete.contains(&("latency of 2048 B".into(), "time-limit".into())), "{result}");
    for residual in result["residuals"].as_array().expect("a list") {
        assert_eq!(residual["missing"].is_null(), residual["after"].is_f64(), "{residual}");
    }
}

/// Replacements in the description that make runs long enough to kill a fit, and to stop one before its end.
const LONG_RUNS: (&str, &str) = ("messages = 1\n", "messages = 20\n");
const VERY_LONG_RUNS: (&str, &str) = ("messages = 1\n", "messages = 400\n");

#[test]
fn fit_killed_at_any_moment_resumes_to_the_same_bytes() {
    let folder = folder("killed", CURVE, LONG_RUNS);
    let (complete_path, out_path) = (folder.path("whole.json"), folder.path("out.json"));
    let output = fit(&folder, &[LATENCY, RATE], &["--out", &complete_path]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(output.stdout.is_empty() && stderr(&output).contains("2 constants on 4 numbers."), "{}", stderr(&output));
    let expected = fs::read(&complete_path).expect("a result");
    let all_arguments = arguments(&folder, &[LATENCY, RATE], &["--out", &out_path]);
    for _ in 0..3 {
        let mut child = spawn_fit(&all_arguments);
        while !fs::exists(format!("{out_path}.fit")).expect("a folder") {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().expect("a child to kill");
        child.wait().expect("a child");
        let state = fs::read_to_string(format!("{out_path}.fit")).expect("a state");
        assert!(serde_json::from_str::<Json>(&state).is_ok(), "{state}");
        let resumed = fit(&folder, &[LATENCY, RATE], &["--out", &out_path]);
        assert_eq!(resumed.status.code(), Some(0), "{}", stderr(&resumed));
        assert!(stderr(&resumed).contains(" stored before"), "{}", stderr(&resumed));
        assert_eq!(fs::read(&out_path).expect("a result"), expected);
        fs::remove_file(format!("{out_path}.fit")).expect("a state");
    }
    // If a finished fit is repeated, nothing is run.
    let repeated = fit(&folder, &[LATENCY, RATE], &["--out", &complete_path]);
    assert!(stderr(&repeated).contains(" 0 runs, "), "{}", stderr(&repeated));
    assert_eq!(fs::read(&complete_path).expect("a result"), expected);
}

fn spawn_fit(all_arguments: &[String]) -> std::process::Child {
    let arguments: Vec<&str> = all_arguments.iter().map(String::as_str).collect();
    command(&arguments).stderr(Stdio::null()).spawn().expect("the program starts")
}

#[cfg(unix)]
#[test]
fn ctrl_c_prints_the_best_values_so_far() {
    let folder = folder("stopped", CURVE, VERY_LONG_RUNS);
    let out = folder.path("out.json");
    let all_arguments = arguments(&folder, &[LATENCY, RATE], &["--jobs=1", "--out", &out]);
    let arguments: Vec<&str> = all_arguments.iter().map(String::as_str).collect();
    let child = interruptible(&arguments).stderr(Stdio::piped()).spawn().expect("the program starts");
    while !fs::exists(format!("{out}.fit")).expect("a folder") {
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = interrupt(child);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("The fit was stopped: 2 constants on 4 numbers, the best values so far."), "{message}");
    assert!(message.contains("the same command resumes from there."), "{message}");
    let best_constants: Json = serde_json::from_slice(&fs::read(&out).expect("a result")).expect("JSON");
    assert_eq!((&best_constants["stopped"], &best_constants["converged"]), (&true.into(), &false.into()));
    assert!(best_constants["residuals"][3]["after"].is_f64(), "{best_constants}");
}

#[test]
fn state_of_another_fit_is_refused() {
    let folder = folder("other", CURVE, ("", ""));
    let out = folder.path("out.json");
    let fit = |options: &[&str]| fit(&folder, &[RATE], &[&["--out", &out], options].concat());
    assert_eq!(fit(&["--tolerance=900"]).status.code(), Some(0));
    let state = format!("{out}.fit");
    let assert_refused = |output: Output, reason: &str| {
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains("out.json.fit`") && stderr(&output).contains(reason), "{}", stderr(&output));
        assert!(stderr(&output).contains("remove the file"), "{}", stderr(&output));
    };
    assert_refused(
        fit(&["--noise=5"]),
        "is the state of another fit, which differs in the constants, their priors or the noise",
    );
    assert_refused(fit(&["--set=messaging.receive=120"]), "which differs in the description");
    fs::write(folder.0.join("curve.csv"), CURVE.replace("16.6", "16.7")).expect("a file");
    assert_refused(fit(&[]), "is the state of another fit, which differs in the numbers that are fitted on");
    fs::write(folder.0.join("curve.csv"), CURVE).expect("a file");
    // Neither the tolerance nor the number of jobs changes the fit.
    assert_eq!(fit(&["--tolerance=800", "--jobs=1"]).status.code(), Some(0));
    let text = fs::read_to_string(&state).expect("a state");
    fs::write(&state, text.replacen("Ok\":1", "Ok\":2", 1)).expect("a file");
    assert_refused(fit(&[]), "is damaged");
    fs::write(&state, "{}").expect("a file");
    assert_refused(fit(&[]), "is not the state of a fit");
}
