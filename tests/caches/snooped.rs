//! Tests of a cache behind an I/O bus: its gain for a queue in main memory, and the skipping of its polls, which must
//! not change the times.

use narrows::engine::{Outcome, Recorder};
use narrows::experiment::{self, RunResult};
use narrows::host::cache::SpinModel;
use narrows::host::io_bus::IoBusParameters;
use narrows::machine::{self, Machine};
use narrows::text::Document;
use std::sync::Arc;

/// A processor of 1 GHz whose memory takes 100 ns for 32 B, and whose bus takes 50 ns and 64 ns for a block of 64 B.
const HOST: &str = r#"
[hosts.h.io-bus]
processor = { clock = "1 GHz", interrupt-latency = "1 us" }
memory = { block = "32 B", access = "100 ns", copy = "30 ns" }
pci = { clock = "133 MHz", width = "8 B" }
pio = { write-overhead-cycles = 2, read-overhead-cycles = 6, write-burst = "8 B", read-burst = "8 B", posted-writes = 8 }
[hosts.h.io-bus.bridge]
read-setup = "50 ns"
read-rate = "1 GB/s"
write-setup = "50 ns"
write-rate = "1 GB/s"
burst = "64 B"
competition.buffered.memory-rate = "1 GB/s"
[messaging]
send = 100
poll = 20
receive = 100
"#;

const CACHE: &str = r#"hosts.h.io-bus.cache={ size = "256 KiB", ways = 4, hit-cycles = 1, supply-time = "20 ns" }"#;

fn machine(interface: &str, workload: &str, overrides: &[&str]) -> Machine {
    let text = format!(
        "parts = [\"ni/{interface}\", \"protocols/none\", \"fabrics/ideal-1998\"]\nnodes.n = {{ host = \"h\", count = 2 }}\n\
         ni.{interface}.word-cycles = 2\nworkload.{workload}\n{HOST}"
    );
    let overrides: Vec<String> = overrides.iter().map(|set| (*set).to_owned()).collect();
    match machine::read(Document::Text("test.toml", &text, None), &overrides) {
        Ok(read) => read.value,
        Err(problems) => panic!("{problems}"),
    }
}

fn run(machine: &Machine) -> RunResult {
    let result = experiment::run(machine, Recorder::off().with_messages());
    assert_eq!(result.outcome, Outcome::Done);
    result
}

#[test]
fn a_kibibyte_through_a_queue_in_main_memory_is_five_times_faster_with_a_cache() {
    let latency = |overrides: &[&str]| {
        let workload = "ping-pong = { warm-up = 200, messages = 20, payload = \"1 KiB\" }";
        run(&machine("startjr", workload, overrides))
            .metric("message.latency_one_way")
            .expect("the latency is measured")
    };
    // The sender loads and stores each of 128 words by an access to memory, 25.6 us in all. The receiver does the same
    // at the same rate while the sender works, except for the words of the fifth and last packet, which follow
    // afterwards.
    let without_cache = latency(&[]);
    assert!((34.0..38.0).contains(&without_cache), "{without_cache} us");
    // All accesses of the sender hit the cache. The receiver fetches the 17 blocks that DMA has written by 2 accesses
    // each, 3.4 us in all, and the first of five packets arrives after its 4 blocks have crossed both buses, 134 ns and
    // 114 ns each.
    let with_cache = latency(&[CACHE]);
    assert!((6.0..7.2).contains(&with_cache), "{with_cache} us");
    assert!(without_cache > 5.0 * with_cache);
}

#[test]
fn skipped_polls_of_a_cached_queue_change_no_result() {
    for interface in ["startjr", "memory-channel"] {
        for bytes in [8, 100, 1000] {
            let workload = format!("ping-pong = {{ warm-up = 0, messages = 40, payload = \"{bytes} B\" }}");
            let run_with = |spin| {
                let mut machine = machine(interface, &workload, &[CACHE]);
                let (_, host) = &mut machine.hosts[0];
                let mut parameters = host.of::<IoBusParameters>().expect("a host behind an I/O bus").clone();
                parameters.cache.as_mut().expect("a cache").spin = spin;
                *host = host.with_spec(Arc::new(parameters));
                run(&machine)
            };
            let (skipped, skipped_again, unskipped) =
                (run_with(SpinModel::SkippedPolls), run_with(SpinModel::SkippedPolls), run_with(SpinModel::EveryPoll));
            assert_eq!(
                (skipped.end, skipped.events),
                (skipped_again.end, skipped_again.events),
                "{interface} {bytes} B"
            );
            assert_eq!((skipped.end, &skipped.metrics), (unskipped.end, &unskipped.metrics), "{interface} {bytes} B");
            assert!(!skipped.deliveries.is_empty());
            assert_eq!(skipped.deliveries, unskipped.deliveries, "{interface} {bytes} B");
            assert!(
                skipped.events < unskipped.events,
                "{} events, {} with each poll",
                skipped.events,
                unskipped.events
            );
        }
    }
}

#[test]
fn a_host_without_a_cache_reports_no_cache_metrics() {
    let workload = "ping-pong = { warm-up = 0, messages = 1, payload = \"8 B\" }";
    let count_of = |overrides: &[&str]| {
        let result = run(&machine("startjr", workload, overrides));
        result.metrics.iter().filter(|metric| metric.name.starts_with("cache.")).count()
    };
    assert_eq!((count_of(&[]), count_of(&[CACHE])), (0, 4));
}
