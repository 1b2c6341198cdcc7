//! Checks the test for an initial transient: a warm-up that is too short is reported, and a steady run is not. README,
//! notebook and example must agree on the results of one machine.

use crate::common::cli::{as_json, run_ok, stderr, stdout};
use narrows::engine::Recorder;
use narrows::experiment::{RunResult, run};
use narrows::machine;
use narrows::text::Document;
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

/// Interfaces of the memory bus whose queues the processor caches.
const CACHED_INTERFACES: [&str; 4] = ["startjr", "cni512q", "cni32qm", "cni32qm-throttle"];
/// The other interfaces of the memory bus.
const UNCACHED_INTERFACES: [&str; 5] = ["ni2w", "udma", "ap3000", "memory-channel", "single-cycle"];

/// Runs a workload on two nodes with a memory bus, whose interfaces are `interface`.
fn run_pair(interface: &str, workload: &str) -> RunResult {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/{interface}\", \"protocols/return-to-sender-1998\", \
         \"fabrics/ideal-1998\"]\nnodes.a.host = \"memory-bus-1998\"\nnodes.b.host = \"memory-bus-1998\"\n{workload}\n"
    );
    let read = machine::read(Document::Text("pair", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&read.value, Recorder::off())
}

fn run_ping_pong(interface: &str, payload: u64, messages: u64, settings: &str) -> RunResult {
    run_pair(interface, &format!("[workload.ping-pong]\npayload = \"{payload} B\"\nmessages = {messages}\n{settings}"))
}

/// Returns whether an initial transient was reported. Panics if the test was not made.
fn is_reported(result: &RunResult) -> bool {
    let check = result.warm_up.as_ref().unwrap_or_else(|| panic!("{:?}: no test", result.outcome));
    check.test.is_transient().unwrap_or_else(|| panic!("too few values"))
}

fn finding(result: &RunResult) -> Option<String> {
    result.warm_up.as_ref().and_then(|check| check.finding())
}

fn latency(result: &RunResult) -> f64 {
    result.metric("message.latency_one_way").expect("the metric exists")
}

#[test]
fn fewer_than_one_steady_run_in_twenty_is_reported() {
    // The open loops run at a third and at two thirds of the load that the interface accepts, after the default
    // warm-up.
    let service_us = 0.2;
    let run_open_loop = |load: f64, seed: u64| {
        let interval = service_us / load;
        let workload = format!(
            "run.seed = {seed}\n[workload.stream]\npayload = \"64 B\"\nmessages = 400\n\
             arrivals.poisson.interval = \"{interval:.3} us\""
        );
        run_pair("single-cycle", &workload)
    };
    let run_mesh = |seed: u64| {
        let text = format!(
            "fabric.mesh = {{ shape = [4, 4] }}\nfabric.router = {{ virtual-channels = 2, buffer-flits = 4 }}\n\
             run.seed = {seed}\n[workload.offered]\nload = 0.3\nwarm-up = 500\ncycles = 1500\n"
        );
        let read = machine::read(Document::Text("mesh", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
        run(&read.value, Recorder::off())
    };
    let runs =
        (0..80).flat_map(|seed| [run_open_loop(0.33, seed), run_open_loop(0.66, seed)]).chain((0..40).map(run_mesh));
    let reports: Vec<bool> = runs.map(|result| is_reported(&result)).collect();
    assert_eq!(reports.len(), 200);
    let report_count = reports.iter().filter(|is_reported| **is_reported).count();
    assert!(report_count < 10, "{report_count} of 200 steady runs are reported");
}

#[test]
fn the_default_warm_up_is_enough_for_every_interface_of_the_memory_bus() {
    for interface in CACHED_INTERFACES.into_iter().chain(UNCACHED_INTERFACES) {
        for payload in [8, 64, 248, 1_024] {
            let result = run_ping_pong(interface, payload, 60, "");
            assert_eq!(finding(&result), None, "{interface}, {payload} B");
        }
    }
}

#[test]
fn a_stream_whose_cached_queue_fills_late_is_reported_until_its_warm_up_is_longer() {
    let stream = |interface: &str, warm_up: u64| {
        let workload = format!("[workload.stream]\npayload = \"64 B\"\nmessages = 200\nwarm-up = {warm_up}");
        finding(&run_pair(interface, &workload))
    };
    let finding_text = stream("startjr", 300).expect("the queue is full after 344 messages");
    assert!(finding_text.ends_with("Increase `workload.stream.warm-up` (now 300)."), "{finding_text}");
    for interface in CACHED_INTERFACES.into_iter().chain(UNCACHED_INTERFACES) {
        assert_eq!(stream(interface, 1_200), None, "{interface}");
    }
}

#[test]
fn at_least_nineteen_in_twenty_cold_runs_on_caches_are_reported() {
    let (mut cold_count, mut reported_count, mut unreported) = (0, 0, Vec::new());
    for interface in CACHED_INTERFACES {
        for payload in [8, 32, 64, 128, 248] {
            let warm_latency = latency(&run_ping_pong(interface, payload, 60, ""));
            for messages in [20, 50, 100, 150, 200, 300] {
                let result = run_ping_pong(interface, payload, messages, "warm-up = 0");
                // The bound is twice the bias below which the test reports nothing.
                if (latency(&result) / warm_latency - 1.0).abs() < 0.01 {
                    continue;
                }
                cold_count += 1;
                match is_reported(&result) {
                    true => reported_count += 1,
                    false => unreported.push((interface, payload, messages)),
                }
            }
        }
    }
    assert!(cold_count >= 100, "{cold_count}");
    assert!(20 * reported_count >= 19 * cold_count, "{reported_count} of {cold_count}; not {unreported:?}");
}

#[test]
fn a_closed_loop_whose_queue_fills_and_empties_is_steady_after_its_warm_up() {
    let stream = |settings: &str| {
        let setting = format!("--set=workload.stream.messages=200{settings}");
        as_json(&[&["run", "shared-receiver"][..], &setting.split(' ').collect::<Vec<_>>()].concat())
    };
    let (warm, cold) = (stream(""), stream(" --set=workload.stream.warm-up=0"));
    assert_eq!(warm["warm_up"]["initial_transient"], false, "{}", warm["warm_up"]);
    assert_eq!(cold["warm_up"]["initial_transient"], true, "{}", cold["warm_up"]);
}

#[test]
fn text_json_and_table_report_a_transient_and_name_the_key() {
    let cold = ["run", "memory-bus", "--set=workload.ping-pong.warm-up=0", "--no-host"];
    let text = stdout(&cold);
    let line = text.lines().find(|line| line.starts_with("Initial transient: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.ends_with(". Increase `workload.ping-pong.warm-up` (now 0)."), "{line}");
    let check = as_json(&cold)["warm_up"].clone();
    assert_eq!(check["finding"], line);
    assert_eq!(
        [&check["key"], &check["metric"], &check["unit"]],
        ["workload.ping-pong.warm-up", "message.latency_one_way", "us"]
    );
    assert_eq!((&check["value"], &check["initial_transient"]), (&Json::from(0), &Json::from(true)));
    let mean = |name: &str| check[name].as_f64().expect("the value is a number");
    assert!(mean("mean_of_first") > 1.1 * mean("mean_of_rest"), "{check}");
    let warm = as_json(&["run", "memory-bus"])["warm_up"].clone();
    let steady = serde_json::json!({
        "key": "workload.ping-pong.warm-up", "value": 300, "metric": "message.latency_one_way", "initial_transient": false,
    });
    assert_eq!(warm, steady);

    let sweep = ["sweep", "memory-bus", "--vary=workload.ping-pong.warm-up=0,300", "--metric=round_trip.latency"];
    let output = run_ok(&sweep);
    let message = stderr(&output);
    assert!(
        message.contains("1 of 2 runs have an initial transient: increase `workload.ping-pong.warm-up`."),
        "{message}"
    );
    let table = String::from_utf8(output.stdout).expect("the text is UTF-8");
    let outcomes: Vec<bool> = table.lines().skip(2).map(|row| row.contains("done, transient")).collect();
    assert_eq!(outcomes, [true, false], "{table}");
    let rows = stdout(&[&sweep[..], &["--format=csv"]].concat());
    let cells: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    let column = cells[0].iter().position(|name| *name == "initial_transient").unwrap_or_else(|| panic!("{rows}"));
    assert_eq!([cells[1][column], cells[2][column]], ["1", "0"], "{rows}");
}

#[test]
fn runs_without_a_steady_state_have_no_warm_up() {
    let cut_off_run = run_pair("ni2w", "run.time-limit = \"1 us\"\n[workload.ping-pong]\npayload = \"64 B\"");
    assert_eq!(cut_off_run.warm_up, None, "{:?}", cut_off_run.outcome);
    let short_run = run_ping_pong("ni2w", 64, 4, "warm-up = 0");
    assert_eq!(short_run.warm_up.expect("the transient is tested").test.is_transient(), None);
    assert_eq!(as_json(&["run", "replay-mesh"])["warm_up"], Json::Null);
}

#[test]
fn every_workload_excludes_its_warm_up() {
    for (workload, packets_sent) in [
        ("ping-pong]\npayload = \"64 B\"\nmessages = 20\nwarm-up = 30", 100.0),
        ("stream]\npayload = \"64 B\"\nmessages = 20\nwarm-up = 30", 50.0),
        ("page-fetch]\npage = \"64 B\"\nfaults = 20\nwarm-up = 30", 100.0),
    ] {
        let result = run_pair("cni512q", &format!("[workload.{workload}"));
        assert_eq!(result.metric("messages.sent"), Some(packets_sent), "{workload}");
        assert_eq!(result.warm_up.expect("the transient is tested").value, 30, "{workload}");
    }
    let fetch_latency = |settings: &str| {
        run_pair("cni512q", &format!("[workload.page-fetch]\npage = \"200 B\"\nfaults = 20\n{settings}"))
            .metric("fetch.latency")
    };
    assert!(
        fetch_latency("") < fetch_latency("warm-up = 0"),
        "{:?}, {:?}",
        fetch_latency(""),
        fetch_latency("warm-up = 0")
    );
}

/// Returns the text of a file of the project.
fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the file of the project can be read")
}

/// Returns the arguments of the first command line in `text` that begins with `command`, and the output that follows
/// it.
fn shown_command<'t>(text: &'t str, command: &str) -> (Vec<String>, &'t str) {
    let start = text.find(command).unwrap_or_else(|| panic!("`{command}` is not shown"));
    let (line, shown_output) = text[start..].split_once('\n').expect("the command has an output");
    let arguments = shlex::split(line).expect("the command line is valid").split_off(1);
    let end = ["\n\n", "\n```"].iter().filter_map(|end| shown_output.find(end)).min().expect("the output ends");
    (arguments, &shown_output[..end])
}

#[test]
fn readme_notebook_and_example_agree_to_the_last_digit() {
    let readme = file("README.md");
    let (arguments, table) = shown_command(&readme, "narrows sweep pcie-messages");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert_eq!(stdout(&arguments).trim_end(), table);
    let run = |interface: &str, payload: &str| {
        let overrides = [format!("--set=ni={interface}"), format!("--set=workload.ping-pong.payload={payload}")];
        let result = as_json(&["run", "memory-bus", &overrides[0], &overrides[1]]);
        assert_eq!(result["warm_up"]["initial_transient"], false, "{interface}, {payload}");
        result["metrics"]["message.latency_one_way"]["value"].as_f64().expect("the value is a number")
    };
    // The README's sensitivity analysis is of a run in a steady state, and begins with the latency of that run.
    let (arguments, _) = shown_command(&readme, "narrows whatif pcie-messages");
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments[0] = "run";
    let result = as_json(&arguments);
    assert_eq!(result["warm_up"]["initial_transient"], false, "{arguments:?}");
    let latency = result["metrics"]["message.latency_one_way"]["value"].as_f64().expect("the value is a number");
    assert!(readme.contains(&format!("\nmessage.latency_one_way is {latency:.3} µs; less is better\n")));
    let notebook: Json = serde_json::from_str(&file("docs/question.ipynb")).expect("the text is JSON");
    let cells = notebook["cells"].as_array().expect("the cells are a list").iter();
    let outputs = cells.flat_map(|cell| cell["outputs"].as_array().into_iter().flatten());
    let lines: Vec<&str> =
        outputs.flat_map(|output| output["text"].as_array().into_iter().flatten()).filter_map(Json::as_str).collect();
    let mut compared_rows = 0;
    for words in lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>()) {
        let [size, "B", first, slow, "us", second, fast, "us", ..] = words[..] else { continue };
        let payload = format!("{size} B");
        let latencies = [run(first, &payload), run(second, &payload)].map(|latency| format!("{latency:.3}"));
        assert_eq!(latencies, [slow, fast], "{payload}");
        compared_rows += 1;
    }
    assert_eq!(compared_rows, 6, "{lines:?}");
}

#[test]
fn documentation_shows_the_output_of_a_cold_run() {
    let page = file("docs/measurements.md");
    let (arguments, shown_output) = shown_command(&page, "narrows run memory-bus --set workload.ping-pong.warm-up=0");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (text, finding) = (stdout(&arguments), shown_output.lines().last().expect("the output has a last line"));
    assert!(text.lines().any(|line| line == finding), "{finding}\n{text}");
}
