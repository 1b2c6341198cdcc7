//! Checks every interface of the memory bus: messages of every size arrive intact, with few buffers and many, through
//! small queues and caches; ledgers sum to the latency; invalid parameters are refused, and deadlocks are reported.
//!
//! Two nodes run the microbenchmarks of Mukherjee and Hill (1998), §6.1: round trip and bandwidth. The programs compare
//! every byte, and panic if one differs. A test that depends on a shipped constant sets it.

use narrows::engine::{Bytes, EndpointId, NodeId, Outcome, Recorder, Time};
use narrows::experiment::{self, RunResult};
use narrows::host::memory_bus::NodeParameters;
use narrows::host::memory_bus::parameters::SpinModel;
use narrows::host::{Processor, Stalls};
use narrows::machine::build::{BuiltMachine, build};
use narrows::machine::{self, Machine};
use narrows::messaging::{Endpoint, Outgoing};
use narrows::ni::designs::Design;
use narrows::text::Document;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

mod overflow;

const SIZES: [u64; 24] =
    [0, 1, 2, 7, 8, 9, 15, 16, 47, 48, 49, 55, 56, 57, 64, 120, 200, 247, 248, 249, 256, 500, 1000, 4096];

const QUEUES: [Design; 5] =
    [Design::StartJr, Design::MemoryChannel, Design::Cni512q, Design::Cni32qm, Design::Cni32qmThrottle];

/// Returns the description of nodes with interface `design` and a workload.
fn text(design: Design, nodes: usize, workload: &str) -> String {
    let nodes: String = (0..nodes).map(|node| format!("[nodes.n{node}]\nhost = \"memory-bus-1998\"\n")).collect();
    format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/{}\", \"protocols/return-to-sender-1998\", \"fabrics/ideal-1998\"]\n\
         [run]\nno-progress-limit = \"1 ms\"\n{nodes}[workload]\n{workload}\n",
        design.key()
    )
}

/// Reads the machine of a description with the settings `overrides`.
fn machine(text: &str, overrides: &[String]) -> Machine {
    match machine::read(Document::Text("test.toml", text, None), overrides) {
        Ok(read) => read.value,
        Err(problems) => panic!("{problems}"),
    }
}

fn ping_pong_workload(messages: u64, bytes: u64) -> String {
    format!("ping-pong = {{ warm-up = 0, messages = {messages}, payload = \"{bytes} B\" }}")
}

fn stream_workload(messages: u64, bytes: u64) -> String {
    format!("stream = {{ warm-up = 0, messages = {messages}, payload = \"{bytes} B\" }}")
}

fn run(machine: &Machine) -> RunResult {
    experiment::run(machine, Recorder::off().with_messages())
}

/// Runs both microbenchmarks, which check every byte.
fn assert_intact(design: Design, overrides: &[String], bytes: u64, messages: u64) {
    for (workload, delivered) in
        [(ping_pong_workload(messages, bytes), 2 * messages), (stream_workload(messages, bytes), messages)]
    {
        let result = run(&machine(&text(design, 2, &workload), overrides));
        assert_eq!(result.outcome, Outcome::Done, "{} {bytes} B", design.name());
        assert_eq!(result.metric("messages.delivered"), Some(delivered as f64), "{} {bytes} B", design.name());
    }
}

/// Returns a setting of the interface of `design`.
fn interface_setting(design: Design, key: &str, value: impl std::fmt::Display) -> String {
    format!("ni.{}.{key}={value}", design.key())
}

/// Returns settings of the numbers of blocks in the queues of `design`, and in its caches if it has any.
fn block_settings(design: Design, queue: u64, cache: u64) -> Vec<String> {
    let caches = design.caches_queues().then(|| interface_setting(design, "cache-blocks", cache));
    [interface_setting(design, "queue-blocks", queue)].into_iter().chain(caches).collect()
}

#[test]
fn every_size_arrives_intact_through_every_interface() {
    for design in Design::ALL {
        for bytes in SIZES {
            assert_intact(design, &[], bytes, 6);
        }
    }
}

#[test]
fn no_message_is_lost_or_duplicated_with_few_buffers() {
    let protocol_setting = |key: &str, value: &str| format!("protocol.return-to-sender.{key}={value}");
    let retry = protocol_setting("retry-delay", "\"200 ns\"");
    for design in Design::ALL {
        for buffers in [
            protocol_setting("flow-control-buffers", "1"),
            protocol_setting("flow-control-buffers", "2"),
            protocol_setting("infinite-buffers", "true"),
        ] {
            for bytes in [8, 64, 600] {
                assert_intact(design, &[retry.clone(), buffers.clone()], bytes, 40);
            }
        }
    }
}

#[test]
fn small_queues_and_caches_wrap_around_many_times() {
    for design in QUEUES {
        for (queue, cache) in [(4, 4), (8, 4), (16, 8), (16, 32)] {
            for (bytes, messages) in [(8, 1_500), (64, 300), (300, 200)] {
                assert_intact(design, &block_settings(design, queue, cache), bytes, messages);
            }
        }
    }
}

#[test]
fn stale_headers_in_memory_are_not_read_as_messages() {
    // A processor cache of two blocks evicts every header, so polls read headers in memory.
    for design in [Design::StartJr, Design::Cni512q, Design::Cni32qm] {
        let mut overrides = block_settings(design, 16, 8);
        overrides.push("hosts.memory-bus-1998.memory-bus.cache.size=\"128 B\"".to_owned());
        assert_intact(design, &overrides, 8, 2_000);
        assert_intact(design, &overrides, 100, 300);
    }
}

#[test]
fn narrow_accesses_and_the_threshold_move_the_same_bytes() {
    for access in [1, 2, 4] {
        assert_intact(Design::Ni2w, &[interface_setting(Design::Ni2w, "access", format!("\"{access} B\""))], 77, 3);
    }
    for bytes in [8, 96, 97, 300] {
        assert_intact(Design::Udma, &[interface_setting(Design::Udma, "udma-threshold", "\"96 B\"")], bytes, 6);
    }
}

#[test]
fn polls_skipped_and_polls_simulated_give_the_same_times() {
    for design in [Design::StartJr, Design::Cni512q, Design::Cni32qm, Design::Cni32qmThrottle] {
        for bytes in [8, 100, 256] {
            let run_with = |spin| {
                let mut machine = machine(&text(design, 2, &ping_pong_workload(60, bytes)), &[]);
                let (_, host) = &mut machine.hosts[0];
                let mut node = *host.of::<NodeParameters>().expect("the host is a memory-bus host");
                node.processor.spin = spin;
                *host = host.with_spec(Arc::new(node));
                run(&machine)
            };
            let (skipped, unskipped) = (run_with(SpinModel::SkippedPolls), run_with(SpinModel::EveryPoll));
            let description = format!("{} {bytes} B", design.name());
            assert_eq!((skipped.end, skipped.metrics), (unskipped.end, unskipped.metrics), "{description}");
            assert!(!skipped.deliveries.is_empty(), "{description}");
            assert_eq!(skipped.deliveries, unskipped.deliveries, "{description}");
        }
    }
}

#[test]
fn a_run_repeats_to_the_picosecond() {
    for design in Design::ALL {
        let machine = machine(&text(design, 2, &stream_workload(250, 64)), &[]);
        let [first, second] = [(); 2].map(|()| run(&machine));
        assert!(first.metrics.iter().any(|metric| metric.name.starts_with("bus.") && metric.value > 0.0));
        assert_eq!(
            (first.end, first.events, first.metrics),
            (second.end, second.events, second.metrics),
            "{}",
            design.name()
        );
    }
}

/// Builds a machine whose nodes `n0` and `n1` run the programs of a test. Nodes `n2` and `n3` run the workload that
/// every machine must have.
fn build_with_two_idle_nodes(design: Design, overrides: &[String]) -> (BuiltMachine, [Rc<Endpoint>; 2]) {
    let workload = "ping-pong = { warm-up = 0, from = \"n2\", to = \"n3\", messages = 1, payload = \"4 KiB\" }";
    let built = build(&machine(&text(design, 4, workload), overrides), Recorder::off().with_messages());
    let endpoints = [0, 1].map(|node| built.world.node(NodeId(node)).endpoint().clone());
    (built, endpoints)
}

async fn send(endpoint: &Endpoint, address: u64, bytes: u64) {
    let outgoing = Outgoing { destination: EndpointId(1), tag: 0, address, payload: Bytes(bytes), words: &[] };
    endpoint.send(outgoing).await;
}

/// Sends messages in one direction and compares each ledger with the times that the programs measured.
fn assert_ledgers_sum(design: Design, bytes: u64) {
    const MESSAGES: u64 = 30;
    let (built, [first, second]) = build_with_two_idle_nodes(design, &[]);
    let (sent, received) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
    let (send_times, receive_times) = (sent.clone(), received.clone());
    built.world.sim.spawn("n0 program", async move {
        let buffer = first.allocate(Bytes(bytes));
        for _ in 0..MESSAGES {
            send_times.borrow_mut().push(first.now());
            send(&first, buffer, bytes).await;
            first.cpu().work(300);
        }
    });
    built.world.sim.spawn("n1 program", async move {
        for _ in 0..MESSAGES {
            let message = second.receive().await;
            receive_times.borrow_mut().push(second.now());
            second.release(message).await;
        }
    });
    assert_eq!(built.run(), Outcome::Done);
    let delivered = built.world.tally.delivered();
    let ledgers: Vec<_> = delivered.iter().filter(|(message, _)| message.source == EndpointId(0)).collect();
    assert_eq!(ledgers.len() as u64, MESSAGES);
    for ((message, time), received) in ledgers.iter().zip(received.borrow().iter()) {
        let ledger = message.ledger();
        assert_eq!(time, received, "the ledger ends with the message");
        assert!(sent.borrow().contains(&ledger.start()), "the ledger begins with a call to send");
        assert_eq!(ledger.start() + ledger.total(), *received);
        let stages: Time = ledger.stages().iter().map(|stage| stage.waiting + stage.service).sum();
        assert_eq!(stages, ledger.total());
        let names: Vec<&str> = ledger.stages().iter().map(|stage| stage.name).collect();
        assert!(names.contains(&"wire") && names.last() == Some(&"receive: bus"), "{names:?}");
    }
    let mut starts: Vec<Time> = ledgers.iter().map(|(message, _)| message.ledger().start()).collect();
    starts.sort_unstable();
    assert_eq!(starts, *sent.borrow(), "each ledger begins with a different call to send");
}

#[test]
fn the_ledger_of_each_message_sums_to_its_latency() {
    for design in Design::ALL {
        for bytes in [8, 64, 256, 1000] {
            assert_ledgers_sum(design, bytes);
        }
    }
}

#[test]
fn receiver_that_never_polls_is_a_reported_deadlock() {
    for design in Design::ALL {
        let overrides = if design.has_queue() { block_settings(design, 32, 8) } else { Vec::new() };
        let (built, [first, _]) = build_with_two_idle_nodes(design, &overrides);
        built.world.sim.spawn("n0 program", async move {
            let buffer = first.allocate(Bytes(64));
            for _ in 0..1_000 {
                send(&first, buffer, 64).await;
            }
        });
        let outcome = built.run();
        let Outcome::Deadlock(deadlock) = &outcome else { panic!("{}: {outcome:?}", design.name()) };
        let report = deadlock.to_string();
        let names_both = report.contains("n0 program waits for") && report.contains("interface of n0");
        assert!(names_both, "{}: {report}", design.name());
    }
}

/// Returns the errors of a machine whose `key` has this value.
fn errors_of_value(design: Design, key: &str, value: &str) -> String {
    let overrides = [format!("{key}={value}")];
    match machine::read(Document::Text("test.toml", &text(design, 2, &ping_pong_workload(1, 8)), None), &overrides) {
        Ok(_) => panic!("{key} = {value} was accepted"),
        Err(problems) => problems.to_string(),
    }
}

#[test]
fn invalid_parameters_are_refused_with_the_reason() {
    let assert_refused = |design, key: &str, value: &str, reason: &str| {
        let problems = errors_of_value(design, key, value);
        assert!(problems.contains(key) && problems.contains(reason), "{problems}");
    };
    assert_refused(Design::Cni512q, "ni.cni512q.queue-blocks", "500", "500 is not a power of two");
    let queue_error = "needs 4 blocks of 64 B, but the queue has 2";
    assert_refused(Design::StartJr, "ni.startjr.queue-blocks", "2", queue_error);
    let width_error = "8 B is wider than the 4 B of the fifo that the processor sees";
    let problems = errors_of_value(Design::Ni2w, "ni.ni2w.window", "\"4 B\"");
    assert!(problems.contains("ni.ni2w.access") && problems.contains(width_error), "{problems}");
    assert_refused(Design::Ni2w, "ni.ni2w.access", "\"16 B\"", "16 B is not a width of an uncached access");
    let cache_error =
        "2 blocks are not allowed: choose a power of two of at least 4, the blocks of the largest message";
    assert_refused(Design::Cni32qm, "ni.cni32qm.cache-blocks", "2", cache_error);
    assert_refused(Design::Ni2w, "protocol.return-to-sender.flow-control-buffers", "0", "at least 1");
    assert_refused(
        Design::Ni2w,
        "messaging.message-max",
        "\"1 MiB\"",
        "need more packets than the interface can number",
    );
}

#[test]
fn processor_that_hits_its_cache_does_not_stall() {
    let (built, [endpoint, _]) = build_with_two_idle_nodes(Design::Cni32qm, &[]);
    built.world.sim.spawn("n0 program", async move {
        let (buffer, cpu) = (endpoint.allocate(Bytes(64)), endpoint.cpu());
        assert_eq!(cpu.stalls(), Stalls::default());
        cpu.load_word(buffer, 8).await;
        let miss_stalls = cpu.stalls();
        assert!(miss_stalls.service > Time::ZERO, "the first load fetches the block");
        for word in 0..8 {
            cpu.load_word(buffer + 8 * word, 8).await;
            cpu.work(10);
        }
        assert_eq!(cpu.stalls(), miss_stalls);
    });
    assert_eq!(built.run(), Outcome::Done);
}
