//! Checks that a stream is saturated if its queue grows behind the sender, and that commands that read or search
//! results say which runs have no steady state.

use crate::common::cli::{Folder, as_json, run_ok, stderr, stdout};
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{RunResult, run};
use narrows::machine;
use narrows::text::Document;
use std::fs;

/// Returns an open loop between two servers whose interfaces have rings of 1024 descriptors.
fn description(payload: &str, messages: u64, arrivals: &str) -> String {
    format!(
        "parts = [\"hosts/pcie-gen3-x8\", \"ni/ring\", \"fabrics/ideal-1998\"]\nnodes.a.host = \"pcie-gen3-x8\"\n\
         nodes.b.host = \"pcie-gen3-x8\"\n[workload.stream]\npayload = \"{payload}\"\nmessages = {messages}\n\
         arrivals.{arrivals}\n"
    )
}

fn open_loop(payload: &str, messages: u64, arrivals: &str) -> RunResult {
    let text = description(payload, messages, arrivals);
    let read = machine::read(Document::Text("rings", &text, None), &[]).unwrap_or_else(|error| panic!("{error}"));
    run(&read.value, Recorder::off())
}

#[test]
fn stream_is_saturated_if_a_queue_behind_the_sender_grows() {
    // 8 GB/s are offered and 6.5 GB/s accepted. All 1000 messages, 300 of them before the measurement, fit into the
    // rings, so that few of them wait in the program, and their number does not only grow.
    let result = open_loop("4 KiB", 700, "poisson.interval = \"0.5 us\"");
    let [offered, accepted, backlog] = ["message.offered", "message.accepted", "message.backlog_max"]
        .map(|name| result.metric(name).expect("the metric is measured"));
    assert!(accepted < 0.9 * offered && backlog < 100.0, "{offered} {accepted} {backlog}");
    let Outcome::Saturated(reason) = &result.outcome else { panic!("{:?}", result.outcome) };
    assert!(reason.contains("undelivered messages of a -> b grew"), "{reason}");
}

#[test]
fn stream_below_capacity_is_not_saturated() {
    for interval in [0.7, 0.8, 1.0, 2.0] {
        for (process, messages) in [("poisson", 500), ("periodic", 500), ("periodic", 100), ("poisson", 3_000)] {
            let result = open_loop("4 KiB", messages, &format!("{process}.interval = \"{interval} us\""));
            assert_eq!(result.outcome, Outcome::Done, "{process}, {interval} us, {messages} messages");
        }
    }
}

#[test]
fn search_that_ends_at_a_transient_run_says_so() {
    let folder = Folder::new("transient-search");
    let path = folder.path("pair.toml");
    // The cold caches of the first messages are measured.
    let text = "parts = [\"hosts/memory-bus-1998\", \"ni/cni32qm\", \"protocols/return-to-sender-1998\", \
                \"fabrics/ideal-1998\"]\nnodes.a.host = \"memory-bus-1998\"\nnodes.b.host = \"memory-bus-1998\"\n\
                [workload.ping-pong]\npayload = \"64 B\"\nwarm-up = 0\nmessages = 200\n";
    fs::write(&path, text).expect("the file can be written");
    let search =
        ["sweep", &path, "--find=message.latency_one_way >= 1 us", "--over=workload.ping-pong.payload=8 B..1 KiB*2"];
    let output = run_ok(&search);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.starts_with("No answer for a steady state:"), "{printed}");
    assert!(printed.contains("done, transient"), "{printed}");
    assert!(stderr(&output).contains("is not in a steady state. Initial transient: "), "{}", stderr(&output));
    let json = as_json(&search);
    let search_result = &json["found"][0];
    assert_eq!(search_result["is_steady"], false, "{json:#}");
    let bounds = search_result["between"].as_array().expect("two ends");
    assert!(
        bounds.iter().any(|bound| bound["initial_transient"] == true && bound["transient_finding"].is_string()),
        "{json:#}"
    );
    let steady = [&search[..], &["--set=workload.ping-pong.warm-up=500"]].concat();
    assert_eq!(as_json(&steady)["found"][0]["is_steady"], true);
    assert!(stdout(&steady).starts_with("message.latency_one_way >= 1 us holds from"), "{}", stdout(&steady));

    // Charts and pages of the same runs give the same warning.
    for extension in ["csv", "json"] {
        let (results, chart) = (folder.path(&format!("results.{extension}")), folder.path("chart.svg"));
        run_ok(&["sweep", &path, "--vary=workload.ping-pong.payload=8 B,64 B", "--out", &results]);
        let plot_output = run_ok(&["plot", &results, "--y=message.latency_one_way", "--out", &chart]);
        assert!(
            stderr(&plot_output).contains("points have an initial transient"),
            "{extension}: {}",
            stderr(&plot_output)
        );
        let page = folder.path("page.html");
        let report_output = run_ok(&["report", &results, "--out", &page]);
        assert!(
            stderr(&report_output).contains("points have an initial transient"),
            "{extension}: {}",
            stderr(&report_output)
        );
        let html = fs::read_to_string(&page).expect("the page can be read");
        assert!(html.contains("points have an initial transient"), "{extension}");
    }
}
