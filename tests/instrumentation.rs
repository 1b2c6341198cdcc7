//! Checks that every combination of parts has traces, resources and latency metrics, and that a trace changes no
//! result. The tests run a sample of the compatible combinations of hosts, interfaces, protocols, fabrics and programs;
//! programs that drive a fabric without hosts; and every shipped example.

use crate::common::parts::{pairwise_combinations, read_valid};
use crate::common::small::{parts, read, small_machine};
use narrows::engine::{Recorder, Span, Timeline};
use narrows::experiment::{RunResult, run};
use narrows::machine::combinations::Combination;
use narrows::machine::{self, Machine, Registry, build::build, shipped};
use narrows::testing::HOSTS;
use narrows::text::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const SPANS_MAX: usize = 1 << 20;

/// The sample takes every `SAMPLING_STEP`-th compatible combination, and the first one with each part.
const SAMPLING_STEP: usize = 31;

/// Returns a sample of the compatible combinations, with small inputs.
fn sampled_combinations() -> Vec<(Combination, Machine)> {
    let accepted = Registry::shared()
        .combinations()
        .into_iter()
        .filter(|combination| combination.refusal_reasons.is_empty() && HOSTS.contains(&combination.host));
    let mut covered_parts = BTreeSet::new();
    let mut is_sampled = |index: usize, combination: &Combination| {
        let [host, ni, protocol, fabric] = parts(combination).map(str::to_owned);
        let is_new_part =
            [host, ni, protocol, fabric, combination.workload.to_owned()].map(|part| covered_parts.insert(part));
        index.is_multiple_of(SAMPLING_STEP) || is_new_part.contains(&true)
    };
    let sampled =
        accepted.enumerate().filter_map(|(index, combination)| is_sampled(index, &combination).then_some(combination));
    sampled.filter_map(|combination| Some((combination.clone(), small_machine(&combination).ok()?))).collect()
}

/// Returns all results of a run except its spans, as text.
fn without_spans(mut result: RunResult) -> String {
    result.timeline = Timeline::default();
    format!("{result:?}")
}

fn spans_by_track(timeline: &Timeline) -> BTreeMap<(&str, &str), Vec<&Span>> {
    let mut tracks: BTreeMap<_, Vec<&Span>> = BTreeMap::new();
    for span in &timeline.spans {
        let (group, name) = &timeline.tracks[span.track.0 as usize];
        tracks.entry((group.as_str(), name.as_str())).or_default().push(span);
    }
    tracks
}

/// Returns whether a track's resource serves one message at a time.
fn is_exclusive((group, name): (&str, &str)) -> bool {
    let parts = ["processor", "PCI", "memory", "memory bus", "netTx", "netRcv", "firmware"];
    group == "fabric" || parts.contains(&name)
}

/// Returns the overlapping spans on tracks whose resource serves one message at a time.
fn overlaps(timeline: &Timeline) -> Vec<String> {
    let mut errors = Vec::new();
    for (track, mut spans) in spans_by_track(timeline).into_iter().filter(|(track, _)| is_exclusive(*track)) {
        spans.sort_by_key(|span| (span.start, span.end));
        let pairs = spans.windows(2).filter(|pair| pair[1].start < pair[0].end);
        errors.extend(pairs.map(|pair| format!("{track:?}: {:?} and {:?}", pair[0], pair[1])));
    }
    errors
}

/// Returns the resources that were busy for longer than the run, or moved data for longer than they were busy.
fn impossible_utilisations(result: &RunResult) -> Vec<String> {
    let errors =
        result.resources.iter().filter(|resource| resource.busy > result.end || resource.active > resource.busy);
    errors.map(|resource| format!("{resource:?} in {}", result.end)).collect()
}

/// Returns the delivered messages that have no span at their source or at their destination.
fn messages_without_span(machine: &Machine) -> Vec<String> {
    let built = build(machine, Recorder::with_spans_max(SPANS_MAX).with_messages());
    built.run();
    let timeline = built.world.sim.recorder().take();
    let nodes_with_spans: BTreeSet<(&str, u64)> = timeline
        .spans
        .iter()
        .filter_map(|span| Some((timeline.tracks[span.track.0 as usize].0.as_str(), span.message?)))
        .collect();
    let delivered = built.world.tally.delivered();
    let endpoints = delivered.iter().flat_map(|(message, _)| {
        [message.source, message.destination].map(|endpoint| {
            let node = built.world.endpoint(endpoint).node();
            (built.world.node(node).name.clone(), message.id)
        })
    });
    endpoints
        .filter(|(node, id)| !nodes_with_spans.contains(&(node.as_str(), *id)))
        .map(|endpoint| format!("{endpoint:?}"))
        .collect()
}

/// Returns the latency metrics that are missing, not in order, or different from the distribution of the same name.
fn invalid_latency_metrics(result: &RunResult, name: &str) -> Vec<String> {
    let suffixes = ["_min", "_p50", "_p90", "_p99", "_p999", "_max"];
    let values = suffixes.map(|suffix| result.metric(&format!("{name}{suffix}")));
    let measured: Vec<f64> = values.iter().flatten().copied().collect();
    let mut is_valid = values[0].is_some_and(|lowest| lowest > 0.0) && values[5].is_some() && measured.is_sorted();
    let distribution = result.distributions.iter().find(|distribution| *distribution.name == *name);
    is_valid &= distribution.is_some_and(|distribution| {
        distribution.statistics().into_iter().all(|(suffix, statistic)| {
            match result.metric(&format!("{name}{suffix}")) {
                Some(exact) => (exact..=exact * (1.0 + 1.0 / 128.0)).contains(&statistic),
                None => statistic.is_nan(),
            }
        })
    });
    if is_valid { Vec::new() } else { vec![format!("{name}: {values:?}, {distribution:?}")] }
}

/// Returns the parts of the machine that are missing among the resources of its run.
fn missing_resources(result: &RunResult, machine: &Machine) -> Vec<String> {
    let names: BTreeSet<&str> = result.resources.iter().map(|resource| resource.name.as_str()).collect();
    let processors = machine.nodes.iter().map(|node| format!("{} processor", node.name));
    let links = machine.nodes.iter().flat_map(|node| [format!("link {} → ", node.name), format!("→ {}", node.name)]);
    let is_reported = |name: &str| names.contains(name);
    let is_link = |part: &str| names.iter().any(|name| name.contains(part) || name.contains(&part.replace("→ n", "n")));
    let processors = processors.filter(|name| !is_reported(name)).collect::<Vec<_>>();
    processors.into_iter().chain(links.filter(|part| !is_link(part))).collect()
}

fn instrumentation_errors(combination: &Combination, machine: &Machine) -> Vec<String> {
    let (traced, untraced) = (run(machine, Recorder::with_spans_max(SPANS_MAX)), run(machine, Recorder::off()));
    let mut errors = overlaps(&traced.timeline);
    if traced.timeline.spans.is_empty() || traced.timeline.dropped > 0 {
        errors.push(format!("{} spans, {} dropped", traced.timeline.spans.len(), traced.timeline.dropped));
    }
    errors.extend(impossible_utilisations(&untraced));
    errors.extend(missing_resources(&untraced, machine));
    errors.extend(messages_without_span(machine));
    // If hardware keeps memory coherent, a program may send no message.
    let is_silent = untraced.metric("packets.sent") == Some(0.0) && combination.ni == "ni/cmmu";
    let latency = match combination.workload {
        "dma" => None,
        "verbs" => Some("verbs.latency"),
        _ => Some("message.latency_one_way"),
    };
    if let Some(latency) = latency.filter(|_| !is_silent) {
        errors.extend(invalid_latency_metrics(&untraced, latency));
    }
    if without_spans(traced) != without_spans(untraced) {
        errors.push("the trace changed the run".to_owned());
    }
    errors.iter().take(3).map(|error| format!("{:?} {}: {error}", parts(combination), combination.workload)).collect()
}

#[test]
fn traces_and_metrics_cover_every_combination_and_change_no_result() {
    let sample = sampled_combinations();
    assert!(sample.len() > 100, "{} combinations are sampled", sample.len());
    let errors: Vec<String> =
        sample.iter().flat_map(|(combination, machine)| instrumentation_errors(combination, machine)).collect();
    assert!(errors.is_empty(), "{} of {}:\n{}", errors.len(), sample.len(), errors.join("\n"));
}

/// Returns a machine in which `workload` drives a mesh of 16 nodes without hosts.
fn fabric_only_machine(workload: &str) -> Machine {
    let fabric = "fabric.mesh = { shape = [4, 4] }\nfabric.router = { virtual-channels = 2, networks = 2 }";
    read(&format!("{fabric}\n[workload.{workload}\n")).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn fabric_only_program_has_spans_resources_and_latencies() {
    let offered = "offered]\npattern = \"uniform\"\nload = 0.3\npacket-flits = 4\nwarm-up = 100\ncycles = 500";
    for (workload, name) in [(offered, "offered.latency"), ("zero-load]\nsources = 3", "zero_load.latency")] {
        let machine = fabric_only_machine(workload);
        let (traced, untraced) = (run(&machine, Recorder::with_spans_max(SPANS_MAX)), run(&machine, Recorder::off()));
        let errors =
            [overlaps(&traced.timeline), impossible_utilisations(&untraced), invalid_latency_metrics(&untraced, name)]
                .concat();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
        // There are two resources for each node, and two for each of 24 pairs of neighbours.
        assert_eq!(untraced.resources.len(), 2 * 16 + 2 * 24);
        assert_eq!(without_spans(traced), without_spans(untraced), "the trace changed the run");
    }
}

#[test]
fn a_packet_has_a_span_on_each_link_that_it_crosses() {
    let result = run(&fabric_only_machine("zero-load]\nsources = 1"), Recorder::with_spans_max(SPANS_MAX));
    let tracks = spans_by_track(&result.timeline);
    let spans = |part: &str| -> usize {
        tracks.iter().filter(|((_, name), _)| name.contains(part)).map(|(_, spans)| spans.len()).sum()
    };
    assert_eq!([spans("node 0 →"), spans("→ node 15"), spans("→ node 0")], [15, 1, 0]);
    // A packet crosses two links at the ends, and as many links between routers as its distance. In each of the two
    // dimensions, each of the distances 0 to 3 occurs for four nodes.
    assert_eq!(result.timeline.spans.len(), 2 * 15 + 2 * 4 * (1 + 2 + 3));
}

#[test]
fn spans_of_a_fabric_are_bounded_and_counted() {
    let machine = fabric_only_machine("offered]\npattern = \"uniform\"\nload = 0.3\nwarm-up = 100\ncycles = 500");
    let all_spans = run(&machine, Recorder::with_spans_max(SPANS_MAX)).timeline;
    let first_spans = run(&machine, Recorder::with_spans_max(10)).timeline;
    assert_eq!((first_spans.spans.len(), first_spans.dropped), (10, all_spans.spans.len() as u64 - 10));
    assert_eq!(first_spans.spans, all_spans.spans[..10]);
    assert!(first_spans.tracks.len() <= 10, "no track is registered for a dropped span");
}

#[test]
fn every_example_has_spans() {
    for name in shipped::examples() {
        let text = shipped::example(name).expect("a listed example is shipped");
        let read = machine::read(Document::Text(name, text, Some(Path::new(shipped::SHIPPED))), &[])
            .unwrap_or_else(|errors| panic!("{errors}"));
        let result = run(&read.value, Recorder::with_spans_max(1_000));
        assert!(!result.timeline.spans.is_empty(), "{name}");
        let errors = [impossible_utilisations(&result), overlaps(&result.timeline)].concat();
        assert!(errors.is_empty(), "{name}:\n{}", errors.join("\n"));
    }
}

/// A description of bursts whose run ends, after its cycles, while a processor is ahead of the simulation. One message
/// takes the whole run.
const CUT_OFF: &str = "parts = [\"hosts/memory-bus-1998\", \"ni/cni32qm\", \"fabrics/nifdy-torus\"]\n\
                       [nodes.n]\nhost = \"memory-bus-1998\"\ncount = 4\n[fabric.router]\nclock = \"0.033 MHz\"\n\
                       [workload.bursts]\nphases = 1\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]\n";

#[test]
fn no_measured_message_takes_longer_than_its_run() {
    let cut_off = read_valid(CUT_OFF, &[]);
    let result = run(&cut_off, Recorder::off().with_messages());
    let longest_latency = result.metric("message.latency_one_way_max").expect("a message was delivered");
    assert!(longest_latency <= result.end.as_us(), "{longest_latency} us in a run of {}", result.end);
    for combination in pairwise_combinations("ping-pong") {
        let machine = small_machine(&combination).unwrap_or_else(|problems| panic!("{combination:?}: {problems}"));
        let result = run(&machine, Recorder::off().with_messages());
        assert!(
            result.deliveries.iter().all(|delivery| delivery.at <= result.end),
            "{combination:?} ends at {}",
            result.end
        );
    }
}
