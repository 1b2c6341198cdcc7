//! Checks runs against laws: results that follow from queueing theory, arithmetic or the papers' rules are computed
//! from the numbers of a description and compared with its run.
//!
//! This file contains the laws of Trapeze's engines and policies; the laws of every part are in
//! [`every_part`](laws/every_part.rs).
//!
//! Tolerances are stated where they are used. The firmware of these machines takes a nanosecond for each pass, so a sum
//! of stages may be off by some tens of nanoseconds.

#[path = "laws/every_part.rs"]
mod every_part;

mod scale;
mod streams;
mod zero_load;

use crate::common::*;
use narrows::engine::Span;
use narrows::experiment::Candidate;
use narrows::report::MeanLedger;

/// Returns the time of a one-word transaction on the bus of the test hosts, in ns.
fn word_ns(overhead_cycles: u64) -> f64 {
    (overhead_cycles + 1) as f64 * 1e3 / 33.0
}

/// Time of the software for a send or a receive, in ns: 100 cycles at 100 MHz.
const SOFTWARE_NS: f64 = 1_000.0;

/// Returns the time from the send call until the firmware notices the message, in ns: the time of the software, and
/// that of four words across the bus.
fn host_send_ns() -> f64 {
    SOFTWARE_NS + 4.0 * word_ns(3)
}

/// Returns the time from the interrupt until the program has the message, in ns: the interrupt latency, a read of the
/// ring entry's state, the time of the software, and that of three more words.
fn host_receive_ns() -> f64 {
    2_000.0 + word_ns(15) + SOFTWARE_NS + 3.0 * word_ns(15)
}

fn span_bytes(spans: &[&Span]) -> Vec<u64> {
    spans.iter().map(|span| span.bytes.get()).collect()
}

fn span_ns(span: &Span) -> f64 {
    in_ns(span.end - span.start)
}

/// Returns two hosts in which all numbers differ.
fn unequal_hosts() -> [Host; 2] {
    let first = Host { read_setup: 700, read_rate: 90, write_setup: 1_100, write_rate: 70, ..Host::default() };
    let second = Host { read_setup: 1_900, read_rate: 60, write_setup: 1_300, write_rate: 110, ..Host::default() };
    [first, second]
}

#[test]
fn a_transfer_takes_setup_and_bytes_over_rate() {
    for payload in [4, 1_001, 4_096, 65_536] {
        let hosts = unequal_hosts();
        let run =
            TestMachine::default().hosts(&hosts).policy(STORE_AND_FORWARD).ping_pong(1, payload).run_to_completion();
        // Each burst, or flit of 128 B, may be rounded by one picosecond.
        let rounding = (payload / 128 + 1) as f64 * 1e-3;
        assert_near(span_ns(run.message_spans(0, 0, "hostTx")[0]), hosts[0].read_ns(payload), rounding);
        assert_near(span_ns(run.message_spans(0, 0, "netTx")[0]), transfer_ns(128, 160), rounding);
        assert_near(span_ns(run.message_spans(0, 0, "netTx")[1]), transfer_ns(payload, 160), rounding);
        assert_near(span_ns(run.message_spans(0, 1, "hostRcv")[0]), hosts[1].write_ns(payload), rounding);
    }
}

#[test]
fn dma_bandwidth_is_bytes_over_setup_and_transfer() {
    for competition in [DMA_FIRST, ALTERNATE, BUFFERED] {
        let [first, second] = unequal_hosts().map(|host| Host { competition, ..host });
        for (node, host) in [("n0", &first), ("n1", &second)] {
            for size in [64, 1_024, 8_192, 65_536] {
                for (direction, transfer_time) in [("read", host.read_ns(size)), ("write", host.write_ns(size))] {
                    let workload = format!(
                        r#"dma = {{ warm-up = 0, node = "{node}", direction = "{direction}", size = "{size} B", transfers = 10 }}"#
                    );
                    let run = TestMachine::default()
                        .hosts(&[first.clone(), second.clone()])
                        .workload(workload)
                        .run_to_completion();
                    let bandwidth = size as f64 * 1e3 / transfer_time;
                    assert_near(run.metric("dma.bandwidth"), bandwidth, bandwidth * 1e-4);
                }
            }
        }
    }
}

#[test]
fn store_and_forward_takes_the_sum_of_its_stages() {
    let hosts = unequal_hosts();
    for payload in [4, 1_001, 4_096, 8_192, 65_536] {
        let run =
            TestMachine::default().hosts(&hosts).policy(STORE_AND_FORWARD).ping_pong(1, payload).run_to_completion();
        for (id, [from, to]) in [(0, [0, 1]), (1, [1, 0])] {
            let message = run.message(id);
            assert_eq!((message.source, message.destination), (from, to));
            let stages = [
                ("host send", SOFTWARE_NS),
                ("send queue", 4.0 * word_ns(3)),
                ("hostTx", hosts[from].read_ns(payload)),
                ("netTx", transfer_ns(128 + payload, 160)),
                ("network", 1_000.0),
                ("hostRcv", hosts[to].write_ns(payload)),
                ("host receive", host_receive_ns()),
            ];
            // When the answer arrives, the processor is at the end of its interrupt: it first looks at the next entry,
            // and completes the accesses posted before.
            let busy = if id == 1 { 2.0 * word_ns(3) + word_ns(15) } else { 0.0 };
            assert!(message.stage("host send") <= SOFTWARE_NS + busy + 1.0, "{message:?}");
            for (name, expected) in &stages[1..] {
                assert_near(message.stage(name), *expected, 20.0);
            }
            let sum: f64 = stages.iter().map(|(_, time)| time).sum();
            assert_near(message.latency() - (message.stage("host send") - SOFTWARE_NS), sum, 40.0);
        }
    }
}

#[test]
fn cut_through_takes_the_slowest_stage_its_start_and_the_last_transfers() {
    let (slow_host, fast_host) = (Host::with_dma(1_000, 50), Host::with_dma(500, 200));
    for payload in [2_048, 8_192, 65_536] {
        let test_machine =
            |from: &Host, to: &Host| TestMachine::default().hosts(&[from.clone(), to.clone()]).ping_pong(1, payload);

        // Sending is the slowest stage. When it ends, the data that are not ready are less than one minpulse.
        let run = test_machine(&slow_host, &fast_host).run_to_completion();
        let last_span_ns = |node, engine| span_ns(run.message_spans(0, node, engine).last().unwrap());
        let receive_time = last_span_ns(0, "netTx") + 1_000.0 + last_span_ns(1, "hostRcv") + host_receive_ns();
        assert_near(
            run.message(0).latency(),
            host_send_ns() + slow_host.read_ns(payload) + receive_time,
            transfer_ns(128, 50),
        );

        // The link is the slowest stage, and starts with the control message.
        let run = TestMachine { link_rate: 50, ..test_machine(&fast_host, &fast_host) }.run_to_completion();
        let last_write_ns = span_ns(run.message_spans(0, 1, "hostRcv").last().unwrap());
        let expected = host_send_ns() + transfer_ns(128 + payload, 50) + 1_000.0 + last_write_ns + host_receive_ns();
        assert_near(run.message(0).latency(), expected, 500.0 + transfer_ns(256, 200));

        // Receiving is the slowest stage: it never pauses after its start, and every transfer has a set-up.
        let run = test_machine(&fast_host, &slow_host).run_to_completion();
        let transfers = span_bytes(&run.message_spans(0, 1, "hostRcv"));
        let received: f64 = transfers.iter().map(|&bytes| slow_host.write_ns(bytes)).sum();
        let start = fast_host.read_ns(128) + transfer_ns(128, 160) + 1_000.0;
        assert_near(
            run.message(0).latency(),
            host_send_ns() + start + received + host_receive_ns(),
            transfer_ns(128, 160),
        );
        assert!(transfers.windows(2).rev().skip(1).all(|pair| pair[0] <= pair[1] + 128), "{transfers:?} grow");
    }
}

#[test]
fn cut_through_is_never_slower_than_store_and_forward() {
    let latency = |host: &Host, cycles, policy, payload| {
        let test_machine = TestMachine { firmware_cycles: cycles, ..TestMachine::default() }.policy(policy);
        test_machine.hosts(&[host.clone(), host.clone()]).ping_pong(1, payload).run_to_completion().message(0).latency()
    };
    for (host, cycles, payload_min) in [
        // If a transfer has no start-up cost, the law holds for any payload.
        (Host::with_dma(0, 60), 0, 0),
        (Host::with_dma(0, 250), 0, 0),
        // If a transfer has a start-up cost, the law holds above "a few hundred bytes" (Yocum et al. 1997, §3.1).
        (Host::with_dma(1_500, 127), 1_000, 1_024),
        (Host { write_rate: 60, ..Host::with_dma(2_000, 120) }, 1_000, 1_024),
    ] {
        for payload in (payload_min..8_192).step_by(487).chain([127, 128, 129, 255, 256, 257, 8_192]) {
            if payload >= payload_min {
                let stored_latency = latency(&host, cycles, STORE_AND_FORWARD, payload);
                let cut_through_latency = latency(&host, cycles, CUT_THROUGH, payload);
                assert!(
                    cut_through_latency <= stored_latency + 50.0,
                    "{payload} B: {cut_through_latency} ns against {stored_latency} ns on {host:?}"
                );
                assert!(
                    payload < 4_096 || cut_through_latency < 0.8 * stored_latency,
                    "{payload} B: {cut_through_latency} ns against {stored_latency} ns"
                );
            }
        }
    }
}

#[test]
fn payload_up_to_minpulse_is_one_transfer() {
    let policy = r#"{ eager-cut-through = { minpulse = "512 B" } }"#;
    for payload in [1, 4, 60, 127, 511, 512] {
        let run = TestMachine::default().policy(policy).ping_pong(1, payload).run_to_completion();
        assert_eq!(span_bytes(&run.message_spans(0, 0, "netTx")), [128, payload]);
        assert_eq!(span_bytes(&run.message_spans(0, 1, "hostRcv")), [payload]);
    }
    let run = TestMachine::default().policy(policy).ping_pong(1, 2_048).run_to_completion();
    assert!(run.message_spans(0, 0, "netTx").len() > 2);
}

#[test]
fn no_transfer_overtakes_its_source_or_is_smaller_than_minpulse() {
    let [first, second] = unequal_hosts();
    let (setup, rate) = (first.read_setup as f64, first.read_rate as f64 / 1e3);
    for payload in [1_000, 8_192, 30_001] {
        let run =
            TestMachine::default().hosts(&[first.clone(), second.clone()]).ping_pong(1, payload).run_to_completion();
        let source_start = run.message_spans(0, 0, "hostTx")[0].start;
        let available_bytes = |time: f64| ((time - in_ns(source_start) - setup) * rate).clamp(0.0, payload as f64);
        let sent_spans = &run.message_spans(0, 0, "netTx")[1..];
        assert_follows_source(sent_spans, payload, available_bytes);
        // The link carries the data that netTx has sent, delayed by a switch.
        let arrived_bytes = |time: f64| {
            let carried_bytes =
                |span: &&Span| ((time - 1_000.0 - in_ns(span.start)) * 0.16).clamp(0.0, span.bytes.0 as f64);
            sent_spans.iter().map(carried_bytes).sum::<f64>()
        };
        assert_follows_source(&run.message_spans(0, 1, "hostRcv"), payload, arrived_bytes);
    }
}

/// Asserts that each transfer to a sink starts after its bytes are deposited (to within a word), and moves at least 128
/// bytes unless it is the last one, and that all transfers together move the payload.
fn assert_follows_source(transfers: &[&Span], payload: u64, available_bytes: impl Fn(f64) -> f64) {
    let mut sent_bytes = 0;
    for span in transfers {
        sent_bytes += span.bytes.get();
        assert!(sent_bytes as f64 <= available_bytes(in_ns(span.start)) + 4.0, "{span:?} overtakes its source");
        assert!(span.bytes.get() >= 128 || sent_bytes == payload, "{span:?} is smaller than minpulse");
    }
    assert_eq!(sent_bytes, payload);
}

#[test]
fn message_is_received_by_interrupt_or_within_a_poll_interval() {
    let interrupt_run = TestMachine::default().ping_pong(10, 1_024).run_to_completion();
    for message in &interrupt_run.messages {
        assert_near(message.stage("host receive"), host_receive_ns(), 10.0);
    }
    let polled_machine =
        TestMachine { notification: r#"{ polling = { interval = "5 us" } }"#.into(), ..TestMachine::default() }
            .ping_pong(10, 1_024);
    let (poll_time, receive_min) = (word_ns(15), SOFTWARE_NS + 3.0 * word_ns(15));
    for message in &polled_machine.run_to_completion().messages {
        let receive = message.stage("host receive");
        assert!(
            (receive_min..receive_min + 5_000.0 + 2.0 * poll_time).contains(&receive),
            "{receive} ns after the message was complete"
        );
    }
}

#[test]
fn message_is_delivered_when_it_is_complete() {
    // Both nodes send and receive, so that their engines towards the host always have another transfer to do, of 2 ms
    // or more. The hand-over of a message takes only microseconds of firmware and bus time.
    let hosts = [Host::with_dma(1_000, 20), Host::with_dma(1_000, 33)];
    for policy in [STORE_AND_FORWARD, ADAPTIVE] {
        for firmware_cycles in [100, 200, 300] {
            let test_machine =
                TestMachine { firmware_cycles, lanai_mhz: 20, ..TestMachine::default() }.policy(policy).hosts(&hosts);
            let messages = test_machine.flows(&["n0 -> n1", "n1 -> n0"], 100, 65_536).run_to_completion().messages;
            let longest_hand_over = messages.iter().map(|message| message.stage("host receive")).fold(0.0, f64::max);
            assert!(longest_hand_over < 500_000.0, "{longest_hand_over} ns from memory to program under {policy}");
        }
    }
}

#[test]
fn shadow_buffer_adds_a_copy() {
    let reference = TestMachine::default().ping_pong(1, 1_024);
    let with_shadow_buffer = TestMachine { shadow: true, ..reference.clone() };
    // A block is read and written, and costs the processor 50 ns.
    let copy_time = with_shadow_buffer.run_to_completion().message(0).latency()
        - reference.run_to_completion().message(0).latency();
    assert_near(copy_time, 250.0, 5.0);
    let fetch_latency = |test_machine: TestMachine| {
        test_machine
            .workload("page-fetch = { warm-up = 0, faults = 3 }".into())
            .run_to_completion()
            .metric("fetch.latency")
    };
    assert!(fetch_latency(with_shadow_buffer) > fetch_latency(reference));
}

#[test]
fn page_is_stored_at_the_address_of_its_tag() {
    // The program fails if a page is at another address, or is another page.
    for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
        let run = TestMachine::default()
            .policy(policy)
            .workload(r#"page-fetch = { warm-up = 0, faults = 20, page = "8 KiB" }"#.into());
        assert_eq!(run.run_to_completion().metric("messages.delivered"), 40.0);
    }
}

#[test]
fn logging_takes_the_firmwares_time() {
    let test_machine = TestMachine { firmware_cycles: 1_000, ..TestMachine::default() }.ping_pong(1, 8_192);
    let logged_run = TestMachine { logging: true, ..test_machine.clone() }.run_to_completion();
    assert!(logged_run.message(0).latency() > test_machine.run_to_completion().message(0).latency() + 3_000.0);
}

/// Returns the times for which a resource was busy and active, in ns.
fn busy_and_active(run: &Run, name: &str) -> (f64, f64) {
    let resource =
        run.result.resources.iter().find(|resource| resource.name == name).expect("the resource is reported");
    (in_ns(resource.busy), in_ns(resource.active))
}

/// Returns the candidate for the bottleneck in the words of the report of a run.
fn candidate(run: &Run) -> String {
    Candidate::new(&run.result, &MeanLedger::new(&run.result.ledger)).to_string()
}

#[test]
fn link_is_active_for_its_bytes_only_and_busy_while_it_is_held() {
    let slow = Host { write_rate: 60, ..Host::default() };
    for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
        for receiver in [Host::default(), slow.clone()] {
            let run = TestMachine::default()
                .hosts(&[Host::default(), receiver])
                .policy(policy)
                .stream(20, 4_096)
                .run_to_completion();
            for link in ["link n0 → s0", "link s0 → n1"] {
                let (busy, active) = busy_and_active(&run, link);
                // Each flit may be rounded by a picosecond.
                assert_near(active, 20.0 * transfer_ns(4_096 + 128, 160), 20.0 * 33.0 * 1e-3);
                assert!(busy + 1e-3 >= active, "{link} is held for {busy} ns and moves for {active}");
            }
        }
    }
}

#[test]
fn link_that_is_only_held_is_not_the_candidate() {
    // Cut-through holds the path while a slow receiver takes the packet at 60 MB/s, on a link of 160 MB/s.
    let hosts = [Host::default(), Host { write_rate: 60, ..Host::default() }];
    let run = TestMachine::default().hosts(&hosts).policy(CUT_THROUGH).stream(60, 16_384).run_to_completion();
    let (busy, active) = busy_and_active(&run, "link n0 → s0");
    let end = in_ns(run.result.end);
    assert!(busy > 0.9 * end && active < 0.5 * end, "{busy} and {active} of {end}");
    assert!(candidate(&run).contains(": n1 host DMA, "), "{}", candidate(&run));
}

#[test]
fn memory_is_busy_while_it_stalls_the_network() {
    // If one message is stored and forwarded, the bus is idle while the network engines move it.
    let payload = 8_192;
    for (sram_rate, expected) in
        [(80, transfer_ns(payload + 128, 80)), (159, transfer_ns(payload + 128, 159)), (160, 0.0)]
    {
        let test_machine = TestMachine { sram_rate, ..TestMachine::default() }
            .hosts(&[Host::with_dma(500, 60), Host::with_dma(500, 60)]);
        let run = test_machine.policy(STORE_AND_FORWARD).workload(format!(
            r#"stream = {{ warm-up = 0, messages = 2, payload = "{payload} B", arrivals.periodic.interval = "10 ms" }}"#
        ));
        let run = run.run_to_completion();
        for node in ["n0", "n1"] {
            // Each flit of the two messages may be rounded by a picosecond.
            assert_near(busy_and_active(&run, &format!("{node} SRAM")).0, 2.0 * expected, 2.0 * 66.0 * 1e-3);
        }
    }
}
