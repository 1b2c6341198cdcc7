//! A test of random traffic of two processors and an interface on a few blocks, against a reference. Each word has one
//! writer, which increments it. A reader must never see a count decrease, or a count that was not written yet.

use super::*;
use crate::engine::rng;
use rand::RngExt;
use std::cell::RefCell;

const BLOCKS: u64 = 6;
const WORDS: u64 = BLOCKS * 8;

/// The last count that was written to each word.
type Reference = Rc<RefCell<Vec<u64>>>;

fn address(word: u64) -> Address {
    4096 + 8 * word
}

async fn processor_traffic(processor: MemoryBusProcessor, writer: u64, reference: Reference, seed: u64) {
    let mut random = rng::stream(seed, &format!("traffic {writer}"));
    let mut last_read = vec![0; WORDS as usize];
    for _ in 0..3_000 {
        let word = random.random_range(0..WORDS);
        processor.work(random.random_range(0..60));
        if random.random_range(0..16) == 0 {
            let first = random.random_range(0..BLOCKS);
            processor.announce_run(address(8 * first), (BLOCKS - first) as usize * BLOCK_BYTES, word % 2 == 0);
        }
        if word % 2 == writer && random.random_range(0..2) == 0 {
            let next_value = reference.borrow()[word as usize] + 1;
            processor.sync().await;
            reference.borrow_mut()[word as usize] = next_value;
            processor.store(address(word), 8, next_value).await;
        } else {
            let value = processor.load(address(word), 8).await;
            assert!(value >= last_read[word as usize], "a word never decreases");
            assert!(value <= reference.borrow()[word as usize], "nothing is read before it is written");
            last_read[word as usize] = value;
        }
    }
    processor.fence().await;
}

async fn device_traffic(bus: Rc<Bus>, id: AgentId, reference: Reference, sim: crate::engine::Sim, seed: u64) {
    let mut random = rng::stream(seed, "device traffic");
    let mut last_read = vec![0; WORDS as usize];
    for _ in 0..800 {
        sim.delay(Time::from_ns(random.random_range(0..400))).await;
        let block = random.random_range(0..BLOCKS);
        let mut data = Block::ZERO;
        let kind = [TransactionKind::Read, TransactionKind::ReadBlock][random.random_range(0..2)];
        bus.transact(id, kind, address(8 * block), BLOCK_BYTES, &mut data).await;
        for word in 0..8 {
            let (word_index, value) = ((8 * block + word) as usize, data.read(8 * word as usize, 8));
            assert!(
                value >= last_read[word_index] && value <= reference.borrow()[word_index],
                "the device reads a written value that is no older than its last read"
            );
            last_read[word_index] = value;
        }
    }
}

struct NonCachingDevice;
impl Agent for NonCachingDevice {}

fn assert_agrees_with_reference(
    transactions: BusTransactions,
    blocks: u64,
    ways: usize,
    (store_buffer_entries, outstanding_stores): (usize, usize),
    seed: u64,
) {
    let simulation = simulation();
    let (sim, bus) = (simulation.sim(), bus_with(&simulation, transactions));
    let reference: Reference = Rc::new(RefCell::new(vec![0; WORDS as usize]));
    let misses = if transactions == BusTransactions::Split { 4 } else { 1 };
    let parameters = MemoryBusProcessorParameters {
        store_buffer_entries,
        misses,
        outstanding_stores,
        stream_prefetches: outstanding_stores - 1,
        ..NodeParameters::PAPER.processor
    };
    for writer in 0..2 {
        let name = format!("processor {writer}");
        let cache = CacheAgent::new(&sim, &name, &bus, &cache_of(blocks, ways));
        let processor = MemoryBusProcessor::new(&sim, &name, &bus, cache, parameters);
        sim.spawn(name, processor_traffic(processor, writer, reference.clone(), seed));
    }
    let id = bus.attach(Rc::new(NonCachingDevice), None);
    sim.spawn("device", device_traffic(bus.clone(), id, reference.clone(), sim.clone(), seed));
    assert_eq!(simulation.run(Default::default()), crate::engine::Outcome::Done);
    for word in 0..WORDS {
        let final_value = bus.peek(block_of(address(word))).read((8 * word % 64) as usize, 8);
        assert_eq!(final_value, reference.borrow()[word as usize], "the last value of word {word} is kept");
    }
}

#[test]
fn random_traffic_agrees_with_a_reference_memory() {
    for (blocks, ways) in [(1, 1), (2, 1), (4, 2), (4, 4), (64, 1)] {
        for (entries, seed) in [(1, 1), (3, 2), (8, 3)] {
            for transactions in [BusTransactions::Held, BusTransactions::Split] {
                for outstanding_stores in [1, 3] {
                    assert_agrees_with_reference(transactions, blocks, ways, (entries, outstanding_stores), seed);
                }
            }
        }
    }
}
