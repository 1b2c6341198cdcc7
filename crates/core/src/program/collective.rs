//! Barriers and reductions by messages, as programs make them where no control network does.
//!
//! Models: a barrier by dissemination (Hensgen, Finkel and Manber 1988): in round k each processor sends a
//! header alone to the one 2^k after it, and waits for that from the one 2^k before it. A reduction up a binary
//! tree and its result down again, 4 or 8 bytes in each message: what it gives does not depend on who came first.
//! Leaves out: shared trees of the network, values of several words, groups.

use super::parallel;
use crate::engine::EndId;
use crate::messaging::active::{Active, ActiveMessage, PROTOCOL_HANDLERS, Received};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// A processor has come so far in a barrier.
const BARRIER: u8 = PROTOCOL_HANDLERS - 3;
/// What the processors below have in a reduction.
const UP: u8 = PROTOCOL_HANDLERS - 2;
/// What all have.
const DOWN: u8 = PROTOCOL_HANDLERS - 1;

/// Instructions to enter what came, and to combine it (chosen: three loads, a store, an operation, a comparison
/// and two of a loop).
const COMBINE_INSTRUCTIONS: u64 = 8;

/// A processor's part in what all do together.
#[derive(Default)]
pub(super) struct Collective {
    /// By the processor that sent them: how many messages of barriers have come.
    passed: RefCell<BTreeMap<EndId, u64>>,
    /// How many barriers it has entered.
    barriers: Cell<u64>,
    /// By the processor below that sent it: what has come and is not yet combined.
    below: RefCell<BTreeMap<EndId, u64>>,
    all: Cell<Option<u64>>,
}

impl Collective {
    /// Takes a message, if it is one of these; the instructions that it costs.
    pub fn take(&self, received: &Received<'_>) -> Option<u64> {
        let from = received.from;
        match received.handler {
            BARRIER => *self.passed.borrow_mut().entry(from).or_default() += 1,
            UP => {
                let had = self.below.borrow_mut().insert(from, value(received.words));
                assert!(had.is_none(), "a processor entered a reduction twice");
            }
            DOWN => {
                let had = self.all.replace(Some(value(received.words)));
                assert!(had.is_none(), "a reduction ended twice");
            }
            _ => return None,
        }
        Some(COMBINE_INSTRUCTIONS)
    }

    /// Waits for all processors.
    pub async fn barrier(&self, end: &Active) {
        let (own, ends) = (end.id().index(), end.ends());
        self.barriers.set(self.barriers.get() + 1);
        let mut distance = 1;
        while distance < ends {
            send(end, (own + distance) % ends, BARRIER, &[]).await;
            // Who has sent another one since then has sent this one, too.
            let before = parallel::id((own + ends - distance) % ends);
            let has_come = || self.passed.borrow().get(&before).is_some_and(|times| *times >= self.barriers.get());
            end.wait_for_answer(before, has_come).await;
            distance *= 2;
        }
    }

    /// Combines a value of each processor, in the order of a binary tree; all get the same.
    pub async fn reduce(&self, end: &Active, own: u64, combine: impl Fn(u64, u64) -> u64) -> u64 {
        let (place, ends) = (end.id().index(), end.ends());
        let children = children(place, ends);
        let mut sum = own;
        for child in children.clone() {
            let child = parallel::id(child);
            end.wait_for_answer(child, || self.below.borrow().contains_key(&child)).await;
            let below = self.below.borrow_mut().remove(&child).expect("it was waited for");
            sum = combine(sum, below);
        }
        if place > 0 {
            let above = (place - 1) / 2;
            send(end, above, UP, &words(sum)).await;
            end.wait_for_answer(parallel::id(above), || self.all.get().is_some()).await;
            sum = self.all.take().expect("it was waited for");
        }
        for child in children {
            send(end, child, DOWN, &words(sum)).await;
        }
        sum
    }

    /// The sum of a number of each processor.
    pub async fn sum(&self, end: &Active, own: u64) -> u64 {
        self.reduce(end, own, u64::wrapping_add).await
    }
}

async fn send(end: &Active, to: usize, handler: u8, words: &[u32]) {
    end.send(ActiveMessage::new(parallel::id(to), handler, words)).await;
}

/// Who is below a processor in the tree.
fn children(place: usize, ends: usize) -> std::ops::Range<usize> {
    (2 * place + 1).min(ends)..(2 * place + 3).min(ends)
}

/// A value as it travels, in a word if it fits.
fn words(value: u64) -> Vec<u32> {
    let [low, high] = [value as u32, (value >> 32) as u32];
    if high == 0 { vec![low] } else { vec![low, high] }
}

/// As it came.
fn value(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words.get(1).copied().unwrap_or(0)) << 32
}
