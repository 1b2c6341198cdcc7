//! Tests that skipped polls are counted as polls that are simulated one by one.

use super::*;
use crate::engine::Signal;
use crate::host::PolledRegister;
use crate::host::memory_bus::node::{INTERFACE_BASE, MemoryBusNode};
use crate::host::{AnyProcessor, Device, Processor, Stalls, Utilization};
use proptest::prelude::*;
use std::cell::Cell;

/// A status register that is set once.
#[derive(Default)]
struct Status(Cell<bool>);

impl Device for Status {
    fn time(&self, _: u64) -> Time {
        Time::from_ns(60)
    }
    fn read(&self, _: u64, into: &mut [u8]) {
        into.fill(self.0.get().into());
    }
    fn write(&self, _: u64, _: &[u8]) {}
}

/// The observed values of a run: the start and the end of the last round, the statistics, and the number of events.
type PollTotals = (Time, Time, Stalls, Vec<Utilization>, Utilization, [u64; TransactionKind::ALL.len()], u64);

/// Cycles of an access to a register of the processor.
const ACCESS_CYCLES: u64 = 1;

/// Lets a processor poll a status register that is set at `shown`, at most until `until`. The register is on the bus,
/// or in the processor. With `passes`, polls are skipped.
fn polled(over_bus: bool, passes: bool, round_cycles: u64, shown: Time, until: Time) -> PollTotals {
    let simulation = simulation();
    let sim = simulation.sim();
    let node = Rc::new(MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER));
    let (status, event) = (Rc::new(Status::default()), Rc::new(Signal::new(&sim, "the status")));
    let window = node.attach_device(status.clone(), crate::host::DeviceWindow::uncached(8));
    assert!(window.0 >= INTERFACE_BASE);
    let (set, signal, later) = (status.clone(), event.clone(), sim.clone());
    sim.spawn("setter", async move {
        later.until(shown).await;
        set.0.set(true);
        signal.notify();
    });
    let (processor, ended) = (node.cores[0].clone(), Rc::new(Cell::default()));
    let (end, cpu) = (ended.clone(), AnyProcessor::MemoryBus(processor.clone()));
    sim.spawn("poller", async move {
        let mut sees = false;
        let begun = loop {
            let begun = cpu.now();
            let lease = cpu.acquire("poll").await;
            let shows = || status.0.get().then_some(Time::ZERO);
            let bus_location = over_bus.then_some((window.at(0), 4));
            let register = PolledRegister {
                bus_location,
                access_cycles: ACCESS_CYCLES,
                round_cycles,
                event: &event,
                shows: &shows,
            };
            if sees {
                processor.resume_read(over_bus);
            } else if over_bus {
                sees = processor.read_uncached(window.at(0), 4).await > 0;
            } else {
                processor.work(ACCESS_CYCLES);
                cpu.sync().await;
                sees = status.0.get();
            }
            drop(lease);
            if sees {
                break begun;
            }
            match passes {
                true => sees = processor.pass_polls(&register, &|| until).await,
                false => processor.work(round_cycles),
            }
            if !sees && cpu.now() >= until {
                break cpu.now();
            }
        };
        let now = cpu.now();
        cpu.sync().await;
        end.set((begun, now));
    });
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
    let (begun, now) = ended.get();
    let cpu = &node.cores[0];
    let (parts, own) = (node.utilization(), cpu.arbiter().utilization());
    (begun, now, cpu.stalls(), parts, own, node.bus.counts(), sim.events())
}

proptest! {
    #[test]
    fn skipped_polls_are_counted_as_simulated_ones(
        round_cycles in 0..40u64,
        shown in 0..5_000u64,
        until in 0..5_000u64,
        over_bus in any::<bool>(),
    ) {
        let [shown, until] = [shown, until].map(Time::from_ns);
        let [passed, each] = [true, false].map(|passes| polled(over_bus, passes, round_cycles, shown, until));
        let totals =
            |counted: &PollTotals| format!("{:?}", (counted.0, counted.1, &counted.2, &counted.3, &counted.4, counted.5));
        prop_assert_eq!(totals(&passed), totals(&each));
        prop_assert!(passed.6 <= each.6 + 2, "{} events for {}", passed.6, each.6);
    }
}
