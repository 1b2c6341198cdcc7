//! Does a sliding window keep what it promises, under any interface and over any fabric? All is
//! delivered, once, in order, and each ledger is exact, whatever the fabric loses and reorders.
//!
//! The hosts' constants, and those of the interfaces, are those of shipped parts: they do not matter
//! here. What the fabric and the protocol are given is stated.

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

/// Messages of three flows, of which two meet and two are of one pair; each takes several packets.
const STREAM: &str = "[workload.stream]\nwarm-up = 0\nmessages = 40\npayload = \"600 B\"\n\
                      flows = [\"node0 -> node8\", \"node1 -> node8\", \"node8 -> node0\"]";
const MESSAGES: usize = 3 * 40;

fn is_adaptive(fabric: &str) -> bool {
    fabric.contains("minimal-adaptive")
}

/// A description of nine nodes.
fn description((host, ni): (&str, &str), (fabric, clock): (&str, &str), rest: &str) -> String {
    let channels = if is_adaptive(fabric) { 3 } else { 1 };
    let router = format!(
        "[fabric.router]\nnetworks = 2\nvirtual-channels = {channels}\nflit = \"4 B\"\nlink-bits = 8\nclock = \"{clock}\""
    );
    let router = if fabric == IDEAL { "" } else { &router };
    let nodes = format!("[nodes.node]\nhost = \"{host}\"\ncount = 9");
    format!("parts = [\"hosts/{host}\", \"ni/{ni}\"]\n{nodes}\n{fabric}\n{router}\n{rest}\n")
}

fn read(text: &str) -> Machine {
    let read = machine::read(Document::Text("test.toml", text, None), &[]);
    read.unwrap_or_else(|problems| panic!("{problems}\n{text}")).value
}

/// What the counts of a run were.
struct Counts {
    packets: PacketCounts,
    protocols: Vec<Statistics>,
    /// Messages in whose time a packet was sent again.
    retried: usize,
}

impl Counts {
    fn sum(&self, of: fn(&Statistics) -> u64) -> u64 {
        self.protocols.iter().map(of).sum()
    }
}

/// Runs the stream, and expects that each message came once, in its turn, with an exact ledger.
fn streamed(interface: (&str, &str), fabric: &str, protocol: &str) -> Counts {
    let text = description(interface, (fabric, "200 MHz"), &format!("{protocol}\n{STREAM}"));
    let built = build(&read(&text), Recorder::off());
    assert_eq!(built.run(), Outcome::Done, "{text}");
    let (world, mut last, mut seen) = (&built.world, BTreeMap::new(), BTreeSet::new());
    let mut retried = 0;
    for (message, at) in world.tally.delivered().iter() {
        assert!(seen.insert(message.id), "a message comes once: {text}");
        let before = last.insert((message.source, message.destination), message.id);
        assert!(before.is_none_or(|before| before < message.id), "a pair's messages come in order: {text}");
        let ledger = message.ledger();
        let sum: Time = ledger.stages().iter().map(|stage| stage.total()).fold(Time::ZERO, |sum, stage| sum + stage);
        assert_eq!(ledger.start() + sum, *at, "{text}");
        retried += usize::from(ledger.stages().iter().any(|stage| stage.name == "retry"));
    }
    assert_eq!((seen.len(), world.tally.dropped()), (MESSAGES, 0), "{text}");
    let ports = world.nodes.iter().map(|node| node.endpoint().port().expect("packets go by ports").statistics());
    let packets = world.fabric.as_ref().expect("a fabric joins them").packet_counts();
    Counts { packets, protocols: ports.collect(), retried }
}

#[test]
fn streams_arrive_once_and_in_order_whatever_the_fabric_does() {
    let mut duplicates = 0;
    for interface in INTERFACES {
        for fabric in [IDEAL, MESH, ADAPTIVE] {
            let counts = streamed(interface, fabric, WINDOW);
            let again = (counts.packets.dropped, counts.sum(|unit| unit.retransmitted), counts.retried);
            assert_eq!(again, (0, 0, 0), "nothing is lost, and no time-out goes off: {interface:?} {fabric}");
            assert!(counts.sum(|unit| unit.acknowledgements) >= MESSAGES as u64);
        }
        for fabric in [LOSSY, ADAPTIVE_LOSSY] {
            let counts = streamed(interface, fabric, WINDOW);
            assert!(counts.packets.dropped > 0 && counts.retried > 0, "{interface:?} {fabric}");
            assert!(counts.sum(|unit| unit.retransmitted) > 0, "{interface:?} {fabric}");
            duplicates += counts.sum(|unit| unit.duplicates);
        }
    }
    assert!(duplicates > 0, "copies came of what had come, and were not delivered again");
}

#[test]
fn few_numbers_no_reorder_buffers_and_late_acknowledgements_do_as_well() {
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
            let counts = streamed(interface, LOSSY, &protocol);
            assert!(counts.packets.dropped > 0 && counts.retried > 0, "{interface:?} {keys}");
        }
    }
}

#[test]
fn an_acknowledgement_that_waits_leaves_when_its_delay_is_over() {
    // Of an odd packet that ends a message or a window nothing but the delay tells, long before the
    // time-out.
    let late =
        "[protocol.window]\nwindow = 3\nacknowledge-every = 2\nacknowledge-delay = \"5 us\"\ntimeout = \"200 us\"";
    for interface in INTERFACES {
        let counts = streamed(interface, MESH, late);
        assert_eq!(counts.sum(|unit| unit.retransmitted), 0, "{interface:?}");
        let (accepted, told) = (counts.sum(|unit| unit.accepted), counts.sum(|unit| unit.acknowledgements));
        assert!(0 < told && told < accepted, "{told} acknowledgements of {accepted} packets");
    }
}

#[track_caller]
fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no metric {name} in {:?}", result.metrics))
}

/// Bursts from all nodes to all, on links so slow that packets meet.
fn bursts(interface: (&str, &str), fabric: &str, rest: &str) -> String {
    description(interface, (fabric, "10 MHz"), &format!("[workload.bursts]\nphases = 2\npackets = [10, 30]\n{rest}"))
}

#[test]
fn active_messages_keep_their_order_where_without_a_protocol_they_do_not() {
    let out_of_order = |interface, rest: &str| {
        let text = bursts(interface, ADAPTIVE, rest);
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
fn the_seed_is_all_that_chance_depends_on() {
    for interface in INTERFACES {
        let told = |seed: u64| {
            let text = bursts(interface, ADAPTIVE_LOSSY, &format!("{WINDOW}\n[run]\nseed = {seed}"));
            let result = run(&read(&text), Recorder::keeping(1 << 16));
            assert!(metric(&result, "ni.retransmitted") > 0.0 && metric(&result, "frames.dropped") > 0.0);
            format!("{result:?}")
        };
        let first = told(1);
        assert!(first == told(1), "the same seed gives the same bytes: {interface:?}");
        assert!(first != told(2), "another seed gives another run: {interface:?}");
    }
}
