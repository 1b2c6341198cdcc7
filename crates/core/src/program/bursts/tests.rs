//! Tests that bursts are drawn as stated.

use super::super::destinations::Pattern;
use super::super::tests;
use super::*;
use crate::engine::Recorder;
use crate::machine::{self, build::build};
use crate::text::Document;

/// A machine of two nodes, for their endpoints.
const MACHINE: &str = r#"
[hosts.h.software]
clock = "1 GHz"
[messaging]
send = 1
poll = 0
receive = 1
[ni.queues]
[fabric.ideal]
latency = "1 ns"
rate = "8 GB/s"
[workload.bursts]
"#;

fn bursts(text: &str) -> Bursts {
    tests::read::<Bursts>(&format!("[workload.bursts]\n{text}"))
}

#[test]
fn heavy_traffic_matches_the_paper() {
    let heavy = bursts("");
    let mut draws = BurstDraws::new(&heavy, 1, 0, 64);
    for _ in 0..50 {
        let messages = draws.draw_burst();
        let packets: u64 = messages.iter().map(|(_, packets)| packets).sum();
        assert!((100..=300).contains(&packets), "{packets}");
        assert!(messages.iter().all(|(to, packets)| *to != 0 && (1..=5).contains(packets)));
    }
    assert_eq!(QuietPeriods::new(&heavy, 1, 0).quiet_fraction(1_000_000), 0.0, "all nodes always respond");
}

#[test]
fn most_messages_of_light_traffic_are_short_and_most_packets_are_of_long_ones() {
    let light = bursts("traffic = \"light\"");
    let quiet_fraction = QuietPeriods::new(&light, 1, 0).quiet_fraction(10_000_000);
    assert!((0.19..0.21).contains(&quiet_fraction), "a fifth of the time: {quiet_fraction}");
    let mut draws = BurstDraws::new(&light, 1, 0, 64);
    let bursts: Vec<_> = (0..3_000).map(|_| draws.draw_burst()).collect();
    let sending_phases = bursts.iter().filter(|messages| !messages.is_empty()).count();
    assert!((930..1_050).contains(&sending_phases), "a third: {sending_phases}");
    let lengths: Vec<u64> = bursts.concat().iter().map(|(_, packets)| *packets).collect();
    let is_long = |length: &&u64| **length > 5;
    assert!(lengths.iter().filter(is_long).count() * 2 < lengths.len());
    assert!(lengths.iter().filter(is_long).sum::<u64>() * 2 > lengths.iter().sum::<u64>());
}

#[test]
fn long_messages_request_bulk_dialogs_and_end_them() {
    let read = machine::read(Document::Text("test.toml", MACHINE, None), &[]).expect("the machine is valid");
    let built = build(&read.value, Recorder::off());
    let endpoint = parallel::endpoint(&built.world, 0);
    let flags = |bursts: &Bursts, packets| -> Vec<(bool, bool)> {
        let packet = |index| bursts.packet(&endpoint, 1, 0, (index, packets));
        (0..packets).map(|index| (packet(index).is_bulk, packet(index).is_last)).collect()
    };
    assert_eq!(flags(&bursts(""), 1), [(false, false)]);
    assert_eq!(flags(&bursts(""), 3), [(true, false), (true, false), (true, true)]);
    assert_eq!(flags(&bursts("bulk-min = 3"), 2), [(false, false), (false, false)]);
}

#[test]
fn unsuitable_patterns_are_rejected() {
    let transpose_bursts = Bursts { pattern: Pattern::Transpose, ..bursts("") };
    assert_eq!(transpose_bursts.check_endpoints(8)[0].key, "pattern");
    assert!(transpose_bursts.check_endpoints(16).is_empty());
}

#[test]
fn patterns_without_traffic_between_nodes_are_rejected() {
    let with_pattern = |pattern| Bursts { pattern, ..bursts("") };
    assert_eq!(with_pattern(Pattern::Tornado(vec![])).check_endpoints(2)[0].key, "pattern");
    assert_eq!(with_pattern(Pattern::Neighbour(vec![1, 1])).check_endpoints(1)[0].key, "pattern");
    assert!(with_pattern(Pattern::Tornado(vec![])).check_endpoints(3).is_empty());
    assert!(with_pattern(Pattern::Incast { node: 0 }).check_endpoints(2).is_empty());
}
