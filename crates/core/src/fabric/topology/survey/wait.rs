//! The dependencies between channels, and whether they form a cycle, in which packets can deadlock.
//!
//! Without escapes (Dally and Seitz 1987), channel A depends on channel B if a packet that holds A may request B next.
//! With escapes (Duato 1993), only *waited-for* channels are considered: those for which packets wait until they are
//! free. Such a channel depends on another one if a packet that holds it can request the other one next, or after any
//! number of hops over other channels. A waited-for channel counts for every packet that takes it, as an escape or not.
//! If the dependencies form no cycle, packets cannot deadlock.

use super::super::Shape;
use super::dependency_cycle::{self, Waits};
use super::follow::{Follow, bits, every_choice, ports, waited_for};
use super::links::{Links, NO_LINK};
use super::{ALL_PAIRS_NODES, Channel, Deadlock};

/// Number of calls of the routing rule after which no further destination is followed, if there are more than
/// [`ALL_PAIRS_NODES`] nodes.
const QUERIES_MAX: u64 = 20_000_000;
/// Largest number of waited-for channels of a shape with escapes. Their dependencies are stored as a matrix.
const ESCAPES_MAX: usize = 20_000;

/// Returns whether packets can deadlock, and the numbers of sources and destinations that were followed.
pub fn deadlock(shape: &Shape, links: &Links, virtual_channels: u8, some: &[u32]) -> (Deadlock, (u32, u32)) {
    let mut waiting = Waiting { shape, links, virtual_channels, some };
    let mut direct = Direct::new(shape, links, virtual_channels);
    let followed = waiting.every(|follow| direct.add(follow));
    let waits = match direct.has_escapes {
        false => direct.waits(),
        true => match Indirect::new(links, virtual_channels, &direct.waited_for) {
            None => return (Deadlock::NotExamined, followed),
            Some(mut indirect) => {
                waiting.every(|follow| indirect.add(follow));
                indirect.waits(virtual_channels)
            }
        },
    };
    let channel = |number: u32| {
        let (router, port) = links.router_and_port(number / u32::from(virtual_channels));
        Channel { router, port, channel: (number % u32::from(virtual_channels)) as u8 }
    };
    let found = dependency_cycle::find(&waits).map(|cycle| cycle.into_iter().map(channel).collect());
    (found.map_or(Deadlock::Free, Deadlock::Cycle), followed)
}

/// The shape and the nodes between which packets are followed.
struct Waiting<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    some: &'s [u32],
}

impl Waiting<'_> {
    /// Follows packets destination by destination and passes their states to `visit`. Returns the numbers of sources
    /// and destinations.
    fn every(&mut self, mut visit: impl FnMut(&Follow<'_>)) -> (u32, u32) {
        let nodes = self.shape.wiring.nodes();
        let all: Vec<u32> = (0..nodes).collect();
        let mut follow = Follow::new(self.shape, self.links, self.virtual_channels);
        let depends_on_input = self.shape.routing.depends_on_input();
        let sources = if depends_on_input { self.some } else { &all };
        let mut destinations = 0;
        for &destination in self.some {
            if nodes > ALL_PAIRS_NODES && follow.queries > QUERIES_MAX {
                break;
            }
            for together in sources.chunks(if depends_on_input { 1 } else { sources.len() }) {
                follow.follow(together, destination);
                visit(&follow);
            }
            destinations += 1;
        }
        (sources.len() as u32, destinations)
    }
}

/// The dependencies of each channel on the channels of the next hop.
struct Direct<'s> {
    links: &'s Links,
    virtual_channels: u8,
    /// For each input, the index in `requested` of the channels that its packets request.
    first: Vec<usize>,
    /// For each input, channel, and output of the input's router: the channels requested there.
    requested: Vec<u16>,
    /// For each output, the waited-for channels.
    waited_for: Vec<u16>,
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
        let (requested, waited_for) = (vec![0; total], vec![0; links.outputs()]);
        Direct { links, virtual_channels, first, requested, waited_for, has_escapes: false, outputs }
    }

    fn add(&mut self, follow: &Follow<'_>) {
        for state in &follow.states {
            for (port, channels) in waited_for(&state.options) {
                self.waited_for[self.links.output(state.router, port) as usize] |= channels;
            }
            self.has_escapes |= state.options.escape.is_some();
            if self.links.fed_by(state.input) == NO_LINK {
                continue;
            }
            let (first, outputs) = (self.first[state.input as usize], usize::from(self.outputs[state.input as usize]));
            for channel in bits(state.held) {
                let requested = &mut self.requested[first + usize::from(channel) * outputs..][..outputs];
                every_choice(&state.options).for_each(|(port, channels)| requested[usize::from(port)] |= channels);
            }
        }
    }

    /// Returns, for each channel of each output, the channels on which it depends.
    fn waits(&self) -> Waits {
        let channels = u32::from(self.virtual_channels);
        let waits_of = |number: u32| {
            let input = self.links.input_of(number / channels);
            if input == NO_LINK {
                return Vec::new();
            }
            let outputs = usize::from(self.outputs[input as usize]);
            let first = self.first[input as usize] + (number % channels) as usize * outputs;
            let first_output = self.links.output(self.links.router_of_input(input), 0);
            let requested = self.requested[first..][..outputs].iter().zip(first_output..);
            let onward = requested.filter(|(_, output)| self.links.input_of(*output) != NO_LINK);
            onward.flat_map(|(set, output)| bits(*set).map(move |c| output * channels + u32::from(c))).collect()
        };
        (0..self.links.outputs() as u32 * channels).map(waits_of).collect()
    }
}

/// The dependencies between waited-for channels, including those that pass over other channels.
struct Indirect<'s> {
    links: &'s Links,
    /// For each output, the waited-for channels.
    waited_for: &'s [u16],
    /// For each output and channel its number among the waited-for channels, or [`NO_LINK`].
    number: Vec<u32>,
    virtual_channels: usize,
    /// Words of a row of `waits`.
    words: usize,
    /// For each waited-for channel, a bit for each channel on which it depends.
    waits: Vec<u64>,
}

impl<'s> Indirect<'s> {
    fn new(links: &'s Links, virtual_channels: u8, waited_for: &'s [u16]) -> Option<Indirect<'s>> {
        let virtual_channels = usize::from(virtual_channels);
        let mut number = vec![NO_LINK; links.outputs() * virtual_channels];
        let mut count = 0_usize;
        let linked = waited_for.iter().enumerate().filter(|(output, _)| links.input_of(*output as u32) != NO_LINK);
        for (output, channels) in linked {
            for channel in bits(*channels) {
                number[output * virtual_channels + usize::from(channel)] = count as u32;
                count += 1;
            }
        }
        let words = count.div_ceil(64);
        let waits = vec![0; if count <= ESCAPES_MAX { count * words } else { 0 }];
        (count <= ESCAPES_MAX).then_some(Indirect { links, waited_for, number, virtual_channels, words, waits })
    }

    fn number(&self, output: u32, channel: u8) -> u32 {
        self.number[output as usize * self.virtual_channels + usize::from(channel)]
    }

    fn add(&mut self, follow: &Follow<'_>) {
        let reached = self.reachable_channels(follow);
        for (state, reached) in follow.states.iter().zip(reached.chunks(self.words.max(1))) {
            let output = self.links.fed_by(state.input);
            if output == NO_LINK {
                continue;
            }
            for channel in bits(state.held & self.waited_for[output as usize]) {
                let row = self.number(output, channel) as usize * self.words;
                self.waits[row..][..self.words].iter_mut().zip(reached).for_each(|(row, reached)| *row |= reached);
            }
        }
    }

    /// Returns, for each state, the waited-for channels that its packets can request there, or after hops over other
    /// channels.
    fn reachable_channels(&self, follow: &Follow<'_>) -> Vec<u64> {
        let mut reached = vec![0; follow.states.len() * self.words];
        let mut onward: Vec<Vec<usize>> = Vec::with_capacity(follow.states.len());
        for (at, state) in follow.states.iter().enumerate() {
            for (port, channels) in waited_for(&state.options) {
                let output = self.links.output(state.router, port);
                for number in bits(channels).map(|c| self.number(output, c)).filter(|number| *number != NO_LINK) {
                    reached[at * self.words + number as usize / 64] |= 1 << (number % 64);
                }
            }
            let outputs = ports(state.options.ports.mask()).map(|port| self.links.output(state.router, port));
            let next = outputs.filter(|output| self.links.input_of(*output) != NO_LINK).flat_map(|output| {
                follow.at(self.links.input_of(output), state.options.channels & !self.waited_for[output as usize])
            });
            onward.push(next.collect());
        }
        self.close(&onward, &mut reached);
        reached
    }

    /// Adds to each state everything that its next states reach, and repeats this until nothing changes.
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

    /// Returns, for each channel of each output, the channels on which it depends.
    fn waits(&self, virtual_channels: u8) -> Waits {
        let channels: Vec<u32> =
            (0..self.number.len()).filter(|at| self.number[*at] != NO_LINK).map(|at| at as u32).collect();
        let mut waits = vec![Vec::new(); self.links.outputs() * usize::from(virtual_channels)];
        for (row, channel) in self.waits.chunks(self.words.max(1)).zip(&channels) {
            let set = row
                .iter()
                .enumerate()
                .flat_map(|(word, bits)| ports(*bits).map(move |bit| word * 64 + usize::from(bit)));
            waits[*channel as usize] = set.map(|number| channels[number]).collect();
        }
        waits
    }
}

/// Adds the set of `words` words at `from` to the set at `to`. Returns whether the set at `to` has grown.
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

/// Returns the states in an order in which each state follows its next states, except within cycles.
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
