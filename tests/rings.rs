//! Checks the descriptor-ring interface: bytes and order through rings of every size, what a packet costs on the PCIe
//! link, the drop of frames without a buffer, and where the writes of the device leave the last-level cache.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::combinations::part_lines;
use narrows::machine::{self, Machine, Registry};
use narrows::text::Document;
use proptest::prelude::*;

const PCIE: &str = "hosts/pcie-gen3-x8";

fn read(host: &str, ni: &str, endpoints: u32, workload: &str, sets: &[String]) -> Result<Machine, String> {
    let parts = [host, &format!("ni/{ni}"), "protocols/none", "fabrics/ideal-1998"];
    let name = host.rsplit('/').next().unwrap_or(host);
    let node = |node| format!("[nodes.n{node}]\nhost = \"{name}\"\nendpoints = {endpoints}\n");
    let nodes: String = (0..2).map(node).collect();
    let text = format!("{}{nodes}[workload]\n{workload}\n", part_lines(Registry::shared(), &parts));
    let read = machine::read(Document::Text("rings.toml", &text, None), sets);
    read.map(|read| read.value).map_err(|problems| format!("{problems}\n{text}"))
}

#[track_caller]
fn run(host: &str, ni: &str, workload: &str, sets: &[String]) -> RunResult {
    let machine = read(host, ni, 1, workload, sets).unwrap_or_else(|problems| panic!("{problems}"));
    experiment::run(&machine, Recorder::off())
}

#[track_caller]
fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name}"))
}

#[track_caller]
fn assert_conserved(result: &RunResult, what: &dyn std::fmt::Debug) {
    assert_eq!(result.outcome, Outcome::Done, "{what:?}");
    for [sent, delivered] in [["messages.sent", "messages.delivered"], ["packets.sent", "packets.delivered"]] {
        assert_eq!(metric(result, sent), metric(result, delivered), "{what:?}");
    }
}

/// Settings of rings whose batches do not divide each other.
#[derive(Clone, Debug)]
struct Rings {
    entries: u64,
    batches: [u64; 6],
    fetches: u64,
    inline: u64,
    frame: u64,
    descriptor: u64,
    words: [&'static str; 2],
    engine_reads: u64,
}

impl Rings {
    fn sets(&self) -> Vec<String> {
        let Rings { entries, batches, fetches, inline, frame, descriptor, words, engine_reads } = self;
        let [send_fetch, send_back, send_bell, receive_fetch, receive_back, receive_bell] = batches;
        let sets = format!(
            "entries={entries} descriptor={descriptor}B inline-max={inline}B frame={frame}B completion={} driver={} \
             engine-reads={engine_reads} send.fetch-batch={send_fetch} send.fetches={fetches} \
             send.write-back-batch={send_back} send.doorbell-batch={send_bell} receive.fetch-batch={receive_fetch} \
             receive.write-back-batch={receive_back} receive.doorbell-batch={receive_bell}",
            words[0], words[1]
        );
        sets.split_whitespace().map(|set| format!("ni.ring.{}", set.replace("B ", " B"))).collect()
    }
}

prop_compose! {
    fn rings()(
        entries in 8u64..70,
        fetches in 1u64..5,
        engine_reads in 1u64..9,
        inline in prop::sample::select(vec![0u64, 0, 64, 100, 200]),
        frame in prop::sample::select(vec![64u64, 72, 128, 512, 1528]),
        descriptor in prop::sample::select(vec![16u64, 32, 64]),
        words in (prop::sample::select(vec!["write-back", "queue"]), prop::sample::select(vec!["polled", "kernel"])),
    )(
        batches in prop::array::uniform6(1..entries + 1),
        (entries, fetches, engine_reads, inline, frame, descriptor, words) in
            Just((entries, fetches, engine_reads, inline, frame, descriptor, words)),
    ) -> Rings {
        Rings { entries, batches, fetches, inline, frame, descriptor, words: [words.0, words.1], engine_reads }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Programs compare every byte and the order of messages.
    #[test]
    fn every_ring_moves_all_bytes_in_order_through_its_wrap_around(
        rings in rings(),
        payload in prop::sample::select(vec![0u64, 1, 8, 40, 41, 64, 300, 1500, 1505, 4000]),
        host in prop::sample::select(vec![PCIE, PCIE, "hosts/memory-bus-1998", "hosts/p6-natoma"]),
    ) {
        let flows = "stream = { warm-up = 0, messages = 150, payload = \"PAYLOAD B\", flows = [\"n0 -> n1\", \"n1 -> n0\"] }";
        let workload = flows.replace("PAYLOAD", &payload.to_string());
        if let Ok(machine) = read(host, "ring", 1, &workload, &rings.sets()) {
            let result = experiment::run(&machine, Recorder::off());
            assert_conserved(&result, &(&rings, payload, host));
        }
    }
}
