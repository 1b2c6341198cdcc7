//! Tests of traces: they parse, are exact, and their flows refer to slices that exist.

use super::*;
use narrows_core::engine::{Bytes, Time, TrackId};
use proptest::prelude::*;
use serde_json::Value;

fn span(track: u32, message: Option<u64>, start: u64, end: u64) -> Span {
    let (start, end) = (Time::from_ps(start), Time::from_ps(end));
    Span { track: TrackId(track), activity: "dma \"x\"", message, bytes: Bytes(128), start, end }
}

fn timeline(spans: Vec<Span>) -> Timeline {
    let track = |group: &str, name: &str| (group.to_owned(), name.to_owned());
    let tracks = vec![track("node 0", "bus"), track("node 1", "bus"), track("node 0", "tx\n")];
    Timeline { tracks, spans, dropped: 7 }
}

fn trace_text(timeline: &Timeline) -> String {
    let mut out = Vec::new();
    write(timeline, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn events(timeline: &Timeline, phase: &str) -> Vec<Value> {
    let json: Value = serde_json::from_str(&trace_text(timeline)).unwrap();
    json["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == phase).cloned().collect()
}

#[test]
fn times_are_exact_and_names_are_escaped() {
    let timeline = timeline(vec![span(2, Some(4), 1, 12_345_678_901_234_567)]);
    let text = trace_text(&timeline);
    assert!(text.contains("\"ts\":0.000001,\"dur\":12345678901.234566,"), "{text}");
    assert!(text.contains("\"dropped_spans\":7"));
    let slice = &events(&timeline, "X")[0];
    assert_eq!((&slice["name"], &slice["args"]["message"]), (&"dma \"x\"".into(), &4.into()));
    assert_eq!((&slice["pid"], &slice["tid"]), (&1.into(), &3.into()));
    assert!(text.contains("{\"name\":\"tx\\n\"}"));
}

#[test]
fn empty_timeline_is_a_valid_trace() {
    assert!(serde_json::from_str::<Value>(&trace_text(&Timeline::default())).is_ok());
    assert!(events(&timeline(vec![]), "X").is_empty());
}

#[test]
fn spans_of_a_message_are_joined_in_time_order() {
    let timeline = timeline(vec![
        span(1, Some(1), 30, 40),
        span(0, Some(1), 0, 10),
        span(2, Some(1), 10, 30),
        span(2, Some(2), 5, 6),
    ]);
    let timestamps = |phase| events(&timeline, phase).iter().map(|e| e["ts"].as_f64().unwrap()).collect::<Vec<_>>();
    assert_eq!((timestamps("s"), timestamps("t"), timestamps("f")), (vec![0.0], vec![0.00001], vec![0.00003]));
}

#[test]
fn crossing_spans_get_separate_lanes() {
    let timeline =
        timeline(vec![span(0, None, 0, 10), span(0, None, 5, 15), span(0, None, 6, 10), span(0, None, 10, 12)]);
    let thread_ids: Vec<i64> = events(&timeline, "X").iter().map(|e| e["tid"].as_i64().unwrap()).collect();
    assert_eq!(thread_ids, [1, 2, 1, 1]);
    assert!(trace_text(&timeline).contains("\"bus (2)\""));
}

/// Returns the picoseconds of a time in a trace.
fn picoseconds(value: &Value) -> u64 {
    (value.as_f64().unwrap() * 1e6).round() as u64
}

proptest! {
    #[test]
    fn slices_are_nested_or_disjoint_and_flows_belong_to_slices(
        span_fields in prop::collection::vec((0u32..3, prop::option::of(0u64..4), 0u64..60, 0u64..30), 0..60),
    ) {
        let spans = span_fields
            .iter()
            .map(|&(track, message, start, duration)| span(track, message, start, start + duration))
            .collect();
        let timeline = timeline(spans);
        let slices = events(&timeline, "X");
        prop_assert_eq!(slices.len(), timeline.spans.len());
        for (i, a) in slices.iter().enumerate() {
            for b in slices[i + 1..].iter().filter(|b| b["tid"] == a["tid"]) {
                let (a, b) = ((picoseconds(&a["ts"]), picoseconds(&a["ts"]) + picoseconds(&a["dur"])), (picoseconds(&b["ts"]), picoseconds(&b["ts"]) + picoseconds(&b["dur"])));
                prop_assert!(a.0 <= b.0 && (b.0 >= a.1 || b.1 <= a.1), "{:?} crosses {:?}", a, b);
            }
        }
        let trace: Value = serde_json::from_str(&trace_text(&timeline)).unwrap();
        for pair in trace["traceEvents"].as_array().unwrap().windows(2).filter(|pair| "stf".contains(pair[1]["ph"].as_str().unwrap())) {
            prop_assert_eq!((&pair[0]["ph"], &pair[0]["tid"], &pair[0]["ts"]), (&"X".into(), &pair[1]["tid"], &pair[1]["ts"]));
            prop_assert_eq!(&pair[0]["args"]["message"], &pair[1]["id"]);
        }
    }
}
