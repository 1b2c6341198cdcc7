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

/// Makes a processor poll a status register that is set at `set_at`, at most until `deadline`. The register is on the
/// bus or in the processor. If `skips_polls` is true, polls are skipped.
fn run_polls(over_bus: bool, skips_polls: bool, round_cycles: u64, set_at: Time, deadline: Time) -> PollTotals {
    let simulation = simulation();
    let sim = simulation.sim();
    let node = Rc::new(MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER));
    let (status, event) = (Rc::new(Status::default()), Rc::new(Signal::new(&sim, "the status")));
    let window = node.attach_device(status.clone(), crate::host::DeviceWindow::uncached(8));
    assert!(window.0 >= INTERFACE_BASE);
    let (set_status, set_signal, setter_sim) = (status.clone(), event.clone(), sim.clone());
    sim.spawn("setter", async move {
        setter_sim.until(set_at).await;
        set_status.0.set(true);
        set_signal.notify();
    });
    let (processor, observed_times) = (node.cores[0].clone(), Rc::new(Cell::default()));
    let (recorded_times, cpu) = (observed_times.clone(), AnyProcessor::MemoryBus(processor.clone()));
    sim.spawn("poller", async move {
        let mut has_seen_event = false;
        let round_start = loop {
            let round_start = cpu.now();
            let lease = cpu.acquire("poll").await;
            let event_time = || status.0.get().then_some(Time::ZERO);
            let bus_location = over_bus.then_some((window.at(0), 4));
            let register = PolledRegister {
                bus_location,
                access_cycles: ACCESS_CYCLES,
                round_cycles,
                event: &event,
                event_time: &event_time,
            };
            if has_seen_event {
                processor.resume_read(over_bus);
            } else if over_bus {
                has_seen_event = processor.read_uncached(window.at(0), 4).await > 0;
            } else {
                processor.work(ACCESS_CYCLES);
                cpu.sync().await;
                has_seen_event = status.0.get();
            }
            drop(lease);
            if has_seen_event {
                break round_start;
            }
            match skips_polls {
                true => has_seen_event = processor.skip_polls(&register, &|| deadline).await,
                false => processor.work(round_cycles),
            }
            if !has_seen_event && cpu.now() >= deadline {
                break cpu.now();
            }
        };
        let now = cpu.now();
        cpu.sync().await;
        recorded_times.set((round_start, now));
    });
    assert_eq!(simulation.run(Default::default()), Outcome::Done);
    let (round_start, now) = observed_times.get();
    let cpu = &node.cores[0];
    let (node_parts, core) = (node.utilization(), cpu.arbiter().utilization());
    (round_start, now, cpu.stalls(), node_parts, core, node.bus.counts(), sim.events())
}

proptest! {
    #[test]
    fn skipped_polls_are_counted_as_simulated_polls(
        round_cycles in 0..40u64,
        set_at in 0..5_000u64,
        deadline in 0..5_000u64,
        over_bus in any::<bool>(),
    ) {
        let [set_at, deadline] = [set_at, deadline].map(Time::from_ns);
        let [skipped, simulated] =
            [true, false].map(|skips| run_polls(over_bus, skips, round_cycles, set_at, deadline));
        let totals = |run: &PollTotals| format!("{:?}", (run.0, run.1, &run.2, &run.3, &run.4, run.5));
        prop_assert_eq!(totals(&skipped), totals(&simulated));
        prop_assert!(skipped.6 <= simulated.6 + 2, "{} events for {}", skipped.6, simulated.6);
    }
}
