//! Barriers and reductions by messages, for machines without a control network.
//!
//! The module models a dissemination barrier (Hensgen, Finkel and Manber 1988): in round k, processor i sends a message
//! without data to processor i + 2^k, and waits for one from processor i - 2^k. A reduction combines values up a binary
//! tree and broadcasts the result down the tree, with 4 or 8 bytes in each message; the result does not depend on the
//! order of arrival. The module leaves out trees in the network that processors share, values of several words, and
//! groups.

use super::parallel;
use crate::engine::EndpointId;
use crate::messaging::active::{ActiveEndpoint, ActiveMessage, PROTOCOL_HANDLERS, Received};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Handler of a barrier message.
const BARRIER_HANDLER: u8 = PROTOCOL_HANDLERS - 3;
/// Handler of a value that goes up the tree of a reduction.
const REDUCE_HANDLER: u8 = PROTOCOL_HANDLERS - 2;
/// Handler of a result that goes down the tree.
const BROADCAST_HANDLER: u8 = PROTOCOL_HANDLERS - 1;

/// Instructions to store and combine an arrived value (chosen: three loads, a store, an operation, a comparison, and
/// two for the loop).
const COMBINE_INSTRUCTIONS: u64 = 8;

/// The state of one processor in barriers and reductions.
#[derive(Default)]
pub(super) struct Collective {
    /// Number of barrier messages that have arrived from each processor.
    barrier_counts: RefCell<BTreeMap<EndpointId, u64>>,
    /// Number of barriers entered.
    entered_barriers: Cell<u64>,
    /// Values that have arrived from children in the tree and are not yet combined.
    child_values: RefCell<BTreeMap<EndpointId, u64>>,
    reduction_result: Cell<Option<u64>>,
}

impl Collective {
    /// Handles a message of a barrier or reduction, and returns the number of instructions that this takes; `None` for
    /// any other message.
    pub fn handle(&self, received: &Received<'_>) -> Option<u64> {
        let from = received.from;
        match received.handler {
            BARRIER_HANDLER => *self.barrier_counts.borrow_mut().entry(from).or_default() += 1,
            REDUCE_HANDLER => {
                let previous = self.child_values.borrow_mut().insert(from, value_of_words(received.words));
                assert!(previous.is_none(), "a processor entered a reduction twice");
            }
            BROADCAST_HANDLER => {
                let previous = self.reduction_result.replace(Some(value_of_words(received.words)));
                assert!(previous.is_none(), "a reduction ended twice");
            }
            _ => return None,
        }
        Some(COMBINE_INSTRUCTIONS)
    }

    /// Waits for all processors.
    pub async fn barrier(&self, endpoint: &ActiveEndpoint) {
        let (rank, processors) = (endpoint.id().index(), endpoint.endpoint_count());
        self.entered_barriers.set(self.entered_barriers.get() + 1);
        let mut distance = 1;
        while distance < processors {
            send(endpoint, (rank + distance) % processors, BARRIER_HANDLER, &[]).await;
            // A processor that has sent a message of a later barrier has also sent that of this one.
            let sender = parallel::endpoint_id((rank + processors - distance) % processors);
            let has_arrived =
                || self.barrier_counts.borrow().get(&sender).is_some_and(|count| *count >= self.entered_barriers.get());
            endpoint.wait_for_answer(sender, has_arrived).await;
            distance *= 2;
        }
    }

    /// Combines one value of each processor, in the order of a binary tree. Returns the result, on each processor.
    pub async fn reduce(&self, endpoint: &ActiveEndpoint, value: u64, combine: impl Fn(u64, u64) -> u64) -> u64 {
        let (rank, processors) = (endpoint.id().index(), endpoint.endpoint_count());
        let children = children(rank, processors);
        let mut combined = value;
        for child in children.clone() {
            let child = parallel::endpoint_id(child);
            endpoint.wait_for_answer(child, || self.child_values.borrow().contains_key(&child)).await;
            let child_value =
                self.child_values.borrow_mut().remove(&child).expect("the value of the child has arrived");
            combined = combine(combined, child_value);
        }
        if rank > 0 {
            let parent = (rank - 1) / 2;
            send(endpoint, parent, REDUCE_HANDLER, &words_of_value(combined)).await;
            endpoint.wait_for_answer(parallel::endpoint_id(parent), || self.reduction_result.get().is_some()).await;
            combined = self.reduction_result.take().expect("the result has arrived");
        }
        for child in children {
            send(endpoint, child, BROADCAST_HANDLER, &words_of_value(combined)).await;
        }
        combined
    }

    /// Returns the sum of one number of each processor.
    pub async fn sum(&self, endpoint: &ActiveEndpoint, value: u64) -> u64 {
        self.reduce(endpoint, value, u64::wrapping_add).await
    }
}

async fn send(endpoint: &ActiveEndpoint, to: usize, handler: u8, words: &[u32]) {
    endpoint.send(ActiveMessage::new(parallel::endpoint_id(to), handler, words)).await;
}

/// Returns the children of processor `rank` in the tree.
fn children(rank: usize, processors: usize) -> std::ops::Range<usize> {
    (2 * rank + 1).min(processors)..(2 * rank + 3).min(processors)
}

/// Returns the words of a message that carries `value`: one word if it fits, otherwise two.
fn words_of_value(value: u64) -> Vec<u32> {
    let [low, high] = [value as u32, (value >> 32) as u32];
    if high == 0 { vec![low] } else { vec![low, high] }
}

/// Returns the value that the words of a message carry.
fn value_of_words(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words.get(1).copied().unwrap_or(0)) << 32
}
