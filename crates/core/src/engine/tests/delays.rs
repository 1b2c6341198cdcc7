//! Tests that compare delays that are completed without an event in the queue, or are scheduled late, with a reference
//! in which every delay is an event in the queue. Random tasks delay, signal, wait, send, hold resources and start
//! other tasks; they must do the same at the same instants.

use super::super::{Mailbox, Resource, Signal};
use super::*;
use proptest::prelude::*;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

/// The next action of a task.
#[derive(Clone, Debug)]
enum Step {
    Delay(u64),
    Until(u64),
    Notify,
    Wait(u64),
    SendAt(u64),
    Receive,
    Hold(u64),
    /// A delay that is requested before a signal and a message for the same instant.
    DelayBeforeSignal(u64),
    Start(Vec<Step>),
    Progress,
    GiveUp,
}

/// The state that the tasks share.
struct SharedParts {
    signal: Signal,
    mailbox: Mailbox<u64>,
    resource: Resource,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..40u64).prop_map(Step::Delay),
        2 => (0..200u64).prop_map(Step::Until),
        1 => Just(Step::Delay(3_000)),
        2 => Just(Step::Notify),
        2 => (1..60u64).prop_map(Step::Wait),
        2 => (0..60u64).prop_map(Step::SendAt),
        1 => Just(Step::Receive),
        3 => (0..30u64).prop_map(Step::Hold),
        2 => (0..60u64).prop_map(Step::DelayBeforeSignal),
        1 => Just(Step::Progress),
    ];
    let step_list = prop::collection::vec(step.clone(), 1..20);
    let started_task = prop::collection::vec(step, 1..6).prop_map(Step::Start);
    (step_list, prop::option::of(started_task), prop::bool::weighted(0.02)).prop_map(
        |(mut steps, start_step, gives_up)| {
            let middle = steps.len() / 2;
            start_step.into_iter().for_each(|step| steps.insert(middle, step));
            if gives_up {
                steps.insert(middle, Step::GiveUp);
            }
            steps
        },
    )
}

/// Spawns a task that performs its steps and logs each.
fn spawn_task(sim: Sim, log: Log, shared: Rc<SharedParts>, name: String, steps: Vec<Step>) {
    sim.clone().spawn(name.clone(), async move {
        for step in steps {
            match step.clone() {
                Step::Delay(span) => sim.delay(ns(span)).await,
                Step::Until(instant) => sim.until(ns(instant)).await,
                Step::Notify => shared.signal.notify(),
                Step::Wait(span) => log.note(shared.signal.wait_until(sim.now() + ns(span)).await),
                Step::SendAt(span) => shared.mailbox.send_at(sim.now() + ns(span), span),
                Step::Receive => log.note(shared.mailbox.receive().await),
                Step::Hold(span) => {
                    let _hold = shared.resource.acquire().await;
                    sim.delay(ns(span)).await;
                }
                Step::DelayBeforeSignal(span) => {
                    // Schedules an event that is superseded, so that the delay cannot be completed without an event.
                    sim.wake(sim.current());
                    let mut delay = pin!(sim.delay(ns(span)));
                    let first_poll = poll_fn(|context| Poll::Ready(delay.as_mut().poll(context))).await;
                    assert!(first_poll.is_pending());
                    shared.mailbox.send_at(sim.now() + ns(span), span);
                    shared.signal.notify();
                    delay.await;
                }
                Step::Start(steps) => spawn_task(sim.clone(), log.clone(), shared.clone(), format!("{name}+"), steps),
                Step::Progress => sim.progress(),
                Step::GiveUp => sim.give_up("a credit".into()),
            }
            log.note(format_args!("{name} {step:?}"));
        }
    });
}

/// Returns everything that can be observed of a run. A run that ended at a limit is continued with other limits.
fn observe_run(
    tasks: &[Vec<Step>],
    limits: Limits,
    queues_every_delay: bool,
) -> (Vec<String>, Vec<Outcome>, u64, Time, Time) {
    let bench = TestBench::new();
    let sim = bench.sim();
    sim.set_queues_every_delay(queues_every_delay);
    let shared = Rc::new(SharedParts {
        signal: Signal::new(&sim, "change"),
        mailbox: Mailbox::new(&sim, "mailbox"),
        resource: Resource::new(&sim, "resource"),
    });
    for (number, steps) in tasks.iter().enumerate() {
        spawn_task(sim.clone(), bench.log.clone(), shared.clone(), format!("t{number}"), steps.clone());
    }
    let outcomes = vec![bench.run(limits), bench.run(Limits { time: ns(400), ..limits }), bench.run(Limits::default())];
    (bench.log.lines.take(), outcomes, sim.events(), sim.now(), shared.resource.held_total())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn delays_without_events_equal_queued_delays(
        tasks in prop::collection::vec(steps(), 1..5),
        time in 1..300u64,
        no_progress in prop_oneof![Just(u64::MAX / 1_000), 1..3_000u64],
    ) {
        let limits = Limits { time: ns(time), no_progress: ns(no_progress) };
        prop_assert_eq!(observe_run(&tasks, limits, false), observe_run(&tasks, limits, true));
    }
}

#[test]
fn the_delay_of_a_lone_task_needs_no_event() {
    let bench = TestBench::new();
    bench.spawn("alone", |sim, log| async move {
        for _ in 0..3 {
            sim.delay(ns(5)).await;
            assert_eq!(sim.pending_event_count(), 0);
        }
        log.note("end");
    });
    assert_eq!(bench.finish(), ["15 end"]);
    assert_eq!(bench.sim().events(), 4, "the delays count as events");
}

#[test]
fn a_stalled_clock_is_detected_despite_delays_without_events() {
    let bench = TestBench::new();
    bench.spawn("zeno", |sim, _| async move {
        sim.delay(ns(5)).await;
        loop {
            sim.delay(Time::ZERO).await;
        }
    });
    assert!(matches!(bench.run(Limits::default()), Outcome::Livelock(_)));
    assert_eq!(bench.sim().now(), ns(5));
}
