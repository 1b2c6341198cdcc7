//! Tests of the ownership requests of several waiting stores, and of the prefetcher of streams.

use super::*;
use crate::engine::{Hertz, Sim, rng};
use proptest::prelude::*;
use rand::RngExt;
use std::cell::RefCell;

/// A home whose first block has a long access time, and the others a short one.
struct UnevenHome(Memory);

impl Agent for UnevenHome {
    fn snoops(&self) -> bool {
        false
    }
    fn requests_bus(&self) -> bool {
        false
    }
    fn home_time(&self, address: Address) -> Time {
        if block_of(address) == 0 { Time::from_us(1) } else { Time::from_ns(100) }
    }
    fn home_read(&self, address: Address, bytes: usize, data: &mut Block) {
        self.0.home_read(address, bytes, data);
    }
    fn home_write(&self, address: Address, bytes: usize, data: &Block) {
        self.0.home_write(address, bytes, data);
    }
}

/// The parameters that a test varies.
#[derive(Clone, Copy, Debug)]
struct Limits {
    outstanding_stores: usize,
    misses: usize,
    entries: usize,
    stream_prefetches: usize,
}

const SINGLE: Limits = Limits { outstanding_stores: 1, misses: 8, entries: 64, stream_prefetches: 0 };

/// A bus of a cycle of 1 ns for an address and one for a block, and processors with a cycle of 1 ns and ten cycles to
/// and from the bus.
struct System {
    simulation: Simulation,
    bus: Rc<Bus>,
    processors: Vec<MemoryBusProcessor>,
}

impl System {
    fn new(limits: Limits, processors: usize, cache: CacheParameters, memory: Rc<dyn Agent>) -> System {
        let simulation = simulation();
        let sim = simulation.sim();
        let paper = NodeParameters::PAPER;
        let bus_parameters = BusParameters {
            clock: Hertz(1_000_000_000),
            width: Bytes(64),
            arbitration_cycles: 0,
            address_cycles: 1,
            snoop_cycles: 0,
            turnaround_cycles: 0,
            transactions: BusTransactions::Split,
        };
        let bus = Rc::new(Bus::new(&sim, "test", bus_parameters));
        bus.attach(memory, Some(0..1 << 20));
        let parameters = MemoryBusProcessorParameters {
            store_buffer_entries: limits.entries,
            misses: limits.misses,
            outstanding_stores: limits.outstanding_stores,
            stream_prefetches: limits.stream_prefetches,
            ..paper.processor
        };
        let processors = (0..processors)
            .map(|number| {
                let name = format!("processor {number}");
                let agent = CacheAgent::new(&sim, &name, &bus, &cache);
                MemoryBusProcessor::new(&sim, &name, &bus, agent, parameters)
            })
            .collect();
        System { simulation, bus, processors }
    }

    fn with_memory(limits: Limits, processors: usize, cache: CacheParameters) -> System {
        System::new(limits, processors, cache, Rc::new(Memory::new(Bytes(1 << 20), Time::from_ns(100))))
    }

    fn run(&self) {
        assert_eq!(self.simulation.run(Default::default()), Outcome::Done);
    }
}

/// Returns the local times at which a program has executed `stores` and at which they have all reached the cache.
fn store_times(limits: Limits, stores: Vec<(Address, u64)>) -> [Time; 2] {
    let system = System::with_memory(limits, 1, cache_of(4096, 16));
    let (processor, times) = (system.processors[0].clone(), Rc::new(RefCell::new([Time::ZERO; 2])));
    let result = times.clone();
    system.simulation.sim().spawn("program", async move {
        for (address, work) in stores {
            processor.work(work);
            processor.store(address, 8, address).await;
        }
        let executed = processor.time();
        processor.fence().await;
        *times.borrow_mut() = [executed, processor.time()];
    });
    system.run();
    *result.borrow()
}

#[test]
fn requests_of_waiting_stores_overlap_to_the_cycle() {
    let blocks: Vec<(Address, u64)> = (0..4).map(|block| (4096 + 64 * block, 0)).collect();
    let times = |outstanding_stores| store_times(Limits { outstanding_stores, ..SINGLE }, blocks.clone());
    // A block takes 10 ns to the bus, 1 ns for the address, 100 ns of memory and 1 ns for the data, and 10 ns back.
    assert_eq!(times(1), [Time::from_ns(4), Time::from_ns(4 * 122)]);
    // A transaction holds the bus for 2 ns, so the request for the second block is 2 ns after that for the first one.
    assert_eq!(times(2), [Time::from_ns(4), Time::from_ns(122 + 122 + 2)], "one pair after the other");
    assert_eq!(times(4), [Time::from_ns(4), Time::from_ns(122 + 3 * 2)]);
}

#[test]
fn stores_share_the_outstanding_misses_with_runs() {
    let blocks: Vec<(Address, u64)> = (0..4).map(|block| (4096 + 64 * block, 0)).collect();
    let times = |misses| store_times(Limits { outstanding_stores: 4, misses, ..SINGLE }, blocks.clone());
    assert_eq!(times(1)[1], Time::from_ns(4 * 122), "a single miss is that of the oldest store");
    assert_eq!(times(2)[1], Time::from_ns(122 + 122 + 2), "two misses are a pair of stores");
}

#[test]
fn block_that_is_taken_away_before_its_store_is_requested_again() {
    let limits = Limits { outstanding_stores: 4, ..SINGLE };
    let memory = UnevenHome(Memory::new(Bytes(1 << 20), Time::ZERO));
    let system = System::new(limits, 2, cache_of(64, 4), Rc::new(memory));
    let (writer, thief) = (system.processors[0].clone(), system.processors[1].clone());
    let sim = system.simulation.sim();
    sim.spawn("writer", async move {
        writer.store(0, 8, 1).await;
        writer.store(4160, 8, 2).await;
        writer.fence().await;
        assert!(writer.time() > Time::from_ns(10 + 1002 + 10 + 10), "the block is requested again: {}", writer.time());
    });
    sim.spawn("thief", {
        let sim = sim.clone();
        async move {
            sim.until(Time::from_ns(500)).await;
            // The block of the second store has arrived at 114 ns, but the store waits behind the first one.
            assert_eq!(thief.load(4160, 8).await, 0, "stores become visible in program order");
            thief.store(4168, 8, 3).await;
        }
    });
    system.run();
    let counts: Vec<(&str, u64)> =
        TransactionKind::ALL.iter().map(|kind| kind.name()).zip(system.bus.counts()).collect();
    let is_request = |kind: &str| ["read-exclusive", "invalidate"].contains(&kind);
    let requests: u64 = counts.iter().filter(|(kind, _)| is_request(kind)).map(|(_, count)| count).sum();
    assert!(requests >= 4, "both agents request the block, and the writer again: {counts:?}");
    let block = system.bus.peek(4160);
    assert_eq!([block.read(0, 8), block.read(8, 8)], [2, 3]);
}

/// An action of another agent in a random schedule.
#[derive(Clone, Copy, Debug)]
enum Observation {
    Load(u64),
    /// A store to a word of the same block that the writer does not write, which takes the block away.
    Store(u64),
    Wait(u64),
}

/// Blocks of the random schedules; word 7 of each belongs to the observers.
const BLOCKS: u64 = 6;

fn word_address(word: u64) -> Address {
    8192 + word / 7 * 64 + word % 7 * 8
}

fn observations() -> impl Strategy<Value = Vec<Observation>> {
    let observation = prop_oneof![
        3 => (0..BLOCKS * 7).prop_map(Observation::Load),
        1 => (0..BLOCKS).prop_map(Observation::Store),
        1 => (0..300u64).prop_map(Observation::Wait),
    ];
    prop::collection::vec(observation, 1..150)
}

/// Checks that an agent that observed `value` in a word, after the `seen` first stores, sees the stores in their order.
fn assert_program_order(stores: &[u64], word: u64, value: u64, seen: &mut u64) {
    let newest_seen = (1..=*seen).rev().find(|number| stores[*number as usize - 1] == word).unwrap_or(0);
    assert!(value >= newest_seen, "word {word} has {value}, but store {seen}, after store {newest_seen}, was seen");
    *seen = value.max(*seen);
}

async fn observe(processor: MemoryBusProcessor, sim: Sim, program: Vec<Observation>, stores: Rc<Vec<u64>>) {
    let mut seen = 0;
    for observation in program {
        match observation {
            Observation::Load(word) => {
                processor.sync().await;
                let value = processor.load(word_address(word), 8).await;
                assert_program_order(&stores, word, value, &mut seen);
            }
            Observation::Store(block) => processor.store(8192 + 64 * block + 56, 8, block).await,
            Observation::Wait(time) => {
                processor.fence().await;
                processor.idle_until(sim.now() + Time::from_ns(time)).await;
            }
        }
    }
    processor.fence().await;
}

/// A device that keeps no copies, and so sees every block as it is.
async fn observe_blocks(bus: Rc<Bus>, id: AgentId, sim: Sim, stores: Rc<Vec<u64>>, seed: u64) {
    let (mut random, mut seen) = (rng::stream(seed, "device"), 0);
    for _ in 0..60 {
        sim.delay(Time::from_ns(random.random_range(0..200))).await;
        let first_word = random.random_range(0..BLOCKS) * 7;
        let mut data = Block::ZERO;
        bus.transact(id, TransactionKind::ReadBlock, word_address(first_word), BLOCK_BYTES, &mut data).await;
        // The block is as it was at one instant, so its newest store is seen first.
        let mut values: Vec<(u64, u64)> = (0..7).map(|word| (data.read(8 * word as usize, 8), word)).collect();
        values.sort_unstable_by(|first, second| second.cmp(first));
        for (value, word) in values {
            assert_program_order(&stores, first_word + word, value, &mut seen);
        }
    }
}

struct Device;
impl Agent for Device {}

fn limits() -> impl Strategy<Value = Limits> {
    (1..10usize, 1..10usize, 1..24usize, 0..4usize).prop_map(
        |(outstanding_stores, misses, entries, stream_prefetches)| Limits {
            outstanding_stores,
            misses,
            entries,
            stream_prefetches,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 200 } else { 400 }))]

    #[test]
    fn other_agents_see_stores_in_program_order(
        limits in limits(),
        program in prop::collection::vec((0..BLOCKS * 7, 0..80u64), 1..250),
        observations in observations(),
        (blocks, ways) in prop_oneof![Just((2, 1)), Just((4, 2)), Just((64, 4))],
        seed in 0..1000u64,
    ) {
        let system = System::with_memory(limits, 2, cache_of(blocks, ways));
        let (sim, stores) = (system.simulation.sim(), Rc::new(program.iter().map(|(word, _)| *word).collect::<Vec<_>>()));
        let writer = system.processors[0].clone();
        sim.spawn("writer", async move {
            for (number, (word, work)) in program.into_iter().enumerate() {
                writer.work(work);
                if number % 16 == 0 {
                    writer.announce_run(8192, BLOCKS as usize * BLOCK_BYTES, number % 32 == 0);
                }
                writer.store(word_address(word), 8, number as u64 + 1).await;
                assert_eq!(writer.load(word_address(word), 8).await, number as u64 + 1, "a program sees its stores");
            }
            writer.fence().await;
        });
        sim.spawn("observer", observe(system.processors[1].clone(), sim.clone(), observations, stores.clone()));
        let id = system.bus.attach(Rc::new(Device), None);
        sim.spawn("device", observe_blocks(system.bus.clone(), id, sim.clone(), stores.clone(), seed));
        system.run();
        for word in 0..BLOCKS * 7 {
            let last_store = stores.iter().rposition(|stored| *stored == word).map_or(0, |index| index as u64 + 1);
            let value = system.bus.peek(block_of(word_address(word))).read((word % 7 * 8) as usize, 8);
            prop_assert_eq!(value, last_store, "word {}", word);
        }
    }
}

/// Returns the time of a run of loads of `bytes` bytes at `from`.
fn run_time(limits: Limits, from: Address, bytes: usize, is_write: bool) -> Time {
    let system = System::with_memory(limits, 1, cache_of(4096, 16));
    let (processor, time) = (system.processors[0].clone(), Rc::new(RefCell::new(Time::ZERO)));
    let result = time.clone();
    system.simulation.sim().spawn("program", async move {
        let mut data = vec![0; bytes];
        if is_write {
            processor.store_run(from, &data).await;
            processor.fence().await;
        } else {
            processor.load_run(from, &mut data).await;
        }
        processor.sync().await;
        *time.borrow_mut() = processor.time();
    });
    system.run();
    *result.borrow()
}

#[test]
fn stream_prefetches_add_to_the_misses_of_a_sequential_run() {
    let time = |misses, stream_prefetches, is_write| {
        run_time(Limits { misses, stream_prefetches, ..SINGLE }, 8192, 4096, is_write)
    };
    // 64 blocks of 112 ns from request to data, by one task and by nine (Little's law): the program follows the tasks, and
    // its own miss is that of a block which a task already fetches.
    for is_write in [false, true] {
        let [one, nine] = [time(2, 0, is_write), time(2, 8, is_write)];
        assert!(one >= Time::from_ns(64 * 112 / 2), "{one}");
        assert!(nine >= Time::from_ns(64 * 112 / 10), "{nine}");
        assert!(nine < one / 3, "{nine} with a prefetcher, {one} without");
        assert!(time(10, 0, is_write) <= nine, "misses fetch every block of a run, and streams not the first ones");
    }
}

#[test]
fn no_stream_is_detected_in_two_blocks_of_a_page() {
    let time = |from, blocks, stream_prefetches| {
        run_time(Limits { misses: 2, stream_prefetches, ..SINGLE }, from, blocks * BLOCK_BYTES, false)
    };
    for (from, blocks) in [(8192, 2), (8192 - 128, 4)] {
        assert_eq!(time(from, blocks, 8), time(from, blocks, 0), "{blocks} blocks at {from}");
    }
    assert!(time(8192, 4, 8) < time(8192, 4, 0), "the third block of a page is prefetched");
    assert!(time(8192 - 64, 5, 8) < time(8192 - 64, 5, 0));
}
