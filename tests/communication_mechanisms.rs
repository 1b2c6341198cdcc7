//! Checks that programs give the same result with any mechanism of communication, and that cross-traffic and the delay
//! loop of remote misses change only their time. Every program compares its result with a serial run.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::{self, Machine};
use narrows::text::Document;

fn machine(parts: &str, text: &str, overrides: &[&str]) -> Machine {
    let text = format!("parts = [{parts}]\n{text}\n");
    let overrides: Vec<String> = overrides.iter().map(|setting| setting.to_string()).collect();
    let read = machine::read(Document::Text("mechanisms.toml", &text, None), &overrides);
    read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value
}

/// Runs a workload on Alewife nodes to its end.
fn run_alewife(nodes: usize, text: &str, overrides: &[&str]) -> RunResult {
    let text = format!("[nodes.n]\nhost = \"alewife\"\ncount = {nodes}\n{text}");
    run_to_end(&machine(
        "\"hosts/alewife\", \"ni/cmmu\", \"fabrics/alewife-mesh\", \"protocols/none\"",
        &text,
        overrides,
    ))
}

fn run_to_end(machine: &Machine) -> RunResult {
    let result = experiment::run(machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    result
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no {name} in {:?}", result.metrics))
}

const UNSTRUCTURED: &str = "[workload.unstructured]\nnodes = 150\niterations = 3";
const MOLDYN: &str = "[workload.moldyn]\ncells = 2\niterations = 4\nlist-every = 2\nlist-reach = 2.0";
const SPSOLVE: &str = "[workload.spsolve]\nrows = 120\nneighbours = 12\niterations = 2";
const EM3D: &str = "[workload.em3d]\nn-nodes = 20\niterations = 2";

/// Mechanisms of communication of each workload; the last mechanism of each is shared memory.
const MECHANISMS: [(&str, &str, &[&str]); 3] = [
    (UNSTRUCTURED, "unstructured", &["batches", "nodes", "loads"]),
    (MOLDYN, "moldyn", &["ring", "transfers", "groups", "loads"]),
    (SPSOLVE, "spsolve", &["messages", "buffers", "changes"]),
];

#[test]
fn every_mechanism_gives_the_serial_result() {
    for (text, program, mechanisms) in MECHANISMS {
        for mechanism in mechanisms {
            let mechanism_setting = format!("workload.{program}.sends=\"{mechanism}\"");
            for reception in ["interrupt", "polling"] {
                let reception = format!("ni.cmmu.reception=\"{reception}\"");
                let result = run_alewife(6, text, &[&mechanism_setting, &reception]);
                let shares_memory = ["ring", "loads", "changes"].contains(mechanism);
                assert_eq!(metric(&result, "coherence.packets") > 0.0, shares_memory, "{program} by {mechanism}");
            }
        }
        let shared_memory = format!("workload.{program}.sends=\"{}\"", mechanisms[mechanisms.len() - 1]);
        let prefetch_setting = format!("workload.{program}.prefetch=2");
        let [plain, prefetched] = [&[&shared_memory[..]][..], &[&shared_memory, &prefetch_setting]]
            .map(|overrides| run_alewife(6, text, overrides));
        assert!(metric(&prefetched, "shared_memory.faults") < metric(&plain, "shared_memory.faults"), "{program}");
    }
}

#[test]
fn every_mechanism_runs_over_a_memory_bus() {
    let nodes = "[nodes.n]\nhost = \"memory-bus-1998\"\ncount = 4\n";
    let parts =
        "\"hosts/memory-bus-1998\", \"ni/cni32qm\", \"protocols/return-to-sender-1998\", \"fabrics/ideal-1998\"";
    for (text, program, mechanisms) in MECHANISMS {
        for mechanism in mechanisms {
            let mechanism_setting = format!("workload.{program}.sends=\"{mechanism}\"");
            run_to_end(&machine(parts, &format!("{nodes}{text}"), &[&mechanism_setting]));
        }
    }
}

#[test]
fn smaller_messages_need_more_packets() {
    let packets_sent = |text: &str, setting: &str| metric(&run_alewife(6, text, &[setting]), "packets.sent");
    let unstructured =
        |mechanism: &str| packets_sent(UNSTRUCTURED, &format!("workload.unstructured.exchange=\"{mechanism}\""));
    assert!(unstructured("nodes") > 3.0 * unstructured("batches"));
    let moldyn = |mechanism: &str| packets_sent(MOLDYN, &format!("workload.moldyn.exchange=\"{mechanism}\""));
    assert!(moldyn("groups") > 1.5 * moldyn("transfers"));
    let spsolve = |setting: &str| {
        let result = run_alewife(6, SPSOLVE, &["workload.spsolve.exchange=\"buffers\"", setting]);
        (metric(&result, "packets.sent"), metric(&result, "spsolve.contributions"))
    };
    let (in_few_packets, in_many_packets) =
        (spsolve("workload.spsolve.buffer=8"), spsolve("workload.spsolve.buffer=1"));
    assert!(in_many_packets.0 > 1.3 * in_few_packets.0, "{in_many_packets:?} {in_few_packets:?}");
    assert_eq!(in_many_packets.1, in_few_packets.1);
}

/// Checks that cross-traffic has the stated rate and slows a program down, also on nodes without an attached source.
#[test]
fn cross_traffic_changes_only_time() {
    let loads = "workload.em3d.exchange=\"loads\"";
    let cycles = |overrides: &[&str]| {
        let result = run_alewife(32, EM3D, &[&[loads][..], overrides].concat());
        (metric(&result, "em3d.cycles_per_iteration"), result.metric("cross_traffic.rate"))
    };
    let (without_traffic, rate) = cycles(&[]);
    assert_eq!(rate, None);
    let mut previous = without_traffic;
    for rate in [10, 25, 40] {
        let (time, cross_traffic_rate) = cycles(&[&format!("fabric.cross-traffic.rate=\"{rate} MB/s\"")]);
        let cross_traffic_rate = cross_traffic_rate.expect("there is cross-traffic");
        // There are eight sources. A source that a program blocks does not send later what it could not send then.
        assert!(
            cross_traffic_rate < 8.0 * f64::from(rate) * 1.02 && cross_traffic_rate > 8.0 * f64::from(rate) * 0.8,
            "{cross_traffic_rate} of {rate}"
        );
        assert!(time > previous, "{time} cycles with {rate} MB/s, {previous} with less");
        previous = time;
    }
    assert!(previous > 1.15 * without_traffic, "{previous} {without_traffic}");
}

/// Checks that streams between nodes in the middle of the mesh, whose links are saturated, get the bandwidth that
/// cross-traffic leaves.
#[test]
fn cross_traffic_takes_bandwidth_from_streams_in_the_middle() {
    let nodes = (0..32).filter(|node| [3, 4].contains(&(node % 8)));
    let flows: Vec<String> = nodes.map(|node| format!("\"n{node} -> n{}\"", node ^ 7)).collect();
    let flows = flows.join(", ");
    let stream = format!("[workload.stream]\npayload = \"4 KiB\"\nmessages = 20\nwarm-up = 5\nflows = [{flows}]");
    // The messages are as long as the packets of the streams, so a message and a packet wait equally long for each
    // other.
    let cross_traffic = ["fabric.cross-traffic.rate=\"20 MB/s\"", "fabric.cross-traffic.message=\"520 B\""];
    let [alone, contended] = [&[][..], &cross_traffic].map(|overrides| run_alewife(32, &stream, overrides));
    let cross_traffic_rate = metric(&contended, "cross_traffic.rate");
    // Of the 520 bytes of a packet, 512 are payload. There are four links in each direction, of 45 MB/s each.
    let [alone, contended] = [alone, contended].map(|result| metric(&result, "message.bandwidth") * 520.0 / 512.0);
    assert!(cross_traffic_rate > 155.0 && contended < 0.65 * alone, "{alone} {contended} {cross_traffic_rate}");
    assert!((0.97 * 360.0..=360.0).contains(&(contended + cross_traffic_rate)), "{contended} {cross_traffic_rate}");
}

#[test]
fn launch_time_limits_the_rate_of_short_messages() {
    let rate = |message: &str| {
        let overrides = ["fabric.cross-traffic.rate=\"40 MB/s\"", "fabric.cross-traffic.launch=\"1 us\"", message];
        metric(&run_alewife(4, EM3D, &overrides), "cross_traffic.rate")
    };
    let (short_messages, long_messages) =
        (rate("fabric.cross-traffic.message=\"16 B\""), rate("fabric.cross-traffic.message=\"64 B\""));
    assert!((short_messages - 8.0 * 16.0).abs() < 4.0, "{short_messages}");
    assert!(long_messages > 8.0 * 38.0, "{long_messages}");
}

/// Checks that a remote miss takes two context switches and the delay loop, if the block arrives within that time.
#[test]
fn delay_is_the_minimum_time_of_a_remote_miss() {
    let costs = "[workload.costs]\noperation = \"read\"\nhome = 1";
    let cycles = |nodes: usize, home: &str, delay: u64, reception: &str| {
        let delay = format!("ni.cmmu.coherence.delay={delay}");
        let overrides = [delay, format!("workload.costs.home={home}"), format!("ni.cmmu.reception=\"{reception}\"")];
        metric(&run_alewife(nodes, costs, &[&overrides[0], &overrides[1], &overrides[2]]), "costs.cycles")
    };
    for reception in ["interrupt", "polling"] {
        let [plain, delayed] = [0, 200].map(|delay| cycles(2, "1", delay, reception));
        assert!((38.0..41.0).contains(&plain), "{plain}");
        // The time includes the previous access, and the following load.
        assert!((228.0..245.0).contains(&delayed), "{delayed}");
        assert_eq!(cycles(2, "0", 0, reception), cycles(2, "0", 200, reception), "a local miss has no delay");
    }
}
