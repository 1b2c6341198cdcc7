//! The scan phase: "a scan addition is performed across all processors for each bucket; this involves nearest-neighbor
//! communication" (Callahan and Goldstein 1995, §4.5).
//!
//! For each bucket, a sum travels from node to node. Each node adds its own count, and so learns the number of keys of
//! the bucket that precede its own. The last node sends the total around the ring, so that all nodes learn where each
//! bucket begins. Buckets are pipelined, with one message for each. With a delay, a node waits for that number of
//! cycles between two sends, and receives messages meanwhile.

use super::super::parallel;
use super::RadixSort;
use super::node::{NodeState, SCAN_HANDLER, TOTAL_HANDLER};
use crate::messaging::active::{ActiveEndpoint, ActiveMessage};

/// Returns the position of the node's first key of each bucket among all keys.
pub(super) async fn positions(endpoint: &ActiveEndpoint, parameters: &RadixSort, state: &NodeState) -> Vec<u32> {
    let (node, last_node) = (endpoint.id().index(), endpoint.endpoint_count() - 1);
    let counts = state.counts.borrow().clone();
    let mut sender = PacedSender { endpoint, delay: parameters.delay, next_cycle: 0 };
    if node == 0 {
        state.prefix_counts.borrow_mut().fill(Some(0));
        for (bucket, count) in counts.iter().enumerate() {
            sender.send(SCAN_HANDLER, bucket as u32, *count).await;
        }
    }
    // Two sums per bucket arrive: the total, except at the last node, which computes it; and the sum over the preceding
    // nodes, except at the first node.
    let sums_per_bucket = if node == 0 || node == last_node { 1 } else { 2 };
    for _ in 0..sums_per_bucket * counts.len() {
        endpoint.wait_until(|| !state.pending_sums.borrow().is_empty()).await;
        let (handler, bucket, sum) = state.pending_sums.borrow_mut().pop_front().expect("a sum is pending");
        let sum_with_own = sum + counts[bucket as usize];
        match handler {
            SCAN_HANDLER if node == last_node => {
                state.totals.borrow_mut()[bucket as usize] = Some(sum_with_own);
                sender.send(TOTAL_HANDLER, bucket, sum_with_own).await;
            }
            SCAN_HANDLER => sender.send(SCAN_HANDLER, bucket, sum_with_own).await,
            _ if node + 1 < last_node => sender.send(TOTAL_HANDLER, bucket, sum).await,
            _ => {}
        }
    }
    first_positions(state)
}

/// Computes the positions from the sums that have arrived, and removes the sums.
fn first_positions(state: &NodeState) -> Vec<u32> {
    let (mut prefix_counts, mut totals) = (state.prefix_counts.borrow_mut(), state.totals.borrow_mut());
    let mut bucket_begin = 0;
    let sums = prefix_counts.iter_mut().zip(totals.iter_mut());
    sums.map(|(prefix_count, total)| {
        let position = bucket_begin + prefix_count.take().expect("all sums have arrived");
        bucket_begin += total.take().expect("all totals have arrived");
        position
    })
    .collect()
}

/// Sends sums to the next node, with a delay after each.
struct PacedSender<'a> {
    endpoint: &'a ActiveEndpoint,
    delay: u64,
    next_cycle: u64,
}

impl PacedSender<'_> {
    async fn send(&mut self, handler: u8, bucket: u32, sum: u32) {
        let to = (self.endpoint.id().index() + 1) % self.endpoint.endpoint_count();
        self.endpoint.wait_until_cycle(self.next_cycle, || false).await;
        self.endpoint.send(ActiveMessage::new(parallel::endpoint_id(to), handler, &[bucket, sum])).await;
        self.next_cycle = self.endpoint.cycle() + self.delay;
        self.endpoint.poll().await;
    }
}
