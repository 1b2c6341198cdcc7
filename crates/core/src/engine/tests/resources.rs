//! Tests of resources and pools.

use super::super::{Pool, Resource};
use super::*;

#[test]
fn a_resource_serves_requests_in_order_and_counts_its_time() {
    let bench = TestBench::new();
    let bus = Rc::new(Resource::new(&bench.sim(), "bus"));
    for (name, span) in [("a", 5), ("b", 3), ("c", 2)] {
        let bus = bus.clone();
        bench.spawn(name, |sim, log| async move {
            let hold = bus.acquire().await;
            log.note(name);
            sim.delay(ns(span)).await;
            assert!(bus.is_wanted());
            drop(hold);
            // The resource is requested again at once; the waiting tasks come first.
            if name == "a" {
                let _hold = bus.acquire().await;
                log.note("a again");
                assert_eq!(bus.held_total(), ns(10));
                sim.delay(ns(1)).await;
                assert_eq!(bus.held_total(), ns(11), "the hold in progress is included");
            }
        });
    }
    assert_eq!(bench.finish(), ["0 a", "5 b", "8 c", "10 a again"]);
    assert_eq!((bus.held_total(), bus.grants(), bus.is_held()), (ns(11), 4, false));
}

/// Spawns a task that requests `units` at `start`, keeps them for 10 ns, and gives up at `deadline`.
fn spawn_acquirer(bench: &TestBench, pool: &Rc<Pool>, start: u64, units: u64, deadline: Time) {
    let pool = pool.clone();
    bench.spawn("taker", |sim, log| async move {
        sim.delay(ns(start)).await;
        match pool.acquire_until(units, deadline).await {
            false => log.note(format!("no {units}")),
            true => {
                log.note(format!("took {units}"));
                sim.delay(ns(10)).await;
                pool.release(units);
            }
        }
    });
}

#[test]
fn a_pool_serves_requests_of_any_size_in_order() {
    let bench = TestBench::new();
    let pool = Rc::new(Pool::new(&bench.sim(), "buffers", 4));
    for (start, units) in [(0, 3), (1, 2), (2, 1), (3, 4)] {
        spawn_acquirer(&bench, &pool, start, units, Time::MAX);
    }
    assert_eq!(bench.finish(), ["0 took 3", "10 took 2", "10 took 1", "20 took 4"]);
    assert_eq!(pool.free(), 4);
}

#[test]
fn requests_behind_an_expired_one_are_served() {
    let bench = TestBench::new();
    let pool = Rc::new(Pool::new(&bench.sim(), "buffers", 4));
    spawn_acquirer(&bench, &pool, 0, 2, Time::MAX);
    spawn_acquirer(&bench, &pool, 1, 4, ns(5));
    spawn_acquirer(&bench, &pool, 2, 1, Time::MAX);
    spawn_acquirer(&bench, &pool, 3, 1, Time::MAX);
    spawn_acquirer(&bench, &pool, 4, 1, ns(8));
    assert_eq!(bench.finish(), ["0 took 2", "5 no 4", "5 took 1", "5 took 1", "8 no 1"]);
    assert_eq!(pool.free(), 4);
}

#[test]
fn grants_to_a_dropped_wait_are_returned() {
    let bench = TestBench::new();
    let bus = Rc::new(Resource::new(&bench.sim(), "bus"));
    let pool = Rc::new(Pool::new(&bench.sim(), "buffers", 1));
    let (owner_parts, canceller_parts) = ((bus.clone(), pool.clone()), (bus.clone(), pool.clone()));
    bench.spawn("owner", |sim, _| async move {
        let hold = owner_parts.0.acquire().await;
        owner_parts.1.acquire(1).await;
        sim.delay(ns(1)).await;
        drop(hold);
        owner_parts.1.release(1);
    });
    bench.spawn("fickle", |sim, log| async move {
        let mut acquire = Box::pin(canceller_parts.0.acquire());
        let mut pool_acquire = Box::pin(canceller_parts.1.acquire(1));
        std::future::poll_fn(|context| {
            assert!(acquire.as_mut().poll(context).is_pending());
            assert!(pool_acquire.as_mut().poll(context).is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        sim.delay(ns(1)).await;
        assert!(canceller_parts.0.is_held(), "the resource is granted to this task");
        drop((acquire, pool_acquire));
        log.note("dropped");
    });
    assert_eq!(bench.finish(), ["1 dropped"]);
    assert!(!bus.is_held());
    assert_eq!(pool.free(), 1);
}
