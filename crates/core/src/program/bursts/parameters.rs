//! The parameters of bursts. Their defaults are those of the heavy or the light traffic of the paper.

use super::super::destinations::Pattern;
use crate::engine::rng;
use crate::text::{Meaning, ParameterSink, ParameterType, Parameters, Table};

/// The parameters of bursts.
#[derive(Clone, Debug)]
pub struct Bursts {
    /// Length of the run in cycles.
    pub cycles: u64,
    /// Number of phases after which the run ends before its last cycle; 0 for no such limit.
    pub phases: u64,
    /// Expected fraction of phases in which a node sends.
    pub send_probability: f64,
    /// Smallest and largest number of packets that a sending node sends in a phase.
    pub packets: (u64, u64),
    /// Lengths of messages in packets, each with its weight.
    pub lengths: Vec<(u64, u64)>,
    /// Smallest length, in packets, of a message that requests a bulk dialog.
    pub bulk_min: u64,
    /// Traffic pattern of the messages.
    pub pattern: Pattern,
    /// Bounds of the periods in which a node ignores the network, in cycles.
    pub unresponsive: (u64, u64),
    /// Bounds of the times between these periods, in cycles.
    pub responsive: (u64, u64),
    /// Packets that a node sends between two polls; 0 if it polls only where it has to.
    pub poll_every: u64,
    /// Nodes that never accept a packet, send no packet, and enter no barrier.
    pub unresponsive_nodes: Vec<u64>,
}

/// A kind of traffic of the paper. Values that the paper does not state are chosen.
struct TrafficPreset {
    send_probability: f64,
    lengths: &'static [u64],
    weights: &'static [u64],
    unresponsive: [u64; 2],
}

/// "In the heavy traffic pattern, all nodes send each phase, and message lengths … are uniformly
/// chosen from one to five packets."
const HEAVY: TrafficPreset =
    TrafficPreset { send_probability: 1.0, lengths: &[1, 2, 3, 4, 5], weights: &[1, 1, 1, 1, 1], unresponsive: [0, 0] };

/// "In the light traffic pattern, each node has only a 33% chance of sending each phase … our simulated nodes
/// periodically ignore the network … the message length distribution includes lengths of 10 and 20 packets; most
/// messages are short, but long messages account for more packets overall." The weights and the periods are chosen, the
/// periods in view of the parameter sets of Table 3: 30 of 100 messages are long and have 450 of 660 packets, and a
/// node ignores the network for a fifth of the time.
const LIGHT: TrafficPreset = TrafficPreset {
    send_probability: 0.33,
    lengths: &[1, 2, 3, 4, 5, 10, 20],
    weights: &[14, 14, 14, 14, 14, 15, 15],
    unresponsive: [100, 300],
};

const CYCLES_MAX: u64 = 1_000_000_000;

/// Implemented by hand, since the key `traffic` determines the defaults of other keys.
impl Parameters for Bursts {
    fn read(t: &mut Table<'_>) -> Bursts {
        t.renamed_key("sending", "send-probability");
        t.renamed_key("deaf", "unresponsive-nodes");
        let presets = [("heavy", false), ("light", true)];
        let is_light = t
            .choice("traffic", "Preset of the traffic, which gives the defaults of the other keys", &presets)
            .or("heavy");
        let traffic = if is_light { &LIGHT } else { &HEAVY };
        let send_probability =
            t.fraction("send-probability", "Probability that a node sends in a phase").meaning(Meaning::Load);
        let send_probability = send_probability.or(traffic.send_probability);
        if send_probability == 0.0 {
            let help = "the probability is more than 0 and at most 1";
            t.report_invalid("send-probability", "no node would ever send", help);
        }
        Bursts {
            cycles: t
                .count("cycles", "Length of the run in cycles")
                .range(1, CYCLES_MAX)
                .meaning(Meaning::Repetitions)
                .or(1_000_000),
            phases: t
                .count("phases", "Phases after which the run ends early; 0 for no limit")
                .meaning(Meaning::Load)
                .or(0),
            send_probability,
            packets: bounds(t, "packets", "Smallest and largest number of packets of a node in a phase", 1, [100, 300]),
            lengths: read_lengths(t, traffic),
            bulk_min: t
                .count("bulk-min", "Length in packets of the shortest message that requests a bulk dialog")
                .min(2)
                .meaning(Meaning::Load)
                .or(2),
            pattern: Pattern::read(t),
            unresponsive: bounds(
                t,
                "unresponsive",
                "Shortest and longest period in which a node ignores the network, in cycles",
                0,
                traffic.unresponsive,
            ),
            responsive: bounds(
                t,
                "responsive",
                "Shortest and longest time between two periods in which a node ignores the network, in cycles",
                1,
                [400, 1200],
            ),
            poll_every: t
                .count(
                    "poll-every",
                    "Packets that a node sends between two polls; 0 to poll only when a send is blocked",
                )
                .meaning(Meaning::Load)
                .or(1),
            unresponsive_nodes: t
                .counts("unresponsive-nodes", "Numbers of nodes that never send, accept a packet or enter a barrier")
                .or(&[]),
        }
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        let (lengths, weights): (Vec<u64>, Vec<u64>) = self.lengths.iter().copied().unzip();
        let bounds_value = |(min, max): (u64, u64)| [min, max].to_value();
        to.value("cycles", self.cycles.to_value());
        to.value("phases", self.phases.to_value());
        to.value("send-probability", self.send_probability.to_value());
        to.value("packets", bounds_value(self.packets));
        to.value("lengths", lengths.to_value());
        to.value("weights", weights.to_value());
        to.value("bulk-min", self.bulk_min.to_value());
        self.pattern.write(to);
        to.value("unresponsive", bounds_value(self.unresponsive));
        to.value("responsive", bounds_value(self.responsive));
        to.value("poll-every", self.poll_every.to_value());
        to.value("unresponsive-nodes", self.unresponsive_nodes.to_value());
    }
}

impl Bursts {
    /// Returns the errors on a machine of `nodes` nodes, each as the key and the reason.
    pub fn check_nodes(&self, nodes: usize) -> Vec<(&'static str, String)> {
        let unknown_node = self.unresponsive_nodes.iter().find(|node| **node >= nodes as u64);
        let unknown_node = unknown_node
            .map(|node| ("unresponsive-nodes", format!("there is no node {node}; the last node is {}", nodes - 1)));
        let pattern_error = self.pattern.check(nodes).err();
        let no_traffic_error = (pattern_error.is_none() && !self.has_traffic(nodes)).then(|| {
            let reason = "this pattern maps every node to itself, so that no node would send: choose another pattern";
            ("pattern", reason.to_owned())
        });
        pattern_error.into_iter().chain(no_traffic_error).chain(unknown_node).collect()
    }

    /// Returns whether any node sends to another node.
    fn has_traffic(&self, nodes: usize) -> bool {
        let is_random = matches!(self.pattern, Pattern::Uniform | Pattern::UniformWithSelf | Pattern::HotSpot { .. });
        // The other patterns draw no random number.
        let mut random = rng::stream(0, "a trial of the pattern");
        is_random || (0..nodes).any(|node| self.pattern.destination(node, nodes, &mut random) != node)
    }
}

/// Reads lengths with their weights; the weights are equal by default if lengths are stated.
fn read_lengths(t: &mut Table<'_>, traffic: &TrafficPreset) -> Vec<(u64, u64)> {
    let has_lengths = t.has("lengths");
    let lengths = t.counts("lengths", "Lengths of messages, in packets").each(1, 1_000_000).length(1, 64);
    let lengths = lengths.or(traffic.lengths);
    let equal_weights = vec![1; lengths.len()];
    let weights = t.counts("weights", "Relative probability of each length").each(0, 1_000_000).length(1, 64);
    let weights = weights.or(if has_lengths { &equal_weights } else { traffic.weights });
    if lengths.len() != weights.len() {
        let message = format!("{} weights for {} lengths", weights.len(), lengths.len());
        t.report_invalid("weights", message, "each length has one weight");
    } else if weights.iter().all(|weight| *weight == 0) {
        t.report_invalid("weights", "all weights are 0", "give at least one length a weight above 0");
    }
    lengths.into_iter().zip(weights).collect()
}

/// Reads the two bounds of a range that includes both.
fn bounds(t: &mut Table<'_>, key: &'static str, doc: &'static str, min_value: u64, default: [u64; 2]) -> (u64, u64) {
    let bounds = t.counts(key, doc).each(min_value, CYCLES_MAX).length(2, 2).or(&default);
    let [min, max] = bounds[..] else { unreachable!("the list has two elements") };
    if min > max {
        t.report_invalid(key, format!("{min} is more than {max}"), "write the smaller number first");
    }
    (min, max.max(min))
}
