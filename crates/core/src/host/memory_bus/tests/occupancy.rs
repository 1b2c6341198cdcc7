//! Tests that each kind of transaction holds the bus for exactly its documented cycles.

use super::*;
use crate::engine::Hertz;
use crate::host::memory_bus::node::INTERFACE_BASE;
use std::cell::RefCell;

const CLOCK: Hertz = Hertz(250_000_000);
const CYCLE: Time = Time::from_ns(4);

/// A device with an access time of 60 ns, which posts block writes if `posts_writes` is true.
struct Device {
    posts_writes: bool,
}

impl Agent for Device {
    fn home_time(&self, _: Address) -> Time {
        Time::from_ns(60)
    }
    fn home_posts_writes(&self) -> bool {
        self.posts_writes
    }
    fn home_read(&self, _: Address, _: usize, data: &mut Block) {
        *data = Block([7; BLOCK_BYTES]);
    }
    fn home_write(&self, _: Address, _: usize, _: &Block) {}
}

/// Runs the transactions one after another, from a third of the first cycle on. Returns, for each cycle,
/// whether the bus is held in the middle of it.
fn sample_bus_holds(posts_writes: bool, transactions: &[(TransactionKind, Address, usize)]) -> Vec<bool> {
    let simulation = simulation();
    let (sim, bus) = (simulation.sim(), bus_with_memory(&simulation));
    let id = bus.attach(Rc::new(Device { posts_writes }), Some(INTERFACE_BASE..INTERFACE_BASE + 4096));
    let other_cache = CacheAgent::new(&sim, "other", &bus, &cache_of(4, 1));
    let samples = Rc::new(RefCell::new(Vec::new()));
    let (probe_sim, recorded_samples, probed_bus) = (sim.clone(), samples.clone(), bus.clone());
    let transactions = transactions.to_vec();
    sim.clone().spawn("transactions", async move {
        // Block 128 is dirty in the other cache.
        other_cache.obtain(128, true).await;
        other_cache.contents().borrow_mut().store(128, 8, 9);
        sim.until(Time::from_us(1)).await;
        sim.delay(CYCLE / 3).await;
        for (kind, address, bytes) in transactions {
            bus.transact(id, kind, address, bytes, &mut Block::ZERO.clone()).await;
        }
    });
    probe_sim.clone().spawn("probe", async move {
        let first = CLOCK.cycle_at(Time::from_us(1));
        for cycle in 1..=120 {
            probe_sim.until(CLOCK.end_of_cycle(first + cycle) + CYCLE / 2).await;
            recorded_samples.borrow_mut().push(probed_bus.is_busy());
        }
    });
    simulation.run(Default::default());
    Rc::into_inner(samples).unwrap().into_inner()
}

/// Checks that the bus is held for exactly the first `cycles` cycles after the edge that follows the request.
fn assert_bus_is_held(cycles: usize, posts_writes: bool, transactions: &[(TransactionKind, Address, usize)]) {
    let is_held = sample_bus_holds(posts_writes, transactions);
    assert!(is_held[cycles - 1], "{transactions:?} still holds the bus in cycle {cycles}");
    assert!(!is_held[cycles], "{transactions:?} no longer holds the bus in cycle {}", cycles + 1);
    assert!(is_held[..cycles].iter().all(|&is_held| is_held), "{transactions:?} holds the bus throughout");
}

#[test]
fn word_transactions_take_five_cycles_and_the_access() {
    for bytes in [1, 2, 4, 8] {
        assert_bus_is_held(5 + 15, false, &[(TransactionKind::ReadWord, INTERFACE_BASE, bytes)]);
        assert_bus_is_held(5 + 15, true, &[(TransactionKind::WriteWord, INTERFACE_BASE, bytes)]);
    }
}

#[test]
fn block_transactions_take_six_cycles_and_the_access() {
    assert_bus_is_held(6 + 15, false, &[(TransactionKind::ReadBlock, INTERFACE_BASE, 64)]);
    assert_bus_is_held(6 + 15, false, &[(TransactionKind::WriteBlock, INTERFACE_BASE, 64)]);
    for kind in [
        TransactionKind::Read,
        TransactionKind::ReadExclusive,
        TransactionKind::ReadBlock,
        TransactionKind::WriteBlock,
        TransactionKind::WriteBack,
    ] {
        assert_bus_is_held(6 + 30, false, &[(kind, 0, 64)]);
    }
}

#[test]
fn an_owner_supplies_a_block_faster_than_memory() {
    for kind in [TransactionKind::Read, TransactionKind::ReadExclusive, TransactionKind::ReadBlock] {
        assert_bus_is_held(6 + 5, false, &[(kind, 128, 64)]);
    }
}

#[test]
fn an_invalidation_takes_four_cycles() {
    assert_bus_is_held(4, false, &[(TransactionKind::Invalidate, 128, 64)]);
}

#[test]
fn a_posted_write_takes_six_cycles_and_the_next_access_waits_for_it() {
    let write = (TransactionKind::WriteBlock, INTERFACE_BASE, 64);
    assert_bus_is_held(6, true, &[write]);
    // The memory is busy for 15 cycles after the first write. The second transaction holds the bus for that time.
    assert_bus_is_held(6 + 15 + 6, true, &[write, write]);
    assert_bus_is_held(6 + 15 + 6 + 15, true, &[write, (TransactionKind::ReadBlock, INTERFACE_BASE, 64)]);
}
