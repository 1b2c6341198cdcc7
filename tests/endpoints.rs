//! Do several endpoints of a node do what one does? Programs between nodes and within one, on pairs of hosts and
//! interfaces of every kind, over fabrics without a shape, of switches and of routers, under every protocol.
//!
//! Programs check the bytes they receive and their answers against a serial run; the tally asserts that each
//! message's ledger sums to its latency. Here it is asserted that runs end, that nothing is lost, that the ends
//! of one node never meet the fabric, that they share what they have, and that what does not fit is refused.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::combinations::lines;
use narrows::machine::{self, Machine, Registry};
use narrows::text::Document;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Hosts and interfaces: each kind of host, and each way in which a driver learns of a packet.
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

/// Of two nodes with two endpoints each: between nodes and within one.
const PROGRAMS: [&str; 18] = [
    "ping-pong]\nfrom = \"n0:1\"\nto = \"n1:1\"\npayload = \"300 B\"\nmessages = 4",
    "ping-pong]\nfrom = \"n0:0\"\nto = \"n0:1\"\npayload = \"300 B\"\nmessages = 4",
    "stream]\nflows = [\"n0:0 -> n1:0\", \"n0:1 -> n1:1\", \"n1:0 -> n0:0\", \"n0:0 -> n0:1\"]\npayload = \"300 B\"\nmessages = 8",
    "page-fetch]\nfrom = \"n0:1\"\nto = \"n1:1\"\npage = \"300 B\"\nfaults = 3",
    "page-fetch]\nfrom = \"n1:1\"\nto = \"n1\"\npage = \"300 B\"\nfaults = 3",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2\nsends = \"updates\"",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2\nsends = \"loads\"",
    "appbt]\npoints = 4\niterations = 1",
    "barnes]\nbodies = 20\nsteps = 1",
    "moldyn]\ncells = 1\niterations = 2\nlist-every = 1",
    "spsolve]\nrows = 24\nfreedom = 1\nneighbours = 4",
    "spsolve]\nrows = 24\nfreedom = 1\nneighbours = 4\nsends = \"changes\"",
    "dsmc]\ncells = [4, 2, 2]\nmolecules = 40\niterations = 2",
    "unstructured]\nnodes = 16\niterations = 2",
    "radix-sort]\nkeys = 8\nbits = 3\npasses = 1",
    "cyclic-shift]\nwords = 20\nbarriers = true",
    "bursts]\nphases = 2\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]",
];

fn described([host, ni]: [&str; 2], rest: [&str; 2], endpoints: u32, program: &str) -> String {
    let [protocol, fabric] = rest;
    let [host_part, ni, protocol, fabric] = [("hosts", host), ("ni", ni), ("protocols", protocol), ("fabrics", fabric)]
        .map(|(folder, part)| format!("{folder}/{part}"));
    let nodes: String =
        (0..2).map(|node| format!("[nodes.n{node}]\nhost = \"{host}\"\nendpoints = {endpoints}\n")).collect();
    format!("{}{nodes}[workload.{program}\n", lines(Registry::shared(), &[&host_part, &ni, &protocol, &fabric]))
}

fn read(text: &str) -> Result<Machine, String> {
    let read = machine::read(Document::Text("endpoints.toml", text, None), &[]);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

/// Runs it: it ends, and all that was sent has come.
#[track_caller]
fn done(text: &str) -> RunResult {
    let machine = read(text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let result = experiment::run(&machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done, "{text}");
    let of = |name: &str| result.metric(name);
    for (sent, delivered) in [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")] {
        assert_eq!(of(sent), of(delivered), "{sent}: {text}");
    }
    assert!(of("messages.sent").or(of("packets.sent")) > Some(0.0), "{text}");
    result
}

fn all_under(protocol: &str) {
    let mut bad = Vec::new();
    for pair in PAIRS {
        for fabric in FABRICS {
            for program in PROGRAMS {
                let text = described(pair, [protocol, fabric], 2, program);
                if catch_unwind(AssertUnwindSafe(|| done(&text))).is_err() {
                    bad.push(text);
                }
            }
        }
    }
    assert!(bad.is_empty(), "{} went wrong:\n{}", bad.len(), bad.join("\n"));
}

#[test]
fn whatever_fits_delivers_to_each_of_two_without_a_protocol() {
    all_under(PROTOCOLS[0]);
}

#[test]
fn whatever_fits_delivers_to_each_of_two_under_return_to_sender() {
    all_under(PROTOCOLS[1]);
}

#[test]
fn whatever_fits_delivers_to_each_of_two_under_nifdy() {
    all_under(PROTOCOLS[2]);
}

#[test]
fn whatever_fits_delivers_to_each_of_two_under_a_window() {
    all_under(PROTOCOLS[3]);
}

/// Two nodes with endpoints, on queues without a bus over a fixed latency.
fn plain(endpoints: u32, program: &str) -> String {
    described(["cm-5", "queues"], ["none", "ideal-1998"], endpoints, program)
}

#[test]
fn what_stays_on_a_node_is_copied_in_its_memory_and_never_meets_the_fabric() {
    for pair in PAIRS {
        let between = |from: &str, to: &str| {
            let program = format!("ping-pong]\nfrom = \"{from}\"\nto = \"{to}\"\npayload = \"64 B\"\nmessages = 2");
            done(&described(pair, ["none", "nifdy-mesh"], 2, &program))
        };
        let told = |result: &RunResult| -> (bool, bool) {
            let links = result.resources.iter().filter(|resource| resource.name.starts_with("link "));
            let stages = result.deliveries.iter().flat_map(|delivery| delivery.ledger.stages());
            let queued = stages.filter(|stage| stage.name == "queue in memory").count();
            (links.clone().count() > 0 && links.clone().all(|link| link.busy.ps() == 0), queued > 0)
        };
        assert_eq!(told(&between("n0:0", "n0:1")), (true, true), "{pair:?}");
        assert_eq!(told(&between("n0:0", "n1:1")), (false, false), "{pair:?}");
    }
}

#[test]
fn programs_of_a_node_share_its_processor() {
    let program = "em3d]\nn-nodes = 10\nd-nodes = 5\nlocal-p = 95\niterations = 1\narc-cycles = 100000";
    let cycles = |result: &RunResult| result.metric("em3d.cycles_per_iteration").expect("it is measured");
    for pair in PAIRS {
        let of = |endpoints| cycles(&done(&described(pair, ["none", "ideal-1998"], endpoints, program)));
        let (alone, shared) = (of(1), of(3));
        let times = shared / alone;
        // Nearly all that programs do is compute; what they send costs less than a hundredth of that.
        assert!(times > 2.98, "{pair:?}: {alone} cycles alone, {shared} of three: one at a time");
        // In each half step the processor may once be idle for as long as one computes on the other node and
        // keeps those from sending that are waited for.
        assert!(times < 4.02, "{pair:?}: {alone} cycles alone, {shared} of three: no time is lost but in waits");
    }
}

#[test]
fn a_node_that_says_it_has_one_endpoint_is_as_one_that_does_not() {
    for pair in PAIRS {
        let text = described(pair, ["nifdy", "myrinet"], 1, "cyclic-shift]\nwords = 20");
        let [said, unsaid] = [&text, &text.replace("endpoints = 1\n", "")].map(|text| done(text));
        assert_eq!((said.end, said.events, said.metrics), (unsaid.end, unsaid.events, unsaid.metrics), "{pair:?}");
    }
}

#[test]
fn nodes_may_have_different_numbers_of_endpoints() {
    for pair in PAIRS {
        for program in ["radix-sort]\nkeys = 8\nbits = 3\npasses = 1", "cyclic-shift]\nwords = 20"] {
            let text =
                described(pair, ["none", "ideal-1998"], 5, program).replacen("endpoints = 5", "endpoints = 2", 1);
            done(&text);
        }
    }
}

#[test]
fn runs_with_several_endpoints_are_the_same_each_time() {
    let run = |_| done(&plain(3, "radix-sort]\nkeys = 20\nbits = 4\npasses = 2"));
    let [first, second] = [0, 1].map(run);
    assert_eq!((first.end, first.events, first.metrics), (second.end, second.events, second.metrics));
}
