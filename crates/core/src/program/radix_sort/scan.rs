//! The scan phase: "a scan addition is performed across all processors for each bucket; this involves
//! nearest-neighbor communication" (§4.5).
//!
//! For each bucket a sum goes from node to node, each adding its own count, so that each node learns
//! how many keys of the bucket lie before its own. The last node sends the total round the ring, so
//! that all learn where each bucket begins. Buckets follow each other as in a pipeline, one message
//! for each. With a delay, a node lets that many cycles pass from the end of one send to the next,
//! and takes in what comes meanwhile.

use super::super::parallel;
use super::RadixSort;
use super::node::{NodeState, SCAN, TOTAL};
use crate::messaging::active::{Active, ActiveMessage};

/// Where the node's keys of each bucket begin among all keys.
pub(super) async fn places(end: &Active, parameters: &RadixSort, state: &NodeState) -> Vec<u32> {
    let (node, last) = (end.id().index(), end.ends() - 1);
    let counts = state.counts.borrow().clone();
    let mut paced = Paced { end, delay: parameters.delay, next_cycle: 0 };
    if node == 0 {
        state.before.borrow_mut().fill(Some(0));
        for (bucket, count) in counts.iter().enumerate() {
            paced.send(SCAN, bucket as u32, *count).await;
        }
    }
    // Each bucket's total comes here, and but for the first node its sum; the last makes the totals.
    let awaited = if node == 0 || node == last { 1 } else { 2 };
    for _ in 0..awaited * counts.len() {
        end.wait_until(|| !state.work.borrow().is_empty()).await;
        let (what, bucket, sum) = state.work.borrow_mut().pop_front().expect("there is work");
        let through_here = sum + counts[bucket as usize];
        match what {
            SCAN if node == last => {
                state.totals.borrow_mut()[bucket as usize] = Some(through_here);
                paced.send(TOTAL, bucket, through_here).await;
            }
            SCAN => paced.send(SCAN, bucket, through_here).await,
            _ if node + 1 < last => paced.send(TOTAL, bucket, sum).await,
            _ => {}
        }
    }
    begin(state)
}

/// Adds up what the node has learnt, and forgets it.
fn begin(state: &NodeState) -> Vec<u32> {
    let (mut before, mut totals) = (state.before.borrow_mut(), state.totals.borrow_mut());
    let mut begin = 0;
    let sums = before.iter_mut().zip(totals.iter_mut());
    sums.map(|(before, total)| {
        let place = begin + before.take().expect("all sums have come");
        begin += total.take().expect("all totals have come");
        place
    })
    .collect()
}

/// Sends to the next node, with a delay after each.
struct Paced<'a> {
    end: &'a Active,
    delay: u64,
    next_cycle: u64,
}

impl Paced<'_> {
    async fn send(&mut self, what: u8, bucket: u32, sum: u32) {
        let to = (self.end.id().index() + 1) % self.end.ends();
        self.end.wait_until_cycle(self.next_cycle, || false).await;
        self.end.send(ActiveMessage::new(parallel::id(to), what, &[bucket, sum])).await;
        self.next_cycle = self.end.cycle() + self.delay;
        self.end.poll().await;
    }
}
