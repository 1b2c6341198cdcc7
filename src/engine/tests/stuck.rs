//! Runs that cannot go on, and what is told of them.

use super::super::{Resource, Signal};
use super::*;

/// Runs until no progress was made for a microsecond.
fn patience() -> Limits {
    Limits { no_progress: Time::from_us(1), ..Limits::default() }
}

#[test]
fn a_cycle_of_waits_is_named() {
    let bench = Bench::new();
    let buses = ["bus 0", "bus 1"].map(|name| Rc::new(Resource::new(&bench.sim(), name)));
    for task in 0..2 {
        let (first, second) = (buses[task].clone(), buses[1 - task].clone());
        bench.spawn(["even", "odd"][task], |sim, _| async move {
            let _first = first.acquire().await;
            sim.delay(ns(1)).await;
            let _second = second.acquire().await;
        });
    }
    let Outcome::Deadlock(stuck) = bench.run(Limits::default()) else { panic!("a deadlock") };
    assert_eq!(
        stuck.to_string(),
        "at 1 ns\n  even waits for bus 1 held by odd\n  odd waits for bus 0 held by even, which closes the cycle"
    );
}

#[test]
fn a_server_is_told_of_only_where_an_essential_task_waits_for_it() {
    let bench = Bench::new();
    let sim = bench.sim();
    let signal = Rc::new(Signal::new(&sim, "an answer"));
    for name in ["idle server", "busy server"] {
        let question = Signal::new(&sim, format!("a question to the {name}"));
        let answer = signal.point();
        let of_server = sim.clone();
        sim.spawn_server(name, async move {
            if name == "busy server" {
                of_server.set_holder(answer, of_server.current());
            }
            question.wait().await;
        });
    }
    bench.spawn("client", |_, _| async move { _ = signal.wait().await });
    let Outcome::Deadlock(stuck) = bench.run(Limits::default()) else { panic!("a deadlock") };
    let waits: Vec<String> = stuck.chain.iter().map(ToString::to_string).collect();
    assert_eq!(
        waits,
        ["client waits for an answer held by busy server", "busy server waits for a question to the busy server"]
    );
}

#[test]
fn polling_with_a_stated_reason_is_a_deadlock_by_the_limit() {
    let bench = Bench::new();
    let bus = Rc::new(Resource::new(&bench.sim(), "bus"));
    let door = bench.sim().point("the door");
    for name in ["a", "b"] {
        let bus = bus.clone();
        bench.spawn(name, |sim, _| async move {
            sim.waits_for(Some(door));
            loop {
                // What is waited for in between, and ends, does not take the reason away.
                let held = bus.acquire().await;
                sim.delay(ns(7)).await;
                drop(held);
                sim.delay(ns(3)).await;
            }
        });
    }
    let Outcome::Deadlock(stuck) = bench.run(patience()) else { panic!("a deadlock") };
    assert_eq!(stuck.chain.len(), 2);
    assert!(stuck.chain.iter().any(|wait| wait.wants == "the door"), "{stuck}");
}

#[test]
fn spinning_for_no_stated_reason_is_a_livelock() {
    let bench = Bench::new();
    let door = bench.sim().point("the door");
    bench.spawn("poller", |sim, _| async move {
        sim.waits_for(Some(door));
        loop {
            sim.delay(ns(10)).await;
        }
    });
    bench.spawn("spinner", |sim, _| async move {
        loop {
            sim.delay(ns(10)).await;
        }
    });
    let Outcome::Livelock(stuck) = bench.run(patience()) else { panic!("a livelock") };
    assert_eq!(stuck.at, Time::from_us(1));
}

#[test]
fn progress_puts_the_limit_off() {
    let bench = Bench::new();
    bench.spawn("busy", |sim, log| async move {
        for _ in 0..5 {
            sim.delay(ns(900)).await;
            sim.progress();
        }
        log.note("end");
        sim.delay(ns(1_001)).await;
    });
    assert!(matches!(bench.run(patience()), Outcome::Livelock(_)));
    assert_eq!(bench.log.lines.take(), ["4500 end"]);
    assert_eq!(bench.run(Limits::default()), Outcome::Done, "the run may go on without the limit");
}
