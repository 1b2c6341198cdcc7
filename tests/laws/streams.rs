//! Checks laws of several messages in flight: Little's law, and the laws of bandwidth, of flows and of the links that
//! they share.

use super::unequal_hosts;
use crate::common::*;
use narrows::engine::Time;

#[test]
fn littles_law_holds_with_one_message_in_flight() {
    let run = TestMachine::default().ping_pong(50, 4_096).run_to_completion();
    let latencies: f64 = run.messages.iter().map(DeliveredMessage::latency).sum();
    let mean_in_flight = latencies / in_ns(run.messages.last().unwrap().at);
    assert_near(mean_in_flight, 1.0, 0.01);
}

#[test]
fn littles_law_of_a_saturated_stream() {
    for ring_entries in [4, 16] {
        let run = TestMachine { ring_entries, ..TestMachine::default() }.stream(400, 4_096).run_to_completion();
        let end = in_ns(run.result.end);
        let (start, end) = (0.25 * end, 0.75 * end);
        let delivered_within: Vec<_> =
            run.messages.iter().filter(|message| (start..end).contains(&in_ns(message.at))).collect();
        let throughput = delivered_within.len() as f64 / (end - start);
        let latency =
            delivered_within.iter().map(|message| message.latency()).sum::<f64>() / delivered_within.len() as f64;
        let in_flight_at = |time: f64| {
            let is_in_flight =
                |message: &&DeliveredMessage| in_ns(message.ledger.start()) <= time && time < in_ns(message.at);
            run.messages.iter().filter(is_in_flight).count() as f64
        };
        let instants = 2_000;
        let time_of_instant = |instant| start + (end - start) * (f64::from(instant) + 0.5) / f64::from(instants);
        let in_flight =
            (0..instants).map(|instant| in_flight_at(time_of_instant(instant))).sum::<f64>() / f64::from(instants);
        assert_near(throughput * latency, in_flight, 0.02 * in_flight);
        assert!(in_flight > ring_entries as f64 / 2.0, "the ring is kept full: {in_flight}");
    }
}

/// Returns the largest bandwidth of a stream of `payload`, in MB/s: the bandwidth of the slowest engine with its
/// overheads.
fn bandwidth_bound(from: &Host, to: &Host, payload: u64) -> f64 {
    let link = transfer_ns(payload + 128, 160);
    payload as f64 * 1e3 / from.read_ns(payload).max(to.write_ns(payload)).max(link)
}

#[test]
fn no_stream_is_faster_than_its_slowest_part() {
    let [first, second] = unequal_hosts();
    let fast = Host::with_dma(200, 250);
    for (from, to) in [(&first, &second), (&second, &first), (&fast, &fast), (&fast, &second)] {
        for payload in [512, 4_096, 16_384] {
            let bound = bandwidth_bound(from, to, payload);
            let bandwidth = |policy| {
                let test_machine = TestMachine::default().hosts(&[from.clone(), to.clone()]).policy(policy);
                test_machine.stream(60, payload).run_to_completion().metric("message.bandwidth")
            };
            let [stored, cut_through, adaptive] = [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE].map(bandwidth);
            assert!(
                [stored, cut_through, adaptive].iter().all(|&measured| measured <= bound * 1.001),
                "{stored} {cut_through} {adaptive}"
            );
            // If there are buffers to overlap packets in, the slowest part determines nearly all of the time; control
            // messages cross the same bus. With one buffer, each packet waits until the previous one has left.
            if payload >= 4_096 {
                assert!(stored >= 0.9 * bound && adaptive >= 0.9 * bound, "{stored} {adaptive} of {bound}");
                assert!(cut_through < adaptive, "{cut_through} of {adaptive}");
            }
        }
    }
}

#[test]
fn the_bandwidth_of_a_flow_is_that_between_its_first_delivery_and_its_last() {
    let run = TestMachine::default().stream(30, 4_096).run_to_completion();
    let [first, last] =
        [run.messages.first(), run.messages.last()].map(|message| message.expect("messages are delivered").at);
    assert_eq!(run.metric("message.bandwidth"), (29 * 4_096) as f64 / (last - first).as_us());
}

#[test]
fn bandwidths_of_flows_are_of_one_window_and_add_up() {
    let hosts = [20, 120, 120, 120].map(|rate| Host::with_dma(500, rate));
    let run = TestMachine::default().hosts(&hosts).flows(&["n0 -> n2", "n1 -> n3"], 40, 4_096).run_to_completion();
    let [slow_deliveries, fast_deliveries] = [0, 1].map(|source| -> Vec<_> {
        run.messages.iter().filter(|message| message.source == source).map(|message| message.at).collect()
    });
    // The fast flow ends long before the slow one.
    let (start, end) = (slow_deliveries[0].max(fast_deliveries[0]), fast_deliveries[39]);
    assert!(end < slow_deliveries[20], "{end} {}", slow_deliveries[20]);
    let rate = |flow: &[Time]| {
        let messages =
            flow.iter().filter(|delivery_time| (start < **delivery_time) && (**delivery_time <= end)).count();
        (messages * 4_096) as f64 / (end - start).as_us()
    };
    assert_near(run.metric("flow.n0.n2.bandwidth"), rate(&slow_deliveries), 1e-9);
    assert_near(run.metric("flow.n1.n3.bandwidth"), rate(&fast_deliveries), 1e-9);
    assert_near(run.metric("message.bandwidth"), rate(&slow_deliveries) + rate(&fast_deliveries), 1e-9);
}

#[test]
fn two_flows_between_the_same_nodes_share_the_bandwidth_of_one() {
    let host = Host::with_dma(500, 90);
    for ring_entries in [1, 2, 3, 16] {
        let test_machine = TestMachine { ring_entries, ..TestMachine::default() }.hosts(&[host.clone(), host.clone()]);
        let run = test_machine.flows(&["n0 -> n1", "n0 -> n1"], 30, 4_096).run_to_completion();
        let (bandwidth, bound) = (run.metric("message.bandwidth"), bandwidth_bound(&host, &host, 4_096));
        assert!(bandwidth <= bound * 1.001, "{bandwidth} of {bound} with {ring_entries} entries");
        assert_eq!(run.metric("messages.delivered"), 60.0);
    }
}

/// Returns the times of the first and the last byte of every packet received by these nodes, in order, with its
/// message.
fn packet_times(run: &Run, nodes: &[usize]) -> Vec<(f64, f64, u64)> {
    let mut packets: Vec<(f64, f64, u64)> = Vec::new();
    for node in nodes {
        for span in run.spans(*node, "netRcv") {
            let message = span.message.expect("netRcv serves a message");
            match packets.iter_mut().find(|packet| packet.2 == message) {
                Some(packet) => packet.1 = in_ns(span.end),
                None => packets.push((in_ns(span.start), in_ns(span.end), message)),
            }
        }
    }
    packets.sort_by(|a, b| a.0.total_cmp(&b.0));
    packets
}

#[test]
fn packets_on_a_shared_link_come_one_after_the_other() {
    let fast = Host::with_dma(200, 250);
    let slow_host = Host::with_dma(500, 90);
    for host in [fast, slow_host] {
        for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
            let shared_receiver = TestMachine::default().hosts(&vec![host.clone(); 3]);
            let shared_trunk = TestMachine {
                switches: vec!["west".into(), "east".into()],
                links: ["n0 - west", "n1 - west", "west - east", "n2 - east", "n3 - east"].map(String::from).to_vec(),
                ..TestMachine::default().hosts(&vec![host.clone(); 4])
            };
            for (test_machine, flows, receivers) in [
                (shared_receiver, ["n0 -> n2", "n1 -> n2"], &[2][..]),
                (shared_trunk, ["n0 -> n2", "n1 -> n3"], &[2, 3][..]),
            ] {
                let run = test_machine.policy(policy).flows(&flows, 40, 4_096).run_to_completion();
                let bandwidth = run.metric("message.bandwidth");
                assert!(bandwidth <= 160.0 * 4_096.0 / (4_096.0 + 128.0) * 1.001, "{bandwidth} on one link");
                let packet_times = packet_times(&run, receivers);
                assert_eq!(packet_times.len(), 80);
                for pair in packet_times.windows(2) {
                    assert!(pair[0].1 <= pair[1].0 + 1e-3, "{pair:?} interleave under {policy}");
                }
                let senders = packet_times.iter().map(|&(_, _, id)| run.message(id).source);
                let changes = senders.collect::<Vec<_>>().windows(2).filter(|pair| pair[0] != pair[1]).count();
                assert!(changes > 20, "the senders alternate: {changes} changes of sender");
            }
        }
    }
}
