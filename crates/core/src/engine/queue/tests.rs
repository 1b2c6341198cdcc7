//! The queue compared with a slow reference implementation.

use super::*;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The reference: a plain binary heap.
#[derive(Default)]
struct ReferenceQueue(BinaryHeap<Reverse<(u64, u64)>>);

impl ReferenceQueue {
    fn push(&mut self, event: Event) {
        self.0.push(Reverse((event.time.ps(), event.id)));
    }

    fn pop(&mut self) -> Option<Event> {
        self.0.pop().map(|Reverse((time, id))| Event { time: Time::from_ps(time), id })
    }
}

/// An operation on both queues.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Push(u64),
    PushNow,
    Pop,
}

/// Both queues, and the instant of the last event taken.
#[derive(Default)]
struct QueuePair {
    queue: EventQueue,
    reference: ReferenceQueue,
    now: u64,
    sequence: u64,
}

impl QueuePair {
    fn apply(&mut self, operation: Operation) {
        self.sequence += 1;
        let id = self.sequence << TASK_BITS | ((self.sequence * 7) & 0xff);
        match operation {
            Operation::Push(span) => {
                let event = Event { time: Time::from_ps(self.now.saturating_add(span)), id };
                self.queue.push(event);
                self.reference.push(event);
            }
            Operation::PushNow => {
                let event = Event { time: Time::from_ps(self.now), id };
                self.queue.push_now(event);
                self.reference.push(event);
            }
            Operation::Pop => _ = self.pop(),
        }
        assert_eq!(self.queue.len(), self.reference.0.len());
        if self.sequence.is_multiple_of(512) {
            self.compare_all();
        }
    }

    /// Compares the pending events of both queues, whatever their order.
    fn compare_all(&self) {
        let mut pending: Vec<(u64, u64)> = Vec::new();
        self.queue.for_each_later(|event| pending.push((event.time.ps(), event.id)));
        pending.extend(
            self.queue.present_events[self.queue.taken_count..].iter().map(|event| (event.time.ps(), event.id)),
        );
        pending.sort_unstable();
        let mut reference: Vec<(u64, u64)> = self.reference.0.iter().map(|Reverse(event)| *event).collect();
        reference.sort_unstable();
        assert_eq!(pending, reference);
    }

    fn pop(&mut self) -> bool {
        let popped = self.queue.pop();
        assert_eq!(popped, self.reference.pop());
        self.now = popped.map_or(self.now, |event| event.time.ps());
        popped.is_some()
    }
}

fn span() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => 1..2_000u64,
        2 => Just(30_303u64),
        2 => 0..3u64,
        2 => 1..5_000_000u64,
        1 => any::<u64>().prop_map(|span| span >> 20),
        1 => any::<u64>(),
        1 => Just(u64::MAX),
    ]
}

/// Returns operations in groups, each with delays of one magnitude, so that the widths of buckets have to change. The
/// first operations mostly add events.
fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let group = (span(), 0..100u32, 1..100u32, prop::collection::vec((0..100u32, 0..100u32, any::<u64>()), 1..1_500))
        .prop_map(|(scale, pop_percent, repeat_percent, draws)| {
            let operation = |&(draw, repeat_draw, random): &(u32, u32, u64)| match draw {
                _ if draw < pop_percent => Operation::Pop,
                _ if draw % 8 == 0 => Operation::PushNow,
                _ if repeat_draw < repeat_percent => Operation::Push(scale),
                _ => Operation::Push(random % scale.saturating_add(1)),
            };
            draws.iter().map(operation).collect::<Vec<_>>()
        });
    prop::collection::vec(group, 1..6).prop_map(|groups| groups.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn events_fire_in_the_order_of_a_binary_heap(operations in operations(), spans in prop::collection::vec(span(), 0..300)) {
        let mut pair = QueuePair::default();
        for operation in operations {
            pair.apply(operation);
        }
        for span in spans {
            pair.apply(Operation::Push(span));
            pair.apply(Operation::Pop);
        }
        while pair.pop() {}
    }

    #[test]
    fn thousands_of_events_fire_in_the_order_of_a_binary_heap(pending in 100..6_000u64, scales in prop::collection::vec(span(), 1..5)) {
        let mut pair = QueuePair::default();
        for n in 0..pending {
            pair.apply(Operation::Push(n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40));
        }
        for scale in scales {
            for n in 0..4 * pending {
                pair.apply(Operation::Pop);
                pair.apply(if n % 5 == 0 { Operation::PushNow } else { Operation::Push(scale / (n % 64 + 1)) });
            }
        }
        while pair.pop() {}
    }
}

#[test]
fn a_full_wheel_spans_all_of_time() {
    let mut pair = QueuePair::default();
    for n in 0..10_000 {
        pair.apply(Operation::Push(u64::MAX / 10_000 * n));
    }
    for _ in 0..200 {
        pair.apply(Operation::Push(u64::MAX));
    }
    while pair.pop() {}
}

#[test]
fn order_holds_for_few_events_after_many() {
    let mut pair = QueuePair::default();
    for round in 0..20u64 {
        for n in 0..(1 << (round % 12)) {
            pair.apply(Operation::Push(n * n % 977));
        }
        while pair.pop() {}
    }
}
