//! Tests of runs that cannot continue, and of their reports.

use super::super::sim::WaitReasonId;
use super::super::{Resource, Signal};
use super::*;

/// Returns limits that end a run after a microsecond without progress.
fn microsecond_limits() -> Limits {
    Limits { no_progress: Time::from_us(1), ..Limits::default() }
}

#[test]
fn a_cycle_of_waits_is_named() {
    let bench = TestBench::new();
    let buses = ["bus 0", "bus 1"].map(|name| Rc::new(Resource::new(&bench.sim(), name)));
    for task in 0..2 {
        let (first, second) = (buses[task].clone(), buses[1 - task].clone());
        bench.spawn(["even", "odd"][task], |sim, _| async move {
            let _first = first.acquire().await;
            sim.delay(ns(1)).await;
            let _second = second.acquire().await;
        });
    }
    let Outcome::Deadlock(report) = bench.run(Limits::default()) else { panic!("the run deadlocks") };
    assert_eq!(
        report.to_string(),
        "at 1 ns\n  even waits for bus 1 held by odd\n  odd waits for bus 0 held by even, which closes the cycle"
    );
}

#[test]
fn a_server_is_reported_only_if_an_essential_task_waits_for_it() {
    let bench = TestBench::new();
    let sim = bench.sim();
    let signal = Rc::new(Signal::new(&sim, "an answer"));
    for name in ["idle server", "busy server"] {
        let question = Signal::new(&sim, format!("a question to the {name}"));
        let answer = signal.wait_reason();
        let server_sim = sim.clone();
        sim.spawn_server(name, async move {
            if name == "busy server" {
                server_sim.set_holder(answer, server_sim.current());
            }
            question.wait().await;
        });
    }
    bench.spawn("client", |_, _| async move { _ = signal.wait().await });
    let Outcome::Deadlock(report) = bench.run(Limits::default()) else { panic!("the run deadlocks") };
    let waits: Vec<String> = report.chain.iter().map(ToString::to_string).collect();
    assert_eq!(
        waits,
        ["client waits for an answer held by busy server", "busy server waits for a question to the busy server"]
    );
}

#[test]
fn polling_with_a_stated_reason_is_a_deadlock_by_the_limit() {
    let bench = TestBench::new();
    let bus = Rc::new(Resource::new(&bench.sim(), "bus"));
    let door_reason = bench.sim().register_wait_reason("the door");
    for name in ["a", "b"] {
        let bus = bus.clone();
        bench.spawn(name, |sim, _| async move {
            let _poll_guard = sim.polls_for(door_reason);
            loop {
                // A wait in between that ends does not remove the poll reason.
                let bus_hold = bus.acquire().await;
                sim.delay(ns(7)).await;
                drop(bus_hold);
                sim.delay(ns(3)).await;
            }
        });
    }
    let Outcome::Deadlock(report) = bench.run(microsecond_limits()) else { panic!("the run deadlocks") };
    assert_eq!(report.chain.len(), 2);
    assert!(report.chain.iter().any(|wait| wait.awaited == "the door"), "{report}");
}

#[test]
fn spinning_for_no_stated_reason_is_a_livelock() {
    let bench = TestBench::new();
    let door_reason = bench.sim().register_wait_reason("the door");
    bench.spawn("poller", |sim, _| async move {
        let _poll_guard = sim.polls_for(door_reason);
        loop {
            sim.delay(ns(10)).await;
        }
    });
    bench.spawn("spinner", |sim, _| async move {
        loop {
            sim.delay(ns(10)).await;
        }
    });
    let Outcome::Livelock(report) = bench.run(microsecond_limits()) else { panic!("the run livelocks") };
    assert_eq!(report.end_time, Time::from_us(1));
}

#[test]
fn progress_extends_the_limit() {
    let bench = TestBench::new();
    bench.spawn("busy", |sim, log| async move {
        for _ in 0..5 {
            spin_for(&sim, ns(900)).await;
            sim.progress();
        }
        log.note("end");
        spin_for(&sim, ns(1_010)).await;
    });
    assert!(matches!(bench.run(microsecond_limits()), Outcome::Livelock(_)));
    assert_eq!(bench.log.lines.take(), ["4500 end"]);
    assert_eq!(bench.run(Limits::default()), Outcome::Done, "the run may go on without the limit");
}

async fn spin_for(sim: &Sim, span: Time) {
    for _ in 0..span.ps() / 10_000 {
        sim.delay(ns(10)).await;
    }
}

/// Spawns a task that polls without end, and states its reason.
fn spawn_poller(bench: &TestBench, reason: &str, interval: Time) {
    let reason_id = bench.sim().register_wait_reason(reason);
    bench.spawn("poller", |sim, _| async move {
        let _poll_guard = sim.polls_for(reason_id);
        loop {
            sim.delay(interval).await;
        }
    });
}

#[test]
fn a_long_delay_is_not_a_livelock() {
    for has_poller in [false, true] {
        let bench = TestBench::new();
        if has_poller {
            let sim = bench.sim();
            let door_reason = sim.register_wait_reason("the door");
            sim.clone().spawn_server("poller", async move {
                let _poll_guard = sim.polls_for(door_reason);
                loop {
                    sim.delay(ns(10)).await;
                }
            });
        }
        bench.spawn("slow", |sim, log| async move {
            // One wait is much longer than the limit; some shorter ones without progress follow.
            sim.delay(Time::from_us(50)).await;
            for _ in 0..100 {
                sim.delay(ns(300)).await;
                sim.delay(ns(1)).await;
            }
            log.note("end");
        });
        assert_eq!(bench.run(microsecond_limits()), Outcome::Done);
        assert_eq!(bench.log.lines.take(), ["80100 end"]);
    }
}

#[test]
fn a_deadline_before_the_time_limit_is_awaited() {
    let end_and_log = |deadline| {
        let bench = TestBench::new();
        spawn_poller(&bench, "the door", ns(10));
        let signal = Signal::new(&bench.sim(), "an answer");
        bench.spawn("patient", |_, log| async move {
            log.note(signal.wait_until(deadline).await);
        });
        let outcome = bench.run(Limits { time: Time::from_us(200), ..microsecond_limits() });
        let Outcome::Deadlock(report) = outcome else { panic!("{outcome:?}") };
        (report.end_time, bench.log.lines.take().join(""))
    };
    assert_eq!(end_and_log(Time::from_us(100)), (Time::from_us(101), "100000 false".to_owned()));
    assert_eq!(end_and_log(Time::from_us(201)), (Time::from_us(1), String::new()));
}

#[test]
fn a_wait_beyond_the_end_ends_the_run_at_its_limit_of_time() {
    let bench = TestBench::new();
    bench.spawn("slow", |sim, _| async move { sim.delay(Time::from_us(50)).await });
    let Outcome::TimeLimit(report) = bench.run(Limits { time: Time::from_us(40), ..microsecond_limits() }) else {
        panic!("the run reaches its time limit")
    };
    assert_eq!(report.end_time, Time::from_us(40));
}

#[test]
fn a_task_that_polls_rarely_is_waited_for_until_it_polls() {
    let bench = TestBench::new();
    spawn_poller(&bench, "the door", Time::from_us(3));
    let Outcome::Deadlock(report) = bench.run(microsecond_limits()) else { panic!("the run deadlocks") };
    assert_eq!(report.end_time, Time::from_us(3), "the task polled once");
}

/// Returns the waits that are reported for a task that runs `task_body` and then waits for short times again and again.
fn reported_waits(task_body: impl AsyncFnOnce(&Sim, WaitReasonId) + 'static) -> Vec<String> {
    let bench = TestBench::new();
    let door_reason = bench.sim().register_wait_reason("the door");
    bench.spawn("task", |sim, _| async move {
        task_body(&sim, door_reason).await;
        spin_for(&sim, Time::from_us(10)).await;
    });
    match bench.run(microsecond_limits()) {
        Outcome::Deadlock(report) | Outcome::Livelock(report) => {
            report.chain.iter().map(|wait| wait.awaited.clone()).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_poll_reason_is_not_reported_after_its_guard_is_dropped() {
    let waits_while_polling = reported_waits(async |sim, door_reason| std::mem::forget(sim.polls_for(door_reason)));
    assert_eq!(waits_while_polling, ["the door"], "the guard was never dropped");
    let waits_after_polling = reported_waits(async |sim, door_reason| {
        let poll_guard = sim.polls_for(door_reason);
        sim.delay(ns(5)).await;
        drop(poll_guard);
    });
    assert_eq!(waits_after_polling, Vec::<String>::new());
}

#[test]
fn a_poll_reason_is_reported_while_its_guard_lives() {
    let bench = TestBench::new();
    let [door_reason, window_reason] = ["the door", "the window"].map(|name| bench.sim().register_wait_reason(name));
    bench.spawn("poller", |sim, _| async move {
        let _door = sim.polls_for(door_reason);
        drop(sim.polls_for(window_reason));
        // A wait in between does not end the poll reason.
        Signal::new(&sim, "a change").wait_until(ns(5)).await;
        sim.progress();
        spin_for(&sim, Time::from_us(10)).await;
    });
    let Outcome::Deadlock(report) = bench.run(microsecond_limits()) else { panic!("the run deadlocks") };
    assert_eq!(report.chain[0].awaited, "the door");
}

#[test]
fn a_stalled_clock_is_a_livelock_without_limits() {
    let bench = TestBench::new();
    bench.spawn("spinner", |sim, _| async move {
        sim.delay(ns(7)).await;
        loop {
            sim.delay(Time::ZERO).await;
        }
    });
    let Outcome::Livelock(report) = bench.run(Limits::default()) else { panic!("the run livelocks") };
    assert_eq!(report.end_time, ns(7));
}

#[test]
fn a_task_that_works_is_waited_for_until_it_polls() {
    let end_and_log = |is_polling: bool| {
        let bench = TestBench::new();
        let door_reason = bench.sim().register_wait_reason("the door");
        spawn_poller(&bench, "the window", ns(10));
        bench.spawn("slow", move |sim, log| async move {
            // The inner of two guards has precedence.
            let _outer_poll_guard = (!is_polling).then(|| sim.polls_for(door_reason));
            let _work_guard = sim.works();
            let _poll_guard = is_polling.then(|| sim.polls_for(door_reason));
            spin_for(&sim, Time::from_us(20)).await;
            log.note("end");
        });
        let Outcome::Deadlock(report) = bench.run(microsecond_limits()) else { panic!("the run deadlocks") };
        (report.end_time, bench.log.lines.take().join(""))
    };
    assert_eq!(end_and_log(true), (Time::from_us(1), String::new()));
    let (end_time, log) = end_and_log(false);
    assert_eq!(log, "20000 end");
    assert!((Time::from_us(20)..=Time::from_us(22)).contains(&end_time), "{end_time}");
}

#[test]
fn expected_progress_extends_the_limit() {
    let bench = TestBench::new();
    let door_reason = bench.sim().register_wait_reason("the door");
    bench.spawn("member", move |sim, log| async move {
        sim.expect_progress_at(Time::from_us(50));
        sim.progress();
        let _poll_guard = sim.polls_for(door_reason);
        spin_for(&sim, Time::from_us(50)).await;
        log.note("open");
    });
    assert_eq!(bench.run(microsecond_limits()), Outcome::Done);
    assert_eq!(bench.log.lines.take(), ["50000 open"]);
}

#[test]
fn events_between_two_rare_polls_are_found() {
    let bench = TestBench::new();
    let (door_reason, is_open) = (bench.sim().register_wait_reason("the door"), Rc::new(std::cell::Cell::new(false)));
    let is_door_open = is_open.clone();
    bench.spawn("porter", |sim, _| async move {
        spin_for(&sim, ns(500)).await;
        is_open.set(true);
    });
    bench.spawn("poller", move |sim, log| async move {
        sim.delay(ns(300)).await;
        let _poll_guard = sim.polls_for(door_reason);
        while !is_door_open.get() {
            sim.delay(Time::from_us(3)).await;
        }
        log.note("in");
    });
    assert_eq!(bench.run(microsecond_limits()), Outcome::Done);
    assert_eq!(bench.log.lines.take(), ["3300 in"]);
}

/// Runs a sender whose packet is returned every 10 ns until `receiver` is done; returns the outcome and the time.
fn run_while_packet_returns<F: Future<Output = ()> + 'static>(
    receiver: impl FnOnce(Sim) -> F + 'static,
) -> (Outcome, Time) {
    let bench = TestBench::new();
    let sim = bench.sim();
    let acceptance = Rc::new(Signal::new(&sim, "the packet to be accepted"));
    let wire_sim = sim.clone();
    sim.spawn_server("wire", async move {
        loop {
            wire_sim.delay(ns(10)).await;
            wire_sim.packet_returned();
        }
    });
    let acceptance_notifier = acceptance.clone();
    bench.spawn("sender", move |_, _| async move { _ = acceptance.wait().await });
    bench.spawn("receiver", move |sim, _| async move {
        receiver(sim).await;
        acceptance_notifier.notify();
    });
    (bench.run(Limits::default()), sim.now())
}

#[test]
fn endless_packet_returns_are_a_deadlock_before_the_limit() {
    let (outcome, end_time) =
        run_while_packet_returns(|sim| async move { _ = Signal::new(&sim, "nothing").wait().await });
    let Outcome::Deadlock(report) = outcome else { panic!("the run deadlocks: {outcome:?}") };
    assert_eq!((report.chain[0].awaited.as_str(), end_time), ("the packet to be accepted", Time::from_us(100)));
}

#[test]
fn packet_returns_end_when_a_slow_receiver_accepts() {
    let end = Time::from_us(450);
    let works = move |sim: Sim| async move {
        let _work_guard = sim.works();
        spin_for(&sim, end).await;
    };
    assert_eq!(run_while_packet_returns(works), (Outcome::Done, end));
    let sleeps = move |sim: Sim| async move {
        let door_reason = sim.register_wait_reason("the door");
        let _poll_guard = sim.polls_for(door_reason);
        sim.delay(end).await;
    };
    assert_eq!(run_while_packet_returns(sleeps), (Outcome::Done, end));
    let computes = move |sim: Sim| async move { spin_for(&sim, end).await };
    assert_eq!(run_while_packet_returns(computes), (Outcome::Done, end));
}
