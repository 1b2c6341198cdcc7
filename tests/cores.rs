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
    let set = format!("hosts.cm-5.software.cores={cores}");
    let read = machine::read(Document::Text("cores.toml", &text, None), &[set]);
    let machine = read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value;
    let result = experiment::run(&machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done, "{cores} cores: {text}");
    for (sent_name, delivered) in [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")] {
        assert_eq!(result.metric(sent_name), result.metric(delivered), "{sent_name}, {cores} cores: {text}");
    }
    result
}

const QUEUES_OVER_IDEAL: [&str; 2] = ["queues", "ideal-1998"];

#[test]
fn programs_overlap_on_two_cores_and_not_on_one() {
    let program = "em3d]\nn-nodes = 10\nd-nodes = 5\nlocal-p = 95\niterations = 1\narc-cycles = 100000";
    let cycles = |cores, endpoints| {
        let result = run(QUEUES_OVER_IDEAL, [cores, endpoints], program);
        result.metric("em3d.cycles_per_iteration").expect("it is measured")
    };
    let single = cycles(1, 1);
    assert!(cycles(1, 2) > 1.98 * single, "one at a time");
    // A program may wait for a program of another node that computes longer.
    assert!(cycles(2, 2) < 1.2 * single, "at the same time");
    assert!(cycles(4, 4) < 1.2 * single, "at the same time");
    let (two_cores, one_core) = (cycles(2, 4), cycles(1, 4));
    assert!(two_cores > 1.9 * single, "two of each core take turns: {two_cores}, {single} alone");
    assert!(two_cores < 0.8 * one_core, "two cores at the same time: {two_cores}, {one_core} on one");
}

#[test]
fn messages_of_two_cores_overlap() {
    let stream = |flows: &str| format!("stream]\nwarm-up = 0\nflows = [{flows}]\npayload = \"300 B\"\nmessages = 50");
    let [one, both] = [stream("\"n0:0 -> n1:0\""), stream("\"n0:0 -> n1:0\", \"n0:1 -> n1:1\"")];
    let time = |cores, program: &str| run(QUEUES_OVER_IDEAL, [cores, 2], program).end.as_us();
    let alone = time(2, &one);
    assert!(time(1, &both) > 1.9 * alone, "a core sends for one endpoint at a time");
    assert!(time(2, &both) < 1.3 * alone, "cores send and receive at the same time");
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
fn every_program_delivers_everything_and_does_so_each_time() {
    for ni in ["queues", "single-cycle"] {
        for program in PROGRAMS {
            for cores in [2, 3, 16] {
                let [first, second] = [0, 1].map(|_| run([ni, "nifdy-mesh"], [cores, 3], program));
                let observed = |result: RunResult| (result.end, result.events, result.metrics);
                assert_eq!(observed(first), observed(second), "{ni}, {cores} cores: {program}");
            }
        }
    }
}

#[test]
fn utilization_is_that_of_each_core() {
    let program = "stream]\nwarm-up = 0\nflows = [\"n0:0 -> n1:0\"]\npayload = \"300 B\"\nmessages = 20";
    let result = run(QUEUES_OVER_IDEAL, [2, 2], program);
    let busy = |name: &str| {
        let resource = result.resources.iter().find(|resource| resource.name == name);
        resource.unwrap_or_else(|| panic!("{name} is among {:?}", result.resources)).busy.ps()
    };
    assert!(busy("n0 core 0") > 0 && busy("n1 core 0") > 0);
    assert_eq!((busy("n0 core 1"), busy("n1 core 1")), (0, 0), "no program sends there");
}
