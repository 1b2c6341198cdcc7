//! Checks that any text is either read or reported with at least one problem, and never panics: descriptions, settings,
//! varied keys, quantities, graphs, packet traces, links and flows. See also `fuzz/`.

use narrows::engine::{Bytes, Hertz, Rate, Time};
use narrows::experiment::fit::curve::Curve;
use narrows::experiment::vary::Dimension;
use narrows::fabric::topology::graph;
use narrows::machine::{self, shipped};
use narrows::program::fabric_alone::trace;
use narrows::text::quantity::{self, Quantity};
use narrows::text::{Document, Problems};
use proptest::prelude::*;
use std::path::Path;

/// Reads a description; if it is refused, its problems must have a text.
fn read(text: &str, overrides: &[String]) {
    if let Err(problems) = machine::read(Document::Text("any.toml", text, None), overrides) {
        assert!(!problems.render(true).is_empty());
    }
}

fn example() -> &'static str {
    shipped::example("ping-pong").expect("the example is shipped")
}

/// Returns a shipped example with up to a dozen bytes replaced by other text.
fn damaged_example() -> impl Strategy<Value = String> {
    let replacement = "\\PC{0,6}|[0-9\"\\[\\]=.,-]{0,4}|[a-z-]{1,9} = [0-9]{1,20}\n|\"[0-9]{1,4} [kKMG]?i?B\"";
    (any::<prop::sample::Index>(), 0..12usize, replacement).prop_map(|(index, length, replacement)| {
        let text = example();
        let start = text.floor_char_boundary(index.index(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        format!("{}{replacement}{}", &text[..start], &text[end..])
    })
}

/// Returns settings of a known key, or of a similar one, to some value.
fn setting() -> impl Strategy<Value = String> {
    let keys = [
        "run.seed",
        "parts",
        "nodes",
        "nodes.sender.host",
        "hosts.x.io-bus.pci.clock",
        "ni",
        "ni.queues.packet",
        "ni.trapeze.policy",
        "ni.trapeze.policy.store-and-forward.buffers",
        "ni.trapeze.payload-max",
        "ni.trapeze.ring-entries",
        "protocol",
        "protocol.nifdy.window",
        "protocol.return-to-sender.flow-control-buffers",
        "messaging.message-max",
        "messaging.receive",
        "fabric",
        "fabric.mesh.shape",
        "fabric.myrinet.links",
        "fabric.myrinet.switches",
        "fabric.myrinet.flit",
        "workload",
        "workload.stream.flows",
        "workload.ping-pong.payload",
    ];
    let values = "\\PC{0,8}|[0-9]{1,20}|-?[0-9]{1,3}|[0-9]{1,4} (B|KiB|us|MB/s|GHz)|\\[\\]|\\{\\}|\\[\"a - b\"\\]\
                  |\\[\"switch\", \"switch\"\\]|\\[\"sender - receiver\"\\]|\\[\"sender -> receiver\"\\]|store-and-forward\
                  |queues|startjr|cni32qm|none|nifdy|return-to-sender|ideal|mesh|\\[2, 2\\]";
    (prop::sample::select(keys.to_vec()), values).prop_map(|(key, value)| format!("{key}={value}"))
}

/// Returns a strategy of edge lists, node-link JSON, and similar texts.
fn graph_text() -> impl Strategy<Value = String> {
    let line = "((node|router|link|weight|#)? ?[a-c0-9]{0,2} ?[-<>,]{0,2} ?[a-c0-9]{0,9} ?[0-9.-]{0,4}\n){0,6}";
    let json = "\\{\"(nodes|links|edges)\": ?\\[(\\{\"(id|source|target)\": ?[\"a0-3]{1,3}\\},?){0,3}\\](,\"(nodes|links)\":\\[\\])?\\}";
    prop_oneof![any::<String>(), line, json]
}

/// Returns a strategy of traces with their columns, and similar texts.
fn trace_text() -> impl Strategy<Value = String> {
    let rows = "(generated_cycle|source|x),(source|flits),(destination|arrived_cycle)(,flits)?\n([0-9\"-]{0,21}(,[0-9 ]{0,11}){0,4}\n){0,5}";
    let trace_rows = "([0-9]{1,20},[0-9]{1,10},[0-9]{1,10},[0-9]{0,20}\n){1,5}";
    let trace_text = trace_rows.prop_map(|rows| format!("generated_cycle,source,destination,arrived_cycle\n{rows}"));
    prop_oneof![any::<String>(), rows, trace_text]
}

/// Returns a strategy of measured curves as benchmarks print them, and similar texts.
fn curve_text() -> impl Strategy<Value = String> {
    let table = "( #bytes #iterations    t_(min|typical)\\[usec\\]|size \\[B\\], latency \\[us\\]|# Size +(Bandwidth|Avg) \\(MB/s\\))\n\
                 ( ?[0-9]{1,20}[, ]{1,3}[0-9.eE+-]{1,9}([, ]{1,3}[0-9.]{0,9}){0,3}\n){0,5}";
    let netperf = "(MIGRATED (TCP|UDP) (STREAM|REQUEST/RESPONSE) TEST from h\n(bytes secs\\. 10\\^[36]bits/sec|bytes per sec)\n\
                   ([0-9.]{1,9}( +[0-9.]{1,12}){0,7}\n){0,3}){0,3}";
    let sockperf = "((\\$ sockperf (pp|tp)( -m ?[0-9]{0,20}| --msg-size[= ]?[0-9]{0,4})?|using msg-size=[0-9]{0,5})\n\
                    sockperf: (Summary: (Latency|Round trip|BandWidth) is [0-9.]{0,9}|---> percentile 50.000 = ?[0-9.]{0,6})\n){0,4}";
    prop_oneof![any::<String>(), "\\PC{0,9}(\n\\PC{0,20}){0,5}", table, netperf, sockperf]
}

/// Checks that a quantity's printed form reads back as the same value.
fn assert_round_trip<Q: Quantity + PartialEq + std::fmt::Debug + std::fmt::Display>(text: &str) {
    if let Ok(value) = quantity::parse::<Q>(text) {
        assert_eq!(quantity::parse::<Q>(&value.to_string()), Ok(value), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_description_panics(text in "\\PC*|(\\PC{0,9}\n){0,9}") {
        read(&text, &[]);
    }

    #[test]
    fn no_damaged_example_panics(text in damaged_example()) {
        read(&text, &[]);
    }

    #[test]
    fn no_settings_panic(overrides in prop::collection::vec(setting(), 1..4)) {
        read(example(), &overrides);
    }

    #[test]
    fn description_that_reads_can_be_built(overrides in prop::collection::vec(setting(), 1..4)) {
        let document = Document::Text("any.toml", example(), None);
        if let Ok(read) = machine::read(document, &overrides) {
            machine::build::build(&read.value, narrows::engine::Recorder::off());
        }
    }

    #[test]
    fn no_links_and_no_flows_panic(links in prop::collection::vec("(sender|receiver|switch|s|\\PC{0,3})( - | -> |-)(sender|receiver|switch|s|\\PC{0,3})", 0..5)) {
        let list = format!("{links:?}");
        read(example(), &[format!("fabric.myrinet.links={list}"), "fabric.myrinet.switches=[\"switch\", \"s\"]".to_owned()]);
        read(shipped::example("stream").expect("the example is shipped"), &[format!("workload.stream.flows={list}")]);
    }

    #[test]
    fn no_measured_curve_panics(text in curve_text()) {
        match Curve::read(Path::new("curve.txt"), &text) {
            Ok(curve) => prop_assert!(curve.samples.iter().all(|sample| sample.value > 0.0 && sample.value.is_finite())),
            Err(problems) => prop_assert!(!problems.render(true).is_empty()),
        }
    }

    #[test]
    fn no_graph_panics(text in graph_text()) {
        match graph::parse(&text) {
            Ok(graph) => prop_assert!(graph == graph::parse(&text).expect("the text is valid")),
            Err(problems) => prop_assert!(!problems.is_empty()),
        }
    }

    #[test]
    fn no_trace_panics(text in trace_text()) {
        match trace::read(&text) {
            Ok(packets) => prop_assert!(packets.is_sorted_by_key(|packet| packet.generation_cycle)),
            Err(problem) => prop_assert!(problem.line > 0 && !problem.message.is_empty(), "{problem}"),
        }
    }

    #[test]
    fn printed_quantity_reads_back_as_itself(text in "\\PC{0,9}|-?[0-9]{0,22}(\\.[0-9]{0,13})? ?([kKMGT]?i?(B|bit|Hz|bit/s|B/s)|[pnum]?s)") {
        assert_round_trip::<Time>(&text);
        assert_round_trip::<Bytes>(&text);
        assert_round_trip::<Rate>(&text);
        assert_round_trip::<Hertz>(&text);
    }

    #[test]
    fn no_vary_panics(option in "\\PC*|[a-c.]{1,4}=[0-9a-zA-Z .,;=*+\"'\\[\\]{}]{0,40}") {
        match Dimension::parse(&option) {
            Ok(dimension) => prop_assert!(!dimension.is_empty()),
            Err(problem) => prop_assert!(!Problems::from_problem(problem).render(true).is_empty()),
        }
    }
}
