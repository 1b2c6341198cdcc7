//! Tests of tasks, their order and the clock.

use super::*;

#[test]
fn events_at_one_instant_fire_in_the_order_they_were_set() {
    let bench = TestBench::new();
    for name in ["a", "b", "c"] {
        bench.spawn(name, |sim, log| async move {
            sim.delay(ns(5)).await;
            log.note(name);
            // Events that were scheduled earlier for this instant come first.
            sim.delay(Time::ZERO).await;
            log.note(name);
        });
    }
    assert_eq!(bench.finish(), ["5 a", "5 b", "5 c", "5 a", "5 b", "5 c"]);
}

#[test]
fn a_task_starts_tasks() {
    let bench = TestBench::new();
    bench.spawn("parent", |sim, log| async move {
        sim.delay(ns(1)).await;
        for child in 0..3 {
            let (child_sim, log) = (sim.clone(), log.clone());
            sim.spawn("child", async move {
                child_sim.delay(ns(2)).await;
                log.note(child);
            });
        }
        log.note("parent");
    });
    assert_eq!(bench.finish(), ["1 parent", "3 0", "3 1", "3 2"]);
}

#[test]
fn waiting_for_a_past_instant_takes_no_time() {
    let bench = TestBench::new();
    bench.spawn("late", |sim, log| async move {
        sim.until(ns(7)).await;
        sim.until(ns(3)).await;
        log.note("on");
    });
    assert_eq!(bench.finish(), ["7 on"]);
}

#[test]
fn a_run_ends_at_its_limit_of_time_and_goes_on_with_another() {
    let bench = TestBench::new();
    bench.spawn("slow", |sim, log| async move {
        sim.delay(ns(10)).await;
        log.note("end");
    });
    let limits = |time| Limits { time: ns(time), ..Limits::default() };
    assert!(matches!(bench.run(limits(4)), Outcome::TimeLimit(_)));
    assert_eq!(bench.sim().now(), ns(4));
    assert!(matches!(bench.run(limits(9)), Outcome::TimeLimit(_)));
    assert_eq!(bench.run(limits(10)), Outcome::Done, "an event at the limit still fires");
    assert_eq!(bench.log.lines.take(), ["10 end"]);
}

#[test]
fn servers_are_not_waited_for() {
    let bench = TestBench::new();
    let sim = bench.sim();
    sim.clone().spawn_server("server", async move {
        loop {
            sim.delay(ns(1)).await;
        }
    });
    bench.spawn("work", |sim, log| async move {
        sim.delay(ns(3)).await;
        log.note("end");
    });
    assert_eq!(bench.finish(), ["3 end"]);
    assert_eq!(bench.sim().events(), 2 + 2 + 1, "two starts, two delays of the server, one of the other task");
}

#[test]
fn a_dropped_simulation_drops_its_tasks_wherever_they_are() {
    /// A value that spawns a task when it is dropped, as a careless part may do.
    struct SpawnsWhenDropped(Sim, Rc<()>);
    impl Drop for SpawnsWhenDropped {
        fn drop(&mut self) {
            let (sim, alive) = (self.0.clone(), self.1.clone());
            self.0.spawn("too late", async move {
                let _alive = alive;
                sim.delay(ns(1)).await;
            });
        }
    }
    let alive = Rc::new(());
    let bench = TestBench::new();
    let sim = bench.sim();
    let bus = Rc::new(super::super::Resource::new(&sim, "bus"));
    let pool = Rc::new(super::super::Pool::new(&sim, "pool", 2));
    let signal = Rc::new(super::super::Signal::new(&sim, "signal"));
    for task in 0..12 {
        let (bus, pool, signal, alive) = (bus.clone(), pool.clone(), signal.clone(), alive.clone());
        bench.spawn("task", |sim, _| async move {
            let _spawner = SpawnsWhenDropped(sim.clone(), alive);
            match task % 4 {
                0 | 1 => {
                    let _hold = bus.acquire().await;
                    sim.delay(ns(1_000)).await;
                }
                2 => {
                    pool.acquire(2).await;
                    sim.delay(ns(1_000)).await;
                    pool.release(2);
                }
                _ => _ = signal.wait_until(ns(2_000)).await,
            }
        });
    }
    assert!(matches!(bench.run(Limits { time: ns(1_500), ..Limits::default() }), Outcome::TimeLimit(_)));
    drop(bench);
    assert_eq!(Rc::strong_count(&alive), 1, "every task was dropped");
    assert!(!bus.is_held() && !bus.is_wanted());
}

#[test]
fn equal_runs_give_equal_logs() {
    let log_of_run = || {
        let bench = TestBench::new();
        for task in 0..300u64 {
            bench.spawn("task", |sim, log| async move {
                for step in 1..20u64 {
                    sim.delay(Time::from_ps(task * step * 7_919 % 5_003)).await;
                    log.note(task);
                }
            });
        }
        bench.finish()
    };
    assert_eq!(log_of_run(), log_of_run());
}
