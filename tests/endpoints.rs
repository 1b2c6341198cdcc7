//! Checks that several endpoints of a node behave like endpoints of separate nodes. Programs run between nodes and
//! within one, on ten pairs of a host and an interface, over an ideal fabric, switches and routers, under every
//! protocol.
//!
//! Programs compare the bytes they receive and their results with those of a serial run; the tally asserts that each
//! message's ledger adds up to its latency. The tests assert that runs end, that no message is lost, that packets
//! within a node never use the fabric, that endpoints share the node's resources, and that incompatible machines are
//! rejected.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::combinations::part_lines;
use narrows::machine::{self, Machine, Registry};
use narrows::text::Document;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Pairs of host and interface: hosts with an I/O bus, with a memory bus and without a bus, and each mechanism by which
/// a driver detects a packet.
const PAIRS: [[&str; 2]; 10] = [
    ["p6-natoma", "trapeze"],
    ["p6-natoma", "ni2w"],
    ["p6-natoma", "startjr"],
    ["memory-bus-1998", "ni2w"],
    ["memory-bus-1998", "udma"],
    ["memory-bus-1998", "cni32qm"],
    ["memory-bus-1998", "cni512q"],
    ["memory-bus-1998", "memory-channel"],
    ["cm-5", "queues"],
    ["cm-5", "single-cycle"],
];
const FABRICS: [&str; 3] = ["ideal-1998", "nifdy-mesh", "myrinet"];
const PROTOCOLS: [&str; 4] = ["none", "return-to-sender-1998", "nifdy", "window"];

/// Programs on two nodes with two endpoints each: between nodes and within one.
const PROGRAMS: [&str; 18] = [
    "ping-pong]\nwarm-up = 0\nfrom = \"n0:1\"\nto = \"n1:1\"\npayload = \"300 B\"\nmessages = 4",
    "ping-pong]\nwarm-up = 0\nfrom = \"n0:0\"\nto = \"n0:1\"\npayload = \"300 B\"\nmessages = 4",
    "stream]\nwarm-up = 0\nflows = [\"n0:0 -> n1:0\", \"n0:1 -> n1:1\", \"n1:0 -> n0:0\", \"n0:0 -> n0:1\"]\npayload = \"300 B\"\nmessages = 8",
    "page-fetch]\nwarm-up = 0\nfrom = \"n0:1\"\nto = \"n1:1\"\npage = \"300 B\"\nfaults = 3",
    "page-fetch]\nwarm-up = 0\nfrom = \"n1:1\"\nto = \"n1\"\npage = \"300 B\"\nfaults = 3",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2\nexchange = \"updates\"",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2\nexchange = \"loads\"",
    "appbt]\npoints = 4\niterations = 1",
    "barnes]\nbodies = 20\nsteps = 1",
    "moldyn]\ncells = 1\niterations = 2\nlist-every = 1",
    "spsolve]\nrows = 24\ndegrees-of-freedom = 1\nneighbours = 4",
    "spsolve]\nrows = 24\ndegrees-of-freedom = 1\nneighbours = 4\nexchange = \"changes\"",
    "dsmc]\ncells = [4, 2, 2]\nmolecules = 40\niterations = 2",
    "unstructured]\nnodes = 16\niterations = 2",
    "radix-sort]\nkeys = 8\nbits = 3\npasses = 1",
    "cyclic-shift]\nwords = 20\nbarriers = true",
    "bursts]\nphases = 2\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]",
];

fn description([host, ni]: [&str; 2], [protocol, fabric]: [&str; 2], endpoints: u32, program: &str) -> String {
    let [host_part, ni, protocol, fabric] = [("hosts", host), ("ni", ni), ("protocols", protocol), ("fabrics", fabric)]
        .map(|(folder, part)| format!("{folder}/{part}"));
    let nodes: String =
        (0..2).map(|node| format!("[nodes.n{node}]\nhost = \"{host}\"\nendpoints = {endpoints}\n")).collect();
    format!("{}{nodes}[workload.{program}\n", part_lines(Registry::shared(), &[&host_part, &ni, &protocol, &fabric]))
}

fn read(text: &str) -> Result<Machine, String> {
    let read = machine::read(Document::Text("endpoints.toml", text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

/// Runs a description, and asserts that it ends and that all messages have arrived.
#[track_caller]
fn run_to_end(text: &str) -> RunResult {
    let machine = read(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let result = experiment::run(&machine, Recorder::off().with_messages());
    assert_eq!(result.outcome, Outcome::Done, "{text}");
    let metric = |name: &str| result.metric(name);
    for (sent_metric, delivered_metric) in
        [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")]
    {
        assert_eq!(metric(sent_metric), metric(delivered_metric), "{sent_metric}: {text}");
    }
    assert!(metric("messages.sent").or(metric("packets.sent")) > Some(0.0), "{text}");
    result
}

fn assert_all_programs_complete(protocol: &str) {
    let mut failures = Vec::new();
    for pair in PAIRS {
        for fabric in FABRICS {
            for program in PROGRAMS {
                let text = description(pair, [protocol, fabric], 2, program);
                if catch_unwind(AssertUnwindSafe(|| run_to_end(&text))).is_err() {
                    failures.push(text);
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn two_endpoints_receive_everything_without_a_protocol() {
    assert_all_programs_complete(PROTOCOLS[0]);
}

#[test]
fn two_endpoints_receive_everything_under_return_to_sender() {
    assert_all_programs_complete(PROTOCOLS[1]);
}

#[test]
fn two_endpoints_receive_everything_under_nifdy() {
    assert_all_programs_complete(PROTOCOLS[2]);
}

#[test]
fn two_endpoints_receive_everything_under_a_window() {
    assert_all_programs_complete(PROTOCOLS[3]);
}

/// Describes two nodes with several endpoints. Their interfaces are queues without a bus, and the fabric has a fixed
/// latency.
fn queues_description(endpoints: u32, program: &str) -> String {
    description(["cm-5", "queues"], ["none", "ideal-1998"], endpoints, program)
}

#[test]
fn loopback_packets_are_copied_in_memory_and_never_use_the_fabric() {
    for pair in PAIRS {
        let ping_pong_between = |from: &str, to: &str| {
            let program =
                format!("ping-pong]\nwarm-up = 0\nfrom = \"{from}\"\nto = \"{to}\"\npayload = \"64 B\"\nmessages = 2");
            run_to_end(&description(pair, ["none", "nifdy-mesh"], 2, &program))
        };
        let links_idle_and_messages_queued = |result: &RunResult| -> (bool, bool) {
            let links = result.resources.iter().filter(|resource| resource.name.starts_with("link "));
            let stages = result.deliveries.iter().flat_map(|delivery| delivery.ledger.stages());
            let queued_messages = stages.filter(|stage| stage.name == "loopback queue").count();
            (links.clone().count() > 0 && links.clone().all(|link| link.busy.ps() == 0), queued_messages > 0)
        };
        assert_eq!(links_idle_and_messages_queued(&ping_pong_between("n0:0", "n0:1")), (true, true), "{pair:?}");
        assert_eq!(links_idle_and_messages_queued(&ping_pong_between("n0:0", "n1:1")), (false, false), "{pair:?}");
    }
}

#[test]
fn programs_of_a_node_share_its_processor() {
    let program = "em3d]\nn-nodes = 10\nd-nodes = 5\nlocal-p = 95\niterations = 1\narc-cycles = 100000";
    let cycles = |result: &RunResult| result.metric("em3d.cycles_per_iteration").expect("the metric is reported");
    for pair in PAIRS {
        let cycles_with =
            |endpoints| cycles(&run_to_end(&description(pair, ["none", "ideal-1998"], endpoints, program)));
        let (one_endpoint, three_endpoints) = (cycles_with(1), cycles_with(3));
        let ratio = three_endpoints / one_endpoint;
        // Programs spend nearly all their time computing; sends cost less than a hundredth of it.
        assert!(
            ratio > 2.98,
            "{pair:?}: {one_endpoint} cycles alone, {three_endpoints} with three: programs run one at a time"
        );
        // In each half step, the processor may be idle while one program on the other node computes: until that
        // program has finished, the other programs of its node do not send the messages that are waited for.
        assert!(
            ratio < 4.02,
            "{pair:?}: {one_endpoint} cycles alone, {three_endpoints} with three: time is lost only in waits"
        );
    }
}

#[test]
fn one_endpoint_is_the_default() {
    for pair in PAIRS {
        let text = description(pair, ["nifdy", "myrinet"], 1, "cyclic-shift]\nwords = 20");
        let [explicit, default] = [&text, &text.replace("endpoints = 1\n", "")].map(|text| run_to_end(text));
        assert_eq!(
            (explicit.end, explicit.events, explicit.metrics),
            (default.end, default.events, default.metrics),
            "{pair:?}"
        );
    }
}

#[test]
fn nodes_may_have_different_numbers_of_endpoints() {
    for pair in PAIRS {
        for program in ["radix-sort]\nkeys = 8\nbits = 3\npasses = 1", "cyclic-shift]\nwords = 20"] {
            let text =
                description(pair, ["none", "ideal-1998"], 5, program).replacen("endpoints = 5", "endpoints = 2", 1);
            run_to_end(&text);
        }
    }
}

#[test]
fn runs_with_several_endpoints_are_reproducible() {
    let run = |_| run_to_end(&queues_description(3, "radix-sort]\nkeys = 20\nbits = 4\npasses = 2"));
    let [first, second] = [0, 1].map(run);
    assert_eq!((first.end, first.events, first.metrics), (second.end, second.events, second.metrics));
}
