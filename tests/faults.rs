//! What fails, fails by name: packets that the watchdog drops, buffers that are never freed, parts
//! that do not fit together.

mod common;

use common::*;
use narrows::engine::Outcome;
use narrows::text::Document;

/// Every message sent was delivered once or dropped.
fn accounted(run: &Run, sent: u64) {
    assert_eq!(run.result.outcome, Outcome::Done);
    let [all, delivered, dropped] = ["sent", "delivered", "dropped"].map(|it| run.metric(&format!("messages.{it}")));
    assert_eq!((all, delivered + dropped), (sent as f64, sent as f64));
    let mut ids: Vec<_> = run.messages.iter().map(|message| message.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len() as f64, delivered, "none is delivered twice");
}

#[test]
fn a_packet_held_too_long_is_dropped() {
    // 8 KiB take 51 µs on the link.
    for policy in [STORE_AND_FORWARD, CUT_THROUGH, ADAPTIVE] {
        let run = Bench { watchdog: 30, ..Bench::default() }.policy(policy).stream(20, 8_192).run();
        accounted(&run, 20);
        assert_eq!(run.metric("messages.dropped"), 20.0);
    }
    // A receiver that takes nothing holds packets up, and only those it has buffers for arrive.
    let run = Bench { keep_buffers: true, watchdog: 1_000, ..Bench::default() }.stream(20, 4_096).run();
    accounted(&run, 20);
    assert_eq!(run.metric("messages.delivered"), 4.0);
}

#[test]
fn a_packet_dropped_before_it_had_its_path_harms_no_other() {
    // A packet takes 103 µs on a link. n1's waits for the trunk behind one of n0's, then for n3's link
    // behind one of n2's that set out later, and gives up while that one arrives.
    let mut dropped = 0.0;
    for watchdog in (110..300).step_by(5) {
        let bench = Bench {
            watchdog,
            switches: vec!["west".into(), "east".into()],
            links: ["n0 - west", "n1 - west", "west - east", "n2 - east", "n3 - east", "n4 - east"]
                .map(String::from)
                .to_vec(),
            ..Bench::default()
        };
        for policy in [STORE_AND_FORWARD, ADAPTIVE] {
            let bench = bench.clone().policy(policy).hosts(&vec![Host::default(); 5]);
            let run = bench.flows(&["n0 -> n4", "n1 -> n3", "n2 -> n3"], 20, 16_384).run();
            accounted(&run, 60);
            dropped += run.metric("messages.dropped");
        }
    }
    assert!(dropped > 0.0, "the watchdog had work");
}

#[test]
fn buffers_never_freed_end_in_a_deadlock_that_names_them() {
    for notification in [r#""interrupt""#, r#"{ polling = { interval = "2 us" } }"#] {
        let stuck = Bench {
            keep_buffers: true,
            watchdog: 1_000_000_000,
            notification: notification.into(),
            no_progress_limit: 10_000,
            ..Bench::default()
        };
        for bench in [
            stuck.clone().stream(30, 4_096),
            stuck.clone().ping_pong(30, 4_096),
            stuck.clone().hosts(&vec![Host::default(); 3]).flows(&["n0 -> n2", "n2 -> n1"], 30, 4_096),
        ] {
            let run = bench.run();
            let Outcome::Deadlock(stuck) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
            let firmware = stuck.chain.iter().find(|wait| wait.task.ends_with("firmware") && wait.closes_cycle);
            let firmware = firmware.unwrap_or_else(|| panic!("no firmware in: {stuck}"));
            assert!(firmware.wants.starts_with("a free packet buffer of n"), "{stuck}");
            assert!(run.metric("messages.delivered") >= 4.0, "as many as there are buffers");
        }
    }
}

#[test]
fn a_lost_message_leaves_its_answer_awaited() {
    let bench = Bench { watchdog: 30, no_progress_limit: 10_000, ..Bench::default() }.ping_pong(5, 8_192);
    let run = bench.run();
    let Outcome::Deadlock(stuck) = &run.result.outcome else { panic!("{:?}", run.result.outcome) };
    assert!(stuck.to_string().contains("n0 program waits for a message for n0"), "{stuck}");
}

#[track_caller]
fn refused(bench: &Bench, told: &str) {
    let text = bench.text();
    let problems = narrows::machine::read(Document::Text("test.toml", &text, None), &[]).expect_err("refused");
    assert!(problems.to_string().contains(told), "{problems}");
}

#[test]
fn parts_that_cannot_work_together_are_refused() {
    let bench = Bench::default().stream(2, 64);
    refused(&Bench { sram_rate: 100, ..bench.clone() }, "leaves nothing for the network");
    refused(&Bench { ring_entries: 4_096, payload_max: 1 << 20, ..bench.clone() }, "of host memory");
    refused(&Bench { payload_max: 32, ..bench }, "larger than");
}
