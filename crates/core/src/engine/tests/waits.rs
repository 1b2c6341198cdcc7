//! Tests of signals and mailboxes.

use super::super::{Mailbox, Signal};
use super::*;

#[test]
fn a_notification_wakes_all_waiting_tasks_and_no_later_ones() {
    let bench = TestBench::new();
    let signal = Rc::new(Signal::new(&bench.sim(), "change"));
    for name in ["a", "b"] {
        let signal = signal.clone();
        bench.spawn(name, |_, log| async move {
            assert!(signal.wait().await);
            log.note(name);
        });
    }
    let waiter_signal = signal.clone();
    bench.spawn("late", |sim, log| async move {
        sim.delay(ns(2)).await;
        assert!(waiter_signal.wait().await);
        log.note("late");
    });
    bench.spawn("notifier", |sim, _| async move {
        sim.delay(ns(1)).await;
        signal.notify();
        sim.delay(ns(4)).await;
        signal.notify();
    });
    assert_eq!(bench.finish(), ["1 a", "1 b", "5 late"]);
}

#[test]
fn a_wait_that_timed_out_is_not_ended_again() {
    let bench = TestBench::new();
    let signal = Rc::new(Signal::new(&bench.sim(), "change"));
    let waiter_signal = signal.clone();
    bench.spawn("waiter", |sim, log| async move {
        log.note(waiter_signal.wait_until(ns(3)).await);
        // The notification at 5 ns must not end this delay.
        sim.delay(ns(10)).await;
        log.note("delayed");
    });
    bench.spawn("notifier", |sim, _| async move {
        sim.delay(ns(5)).await;
        signal.notify();
    });
    assert_eq!(bench.finish(), ["3 false", "13 delayed"]);
}

#[test]
fn a_timer_overtaken_by_a_notification_neither_fires_nor_moves_the_clock() {
    let bench = TestBench::new();
    let signal = Rc::new(Signal::new(&bench.sim(), "change"));
    let waiter_signal = signal.clone();
    bench.spawn("waiter", |sim, log| async move {
        assert!(waiter_signal.wait_until(ns(50)).await);
        sim.delay(ns(60)).await;
        log.note("delayed");
        assert!(waiter_signal.wait_until(ns(1_000_000)).await);
    });
    bench.spawn("notifier", |sim, _| async move {
        sim.delay(ns(2)).await;
        signal.notify();
        sim.delay(ns(98)).await;
        signal.notify();
    });
    assert_eq!(bench.finish(), ["62 delayed"]);
    assert_eq!(bench.sim().now(), ns(100));
    assert_eq!(bench.sim().events(), 7, "2 starts, 2 notifications, 3 delays; no timer");
}

#[test]
fn a_wait_dropped_before_its_end_leaves_no_trace() {
    let bench = TestBench::new();
    let signal = Rc::new(Signal::new(&bench.sim(), "change"));
    let waiter_signal = signal.clone();
    bench.spawn("fickle", |sim, log| async move {
        let mut wait = std::pin::pin!(Some(waiter_signal.wait_until(ns(4))));
        std::future::poll_fn(|context| {
            let poll_result = wait.as_mut().as_pin_mut().expect("the wait is not dropped yet").poll(context);
            assert!(poll_result.is_pending());
            std::task::Poll::Ready(())
        })
        .await;
        wait.set(None);
        sim.delay(ns(10)).await;
        log.note("delayed");
    });
    bench.spawn("notifier", |sim, _| async move {
        sim.delay(ns(2)).await;
        signal.notify();
    });
    assert_eq!(bench.finish(), ["10 delayed"]);
}

#[test]
fn values_arrive_in_the_order_sent_and_not_before_their_time() {
    let bench = TestBench::new();
    let mailbox = Rc::new(Mailbox::new(&bench.sim(), "wire"));
    let receiver_mailbox = mailbox.clone();
    bench.spawn("receiver", |_, log| async move {
        for _ in 0..4 {
            log.note(receiver_mailbox.receive().await);
        }
    });
    bench.spawn("sender", |sim, _| async move {
        mailbox.send("first");
        mailbox.send_at(ns(9), "second");
        mailbox.send_at(ns(4), "third, no earlier than the second");
        assert_eq!(
            mailbox.try_receive(),
            Some("first"),
            "the first message has arrived, and the receiver has not been polled"
        );
        assert_eq!(mailbox.try_receive(), None);
        assert_eq!(mailbox.len(), 2);
        sim.delay(ns(20)).await;
        mailbox.send("fourth");
        mailbox.send_at(ns(5), "fifth, at once");
    });
    assert_eq!(bench.finish(), ["9 second", "9 third, no earlier than the second", "20 fourth", "20 fifth, at once"]);
}
