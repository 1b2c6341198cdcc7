//! The random draws of a node: its messages, and the periods in which it ignores the network. Each node has separate
//! random streams, and draws in an order that does not depend on timing.

use super::super::destinations::Pattern;
use super::Bursts;
use crate::engine::rng;
use crate::messaging::active::ActiveEndpoint;
use rand::RngExt;

/// The random bursts of a node.
pub(super) struct BurstDraws {
    random: rng::RandomStream,
    node: usize,
    nodes: usize,
    send_probability: f64,
    /// Smallest and largest number of packets in a phase.
    packet_bounds: (u64, u64),
    /// Lengths of messages in packets, each with its weight.
    weighted_lengths: Vec<(u64, u64)>,
    total_weight: u64,
    pattern: Pattern,
}

impl BurstDraws {
    pub fn new(bursts: &Bursts, seed: u64, node: usize, nodes: usize) -> BurstDraws {
        BurstDraws {
            random: rng::stream(seed, &format!("bursts of node {node}")),
            node,
            nodes,
            send_probability: bursts.send_probability,
            packet_bounds: bursts.packets,
            weighted_lengths: bursts.lengths.clone(),
            total_weight: bursts.lengths.iter().map(|(_, weight)| weight).sum(),
            pattern: bursts.pattern.clone(),
        }
    }

    /// Draws the messages of the next phase, each as its destination and number of packets. The last message is
    /// shortened if the node has fewer packets left.
    pub fn draw_burst(&mut self) -> Vec<(usize, u64)> {
        let is_sending = self.random.random::<f64>() < self.send_probability;
        let mut remaining_packets = self.random.random_range(self.packet_bounds.0..=self.packet_bounds.1);
        let mut messages = Vec::new();
        while is_sending && remaining_packets > 0 {
            let to = self.pattern.destination(self.node, self.nodes, &mut self.random);
            let packets = self.draw_length().min(remaining_packets);
            remaining_packets -= packets;
            messages.push((to, packets));
        }
        messages
    }

    fn draw_length(&mut self) -> u64 {
        let mut drawn_weight = self.random.random_range(0..self.total_weight);
        for (length, weight) in &self.weighted_lengths {
            if drawn_weight < *weight {
                return *length;
            }
            drawn_weight -= weight;
        }
        unreachable!("a drawn number is less than the sum of all weights")
    }
}

/// The random periods in which a node ignores the network.
pub(super) struct QuietPeriods {
    random: rng::RandomStream,
    /// Shortest and longest time between two quiet periods, in cycles.
    responsive_bounds: (u64, u64),
    /// Shortest and longest quiet period, in cycles.
    unresponsive_bounds: (u64, u64),
    /// First cycle of the present or next quiet period, and first cycle after it; `None` if the node always responds.
    period: Option<(u64, u64)>,
}

impl QuietPeriods {
    pub fn new(bursts: &Bursts, seed: u64, node: usize) -> QuietPeriods {
        let random = rng::stream(seed, &format!("silences of node {node}"));
        let (responsive_bounds, unresponsive_bounds) = (bursts.responsive, bursts.unresponsive);
        let mut periods = QuietPeriods { random, responsive_bounds, unresponsive_bounds, period: None };
        if unresponsive_bounds.1 > 0 {
            periods.draw_next(0);
        }
        periods
    }

    /// Draws the quiet period that follows the one that ended in cycle `end`.
    fn draw_next(&mut self, end: u64) {
        let begin = end + self.random.random_range(self.responsive_bounds.0..=self.responsive_bounds.1);
        let length = self.random.random_range(self.unresponsive_bounds.0..=self.unresponsive_bounds.1);
        self.period = Some((begin, begin + length));
    }

    /// Returns the quiet period that contains cycle `now`, or otherwise the next one.
    fn period_at_or_after(&mut self, now: u64) -> Option<(u64, u64)> {
        while let Some((_, end)) = self.period.filter(|(_, end)| *end <= now) {
            self.draw_next(end);
        }
        self.period
    }

    /// Ignores the network until the end of the present quiet period, if there is one.
    pub async fn pause(&mut self, endpoint: &ActiveEndpoint) {
        let now = endpoint.cycle();
        if let Some((_, end)) = self.period_at_or_after(now).filter(|(begin, _)| *begin <= now) {
            endpoint.ignore(end - now).await;
        }
    }

    /// Polls until `condition` holds, except in the periods in which the node ignores the network.
    pub async fn wait_until(&mut self, endpoint: &ActiveEndpoint, condition: impl Fn() -> bool) {
        while let Some((begin, _)) = self.period_at_or_after(endpoint.cycle()) {
            if endpoint.wait_until_cycle(begin, &condition).await {
                return;
            }
            self.pause(endpoint).await;
        }
        endpoint.wait_until(condition).await;
    }

    /// Returns the fraction of the first `cycles` in which the node ignores the network.
    #[cfg(test)]
    pub fn quiet_fraction(&mut self, cycles: u64) -> f64 {
        let (mut now, mut quiet_cycles) = (0, 0);
        while let Some((begin, end)) = self.period_at_or_after(now).filter(|(_, end)| *end < cycles) {
            (now, quiet_cycles) = (end, quiet_cycles + end - begin);
        }
        quiet_cycles as f64 / cycles as f64
    }
}
