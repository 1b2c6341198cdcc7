//! Checks that Alewife's node keeps memory coherent and its network free of deadlock under random programs, and that
//! its costs are those of its description. Programs run on built machines in place of a workload.

mod overflow;

use narrows::engine::{EndpointId, Metric, Outcome, Recorder, Time};
use narrows::experiment::{self, RunResult};
use narrows::host::Processor;
use narrows::machine::{self, Machine, build, shipped};
use narrows::messaging::World;
use narrows::messaging::active::ActiveMessage;
use narrows::messaging::shared::{SharedAddress, SharedMemory, Space};
use narrows::program::RunningWorkload;
use narrows::program::worker::{Worker, start};
use narrows::protocol::directory::AccessMode;
use narrows::text::Document;
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Returns a machine of Alewife nodes over a fabric.
fn machine(fabric: &str, nodes: usize, endpoints: u32, workload: &str, overrides: &[String]) -> Machine {
    let text = format!(
        "parts = [\"hosts/alewife\", \"ni/cmmu\", \"fabrics/{fabric}\", \"protocols/none\"]\n\
         [nodes.n]\nhost = \"alewife\"\ncount = {nodes}\nendpoints = {endpoints}\n{workload}\n"
    );
    let read = machine::read(Document::Text("alewife.toml", &text, None), overrides);
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}

/// A workload without programs or metrics: each test spawns its own programs.
struct NoWorkload;

impl RunningWorkload for NoWorkload {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        Vec::new()
    }
}

fn build_without_workload(machine: &Machine) -> build::BuiltMachine {
    build::build_with(machine, Recorder::off(), Box::new(|_| Rc::new(NoWorkload)))
}

/// The workload of the description, which `build_without_workload` replaces by `NoWorkload`.
const PLACEHOLDER_WORKLOAD: &str = "[workload.costs]\noperation = \"read\"";
/// The time at which the programs of the tests begin.
const START: Time = Time::from_us(2);

fn run(machine: &Machine) -> RunResult {
    let result = experiment::run(machine, Recorder::off());
    assert_eq!(result.outcome, Outcome::Done);
    result
}

fn metric(result: &RunResult, name: &str) -> f64 {
    result.metric(name).unwrap_or_else(|| panic!("no {name} in {:?}", result.metrics))
}

/// Returns a shared space with `bytes` at each endpoint, and the base address of each endpoint's part.
fn space(built: &build::BuiltMachine, bytes: u64) -> (Rc<Space>, Vec<SharedAddress>) {
    let endpoint_count = built.world.active_endpoints().len();
    let space = Rc::new(Space::new(endpoint_count, built.world.shared_memory.block));
    let base_addresses = (0..endpoint_count).map(|home| space.allocate(EndpointId(home as u32), bytes)).collect();
    (space, base_addresses)
}

fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Checks that no addition is lost when each program adds to counters of all homes, under locks, in caches of a few
    /// blocks.
    #[test]
    fn no_addition_under_a_lock_is_lost(
        fabric in select(vec!["alewife-mesh", "ideal-1998", "nifdy-fat-tree", "nifdy-torus"]),
        reception in select(vec!["interrupt", "polling"]),
        (nodes, endpoints) in (2..6usize, 1..4u32),
        cache in select(vec!["64 B", "256 B", "64 KiB"]),
        (pointers, waiting, prefetches) in (1..3u32, 0..3u32, 0..3u32),
        forwarding in any::<bool>(),
        counters in 1..12u32,
        seed in any::<u64>(),
    ) {
        let overrides = [
            format!("hosts.alewife.alewife.cache={cache}"),
            format!("ni.cmmu.reception={reception}"),
            format!("ni.cmmu.coherence.pointers={pointers}"),
            format!("ni.cmmu.coherence.waiting={waiting}"),
            format!("ni.cmmu.coherence.prefetches={prefetches}"),
            format!("ni.cmmu.coherence.forwarding={forwarding}"),
            "ni.cmmu.coherence.write-backs=1".to_owned(),
            // Some fabrics store whole packets in their buffers.
            "ni.cmmu.message-max=56 B".to_owned(),
        ];
        let built = build_without_workload(&machine(fabric, nodes, endpoints, PLACEHOLDER_WORKLOAD, &overrides));
        let (space, base_addresses) = space(&built, 2048);
        let workers = Worker::all(&built.world, &space);
        let addition_counts = Rc::new(RefCell::new(vec![0u64; counters as usize]));
        let counter_address = move |counter: u32| base_addresses[counter as usize % base_addresses.len()].plus(8 * counter);
        for (worker_index, worker) in workers.into_iter().enumerate() {
            let (counter_address, additions) = (counter_address.clone(), addition_counts.clone());
            built.world.sim.spawn(format!("adder {worker_index}"), async move {
                worker.endpoint().cpu().until(START).await;
                let mut state = seed ^ (worker_index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                for _ in 0..12 {
                    let counter = next_random(&mut state) as u32 % counters;
                    let prefetched_counter = next_random(&mut state) as u32 % counters;
                    let mode = if prefetched_counter.is_multiple_of(2) { AccessMode::Read } else { AccessMode::Write };
                    worker.prefetch(counter_address(prefetched_counter), mode).await;
                    worker.lock(counter).await;
                    let value = worker.load(counter_address(counter)).await;
                    worker.compute(next_random(&mut state) % 300).await;
                    worker.store(counter_address(counter), value + 1).await;
                    additions.borrow_mut()[counter as usize] += 1;
                    worker.unlock(counter).await;
                }
                worker.barrier().await;
                for counter in 0..counters {
                    let expected = additions.borrow()[counter as usize];
                    assert_eq!(worker.load(counter_address(counter)).await, expected, "counter {counter}");
                }
                worker.barrier().await;
            });
        }
        prop_assert_eq!(built.run(), Outcome::Done);
    }

    /// Checks that without locks, when each word has one writer, which counts up, no reader sees a value decrease,
    /// regardless of the other words in the block and of prefetches.
    #[test]
    fn no_reader_sees_a_counter_decrease(
        fabric in select(vec!["alewife-mesh", "ideal-1998", "nifdy-torus"]),
        nodes in 2..6usize,
        cache in select(vec!["64 B", "64 KiB"]),
        (waiting, forwarding) in (0..2u32, any::<bool>()),
        seed in any::<u64>(),
    ) {
        let overrides = [
            format!("hosts.alewife.alewife.cache={cache}"),
            format!("ni.cmmu.coherence.waiting={waiting}"),
            format!("ni.cmmu.coherence.forwarding={forwarding}"),
            "ni.cmmu.coherence.pointers=1".to_owned(),
        ];
        let built = build_without_workload(&machine(fabric, nodes, 1, PLACEHOLDER_WORKLOAD, &overrides));
        let (space, base_addresses) = space(&built, 8 * nodes as u64);
        let workers = Worker::all(&built.world, &space);
        for (worker_index, worker) in workers.into_iter().enumerate() {
            let base_addresses = base_addresses.clone();
            built.world.sim.spawn(format!("counter {worker_index}"), async move {
                worker.endpoint().cpu().until(START).await;
                let mut state = seed ^ (worker_index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let mut last_seen = vec![vec![0; base_addresses.len()]; base_addresses.len()];
                for step in 1..60u64 {
                    let mut draw = || next_random(&mut state) as usize % base_addresses.len();
                    let (home, word) = (draw(), draw());
                    let address = base_addresses[home].plus(8 * word as u32);
                    if word == worker_index {
                        worker.store(address, step).await;
                        last_seen[home][word] = step;
                    } else if step % 3 == 0 {
                        worker.prefetch(address, if step % 2 == 0 { AccessMode::Read } else { AccessMode::Write }).await;
                    }
                    let value = worker.load(address).await;
                    assert!(value >= last_seen[home][word] && (word != worker_index || value == step), "{value} of {home}, {word}");
                    last_seen[home][word] = value;
                }
                worker.barrier().await;
            });
        }
        prop_assert_eq!(built.run(), Outcome::Done);
    }
}

#[test]
fn message_interrupts_a_computing_program_and_waits_for_a_polling_one() {
    let handling_cycles = |reception: &str| {
        let overrides = [format!("ni.cmmu.reception={reception}")];
        let built = build_without_workload(&machine("alewife-mesh", 2, 1, PLACEHOLDER_WORKLOAD, &overrides));
        let arrival = Rc::new(Cell::new(Time::ZERO));
        let active_endpoints = built.world.active_endpoints();
        let (handled_at, receiver) = (arrival.clone(), Rc::downgrade(&active_endpoints[1]));
        active_endpoints[1].on_message(move |_| handled_at.set(receiver.upgrade().expect("the endpoint exists").now()));
        for (worker_index, endpoint) in active_endpoints.iter().cloned().enumerate() {
            built.world.sim.spawn(format!("program {worker_index}"), async move {
                endpoint.cpu().until(START).await;
                match worker_index {
                    0 => endpoint.send(ActiveMessage::new(EndpointId(1), 0, &[])).await,
                    _ => endpoint.compute(20_000).await,
                }
                endpoint.barrier().await;
            });
        }
        assert_eq!(built.run(), Outcome::Done);
        (arrival.get() - START).as_s() * 20e6
    };
    assert!(handling_cycles("interrupt") < 120.0, "{} cycles", handling_cycles("interrupt"));
    assert!(handling_cycles("polling") > 20_000.0, "{} cycles", handling_cycles("polling"));
}

#[test]
fn interrupt_and_handler_delay_a_computation_by_their_cycles() {
    let cycles = |messages: usize| {
        let built = build_without_workload(&machine("alewife-mesh", 2, 1, PLACEHOLDER_WORKLOAD, &[]));
        let elapsed_cycles = Rc::new(Cell::new(0.0));
        let active_endpoints = built.world.active_endpoints();
        active_endpoints.iter().for_each(|endpoint| endpoint.on_message(|_| {}));
        for (worker_index, endpoint) in active_endpoints.iter().cloned().enumerate() {
            let elapsed_cycles = elapsed_cycles.clone();
            built.world.sim.spawn(format!("program {worker_index}"), async move {
                endpoint.cpu().until(START).await;
                if worker_index == 0 {
                    for _ in 0..messages {
                        endpoint.send(ActiveMessage::new(EndpointId(1), 0, &[])).await;
                        endpoint.compute(500).await;
                    }
                } else {
                    let start = endpoint.now();
                    endpoint.compute(20_000).await;
                    elapsed_cycles.set((endpoint.now() - start).as_s() * 20e6);
                }
                endpoint.barrier().await;
            });
        }
        assert_eq!(built.run(), Outcome::Done);
        elapsed_cycles.get()
    };
    let (uninterrupted, interrupted) = (cycles(0), cycles(10));
    assert!((uninterrupted - 20_000.0).abs() < 1.0, "{uninterrupted}");
    // Each message costs an interrupt and a handler: 30 + 53 cycles.
    let cycles_per_interrupt = (interrupted - uninterrupted) / 10.0;
    assert!((82.0..86.0).contains(&cycles_per_interrupt), "{cycles_per_interrupt} cycles for each message");
}

/// Returns the cycles of a step that computes and loads another node's block, with or without a prefetch.
fn cycles_per_step(prefetches: bool, overrides: &[&str]) -> f64 {
    let overrides: Vec<String> = overrides.iter().map(|setting| setting.to_string()).collect();
    let built = build_without_workload(&machine("alewife-mesh", 8, 1, PLACEHOLDER_WORKLOAD, &overrides));
    let (space, base_addresses) = space(&built, 4096);
    let workers = Worker::all(&built.world, &space);
    let elapsed_cycles = Rc::new(Cell::new(0.0));
    for (worker_index, worker) in workers.into_iter().enumerate() {
        let (base_addresses, elapsed_cycles) = (base_addresses.clone(), elapsed_cycles.clone());
        built.world.sim.spawn(format!("program {worker_index}"), async move {
            worker.endpoint().cpu().until(START).await;
            if worker_index == 0 {
                let start = worker.endpoint().now();
                for step in 0..50 {
                    if prefetches {
                        worker.prefetch(base_addresses[7].plus(16 * (step + 1)), AccessMode::Read).await;
                    }
                    worker.compute(40).await;
                    assert_eq!(worker.load(base_addresses[7].plus(16 * step)).await, 0);
                }
                elapsed_cycles.set((worker.endpoint().now() - start).as_s() * 20e6 / 50.0);
            }
            worker.barrier().await;
        });
    }
    assert_eq!(built.run(), Outcome::Done);
    elapsed_cycles.get()
}

#[test]
fn prefetch_hides_the_round_trip_to_the_home() {
    let (without_prefetch, prefetched) = (cycles_per_step(false, &[]), cycles_per_step(true, &[]));
    assert!(without_prefetch > 40.0 + 38.0 + 10.0, "{without_prefetch} cycles a step");
    assert!(prefetched < without_prefetch - 20.0, "{prefetched} cycles a step, {without_prefetch} without");
    let no_buffers = cycles_per_step(true, &["ni.cmmu.coherence.prefetches=0"]);
    assert!(
        (no_buffers - without_prefetch).abs() < 8.0,
        "{no_buffers} cycles a step without prefetch slots, {without_prefetch} without prefetches"
    );
}

#[test]
fn program_runs_over_hardware_and_software_shared_memory() {
    let barnes = "[workload.barnes]\nbodies = 60\nsteps = 2";
    let hardware = run(&machine("alewife-mesh", 4, 1, barnes, &[]));
    let software = run(&machine("alewife-mesh", 4, 1, &format!("{barnes}\n[shared-memory.software]"), &[]));
    assert!(metric(&hardware, "coherence.packets") > 0.0);
    assert_eq!(metric(&software, "coherence.packets"), 0.0);
    // Locks use messages in both kinds of shared memory.
    assert!(metric(&hardware, "packets.sent") < metric(&software, "packets.sent"));
}

#[test]
fn messages_of_any_size_arrive_whole() {
    for payload in [1, 7, 8, 63, 512, 513, 4096] {
        let workload = format!("[workload.ping-pong]\nwarm-up = 0\npayload = \"{payload} B\"\nmessages = 3");
        run(&machine("alewife-mesh", 2, 1, &workload, &[]));
    }
    let result = run(&machine("alewife-mesh", 2, 1, "[workload.pair]\nwarm-up = 0\npackets = 8", &[]));
    // Each packet is full: a header of eight bytes, fourteen arguments and memory up to the largest packet.
    assert_eq!(metric(&result, "messages.size.520"), 8.0);
}

/// Checks that a program may drive shared memory without a worker, and then calls `end_use` after its access to a
/// granted block.
#[test]
fn granted_block_stays_readable_after_its_use() {
    let built = build_without_workload(&machine("ideal-1998", 2, 1, PLACEHOLDER_WORKLOAD, &[]));
    let (space, base_addresses) = space(&built, 64);
    let shared_endpoints =
        SharedMemory::for_endpoints(built.world.active_endpoints(), &space, built.world.shared_memory);
    let (endpoint, remote_address) = (shared_endpoints[0].clone(), base_addresses[1]);
    built.world.sim.spawn("program", async move {
        endpoint.active().cpu().until(START).await;
        assert_eq!(endpoint.accessible_address(remote_address, AccessMode::Read), None);
        let address = endpoint.fault(remote_address, AccessMode::Read).await;
        assert_eq!(endpoint.active().cpu().load(address, 8).await, Ok(0));
        endpoint.end_use(remote_address).await;
        assert_eq!(endpoint.accessible_address(remote_address, AccessMode::Read), Some(address));
        assert_eq!(endpoint.accessible_address(remote_address, AccessMode::Write), None);
        assert_eq!(endpoint.faults(), 1);
    });
    assert_eq!(built.run(), Outcome::Done);
    drop(shared_endpoints);
}

#[test]
fn a_program_starts_on_every_node() {
    let built = build_without_workload(&machine("alewife-mesh", 3, 2, PLACEHOLDER_WORKLOAD, &[]));
    let (space, _) = space(&built, 64);
    let workers = Worker::all(&built.world, &space);
    let started_programs = Rc::new(Cell::new(0));
    start(&built.world, &workers, |_| {
        let started_programs = started_programs.clone();
        async move { started_programs.set(started_programs.get() + 1) }
    });
    assert_eq!(built.run(), Outcome::Done);
    assert_eq!(started_programs.get(), 6);
}

/// Returns the machines of Table 1, by their shipped descriptions.
fn table_1_machines(workload: &str) -> Vec<(&'static str, Machine)> {
    let parts = shipped::parts().iter().filter(|part| part.starts_with("chong-1998/") && !part.contains("networks"));
    let read = |part: &&'static str| {
        let text = format!("parts = [\"{part}\"]\n{workload}\n");
        let read = machine::read(Document::Text(part, &text, None), &[]);
        (*part, read.unwrap_or_else(|problems| panic!("{problems}")).value)
    };
    parts.map(read).collect()
}

#[test]
fn every_machine_of_table_1_runs_a_program_by_messages_and_by_shared_memory() {
    for exchange in ["groups", "loads"] {
        let em3d = format!("[workload.em3d]\nn-nodes = 4\nd-nodes = 3\niterations = 1\nsends = \"{exchange}\"");
        let machines = table_1_machines(&em3d);
        assert_eq!(machines.len(), 13);
        for (part, machine) in machines {
            assert!(metric(&run(&machine), "em3d.cycles_per_iteration") > 0.0, "{part}");
        }
    }
}

/// Checks the cycles of a miss to local memory, which each machine's description states; they do not depend on the
/// machine's clock.
#[test]
fn local_miss_takes_the_described_cycles_at_any_clock() {
    let local = "[workload.costs]\noperation = \"read\"\nhome = 0";
    let expected_cycles = [("cm-5", 16.0), ("j-machine", 7.0), ("t3e", 80.0)];
    for (part, machine) in table_1_machines(local) {
        let Some((_, cycles)) = expected_cycles.iter().find(|(name, _)| part.ends_with(&format!("/{name}"))) else {
            continue;
        };
        let measured = metric(&run(&machine), "costs.cycles");
        // A clock's cycle ends at a whole picosecond.
        assert!((measured - cycles).abs() < 0.01, "{part}: {measured}");
    }
}

#[test]
fn clock_outside_the_machine_s_bounds_is_refused() {
    let refusal = |overrides: &[&str]| {
        let overrides: Vec<String> =
            overrides.iter().map(|setting| format!("hosts.alewife.alewife.{setting}")).collect();
        let text = "parts = [\"hosts/alewife\", \"ni/cmmu\", \"protocols/none\", \"fabrics/alewife-mesh\"]\n[workload.costs]\n";
        machine::read(Document::Text("clock.toml", text, None), &overrides).err().map(|problems| problems.to_string())
    };
    assert_eq!(refusal(&["clock=\"200 MHz\""]), None);
    assert_eq!(refusal(&["clock=\"14 MHz\"", "clock-min=\"14 MHz\"", "clock-max=\"14 MHz\""]), None);
    let too_slow = refusal(&["clock=\"13 MHz\"", "clock-min=\"14 MHz\""]).expect("the clock is too slow");
    assert!(too_slow.contains("must be at least 14 MHz"), "{too_slow}");
    let too_fast = refusal(&["clock=\"21 MHz\"", "clock-max=\"20 MHz\""]).expect("the clock is too fast");
    assert!(too_fast.contains("must be at most 20 MHz"), "{too_fast}");
}
