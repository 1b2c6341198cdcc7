//! A test that a program's view of its memory is always current, wherever the bytes are.

use super::*;
use crate::engine::Outcome;
use crate::host::memory_bus::node::MemoryBusNode;
use std::cell::RefCell;

const WORDS: u64 = 6;

fn value(word: u64, round: u64) -> u64 {
    1 + word + 100 * round
}

/// Runs a program that stores to blocks which replace one another in the cache, and compares the program's view of
/// memory with the stored values every few nanoseconds.
fn assert_sees_its_stores(parameters: &NodeParameters) {
    let simulation = simulation();
    let sim = simulation.sim();
    let node = Rc::new(MemoryBusNode::new(&sim, "node", parameters));
    let first = node.allocate((WORDS as usize) * BLOCK_BYTES);
    let address = move |word: u64| first + word * BLOCK_BYTES as u64;
    let stored = Rc::new(RefCell::new([0u64; WORDS as usize]));
    let (observed_node, expected, observer_sim) = (node.clone(), stored.clone(), sim.clone());
    sim.spawn_server("look", async move {
        loop {
            for word in 0..WORDS {
                let bytes = observed_node.peek(address(word), 8);
                assert_eq!(
                    bytes,
                    expected.borrow()[word as usize].to_le_bytes(),
                    "word {word} at {}",
                    observer_sim.now()
                );
            }
            observer_sim.delay(Time::from_ns(3)).await;
        }
    });
    sim.spawn("program", async move {
        for round in 0..20 {
            for word in 0..WORDS {
                // The word counts as stored when the buffer accepts it, which may be after a wait.
                node.cores[0].store(address(word), 8, value(word, round)).await;
                stored.borrow_mut()[word as usize] = value(word, round);
                node.cores[0].work(40);
                node.cores[0].sync().await;
                if word % 3 == 2 {
                    assert_eq!(node.cores[0].load(address(word - 2), 8).await, value(word - 2, round));
                }
            }
        }
    });
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
}

#[test]
fn a_program_sees_its_stores_while_blocks_are_replaced() {
    for (blocks, ways) in [(1, 1), (2, 1), (2, 2), (4, 4), (1 << 14, 1)] {
        for transactions in [BusTransactions::Held, BusTransactions::Split] {
            let bus = BusParameters { transactions, ..NodeParameters::PAPER.bus };
            assert_sees_its_stores(&NodeParameters { bus, cache: cache_of(blocks, ways), ..NodeParameters::PAPER });
        }
    }
}
