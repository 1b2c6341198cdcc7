//! Checks traces in Perfetto's binary form: they equal the JSON form event by event, and are whole or absent.

mod decode;

use crate::common::cli::{Folder, interrupt, interruptible, narrows, run_ok, stderr};
use decode::{Slice, slices};
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

/// Returns the spans of a JSON trace, with their arrows.
fn json_slices(path: &str) -> Vec<Slice> {
    let trace: Json = serde_json::from_slice(&fs::read(path).expect("the trace can be read")).expect("JSON");
    let events = trace["traceEvents"].as_array().expect("the events are a list");
    let mut names: HashMap<(&str, i64), String> = HashMap::new();
    let mut slices: Vec<Slice> = Vec::new();
    for event in events {
        let text = |value: &Json| value.as_str().expect("the value is a text").to_owned();
        let number = |key: &str| event[key].as_i64().expect("the value is a whole number");
        match event["ph"].as_str().expect("the value is a text") {
            "M" if event["name"] == "process_name" => {
                names.insert(("process", number("pid")), text(&event["args"]["name"]));
            }
            "M" if event["name"] == "thread_name" => {
                names.insert(("thread", number("tid")), text(&event["args"]["name"]));
            }
            "M" => {}
            "X" => {
                let ps = |key: &str| (event[key].as_f64().expect("the value is a number") * 1e6).round() as u64;
                let (start, duration) = (ps("ts"), ps("dur"));
                slices.push(Slice {
                    group: names[&("process", number("pid"))].clone(),
                    track: names[&("thread", number("tid"))].clone(),
                    name: text(&event["name"]),
                    start_ns: start / 1000,
                    end_ns: (start + duration) / 1000,
                    duration_ps: duration,
                    bytes: event["args"]["bytes"].as_u64().expect("the value is a whole number"),
                    message: event["args"]["message"].as_u64(),
                    flow: None,
                });
            }
            // A flow event follows the span that it belongs to.
            _ => slices.last_mut().expect("a span precedes the flow").flow = event["id"].as_u64(),
        }
    }
    slices
}

#[test]
fn binary_trace_equals_the_json_trace() {
    let folder = Folder::new("traces");
    let [binary, json] = ["t.pftrace", "t.json"].map(|name| folder.path(name));
    for example in ["memory-bus", "nifdy", "page-fetch", "replay-mesh", "shared-receiver", "udp"] {
        for path in [&binary, &json] {
            let output = run_ok(&["run", example, "--trace", path, "--trace-spans", "30000"]);
            assert!(stderr(&output).contains("spans to `"), "{}", stderr(&output));
        }
        let (mut binary, dropped) = slices(&fs::read(&binary).expect("the trace can be read"));
        let mut json_spans = json_slices(&json);
        assert!(binary.len() > 1000, "{example}: {} spans", binary.len());
        // A message with one span has no arrow: Perfetto draws none for a flow of one event.
        let mut span_counts: HashMap<u64, usize> = HashMap::new();
        binary.iter().filter_map(|slice| slice.flow).for_each(|flow| *span_counts.entry(flow).or_default() += 1);
        for slice in &mut binary {
            assert_eq!(slice.flow, slice.message, "{example}");
            slice.flow = slice.flow.filter(|flow| span_counts[flow] > 1);
        }
        binary.sort();
        json_spans.sort();
        let difference = binary.iter().zip(&json_spans).find(|(a, b)| a != b);
        assert!(binary.len() == json_spans.len() && difference.is_none(), "{example}: {difference:?}");
        let text = fs::read_to_string(&json).expect("the trace can be read");
        assert!(text.contains(&format!("\"dropped_spans\":{dropped}}}")), "{example}: {dropped} dropped");
    }
}

#[test]
fn equal_runs_give_equal_bytes() {
    let folder = Folder::new("equal");
    let [first_path, second_path] = ["one.perfetto-trace", "two.perfetto-trace"].map(|name| folder.path(name));
    for path in [&first_path, &second_path] {
        run_ok(&["run", "open-loop", "--trace", path]);
    }
    let bytes = fs::read(&first_path).expect("the trace can be read");
    assert!(bytes == fs::read(&second_path).expect("the trace can be read"));
    assert!(bytes.len() > 1 << 20, "{} bytes", bytes.len());
    assert_eq!(fs::read_dir(&folder.0).expect("the folder can be read").count(), 2, "no other file");
}

#[test]
fn trace_that_cannot_be_written_is_one_error() {
    let output = narrows(&["run", "memory-bus", "--trace", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("error: cannot write `/dev/full`: ").count(), 1, "{}", stderr(&output));
    let output = narrows(&["run", "memory-bus", "--trace", "t.json", "--trace-spans", "50000001"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name a file that ends in `.pftrace`"), "{}", stderr(&output));
}

#[test]
fn interrupted_run_leaves_no_trace_and_keeps_the_earlier_one() {
    let folder = Folder::new("interrupted");
    let path = folder.path("t.pftrace");
    fs::write(&path, "earlier").expect("the file can be written");
    let arguments = ["run", "ping-pong", "--set=workload.ping-pong.messages=1000000", "--trace", &path];
    let spawned = interruptible(&arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let child = spawned.expect("the program starts");
    let file_count = || fs::read_dir(&folder.0).expect("the folder can be read").count();
    let has_begun = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        file_count() > 1
    });
    assert!(has_begun, "the run writes a temporary file");
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert_eq!((file_count(), fs::read_to_string(&path).expect("the file can be read").as_str()), (1, "earlier"));
}
