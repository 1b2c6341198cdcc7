//! Tests of programmed I/O: the cycle in which each word arrives, and the waits of the processor.

use super::*;
use crate::engine::LocalFuture;
use crate::host::{AsyncDevice, ImmediateDevice, Window};
use std::cell::Cell;

/// Checks the paper's 96 and 47 MB/s: "CIA can burst consecutive PIO writes [...] for a bandwidth of 96 MB/s" and "PIO
/// reads in 32-byte bursts to deliver [...] 47 MB/s" (Yocum et al. 1997, §2.3).
#[test]
fn bursts_reach_the_bandwidths_of_the_paper() {
    let bench = Bench::new(bursts_of(32), Competition::DmaFirst);
    bench.spawn("stores", |_, host| async move {
        host.pio.write(0, &[7; 8_192]).await;
        host.pio.wait_until_drained().await;
    });
    let rate = 8_192.0 / bench.finish().as_us();
    assert!((rate - 96.0).abs() < 0.01, "{rate} MB/s");

    let bench = Bench::new(bursts_of(32), Competition::DmaFirst);
    bench.spawn("loads", |_, host| async move { host.pio.read(0, &mut [0; 8_192]).await });
    let rate = 8_192.0 / bench.finish().as_us();
    assert!((rate / 47.0 - 1.0).abs() < 0.03, "{rate} MB/s");
}

#[test]
fn a_burst_takes_its_overhead_and_one_cycle_per_word() {
    let bench = Bench::new(bursts_of(32), Competition::DmaFirst);
    bench.spawn("stores", |_, host| async move {
        host.pio.write(64, &[7; 96]).await;
        host.pio.wait_until_drained().await;
    });
    bench.finish();
    for burst in 1..=3 {
        assert_eq!(bench.words_stored_by(11 * burst - 1), 8 * (burst as usize - 1), "the burst arrives no earlier");
        assert_eq!(bench.words_stored_by(11 * burst), 8 * burst as usize);
    }
    let offsets: Vec<u64> = bench.device.stores.borrow().iter().map(|&(_, offset, _)| offset).collect();
    assert_eq!(offsets, (64..160).step_by(4).collect::<Vec<_>>());
}

/// Returns the time to store 8 bytes, or to load them if `is_load` is true, on a bus of this clock.
fn access_time(overhead: BusOverhead, clock: Hertz, is_load: bool) -> Time {
    let pio = PioParameters { write_overhead: overhead, read_overhead: overhead, ..bursts_of(4) };
    let bench = Bench::with_clock(pio, Competition::DmaFirst, clock);
    bench.spawn("accesses", move |_, host| async move {
        match is_load {
            true => host.pio.read(0, &mut [0; 8]).await,
            false => {
                host.pio.write(0, &[7; 8]).await;
                host.pio.wait_until_drained().await;
            }
        }
    });
    bench.finish()
}

#[test]
fn an_overhead_in_time_does_not_depend_on_the_clock() {
    for is_load in [false, true] {
        for clock in [Hertz(50_000_000), Hertz(100_000_000)] {
            // There are two words, each with its overhead and a cycle for its data.
            let overhead = BusOverhead::Time(Time::from_ns(130));
            assert_eq!(access_time(overhead, clock, is_load), Time::from_ns(260) + clock.cycles(1) + clock.cycles(1));
            assert_eq!(access_time(BusOverhead::Cycles(5), clock, is_load), clock.cycles(12));
        }
    }
}

#[test]
fn without_combining_every_word_is_a_transaction() {
    let bench = Bench::new(bursts_of(4), Competition::DmaFirst);
    bench.spawn("stores", |_, host| async move {
        host.pio.write(0, &[7; 20]).await;
        host.pio.wait_until_drained().await;
    });
    bench.finish();
    for word in 1..=5 {
        assert_eq!(bench.words_stored_by(4 * word - 1), word as usize - 1, "the word arrives no earlier");
        assert_eq!(bench.words_stored_by(4 * word), word as usize);
    }
}

#[test]
fn stores_to_other_addresses_are_not_combined() {
    let bench = Bench::new(bursts_of(32), Competition::DmaFirst);
    bench.spawn("stores", |_, host| async move {
        host.pio.write(0, &[1; 8]).await;
        host.pio.write(100, &[2; 8]).await;
        host.pio.wait_until_drained().await;
    });
    bench.finish();
    assert_eq!([4, 5, 9, 10].map(|cycle| bench.words_stored_by(cycle)), [0, 2, 2, 4]);
}

#[test]
fn stores_are_posted_until_the_buffer_is_full_and_loads_wait_for_them() {
    let bench = Bench::new(PioParameters { posted_writes: 4, ..bursts_of(4) }, Competition::DmaFirst);
    let [posted_at, fifth_posted_at, loaded_at] = [const { Cell::new(Time::ZERO) }; 3].map(Rc::new);
    let recorded = [&posted_at, &fifth_posted_at, &loaded_at].map(Rc::clone);
    bench.spawn("program", |sim, host| async move {
        host.pio.write(0, &[1; 16]).await;
        recorded[0].set(sim.now());
        host.pio.write(16, &[1; 4]).await;
        recorded[1].set(sim.now());
        let mut word = [0; 4];
        host.pio.read(200, &mut word).await;
        recorded[2].set(sim.now());
        assert_eq!(word, [200, 201, 202, 203]);
    });
    bench.finish();
    assert_eq!(posted_at.get(), Time::ZERO, "four stores cost the processor nothing");
    assert_eq!(fifth_posted_at.get(), CLOCK.cycles(4), "the fifth waits for the first to leave");
    // Each transaction is rounded down to whole picoseconds, and their times are added.
    let drain_end = CLOCK.cycles(4) * 5;
    assert_eq!(loaded_at.get(), drain_end + CLOCK.cycles(16), "a load drains the stores, then crosses the bus");
}

/// Registers behind a link, which respond after 400 ns.
struct FarRegisters(Sim, Rc<Registers>);

impl AsyncDevice for FarRegisters {
    fn read<'a>(&'a self, at: u64, into: &'a mut [u8]) -> LocalFuture<'a> {
        Box::pin(async move {
            self.0.delay(Time::from_ns(400)).await;
            self.1.read(at, into);
        })
    }

    fn write<'a>(&'a self, at: u64, bytes: &'a [u8]) -> LocalFuture<'a> {
        Box::pin(async move {
            self.0.delay(Time::from_ns(400)).await;
            self.1.write(at, bytes);
        })
    }
}

/// Writes two words and reads one. Returns the times at which the writes were posted and the read was complete.
fn write_and_read(attach_device: impl FnOnce(&Bench) -> Window) -> [Time; 2] {
    let bench = Bench::new(bursts_of(4), Competition::DmaFirst);
    let (window, times) = (attach_device(&bench), Rc::new(Cell::new([Time::ZERO; 2])));
    let recorded = times.clone();
    bench.spawn("program", |sim, host| async move {
        host.pio.write(window.at(8), &[1; 8]).await;
        let posted = sim.now();
        let mut word = [0; 4];
        host.pio.read(window.at(8), &mut word).await;
        assert_eq!(word, [8, 9, 10, 11]);
        recorded.set([posted, sim.now()]);
    });
    bench.finish();
    assert_eq!(bench.device.stores.borrow().len(), 2);
    times.get()
}

#[test]
fn a_device_that_takes_time_holds_the_bus_for_it() {
    let near_times = write_and_read(|bench| bench.host.attach(bench.device.clone(), 64));
    let adapter_times =
        write_and_read(|bench| bench.host.attach_async(Rc::new(ImmediateDevice(bench.device.clone())), 64));
    assert_eq!(near_times, adapter_times, "the adapter of a device that responds at once takes no time");
    let far_times = write_and_read(|bench| {
        bench.host.attach_async(Rc::new(FarRegisters(bench.simulation.sim(), bench.device.clone())), 64)
    });
    assert_eq!(far_times[0], near_times[0], "writes are posted");
    assert_eq!(far_times[1], near_times[1] + Time::from_ns(1200), "two writes and a read take 400 ns more each");
}
