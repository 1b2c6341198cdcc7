//! Do bursts come as they are stated, each packet once, whatever the network?

use super::super::bench::{self, Bench, CM5, SYNTHETIC, UNORDERED};
use super::super::destinations::Pattern;
use super::*;
use crate::messaging::active::Parameters;
use crate::program::Workload;

fn bursts(text: &str) -> Bursts {
    match bench::read(&format!("[workload.bursts]\n{text}")) {
        Workload::Bursts(bursts) => bursts,
        other => panic!("{other:?}"),
    }
}

fn run(bursts: &Bursts, nodes: usize, parameters: Parameters) -> Bench {
    let mut bench = Bench::new(nodes, parameters, 1);
    bench.run(|world| bursts.start(world));
    bench
}

#[test]
fn heavy_traffic_is_what_the_paper_states() {
    let heavy = bursts("");
    let mut draws = Draws::new(&heavy, 1, 0, 64);
    for _ in 0..50 {
        let messages = draws.burst();
        let packets: u64 = messages.iter().map(|(_, packets)| packets).sum();
        assert!((100..=300).contains(&packets), "{packets}");
        assert!(messages.iter().all(|(to, packets)| *to != 0 && (1..=5).contains(packets)));
    }
    assert_eq!(Silences::new(&heavy, 1, 0).share(1_000_000), 0.0, "all nodes respond");
}

#[test]
fn light_traffic_is_mostly_short_messages_and_mostly_packets_of_long_ones() {
    let light = bursts("traffic = \"light\"");
    let asleep = Silences::new(&light, 1, 0).share(10_000_000);
    assert!((0.19..0.21).contains(&asleep), "a fifth of the time: {asleep}");
    let mut draws = Draws::new(&light, 1, 0, 64);
    let bursts: Vec<_> = (0..3_000).map(|_| draws.burst()).collect();
    let sending = bursts.iter().filter(|messages| !messages.is_empty()).count();
    assert!((930..1_050).contains(&sending), "a third: {sending}");
    let lengths: Vec<u64> = bursts.concat().iter().map(|(_, packets)| *packets).collect();
    let is_long = |length: &&u64| **length > 5;
    assert!(lengths.iter().filter(is_long).count() * 2 < lengths.len());
    assert!(lengths.iter().filter(is_long).sum::<u64>() * 2 > lengths.iter().sum::<u64>());
}

#[test]
fn every_packet_comes_once_until_the_cycles_are_over() {
    let bench = run(&bursts("cycles = 100000"), 8, SYNTHETIC);
    assert_eq!(bench.metric("cycles"), 100_000.0);
    assert!(bench.metric("bursts.phases") >= 2.0);
    // A node sends a packet and receives one in 100 cycles, if it is never kept waiting.
    let delivered = bench.metric("packets.delivered");
    assert!((5_000.0..8_000.0).contains(&delivered), "{delivered}");
    assert_eq!(bench.metric("bursts.out_of_order"), 0.0);
    let unordered = run(&bursts("cycles = 100000"), 8, UNORDERED);
    assert!(unordered.metric("bursts.out_of_order") > 0.0);
}

#[test]
fn the_same_bursts_are_sent_whatever_the_network() {
    for text in ["phases = 3", "phases = 6\ntraffic = \"light\""] {
        let one = run(&bursts(text), 8, SYNTHETIC);
        let other = run(&bursts(text), 8, Parameters { latency: 200, jitter: 300, ..CM5 });
        for name in ["packets.sent", "packets.delivered", "bursts.messages", "bursts.phases"] {
            assert_eq!(one.metric(name), other.metric(name), "{name}");
        }
        assert_eq!(one.metric("packets.in_flight"), 0.0);
        assert!(one.metric("cycles") < other.metric("cycles"));
        assert_eq!(one.metrics, run(&bursts(text), 8, SYNTHETIC).metrics, "a run is the same again");
    }
}

#[test]
fn nodes_that_ignore_the_network_slow_it_down() {
    let text = "phases = 3\nsending = 0.5";
    let (awake, asleep) = (bursts(text), bursts(&format!("{text}\nunresponsive = [1500, 2500]")));
    assert!(
        run(&awake, 4, SYNTHETIC).metric("cycles") * 1.2 < run(&asleep, 4, SYNTHETIC).metric("cycles"),
        "a third of the time is lost"
    );
}

#[test]
fn bulk_dialogs_are_asked_for_by_long_messages_and_left_at_their_end() {
    let bench = Bench::new(2, SYNTHETIC, 1);
    let end = parallel::end(&bench.world, 0);
    let asks = |bursts: &Bursts, packets| -> Vec<(bool, bool)> {
        let packet = |place| bursts.packet(&end, 1, 0, (place, packets));
        (0..packets).map(|place| (packet(place).bulk, packet(place).last)).collect()
    };
    assert_eq!(asks(&bursts(""), 1), [(false, false)]);
    assert_eq!(asks(&bursts(""), 3), [(true, false), (true, false), (true, true)]);
    assert_eq!(asks(&bursts("bulk-min = 3"), 2), [(false, false), (false, false)]);
}

#[test]
fn closed_patterns_are_sent_through() {
    let with = |pattern| Bursts { pattern, phases: 2, ..bursts("") };
    let shuffled = run(&with(Pattern::Shuffle), 8, SYNTHETIC);
    let incast = run(&with(Pattern::Incast { node: 3 }), 8, SYNTHETIC);
    assert!(incast.metric("cycles") > 3.0 * shuffled.metric("cycles"), "one node receives it all");
    assert_eq!(with(Pattern::Transpose).check(8)[0].0, "pattern");
}

#[test]
fn a_run_in_which_nothing_is_accepted_any_more_is_stuck() {
    let deaf = bursts("cycles = 200000\nresponsive = [2000, 6000]\nunresponsive = [900000000, 900000000]");
    let outcome = Bench::new(4, SYNTHETIC, 1).run_to(|world| deaf.start(world));
    assert!(
        matches!(&outcome, Outcome::Deadlock(stuck) if stuck.to_string().contains("none was for long")),
        "{outcome:?}"
    );
}
