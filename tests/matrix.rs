//! Runs every compatible combination of the hosts, interfaces, protocols, fabrics and programs that ship on small
//! inputs.
//!
//! Programs check the bytes that they receive. Programs that compute also check their results against a serial run. The
//! tally asserts that the ledger of every message sums to its latency. The tests of this file assert that a run ends,
//! that no message is lost, and that `narrows list combinations` agrees with `check`.

use crate::common::small::{parts, read, small_machine, with_endpoints};
use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::build::build;
use narrows::machine::combinations::{Combination, description, part_lines};
use narrows::machine::{Machine, Registry};
use narrows::ni::Driver;
use narrows::testing::{HOSTS, small_description};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Smallest number of compatible pairs of a host and an interface.
const PAIRS_MIN: usize = 32;

/// Returns the error of a run, or `None` if every message and packet was delivered.
fn error_of(result: &RunResult) -> Option<String> {
    if result.outcome != Outcome::Done {
        return Some(format!("{:?}", result.outcome));
    }
    let metric_of = |name: &str| result.metric(name);
    for (sent, delivered) in [("messages.sent", "messages.delivered"), ("packets.sent", "packets.delivered")] {
        if metric_of(sent) != metric_of(delivered) {
            return Some(format!("{sent} {:?}, {delivered} {:?}", metric_of(sent), metric_of(delivered)));
        }
    }
    (result.metrics.is_empty()).then(|| "nothing was measured".to_owned())
}

fn name_of(combination: &Combination) -> String {
    format!("{:?} {}", parts(combination), combination.workload)
}

/// Runs a combination on small inputs, and returns its result; returns `None` if the combination is rightly refused.
fn try_combination(combination: &Combination) -> Option<Result<(), String>> {
    match small_machine(combination) {
        // The refusal of default inputs as too large implies nothing about small inputs.
        Err(_) if !combination.refusal_reasons.is_empty() => None,
        Err(problems) => Some(Err(format!("{}: refused with a small input: {problems}", name_of(combination)))),
        Ok(machine) => Some(run_combination(combination, &machine)),
    }
}

fn run_combination(combination: &Combination, machine: &Machine) -> Result<(), String> {
    match catch_unwind(AssertUnwindSafe(|| experiment::run(machine, Recorder::off()))) {
        Ok(result) => error_of(&result).map_or(Ok(()), |error| Err(format!("{}: {error}", name_of(combination)))),
        Err(_) => Err(format!("{}: panicked", name_of(combination))),
    }
}

/// Asserts that every run succeeded, and returns the number of runs.
fn assert_all_succeeded(results: &[Result<(), String>]) -> usize {
    let errors: Vec<&str> = results.iter().filter_map(|result| result.as_ref().err()).map(String::as_str).collect();
    let listed_errors = errors[..errors.len().min(60)].join("\n");
    assert!(errors.is_empty(), "{} of {} runs failed:\n{listed_errors}", errors.len(), results.len());
    results.len()
}

/// Runs all accepted combinations with one protocol. There must be at least `runs_min` of them; this number is only
/// ever raised. All cores share the runs, because some tests have far more runs than others.
fn run_all(protocol: &str, runs_min: usize) {
    let combinations = Registry::shared().combinations();
    let combinations_of_protocol: Vec<&Combination> = combinations
        .iter()
        .filter(|combination| combination.protocol == protocol && HOSTS.contains(&combination.host))
        .collect();
    let results: Vec<_> =
        combinations_of_protocol.par_iter().filter_map(|combination| try_combination(combination)).collect();
    let runs = assert_all_succeeded(&results);
    assert!(runs >= runs_min, "only {runs} combinations ran");
}

#[test]
fn compatible_parts_deliver_without_a_protocol() {
    run_all("protocols/none", 3240);
}

#[test]
fn compatible_parts_deliver_under_return_to_sender() {
    run_all("protocols/return-to-sender-1998", 2472);
}

#[test]
fn compatible_parts_deliver_under_nifdy() {
    run_all("protocols/nifdy", 2472);
}

#[test]
fn compatible_parts_deliver_under_a_window() {
    run_all("protocols/window", 2472);
}

/// Step between the accepted combinations that are run with a cache behind an I/O bus.
const CACHED_SAMPLING_STEP: usize = 7;

#[test]
fn compatible_parts_deliver_with_a_cache_behind_an_io_bus() {
    let combinations = Registry::shared().combinations();
    let accepted = combinations
        .iter()
        .filter(|combination| combination.refusal_reasons.is_empty() && combination.host == "hosts/p6-natoma");
    let sample: Vec<&Combination> = accepted.step_by(CACHED_SAMPLING_STEP).collect();
    assert!(sample.len() > 200, "{} combinations", sample.len());
    let run = |combination: &&Combination| {
        let cache = "size = \"512 B\"\nways = 2\nhit-cycles = 1\nsupply-time = \"40 ns\"\n";
        let small = small_description(Registry::shared(), combination, 4, 1);
        let machine = read(&format!("{small}[hosts.p6-natoma.io-bus.cache]\n{cache}"))?;
        run_combination(combination, &machine)
    };
    assert_all_succeeded(&sample.par_iter().map(run).collect::<Vec<_>>());
}

/// Every `SAMPLING_STEP`-th accepted combination is run with several endpoints on each node. The number is coprime to
/// the number of parts of each kind, so that the sample does not skip a part.
const SAMPLING_STEP: usize = 31;

#[test]
fn compatible_parts_deliver_to_several_endpoints_of_a_node() {
    let combinations = Registry::shared().combinations();
    let accepted = combinations
        .iter()
        .filter(|combination| combination.refusal_reasons.is_empty() && HOSTS.contains(&combination.host));
    let sample: Vec<&Combination> = accepted.step_by(SAMPLING_STEP).collect();
    let run = |combination: &&Combination| {
        let machine =
            with_endpoints(combination, 2).unwrap_or_else(|problems| panic!("{}: {problems}", name_of(combination)));
        run_combination(combination, &machine)
    };
    assert_all_succeeded(&sample.par_iter().map(run).collect::<Vec<_>>());
}

#[test]
fn each_operation_of_costs_runs_wherever_it_is_accepted() {
    let combinations = Registry::shared().combinations();
    let costs_combinations = combinations
        .iter()
        .filter(|combination| combination.workload == "costs" && combination.refusal_reasons.is_empty());
    let combinations_on_ideal: Vec<&Combination> = costs_combinations
        .filter(|combination| combination.fabric == "fabrics/ideal-1998" && HOSTS.contains(&combination.host))
        .collect();
    assert!(combinations_on_ideal.len() >= 100, "{} combinations", combinations_on_ideal.len());
    let run = |combination: &&Combination| {
        let shipped = description(Registry::shared(), &parts(combination), "costs");
        let run =
            |further_keys: &str| run_combination(combination, &read(&format!("{shipped}times = 3\n{further_keys}"))?);
        ["", "words = 100\n", "operation = \"read\"\n", "operation = \"write\"\n"]
            .iter()
            .try_for_each(|further_keys| run(further_keys))
    };
    assert_all_succeeded(&combinations_on_ideal.par_iter().map(run).collect::<Vec<_>>());
}

#[test]
fn interface_states_the_words_of_its_driver() {
    let combinations = Registry::shared().combinations();
    let has_no_protocol_on_ideal_fabric = |combination: &&Combination| {
        combination.protocol == "protocols/none" && combination.fabric == "fabrics/ideal-1998"
    };
    let is_pair_program = |combination: &&Combination| {
        combination.workload == "pair" && combination.refusal_reasons.is_empty() && HOSTS.contains(&combination.host)
    };
    let mut checked_interfaces = BTreeSet::new();
    for combination in combinations.iter().filter(has_no_protocol_on_ideal_fabric).filter(is_pair_program) {
        let machine =
            small_machine(combination).unwrap_or_else(|problems| panic!("{}: {problems}", name_of(combination)));
        let declared_words = machine.interfaces()[0].limits().words;
        let built = build(&machine, Recorder::off());
        assert!(
            built.world.nodes.iter().all(|node| node.endpoint().driver().limits().words == declared_words),
            "{combination:?}"
        );
        checked_interfaces.insert(combination.ni);
    }
    assert!(checked_interfaces.len() >= 16, "{checked_interfaces:?}");
}

#[test]
fn pairs_of_compatible_hosts_and_interfaces_are_at_least_the_minimum() {
    let combinations = Registry::shared().combinations();
    let accepted: Vec<&Combination> =
        combinations.iter().filter(|combination| combination.refusal_reasons.is_empty()).collect();
    let pairs: BTreeSet<[&str; 2]> = accepted
        .iter()
        .filter(|combination| HOSTS.contains(&combination.host))
        .map(|combination| [combination.host, combination.ni])
        .collect();
    assert!(pairs.len() >= PAIRS_MIN, "{pairs:?}");
}

#[test]
fn list_combinations_agrees_with_check() {
    for combination in Registry::shared().combinations().iter().step_by(97) {
        let read_result = read(&description(Registry::shared(), &parts(combination), combination.workload));
        assert_eq!(
            read_result.is_err(),
            !combination.refusal_reasons.is_empty(),
            "{}: {read_result:?}, {:?}",
            name_of(combination),
            combination.refusal_reasons
        );
        let text = read_result.err().unwrap_or_default();
        assert!(
            combination.refusal_reasons.iter().all(|reason| text.contains(reason)),
            "{}: {:?}\n{text}",
            name_of(combination),
            combination.refusal_reasons
        );
    }
}

#[test]
fn default_page_fits_a_message_of_every_host_and_interface() {
    for combination in Registry::shared().combinations() {
        let has_no_protocol_on_ideal_fabric =
            combination.protocol == "protocols/none" && combination.fabric == "fabrics/ideal-1998";
        if has_no_protocol_on_ideal_fabric
            && combination.workload == "page-fetch"
            && combination.refusal_reasons.is_empty()
        {
            let read_result = read(&description(Registry::shared(), &parts(&combination), combination.workload));
            assert!(read_result.is_ok(), "{}: {}", name_of(&combination), read_result.unwrap_err());
        }
    }
}

/// Runs a stream between two nodes with a host, an interface and a fabric.
fn stream(parts: [&str; 3], further_keys: &str) -> RunResult {
    let text = format!("{}{further_keys}\n", description(Registry::shared(), &parts, "stream"));
    let machine = read(&text).unwrap_or_else(|problems| panic!("{problems}"));
    experiment::run(&machine, Recorder::off())
}

#[test]
fn firmware_streams_into_routers_in_pieces_of_any_size() {
    for (fabric, payload) in [("nifdy-mesh", 512), ("nifdy-mesh-3d", 700), ("nifdy-torus", 1000)] {
        let parts = ["hosts/p6-natoma", "ni/trapeze", &format!("fabrics/{fabric}")];
        let text = description(Registry::shared(), &parts, "stream").replace("64 B", &format!("{payload} B"));
        let result = experiment::run(&read(&text).expect("the description is valid"), Recorder::off());
        assert_eq!(error_of(&result), None, "{fabric}");
    }
}

/// Largest fraction by which the phase of polling may change a latency.
const PHASE_FRACTION: f64 = 0.03;

#[test]
fn latency_of_a_paced_stream_does_not_depend_on_the_gap() {
    let accepted = Registry::shared()
        .combinations()
        .into_iter()
        .filter(|combination| combination.refusal_reasons.is_empty() && HOSTS.contains(&combination.host));
    let pairs: BTreeSet<[&str; 2]> = accepted.map(|combination| [combination.host, combination.ni]).collect();
    for [host, ni] in pairs {
        let latency = |gap: u64| {
            let further_keys = format!("messages = 6\nwarm-up = 0\narrivals.periodic.interval = \"{gap} us\"");
            let result = stream([host, ni, "fabrics/ideal-1998"], &further_keys);
            result.metric("message.latency_one_way").expect("the metric exists")
        };
        let latency_with_long_gap = latency(5_000);
        // A kernel processes a message for longer than 50 us, and the next message must not arrive during that time.
        let latency_with_short_gap = latency(if latency_with_long_gap < 25.0 { 50 } else { 1_000 });
        // A poll of a register behind PCIe is a round trip of the link, and its phase counts for more.
        let phase = if host == "hosts/pcie-gen3-x8" { 0.1 } else { PHASE_FRACTION };
        assert!(
            (latency_with_short_gap / latency_with_long_gap - 1.0).abs() < phase,
            "{host} {ni}: {latency_with_short_gap} us, {latency_with_long_gap} us"
        );
    }
}

/// Runs streams into one node of four, with Trapeze's firmware.
fn stream_to_one_node(fabric: &str, further_keys: &str, stream: &str) -> RunResult {
    let nodes: String = (0..4).map(|node| format!("[nodes.n{node}]\nhost = \"p6-natoma\"\n")).collect();
    let parts = ["hosts/p6-natoma", "ni/trapeze", fabric];
    let flows = "flows = [\"n0 -> n3\", \"n1 -> n3\", \"n2 -> n3\"]\nmessages = 12";
    let text = format!(
        "{}{nodes}{further_keys}\n[workload.stream]\n{flows}\n{stream}\n",
        part_lines(Registry::shared(), &parts)
    );
    let machine = read(&text).unwrap_or_else(|problems| panic!("{problems}"));
    let result = experiment::run(&machine, Recorder::off());
    assert_eq!(error_of(&result), None, "{text}");
    result
}

#[test]
fn firmware_keeps_packets_until_they_are_acknowledged() {
    // A twentieth of all frames is lost, acknowledgements among them, and the lost packets are retransmitted.
    for protocol in ["[protocol.window]", "[protocol.nifdy.retransmission]\ntimeout = \"400 us\""] {
        for payload in ["64 B", "2 KiB"] {
            let (fabric, payload) = ("fabrics/nifdy-mesh", format!("payload = \"{payload}\""));
            let lossy_run = stream_to_one_node(fabric, &format!("{protocol}\n[fabric]\nloss = 0.05"), &payload);
            assert!(lossy_run.end > stream_to_one_node(fabric, protocol, &payload).end, "time-outs take time");
        }
    }
}

#[test]
fn firmware_returns_packets_without_a_free_buffer() {
    let end_time = |buffers: u32| {
        let protocol = format!("[protocol.return-to-sender]\nflow-control-buffers = {buffers}");
        stream_to_one_node("fabrics/myrinet", &protocol, "payload = \"4 KiB\"").end
    };
    assert!(end_time(1) > end_time(16), "a returned packet is retransmitted, which takes time");
}
