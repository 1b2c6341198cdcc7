//! Tests of execution priorities: handlers preempt programs, and preempted code resumes.

use super::*;
use crate::host::{AnyProcessor, ExecPriority, Processor};

/// Runs `program`, and a handler that requests the processor at `request_time` and works for `cycles` cycles of 10 ns.
/// Returns the times at which the program and the handler end.
fn run_with_handler(
    request_time: Time,
    cycles: u64,
    program: impl AsyncFnOnce(&AnyProcessor) + 'static,
) -> (Time, Time) {
    let bench = Bench::new(bursts_of(4), Competition::DmaFirst);
    let end_times = Rc::new(RefCell::new((Time::ZERO, Time::ZERO)));
    let cpu = AnyProcessor::IoBus(bench.host.cpu.clone());
    let bottom_half = cpu.at(ExecPriority::BottomHalf);
    let (program_ends, handler_ends) = (end_times.clone(), end_times.clone());
    bench.spawn("program", |sim, _| async move {
        let lease = cpu.acquire("program").await;
        program(&cpu).await;
        cpu.sync().await;
        drop(lease);
        program_ends.borrow_mut().0 = sim.now();
    });
    bench.spawn("handler", move |sim, _| async move {
        sim.until(request_time).await;
        let lease = bottom_half.acquire("handle").await;
        bottom_half.work(cycles);
        bottom_half.sync().await;
        drop(lease);
        handler_ends.borrow_mut().1 = sim.now();
    });
    bench.finish();
    end_times.take()
}

#[test]
fn a_handler_preempts_a_programs_work() {
    let (program, handler) = run_with_handler(Time::from_us(3), 500, async |cpu| cpu.work(1_000));
    assert_eq!(handler, Time::from_us(8), "the handler starts at once");
    assert_eq!(program, Time::from_us(15), "no cycle is lost or repeated");
}

#[test]
fn an_access_is_not_preempted() {
    // Each block takes 200 ns of memory; the third has begun when the handler requests the processor.
    let copies = async |cpu: &AnyProcessor| {
        for _ in 0..10 {
            cpu.copy_block(0, 0).await;
        }
    };
    let (program, handler) = run_with_handler(Time::from_ns(450), 100, copies);
    assert_eq!(handler, Time::from_ns(1_600));
    assert_eq!(program, Time::from_ns(3_000));
}

#[test]
fn a_handler_with_work_starves_the_program() {
    let bench = Bench::new(bursts_of(4), Competition::DmaFirst);
    let cpu = AnyProcessor::IoBus(bench.host.cpu.clone());
    let [bottom_half, interrupt] = [ExecPriority::BottomHalf, ExecPriority::Interrupt].map(|priority| cpu.at(priority));
    let end_times = Rc::new(RefCell::new(Vec::new()));
    let recorded_ends = end_times.clone();
    bench.spawn("program", |sim, _| async move {
        let _lease = cpu.acquire("program").await;
        cpu.work(100);
        cpu.sync().await;
        recorded_ends.borrow_mut().push(("program", sim.now()));
    });
    for (name, cpu, cycles) in [("bottom half", bottom_half, 1_000), ("interrupt", interrupt, 10)] {
        let recorded_ends = end_times.clone();
        bench.spawn(name, move |sim, _| async move {
            for round in 1..=3 {
                // The bottom half always has work; interrupts come every 2 us.
                if name == "interrupt" {
                    sim.until(Time::from_us(2 * round)).await;
                }
                let _lease = cpu.acquire(name).await;
                cpu.work(cycles);
                cpu.sync().await;
            }
            recorded_ends.borrow_mut().push((name, sim.now()));
        });
    }
    bench.finish();
    let us_and_ns = |us, ns| Time::from_us(us) + Time::from_ns(ns);
    assert_eq!(
        *end_times.borrow(),
        [("interrupt", us_and_ns(6, 100)), ("bottom half", us_and_ns(30, 300)), ("program", us_and_ns(31, 300))]
    );
}
