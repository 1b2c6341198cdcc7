//! Tests of coherent queues with large packets, several transactions outstanding, and the notice by the first block.
//!
//! The workload compares the bytes of every message with the sent bytes, and checks that the messages of a flow arrive
//! in order.

use crate::engine::{Outcome, Recorder};
use crate::machine::Registry;
use crate::testing::RunObservation;
use crate::text::Document;
use proptest::prelude::*;
use std::sync::Arc;

/// Runs messages of `payload` bytes in both directions over `design` on a host, with keys of the interface.
fn run(design: &str, host: &str, payload: u64, messages: u64, keys: &[String]) -> RunObservation {
    let text = format!(
        "parts = [\"ni/{design}\", \"fabrics/ideal-1998\", \"protocols/return-to-sender-1998\"]\n\
         hosts.h.{host}\n[run]\ntime-limit = \"100 ms\"\n[nodes]\nleft.host = \"h\"\nright.host = \"h\"\n\
         [messaging]\nsend = 40\npoll = 4\nreceive = 40\n\
         [workload.stream]\nwarm-up = 0\nmessages = {messages}\npayload = \"{payload} B\"\n\
         flows = [\"left -> right\", \"right -> left\"]\n"
    );
    let keys: Vec<String> = keys.iter().map(|key| format!("ni.{design}.{key}")).collect();
    let registry = Arc::new(Registry::shipped());
    let machine =
        registry.read(Document::Text("large", &text, None), &keys).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let run = RunObservation::of(&machine.value, Recorder::off());
    assert_eq!(run.outcome, Outcome::Done, "{text}{keys:?}");
    run
}

const HOSTS: [&str; 3] =
    ["pcie.attachment = \"cxl\"", "pcie.attachment = \"upi\"", "pcie.attachment.cxl.crossing = \"0 ns\""];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn no_byte_is_lost_in_queues_that_wrap_around(
        (design, host) in (0..3usize, 0..3usize),
        (packet, slots, payload) in (1..=512u64, 1..=4u32, 1..=6000u64),
        (outstanding, uses_line_notice) in (0..3usize, any::<bool>()),
    ) {
        let design = ["cni512q", "cni32qm", "cni32qm-throttle"][design];
        let outstanding = [1, 2, 8][outstanding];
        // A message has at most 256 packets with the paper's header.
        let packet = (8 * packet).max(48);
        let blocks = packet.div_ceil(64).next_power_of_two();
        let mut keys = vec![
            format!("message-max={packet} B"),
            format!("queue-blocks={}", blocks << slots),
            format!("outstanding={outstanding}"),
        ];
        if uses_line_notice {
            keys.push("notice=line".to_owned());
        }
        if design != "cni512q" {
            keys.push(format!("cache-blocks={}", (blocks * (outstanding + 1)).next_power_of_two()));
        }
        let run = run(design, HOSTS[host], payload, 12, &keys);
        prop_assert_eq!(run.metric("messages.delivered"), run.metric("messages.sent"));
        prop_assert!(run.messages.iter().all(|message| message.payload == payload));
    }
}

#[test]
fn large_packets_carry_a_message_in_fewer_packets() {
    let host = HOSTS[1];
    let injected_packets = |packet: &str| {
        let keys = [format!("message-max={packet}"), "queue-blocks=1024".into(), "cache-blocks=128".into()];
        run("cni32qm", host, 4000, 10, &keys).packets.injected
    };
    // Packets of at most 256 B have headers of 8 bytes, larger ones of 16 bytes. The counts include both directions.
    assert_eq!([injected_packets("256 B"), injected_packets("264 B"), injected_packets("4 KiB")], [680, 680, 40]);
}

#[test]
fn several_transactions_and_large_packets_are_faster_behind_a_link() {
    let end_time = |keys: &[&str]| {
        let keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
        run("cni32qm", HOSTS[0], 1000, 40, &keys).messages.iter().map(|message| message.delivered_at).max()
    };
    let one = end_time(&["cache-blocks=256"]);
    let several = end_time(&["cache-blocks=256", "outstanding=8"]);
    let large = end_time(&["cache-blocks=256", "outstanding=8", "message-max=1 KiB"]);
    assert!(several < one && large < several, "{one:?}, {several:?}, {large:?}");
}
