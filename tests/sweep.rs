//! Checks sweeps: parts and keys as dimensions, the stop at saturation, searches for a crossing, tidy tables of
//! results, and pictures and pages made from them.

mod longer_run;
mod shared;

use crate::common::cli::{Folder, as_json, narrows, run_ok, stderr};
use narrows::report::Dataset;
use narrows::report::dataset::{ColumnValues, Encoding};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

fn dataset(arguments: &[&str]) -> Dataset {
    Dataset::read(run_ok(&[arguments, &["--format=csv"]].concat()).stdout, Encoding::Csv).expect("the data are tidy")
}

fn column_numbers(data: &Dataset, name: &str) -> Vec<f64> {
    let variable = data.find(name).unwrap_or_else(|| panic!("no {name}: {data:?}"));
    (0..data.rows()).map(|row| variable.values.number(row).unwrap_or(f64::NAN)).collect()
}

fn column_texts(data: &Dataset, name: &str) -> Vec<String> {
    let variable = data.find(name).unwrap_or_else(|| panic!("no {name}: {data:?}"));
    (0..data.rows()).map(|row| variable.values.text(row).unwrap_or_default()).collect()
}

const FEW_MESSAGES: &str = "--set=workload.ping-pong.messages=5";
const NO_WARM_UP: &str = "--set=workload.ping-pong.warm-up=0";

#[test]
fn parts_are_named_as_values() {
    let results = dataset(&[
        "sweep",
        "memory-bus",
        FEW_MESSAGES,
        NO_WARM_UP,
        "--vary=ni=cni32qm,udma",
        "--vary=fabric=ideal-1998,nifdy-mesh",
    ]);
    assert_eq!(column_texts(&results, "ni"), ["cni32qm", "cni32qm", "udma", "udma"]);
    assert_eq!(column_texts(&results, "fabric"), ["ideal-1998", "nifdy-mesh", "ideal-1998", "nifdy-mesh"]);
    let parts =
        r#"--set=parts=["hosts/memory-bus-1998", "ni/udma", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]"#;
    let single = as_json(&["run", "memory-bus", FEW_MESSAGES, NO_WARM_UP, parts]);
    assert_eq!(
        Json::from(column_texts(&results, "hash")[2].as_str()),
        single["hash"],
        "a list of all parts gives the same result"
    );
    let by_key = as_json(&["run", "memory-bus", FEW_MESSAGES, NO_WARM_UP, "--set=ni=udma"]);
    assert_eq!(by_key["hash"], single["hash"]);
    let hosts = dataset(&["sweep", "ping-pong", FEW_MESSAGES, "--vary=host=p6-natoma,miata"]);
    let [p6, miata] = &column_numbers(&hosts, "message_latency_one_way_s")[..] else { panic!("{hosts:?}") };
    assert_ne!(p6, miata, "the nodes have another host");
}

#[test]
fn part_overridden_by_the_description_is_refused() {
    let output = narrows(&["sweep", "offered-load", "--vary=fabric=nifdy-torus,nifdy-mesh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("`fabric=nifdy-torus` has no effect: it replaces a shipped part in `parts`, but the description writes [fabric.mesh]"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn keys_vary_together() {
    let results = dataset(&[
        "sweep",
        "ping-pong",
        "--vary=workload.ping-pong.payload=64 B,1 KiB;workload.ping-pong.messages=4,2",
        "--vary=run.seed=1,2",
    ]);
    assert_eq!(column_numbers(&results, "workload_ping_pong_payload_B"), [64.0, 64.0, 1024.0, 1024.0]);
    assert_eq!(column_numbers(&results, "workload_ping_pong_messages"), [4.0, 4.0, 2.0, 2.0]);
    assert_eq!(column_numbers(&results, "run_seed"), [1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn table_of_points_runs_a_point_for_each_row() {
    let folder = Folder::new("points");
    let table = folder.path("points.csv");
    let (payload, messages) = ("workload.ping-pong.payload", "workload.ping-pong.messages");
    fs::write(&table, format!("ni,{payload},{messages}\nudma,16 B,5\ncni32qm,64 B,\nudma,16 B,5\n"))
        .expect("the file can be written");
    let results = dataset(&["sweep", "memory-bus", NO_WARM_UP, "--points", &table]);
    assert_eq!(column_texts(&results, "ni"), ["udma", "cni32qm", "udma"]);
    assert_eq!(column_numbers(&results, "workload_ping_pong_payload_B"), [16.0, 64.0, 16.0]);
    assert_eq!(column_texts(&results, "workload_ping_pong_messages"), ["5", "", "5"]);
    let hash = |overrides: &[&str]| as_json(&[&["run", "memory-bus", NO_WARM_UP], overrides].concat())["hash"].clone();
    let first = hash(&["--set=ni=udma", "--set=workload.ping-pong.payload=16 B", FEW_MESSAGES]);
    let other_hash = hash(&["--set=ni=cni32qm", "--set=workload.ping-pong.payload=64 B"]);
    let hashes: Vec<Json> = column_texts(&results, "hash").into_iter().map(Json::from).collect();
    assert_eq!(hashes, [first.clone(), other_hash, first], "an empty cell leaves the value of the description");
    let with_seeds = dataset(&["sweep", "memory-bus", NO_WARM_UP, "--points", &table, "--vary=run.seed=1,2"]);
    assert_eq!(column_texts(&with_seeds, "ni"), ["udma", "udma", "cni32qm", "cni32qm", "udma", "udma"]);
    assert_eq!(column_numbers(&with_seeds, "run_seed"), [1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
}

#[test]
fn interface_of_one_node_is_named_as_a_value() {
    let hash =
        |setting: &str| as_json(&["run", "memory-bus", FEW_MESSAGES, NO_WARM_UP, "--set", setting])["hash"].clone();
    assert_eq!(hash("nodes.right.ni=udma"), hash("nodes.right.parts=[\"ni/udma\"]"));
}

const MESH_SWEEP: [&str; 4] =
    ["sweep", "offered-load", "--set=fabric.mesh.shape=[4, 4]", "--set=workload.offered.cycles=3000"];

#[test]
fn sweep_stops_at_saturation() {
    let vary = ["--vary=fabric.router.virtual-channels=1,4", "--vary=workload.offered.load=0.1,0.2..1+0.1"];
    let complete = dataset(&[&MESH_SWEEP[..], &vary].concat());
    let sweep_until_saturation =
        |jobs: &str| dataset(&[&MESH_SWEEP[..], &vary, &["--stop-at-saturation", "--jobs", jobs]].concat());
    let stopped_sweep = sweep_until_saturation("1");
    assert_eq!(stopped_sweep, sweep_until_saturation("3"), "independent of the number of jobs");
    assert!(stopped_sweep.rows() < complete.rows());
    for channels in [1.0, 4.0] {
        let rows = |data: &Dataset| -> Vec<(String, String)> {
            let channels_of_rows = column_numbers(data, "fabric_router_virtual_channels");
            let rows = column_texts(data, "outcome").into_iter().zip(column_texts(data, "hash"));
            rows.zip(channels_of_rows).filter(|(_, count)| *count == channels).map(|(row, _)| row).collect()
        };
        let (all_rows, kept_rows) = (rows(&complete), rows(&stopped_sweep));
        let first = all_rows.iter().position(|(outcome, _)| outcome == "saturated").expect("a high load saturates");
        assert_eq!(kept_rows, all_rows[..=first], "{channels} channels");
    }
}

#[test]
fn search_finds_the_crossing_that_a_sweep_shows() {
    let short_run = "--set=workload.stream.messages=60";
    let range = "workload.stream.payload=64 B..8 KiB*2";
    let results = dataset(&["sweep", "stream", short_run, &format!("--vary={range}")]);
    let (payloads, rates) =
        (column_numbers(&results, "workload_stream_payload_B"), column_numbers(&results, "message_bandwidth_B_per_s"));
    let position = rates.iter().position(|rate| *rate >= 20e6).expect("large payloads reach 20 MB/s");
    let find = |condition: &str, range: &str| {
        dataset(&["sweep", "stream", short_run, "--find", &format!("message.bandwidth {condition}"), "--over", range])
    };
    let crossing = find(">= 20 MB/s", range);
    assert_eq!(column_texts(&crossing, "holds"), ["from"]);
    assert_eq!(column_numbers(&crossing, "workload_stream_payload_B"), [payloads[position]]);
    assert_eq!(column_numbers(&crossing, "message_bandwidth_B_per_s"), [rates[position]]);
    assert_eq!(column_numbers(&crossing, "other_end_workload_stream_payload_B"), [payloads[position - 1]]);
    assert_eq!(column_texts(&find("< 0.16 Gbit/s", range), "holds"), ["up to"]);
    assert_eq!(column_texts(&find("> 1 GB/s", range), "holds"), ["nowhere"]);
    // A range without steps is searched until the values are adjacent or differ by at most a thousandth.
    let fine_crossing = find(">= 20 MB/s", "workload.stream.payload=64 B..8 KiB");
    let (from, below) = (
        column_numbers(&fine_crossing, "workload_stream_payload_B")[0],
        column_numbers(&fine_crossing, "other_end_workload_stream_payload_B")[0],
    );
    assert!(payloads[position - 1] <= below && below < from && from <= payloads[position], "{below} {from}");
    assert!(
        from - below <= 1.0_f64.max(below / 1000.0)
            && column_numbers(&fine_crossing, "message_bandwidth_B_per_s")[0] >= 20e6
    );
}

#[test]
fn crossing_of_two_descriptions_agrees_with_their_sweeps() {
    let range = "workload.ping-pong.payload=8 B..2 KiB*4";
    let results =
        dataset(&["sweep", "memory-bus", FEW_MESSAGES, NO_WARM_UP, "--vary=ni=ni2w,udma", &format!("--vary={range}")]);
    let latency = column_numbers(&results, "message_latency_one_way_s");
    let (ni2w, udma) = latency.split_at(latency.len() / 2);
    let first = ni2w.iter().zip(udma).position(|(ni2w, udma)| ni2w >= udma).expect("the curves cross");
    assert!(first > 0, "{ni2w:?} {udma:?}");
    let crossing = as_json(&[
        "sweep",
        "memory-bus",
        FEW_MESSAGES,
        NO_WARM_UP,
        "--set=ni=ni2w",
        "--against=memory-bus",
        "--against-set=ni=udma",
        "--against-set=workload.ping-pong.messages=5",
        "--against-set=workload.ping-pong.warm-up=0",
        "--find=message.latency_one_way",
        "--over",
        range,
    ]);
    let payloads = column_numbers(&results, "workload_ping_pong_payload_B");
    let between = &crossing["found"][0]["between"];
    assert_eq!(crossing["found"][0]["holds"], "less up to");
    for (end, position) in [(0, first - 1), (1, first)] {
        let text = between[end]["value"].as_str().expect("the value is a text");
        let bytes: narrows::engine::Bytes = narrows::text::quantity::parse(text).expect("the text is a quantity");
        assert_eq!(bytes.get() as f64, payloads[position], "{between}");
        assert_eq!(between[end]["metric"].as_f64().map(|us| us / 1e6), Some(ni2w[position]));
        assert_eq!(between[end]["other"].as_f64().map(|us| us / 1e6), Some(udma[position]));
    }
}

#[test]
fn unknown_metric_is_refused_before_the_first_run() {
    let folder = Folder::new("metric");
    let out = folder.path("out.csv");
    let output = narrows(&[
        "sweep",
        "ping-pong",
        FEW_MESSAGES,
        "--vary=run.seed=1,2",
        "--metric=message.latency",
        "--out",
        &out,
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `message.latency_one_way`?"), "{}", stderr(&output));
    assert_eq!(fs::read_dir(&folder.0).expect("the folder can be read").count(), 0, "nothing was run");
}

/// Checks that every metric of a run is known before the run, so that `--metric` accepts it.
#[test]
fn metrics_are_known_before_the_run() {
    for example in ["ping-pong", "stream", "dma", "page-fetch", "memory-bus", "offered-load", "udp", "shared-trunk"] {
        let text = narrows::machine::shipped::example(example).expect("the example is shipped");
        let document = narrows::text::Document::Text(example, text, None);
        let read = narrows::machine::read(document, &[]).expect("the example is valid");
        let known_metrics: Vec<String> = narrows::experiment::sweep::metrics::metrics_of_run(&read.value)
            .into_iter()
            .map(|metric| metric.name)
            .collect();
        let metrics = narrows::experiment::run(&read.value, narrows::engine::Recorder::off()).metrics;
        let unknown: Vec<_> =
            metrics.iter().map(|metric| &metric.name).filter(|name| !known_metrics.contains(name)).collect();
        assert!(unknown.is_empty(), "{example}: {unknown:?}");
    }
}

#[test]
fn tidy_row_has_all_results_of_a_point() {
    let results = dataset(&[
        "sweep",
        "ping-pong",
        FEW_MESSAGES,
        "--vary=workload.ping-pong.payload=64 B,8 KiB",
        "--vary=fabric.myrinet.link-rate=80 MB/s",
    ]);
    let run = as_json(&[
        "run",
        "ping-pong",
        FEW_MESSAGES,
        "--set=workload.ping-pong.payload=8 KiB",
        "--set=fabric.myrinet.link-rate=80 MB/s",
    ]);
    assert_eq!(column_numbers(&results, "fabric_myrinet_link_rate_B_per_s"), [80e6, 80e6]);
    let us_in_s = |value: &Json| value.as_f64().expect("the value is a number") / 1e6;
    assert_eq!(
        column_numbers(&results, "message_latency_one_way_s")[1],
        us_in_s(&run["metrics"]["message.latency_one_way"]["value"])
    );
    assert_eq!(column_numbers(&results, "simulated_s")[1], us_in_s(&run["simulated_us"]));
    assert_eq!(column_texts(&results, "hash")[1], run["hash"]);
    let candidate = &run["candidate"];
    let kind = column_texts(&results, "candidate_kind")[1].clone();
    assert_eq!(candidate[kind.as_str()], column_texts(&results, "candidate")[1]);
    let pci = run["resources"]
        .as_array()
        .expect("the resources are a list")
        .iter()
        .find(|resource| resource["resource"] == "sender PCI")
        .expect("the run has a bus");
    assert_eq!(Some(column_numbers(&results, "utilisation_sender_PCI")[1]), pci["share"].as_f64());
    let stage = &run["ledger"]["stages"][2];
    let name = stage["stage"].as_str().expect("the stage is a text").replace(' ', "_");
    assert_eq!(column_numbers(&results, &format!("stage_{name}_service_s"))[1], us_in_s(&stage["service_us"]));
    assert_eq!(column_numbers(&results, "seed"), [1.0, 1.0]);
}

#[test]
fn messages_are_rows_whose_stages_sum_to_their_latency() {
    let folder = Folder::new("messages");
    for extension in ["csv", "jsonl", "parquet"] {
        let path = folder.path(&format!("messages.{extension}"));
        run_ok(&["run", "ping-pong", FEW_MESSAGES, "--messages", &path]);
        let encoding = Encoding::from_path(Path::new(&path)).expect("the path has a known extension");
        let data = Dataset::read(fs::read(&path).expect("the file can be read"), encoding).expect("tidy data");
        assert_eq!((data.rows(), column_texts(&data, "source")[0].as_str()), (5, "sender"), "{extension}");
        assert_eq!(column_numbers(&data, "payload_B"), [8192.0; 5]);
        let latency = column_numbers(&data, "latency_s");
        let stages = data.variables.iter().filter(|variable| variable.name.starts_with("stage_"));
        let mut sums = vec![0.0; 5];
        for variable in stages {
            // CSV has no types: a column of zeros reads as integers.
            assert!(!matches!(variable.values, ColumnValues::Texts(_)), "{}", variable.name);
            sums.iter_mut().enumerate().for_each(|(row, sum)| *sum += variable.values.number(row).unwrap_or(0.0));
        }
        // Each sum adds about twelve times that were rounded when they were written in seconds.
        assert!(
            sums.iter().zip(&latency).all(|(sum, latency)| (sum / latency - 1.0).abs() < 1e-12),
            "{sums:?} {latency:?}"
        );
    }
}

#[test]
fn report_of_runs_and_sweeps_is_self_contained() {
    let folder = Folder::new("report");
    let (run, out, page) = (folder.path("run.json"), folder.path("sweep.csv"), folder.path("page.html"));
    fs::write(&run, run_ok(&["run", "ping-pong", FEW_MESSAGES, "--format=json"]).stdout)
        .expect("the file can be written");
    run_ok(&["sweep", "ping-pong", FEW_MESSAGES, "--vary=workload.ping-pong.payload=64 B..1 KiB*4", "--out", &out]);
    run_ok(&["report", &run, &out, "--title=What it <costs>", "--out", &page]);
    let text = fs::read_to_string(&page).expect("the page can be read");
    let document = roxmltree::Document::parse_with_options(
        &text,
        roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
    );
    let document = document.expect("the text is XML");
    let headings: Vec<String> = document
        .descendants()
        .filter(|node| node.has_tag_name("h2"))
        .filter_map(|node| Some(node.first_child()?.text()?.trim().to_owned()))
        .collect();
    for heading in ["run: message latency by stage", "run: utilisation of resources", "sweep: one-way message latency"]
    {
        assert!(headings.iter().any(|known_heading| known_heading == heading), "no {heading} in {headings:?}");
    }
    let links = document.descendants().filter_map(|node| node.attribute("href"));
    assert!(
        links.clone().count() > 4
            && links
                .clone()
                .all(|link| ["#", "data:text/csv", "explorer/index.html#"].iter().any(|kind| link.starts_with(kind))),
        "{:?}",
        links.collect::<Vec<_>>()
    );
    assert!(text.contains("What it &lt;costs&gt;") && text.contains("narrows report"));
}

#[test]
fn file_extension_selects_the_format_of_a_picture() {
    let folder = Folder::new("formats");
    let out = folder.path("sweep.csv");
    run_ok(&["sweep", "ping-pong", FEW_MESSAGES, "--vary=workload.ping-pong.payload=64 B..1 KiB*4", "--out", &out]);
    for (extension, signature) in [("svg", &b"<svg"[..]), ("png", b"\x89PNG"), ("pdf", b"%PDF")] {
        let picture = folder.path(&format!("figure.{extension}"));
        run_ok(&["plot", &out, "--x=payload", "--y=message.latency_one_way", "--out", &picture]);
        let bytes = fs::read(&picture).expect("the picture can be read");
        assert!(bytes.starts_with(signature), "{extension}");
    }
}

#[test]
fn sweep_is_plotted_from_any_format() {
    let folder = Folder::new("plot");
    let svg = folder.path("figure.svg");
    let mut charts = Vec::new();
    for extension in ["csv", "jsonl", "parquet", "json"] {
        let out = folder.path(&format!("sweep.{extension}"));
        let vary = [
            "--vary=workload.ping-pong.payload=64 B..1 KiB*4",
            "--vary=ni.trapeze.policy=store-and-forward,adaptive-cut-through",
        ];
        run_ok(&[&["sweep", "ping-pong", FEW_MESSAGES, "--out", &out], &vary[..]].concat());
        run_ok(&["plot", &out, "--x=payload", "--y=message.latency_one_way", "--by=policy", "--log=x", "--out", &svg]);
        charts.push(fs::read_to_string(&svg).expect("the picture can be read"));
    }
    assert!(charts.iter().all(|picture| *picture == charts[0]), "the same picture of the same data");
    let picture = roxmltree::Document::parse(&charts[0]).expect("the text is XML");
    let texts: Vec<&str> =
        picture.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect();
    for words in ["store-and-forward", "adaptive-cut-through", "64", "1 KiB", "one-way message latency [µs]"] {
        assert!(texts.iter().any(|text| text.trim() == words), "no {words} in {texts:?}");
    }
}

/// Checks that the table shows six metrics, unless `--metric` selects them, and that the other formats have every
/// metric.
#[test]
fn table_for_a_terminal_shows_six_metrics_or_those_that_are_selected() {
    let sweep = ["sweep", "ping-pong", FEW_MESSAGES, NO_WARM_UP, "--vary=run.seed=1,2"];
    let columns = |options: &[&str]| {
        let text = String::from_utf8(run_ok(&[&sweep, options].concat()).stdout).expect("the text is UTF-8");
        let columns_shown =
            text.lines().next().expect("the text has a line").split("  ").filter(|head| !head.trim().is_empty());
        (columns_shown.count(), text)
    };
    let metric_count = as_json(&sweep)["points"][0]["metrics"].as_object().expect("the metrics are an object").len();
    assert!(metric_count > 6, "{metric_count}");
    let (count, text) = columns(&[]);
    assert_eq!(count, 2 + 6, "{text}");
    assert!(
        text.ends_with(&format!(
            "{} more metrics are left out: --metric NAME shows one, --format csv all.\n",
            metric_count - 6
        )),
        "{text}"
    );
    let (count, text) = columns(&["--metric=message.latency_one_way", "--metric=message.latency_one_way_p99"]);
    assert!(count == 2 + 2 && !text.contains("left out"), "{text}");
}
