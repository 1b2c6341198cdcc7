//! Checks shared memory in software: every load returns the last stored value, over any interface, protocol, block size
//! and number of nodes, and programs with shared data give the results of serial runs.

use narrows::engine::{Bytes, EndpointId, Outcome, Recorder, Time};
use narrows::experiment;
use narrows::host::Processor;
use narrows::machine::{self, Machine, build};
use narrows::messaging::World;
use narrows::messaging::shared::{SharedAddress, SharedMemory, SharedMemoryParameters, Space};
use narrows::protocol::directory::AccessMode;
use narrows::text::{Document, Parameters};
use proptest::prelude::*;
use proptest::sample::select;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

async fn load(endpoint: &SharedMemory, location: SharedAddress) -> u64 {
    let cpu = endpoint.active().cpu();
    let (address, was_granted) = match endpoint.accessible_address(location, AccessMode::Read) {
        Some(address) => (address, false),
        None => (endpoint.fault(location, AccessMode::Read).await, true),
    };
    let value = cpu.load_word(address, 8).await;
    cpu.sync().await;
    if was_granted {
        endpoint.end_use(location).await;
    }
    value
}

async fn store(endpoint: &SharedMemory, location: SharedAddress, value: u64) {
    let cpu = endpoint.active().cpu();
    let (address, was_granted) = match endpoint.accessible_address(location, AccessMode::Write) {
        Some(address) => (address, false),
        None => (endpoint.fault(location, AccessMode::Write).await, true),
    };
    cpu.store_word(address, 8, value).await;
    cpu.sync().await;
    if was_granted {
        endpoint.end_use(location).await;
    }
}

/// A time after the end of the machine's own workload, which is only a few packets.
const START: Time = Time::from_us(1000);

/// Returns a machine of memory-bus nodes. `further_lines` are appended to its description.
fn machine(ni: &str, fabric: &str, protocol: &str, nodes: usize, further_lines: &str) -> Machine {
    let text = format!(
        "parts = [\"hosts/memory-bus-1998\", \"ni/{ni}\", \"fabrics/{fabric}\", \"protocols/{protocol}\"]\n\
         [nodes.n]\nhost = \"memory-bus-1998\"\ncount = {nodes}\n{further_lines}\n"
    );
    let read = machine::read(Document::Text("shared.toml", &text, None), &[]);
    read.unwrap_or_else(|problems| panic!("{problems}")).value
}

fn build_pair_machine(ni: &str, fabric: &str, protocol: &str, nodes: usize) -> build::BuiltMachine {
    build::build(&machine(ni, fabric, protocol, nodes, "[workload.pair]\nwarm-up = 0\npackets = 8"), Recorder::off())
}

fn shared_blocks(world: &World, block: u64, bytes: u64) -> (Vec<Rc<SharedMemory>>, Vec<SharedAddress>) {
    let parameters = SharedMemoryParameters { block: Bytes(block), ..SharedMemoryParameters::defaults() };
    let active_endpoints = world.active_endpoints();
    let space = Rc::new(Space::new(active_endpoints.len(), parameters.block));
    let base_addresses =
        (0..active_endpoints.len()).map(|home| space.allocate(EndpointId(home as u32), bytes)).collect();
    (SharedMemory::for_endpoints(active_endpoints, &space, parameters), base_addresses)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Checks that no addition is lost when each endpoint adds to counters of all homes, under locks.
    #[test]
    fn no_addition_under_a_lock_is_lost(
        ni in select(vec!["ni2w", "cni32qm", "ap3000", "startjr", "queues"]),
        protocol in select(vec!["none", "return-to-sender-1998", "window"]),
        nodes in 2..6usize,
        block in select(vec![8u64, 32, 128, 1024]),
        counters in 1..6u32,
        seed in any::<u64>(),
    ) {
        let built = build_pair_machine(ni, "ideal-1998", protocol, nodes);
        let (endpoints, base_addresses) = shared_blocks(&built.world, block, 1024);
        let addition_counts = Rc::new(RefCell::new(vec![0u64; counters as usize]));
        for (worker_index, endpoint) in endpoints.iter().cloned().enumerate() {
            let (base_addresses, additions) = (base_addresses.clone(), addition_counts.clone());
            built.world.sim.spawn(format!("adder {worker_index}"), async move {
                endpoint.active().cpu().until(START).await;
                let mut state = seed ^ (worker_index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                for _ in 0..20 {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    let counter = (state >> 33) as u32 % counters;
                    let address = base_addresses[counter as usize % base_addresses.len()].plus(8 * counter);
                    endpoint.lock(counter).await;
                    let value = load(&endpoint, address).await;
                    endpoint.active().compute(state >> 60).await;
                    store(&endpoint, address, value + 1).await;
                    additions.borrow_mut()[counter as usize] += 1;
                    endpoint.unlock(counter).await;
                }
                endpoint.active().barrier().await;
                for counter in 0..counters {
                    let address = base_addresses[counter as usize % base_addresses.len()].plus(8 * counter);
                    let expected = additions.borrow()[counter as usize];
                    assert_eq!(load(&endpoint, address).await, expected, "counter {counter}");
                }
                endpoint.active().barrier().await;
            });
        }
        prop_assert_eq!(built.run(), Outcome::Done);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Checks that processors build one tree, with locks and without. Each loaded word is compared with the stored
    /// word, and the bodies at the end with those of a serial run.
    #[test]
    fn bodies_move_as_in_a_serial_run(
        ni in select(vec!["ni2w", "cni32qm", "ap3000", "queues"]),
        protocol in select(vec!["none", "return-to-sender-1998", "window"]),
        nodes in 2..7usize,
        block in select(vec![8u64, 64, 128, 1024]),
        bodies in 1..80u32,
        seed in any::<u32>(),
    ) {
        let further_lines = format!(
            "[shared-memory.software]\nblock = \"{block} B\"\n[run]\nseed = {seed}\n\
             [workload.barnes]\nbodies = {bodies}\nsteps = 3"
        );
        let result = experiment::run(&machine(ni, "ideal-1998", protocol, nodes, &further_lines), Recorder::off());
        prop_assert_eq!(&result.outcome, &Outcome::Done);
        // In each step, a coordinate is sent up a tree of processors and down again. Its message has 8 bytes beyond the
        // header, unless the coordinate is 0, which it is for processors without bodies and for a single body.
        let coordinates = result.metric("messages.size.16").unwrap_or(0.0);
        let steps = (3 * (nodes - 1)) as f64;
        prop_assert!(coordinates <= 2.0 * steps && (bodies < 2 || coordinates >= steps), "{}", coordinates);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Checks that readers never see a value older than one that they saw before, and the last value at the end, if
    /// copies are checked in at random. Each node writes a word of its own memory and a word of the first node's, where
    /// several words share a block.
    #[test]
    fn checked_in_copies_are_coherent(
        ni in select(vec!["ni2w", "cni32qm", "ap3000", "queues"]),
        protocol in select(vec!["none", "return-to-sender-1998", "window"]),
        nodes in 2..6usize,
        block in select(vec![32u64, 128]),
        seed in any::<u64>(),
    ) {
        const STORES: u64 = 25;
        let further_lines = match protocol {
            "return-to-sender-1998" => "[protocol.return-to-sender]\nflow-control-buffers = 2\nretry-jitter = 50\n",
            _ => "",
        };
        let further_lines = format!("{further_lines}[workload.pair]\nwarm-up = 0\npackets = 8");
        let built = build::build(&machine(ni, "ideal-1998", protocol, nodes, &further_lines), Recorder::off());
        let (endpoints, base_addresses) = shared_blocks(&built.world, block, 128);
        let checked_in = Rc::new(Cell::new(0));
        for (node, endpoint) in endpoints.iter().cloned().enumerate() {
            let (base_addresses, checked_in) = (base_addresses.clone(), checked_in.clone());
            built.world.sim.spawn(format!("node {node}"), async move {
                endpoint.active().cpu().until(START).await;
                let mut state = seed ^ (node as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let mut draw = move |below: u64| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) % below
                };
                let word = |number: usize| match number % 2 {
                    0 => base_addresses[number / 2],
                    _ => base_addresses[0].plus(64 + 8 * (number / 2) as u32),
                };
                let mut last_seen = vec![0; 2 * nodes];
                while last_seen[2 * node..2 * node + 2] != [STORES, STORES] {
                    let number = draw(2 * nodes as u64) as usize;
                    if number / 2 == node {
                        last_seen[number] = STORES.min(last_seen[number] + 1);
                        store(&endpoint, word(number), last_seen[number]).await;
                    } else {
                        let value = load(&endpoint, word(number)).await;
                        assert!(value >= last_seen[number], "{value} after {}", last_seen[number]);
                        last_seen[number] = value;
                    }
                    if draw(3) > 0 && endpoint.check_in(word(number)).await {
                        checked_in.set(checked_in.get() + 1);
                    }
                    endpoint.active().compute(draw(400)).await;
                }
                endpoint.active().barrier().await;
                for number in 0..2 * nodes {
                    assert_eq!(load(&endpoint, word(number)).await, STORES, "the last value");
                }
                endpoint.active().barrier().await;
            });
        }
        prop_assert_eq!(built.run(), Outcome::Done);
        prop_assert!(checked_in.get() > 0);
    }
}

#[test]
fn access_outside_the_shared_space_names_its_address() {
    let built = build_pair_machine("cni32qm", "ideal-1998", "none", 2);
    let (endpoints, base_addresses) = shared_blocks(&built.world, 128, 256);
    let outside_address = base_addresses[1].plus(256);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        endpoints[0].accessible_address(outside_address, AccessMode::Read)
    }));
    let panic = panic.expect_err("the access is outside");
    let message = panic.downcast_ref::<String>().expect("the panic has a text");
    assert!(message.contains("accesses byte 256 of the 256"), "{message}");
}
