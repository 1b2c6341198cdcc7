//! Tests of timers, copies, and acknowledgements that wait, by small scenarios.

use super::super::*;
use super::net::*;
use crate::engine::Time;

#[test]
fn the_timeout_doubles_to_its_maximum_until_something_is_acknowledged() {
    let (mut net, _) = frames_sent(2, &parameters());
    for expires_at in [100, 300, 650, 1_000].map(ns) {
        assert_eq!(net.link(A).next_timer(), Some(expires_at));
        net.wait_until(expires_at - Time::from_ps(1));
        assert!(!net.link(A).has_next());
        net.wait_until(expires_at);
        assert_eq!(numbers(&net.depart(A)), [0], "only the oldest packet is retransmitted");
    }
    net.wait_until(ns(1_350));
    net.deliver_frames_of(A);
    net.deliver_frames_of(B);
    assert_eq!(net.link(A).next_timer(), None, "the next copy is due at once");
    net.depart(A);
    assert_eq!(net.link(A).next_timer(), Some(net.now + ns(100)));
}

#[test]
fn a_timer_is_set_anew_by_progress_and_stopped_at_the_end() {
    let (mut net, frames) = frames_sent(2, &parameters());
    assert_eq!(net.link(A).next_timer(), Some(ns(100)));
    for (frame, timer) in frames.iter().zip([Some(ns(130)), None]) {
        net.now += ns(30);
        assert_eq!(net.arrive(frame), ArrivalOutcome::Readable(1));
        assert_eq!(net.deliver_frames_of(B), [ArrivalOutcome::Freed(1)]);
        assert_eq!(net.link(A).next_timer(), timer);
    }
}

#[test]
fn after_a_timeout_each_hole_is_filled_in_a_round_trip() {
    let (mut net, frames) = frames_sent(8, &LinkParameters { window: 8, reorder: 8, arrivals: 8, ..parameters() });
    assert_eq!([1, 2, 5, 7].map(|n| net.arrive(&frames[n])), [ArrivalOutcome::Kept; 4]);
    net.wait_until(ns(100));
    let rounds = std::array::from_fn(|_| {
        let copies = net.depart(A);
        assert!(copies.iter().all(|copy| net.arrive(copy) != ArrivalOutcome::Duplicate));
        net.deliver_frames_of(B);
        numbers(&copies)
    });
    assert_eq!(rounds, [vec![0], vec![3], vec![4], vec![6], vec![]]);
    assert_eq!(net.read_all(B), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(net.link(A).statistics(), WindowStatistics { sent: 8, retransmitted: 4, ..WindowStatistics::default() });
}

#[test]
fn an_acknowledgement_before_the_retransmission_cancels_it() {
    let (mut net, frames) = frames_sent(1, &parameters());
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Readable(1));
    net.wait_until(ns(100));
    assert!(net.link(A).has_next());
    assert_eq!(net.deliver_frames_of(B), [ArrivalOutcome::Freed(1)]);
    assert!(!net.link(A).has_next());
}

#[test]
fn an_acknowledgement_covers_several_packets_or_waits_for_its_timer() {
    let acknowledging_every_third =
        LinkParameters { window: 4, reorder: 4, acknowledge_every: 3, acknowledge_delay: ns(20), ..parameters() };
    let (mut net, frames) = frames_sent(4, &acknowledging_every_third);
    for (frame, acknowledgements) in frames.iter().zip([vec![], vec![], vec![-4], vec![]]) {
        net.now += ns(5);
        assert_eq!(net.arrive(frame), ArrivalOutcome::Readable(1));
        assert_eq!(numbers(&net.depart(B)), acknowledgements);
    }
    assert_eq!(net.link(B).next_timer(), Some(ns(40)));
    assert!(!net.link(B).is_idle());
    net.wait_until(ns(40));
    assert_eq!(numbers(&net.depart(B)), [-5]);
    net.now = ns(41);
    assert_eq!(net.arrive(&frames[0]), ArrivalOutcome::Duplicate);
    assert_eq!(numbers(&net.depart(B)), [-5], "a duplicate is acknowledged at once");
}
