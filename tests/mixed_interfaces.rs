//! Checks machines whose nodes have different interfaces: if all interfaces have one packet format, each reads the
//! packets of the others; if their formats differ, the machine is refused. The programs compare every byte that they
//! receive with the sent one.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment;
use narrows::machine::combinations::Combination;
use narrows::machine::{self, Machine, Registry, shipped};
use narrows::testing::HOSTS;
use narrows::text::Document;
use proptest::prelude::*;
use proptest::sample::select;

const MEMORY_BUS: [&str; 2] = ["hosts/memory-bus-1998", "memory-bus-1998"];
const IO_BUS: [&str; 2] = ["hosts/pentium-iii-815ep", "pentium-iii-815ep"];

/// Returns two nodes with these interfaces.
fn machine(host: [&str; 2], ni: [&str; 2], parts_and_workload: &str, overrides: &[String]) -> Result<Machine, String> {
    let [part, host] = host;
    let node = |name, ni| format!("[nodes.{name}]\nhost = \"{host}\"\nparts = \"{ni}\"\n");
    let text = format!("parts = [\"{part}\", {parts_and_workload}\n{}{}", node("a", ni[0]), node("b", ni[1]));
    let read = machine::read(Document::Text("mixed.toml", &text, None), overrides);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

fn assert_all_delivered(machine: &Machine) {
    let result = experiment::run(machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.metric("messages.sent"), result.metric("messages.delivered"), "every sent message is delivered");
}

fn other_parts(fabric: &str, protocol: &str, workload: &str) -> String {
    format!("\"fabrics/{fabric}\", \"protocols/{protocol}\"]\n{workload}\n")
}

fn stream(from: &str, to: &str, payload: u64) -> String {
    format!("[workload.stream]\nflows = [\"{from} -> {to}\"]\npayload = \"{payload} B\"\nmessages = 20\nwarm-up = 4")
}

fn ping_pong(payload: u64) -> String {
    format!("[workload.ping-pong]\nwarm-up = 0\npayload = \"{payload} B\"\nmessages = 4")
}

/// Returns the shipped interfaces on a memory bus that have the packet format of `ni/cni32qm`.
fn interfaces_of_one_format() -> Vec<&'static str> {
    let interfaces = shipped::parts().iter().copied().filter(|part| part.starts_with("ni/"));
    let parts_and_workload = other_parts("ideal-1998", "none", &ping_pong(8));
    interfaces.filter(|ni| machine(MEMORY_BUS, ["ni/cni32qm", ni], &parts_and_workload, &[]).is_ok()).collect()
}

#[test]
fn interfaces_on_a_memory_bus_read_each_others_packets_under_every_protocol() {
    let same_format = interfaces_of_one_format();
    assert!(same_format.len() >= 8, "{same_format:?}");
    for (number, from) in same_format.iter().enumerate() {
        for to in &same_format {
            let protocol = ["none", "return-to-sender-1998", "nifdy", "window"][number % 4];
            let payload = [8, 100, 244][number % 3];
            for workload in [stream("a", "b", payload), ping_pong(payload)] {
                let machine = machine(MEMORY_BUS, [from, to], &other_parts("ideal-1998", protocol, &workload), &[]);
                assert_all_delivered(&machine.unwrap_or_else(|refused| panic!("{from} {to} {protocol}: {refused}")));
            }
        }
    }
}

#[test]
fn an_interface_chosen_by_each_node_is_that_chosen_for_all() {
    let combinations = Registry::shared().combinations();
    let pairs = combinations.iter().filter(|combination| {
        [combination.protocol, combination.fabric, combination.workload]
            == ["protocols/none", "fabrics/ideal-1998", "ping-pong"]
            && combination.refusal_reasons.is_empty()
            && HOSTS.contains(&combination.host)
            && combination.ni.contains('/')
    });
    let mut pair_count = 0;
    for Combination { host, ni, .. } in pairs {
        let node = |name: &str, parts: &str| {
            let name_of_host = host.trim_start_matches("hosts/");
            format!("[nodes.{name}]\nhost = \"{name_of_host}\"\n{parts}")
        };
        let nodes = |parts: &str| [node("a", parts), node("b", parts)].concat();
        let text = |part: &str, nodes: &str| {
            format!("parts = [\"{host}\", \"fabrics/ideal-1998\"{part}]\n{nodes}{}\n", ping_pong(64))
        };
        let texts = [text("", &nodes(&format!("parts = \"{ni}\"\n"))), text(&format!(", \"{ni}\""), &nodes(""))];
        let [of_each, of_all] = texts.map(|text| {
            let read = machine::read(Document::Text("nodes.toml", &text, None), &[]);
            let machine = read.unwrap_or_else(|problems| panic!("{text}\n{problems}")).value;
            let result = experiment::run(&machine, Recorder::off());
            (result.outcome, result.end, result.metrics)
        });
        assert_eq!(of_each, of_all, "{host} {ni}");
        pair_count += 1;
    }
    assert!(pair_count >= 30, "{pair_count} pairs");
}

/// Returns the settings of one node's optimisations; each of the low four bits of `bits` enables one of them.
fn optimisations(node: &str, bits: u32) -> Vec<String> {
    let (slots, queue) = if bits & 4 != 0 { (2, 64) } else { (64, 0) };
    let pipelining = if bits & 8 != 0 { "{ fine.threshold = \"512 B\" }" } else { "\"coarse\"" };
    let keys = [
        format!("checksum-offload={}", bits & 1 != 0),
        format!("zero-copy={}", bits & 2 != 0),
        format!("send-slots={slots}"),
        format!("send-queue={queue}"),
        format!("pipelining={pipelining}"),
    ];
    keys.into_iter().map(|key| format!("nodes.{node}.ni.mcp.{key}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn datagrams_arrive_intact_with_any_optimisations_of_either_side(
        sides in [0..16u32, 0..16u32],
        mtu in prop_oneof![128..2_000u64, Just(1_500), Just(32_824)],
        payload in prop_oneof![0..200u64, 0..20_000u64],
        streams in any::<bool>(),
        backward in any::<bool>(),
        fabric in select(vec!["myrinet", "nifdy-mesh", "ideal-1998"]),
    ) {
        let mut overrides = [optimisations("a", sides[0]), optimisations("b", sides[1])].concat();
        overrides.extend(["a", "b"].map(|node| format!("nodes.{node}.ni.mcp.mtu={mtu} B")));
        let [from, to] = if backward { ["b", "a"] } else { ["a", "b"] };
        let workload = if streams { stream(from, to, payload) } else { ping_pong(payload) };
        let ni = ["ni/udp-ip", "ni/udp-ip"];
        match machine(IO_BUS, ni, &other_parts(fabric, "none", &workload), &overrides) {
            Ok(machine) => assert_all_delivered(&machine),
            // The queues or buffers may be too small for a datagram.
            Err(refused) => prop_assert!(payload > 128 && refused.contains("payload"), "{refused}"),
        }
    }
}

#[test]
fn e_udp_exchanges_datagrams_with_the_traditional_stack() {
    for ni in [["ni/e-udp", "ni/udp-ip"], ["ni/udp-ip", "ni/e-udp"]] {
        for payload in [0, 1, 1_400, 9_000, 32_768] {
            for workload in [stream("a", "b", payload), ping_pong(payload)] {
                assert_all_delivered(
                    &machine(IO_BUS, ni, &other_parts("myrinet", "none", &workload), &[]).expect("the datagrams fit"),
                );
            }
        }
    }
}

#[test]
fn interfaces_with_different_packet_formats_are_refused() {
    let refusal = |host, ni, overrides: &[&str]| {
        let overrides: Vec<String> = overrides.iter().map(|setting| setting.to_string()).collect();
        machine(host, ni, &other_parts("myrinet", "none", &ping_pong(8)), &overrides)
            .expect_err("the machine is refused")
    };
    let format_error = refusal(MEMORY_BUS, ["ni/cni32qm", "ni/udp-ip"], &[]);
    assert!(
        format_error.contains("those of [ni.mcp] (UDP/IP) and [ni.cni32qm] (parcel) have different formats"),
        "{format_error}"
    );
    let family_error = refusal(IO_BUS, ["ni/udp-ip", "ni/gm"], &[]);
    assert!(family_error.contains("only interfaces of its kind can read the packets of [ni.mcp]"), "{family_error}");
    let mtu_error = refusal(IO_BUS, ["ni/udp-ip", "ni/e-udp"], &["nodes.b.ni.mcp.mtu=1500 B"]);
    assert!(mtu_error.contains("differ: 1500 B (nodes.b.ni.mcp.mtu)"), "{mtu_error}");
}
