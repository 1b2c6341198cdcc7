//! Compares transactions that end within the event in which they begin with a reference run, in which every wait is an
//! event and no access passes without a future.

use super::*;
use crate::engine::rng;
use crate::host::device::{Device, DeviceWindow};
use crate::host::processor::{Processor, Stalls};
use rand::RngExt;
use std::cell::RefCell;

const BLOCKS: u64 = 6;

/// The observable outcome of a run: the transactions by kind; the times for which the bus was held, moved data and kept
/// memories busy; the stalls and the last local time of each processor; the values that were read; the end of the run
/// and the number of its events.
#[derive(PartialEq, Debug)]
struct Observation {
    counts: Vec<u64>,
    times: Vec<Time>,
    stalls: Vec<(Stalls, Time)>,
    values: Vec<(Time, u64)>,
    end: (Time, u64),
}

fn observe(
    simulation: &Simulation,
    bus: &Bus,
    processors: &[MemoryBusProcessor],
    values: &RefCell<Vec<(Time, u64)>>,
) -> Observation {
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
    let times = [&[bus.held_total(), bus.moved_total()][..], &bus.access_times()].concat();
    let stalls = processors.iter().map(|processor| (Processor::stalls(processor), processor.time())).collect();
    let sim = simulation.sim();
    Observation { counts: bus.counts().to_vec(), times, stalls, values: values.take(), end: (sim.now(), sim.events()) }
}

async fn random_accesses(processor: MemoryBusProcessor, seed: u64, values: Rc<RefCell<Vec<(Time, u64)>>>) {
    let mut random = rng::stream(seed, "accesses");
    for step in 0..400 {
        let address = 4096 + 8 * random.random_range(0..8 * BLOCKS);
        processor.work(random.random_range(0..600));
        match random.random_range(0..3) {
            0 => processor.store(address, 8, seed << 32 | step).await,
            _ => {
                let value = processor.load(address, 8).await;
                values.borrow_mut().push((processor.time(), value));
            }
        }
    }
    processor.fence().await;
}

fn coherent_traffic(transactions: BusTransactions, processors: u64, queues_every_delay: bool) -> Observation {
    let simulation = simulation();
    let (sim, bus) = (simulation.sim(), bus_with(&simulation, transactions));
    sim.set_queues_every_delay(queues_every_delay);
    let values = Rc::new(RefCell::new(Vec::new()));
    let parameters = MemoryBusProcessorParameters { store_buffer_entries: 3, ..NodeParameters::PAPER.processor };
    let start = |number: u64| {
        let name = format!("processor {number}");
        let cache = CacheAgent::new(&sim, &name, &bus, &cache_of(4, 1));
        let processor = MemoryBusProcessor::new(&sim, &name, &bus, cache, parameters);
        sim.spawn(name, random_accesses(processor.clone(), number, values.clone()));
        processor
    };
    let processors: Vec<_> = (0..processors).map(start).collect();
    observe(&simulation, &bus, &processors, &values)
}

#[test]
fn transactions_within_an_event_equal_queued_ones() {
    for transactions in [BusTransactions::Held, BusTransactions::Split] {
        for processors in 1..=3 {
            let [observed, reference] =
                [false, true].map(|queues_every_delay| coherent_traffic(transactions, processors, queues_every_delay));
            assert_eq!(observed, reference, "{processors} processors, {transactions:?}");
        }
    }
}

/// A device that adds what is written to a sum, and records the local time of the processor that accesses it.
struct Adder {
    processor: MemoryBusProcessor,
    sum: RefCell<u64>,
    accesses: Rc<RefCell<Vec<(Time, u64)>>>,
}

impl Device for Adder {
    fn time(&self, at: u64) -> Time {
        Time::from_ns(at)
    }

    fn read(&self, at: u64, into: &mut [u8]) {
        self.accesses.borrow_mut().push((self.processor.time(), at));
        into.copy_from_slice(&self.sum.borrow().to_le_bytes()[..into.len()]);
    }

    fn write(&self, at: u64, bytes: &[u8]) {
        self.accesses.borrow_mut().push((self.processor.time(), at));
        *self.sum.borrow_mut() += crate::host::block::read_bytes(bytes) + at;
    }
}

async fn register_accesses(processor: MemoryBusProcessor, window: Address, values: Rc<RefCell<Vec<(Time, u64)>>>) {
    let mut random = rng::stream(1, "registers");
    for step in 0..400 {
        let (at, bytes) = (window + 8 * random.random_range(0..4), [1, 2, 4, 8][random.random_range(0..4)]);
        processor.work(random.random_range(0..40));
        match random.random_range(0..5) {
            0 => processor.store(4096 + 64 * random.random_range(0..BLOCKS), 8, step).await,
            1 | 2 => {
                if !Processor::try_write(&processor, at, bytes, step) {
                    Processor::write(&processor, at, bytes, step).await;
                }
            }
            _ => {
                let value = match Processor::try_read(&processor, at, bytes) {
                    Some(value) => value,
                    None => Processor::read(&processor, at, bytes).await,
                };
                values.borrow_mut().push((processor.time(), value));
            }
        }
    }
    Processor::fence(&processor).await;
}

fn register_traffic(transactions: BusTransactions, queues_every_delay: bool) -> Observation {
    let simulation = simulation();
    let sim = simulation.sim();
    sim.set_queues_every_delay(queues_every_delay);
    let bus = BusParameters { transactions, ..NodeParameters::PAPER.bus };
    let node = MemoryBusNode::new(&sim, "node", &NodeParameters { bus, ..NodeParameters::PAPER });
    let (processor, values) = (node.cores[0].clone(), Rc::new(RefCell::new(Vec::new())));
    let adder = Adder { processor: processor.clone(), sum: RefCell::default(), accesses: values.clone() };
    let window = node.attach_device(Rc::new(adder), DeviceWindow::uncached(32));
    sim.spawn("program", register_accesses(processor.clone(), window.at(0), values.clone()));
    // Another task acts between some of the accesses.
    let other_sim = sim.clone();
    sim.spawn("other", async move {
        for _ in 0..100 {
            other_sim.delay(Time::from_ns(333)).await;
        }
    });
    observe(&simulation, &node.bus, &[processor], &values)
}

#[test]
fn register_accesses_without_a_future_equal_queued_ones() {
    for transactions in [BusTransactions::Held, BusTransactions::Split] {
        let [observed, reference] = [false, true].map(|queues| register_traffic(transactions, queues));
        assert!(observed.counts.iter().sum::<u64>() > 300, "{observed:?}");
        assert_eq!(observed, reference, "{transactions:?}");
    }
}
