//! Checks that networks from files behave as the built-in ones, in each format: leaf-spine networks, two-tier fat trees
//! and dragonflies as edge lists, node-link JSON and GraphML, with names of hosts and with rates and latencies of
//! links.

mod network_file;

use crate::common::cli;
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{RunResult, run};
use narrows::fabric::topology::survey::{Deadlock, Survey};
use narrows::machine::{self, Machine};
use narrows::text::Document;
use network_file::{File, Link, Network};
use std::collections::BTreeMap;
use std::fs;

fn read(text: &str) -> Result<Machine, String> {
    let read = machine::read(Document::Text("test.toml", text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

fn machine(text: &str) -> Machine {
    read(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn run_to_completion(text: &str) -> RunResult {
    let result = run(&machine(text), Recorder::off());
    assert!(result.outcome.is_complete(), "{text}: {:?}", result.outcome);
    result
}

fn metrics(text: &str) -> BTreeMap<String, f64> {
    run_to_completion(text).metrics.into_iter().map(|metric| (metric.name, metric.value)).collect()
}

fn survey_of_fabric(fabric: &str) -> Survey {
    machine(&format!("{fabric}\n[workload.offered]\nload = 0.1\n")).survey().expect("the fabric has routers")
}

/// Returns the measures of a network that depend neither on its name nor on its formula of distances.
fn survey_measures(survey: &Survey) -> (u32, u32, u64, u32, u32, f64, u64, Deadlock) {
    let Survey { nodes, routers, links, degree, diameter, hops_mean, bisection, .. } = *survey;
    (nodes, routers, links, degree, diameter, hops_mean, bisection, survey.deadlock.clone())
}

const OFFERED: &str = "[workload.offered]\nload = 0.35\npacket-flits = 5\nwarm-up = 200\ncycles = 800\n";
const ROUTER: &str = "[fabric.router]\nvirtual-channels = 2\nbuffer-flits = 4\nwire-delay = 2\n";
const BURSTS: &str = "parts = [\"hosts/cm-5\"]\n[ni.queues]\n[protocol.nifdy]\n[messaging]\nin-order = true\n\
                      [workload.bursts]\nphases = 2\npackets = [1, 4]\n";

/// Returns the zero-load metrics under names whose distances count only the links between routers: the distances of a
/// fat tree include `links_of_nodes` links of nodes, which are subtracted.
fn zero_load(fabric: &str, links_of_nodes: u32) -> BTreeMap<String, f64> {
    let rename = |(name, value): (String, f64)| {
        let Some(distance_and_statistic) = name.strip_prefix("zero_load.d") else { return (name, value) };
        let (distance, statistic) = distance_and_statistic.split_once('.').expect("a distance");
        let links = distance.parse::<u32>().expect("a number") - links_of_nodes;
        (format!("zero_load.d{links}.{statistic}"), value)
    };
    metrics(&format!("{fabric}{ROUTER}[workload.zero-load]\n")).into_iter().map(rename).collect()
}

/// Asserts that a network from a file yields the results of the built-in fat tree to the last digit, because its tables
/// hold the same routes, and its routers and ports have the same order.
fn assert_runs_as_fat_tree(network: &Network, keys: &str, name: &str) {
    let fat_tree = format!("[fabric.fat-tree]\n{keys}\n");
    let expected = survey_measures(&survey_of_fabric(&fat_tree));
    assert_eq!(expected.7, Deadlock::Free);
    let offered = |fabric: &str| metrics(&format!("{OFFERED}{fabric}{ROUTER}"));
    let bursts = |fabric: &str| metrics(&format!("{BURSTS}{fabric}{ROUTER}networks = 2\n"));
    let runs = |fabric: &str, links_of_nodes| (offered(fabric), bursts(fabric), zero_load(fabric, links_of_nodes));
    let expected_runs = runs(&fat_tree, 2);
    assert!(expected_runs.0["offered.latency"] > 0.0 && expected_runs.1["packets.delivered"] > 0.0);
    for file in network.files(name) {
        let fabric = file.fabric("");
        assert_eq!(survey_measures(&survey_of_fabric(&fabric)), expected, "{:?}", file.0);
        // The results are compared as text, because the bounds of a mean of few samples are NaN, which equals no
        // number.
        assert_eq!(format!("{:?}", runs(&fabric, 0)), format!("{expected_runs:?}"), "{:?}", file.0);
    }
}

#[test]
fn leaf_spine_from_a_file_runs_as_the_built_in_one() {
    assert_runs_as_fat_tree(&Network::leaf_spine(4, 4, 2), "nodes = 16\nparents = [2]", "leaf-spine");
}

#[test]
fn two_tier_fat_tree_from_a_file_runs_as_the_built_in_one() {
    assert_runs_as_fat_tree(&Network::leaf_spine(4, 4, 4), "nodes = 16", "fat-tree");
    assert_runs_as_fat_tree(&Network::leaf_spine(3, 3, 3), "nodes = 9\narity = 3", "small-fat-tree");
}

#[test]
fn dragonfly_from_a_file_has_its_distances_and_delivers() {
    let network = Network::dragonfly(2, 3, 1);
    let files = network.files("dragonfly");
    for routing in ["up-down", "distance-classes"] {
        let keys =
            format!("routing = \"{routing}\"\n{}", ROUTER.replace("virtual-channels = 2", "virtual-channels = 3"));
        let results = files.each_ref().map(|file| {
            let fabric = file.fabric(&keys);
            let survey = survey_of_fabric(&fabric);
            // A switch has two neighbours in its group and one in another group, so a route has a local, a global and a
            // local link.
            assert_eq!((survey.nodes, survey.routers, survey.degree, survey.diameter), (24, 12, 3, 3));
            assert_eq!(survey.links, 2 * (4 * 3 + 6), "{survey}");
            assert_eq!((survey.deadlock.clone(), survey.is_complete()), (Deadlock::Free, true), "{survey}");
            assert!(routing == "up-down" || survey.distance_max == 3, "{survey}");
            let load = OFFERED.replace("0.35", "0.1");
            let bursts = metrics(&format!("{BURSTS}{fabric}networks = 2\n"));
            assert_eq!(bursts["packets.sent"], bursts["packets.delivered"]);
            assert_eq!(bursts["frames.in_flight"], 0.0);
            (metrics(&format!("{load}{fabric}")), bursts)
        });
        assert_eq!(results[0].0["offered.unfinished"], 0.0);
        let [list, json, graphml] = results.map(|metrics| format!("{metrics:?}"));
        assert_eq!((&list, &list), (&json, &graphml), "{routing}");
    }
    // On shortest paths over one channel, packets of a dragonfly can wait for each other in a cycle.
    let fabric = files[0].fabric("routing = \"shortest-path\"\n[fabric.router]\nvirtual-channels = 1\n");
    let problems = read(&format!("{fabric}\n{OFFERED}")).unwrap_err();
    assert!(
        problems.contains("packets can wait for one another in a cycle") && problems.contains("router g"),
        "{problems}"
    );
    let few_channels = files[0].fabric("routing = \"distance-classes\"\n[fabric.router]\nvirtual-channels = 2\n");
    let problems = read(&format!("{few_channels}\n{OFFERED}")).unwrap_err();
    assert!(problems.contains("can deadlock with fewer than 3 virtual channels"), "{problems}");
}

#[test]
fn a_dragonfly_of_seventy_two_hosts_cannot_deadlock() {
    let [file, ..] = Network::dragonfly(2, 4, 2).files("large-dragonfly");
    let survey = survey_of_fabric(&file.fabric("routing = \"distance-classes\"\n"));
    assert_eq!((survey.nodes, survey.routers, survey.diameter, survey.distance_max), (72, 36, 3, 3));
    assert_eq!(survey.deadlock, Deadlock::Free);
}

/// Returns two switches with a host each, whose link has this rate and this latency.
fn pair_network(rate: Option<&'static str>, latency: Option<&'static str>) -> Network {
    let switch_link = Link { rate, latency, ..Link::new("s0", "s1") };
    let hosts = ["h0", "h1"].map(str::to_owned).to_vec();
    let links = vec![Link::new("h0", "s0"), Link::new("h1", "s1"), switch_link];
    Network { hosts, switches: vec!["s0".to_owned(), "s1".to_owned()], links }
}

#[test]
fn a_link_has_its_own_latency() {
    let zero_load_of_files =
        |network: &Network, name: &str| network.files(name).map(|file| zero_load(&file.fabric(""), 0));
    let [default_metrics, ..] = zero_load_of_files(&pair_network(None, None), "latency");
    for metrics in zero_load_of_files(&pair_network(None, Some("502 ns")), "longer-latency") {
        // The wire delay of two cycles of 1 ns is replaced.
        for statistic in ["min", "max"] {
            let name = format!("zero_load.d1.latency_{statistic}");
            assert_eq!(metrics[&name], default_metrics[&name] + 500.0);
        }
    }
    let mut network = pair_network(None, None);
    network.links[0].latency = Some("7 ns");
    let [longer_metrics, ..] = zero_load_of_files(&network, "host-latency");
    assert_eq!(
        longer_metrics["zero_load.d1.latency_min"],
        default_metrics["zero_load.d1.latency_min"] + 7.0,
        "both directions have the longer latency"
    );
    assert_eq!(longer_metrics["zero_load.d1.latency_max"], default_metrics["zero_load.d1.latency_max"] + 7.0);
}

#[test]
fn a_link_has_its_own_rate() {
    // Flits have 4 B at 1 GHz: a link of 32 Gbit/s moves one flit in each cycle, and a link of 8 Gbit/s one in four
    // cycles.
    let load = OFFERED.replace("load = 0.35", "load = 0.6").replace("cycles = 800", "cycles = 8000");
    let accepted_load = |rate: &'static str| {
        let files = pair_network(Some(rate), None).files(&rate.replace([' ', '/'], ""));
        let metrics_by_format = files.map(|file| metrics(&format!("{load}{}{ROUTER}", file.fabric(""))));
        let [list, json, graphml] = metrics_by_format.each_ref().map(|metrics| format!("{metrics:?}"));
        assert_eq!((&list, &list), (&json, &graphml));
        metrics_by_format[0]["offered.accepted"]
    };
    let [full_rate, quarter_rate] = ["32 Gbit/s", "8 Gbit/s"].map(accepted_load);
    // Each node sends only to the other node, so the accepted load is the offered load, or at most a flit in four
    // cycles.
    assert!((full_rate - 0.6).abs() < 0.03, "{full_rate}");
    assert!((quarter_rate - 0.25).abs() < 0.005, "{quarter_rate}");
    let [file, ..] = pair_network(Some("8 Gbit/s"), None).files("used");
    let result = run_to_completion(&format!("{load}{}{ROUTER}", file.fabric("")));
    let link = result.resources.iter().find(|resource| resource.name.contains("s0.1 → s1.1")).expect("a link by name");
    let busy_fraction = link.busy.as_us() / result.end.as_us();
    assert!(busy_fraction > 0.9 && busy_fraction <= 1.0, "{busy_fraction}");
}

#[test]
fn rates_that_are_no_whole_cycles_per_flit_are_refused_with_their_lines() {
    for (file, line) in pair_network(Some("10 Gbit/s"), None).files("uneven").into_iter().zip([4, 7, 13]) {
        let problems = read(&format!("{}\n{OFFERED}", file.fabric(""))).unwrap_err();
        let expected = format!("line {line}: the link of `s0` and `s1`: at 10 Gbit/s a flit of 4 B takes 3.200 cycles");
        assert!(problems.contains(&expected), "{problems}");
        assert_eq!(problems.matches("error").count(), 1, "{problems}");
        assert!(problems.contains("the nearest rates are 10.666666666 Gbit/s and 8 Gbit/s"), "{problems}");
    }
    for (attributes, message) in [
        ((Some("64 Gbit/s"), None), "is more than a flit of 4 B in each cycle of 1 GHz, 32 Gbit/s"),
        ((None, Some("1.5 ns")), "a latency of 1.5 ns is 1.500 cycles of 1 GHz, not a whole number"),
    ] {
        let [file, ..] = pair_network(attributes.0, attributes.1).files("refused");
        let problems = read(&format!("{}\n{OFFERED}", file.fabric(""))).unwrap_err();
        assert!(problems.contains(message), "{problems}");
    }
}

const STREAM: &str = "[ni.queues]\n[protocol.none]\n[messaging]\nin-order = false\n\
                      [workload.stream]\nwarm-up = 0\nmessages = 10\npayload = \"24 B\"\n";

/// Reads a machine of two leaves with two hosts each, with this description of the nodes.
fn machine_with_flows(nodes: &str, flows: &str) -> Result<Machine, String> {
    let [file, ..] = Network::leaf_spine(2, 2, 1).files(&format!("names-{}", nodes.len() + 100 * flows.len()));
    let fabric = file.fabric("[fabric.router]\nclock = \"1 MHz\"\n");
    read(&format!("parts = [\"hosts/cm-5\"]\n{nodes}{STREAM}flows = {flows}\n{fabric}"))
}

#[test]
fn hosts_keep_their_names() {
    let machine = machine_with_flows("", "[\"h[1..3] -> h0\"]").unwrap_or_else(|problems| panic!("{problems}"));
    let names: Vec<&str> = machine.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["h0", "h1", "h2", "h3"]);
    let result = run(&machine, Recorder::off());
    assert_eq!((result.outcome.clone(), result.metric("messages.delivered")), (Outcome::Done, Some(30.0)));
    assert!(result.resources.iter().any(|resource| resource.name.contains("h0 → leaf0.0")), "{:?}", result.resources);
    assert!(result.resources.iter().any(|resource| resource.name.contains("leaf1.2 → spine0.1")));
    let problems = machine_with_flows("", "[\"x* -> h0\"]").unwrap_err();
    assert!(problems.contains("the pattern `x*` yields no flow"), "{problems}");
}

#[test]
fn nodes_are_placed_by_the_names_of_hosts() {
    let node = |name: &str| format!("nodes.{name} = {{ host = \"cm-5\" }}\n");
    let nodes = |names: &[&str]| names.iter().map(|name| node(name)).collect::<String>();
    let latency = |names: &[&str], flows: &str| {
        let machine = machine_with_flows(&nodes(names), flows).unwrap_or_else(|problems| panic!("{problems}"));
        let result = run(&machine, Recorder::off());
        assert_eq!(result.outcome, Outcome::Done);
        result.metric("message.latency_one_way").expect("a latency")
    };
    // Hosts h0 and h1 are at one leaf, and h2 is at the other, whatever the order of the description.
    let near_latency = latency(&["h0", "h1", "h2", "h3"], "[\"h0 -> h1\"]");
    let far_latency = latency(&["h0", "h1", "h2", "h3"], "[\"h0 -> h2\"]");
    assert!(near_latency < far_latency);
    assert_eq!(latency(&["h3", "h0", "h2", "h1"], "[\"h0 -> h1\"]"), near_latency);
    assert_eq!(latency(&["h2", "h0"], "[\"h0 -> h2\"]"), far_latency);
    // If nodes have other names, they take the hosts in order.
    assert_eq!(latency(&["a", "b", "c"], "[\"a -> b\"]"), near_latency);
    assert_eq!(latency(&["a", "b", "c"], "[\"a -> c\"]"), far_latency);
    let problems = machine_with_flows(&nodes(&["h0", "b"]), "[\"h0 -> b\"]").unwrap_err();
    assert!(problems.contains("node `b` is not a host of the graph, and other nodes are"), "{problems}");
}

#[test]
fn incast_of_the_documentation_has_few_lines_and_runs() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/loads.md")).expect("a page");
    let (_, text_after_heading) = page.split_once("This is an incast of 31 senders:").expect("the example");
    let text = text_after_heading.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    assert!(text.lines().count() <= 12, "{text}");
    let file = File::new("incast.toml", text);
    let short_run = ["run", file.0.to_str().expect("a path"), "--set", "workload.stream.messages=2"];
    let result = cli::as_json(&short_run);
    assert_eq!(result["outcome"], "done", "{result}");
}

#[test]
fn network_of_the_documentation_reads() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/fabric.md")).expect("a page");
    let (_, text_after_heading) = page.split_once("## Networks from files").expect("a section");
    let text = text_after_heading.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let file = File::new("page.edges", text);
    let survey = survey_of_fabric(&file.fabric(""));
    assert_eq!((survey.nodes, survey.routers, survey.links, survey.deadlock), (4, 3, 4, Deadlock::Free));
}
