//! Tests of a split bus and of runs whose misses overlap.

use super::*;
use crate::engine::Hertz;
use crate::host::processor::Processor;
use std::cell::RefCell;
use std::future::Future;

fn node_parameters(transactions: BusTransactions, misses: usize) -> NodeParameters {
    let paper = NodeParameters::PAPER;
    NodeParameters {
        processor: MemoryBusProcessorParameters { misses, ..paper.processor },
        bus: BusParameters { transactions, ..paper.bus },
        ..paper
    }
}

/// Runs a program on a node, and returns the times that the program records.
fn run_program<F: Future<Output = ()> + 'static>(
    parameters: NodeParameters,
    program: impl FnOnce(MemoryBusProcessor, Rc<RefCell<Vec<Time>>>) -> F,
) -> Vec<Time> {
    let simulation = simulation();
    let node = MemoryBusNode::new(&simulation.sim(), "n", &parameters);
    let times = Rc::new(RefCell::new(Vec::new()));
    simulation.sim().spawn("program", program(node.cores[0].clone(), times.clone()));
    assert_eq!(simulation.run(Default::default()), crate::engine::Outcome::Done);
    times.take()
}

#[test]
fn one_agent_has_the_same_latencies_on_a_held_and_on_a_split_bus() {
    let program = |cpu: MemoryBusProcessor, times: Rc<RefCell<Vec<Time>>>| async move {
        // 1 MiB apart, blocks replace each other in the direct-mapped cache, some of them modified.
        for step in 0..200u64 {
            let address = 4096 + (step % 7) * (1 << 20) + (step % 5) * 64;
            if step % 3 == 0 {
                cpu.store(address, 8, step).await;
                cpu.fence().await;
            } else {
                cpu.load(address, 8).await;
            }
            cpu.sync().await;
            times.borrow_mut().push(cpu.sim().now());
        }
    };
    let [held, split] =
        [BusTransactions::Held, BusTransactions::Split].map(|kind| run_program(node_parameters(kind, 1), program));
    assert_eq!(held.len(), 200);
    assert_eq!(held, split);
}

/// Returns the time of a copy of 4 KiB between areas that are not in the processor's cache, on a processor of the
/// 2020s: 3 GHz, vector accesses.
fn copy_time(transactions: BusTransactions, misses: usize, memory_time: Time) -> Time {
    let paper = NodeParameters::PAPER;
    let parameters = NodeParameters {
        processor: MemoryBusProcessorParameters {
            clock: Hertz(3_000_000_000),
            misses,
            run_access: Bytes(32),
            store_buffer_entries: 56,
            ..paper.processor
        },
        cache: CacheParameters { ways: 16, ..paper.cache },
        bus: BusParameters { clock: Hertz(2_000_000_000), width: Bytes(64), transactions, ..paper.bus },
        memory_time,
        ..paper
    };
    let program = |cpu: MemoryBusProcessor, times: Rc<RefCell<Vec<Time>>>| async move {
        let (from, to) = (1 << 16, 1 << 20);
        for (area, write) in [(from, false), (to, true)] {
            cpu.announce_run(area, 4096, write);
        }
        for at in (0..4096).step_by(BLOCK_BYTES) {
            Processor::copy_block(&cpu, from + at, to + at).await;
        }
        cpu.fence().await;
        cpu.sync().await;
        times.borrow_mut().push(cpu.sim().now());
    };
    run_program(parameters, program)[0]
}

#[test]
fn split_bus_and_overlapping_misses_make_a_copy_fast() {
    let dram = Time::from_ns(80);
    let slow_time = copy_time(BusTransactions::Held, 1, dram);
    assert!(slow_time > Time::from_us(8), "each of 128 misses waits for memory: {slow_time}");
    let single_feature_times = [copy_time(BusTransactions::Held, 12, dram), copy_time(BusTransactions::Split, 1, dram)];
    assert!(
        single_feature_times.iter().all(|time| *time > Time::from_us(4)),
        "neither alone overlaps the accesses: {single_feature_times:?}"
    );
    // 128 blocks with 12 outstanding accesses of 80 ns take at least 853 ns (Little's law).
    let fast_time = copy_time(BusTransactions::Split, 12, dram);
    assert!((Time::from_ns(853)..Time::from_ns(1_150)).contains(&fast_time), "{fast_time}");
    let cached_time = copy_time(BusTransactions::Split, 12, Time::from_ns(20));
    assert!((Time::from_ns(213)..Time::from_ns(450)).contains(&cached_time), "from a last-level cache: {cached_time}");
    let mut previous_time = slow_time;
    for misses in [1, 2, 4, 8, 16, 32] {
        let time = copy_time(BusTransactions::Split, misses, dram);
        assert!(time <= previous_time, "{misses} misses take {time}, fewer take {previous_time}");
        previous_time = time;
    }
}
