//! What a node sends, and when it ignores the network. Both are drawn from streams of the node's own,
//! in an order that no timing changes.

use super::super::destinations::Pattern;
use super::Bursts;
use crate::engine::rng;
use crate::messaging::active::Active;
use rand::RngExt;

/// The bursts of a node.
pub(super) struct Draws {
    random: rng::RandomStream,
    node: usize,
    nodes: usize,
    sending: f64,
    packets: (u64, u64),
    lengths: Vec<(u64, u64)>,
    weight: u64,
    pattern: Pattern,
}

impl Draws {
    pub fn new(bursts: &Bursts, seed: u64, node: usize, nodes: usize) -> Draws {
        Draws {
            random: rng::stream(seed, &format!("bursts of node {node}")),
            node,
            nodes,
            sending: bursts.sending,
            packets: bursts.packets,
            lengths: bursts.lengths.clone(),
            weight: bursts.lengths.iter().map(|(_, weight)| weight).sum(),
            pattern: bursts.pattern.clone(),
        }
    }

    /// The messages of the next phase: destination and packets of each. The last is cut off where the
    /// node has no packets left.
    pub fn burst(&mut self) -> Vec<(usize, u64)> {
        let is_sending = self.random.random::<f64>() < self.sending;
        let mut left = self.random.random_range(self.packets.0..=self.packets.1);
        let mut messages = Vec::new();
        while is_sending && left > 0 {
            let to = self.pattern.destination(self.node, self.nodes, &mut self.random);
            let packets = self.length().min(left);
            left -= packets;
            messages.push((to, packets));
        }
        messages
    }

    fn length(&mut self) -> u64 {
        let mut place = self.random.random_range(0..self.weight);
        for (length, weight) in &self.lengths {
            if place < *weight {
                return *length;
            }
            place -= weight;
        }
        unreachable!("a place is less than all weights")
    }
}

/// The periods in which a node ignores the network.
pub(super) struct Silences {
    random: rng::RandomStream,
    responsive: (u64, u64),
    unresponsive: (u64, u64),
    /// The first cycle of the next or present period, and the first after it; none if the node always
    /// responds.
    period: Option<(u64, u64)>,
}

impl Silences {
    pub fn new(bursts: &Bursts, seed: u64, node: usize) -> Silences {
        let random = rng::stream(seed, &format!("silences of node {node}"));
        let (responsive, unresponsive) = (bursts.responsive, bursts.unresponsive);
        let mut silences = Silences { random, responsive, unresponsive, period: None };
        if unresponsive.1 > 0 {
            silences.draw(0);
        }
        silences
    }

    /// Draws the period that comes after one that ended at `end`.
    fn draw(&mut self, end: u64) {
        let begin = end + self.random.random_range(self.responsive.0..=self.responsive.1);
        let length = self.random.random_range(self.unresponsive.0..=self.unresponsive.1);
        self.period = Some((begin, begin + length));
    }

    /// The period that the node is in or that comes next.
    fn next(&mut self, now: u64) -> Option<(u64, u64)> {
        while let Some((_, end)) = self.period.filter(|(_, end)| *end <= now) {
            self.draw(end);
        }
        self.period
    }

    /// Ignores the network if it is time to.
    pub async fn keep(&mut self, end: &Active) {
        let now = end.cycle();
        if let Some((_, until)) = self.next(now).filter(|(begin, _)| *begin <= now) {
            end.ignore(until - now).await;
        }
    }

    /// Polls until `condition` holds, but for the periods in which the node ignores the network.
    pub async fn wait_until(&mut self, end: &Active, condition: impl Fn() -> bool) {
        while let Some((begin, _)) = self.next(end.cycle()) {
            if end.wait_until_cycle(begin, &condition).await {
                return;
            }
            self.keep(end).await;
        }
        end.wait_until(condition).await;
    }

    /// The share of the first `cycles` in which the node ignores the network.
    #[cfg(test)]
    pub fn share(&mut self, cycles: u64) -> f64 {
        let (mut now, mut ignored) = (0, 0);
        while let Some((begin, end)) = self.next(now).filter(|(_, end)| *end < cycles) {
            (now, ignored) = (end, ignored + end - begin);
        }
        ignored as f64 / cycles as f64
    }
}
