//! Sockets over UDP/IP: does every datagram come as it was sent, whatever is offloaded, copied, queued and
//! pipelined, and however it is cut up?
//!
//! The programs compare every byte they receive with what was sent.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::machine::{self, Machine};
use narrows::text::Document;
use proptest::prelude::*;

/// The remedies, each there or not.
#[derive(Clone, Copy, Debug)]
struct Remedies {
    checksum_offload: bool,
    zero_copy: bool,
    two_levels: bool,
    /// The threshold of fine-grained pipelining; the least packet that it is for has its headers in it.
    fine: Option<u64>,
}

impl Remedies {
    /// All sixteen, for tests that try each.
    fn all() -> impl Iterator<Item = Remedies> {
        (0..16).map(|bits| Remedies {
            checksum_offload: bits & 1 != 0,
            zero_copy: bits & 2 != 0,
            two_levels: bits & 4 != 0,
            fine: (bits & 8 != 0).then_some(256),
        })
    }

    fn sets(self) -> Vec<String> {
        let (slots, queue) = if self.two_levels { (2, 64) } else { (64, 0) };
        let pipelining = match self.fine {
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

fn machine(host: &str, fabric: &str, workload: &str, sets: &[String]) -> Result<Machine, String> {
    let text = format!("parts = [\"hosts/{host}\", \"ni/udp-ip\", \"fabrics/{fabric}\"]\n{workload}\n");
    let read = machine::read(Document::Text("sockets.toml", &text, None), sets);
    read.map(|read| read.value).map_err(|problems| problems.to_string())
}

fn delivered(machine: &Machine) -> RunResult {
    let result = experiment::run(machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    assert_eq!(result.metric("messages.sent"), result.metric("messages.delivered"), "all that was sent came");
    result
}

#[test]
fn all_sixteen_deliver_on_hosts_of_both_kinds() {
    for remedies in Remedies::all() {
        for host in ["pentium-iii-815ep", "memory-bus-1998"] {
            let mut sets = remedies.sets();
            sets.extend(["ni.mcp.mtu=1500 B", "messaging.message-max=60000 B"].map(str::to_owned));
            let stream = "[workload.stream]\npayload = \"5000 B\"\nmessages = 20\nwarm-up = 4";
            delivered(&machine(host, "myrinet", stream, &sets).expect("they fit"));
        }
    }
}

#[test]
fn programs_of_active_messages_run_over_sockets() {
    for remedies in Remedies::all().step_by(5) {
        for workload in [
            "[workload.radix-sort]\nkeys = 16\nbits = 3\npasses = 1",
            "[workload.em3d]\nn-nodes = 4\nd-nodes = 2\niterations = 1",
        ] {
            let machine = machine("pentium-iii-815ep", "nifdy-mesh", workload, &remedies.sets());
            delivered(&machine.expect("they fit"));
        }
    }
}

#[test]
fn what_is_dropped_is_counted_by_why() {
    // Of each datagram the watchdog drops the first packet, which holds the link for too long, and the last comes.
    let stream = "[workload.stream]\npayload = \"9000 B\"\nmessages = 12\nwarm-up = 0";
    for zero_copy in [false, true] {
        let sets = [
            "ni.mcp.mtu=8192 B",
            "ni.mcp.reassembly-time=50 us",
            "messaging.message-max=20000 B",
            "fabric.myrinet.watchdog=30 us",
            &format!("ni.mcp.zero-copy={zero_copy}"),
        ];
        let machine = machine("pentium-iii-815ep", "myrinet", stream, &sets.map(str::to_owned)).expect("they fit");
        let result = experiment::run(&machine, Recorder::off());
        let [sent, dropped] = ["messages.sent", "messages.dropped"].map(|name| result.metric(name));
        assert_eq!((sent, dropped), (Some(12.0), Some(12.0)), "{:?}", result.outcome);
        // The run ends with the last message that is lost, before the last of them have expired.
        assert!(result.metric("packets.dropped.reassembly_expired") > Some(6.0), "{:?}", result.metrics);
    }
}

#[test]
fn of_a_librarys_messages_that_the_watchdog_cuts_the_others_come() {
    let mut mixed = 0;
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
        let sets = [format!("fabric.myrinet.watchdog={watchdog} us")];
        let machine = machine::read(Document::Text("sockets.toml", &text, None), &sets).expect("they fit").value;
        let result = experiment::run(&machine, Recorder::off());
        let [sent, came, dropped] =
            ["messages.sent", "messages.delivered", "messages.dropped"].map(|name| result.metric(name).expect("it"));
        assert_eq!((result.outcome, sent), (Outcome::Done, came + dropped), "{watchdog} us, {payload} B");
        mixed += u32::from(came > 0.0 && dropped > 0.0);
    }
    assert!(mixed > 0, "some are cut and others come");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_size_the_mtu_and_the_remedies_it_comes_as_it_was_sent(
        bits in 0..8u32,
        fine in proptest::option::of(64..20_000u64),
        payload in prop_oneof![0..200usize, 0..65_488usize, Just(65_488)],
        mtu in prop_oneof![128..2_000usize, 128..65_535usize, Just(65_535)],
        page in prop_oneof![Just(64u64), Just(4_096), 64..10_000u64],
        streams in any::<bool>(),
        buffers in 1..5u64,
        posted in 1..40u64,
    ) {
        let [checksum_offload, zero_copy, two_levels] = [1, 2, 4].map(|bit| bits & bit != 0);
        let mut sets = Remedies { checksum_offload, zero_copy, two_levels, fine }.sets();
        sets.extend([
            format!("ni.mcp.mtu={mtu} B"),
            format!("ni.mcp.page={page} B"),
            format!("ni.mcp.packet-buffers={buffers}"),
            format!("ni.mcp.receive-buffers={posted}"),
        ]);
        let workload = match streams {
            true => format!("[workload.stream]\npayload = \"{payload} B\"\nmessages = 6\nwarm-up = 1"),
            false => format!("[workload.ping-pong]\npayload = \"{payload} B\"\nmessages = 2"),
        };
        // Where nobody copies, a message is a datagram, which the queues hold.
        if let Ok(machine) = machine("pentium-iii-815ep", "myrinet", &workload, &sets) {
            delivered(&machine);
        } else {
            prop_assert!(zero_copy && payload > 64);
        }
    }
}
