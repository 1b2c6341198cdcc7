//! Tests of the I/O bus with cycle precision, and of the competition between DMA and the processor in each bridge.
//!
//! | file | tests |
//! |---|---|
//! | `pio.rs` | the cycles in which loads and stores arrive |
//! | `cache.rs` | the time and the value of accesses with a cache |
//! | `competition.rs` | the competition rules of bridges |
//! | `priorities.rs` | execution priorities of the processor |

mod cache;
mod competition;
mod pio;
mod priorities;

use super::*;
use crate::engine::{Bytes, Hertz, Limits, Outcome, Rate, Recorder, Simulation, Time};
use crate::host::{Device, Processor};
use std::cell::RefCell;

const CLOCK: Hertz = Hertz(33_000_000);

/// A device that records the times at which the bytes of stores arrive.
struct Registers {
    sim: Sim,
    stores: RefCell<Vec<(Time, u64, Vec<u8>)>>,
}

impl Device for Registers {
    fn write(&self, offset: u64, bytes: &[u8]) {
        self.stores.borrow_mut().push((self.sim.now(), offset, bytes.to_vec()));
    }

    fn read(&self, offset: u64, into: &mut [u8]) {
        into.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = at as u8);
    }
}

/// A host with one device, in a simulation.
struct Bench {
    simulation: Simulation,
    host: Rc<IoBusHost>,
    device: Rc<Registers>,
}

impl Bench {
    fn new(pio: PioParameters, competition: Competition) -> Bench {
        Bench::with_clock(pio, competition, CLOCK)
    }

    /// Creates a bench whose bus has this clock.
    fn with_clock(pio: PioParameters, competition: Competition, clock: Hertz) -> Bench {
        Bench::with_cache(pio, competition, clock, None)
    }

    /// Creates a bench whose processor may have a cache.
    fn with_cache(
        pio: PioParameters,
        competition: Competition,
        clock: Hertz,
        cache: Option<SnoopedCacheParameters>,
    ) -> Bench {
        let simulation = Simulation::new(Recorder::off());
        let sim = simulation.sim();
        let device = Rc::new(Registers { sim: sim.clone(), stores: RefCell::default() });
        let rate = Rate::from_bytes_per_s(128_000_000);
        let parameters = IoBusParameters {
            processor: IoBusProcessorParameters { clock: Hertz(100_000_000), interrupt_latency: Time::from_us(1) },
            memory: MemoryParameters {
                block: Bytes(32),
                access: Time::from_ns(100),
                copy: Time::ZERO,
                size: Bytes(1 << 20),
            },
            cache,
            pci: PciParameters { clock, width: Bytes(4) },
            bridge: BridgeParameters {
                read_setup: Time::from_ns(150),
                read_rate: rate,
                write_setup: Time::from_ns(150),
                write_rate: rate,
                burst: Bytes(128),
                competition,
            },
            pio,
        };
        let host = IoBusHost::new(&sim, "host", &parameters);
        assert_eq!(host.attach(device.clone(), 1 << 16).at(0), 0, "the first device is at the beginning");
        Bench { simulation, host, device }
    }

    /// Starts the task `name` on the host. The run ends when all tasks that were started by this method have ended.
    fn spawn<F: Future<Output = ()> + 'static>(&self, name: &'static str, work: impl FnOnce(Sim, Rc<IoBusHost>) -> F) {
        self.simulation.sim().spawn(name, work(self.simulation.sim(), self.host.clone()));
    }

    /// Runs the simulation, and returns the time of its end.
    fn finish(&self) -> Time {
        assert_eq!(self.simulation.run(Limits::default()), Outcome::Done);
        self.simulation.sim().now()
    }

    /// Returns the number of words that have arrived at the end of cycle `cycle` of the bus.
    fn words_stored_by(&self, cycle: u64) -> usize {
        self.device.stores.borrow().iter().filter(|(at, ..)| *at <= CLOCK.end_of_cycle(cycle)).count()
    }
}

/// Returns the parameters of a bridge that combines `burst` bytes, with the overheads that follow from
/// Yocum et al. (1997), §2.3.
fn bursts_of(burst: u64) -> PioParameters {
    PioParameters {
        write_overhead: BusOverhead::Cycles(3),
        read_overhead: BusOverhead::Cycles(15),
        write_burst: Bytes(burst),
        read_burst: Bytes(burst),
        posted_writes: 16,
    }
}

#[test]
fn exhausted_memory_ends_the_run_and_is_named_in_the_report() {
    let bench = Bench::new(bursts_of(4), competition::BUFFERED);
    bench.spawn("greedy", |sim, host| async move {
        loop {
            let (address, now) = (host.memory.allocate(Bytes(300_000)), sim.now());
            host.memory.write(address, &[1; 300_000]);
            sim.until(now + Time::from_us(1)).await;
        }
    });
    let outcome = bench.simulation.run(Limits::default());
    let Outcome::Deadlock(deadlock) = &outcome else { panic!("{outcome:?}") };
    let expected = "greedy waits for 300000 B of the main memory of host, whose 1 MiB are all in use";
    assert!(deadlock.to_string().ends_with(expected), "{deadlock}");
    assert_eq!(bench.simulation.sim().now(), Time::from_us(3), "the fourth buffer does not fit");
}
