//! Which channel can wait for which, and so whether packets can wait in a circle.
//!
//! Without escapes (Dally and Seitz 1987): a packet that holds a channel may ask for any of its ways
//! next, so the one waits for the other. With escapes (Duato 1993): only the channels that are waited
//! for until they come count; one waits for another if a packet that holds it can ask for the other
//! next, or after any ways over channels that do not count. A channel counts for every packet that
//! takes it, as an escape or not. No circle of these waits: no deadlock.

use super::super::Shape;
use super::circle::{self, Waits};
use super::follow::{Follow, bits, each, ports, waited_for};
use super::links::{Links, NONE};
use super::{ALL_PAIRS_NODES, Channel, Deadlock};

/// Above [`ALL_PAIRS_NODES`], no further destination is followed after the rule was asked so often.
const ASKED_MAX: u64 = 20_000_000;
/// The most channels that count with escapes: their waits are a table.
const ESCAPES_MAX: usize = 20_000;

/// Whether packets can wait in a circle, and how many sources and destinations were followed.
pub fn deadlock(shape: &Shape, links: &Links, virtual_channels: u8, some: &[u32]) -> (Deadlock, (u32, u32)) {
    let mut waiting = Waiting { shape, links, virtual_channels, some };
    let mut direct = Direct::new(shape, links, virtual_channels);
    let followed = waiting.every(|follow| direct.add(follow));
    let waits = match direct.has_escapes {
        false => direct.waits(),
        true => match Indirect::new(links, virtual_channels, &direct.counts) {
            None => return (Deadlock::NotExamined, followed),
            Some(mut indirect) => {
                waiting.every(|follow| indirect.add(follow));
                indirect.waits(virtual_channels)
            }
        },
    };
    let channel = |number: u32| {
        let (router, port) = links.place_of_output(number / u32::from(virtual_channels));
        Channel { router, port, channel: (number % u32::from(virtual_channels)) as u8 }
    };
    let found = circle::find(&waits).map(|circle| circle.into_iter().map(channel).collect());
    (found.map_or(Deadlock::Free, Deadlock::Circle), followed)
}

/// What is followed.
struct Waiting<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    some: &'s [u32],
}

impl Waiting<'_> {
    /// Follows packets destination by destination; returns how many sources and destinations.
    fn every(&mut self, mut told: impl FnMut(&Follow<'_>)) -> (u32, u32) {
        let nodes = self.shape.wiring.nodes();
        let all: Vec<u32> = (0..nodes).collect();
        let mut follow = Follow::new(self.shape, self.links, self.virtual_channels);
        let looks_back = self.shape.routing.looks_back();
        let sources = if looks_back { self.some } else { &all };
        let mut destinations = 0;
        for &destination in self.some {
            if nodes > ALL_PAIRS_NODES && follow.asked > ASKED_MAX {
                break;
            }
            for together in sources.chunks(if looks_back { 1 } else { sources.len() }) {
                follow.follow(together, destination);
                told(&follow);
            }
            destinations += 1;
        }
        (sources.len() as u32, destinations)
    }
}

/// Waits of each channel for the next.
struct Direct<'s> {
    links: &'s Links,
    virtual_channels: u8,
    /// For each input, where the channels that its packets ask for begin in `asked`.
    first: Vec<usize>,
    /// For each input, channel, and output of its router: the channels asked for there.
    asked: Vec<u16>,
    /// For each output, the channels that are waited for until they come.
    counts: Vec<u16>,
    has_escapes: bool,
    outputs: Vec<u8>,
}

impl<'s> Direct<'s> {
    fn new(shape: &Shape, links: &'s Links, virtual_channels: u8) -> Direct<'s> {
        let wiring = &shape.wiring;
        let outputs_of = |input| wiring.outputs(links.router_of_input(input)).len() as u8;
        let outputs: Vec<u8> = (0..links.inputs() as u32).map(outputs_of).collect();
        let mut total = 0;
        let mut begin = |outputs: &u8| {
            let first = total;
            total += usize::from(*outputs) * usize::from(virtual_channels);
            first
        };
        let first = outputs.iter().map(&mut begin).collect();
        let (asked, counts) = (vec![0; total], vec![0; links.outputs()]);
        Direct { links, virtual_channels, first, asked, counts, has_escapes: false, outputs }
    }

    fn add(&mut self, follow: &Follow<'_>) {
        for state in &follow.states {
            for (port, channels) in waited_for(&state.ways) {
                self.counts[self.links.output(state.router, port) as usize] |= channels;
            }
            self.has_escapes |= state.ways.escape.is_some();
            if self.links.fed_by(state.input) == NONE {
                continue;
            }
            let (first, outputs) = (self.first[state.input as usize], usize::from(self.outputs[state.input as usize]));
            for channel in bits(state.held) {
                let asked = &mut self.asked[first + usize::from(channel) * outputs..][..outputs];
                each(&state.ways).for_each(|(port, channels)| asked[usize::from(port)] |= channels);
            }
        }
    }

    /// For each channel of each output the channels it waits for.
    fn waits(&self) -> Waits {
        let channels = u32::from(self.virtual_channels);
        let of = |number: u32| {
            let input = self.links.leads(number / channels);
            if input == NONE {
                return Vec::new();
            }
            let outputs = usize::from(self.outputs[input as usize]);
            let first = self.first[input as usize] + (number % channels) as usize * outputs;
            let first_output = self.links.output(self.links.router_of_input(input), 0);
            let asked = self.asked[first..][..outputs].iter().zip(first_output..);
            let onward = asked.filter(|(_, output)| self.links.leads(*output) != NONE);
            onward.flat_map(|(asked, output)| bits(*asked).map(move |c| output * channels + u32::from(c))).collect()
        };
        (0..self.links.outputs() as u32 * channels).map(of).collect()
    }
}

/// Waits of channels that count, also over channels that do not.
struct Indirect<'s> {
    links: &'s Links,
    /// For each output, the channels that count.
    counts: &'s [u16],
    /// For each output and channel its number among those that count, or none.
    number: Vec<u32>,
    virtual_channels: usize,
    /// Words of a row of `waits`.
    words: usize,
    /// For each that counts, a bit for each that it waits for.
    waits: Vec<u64>,
}

impl<'s> Indirect<'s> {
    fn new(links: &'s Links, virtual_channels: u8, counts: &'s [u16]) -> Option<Indirect<'s>> {
        let virtual_channels = usize::from(virtual_channels);
        let mut number = vec![NONE; links.outputs() * virtual_channels];
        let mut count = 0_usize;
        for (output, channels) in counts.iter().enumerate().filter(|(output, _)| links.leads(*output as u32) != NONE) {
            for channel in bits(*channels) {
                number[output * virtual_channels + usize::from(channel)] = count as u32;
                count += 1;
            }
        }
        let words = count.div_ceil(64);
        let waits = vec![0; if count <= ESCAPES_MAX { count * words } else { 0 }];
        (count <= ESCAPES_MAX).then_some(Indirect { links, counts, number, virtual_channels, words, waits })
    }

    fn number(&self, output: u32, channel: u8) -> u32 {
        self.number[output as usize * self.virtual_channels + usize::from(channel)]
    }

    fn add(&mut self, follow: &Follow<'_>) {
        let reached = self.reached(follow);
        for (state, reached) in follow.states.iter().zip(reached.chunks(self.words.max(1))) {
            let output = self.links.fed_by(state.input);
            if output == NONE {
                continue;
            }
            for channel in bits(state.held & self.counts[output as usize]) {
                let row = self.number(output, channel) as usize * self.words;
                self.waits[row..][..self.words].iter_mut().zip(reached).for_each(|(row, reached)| *row |= reached);
            }
        }
    }

    /// For each state, what its packets wait for there, or after ways over channels that do not count.
    fn reached(&self, follow: &Follow<'_>) -> Vec<u64> {
        let mut reached = vec![0; follow.states.len() * self.words];
        let mut onward: Vec<Vec<usize>> = Vec::with_capacity(follow.states.len());
        for (at, state) in follow.states.iter().enumerate() {
            for (port, channels) in waited_for(&state.ways) {
                let output = self.links.output(state.router, port);
                for number in bits(channels).map(|c| self.number(output, c)).filter(|number| *number != NONE) {
                    reached[at * self.words + number as usize / 64] |= 1 << (number % 64);
                }
            }
            let outputs = ports(state.ways.ports.mask()).map(|port| self.links.output(state.router, port));
            let next = outputs.filter(|output| self.links.leads(*output) != NONE).flat_map(|output| {
                follow.at(self.links.leads(output), state.ways.channels & !self.counts[output as usize])
            });
            onward.push(next.collect());
        }
        self.close(&onward, &mut reached);
        reached
    }

    /// What the next states reach, each state reaches; until nothing is new.
    fn close(&self, onward: &[Vec<usize>], reached: &mut [u64]) {
        let order = last_first(onward);
        let mut is_new = true;
        while is_new {
            is_new = false;
            for &at in &order {
                for next in &onward[at] {
                    is_new |= join(reached, at * self.words, next * self.words, self.words);
                }
            }
        }
    }

    /// For each channel of each output the channels it waits for.
    fn waits(&self, virtual_channels: u8) -> Waits {
        let counted: Vec<u32> =
            (0..self.number.len()).filter(|at| self.number[*at] != NONE).map(|at| at as u32).collect();
        let mut waits = vec![Vec::new(); self.links.outputs() * usize::from(virtual_channels)];
        for (row, of) in self.waits.chunks(self.words.max(1)).zip(&counted) {
            let set = row
                .iter()
                .enumerate()
                .flat_map(|(word, bits)| ports(*bits).map(move |bit| word * 64 + usize::from(bit)));
            waits[*of as usize] = set.map(|number| counted[number]).collect();
        }
        waits
    }
}

/// Adds the set of `words` words at `from` to that at `to`; true if anything was new.
fn join(sets: &mut [u64], to: usize, from: usize, words: usize) -> bool {
    if to == from {
        return false;
    }
    let (lower, upper) = sets.split_at_mut(to.max(from));
    let (lower, upper) = (&mut lower[to.min(from)..][..words], &mut upper[..words]);
    let (to, from) = if to < from { (lower, upper) } else { (upper, lower) };
    let mut new = 0;
    for (to, from) in to.iter_mut().zip(from) {
        new |= *from & !*to;
        *to |= *from;
    }
    new != 0
}

/// The states in an order in which the next ones of each stand before it, unless they form circles.
fn last_first(onward: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(onward.len());
    let mut seen = vec![false; onward.len()];
    for start in 0..onward.len() {
        let mut path = if std::mem::replace(&mut seen[start], true) { Vec::new() } else { vec![(start, 0)] };
        while let Some((at, tried)) = path.last_mut() {
            match onward[*at].get(*tried) {
                Some(&next) => {
                    *tried += 1;
                    if !std::mem::replace(&mut seen[next], true) {
                        path.push((next, 0));
                    }
                }
                None => {
                    order.push(*at);
                    path.pop();
                }
            }
        }
    }
    order
}
