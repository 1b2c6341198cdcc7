//! Checks runs that did not complete: the outcome and its reason are reported first, and such runs are never compared
//! with others as if they had completed.

use crate::common::cli::{Folder, as_json, json, narrows, stderr, stdout};
use serde_json::Value as Json;
use std::fs;
use std::process::Output;

mod files;

/// A receiver that never polls, so that the watchdog drops the packets that its buffers do not hold.
const NEVER_POLLING: &str = "--set=workload.stream.never-poll=true";
/// A receiver that never polls on a network that drops nothing.
const DEADLOCKING: [&str; 2] = [NEVER_POLLING, "--set=fabric.myrinet.watchdog=1000 s"];

/// A stream on a memory bus; its messages take 1.3 µs each.
const STREAM: &str = "parts = [\"hosts/memory-bus-1998\", \"ni/ni2w\", \"fabrics/ideal-1998\"]\n\
                      [workload.stream]\npayload = \"64 B\"\nmessages = 50\n";

/// Writes a description into a folder, and returns its path.
fn write_description(folder: &Folder, text: &str) -> String {
    let path = folder.path("machine.toml");
    fs::write(&path, text).expect("the file can be written");
    path
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn parse_json(output: &Output) -> Json {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}

/// Returns the value of a metric, which is null if it was not measured.
fn value<'a>(result: &'a Json, metric: &str) -> &'a Json {
    let metric_value = &result["metrics"][metric];
    assert!(metric_value.is_object(), "{metric}: {result}");
    &metric_value["value"]
}

#[test]
fn lost_messages_are_the_first_line_and_only_counts_are_kept() {
    let output = narrows(&["run", "stream", NEVER_POLLING, "--no-host"]);
    assert_eq!(output.status.code(), Some(3));
    let text = output_text(&output);
    let first_line = text.lines().next().expect("the text has a line");
    assert!(first_line.starts_with("examples/stream.toml: loss: 736 of 800 messages were lost"), "{first_line}");
    assert!(stderr(&output).contains("The run ended in a loss: 736 of 800"), "{}", stderr(&output));
    for absent_text in ["ottleneck", "Mean over", "so far"] {
        assert!(!text.contains(absent_text), "{absent_text}: {text}");
    }
    let result = parse_json(&narrows(&["run", "stream", NEVER_POLLING, "--format=json"]));
    assert_eq!((&result["outcome"], &result["candidate"]), (&"loss".into(), &Json::Null));
    assert!(result["reason"].as_str().is_some_and(|reason| reason.contains("are not retransmitted")), "{result}");
    let measured = ["message.bandwidth", "message.latency_one_way", "message.latency_one_way_p99"];
    assert!(measured.iter().all(|name| value(&result, name).is_null()), "{result}");
    let counts = ["messages.sent", "messages.delivered", "messages.dropped"].map(|name| value(&result, name).as_f64());
    assert_eq!(counts, [Some(800.0), Some(64.0), Some(736.0)]);
    assert_eq!(result["metrics"]["messages.sent"]["so_far"], Json::Null, "the run was not cut off");
    assert_eq!(result["ledger"]["messages"], 0, "{result}");
}

#[test]
fn deadlock_and_time_limit_are_the_first_line_with_the_chain_of_waits() {
    for (overrides, outcome, reason) in [
        (&DEADLOCKING[..], "deadlock", " waits for "),
        (&["--set=run.time-limit=1 ms"][..], "time-limit", "the run reached `run.time-limit`; "),
    ] {
        let output = narrows(&[&["run", "stream", "--no-host"], overrides].concat());
        assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
        let text = output_text(&output);
        let first_line = text.lines().next().expect("the text has a line");
        let start = format!("examples/stream.toml: {outcome}: ");
        assert!(first_line.starts_with(&start) && first_line.contains(reason), "{first_line}");
        assert!(text.contains(" so far\n") && !text.contains("ottleneck"), "{text}");
        let result = parse_json(&narrows(&[&["run", "stream", "--format=json"], overrides].concat()));
        assert_eq!(result["outcome"], outcome);
        assert!(result["reason"].as_str().is_some_and(|text| first_line.ends_with(text)), "{result}");
        assert!(value(&result, "message.bandwidth").is_null(), "{result}");
        assert_eq!(result["metrics"]["messages.sent"]["so_far"], true);
        assert_eq!(result["metrics"]["message.bandwidth"]["so_far"], Json::Null);
    }
}

#[test]
fn rows_of_a_sweep_have_outcome_and_reason_and_no_measurement() {
    let sweep = |format: &str| narrows(&["sweep", "stream", "--vary=workload.stream.never-poll=false,true", format]);
    let output = sweep("--format=json");
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("The point workload.stream.never-poll=true ended in a loss: 736 of"),
        "{}",
        stderr(&output)
    );
    let points = &parse_json(&output)["points"];
    assert_eq!((&points[0]["outcome"], &points[0]["reason"]), (&"done".into(), &Json::Null));
    assert_eq!(points[1]["outcome"], "loss");
    assert!(points[1]["reason"].as_str().is_some_and(|reason| reason.starts_with("736 of 800")), "{points}");
    assert!(value(&points[0], "message.bandwidth").is_f64() && value(&points[1], "message.bandwidth").is_null());
    let csv = output_text(&sweep("--format=csv"));
    let rows: Vec<Vec<&str>> = csv.lines().map(|row| row.split(',').collect()).collect();
    assert_eq!(rows[0][1..4], ["outcome", "reason", "message_bandwidth_B_per_s"]);
    assert_eq!((rows[1][1], rows[1][2], rows[2][1]), ("done", "", "loss"));
    assert!(!rows[1][3].is_empty() && rows[2].contains(&"736"), "{csv}");
    let sweep_output = output_text(&narrows(&["sweep", "stream", "--vary=run.seed=1,2", "--format=csv"]));
    assert!(!sweep_output.contains("reason"), "a table of completed runs has no reasons: {sweep_output}");
}

#[test]
fn pages_name_the_runs_that_did_not_complete_first() {
    let folder = Folder::new("page");
    let (run, sweep, page) = (folder.path("run.json"), folder.path("sweep.csv"), folder.path("page.html"));
    fs::write(&run, narrows(&["run", "stream", NEVER_POLLING, "--format=json"]).stdout)
        .expect("the file can be written");
    narrows(&["sweep", "stream", "--vary=workload.stream.never-poll=false,true", "--out", &sweep]);
    stdout(&["report", &run, &sweep, "--out", &page]);
    let page = fs::read_to_string(&page).expect("the page can be read");
    let position_of = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(position_of("loss: 736 of 800 messages were lost") < position_of("<table>"));
    assert!(position_of("run: loss: 736 of 800 messages were lost") < position_of("<figure"));
    assert!(position_of("sweep: 1 of 2 points have an outcome other than done") < position_of("<figure"));
    assert!(!page.contains("ottleneck"), "no bottleneck is stated");
}

#[test]
fn results_that_did_not_complete_are_not_compared() {
    let folder = Folder::new("compare");
    let [a, b, c] = ["a.json", "b.json", "c.json"].map(|name| folder.path(name));
    fs::write(&a, stdout(&["run", "stream", "--format=json"])).expect("the file can be written");
    fs::write(&b, narrows(&["run", "stream", NEVER_POLLING, "--format=json"]).stdout).expect("the file can be written");
    let text = stdout(&["compare", &a, &b]);
    assert!(text.starts_with("B ended in a loss: 736 of 800"), "{text}");
    assert!(!text.contains("message.bandwidth") && text.contains("workload.stream.never_poll"), "{text}");
    let comparison = as_json(&["compare", &a, &b]);
    assert_eq!((&comparison["metrics"], &comparison["outcomes"]["a"]), (&serde_json::json!({}), &"done".into()));
    // In a saturated run, rates are compared, but latencies only grow.
    let load =
        |load: &str| stdout(&["run", "offered-load", &format!("--set=workload.offered.load={load}"), "--format=json"]);
    fs::write(&b, load("0.2")).expect("the file can be written");
    fs::write(&c, load("1.0")).expect("the file can be written");
    let text = stdout(&["compare", &b, &c]);
    assert!(text.starts_with("B is saturated.") && text.contains("offered.accepted"), "{text}");
    assert!(!text.contains("offered.latency"), "{text}");
    assert!(stdout(&["compare", &c, &c]).contains("The results are the same."));
}

#[test]
fn results_are_the_same_only_if_hash_and_contents_agree() {
    let folder = Folder::new("hash");
    let [a, b] = ["a.json", "b.json"].map(|name| folder.path(name));
    let text = stdout(&["run", "stream", "--set=workload.stream.messages=50", "--format=json", "--no-host"]);
    fs::write(&a, &text).expect("the file can be written");
    let result: Json = serde_json::from_str(&text).expect("the text is JSON");
    let bandwidth = value(&result, "message.bandwidth").to_string();
    fs::write(&b, text.replacen(&bandwidth, "999.0", 1)).expect("the file can be written");
    let output = narrows(&["compare", &a, &b]);
    assert!(!output_text(&output).contains("The results are the same."), "{}", output_text(&output));
    assert!(stderr(&output).contains("its hash does not match"), "{}", stderr(&output));
    assert_eq!(as_json(&["compare", &a, &b])["same"], false);
    assert_eq!(as_json(&["compare", &a, &a])["same"], true);
}

#[test]
fn search_does_not_compare_runs_that_were_cut_off() {
    let folder = Folder::new("find");
    let machine = write_description(&folder, &format!("{STREAM}[run]\ntime-limit = \"100 us\"\n"));
    let search_over = |range: &str| format!("workload.stream.payload={range}");
    let find = |range: &str, format: &str| {
        narrows(&["sweep", &machine, "--find=message.bandwidth >= 61.7 MB/s", "--over", &search_over(range), format])
    };
    let output = find("128 B..256 B*2", "--format=json");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let crossing = &parse_json(&output)["found"][0];
    assert_eq!((&crossing["holds"], &crossing["between"][0]["holds"]), (&"unknown".into(), &Json::Null));
    assert_eq!(crossing["between"][1]["outcome"], "time-limit");
    assert!(stderr(&output).contains("at 256 B: time-limit: the run reached"), "{}", stderr(&output));
    let text = output_text(&find("128 B..256 B*2", "--format=text"));
    assert!(text.contains("unknown") && text.contains("time-limit"), "{text}");
    let csv = output_text(&find("128 B..256 B*2", "--format=csv"));
    let header = "holds,workload_stream_payload_B,message_bandwidth_B_per_s,outcome,initial_transient,other_end_";
    assert!(csv.starts_with(header) && csv.lines().next().is_some_and(|head| head.ends_with(",reason")), "{csv}");
}

#[test]
fn latency_of_a_saturated_run_exceeds_every_bound() {
    let small_mesh = ["--set=fabric.mesh.shape=[4, 4]", "--set=workload.offered.cycles=4000"];
    let find = |condition: &str| {
        let range = ["--over=workload.offered.load=0.05..1.0+lin5", "--format=json"];
        let output = narrows(&[&["sweep", "offered-load", "--find", condition], &small_mesh[..], &range].concat());
        (parse_json(&output)["found"][0].clone(), output)
    };
    // The bound is far above the latency of any run of this length: only its growth exceeds the bound.
    let (latency, output) = find("offered.latency >= 1e9 cycles");
    assert_eq!((output.status.code(), &latency["holds"]), (Some(0), &"from".into()), "{latency}");
    let saturated = &latency["between"][1];
    assert_eq!((&saturated["outcome"], &saturated["metric"]), (&"saturated".into(), &Json::Null));
    assert_eq!(latency["between"][0]["outcome"], "done");
    assert!(stderr(&output).contains(" is saturated."), "{}", stderr(&output));
    let (accepted, _) = find("offered.accepted >= 0.01");
    assert!(accepted["between"][1]["metric"].is_f64(), "accepted load is a result: {accepted}");
}

#[test]
fn key_that_is_varied_or_set_is_not_searched_along() {
    let range = "--over=workload.ping-pong.payload=8 B..256 B";
    let find = ["sweep", "memory-bus", "--find=message.latency_one_way >= 1 us", range];
    let output = narrows(&[&find[..], &["--vary=workload.ping-pong.payload=8 B,16 B"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is both varied and searched over"), "{}", stderr(&output));
    let output = narrows(&[&find[..], &["--set=workload.ping_pong.payload=8 B"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("is both set and searched over"), "{}", stderr(&output));
}

#[test]
fn uncertainty_names_the_constants_that_could_not_be_tried() {
    let folder = Folder::new("uncertainty");
    let machine = write_description(&folder, STREAM);
    let simulated_us =
        json(&["run", &machine, "--format=json"])["simulated_us"].as_f64().expect("the value is a number");
    let run = |limit_us: f64, format: &str| {
        let limit = format!("--set=run.time-limit={limit_us:.3} us");
        narrows(&["run", &machine, &limit, "--uncertainty", format, "--no-host"])
    };
    // Slower machines reach the limit.
    let output = run(simulated_us * 1.02, "--format=json");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let untried = parse_json(&output)["uncertainty_untried"].as_object().cloned().expect("the constants are an object");
    assert!(
        untried.values().all(|reason| reason == "the run ends in a time-limit") && !untried.is_empty(),
        "{untried:?}"
    );
    let text = output_text(&run(simulated_us * 1.02, "--format=text"));
    assert!(text.contains(" % (incomplete)") && text.contains("the run ends in a time-limit"), "{text}");
    let unlimited = run(1e6, "--format=json");
    assert_eq!(parse_json(&unlimited)["uncertainty_untried"], Json::Null);
    let truncated = run(simulated_us * 0.9, "--format=text");
    assert_eq!(truncated.status.code(), Some(2));
    assert!(stderr(&truncated).contains("the run ended in a time-limit, so that its metrics have no uncertainty"));
}

/// Writes the small study into a folder.
fn folder_with_study(name: &str) -> Folder {
    let folder = Folder::new(name);
    for (file, text) in narrows::study::scaffold::FILES {
        fs::write(folder.path(file), text).expect("the file can be written");
    }
    folder
}

#[test]
fn value_made_of_values_is_evaluated_once() {
    let folder = folder_with_study("values");
    let text = fs::read_to_string(folder.path("study.toml")).expect("the file can be read");
    // If values were evaluated at each mention, the first value would take 4²⁰ evaluations.
    let value = |number: usize| {
        let sum = vec![format!("v{}", number + 1); 4].join(" + ");
        format!("[values.v{number}]\nvalue = \"{sum}\"\n")
    };
    let values: String = (0..20).map(value).collect();
    fs::write(folder.path("study.toml"), format!("{text}\n{values}[values.v20]\nvalue = \"1\"\n"))
        .expect("the file can be written");
    let claim = "\n[[claim]]\nid = \"V1\"\nartifact = \"latency\"\nkind = \"number\"\nsource = \"arithmetic\"\n\
                 statement = \"a sum\"\nvalue = \"v0\"\nexpected = 1099511627776\ntolerance = 0.01\n";
    let claims = fs::read_to_string(folder.path("claims.toml")).expect("the file can be read");
    fs::write(folder.path("claims.toml"), claims + claim).expect("the file can be written");
    let result = as_json(&["reproduce", folder.root(), "--quick"]);
    let claims = result["claims"].as_array().expect("the claims are a list");
    let judged = claims.iter().find(|claim| claim["id"] == "V1").expect("the claim is judged");
    assert_eq!((&judged["holds"], judged["measured"].as_f64()), (&true.into(), Some(4f64.powi(20))), "{judged}");
}

#[test]
fn study_lists_the_runs_that_did_not_complete() {
    let folder = folder_with_study("unfinished");
    let machine = fs::read_to_string(folder.path("machine.toml")).expect("the description can be read");
    fs::write(folder.path("machine.toml"), format!("run.time-limit = \"1 ns\"\n{machine}"))
        .expect("the file can be written");
    let result = as_json(&["reproduce", folder.root(), "--quick"]);
    let first = &result["artifacts"][0];
    assert_eq!(first["id"], "runs-not-done");
    let row = &first["rows"][0];
    assert_eq!(row[1], "time-limit");
    assert!(row[2].as_str().is_some_and(|reason| reason.starts_with("the run reached `run.time-limit`")), "{row}");
    let text = stdout(&["reproduce", folder.root(), "--quick"]);
    assert!(text.contains("Runs with an outcome other than done: "), "{text}");
}

#[test]
fn pages_of_a_study_do_not_go_into_the_study() {
    let folder = folder_with_study("into");
    let output = narrows(&["reproduce", folder.root(), "--quick", "--out", folder.root()]);
    assert_eq!(output.status.code(), Some(2), "{}", output_text(&output));
    assert!(stderr(&output).contains("the study itself is in this folder"), "{}", stderr(&output));
    assert!(!fs::exists(folder.path("report.html")).expect("the folder can be read"));
}
