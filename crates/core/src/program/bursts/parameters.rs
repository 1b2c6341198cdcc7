//! What may be stated of bursts; what is not stated is the paper's heavy or light traffic.

use super::super::destinations::Pattern;
use crate::engine::rng;
use crate::text::{ParameterSink, ParameterType, Parameters, Table};

/// The parameters of bursts.
#[derive(Clone, Debug)]
pub struct Bursts {
    /// How long the run is.
    pub cycles: u64,
    /// After how many phases it ends, if before; 0 for as many as there are.
    pub phases: u64,
    /// Chance of a node to send in a phase.
    pub sending: f64,
    /// The fewest and the most packets that a sending node sends in a phase.
    pub packets: (u64, u64),
    /// Lengths of messages in packets, each with its weight.
    pub lengths: Vec<(u64, u64)>,
    /// The shortest message that asks for a bulk dialog.
    pub bulk_min: u64,
    /// Whom messages go to.
    pub pattern: Pattern,
    /// The fewest and the most cycles of a period in which a node ignores the network.
    pub unresponsive: (u64, u64),
    /// The fewest and the most cycles between such periods.
    pub responsive: (u64, u64),
    /// How many packets a node sends before it polls; 0 if it polls only where it must.
    pub poll_every: u64,
    /// Nodes that accept no packet ever, send none, and enter no barrier.
    pub deaf: Vec<u64>,
}

/// What the paper says of a kind of traffic, or else what was chosen.
struct Traffic {
    sending: f64,
    lengths: &'static [u64],
    weights: &'static [u64],
    unresponsive: [u64; 2],
}

/// "In the heavy traffic pattern, all nodes send each phase, and message lengths … are uniformly
/// chosen from one to five packets."
const HEAVY: Traffic =
    Traffic { sending: 1.0, lengths: &[1, 2, 3, 4, 5], weights: &[1, 1, 1, 1, 1], unresponsive: [0, 0] };

/// "In the light traffic pattern, each node has only a 33% chance of sending each phase … our
/// simulated nodes periodically ignore the network … the message length distribution includes
/// lengths of 10 and 20 packets; most messages are short, but long messages account for more packets
/// overall." The weights and the periods are chosen, the periods with the parameter sets of Table 3 in sight: 30 of 100 messages are long, with 450 of 660
/// packets, and a node ignores the network for a fifth of the time.
const LIGHT: Traffic = Traffic {
    sending: 0.33,
    lengths: &[1, 2, 3, 4, 5, 10, 20],
    weights: &[14, 14, 14, 14, 14, 15, 15],
    unresponsive: [100, 300],
};

const CYCLES_MAX: u64 = 1_000_000_000;

/// Written by hand: the key `traffic` chooses the defaults of others.
impl Parameters for Bursts {
    fn read(t: &mut Table<'_>) -> Bursts {
        let kinds = [("heavy", false), ("light", true)];
        let is_light = t.choice("traffic", "Whose values hold where none are stated", &kinds).or("heavy");
        let traffic = if is_light { &LIGHT } else { &HEAVY };
        let sending = t.fraction("sending", "The chance that a node sends in a phase").or(traffic.sending);
        if sending == 0.0 {
            t.wrong("sending", "no node would ever send", "the chance is more than 0, and 1 at most");
        }
        Bursts {
            cycles: t.count("cycles", "How many cycles the run has").range(1, CYCLES_MAX).or(1_000_000),
            phases: t.count("phases", "Phases after which the run ends before that; 0 for none").or(0),
            sending,
            packets: range(t, "packets", "Fewest and most packets of a node in a phase", 1, [100, 300]),
            lengths: lengths(t, traffic),
            bulk_min: t.count("bulk-min", "Packets of the shortest message that asks for a bulk dialog").min(2).or(2),
            pattern: Pattern::read(t),
            unresponsive: range(t, "unresponsive", "Cycles for which a node ignores the network", 0, {
                traffic.unresponsive
            }),
            responsive: range(t, "responsive", "Cycles between such periods", 1, [400, 1200]),
            poll_every: t.count("poll-every", "Packets a node sends before it polls; 0 for never unasked").or(1),
            deaf: t.counts("deaf", "Numbers of nodes that accept and send nothing, and enter no barrier").or(&[]),
        }
    }

    fn write(&self, to: &mut dyn ParameterSink) {
        let (lengths, weights): (Vec<u64>, Vec<u64>) = self.lengths.iter().copied().unzip();
        let list = |(fewest, most): (u64, u64)| [fewest, most].to_value();
        to.value("cycles", self.cycles.to_value());
        to.value("phases", self.phases.to_value());
        to.value("sending", self.sending.to_value());
        to.value("packets", list(self.packets));
        to.value("lengths", lengths.to_value());
        to.value("weights", weights.to_value());
        to.value("bulk-min", self.bulk_min.to_value());
        self.pattern.write(to);
        to.value("unresponsive", list(self.unresponsive));
        to.value("responsive", list(self.responsive));
        to.value("poll-every", self.poll_every.to_value());
        to.value("deaf", self.deaf.to_value());
    }
}

impl Bursts {
    /// The key and the reason, for whatever so many nodes cannot do.
    pub fn check_nodes(&self, nodes: usize) -> Vec<(&'static str, String)> {
        let stranger = self.deaf.iter().find(|node| **node >= nodes as u64);
        let stranger = stranger.map(|node| ("deaf", format!("there is no node {node}: the last is {}", nodes - 1)));
        let misfit = self.pattern.check(nodes).err();
        let idle = (misfit.is_none() && !self.is_anything_sent(nodes)).then(|| {
            let reason = "each node would send to itself alone, and such messages are left out: choose another pattern";
            ("pattern", reason.to_owned())
        });
        misfit.into_iter().chain(idle).chain(stranger).collect()
    }

    /// Whether any node has anybody else to send to.
    fn is_anything_sent(&self, nodes: usize) -> bool {
        let by_chance = matches!(self.pattern, Pattern::Uniform | Pattern::UniformWithSelf | Pattern::HotSpot { .. });
        // The others draw nothing.
        let mut random = rng::stream(0, "a trial of the pattern");
        by_chance || (0..nodes).any(|node| self.pattern.destination(node, nodes, &mut random) != node)
    }
}

/// Lengths with their weights; equal weights where only lengths stand.
fn lengths(t: &mut Table<'_>, traffic: &Traffic) -> Vec<(u64, u64)> {
    let own = t.has("lengths");
    let lengths = t.counts("lengths", "Lengths of messages, in packets").each(1, 1_000_000).length(1, 64);
    let lengths = lengths.or(traffic.lengths);
    let ones = vec![1; lengths.len()];
    let weights = t.counts("weights", "How likely each length is, beside the others").each(0, 1_000_000).length(1, 64);
    let weights = weights.or(if own { &ones } else { traffic.weights });
    if lengths.len() != weights.len() {
        let message = format!("{} weights for {} lengths", weights.len(), lengths.len());
        t.wrong("weights", message, "each length has one weight");
    } else if weights.iter().all(|weight| *weight == 0) {
        t.wrong("weights", "no length has any weight", "give one of them more than 0");
    }
    lengths.into_iter().zip(weights).collect()
}

/// The ends of a range, both included.
fn range(t: &mut Table<'_>, key: &'static str, doc: &'static str, least: u64, default: [u64; 2]) -> (u64, u64) {
    let ends = t.counts(key, doc).each(least, CYCLES_MAX).length(2, 2).or(&default);
    let [fewest, most] = ends[..] else { unreachable!("a list of two") };
    if fewest > most {
        t.wrong(key, format!("{fewest} is more than {most}"), "write the smaller first");
    }
    (fewest, most.max(fewest))
}
