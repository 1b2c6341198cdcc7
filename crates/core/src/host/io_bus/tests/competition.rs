//! Tests of the competition rules. A DMA transfer competes with a processor that accesses memory continuously, in 100
//! ns for each access. The set-up time is 150 ns, and a byte takes 7.8125 ns.

use super::*;
use crate::engine::LocalFuture;
use crate::host::Direction;
use crate::host::{CoreId, Interrupt, InterruptController, InterruptVector};

/// The bursts of a transfer, each with its start, its end, and the number of the processor's accesses until its end.
struct ObservedTransfer {
    bursts: Vec<(Time, Time)>,
    accesses: u64,
}

impl ObservedTransfer {
    fn burst_intervals_ns(&self) -> Vec<(u64, u64)> {
        self.bursts.iter().map(|(from, to)| (from.ps() / 1_000, to.ps() / 1_000)).collect()
    }
}

fn observe_transfer(
    competition: Competition,
    direction: Direction,
    bytes: u64,
    has_processor_load: bool,
) -> ObservedTransfer {
    let bench = Bench::new(bursts_of(4), competition);
    if has_processor_load {
        let host = bench.host.clone();
        let copy_loop = async move {
            loop {
                host.memory.copy_block().await;
            }
        };
        bench.simulation.sim().spawn_server("processor", copy_loop);
    }
    let bursts = Rc::new(RefCell::new(Vec::new()));
    let recorded_bursts = bursts.clone();
    bench.spawn("DMA", move |sim, host| async move {
        let mut stream = host.bridge.open(direction).await;
        let mut remaining_bytes = Bytes(bytes);
        while !remaining_bytes.is_empty() {
            let burst = stream.burst(remaining_bytes).await;
            remaining_bytes -= burst.bytes;
            let start = burst.service_start;
            sim.delay(burst.time).await;
            drop(burst);
            recorded_bursts.borrow_mut().push((start, sim.now()));
        }
        stream.close();
    });
    bench.finish();
    assert_eq!(bench.host.bridge.bytes_moved(), Bytes(bytes));
    ObservedTransfer { bursts: bursts.take(), accesses: bench.host.memory.processor_accesses() }
}

const ALTERNATE: Competition =
    Competition::Alternate { grain: Bytes(32), read_restart: Time::from_ns(50), write_restart: Time::from_ns(10) };
pub const BUFFERED: Competition = Competition::Buffered {
    memory_rate: Rate::from_bytes_per_s(512_000_000),
    read_restart: Time::ZERO,
    write_restart: Time::ZERO,
};

#[test]
fn without_competition_every_rule_reaches_the_bridges_rate() {
    for (competition, burst) in [(ALTERNATE, 250), (Competition::DmaFirst, 1_000), (BUFFERED, 1_000)] {
        for direction in [Direction::Read, Direction::Write] {
            let observed = observe_transfer(competition, direction, 256, false);
            let bursts = 2_000 / burst;
            let expected: Vec<_> = (0..bursts).map(|n| (150 + n * burst, 150 + (n + 1) * burst)).collect();
            assert_eq!(observed.burst_intervals_ns(), expected, "{competition:?}");
        }
    }
}

#[test]
fn alternation_costs_an_access_and_a_restart_per_grain() {
    // The transfer requests memory at 150 ns and gets it at 200 ns. After that, there is an access of 100 ns between
    // any two grains of 250 ns, and a restart time for each grain but the first.
    let read = observe_transfer(ALTERNATE, Direction::Read, 128, true);
    assert_eq!(read.burst_intervals_ns(), [(200, 450), (550, 850), (950, 1_250), (1_350, 1_650)]);
    let write = observe_transfer(ALTERNATE, Direction::Write, 128, true);
    assert_eq!(write.burst_intervals_ns(), [(200, 450), (550, 810), (910, 1_170), (1_270, 1_530)]);
    assert_eq!(write.accesses, 2 + 3);
}

#[test]
fn dma_first_starves_the_processor() {
    // The transfer gets memory after the first access, and holds it from the set-up to the last byte.
    let observed = observe_transfer(Competition::DmaFirst, Direction::Read, 256, true);
    assert_eq!(observed.burst_intervals_ns(), [(250, 1_250), (1_250, 2_250)]);
    assert_eq!(observed.accesses, 1, "the processor makes no access during the transfer");
}

#[test]
fn buffered_bursts_hold_memory_only_at_memorys_rate() {
    // 128 B hold memory for 250 ns of their 1000 ns; an access delays a burst by at most 100 ns.
    let observed = observe_transfer(BUFFERED, Direction::Read, 256, true);
    assert_eq!(observed.burst_intervals_ns(), [(200, 1_200), (1_250, 2_250)]);
    // Two accesses are before the first burst, and the others from 450 ns to 1250 ns and from 1500 ns to 2250 ns.
    assert_eq!(observed.accesses, 2 + 8 + 8);
}

#[test]
fn a_pause_without_other_accesses_is_not_an_interruption() {
    let bench = Bench::new(bursts_of(4), ALTERNATE);
    bench.spawn("DMA", |sim, host| async move {
        let mut stream = host.bridge.open(Direction::Read).await;
        for restart in [0, 0, 50] {
            let burst = stream.burst(Bytes(32)).await;
            assert_eq!(burst.time, Time::from_ns(restart + 250));
            sim.delay(burst.time).await;
            drop(burst);
            sim.delay(Time::from_ns(1_000)).await;
            if restart == 0 && sim.now() > Time::from_us(2) {
                // A load over the bus interrupts the stream.
                host.pio.read(0, &mut [0; 4]).await;
            }
        }
    });
    bench.finish();
}

#[test]
fn an_interrupt_handler_waits_for_the_program_that_holds_the_processor() {
    let bench = Bench::new(bursts_of(4), Competition::DmaFirst);
    let handled_interrupts = Rc::new(RefCell::new(Vec::new()));
    let recorded_interrupts = handled_interrupts.clone();
    bench.spawn("program", |sim, host| async move {
        let hold = host.cpu.arbiter().resource().acquire().await;
        host.interrupts.raise(InterruptVector::FIRST, 1);
        host.interrupts.raise(InterruptVector::FIRST, 2);
        host.cpu.work(500);
        host.cpu.sync().await;
        drop(hold);
        sim.delay(Time::from_us(1)).await;
    });
    let (sim, host) = (bench.simulation.sim(), bench.host.clone());
    let handler = move |interrupt: Interrupt| -> LocalFuture<'static> {
        let (sim, host, recorded_interrupts) = (sim.clone(), host.clone(), recorded_interrupts.clone());
        Box::pin(async move {
            let hold = host.cpu.arbiter().resource().acquire().await;
            recorded_interrupts.borrow_mut().push((sim.now(), interrupt.causes));
            drop(hold);
        })
    };
    bench.host.interrupts.connect(InterruptVector::FIRST, CoreId::FIRST, Box::new(handler));
    bench.finish();
    assert_eq!(
        *handled_interrupts.borrow(),
        [(Time::from_us(5), 3)],
        "raised twice, handled once, when the program releases the processor"
    );
}
