//! Checks laws on random machines: every message is delivered once or reported as lost, every ledger agrees with the
//! spans of the engines, and the same description gives the same run. Programs check the bytes of every payload.
//!
//! The first machines are Trapeze's, with random hosts, policies, rings, fabrics and workloads; the others are
//! compatible combinations of shipped parts with random values of their parameters.

use crate::common::draw::{NumberSource, parameter_settings, program};
use crate::common::parts::{accepted, read, run_to_completion, text};
use crate::common::*;
use narrows::engine::{Outcome, Recorder, Span, Time};
use narrows::experiment::{RunResult, run};
use narrows::machine::Machine;
use narrows::machine::Registry;
use narrows::machine::combinations::Combination;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn host() -> impl Strategy<Value = Host> {
    let dma = (0..3_000u64, 20..250u64);
    let pio = (0..10u64, 0..20u64, select(vec![4, 32]), 1..20u64);
    (dma.clone(), dma, select(vec![DMA_FIRST, ALTERNATE, BUFFERED]), 0..5_000u64, pio).prop_map(
        |(read, write, competition, interrupt_latency, pio)| Host {
            read_setup: read.0,
            read_rate: read.1,
            write_setup: write.0,
            write_rate: write.1,
            competition,
            interrupt_latency,
            write_overhead_cycles: pio.0,
            read_overhead_cycles: pio.1,
            pio_burst: pio.2,
            posted_writes: pio.3,
        },
    )
}

/// Returns a policy, and the smallest number of bytes of a transfer to a sink under this policy.
fn policy() -> impl Strategy<Value = (String, u64)> {
    (select(vec!["store-and-forward", "pure", "eager", "adaptive"]), 1..2_048u64, 1..6u64).prop_map(
        |(policy, minpulse, buffers)| match policy {
            "store-and-forward" => (format!("{{ store-and-forward = {{ buffers = {buffers} }} }}"), u64::MAX),
            "adaptive" => {
                let keys = format!("minpulse = \"{minpulse} B\", buffers = {buffers}");
                (format!("{{ adaptive-cut-through = {{ {keys} }} }}"), minpulse)
            }
            policy => (format!("{{ {policy}-cut-through = {{ minpulse = \"{minpulse} B\" }} }}"), minpulse),
        },
    )
}

fn notification() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(r#""interrupt""#.to_owned()),
        (200..20_000u64).prop_map(|ns| format!(r#"{{ polling = {{ interval = "{ns} ns" }} }}"#)),
    ]
}

fn arrivals() -> impl Strategy<Value = String> {
    let open_loop = |process: &'static str| {
        (1..200u64).prop_map(move |us| format!(r#"{{ {process} = {{ interval = "{us} us" }} }}"#))
    };
    let closed = (1..6u64, 0..50u64).prop_map(|(outstanding, us)| {
        format!(r#"{{ closed-loop = {{ outstanding = {outstanding}, think-time = "{us} us" }} }}"#)
    });
    let bursts = (1..6u64, 0..20u64, 1..200u64).prop_map(|(length, spacing, pause)| {
        format!(r#"{{ bursts = {{ length = {length}, spacing = "{spacing} us", pause = "{pause} us" }} }}"#)
    });
    prop_oneof![Just(r#""closed-loop""#.to_owned()), open_loop("periodic"), open_loop("poisson"), closed, bursts]
}

/// Returns a random workload on `nodes` nodes.
fn workload(nodes: usize) -> impl Strategy<Value = String> {
    let pair = (0..nodes, 1..nodes).prop_map(move |(from, distance)| (from, (from + distance) % nodes));
    let payload = prop_oneof![0..300u64, 0..=65_536u64];
    let stream = (prop::collection::vec(pair.clone(), 1..5), 2..8u64, payload.clone(), arrivals(), any::<bool>())
        .prop_map(|(flows, messages, payload, arrivals, copying)| {
            let flows: Vec<_> = flows.iter().map(|(from, to)| format!("n{from} -> n{to}")).collect();
            format!(
                r#"stream = {{ warm-up = 0, flows = {flows:?}, messages = {messages}, payload = "{payload} B",
                arrivals = {arrivals}, copying = {copying} }}"#
            )
            .replace('\n', "")
        });
    let ping_pong = (pair.clone(), 1..6u64, payload.clone(), payload).prop_map(|((from, to), messages, request_bytes, reply_bytes)| {
        format!(
            r#"ping-pong = {{ warm-up = 0, from = "n{from}", to = "n{to}", messages = {messages}, payload = "{request_bytes} B", reply-payload = "{reply_bytes} B" }}"#
        )
    });
    let fetch = (pair, 1..6u64, 4..=65_536u64).prop_map(|((from, to), faults, page)| {
        format!(
            r#"page-fetch = {{ warm-up = 0, from = "n{from}", to = "n{to}", faults = {faults}, page = "{page} B" }}"#
        )
    });
    prop_oneof![3 => stream, 1 => ping_pong, 1 => fetch]
}

/// Returns up to three switches in a row or a ring, with each node at one of them.
fn links(nodes: usize) -> impl Strategy<Value = (Vec<String>, Vec<String>)> {
    (1..4usize, prop::collection::vec(0..3usize, nodes), any::<bool>()).prop_map(|(switches, switch_numbers, ring)| {
        let names: Vec<_> = (0..switches).map(|switch| format!("s{switch}")).collect();
        let mut links: Vec<_> = switch_numbers
            .iter()
            .enumerate()
            .map(|(node, number)| format!("n{node} - s{}", number % switches))
            .collect();
        links.extend((1..switches).map(|switch| format!("s{} - s{switch}", switch - 1)));
        if ring && switches > 2 {
            links.push(format!("s0 - s{}", switches - 1));
        }
        (names, links)
    })
}

/// Returns a machine, and the smallest number of bytes of a transfer to a sink.
fn trapeze_machine() -> impl Strategy<Value = (TestMachine, u64)> {
    (2..5usize).prop_flat_map(|nodes| {
        let interface = (policy(), notification(), 1..65u64, any::<[bool; 2]>(), (0..300u64, 20..500u64), 251..600u64);
        let network = (links(nodes), 20..400u64, 0..3_000u64, 0..512u64, select(vec![16, 128, 1_024]));
        let hosts = prop::collection::vec(host(), nodes);
        (hosts, interface, network, workload(nodes), select(vec![300, 50_000]), any::<u32>()).prop_map(
            |(hosts, interface, network, workload, watchdog, seed)| {
                let (policy, notification, ring_entries, [shadow, logging], firmware, sram_rate) = interface;
                let ((switches, links), link_rate, switch_latency, slack, flit) = network;
                // Only a stream continues after a loss.
                let watchdog = if workload.starts_with("stream") { watchdog } else { 10_000_000 };
                let machine = TestMachine {
                    hosts,
                    policy: policy.0,
                    notification,
                    ring_entries,
                    shadow,
                    logging,
                    firmware_cycles: firmware.0,
                    lanai_mhz: firmware.1,
                    sram_rate,
                    link_rate,
                    switch_latency,
                    slack,
                    flit,
                    watchdog,
                    switches,
                    links,
                    workload,
                    seed: seed.into(),
                    ..TestMachine::default()
                };
                (machine, policy.1)
            },
        )
    })
}

/// Returns all results of a run as text.
fn result_text(result: &RunResult) -> String {
    format!("{result:?}")
}

/// Returns the number of random machines: 64, or `PROPTEST_CASES`.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn every_machine_obeys_the_laws((test_machine, minpulse) in trapeze_machine()) {
        let trapeze_run = test_machine.run();
        let outcome = &trapeze_run.result.outcome;
        let is_outcome_expected = match trapeze_run.metric("messages.dropped") > 0.0 {
            true => matches!(outcome, Outcome::Loss(_)),
            false => *outcome == Outcome::Done,
        };
        prop_assert!(is_outcome_expected, "{:?}: {}", outcome, test_machine.text());
        assert_each_message_delivered_once(&trapeze_run);
        assert_no_overlap_of_transfers(&trapeze_run, test_machine.hosts.len());
        for message in &trapeze_run.messages {
            assert_ledger_agrees_with_engines(&trapeze_run, message);
            assert_transfers_follow_policy(&trapeze_run, message, minpulse);
        }
        // The three runs give the same result: one without spans, which gave `messages`, and two with spans. A result
        // has the ledgers of the messages whose latency it reports, in the order of these messages.
        let mut ledgers = trapeze_run.messages.iter().map(|message| &message.ledger);
        prop_assert_eq!(trapeze_run.result.deliveries.is_empty(), trapeze_run.messages.is_empty());
        prop_assert!(trapeze_run.result.deliveries.iter().all(|delivery| ledgers.any(|ledger| *ledger == delivery.ledger)));
        let with_spans = run(&test_machine.machine(), Recorder::with_spans_max(1 << 20).with_messages());
        prop_assert_eq!(result_text(&with_spans), result_text(&trapeze_run.result));
    }
}

/// Returns the compatible combinations of all programs on nodes.
fn all_accepted() -> Vec<Combination> {
    Registry::shared().workloads_on_nodes().flat_map(accepted).collect()
}

/// Smallest fraction of the drawn machines that must be accepted, so that the laws are checked on most of them.
const ACCEPTED_FRACTION_MIN: f64 = 0.6;

#[test]
fn every_combination_obeys_the_laws_with_any_parameters() {
    let combinations = all_accepted();
    let (tried_count, run_count) = (Cell::new(0), Cell::new(0));
    let random_choice = (0..combinations.len(), prop::collection::vec(any::<u32>(), 64));
    let mut runner = TestRunner::new(config());
    let outcome = runner.run(&random_choice, |(index, numbers)| {
        let (combination, mut draw) = (&combinations[index], NumberSource::new(&numbers));
        let program = program(combination.workload, &mut draw);
        let (text, overrides) =
            (text(combination, 4, &format!("workload.{program}")), parameter_settings(combination, &mut draw));
        tried_count.set(tried_count.get() + 1);
        if let Ok(machine) = read(&text, &overrides) {
            run_count.set(run_count.get() + 1);
            let input = format!("{text}{overrides:#?}");
            prop_assert!(catch_unwind(AssertUnwindSafe(|| assert_lawful(&machine, combination))).is_ok(), "{input}");
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let (run_count, tried) = (f64::from(run_count.get()), f64::from(tried_count.get()));
    assert!(run_count > ACCEPTED_FRACTION_MIN * tried, "{run_count} of {tried} machines are valid");
}

/// Asserts that every message arrives once with an exact ledger, and that the same description gives the same run, with
/// and without spans.
fn assert_lawful(machine: &Machine, combination: &Combination) {
    let observation = run_to_completion(machine, combination);
    // Only these workloads promise an order: active messages and their replies use different logical networks, which
    // have no common order.
    if parts::keeps_order(machine) && ["ping-pong", "stream", "page-fetch"].contains(&combination.workload) {
        let out_of_order = parts::first_out_of_order(&observation.messages);
        assert!(out_of_order.is_none(), "{out_of_order:?} was overtaken");
    }
    let [untraced, repeated, mut traced] =
        [Recorder::off(), Recorder::off(), Recorder::with_spans_max(1 << 16)].map(|recorder| run(machine, recorder));
    assert_eq!(result_text(&untraced), result_text(&repeated), "the same description gives the same run");
    traced.timeline = untraced.timeline.clone();
    assert_eq!(result_text(&untraced), result_text(&traced), "the trace changes no result");
}

fn assert_each_message_delivered_once(run: &Run) {
    let mut ids: Vec<_> = run.messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), run.messages.len(), "no message is delivered twice");
    let [sent, dropped] = ["messages.sent", "messages.dropped"].map(|name| run.metric(name));
    assert_eq!(ids.len() as f64 + dropped, sent, "every lost message is reported");
}

fn assert_no_overlap_of_transfers(run: &Run, nodes: usize) {
    for node in 0..nodes {
        for engines in [&["hostTx", "hostRcv"][..], &["netTx"], &["netRcv"]] {
            let mut spans: Vec<&Span> = engines.iter().flat_map(|engine| run.spans(node, engine)).collect();
            spans.sort_by_key(|span| (span.start, span.end));
            let is_sequential = spans.windows(2).all(|pair| pair[0].end <= pair[1].start);
            assert!(is_sequential, "{engines:?} of n{node} overlap");
        }
    }
}

/// Asserts that every stage ends with the last transfer of its engine.
fn assert_ledger_agrees_with_engines(run: &Run, message: &DeliveredMessage) {
    let stages = message.ledger.stages().iter().map(|stage| stage.name);
    // The messages of an open loop may have waited in the program before the call to send.
    let mut names: Vec<_> = stages.filter(|name| *name != "send: backlog").collect();
    let stages_with_payload = ["host send", "send queue", "hostTx", "netTx", "network", "hostRcv", "host receive"];
    assert_eq!(
        names,
        stages_with_payload
            .iter()
            .copied()
            .filter(|name| { message.payload > 0 || !["hostTx", "hostRcv"].contains(name) })
            .collect::<Vec<_>>()
    );
    names.truncate(names.len() - 1);
    let mut stage_end = message.ledger.start();
    for stage in message.ledger.stages() {
        assert_eq!(stage.total(), stage.waiting + stage.service);
        stage_end += stage.total();
        let (node, engine) = match stage.name {
            "hostTx" | "netTx" => (message.source, stage.name),
            "network" => (message.destination, "netRcv"),
            "hostRcv" => (message.destination, stage.name),
            _ => continue,
        };
        let end = run.message_spans(message.id, node, engine).last().map(|span| span.end);
        assert_eq!(end, Some(stage_end), "{} of {message:?}", stage.name);
    }
    assert_eq!(message.ledger.total(), message.at - message.ledger.start(), "stages sum to the latency");
    assert_eq!(stage_end, message.at);
}

fn assert_transfers_follow_policy(run: &Run, message: &DeliveredMessage, minpulse: u64) {
    let transfers_of = |node, engine| -> Vec<(u64, Time)> {
        run.message_spans(message.id, node, engine).iter().map(|span| (span.bytes.get(), span.start)).collect()
    };
    let total_bytes = |transfers: &[(u64, Time)]| transfers.iter().map(|(bytes, _)| bytes).sum::<u64>();
    let (source_transfers, sink_transfers) =
        (transfers_of(message.source, "hostTx"), transfers_of(message.destination, "hostRcv"));
    let [sent_transfers, received_transfers] =
        [(message.source, "netTx"), (message.destination, "netRcv")].map(|(node, engine)| transfers_of(node, engine));
    assert_eq!([total_bytes(&source_transfers), total_bytes(&sink_transfers)], [message.payload; 2]);
    assert_eq!([total_bytes(&sent_transfers), total_bytes(&received_transfers)], [message.payload + 128; 2]);
    assert_eq!((sent_transfers[0].0, received_transfers[0].0), (128, 128), "the control message goes first, in full");
    assert!(source_transfers.len() <= 1 && received_transfers.len() <= 2, "sources are started for the whole payload");
    for transfers in [&sent_transfers[1..], &sink_transfers[..]] {
        let full_transfer_count = transfers.len().saturating_sub(1);
        assert!(
            transfers[..full_transfer_count].iter().all(|(bytes, _)| *bytes >= minpulse),
            "{transfers:?} under {minpulse}"
        );
    }
}
