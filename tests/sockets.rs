//! Checks sockets over UDP/IP: every datagram arrives as it was sent, with any combination of offloading, copying,
//! queueing and pipelining, and with any fragmentation. The programs compare every byte they receive with what was
//! sent.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::{self, Machine};
use narrows::text::Document;
use proptest::prelude::*;

/// The optimisations, each of which may be enabled.
#[derive(Clone, Copy, Debug)]
struct Optimisations {
    checksum_offload: bool,
    zero_copy: bool,
    two_level_queue: bool,
    /// Threshold of fine-grained pipelining in bytes, if it is enabled. The threshold includes the headers of the
    /// smallest packet to which pipelining applies.
    fine_grained: Option<u64>,
}

impl Optimisations {
    /// Returns all sixteen combinations.
    fn combinations() -> impl Iterator<Item = Optimisations> {
        (0..16).map(|bits| Optimisations {
            checksum_offload: bits & 1 != 0,
            zero_copy: bits & 2 != 0,
            two_level_queue: bits & 4 != 0,
            fine_grained: (bits & 8 != 0).then_some(256),
        })
    }

    fn overrides(self) -> Vec<String> {
        let (slots, queue) = if self.two_level_queue { (2, 64) } else { (64, 0) };
        let pipelining = match self.fine_grained {
            Some(threshold) => format!("{{ fine.threshold = \"{threshold} B\" }}"),
            None => "\"coarse\"".to_owned(),
        };
        vec![
            format!("ni.mcp.checksum-offload={}", self.checksum_offload),
            format!("ni.mcp.zero-copy={}", self.zero_copy),
            format!("ni.mcp.send-slots={slots}"),
            format!("ni.mcp.send-queue={queue}"),
            format!("ni.mcp.pipelining={pipelining}"),
        ]
    }
}

fn machine(host: &str, fabric: &str, workload: &str, overrides: &[String]) -> Result<Machine, String> {
    let text = format!("parts = [\"hosts/{host}\", \"ni/udp-ip\", \"fabrics/{fabric}\"]\n{workload}\n");
    let read = machine::read(Document::Text("sockets.toml", &text, None), overrides);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

fn run_and_check_delivery(machine: &Machine) -> RunResult {
    let result = experiment::run(machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.metric("messages.sent"), result.metric("messages.delivered"), "all messages arrived");
    result
}

#[test]
fn all_combinations_deliver_on_hosts_of_both_kinds() {
    for optimisations in Optimisations::combinations() {
        for host in ["pentium-iii-815ep", "memory-bus-1998"] {
            let mut overrides = optimisations.overrides();
            overrides.extend(["ni.mcp.mtu=1500 B", "messaging.message-max=60000 B"].map(str::to_owned));
            let stream = "[workload.stream]\npayload = \"5000 B\"\nmessages = 20\nwarm-up = 4";
            run_and_check_delivery(&machine(host, "myrinet", stream, &overrides).expect("the machine is valid"));
        }
    }
}

#[test]
fn active_message_programs_run_over_sockets() {
    for optimisations in Optimisations::combinations().step_by(5) {
        for workload in [
            "[workload.radix-sort]\nkeys = 16\nbits = 3\npasses = 1",
            "[workload.em3d]\nn-nodes = 4\nd-nodes = 2\niterations = 1",
        ] {
            let machine = machine("pentium-iii-815ep", "nifdy-mesh", workload, &optimisations.overrides());
            run_and_check_delivery(&machine.expect("the machine is valid"));
        }
    }
}

#[test]
fn drops_are_counted_by_reason() {
    // The watchdog drops the first packet of each datagram, which holds the link for too long; the last one arrives.
    let stream = "[workload.stream]\npayload = \"9000 B\"\nmessages = 12\nwarm-up = 0";
    for zero_copy in [false, true] {
        let overrides = [
            "ni.mcp.mtu=8192 B",
            "ni.mcp.reassembly-time=50 us",
            "messaging.message-max=20000 B",
            "fabric.myrinet.watchdog=30 us",
            &format!("ni.mcp.zero-copy={zero_copy}"),
        ];
        let machine = machine("pentium-iii-815ep", "myrinet", stream, &overrides.map(str::to_owned))
            .expect("the machine is valid");
        let result = experiment::run(&machine, Recorder::off());
        let [sent, dropped] = ["messages.sent", "messages.dropped"].map(|name| result.metric(name));
        assert_eq!((sent, dropped), (Some(12.0), Some(12.0)), "{:?}", result.outcome);
        // The run ends with the last lost message, before the last incomplete datagrams have expired.
        assert!(result.metric("packets.dropped.reassembly_expired") > Some(6.0), "{:?}", result.metrics);
    }
}

#[test]
fn library_messages_not_cut_by_the_watchdog_arrive() {
    let mut runs_with_loss_and_delivery = 0;
    for (watchdog, payload) in [(20, 60_000), (27, 60_000), (27, 5_000), (60, 5_000)] {
        let text = format!(
            "parts = [\"hosts/pentium-iii-815ep\", \"ni/gm\", \"fabrics/myrinet\"]
             nodes.a.host = \"pentium-iii-815ep\"
             nodes.b.host = \"pentium-iii-815ep\"
             nodes.c.host = \"pentium-iii-815ep\"
             [workload.stream]
             payload = \"{payload} B\"
             messages = 8
             warm-up = 0
             flows = [\"a -> c\", \"b -> c\"]"
        );
        let overrides = [format!("fabric.myrinet.watchdog={watchdog} us")];
        let machine =
            machine::read(Document::Text("sockets.toml", &text, None), &overrides).expect("the machine is valid").value;
        let result = experiment::run(&machine, Recorder::off());
        let [sent, delivered, dropped] = ["messages.sent", "messages.delivered", "messages.dropped"]
            .map(|name| result.metric(name).expect("the metric exists"));
        assert_eq!(sent, delivered + dropped, "{watchdog} us, {payload} B");
        assert_eq!(matches!(result.outcome, Outcome::Loss(_)), dropped > 0.0, "{:?}", result.outcome);
        assert_eq!(result.outcome == Outcome::Done, dropped == 0.0, "{:?}", result.outcome);
        runs_with_loss_and_delivery += u32::from(delivered > 0.0 && dropped > 0.0);
    }
    assert!(runs_with_loss_and_delivery > 0, "some messages are cut and others arrive");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn datagrams_of_any_size_arrive_with_any_mtu_and_optimisations(
        bits in 0..8u32,
        fine_grained in proptest::option::of(64..20_000u64),
        payload in prop_oneof![0..200usize, 0..65_488usize, Just(65_488)],
        mtu in prop_oneof![128..2_000usize, 128..65_535usize, Just(65_535)],
        page in prop_oneof![Just(64u64), Just(4_096), 64..10_000u64],
        is_stream in any::<bool>(),
        buffers in 1..5u64,
        receive_buffers in 1..40u64,
    ) {
        let [checksum_offload, zero_copy, two_level_queue] = [1, 2, 4].map(|bit| bits & bit != 0);
        let mut overrides = Optimisations { checksum_offload, zero_copy, two_level_queue, fine_grained }.overrides();
        overrides.extend([
            format!("ni.mcp.mtu={mtu} B"),
            format!("ni.mcp.page={page} B"),
            format!("ni.mcp.packet-buffers={buffers}"),
            format!("ni.mcp.receive-buffers={receive_buffers}"),
        ]);
        let workload = match is_stream {
            true => format!("[workload.stream]\npayload = \"{payload} B\"\nmessages = 6\nwarm-up = 1"),
            false => format!("[workload.ping-pong]\nwarm-up = 0\npayload = \"{payload} B\"\nmessages = 2"),
        };
        // Without copies, a message is one datagram, which must fit in the queues.
        if let Ok(machine) = machine("pentium-iii-815ep", "myrinet", &workload, &overrides) {
            run_and_check_delivery(&machine);
        } else {
            prop_assert!(zero_copy && payload > 64);
        }
    }
}
