//! Tests of the processor's cache: the time of each access, and the bytes that loads, stores, DMA and inspections of
//! memory see.
//!
//! A cycle of the processor is 10 ns. An access to 32 B of memory takes 100 ns, so a block of 64 B takes 200 ns. A DMA
//! transfer of a block takes 150 ns to set up and 500 ns to move.

use super::*;
use crate::engine::sim::WaitReasonId;
use crate::host::cache::{CacheParameters, SpinModel};
use crate::host::{
    Address, AnyProcessor, Block, BusDma, DmaInitiator, DmaOperation, DmaPort, DmaRequest, DmaSource, HostMetric,
    Utilization,
};
use proptest::prelude::*;
use std::cell::Cell;

const CYCLE: Time = Time::from_ns(10);
const BLOCK_ACCESS: Time = Time::from_ns(200);

/// Returns the parameters of a cache of `block_count` blocks with hits of `hit_cycles`.
fn cache(block_count: u64, ways: usize, hit_cycles: u64) -> SnoopedCacheParameters {
    let cache = CacheParameters { size: Bytes(64 * block_count), ways, supply_time: Time::from_ns(20) };
    SnoopedCacheParameters { cache, hit_cycles, spin: SpinModel::SkippedPolls }
}

fn bench(cache: impl Into<Option<SnoopedCacheParameters>>) -> Bench {
    Bench::with_cache(bursts_of(4), competition::BUFFERED, CLOCK, cache.into())
}

fn cpu(host: &IoBusHost) -> AnyProcessor {
    AnyProcessor::IoBus(host.cpu.clone())
}

fn metric(host: &IoBusHost, name: &str) -> f64 {
    let metrics = host.cache.as_ref().expect("the host has a cache").metrics();
    metrics.iter().find(|HostMetric { quantity, .. }| *quantity == name).expect("the cache counts it").value
}

/// Returns the time for which the processor works and waits in `work`.
async fn elapsed(cpu: &AnyProcessor, work: impl Future<Output = ()>) -> Time {
    let start = cpu.now();
    work.await;
    cpu.now() - start
}

#[test]
fn a_hit_takes_its_cycles_and_a_miss_the_accesses_to_its_block() {
    let bench = bench(cache(4, 2, 3));
    bench.spawn("program", |_, host| async move {
        let (cpu, base) = (cpu(&host), host.memory.allocate(Bytes(4096)));
        let hit = CYCLE * 3;
        let miss = BLOCK_ACCESS + hit;
        let load = async |offset| elapsed(&cpu, async { _ = cpu.load_word(base + offset, 8).await }).await;
        let store = async |offset, value| elapsed(&cpu, cpu.store_word(base + offset, 8, value)).await;
        assert_eq!(load(0).await, miss);
        assert_eq!(load(8).await, hit, "the word is in the same block");
        assert_eq!(load(56).await, hit);
        assert_eq!(store(16, 77).await, hit);
        assert_eq!(store(64, 1).await, miss, "a store fetches its block");
        assert_eq!(load(72).await, hit);
        // Blocks 0, 2 and 4 share a set of two.
        assert_eq!(load(128).await, miss);
        assert_eq!(host.memory.with(base + 16, Bytes(1), |bytes| bytes[0]), 0, "the store is in the cache alone");
        assert_eq!(load(256).await, BLOCK_ACCESS + miss, "block 0 is written back first");
        assert_eq!(host.memory.with(base + 16, Bytes(1), |bytes| bytes[0]), 77);
        assert_eq!(load(16).await, miss, "block 2 is not modified");
        assert_eq!(cpu.load_word(base + 16, 8).await, 77);
        let counts = ["hits", "misses", "write-backs", "supplied"].map(|name| metric(&host, name));
        assert_eq!(counts, [5.0, 5.0, 1.0, 0.0]);
    });
    bench.finish();
}

#[test]
fn dma_reads_modified_blocks_and_invalidates_written_blocks() {
    let bench = bench(cache(64, 1, 1));
    bench.spawn("program", |_, host| async move {
        let (cpu, base) = (cpu(&host), host.memory.allocate(Bytes(4096)));
        let dma = DmaInitiator::IoBus(host.clone());
        let transfer = Time::from_ns(150 + 500);
        let supply = Time::from_ns(20);
        let read = async |value| {
            cpu.sync().await;
            elapsed(&cpu, async { assert_eq!(dma.read_block(base).await.read(8, 8), value) }).await
        };
        let write = async |value| {
            cpu.sync().await;
            elapsed(&cpu, dma.write_block(base, Block([value; 64]))).await
        };
        cpu.store_word(base + 8, 8, 5).await;
        assert_eq!(read(5).await, transfer + supply, "the cache supplies the block");
        assert_eq!(read(5).await, transfer, "memory has the modified block now");
        assert_eq!(elapsed(&cpu, cpu.store_word(base + 8, 8, 6)).await, CYCLE, "the cache still has the block");
        assert_eq!(write(9).await, transfer + supply);
        let load = elapsed(&cpu, async { assert_eq!(cpu.load_word(base + 8, 1).await, 9) });
        assert_eq!(load.await, BLOCK_ACCESS + CYCLE, "the cache has lost the block");
        assert_eq!(write(10).await, transfer, "the block was not modified");
        assert_eq!(host.peek(base + 8, 1), [10]);
        assert_eq!(metric(&host, "supplied"), 2.0);
    });
    bench.finish();
}

/// Loads and stores 1 KiB word by word from one buffer to another, as a driver does to and from a queue. Returns the
/// times of the first and the second pass.
fn copies_of_a_kibibyte(cache: Option<SnoopedCacheParameters>) -> [Time; 2] {
    let bench = bench(cache);
    let times = Rc::new(Cell::default());
    let recorded_times = times.clone();
    bench.spawn("program", move |_, host| async move {
        let (cpu, [from, to]) = (cpu(&host), [(); 2].map(|()| host.memory.allocate(Bytes(1024))));
        let mut passes = [Time::ZERO; 2];
        for pass in &mut passes {
            let copy = async {
                for word in (0..1024).step_by(8) {
                    let value = cpu.load_word(from + word, 8).await;
                    cpu.store_word(to + word, 8, value).await;
                }
                cpu.sync().await;
            };
            *pass = elapsed(&cpu, copy).await;
        }
        recorded_times.set(passes);
    });
    bench.finish();
    times.get()
}

#[test]
fn a_kibibyte_through_memory_costs_a_miss_for_each_block_and_no_access_for_each_word() {
    // Without a cache, each load and each store fetches a block, because the processor holds a block of the other
    // buffer.
    let without_cache = copies_of_a_kibibyte(None);
    assert_eq!(without_cache, [(Time::from_ns(100) + CYCLE) * 256; 2], "28.16 us");
    // 16 blocks of each buffer miss once.
    let with_cache = copies_of_a_kibibyte(Some(cache(1024, 4, 1)));
    assert_eq!(with_cache, [BLOCK_ACCESS * 32 + CYCLE * 256, CYCLE * 256], "8.96 us, then 2.56 us");
}

/// An access of the processor or of an engine to at most 700 B of memory.
#[derive(Clone, Debug)]
enum Access {
    Load { address: Address, bytes: usize },
    Store { address: Address, bytes: usize, value: u64 },
    Read { address: Address, bytes: u64 },
    Write { address: Address, data: Vec<u8> },
    Copy { from: Address, to: Address },
}

const AREA_BYTES: u64 = 704;

fn access() -> impl Strategy<Value = Access> {
    let word = (0..AREA_BYTES / 8, prop::sample::select(vec![1usize, 2, 4, 8]));
    let word = word.prop_flat_map(|(word, bytes)| (0..8 / bytes as u64, Just(bytes), Just(word))).boxed();
    let position = |(part, bytes, word): (u64, usize, u64)| (word * 8 + part * bytes as u64, bytes);
    let load = word.clone().prop_map(move |at| {
        let (address, bytes) = position(at);
        Access::Load { address, bytes }
    });
    let store = (word, any::<u64>()).prop_map(move |(at, value)| {
        let (address, bytes) = position(at);
        Access::Store { address, bytes, value }
    });
    let read = (0..AREA_BYTES - 200, 1..200u64).prop_map(|(address, bytes)| Access::Read { address, bytes });
    let write = (0..AREA_BYTES - 200, prop::collection::vec(any::<u8>(), 1..200))
        .prop_map(|(address, data)| Access::Write { address, data });
    let copy =
        (0..AREA_BYTES / 64, 0..AREA_BYTES / 64).prop_map(|(from, to)| Access::Copy { from: from * 64, to: to * 64 });
    prop_oneof![4 => load, 4 => store, 2 => read, 2 => write, 1 => copy]
}

/// Moves data between memory and an engine. Returns the bytes that were read.
async fn transfer(port: &BusDma, address: Address, operation: DmaOperation) -> Vec<u8> {
    let Ok(mut transfer) = port.submit(DmaRequest { address, operation }) else { panic!("no tag is free") };
    let (mut read_bytes, mut beat) = (Vec::new(), Vec::new());
    while transfer.next_beat(&mut beat).await.is_some() {
        read_bytes.append(&mut beat);
        transfer.beat_passed().await;
    }
    transfer.done().await;
    read_bytes
}

/// Makes the accesses one after another, and compares all bytes that are read with a model of memory, a plain array.
fn assert_coherent(accesses: &[Access], cache: Option<SnoopedCacheParameters>) {
    let (bench, accesses) = (bench(cache), accesses.to_vec());
    bench.spawn("program", move |_, host| async move {
        let (cpu, base) = (cpu(&host), host.memory.allocate(Bytes(AREA_BYTES)));
        let port = BusDma::new(DmaInitiator::IoBus(host.clone()), 1);
        let mut model = vec![0u8; AREA_BYTES as usize];
        for access in accesses {
            match access.clone() {
                Access::Load { address, bytes } => {
                    let value = cpu.load_word(base + address, bytes).await;
                    assert_eq!(value.to_le_bytes()[..bytes], model[address as usize..][..bytes], "{access:?}");
                }
                Access::Store { address, bytes, value } => {
                    cpu.store_word(base + address, bytes, value).await;
                    model[address as usize..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                }
                Access::Read { address, bytes } => {
                    let read = transfer(&port, base + address, DmaOperation::Read(Bytes(bytes))).await;
                    assert_eq!(read, model[address as usize..][..bytes as usize], "{access:?}");
                }
                Access::Write { address, data } => {
                    model[address as usize..][..data.len()].copy_from_slice(&data);
                    transfer(&port, base + address, DmaOperation::Write(DmaSource::from(data))).await;
                }
                Access::Copy { from, to } if host.cache.is_some() => {
                    assert_eq!(cpu.copy_block(base + from, base + to).await, 64);
                    model.copy_within(from as usize..from as usize + 64, to as usize);
                }
                // Without a cache, only the time of a copy is simulated.
                Access::Copy { .. } => {}
            }
            assert_eq!(host.peek(base, AREA_BYTES as usize), model, "{access:?}");
        }
    });
    bench.finish();
}

proptest! {
    #[test]
    fn every_access_reads_the_bytes_that_were_written_last(
        accesses in prop::collection::vec(access(), 1..60),
        (sets, ways) in (0..3u32, 0..3u32),
    ) {
        assert_coherent(&accesses, None);
        assert_coherent(&accesses, Some(cache(1 << (sets + ways), 1 << ways, 1)));
    }
}

/// Checks that the processor and an engine, which write alternate words of the same blocks, lose none of their writes.
#[test]
fn stores_and_dma_to_parts_of_a_block_lose_nothing() {
    const WORDS: u64 = 32;
    const ROUNDS: u64 = 600;
    for blocks in [1, 2, 8] {
        let bench = bench(cache(blocks, 1, 1));
        let base = bench.host.memory.allocate(Bytes(WORDS * 16));
        let position = move |round: u64| base + round * 7 % WORDS * 16;
        bench.spawn("program", move |_, host| async move {
            let cpu = cpu(&host);
            for round in 1..=ROUNDS {
                let at = position(round);
                let engine_word = cpu.load_word(at + 8, 8).await;
                cpu.store_word(at, 8, round).await;
                assert_eq!(cpu.load_word(at, 8).await, round);
                cpu.work(round % 37);
                cpu.sync().await;
                assert!(cpu.load_word(at + 8, 8).await >= engine_word, "the engine's words only grow");
                assert_eq!(cpu.load_word(at, 8).await, round);
            }
        });
        bench.spawn("engine", move |_, host| async move {
            let port = BusDma::new(DmaInitiator::IoBus(host.clone()), 1);
            for round in 1..=ROUNDS {
                let at = position(round * 3) + 8;
                transfer(&port, at, DmaOperation::Write(round.to_le_bytes().to_vec().into())).await;
                assert_eq!(transfer(&port, at, DmaOperation::Read(Bytes(8))).await, round.to_le_bytes());
            }
        });
        bench.finish();
        for (offset, round_factor) in [(0, 1), (8, 3)] {
            for word in 0..WORDS {
                let last = (1..=ROUNDS).rev().find(|round| position(round * round_factor) == base + word * 16);
                let seen_bytes = bench.host.peek(base + word * 16 + offset, 8);
                assert_eq!(seen_bytes, last.unwrap_or(0).to_le_bytes(), "{blocks} blocks, word {word} + {offset}");
            }
        }
    }
}

/// Polls a cached word that an engine begins to write at `write_start`. Returns the time at which the processor sees
/// the new value, the number of hits, and the utilization of the processor.
fn poll_until_written(spin: SpinModel, round_cycles: u64, write_start: Time) -> (Time, f64, Utilization) {
    let bench = bench(SnoopedCacheParameters { spin, ..cache(4, 1, 3) });
    let word = bench.host.memory.allocate(Bytes(64));
    let seen_at = Rc::new(Cell::default());
    let recorded_time = seen_at.clone();
    let reason: WaitReasonId = bench.simulation.sim().register_wait_reason("the word");
    bench.spawn("program", move |sim, host| async move {
        let cpu = cpu(&host);
        loop {
            let lease = cpu.acquire("poll").await;
            if cpu.load_word(word, 8).await != 0 {
                cpu.sync().await;
                break;
            }
            drop(lease);
            let processor = cpu.coherent().expect("the processor's cache snoops");
            processor.spin(word, round_cycles, reason, &|| Time::MAX).await;
        }
        recorded_time.set(sim.now());
    });
    bench.spawn("engine", move |sim, host| async move {
        sim.until(write_start).await;
        DmaInitiator::IoBus(host).write_block(word, Block([1; 64])).await;
    });
    bench.finish();
    (seen_at.get(), metric(&bench.host, "hits"), bench.host.cpu.arbiter().utilization())
}

#[test]
fn skipped_polls_take_the_same_time_as_simulated_polls() {
    for round_cycles in [1, 7, 50] {
        for ns in [1_000, 3_000, 3_001, 3_017, 3_350, 10_000, 123_457] {
            let write_start = Time::from_ns(ns);
            let skipped = poll_until_written(SpinModel::SkippedPolls, round_cycles, write_start);
            assert_eq!(
                skipped,
                poll_until_written(SpinModel::EveryPoll, round_cycles, write_start),
                "{round_cycles} cycles, {ns} ns"
            );
            let visible_at = write_start + Time::from_ns(650);
            let latest = visible_at + CYCLE * (round_cycles + 3) + BLOCK_ACCESS + CYCLE * 3;
            assert!(
                (visible_at..=latest).contains(&skipped.0),
                "{:?} is not within a round of {visible_at:?}",
                skipped.0
            );
        }
    }
}

#[test]
fn a_poll_that_hits_costs_no_access_to_memory() {
    let (_, hits, _) = poll_until_written(SpinModel::SkippedPolls, 7, Time::from_us(1_000));
    // There is one miss at the beginning and one at the end; a round takes 100 ns.
    assert!((10_000.0..10_010.0).contains(&hits), "{hits} hits");
}
