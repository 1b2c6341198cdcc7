//! Tests of interrupt vectors: handlers, masks, and the order of interrupts and posted writes.

use crate::engine::{Limits, LocalFuture, Outcome, Recorder, Sim, Simulation, Time};
use crate::host::{CoreId, Interrupt, InterruptController, InterruptVector, Interrupts, PostedWrites};
use std::cell::RefCell;
use std::rc::Rc;

const LATENCY: Time = Time::from_ns(500);
const VECTORS: [InterruptVector; 2] = [InterruptVector(0), InterruptVector(1)];

/// The interrupts that a handler has recorded, with their times.
type InterruptLog = Rc<RefCell<Vec<(Time, Interrupt)>>>;

/// Connects a vector to a handler on the core with the same number. The handler records interrupts, and works for
/// `work_time`.
fn connect(sim: &Sim, interrupts: &Interrupts, vector: InterruptVector, work_time: Time) -> InterruptLog {
    let (sim, log) = (sim.clone(), InterruptLog::default());
    let handler_log = log.clone();
    let handler = move |interrupt: Interrupt| -> LocalFuture<'static> {
        let (sim, log) = (sim.clone(), handler_log.clone());
        Box::pin(async move {
            log.borrow_mut().push((sim.now(), interrupt));
            sim.delay(work_time).await;
        })
    };
    interrupts.connect(vector, CoreId(vector.0), Box::new(handler));
    log
}

fn logged_at(vector: InterruptVector, ns: u64, causes: u32) -> (Time, Interrupt) {
    (Time::from_ns(ns), Interrupt { vector, core: CoreId(vector.0), causes })
}

/// Runs `device` with interrupts. Returns the interrupts that the handlers of two vectors have recorded.
fn run<F: Future<Output = ()> + 'static>(
    interrupts: impl FnOnce(&Sim) -> Interrupts,
    device: impl FnOnce(Sim, Rc<Interrupts>) -> F,
) -> [Vec<(Time, Interrupt)>; 2] {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let interrupts = Rc::new(interrupts(&sim));
    let logs = VECTORS.map(|vector| connect(&sim, &interrupts, vector, Time::from_us(1)));
    let work = device(sim.clone(), interrupts);
    let device_sim = sim.clone();
    sim.spawn("device", async move {
        work.await;
        device_sim.delay(Time::from_us(10)).await;
    });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    logs.map(|log| log.take())
}

fn two_lines(sim: &Sim) -> Interrupts {
    Interrupts::new(sim, "nic", LATENCY, 2)
}

#[test]
fn handlers_of_different_vectors_run_independently() {
    let [first, second] = run(two_lines, |sim, interrupts| async move {
        interrupts.raise(VECTORS[1], 1);
        sim.delay(Time::from_ns(100)).await;
        interrupts.raise(VECTORS[0], 4);
        assert_eq!(interrupts.vectors(), 2);
    });
    assert_eq!(first, [logged_at(VECTORS[0], 600, 4)], "the handler does not wait for the other");
    assert_eq!(second, [logged_at(VECTORS[1], 500, 1)]);
}

#[test]
fn causes_raised_while_a_handler_runs_cause_one_further_interrupt() {
    let [first, _] = run(two_lines, |sim, interrupts| async move {
        interrupts.raise(VECTORS[0], 1);
        sim.delay(Time::from_ns(700)).await;
        interrupts.raise(VECTORS[0], 2);
        interrupts.raise(VECTORS[0], 4);
    });
    assert_eq!(first, [logged_at(VECTORS[0], 500, 1), logged_at(VECTORS[0], 2000, 6)]);
}

#[test]
fn a_masked_vector_stays_pending() {
    let [first, second] = run(two_lines, |sim, interrupts| async move {
        interrupts.mask(VECTORS[0], true);
        interrupts.raise(VECTORS[0], 1);
        interrupts.raise(VECTORS[1], 2);
        sim.delay(Time::from_us(3)).await;
        interrupts.mask(VECTORS[0], false);
    });
    assert_eq!(first, [logged_at(VECTORS[0], 3500, 1)], "the vector is delivered when it is unmasked");
    assert_eq!(second, [logged_at(VECTORS[1], 500, 2)], "the other vector is not masked");
}

#[test]
fn a_message_signalled_vector_is_delivered_after_earlier_writes_only() {
    let writes: Rc<RefCell<Option<Rc<PostedWrites>>>> = Rc::default();
    let created_writes = writes.clone();
    let [first, second] = run(
        move |sim| {
            let writes = Rc::new(PostedWrites::new(sim, "nic"));
            created_writes.replace(Some(writes.clone()));
            two_lines(sim).message_signalled(&writes)
        },
        move |sim, interrupts| async move {
            let writes = writes.take().expect("the interrupts have posted writes");
            let earlier_write = writes.post();
            interrupts.raise(VECTORS[0], 1);
            let later_write = writes.post();
            sim.delay(Time::from_us(2)).await;
            drop(earlier_write);
            interrupts.raise(VECTORS[1], 1);
            sim.delay(Time::from_us(2)).await;
            drop(later_write);
        },
    );
    assert_eq!(first, [logged_at(VECTORS[0], 2500, 1)], "the interrupt follows the first write");
    assert_eq!(second, [logged_at(VECTORS[1], 4500, 1)], "the interrupt follows both writes");
}

#[test]
#[should_panic(expected = "nic has 2 interrupt vectors, and none is number 2")]
fn raising_an_unknown_vector_panics() {
    two_lines(&Simulation::new(Recorder::off()).sim()).raise(InterruptVector(2), 1);
}
