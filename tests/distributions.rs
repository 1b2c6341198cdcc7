//! Checks distributions against the samples: in a run, merged over several seeds, in tables, and in charts.

use crate::common::cli::{Folder, json, narrows, run_ok, stderr, stdout};
use narrows::engine::Recorder;
use narrows::experiment::distribution::{merge_by_name, read};
use narrows::experiment::{Description, run};
use serde_json::Value as Json;
use std::fs;

const LATENCY: &str = "message.latency_one_way";
/// Arguments of an open loop with as many messages as a 99th percentile needs.
const OPEN_LOOP: [&str; 4] =
    ["open-loop", "--set=workload.stream.messages=1000", "--set=workload.stream.warm-up=0", "--format=json"];

/// Returns the value of a metric, or `None` if it was not measured.
fn metric(result: &Json, name: &str) -> Option<f64> {
    result["metrics"][name]["value"].as_f64()
}

/// Returns the nearest-rank percentile of sorted values; `thousandths` are thousandths of a percent.
fn nearest_rank(sorted: &[u64], thousandths: usize) -> u64 {
    sorted[(sorted.len() * thousandths).div_ceil(100_000).max(1) - 1]
}

#[test]
fn a_run_reports_the_percentiles_of_its_messages() {
    let machine = Description::open("open-loop").expect("the example is shipped");
    let machine = machine
        .set("workload.stream.messages=1000")
        .set("workload.stream.warm-up=0")
        .machine()
        .expect("the machine is valid");
    let result = run(&machine, Recorder::off().with_messages());
    let mut latencies: Vec<u64> = result.deliveries.iter().map(|delivery| delivery.ledger.total().ps()).collect();
    latencies.sort_unstable();
    assert_eq!(latencies.len(), 1_000);
    let exact = |suffix: &str| result.metric(&format!("{LATENCY}{suffix}"));
    let of_rank = |thousandths: usize| Some(nearest_rank(&latencies, thousandths) as f64 / 1e6);
    assert_eq!([exact("_p50"), exact("_p90"), exact("_p99")], [50_000, 90_000, 99_000].map(of_rank));
    assert_eq!((exact("_samples"), exact("_p999")), (Some(1_000.0), None), "p99.9 needs 10 000 samples");
    let [distribution] = &result.distributions[..] else { panic!("{:?}", result.distributions) };
    let buckets: Vec<_> = distribution.histogram.buckets().collect();
    for bucket in &buckets {
        let sample_count = latencies.iter().filter(|latency| (bucket.min..=bucket.max).contains(*latency)).count();
        assert_eq!(sample_count as u64, bucket.count, "{bucket:?}");
        assert!((bucket.max - bucket.min) * 128 <= bucket.min, "{bucket:?} is wider than stated");
    }
    assert_eq!(buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 1_000);
}

#[test]
fn seeds_are_merged_to_the_percentiles_of_all_samples() {
    let runs: Vec<Json> =
        (3..6).map(|seed| json(&[&["run"], &OPEN_LOOP[..], &[&format!("--seed={seed}")]].concat())).collect();
    let record = json(&[&["run"], &OPEN_LOOP[..], &["--seed=3", "--seeds=3"]].concat());
    let distributions: Vec<_> =
        runs.iter().flat_map(|run| read(&run["distributions"]).expect("distributions")).collect();
    let merged_distributions = merge_by_name(&distributions);
    assert_eq!(
        read(&record["distributions"]),
        Ok(merged_distributions.clone()),
        "the union of the samples of all seeds"
    );
    let pooled_metric = |suffix: &str| metric(&record, &format!("{LATENCY}{suffix}")).expect("the metric is measured");
    assert_eq!(pooled_metric("_samples"), 3_000.0);
    assert_eq!(
        pooled_metric("_p99"),
        merged_distributions[0].histogram.percentile(99.0).expect("3000 samples") as f64 / 1e6
    );
    let metric_of_runs = |suffix: &str| {
        runs.iter()
            .map(|run| metric(run, &format!("{LATENCY}{suffix}")).expect("the metric is measured"))
            .collect::<Vec<_>>()
    };
    assert_eq!(pooled_metric("_max"), metric_of_runs("_max").into_iter().fold(0.0, f64::max));
    assert_eq!(pooled_metric("_min"), metric_of_runs("_min").into_iter().fold(f64::INFINITY, f64::min));
    assert!(
        (pooled_metric("") - metric_of_runs("").iter().sum::<f64>() / 3.0).abs() < 1e-9,
        "the mean equals the mean of the runs' means"
    );
    // The interval of a percentile is Student's t of the percentiles of the runs, about the percentile of all samples.
    let squares: f64 = metric_of_runs("_p99").iter().map(|p99| (p99 - pooled_metric("_p99")).powi(2)).sum();
    let ci95 = record["metrics"][format!("{LATENCY}_p99")]["ci95"].as_f64().expect("an interval");
    assert!((ci95 - 4.303 * (squares / 2.0 / 3.0).sqrt()).abs() < 1e-9, "{ci95}");
    assert_eq!(record["metrics"][format!("{LATENCY}_max")]["ci95"], Json::Null);
    assert_eq!(record["metrics"][format!("{LATENCY}_p999")]["value"], Json::Null, "3000 samples are too few");
}

#[test]
fn several_seeds_have_a_percentile_that_none_has_alone() {
    let sweep = |options: &[&str]| {
        let short_run = [
            "sweep",
            "ping-pong",
            "--set=workload.ping-pong.messages=60",
            "--vary=workload.ping-pong.payload=64 B,1 KiB",
        ];
        let csv = stdout(&[&short_run[..], &["--format=csv"], options].concat());
        let rows: Vec<Vec<String>> = csv.lines().map(|row| row.split(',').map(str::to_owned).collect()).collect();
        let column = |name: &str| {
            let column = rows[0].iter().position(|header| header == name)?;
            Some(rows[1..].iter().map(|row| row[column].clone()).collect::<Vec<_>>())
        };
        ["p50", "p90", "p99", "samples"].map(|suffix| {
            column(&format!("message_latency_one_way_{suffix}{}", if suffix == "samples" { "" } else { "_s" }))
        })
    };
    let [p50, p90, p99, samples] = sweep(&[]);
    assert!(p50.is_some() && p90.is_none() && p99.is_none(), "a percentile has a column only with enough samples");
    assert_eq!(samples, Some(vec!["60".to_owned(); 2]));
    let [_, p90, p99, samples] = sweep(&["--seeds=2"]);
    assert!(p90.is_some_and(|p90| p90.iter().all(|value| value.parse::<f64>().is_ok())) && p99.is_none());
    assert_eq!(samples, Some(vec!["120".to_owned(); 2]));
    let [_, _, p99, _] = sweep(&["--metric=message.latency_one_way_p99"]);
    assert_eq!(p99, Some(vec![String::new(); 2]), "a chosen metric has a column, empty if it is not measured");
}

#[test]
fn a_run_shows_each_distribution_in_a_row() {
    let text = stdout(&["run", "page-fetch", "--no-host"]);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("latency") || line.contains("p50")).collect();
    let words_of_line = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        words_of_line(lines[0]),
        ["distribution", "mean", "min", "p50", "p90", "max", "samples", "unit"],
        "{text}"
    );
    for (line, name, samples) in [(lines[1], "fetch.latency", "200"), (lines[2], LATENCY, "400")] {
        let row = words_of_line(line);
        assert_eq!((row[0].as_str(), row[6].as_str(), row[7].as_str()), (name, samples, "µs"), "{text}");
        let values: Vec<f64> = row[2..6].iter().map(|value| value.parse().expect("a number")).collect();
        assert!(values.is_sorted(), "{line}");
    }
}

/// Returns the texts of a chart.
fn texts(svg: &str) -> Vec<String> {
    let picture = fs::read_to_string(svg).expect("a picture");
    let document = roxmltree::Document::parse(&picture).expect("XML");
    let texts = document.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text());
    texts.map(|text| text.trim().to_owned()).collect()
}

#[test]
fn distributions_are_plotted_in_one_line() {
    let folder = Folder::new("cdf");
    let [run_json, seeds, messages, sweep, svg] =
        ["run.json", "seeds.json", "messages.csv", "sweep.json", "out.svg"].map(|name| folder.path(name));
    fs::write(&run_json, stdout(&[&["run"], &OPEN_LOOP[..], &["--messages", &messages]].concat())).expect("a file");
    fs::write(&seeds, stdout(&[&["run"], &OPEN_LOOP[..], &["--seeds=2"]].concat())).expect("a file");
    let vary = ["--vary=ni=cni32qm,ap3000", "--vary=run.seed=1,2"];
    run_ok(&[&["sweep"], &OPEN_LOOP[..3], &vary[..], &["--out", &sweep]].concat());
    let plot = |arguments: &[&str]| {
        run_ok(&[&["plot"], arguments, &["--out", &svg]].concat());
        texts(&svg)
    };
    let has_words =
        |texts: &[String], expected: &[&str]| expected.iter().all(|word| texts.iter().any(|text| text == word));
    let axis_label = "share of samples up to";
    assert!(has_words(
        &plot(&[&run_json, "--cdf", LATENCY]),
        &["Distribution of one-way message latency, 1000 samples", axis_label]
    ));
    assert!(has_words(
        &plot(&[&run_json, &seeds, "--cdf=latency_one_way", "--log=y"]),
        &["run", "seeds", "share of samples above"]
    ));
    assert!(has_words(
        &plot(&[&messages, "--cdf=latency", "--by=source"]),
        &["Distribution of latency, 1000 samples", "latency [µs]"]
    ));
    assert!(has_words(&plot(&[&sweep, "--cdf", LATENCY]), &["cni32qm, 1", "ap3000, 2"]));
    let by_interface = plot(&[&sweep, "--cdf", LATENCY, "--by=ni"]);
    assert!(
        has_words(&by_interface, &["cni32qm", "ap3000", "Distribution of one-way message latency, 4000 samples"]),
        "{by_interface:?}"
    );
    for (arguments, reason) in [
        (vec![run_json.as_str(), "--cdf=message.latency"], "there is no distribution `message.latency`"),
        (vec![run_json.as_str(), "--cdf", LATENCY, "--by=ni"], "a single run varies no key"),
        (vec![sweep.as_str(), "--cdf", LATENCY, "--by=nii"], "no varied key `nii`"),
        (vec![messages.as_str(), "--cdf=source"], "holds text"),
        (vec![messages.as_str(), run_json.as_str(), "--x=sent", "--y=latency"], "name one result"),
    ] {
        let output = narrows(&[&["plot"], &arguments[..], &["--out", &svg]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn latency_over_load_is_plotted_in_one_line() {
    let folder = Folder::new("loads");
    let (csv, svg) = (folder.path("loads.csv"), folder.path("loads.svg"));
    let vary = ["--vary=ni=cni32qm,udma", "--vary=workload.stream.arrivals.poisson.interval=8 us..0.2 us*log4"];
    run_ok(&[&["sweep"], &OPEN_LOOP[..3], &vary[..], &["--stop-at-saturation", "--out", &csv]].concat());
    let output = run_ok(&["plot", &csv, "--latency-load", "--out", &svg]);
    assert!(stderr(&output).contains("Left out: 2 points without a steady state."), "{}", stderr(&output));
    let texts = texts(&svg);
    for words in [
        "Latency over offered load",
        "offered load [MB/s]",
        "latency [µs]",
        "cni32qm p50",
        "udma p99",
        "udma saturated",
    ] {
        assert!(texts.iter().any(|text| text == words), "no {words} in {texts:?}");
    }
    let closed_loop_csv = folder.path("closed.csv");
    run_ok(&["sweep", "stream", "--set=workload.stream.messages=20", "--vary=run.seed=1,2", "--out", &closed_loop_csv]);
    let refused_output = narrows(&["plot", &closed_loop_csv, "--latency-load", "--out", &svg]);
    assert_eq!(refused_output.status.code(), Some(2));
    assert!(stderr(&refused_output).contains("no offered and accepted load"), "{}", stderr(&refused_output));
}
