//! Checks that programs on several cores of a node run at the same time, share its interface, and lose no message.
//!
//! Endpoints are assigned to cores in turn. Programs compare the bytes that they receive with the sent ones, and their
//! results with a serial run; the tests assert that runs end, that no message is lost, and how long runs take.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::combinations::part_lines;
use narrows::machine::{self, Registry};
use narrows::text::Document;

/// Runs a program on two nodes whose host has no cost but its clock, with the given number of cores.
#[track_caller]
fn run([ni, fabric]: [&str; 2], [cores, endpoints]: [u32; 2], program: &str) -> RunResult {
    let parts = ["hosts/cm-5", &format!("ni/{ni}"), "protocols/none", &format!("fabrics/{fabric}")];
    let nodes: String =
        (0..2).map(|node| format!("[nodes.n{node}]\nhost = \"cm-5\"\nendpoints = {endpoints}\n")).collect();
    let text = format!("{}{nodes}[workload.{program}\n", part_lines(Registry::shared(), &parts));
    let setting = format!("hosts.cm-5.software.cores={cores}");
    let read = machine::read(Document::Text("cores.toml", &text, None), &[setting]);
    let machine = read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value;
    let result = experiment::run(&machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done, "{cores} cores: {text}");
    for (sent_metric, delivered_metric) in
        [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")]
    {
        assert_eq!(result.metric(sent_metric), result.metric(delivered_metric), "{sent_metric}, {cores} cores: {text}");
    }
    result
}

/// Runs a program on two memory-bus nodes, or two hosts with a PCIe link, whose programs have a core each.
#[track_caller]
fn run_with_caches(ni: &str, host: &str, endpoints: u32, program: &str) -> RunResult {
    let parts = [&format!("ni/{ni}"), "protocols/return-to-sender-1998", "fabrics/ideal-1998"];
    let nodes: String =
        (0..2).map(|node| format!("[nodes.n{node}]\nhost = \"host\"\nendpoints = {endpoints}\n")).collect();
    let text = format!(
        "{}[hosts.host.{host}\n{nodes}[messaging]\nsend = 40\npoll = 4\nreceive = 40\n[workload.{program}\n",
        part_lines(Registry::shared(), &parts)
    );
    let read = machine::read(Document::Text("cores.toml", &text, None), &[]);
    let machine = read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value;
    let result = experiment::run(&machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done, "{text}");
    for (sent_metric, delivered_metric) in
        [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")]
    {
        assert_eq!(result.metric(sent_metric), result.metric(delivered_metric), "{sent_metric}: {text}");
    }
    result
}

/// Returns a memory-bus host of `cores` cores with the parameters of 1998, whose bus has circuit-switched (`held`) or
/// split transactions.
fn memory_bus(cores: u32, transactions: &str) -> String {
    format!(
        "memory-bus]\ncores = {cores}\nmemory-time = \"120 ns\"\nmemory-size = \"16 MiB\"\n\
         processor = {{ clock = \"1 GHz\", request-cycles = 10, reply-cycles = 10, store-buffer-entries = 8, \
         hit-cycles = 1 }}\ncache = {{ size = \"64 KiB\", ways = 1, supply-time = \"20 ns\" }}\n\
         bus = {{ clock = \"250 MHz\", width = \"32 B\", arbitration-cycles = 1, address-cycles = 1, snoop-cycles = 1, \
         turnaround-cycles = 1, transactions = \"{transactions}\" }}"
    )
}

#[test]
fn cores_with_caches_deliver_every_message_through_each_interface() {
    let interfaces = ["ni2w", "udma", "ap3000", "startjr", "memory-channel", "cni512q", "cni32qm"];
    let program = "stream]\nwarm-up = 0\nflows = [\"n0:0 -> n1:0\", \"n0:1 -> n1:1\", \"n1:2 -> n0:2\"]\n\
                   payload = \"300 B\"\nmessages = 12";
    let times =
        |host: &dyn Fn(u32) -> String, ni: &str| [1, 3].map(|cores| run_with_caches(ni, &host(cores), 3, program).end);
    for ni in interfaces {
        let circuit_switched = times(&|cores| memory_bus(cores, "held"), ni);
        let split = times(&|cores| memory_bus(cores, "split"), ni);
        // Polls over the bus contend, so that several cores may be slower than one.
        if ni.starts_with("cni") {
            assert!(split[1] < split[0], "{ni}: {split:?} with one core and with three");
            assert!(
                split[1] <= circuit_switched[1],
                "{ni}: {split:?} on a split bus, {circuit_switched:?} on a held one"
            );
        }
    }
    for ni in ["ni2w", "udma", "ap3000", "startjr", "memory-channel"] {
        let [one_core_time, three_core_time] = times(&|cores| format!("pcie]\ncores = {cores}"), ni);
        assert!(
            three_core_time < one_core_time * 2,
            "{ni} over PCIe: {three_core_time} with three cores, {one_core_time} with one"
        );
    }
}

const QUEUES_OVER_IDEAL: [&str; 2] = ["queues", "ideal-1998"];

#[test]
fn programs_overlap_on_two_cores_and_not_on_one() {
    let program = "em3d]\nn-nodes = 10\nd-nodes = 5\nlocal-p = 95\niterations = 1\narc-cycles = 100000";
    let cycles = |cores, endpoints| {
        let result = run(QUEUES_OVER_IDEAL, [cores, endpoints], program);
        result.metric("em3d.cycles_per_iteration").expect("the metric is measured")
    };
    let single = cycles(1, 1);
    assert!(cycles(1, 2) > 1.98 * single, "programs on one core run one at a time");
    // A program may wait for a program of another node that computes longer.
    assert!(cycles(2, 2) < 1.2 * single, "programs on two cores run at the same time");
    assert!(cycles(4, 4) < 1.2 * single, "programs on four cores run at the same time");
    let (two_cores, one_core) = (cycles(2, 4), cycles(1, 4));
    assert!(two_cores > 1.9 * single, "the two programs of each core take turns: {two_cores}, {single} alone");
    assert!(two_cores < 0.8 * one_core, "two cores at the same time: {two_cores}, {one_core} on one");
}

#[test]
fn messages_of_two_cores_overlap() {
    let stream = |flows: &str| format!("stream]\nwarm-up = 0\nflows = [{flows}]\npayload = \"300 B\"\nmessages = 50");
    let [one_flow, two_flows] = [stream("\"n0:0 -> n1:0\""), stream("\"n0:0 -> n1:0\", \"n0:1 -> n1:1\"")];
    let time = |cores, program: &str| run(QUEUES_OVER_IDEAL, [cores, 2], program).end.as_us();
    let single_flow_us = time(2, &one_flow);
    assert!(time(1, &two_flows) > 1.9 * single_flow_us, "a core sends for one endpoint at a time");
    assert!(time(2, &two_flows) < 1.3 * single_flow_us, "cores send and receive at the same time");
}

/// Programs between nodes and within one node, with messages and with active messages.
const PROGRAMS: [&str; 8] = [
    "ping-pong]\nwarm-up = 0\nfrom = \"n0:1\"\nto = \"n1:2\"\npayload = \"300 B\"\nmessages = 4",
    "ping-pong]\nwarm-up = 0\nfrom = \"n0:0\"\nto = \"n0:1\"\npayload = \"300 B\"\nmessages = 4",
    "stream]\nwarm-up = 0\nflows = [\"n0:0 -> n1:0\", \"n0:1 -> n1:1\", \"n1:0 -> n0:0\", \"n0:0 -> n0:1\"]\npayload = \"300 B\"\nmessages = 8",
    "em3d]\nn-nodes = 4\nd-nodes = 2\nlocal-p = 50\niterations = 2",
    "barnes]\nbodies = 20\nsteps = 1",
    "radix-sort]\nkeys = 8\nbits = 3\npasses = 1",
    "cyclic-shift]\nwords = 20\nbarriers = true",
    "bursts]\nphases = 2\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]",
];

#[test]
fn every_program_delivers_all_messages_and_repeats_its_results() {
    for ni in ["queues", "single-cycle"] {
        for program in PROGRAMS {
            for cores in [2, 3, 16] {
                let [first, second] = [0, 1].map(|_| run([ni, "nifdy-mesh"], [cores, 3], program));
                let results = |result: RunResult| (result.end, result.events, result.metrics);
                assert_eq!(results(first), results(second), "{ni}, {cores} cores: {program}");
            }
        }
    }
}

#[test]
fn utilization_is_that_of_each_core() {
    let program = "stream]\nwarm-up = 0\nflows = [\"n0:0 -> n1:0\"]\npayload = \"300 B\"\nmessages = 20";
    let result = run(QUEUES_OVER_IDEAL, [2, 2], program);
    let busy_ps = |name: &str| {
        let resource = result.resources.iter().find(|resource| resource.name == name);
        resource.unwrap_or_else(|| panic!("no resource {name} in {:?}", result.resources)).busy.ps()
    };
    assert!(busy_ps("n0 core 0") > 0 && busy_ps("n1 core 0") > 0);
    assert_eq!((busy_ps("n0 core 1"), busy_ps("n1 core 1")), (0, 0), "no program runs on the second core");
}
