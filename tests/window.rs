//! Checks the sliding window's guarantees under any interface and over any fabric: every message is delivered once and
//! in order with an exact ledger, even where the fabric loses and reorders packets.
//!
//! Hosts and interfaces are shipped parts, whose constants do not matter here. The tests set the parameters of the
//! fabric and of the protocol.

use narrows::engine::{Outcome, Recorder, Time};
use narrows::experiment::{RunResult, run};
use narrows::fabric::PacketCounts;
use narrows::machine::build::build;
use narrows::machine::{self, Machine};
use narrows::protocol::Statistics;
use narrows::text::Document;
use std::collections::{BTreeMap, BTreeSet};

const INTERFACES: [(&str, &str); 3] =
    [("cm-5", "queues"), ("memory-bus-1998", "cni32qm"), ("memory-bus-1998", "cni32qm-throttle")];

const IDEAL: &str = "[fabric.ideal]\nlatency = \"400 ns\"\nrate = \"200 MB/s\"";
const MESH: &str = "[fabric.mesh]\nshape = [3, 3]";
const LOSSY: &str = "[fabric.mesh]\nshape = [3, 3]\n[fabric]\nloss = 0.05";
const ADAPTIVE: &str = "[fabric.mesh]\nshape = [3, 3]\nrouting = \"minimal-adaptive\"";
const ADAPTIVE_LOSSY: &str = "[fabric.mesh]\nshape = [3, 3]\nrouting = \"minimal-adaptive\"\n[fabric]\nloss = 0.05";

const WINDOW: &str = "[protocol.window]\nbuffers = 16\nwindow = 8\ntimeout = \"200 us\"\ntimeout-max = \"800 us\"";

/// A stream of messages in three flows, each message in several packets: two flows have one receiver, and two are
/// between one pair of nodes.
const STREAM: &str = "[workload.stream]\nwarm-up = 0\nmessages = 40\npayload = \"600 B\"\n\
                      flows = [\"node0 -> node8\", \"node1 -> node8\", \"node8 -> node0\"]";
const MESSAGES: usize = 3 * 40;

fn is_adaptive(fabric: &str) -> bool {
    fabric.contains("minimal-adaptive")
}

/// Returns a description of nine nodes.
fn description((host, ni): (&str, &str), (fabric, clock): (&str, &str), further_lines: &str) -> String {
    let channels = if is_adaptive(fabric) { 3 } else { 1 };
    let router = format!(
        "[fabric.router]\nnetworks = 2\nvirtual-channels = {channels}\nflit = \"4 B\"\nlink-bits = 8\nclock = \"{clock}\""
    );
    let router = if fabric == IDEAL { "" } else { &router };
    let nodes = format!("[nodes.node]\nhost = \"{host}\"\ncount = 9");
    format!("parts = [\"hosts/{host}\", \"ni/{ni}\"]\n{nodes}\n{fabric}\n{router}\n{further_lines}\n")
}

fn read(text: &str) -> Machine {
    let read = machine::read(Document::Text("test.toml", text, None), &[]);
    read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value
}

/// The counts of a run.
struct Counts {
    packets: PacketCounts,
    protocols: Vec<Statistics>,
    /// Number of messages during which a packet was retransmitted.
    retried_messages: usize,
}

impl Counts {
    fn sum(&self, count: fn(&Statistics) -> u64) -> u64 {
        self.protocols.iter().map(count).sum()
    }
}

/// Runs the stream, and asserts that each message arrived once, in order, with an exact ledger.
fn run_stream(interface: (&str, &str), fabric: &str, protocol: &str) -> Counts {
    let text = description(interface, (fabric, "200 MHz"), &format!("{protocol}\n{STREAM}"));
    let built = build(&read(&text), Recorder::off().with_messages());
    assert_eq!(built.run(), Outcome::Done, "{text}");
    let (world, mut last_ids, mut delivered_ids) = (&built.world, BTreeMap::new(), BTreeSet::new());
    let mut retried_messages = 0;
    for (message, time) in world.tally.delivered().iter() {
        assert!(delivered_ids.insert(message.id), "each message is delivered once: {text}");
        let previous = last_ids.insert((message.source, message.destination), message.id);
        assert!(
            previous.is_none_or(|previous_id| previous_id < message.id),
            "the messages of a pair are delivered in order: {text}"
        );
        let ledger = message.ledger();
        let sum: Time = ledger.stages().iter().map(|stage| stage.total()).fold(Time::ZERO, |sum, stage| sum + stage);
        assert_eq!(ledger.start() + sum, *time, "{text}");
        retried_messages += usize::from(ledger.stages().iter().any(|stage| stage.name == "retry"));
    }
    assert_eq!((delivered_ids.len(), world.tally.lost_count()), (MESSAGES, 0), "{text}");
    let ports = world.nodes.iter().map(|node| node.endpoint().port().expect("every endpoint has a port").statistics());
    let packets = world.fabric.as_ref().expect("the machine has a fabric").packet_counts();
    Counts { packets, protocols: ports.collect(), retried_messages }
}

#[test]
fn streams_arrive_once_and_in_order_over_any_fabric() {
    let mut duplicates = 0;
    for interface in INTERFACES {
        for fabric in [IDEAL, MESH, ADAPTIVE] {
            let counts = run_stream(interface, fabric, WINDOW);
            let losses_and_retries =
                (counts.packets.dropped, counts.sum(|unit| unit.retransmitted), counts.retried_messages);
            assert_eq!(
                losses_and_retries,
                (0, 0, 0),
                "nothing is lost, and no time-out expires: {interface:?} {fabric}"
            );
            assert!(counts.sum(|unit| unit.acknowledgements) >= MESSAGES as u64);
        }
        for fabric in [LOSSY, ADAPTIVE_LOSSY] {
            let counts = run_stream(interface, fabric, WINDOW);
            assert!(counts.packets.dropped > 0 && counts.retried_messages > 0, "{interface:?} {fabric}");
            assert!(counts.sum(|unit| unit.retransmitted) > 0, "{interface:?} {fabric}");
            duplicates += counts.sum(|unit| unit.duplicates);
        }
    }
    assert!(duplicates > 0, "duplicates arrived, and were not delivered a second time");
}

#[test]
fn streams_arrive_with_few_sequence_numbers_no_reorder_buffers_and_delayed_acknowledgements() {
    for keys in [
        "sequence-bits = 4",
        "sequence-bits = 1\nwindow = 1",
        "reorder-buffers = 0",
        "receive-buffers = 1",
        "acknowledge-every = 4\nacknowledge-delay = \"20 us\"",
    ] {
        let window = if keys.contains("\nwindow") { "" } else { "window = 8\n" };
        let protocol = format!("[protocol.window]\n{window}{keys}\ntimeout = \"200 us\"\ntimeout-max = \"800 us\"");
        for interface in INTERFACES {
            let counts = run_stream(interface, LOSSY, &protocol);
            assert!(counts.packets.dropped > 0 && counts.retried_messages > 0, "{interface:?} {keys}");
        }
    }
}

#[test]
fn delayed_acknowledgement_is_sent_after_its_delay() {
    // The last packet of a message or of a window with an odd number of packets is acknowledged only after the delay,
    // which is much shorter than the time-out.
    let delayed_acknowledgements =
        "[protocol.window]\nwindow = 3\nacknowledge-every = 2\nacknowledge-delay = \"5 us\"\ntimeout = \"200 us\"";
    for interface in INTERFACES {
        let counts = run_stream(interface, MESH, delayed_acknowledgements);
        assert_eq!(counts.sum(|unit| unit.retransmitted), 0, "{interface:?}");
        let (accepted, acknowledgements) = (counts.sum(|unit| unit.accepted), counts.sum(|unit| unit.acknowledgements));
        let message = format!("{acknowledgements} acknowledgements of {accepted} packets");
        assert!(0 < acknowledgements && acknowledgements < accepted, "{message}");
    }
}

#[track_caller]
fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name} in {:?}", result.metrics))
}

/// Returns a description of bursts from all nodes to all, on links so slow that packets contend.
fn bursts(interface: (&str, &str), fabric: &str, further_lines: &str) -> String {
    description(
        interface,
        (fabric, "10 MHz"),
        &format!("[workload.bursts]\nphases = 2\npackets = [10, 30]\n{further_lines}"),
    )
}

#[test]
fn window_keeps_active_messages_in_order_on_an_adaptive_fabric() {
    let out_of_order = |interface, further_lines: &str| {
        let text = bursts(interface, ADAPTIVE, further_lines);
        let result = run(&read(&text), Recorder::off());
        assert_eq!(result.outcome, Outcome::Done, "{text}");
        assert_eq!(metric(&result, "packets.sent"), metric(&result, "packets.delivered"), "{text}");
        metric(&result, "bursts.out_of_order")
    };
    assert!(out_of_order(INTERFACES[0], "[messaging]\nin-order = false") > 0.0);
    for interface in INTERFACES {
        assert_eq!(out_of_order(interface, &format!("{WINDOW}\n[messaging]\nin-order = true")), 0.0);
    }
}

#[test]
fn random_numbers_depend_on_the_seed_alone() {
    for interface in INTERFACES {
        let result_with_seed = |seed: u64| {
            let text = bursts(interface, ADAPTIVE_LOSSY, &format!("{WINDOW}\n[run]\nseed = {seed}"));
            let result = run(&read(&text), Recorder::with_spans_max(1 << 16));
            assert!(metric(&result, "ni.retransmitted") > 0.0 && metric(&result, "frames.dropped") > 0.0);
            format!("{result:?}")
        };
        let first = result_with_seed(1);
        assert!(first == result_with_seed(1), "the same seed gives the same bytes: {interface:?}");
        assert!(first != result_with_seed(2), "another seed gives another run: {interface:?}");
    }
}
