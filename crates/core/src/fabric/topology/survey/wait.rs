//! The dependencies between channels, and whether they form a cycle, in which packets can deadlock.
//!
//! Without escapes (Dally and Seitz 1987), channel A depends on channel B if a packet that holds A may request B next.
//! With escapes (Duato 1993), only *waited-for* channels are considered: those for which packets wait until they are
//! free. Such a channel depends on another one if a packet that holds it can request the other one next, or after any
//! number of hops over other channels. A waited-for channel counts for every packet that takes it, as an escape or not.
//! If the dependencies form no cycle, packets cannot deadlock.

use super::super::Shape;
use super::dependency_cycle::{self, WaitGraph};
use super::follow::{Follow, bits, every_choice, ports, waited_for};
use super::links::{Links, NO_LINK};
use super::{ALL_PAIRS_NODES, Channel, Deadlock};

/// Number of calls of the routing rule after which no further destination is followed, if there are more than
/// [`ALL_PAIRS_NODES`] nodes.
const QUERIES_MAX: u64 = 20_000_000;
/// Largest number of waited-for channels of a shape with escapes. Their dependencies are stored as a matrix.
const ESCAPES_MAX: usize = 20_000;

/// Returns whether packets can deadlock, and the numbers of sources and destinations that were followed.
pub fn deadlock(shape: &Shape, links: &Links, virtual_channels: u8, sampled_nodes: &[u32]) -> (Deadlock, (u32, u32)) {
    let mut waiting = PacketSearch { shape, links, virtual_channels, sampled_nodes };
    let mut direct = DirectWaits::new(shape, links, virtual_channels);
    let followed_pairs = waiting.follow_all(|follow| direct.add(follow));
    let waits = match direct.has_escapes {
        false => direct.waits(),
        true => match IndirectWaits::new(links, virtual_channels, &direct.waited_for) {
            None => return (Deadlock::NotExamined, followed_pairs),
            Some(mut indirect) => {
                waiting.follow_all(|follow| indirect.add(follow));
                indirect.waits(virtual_channels)
            }
        },
    };
    let channel = |link_channel: u32| {
        let (router, port) = links.router_and_port(link_channel / u32::from(virtual_channels));
        Channel { router, port, channel: (link_channel % u32::from(virtual_channels)) as u8 }
    };
    let cycle = dependency_cycle::find(&waits).map(|cycle| cycle.into_iter().map(channel).collect());
    (cycle.map_or(Deadlock::Free, Deadlock::Cycle), followed_pairs)
}

/// The shape and the nodes between which packets are followed.
struct PacketSearch<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    sampled_nodes: &'s [u32],
}

impl PacketSearch<'_> {
    /// Follows packets destination by destination and passes their states to `visit`. Returns the numbers of sources
    /// and destinations.
    fn follow_all(&mut self, mut visit: impl FnMut(&Follow<'_>)) -> (u32, u32) {
        let nodes = self.shape.wiring.nodes();
        let all_nodes: Vec<u32> = (0..nodes).collect();
        let mut follow = Follow::new(self.shape, self.links, self.virtual_channels);
        let depends_on_input = self.shape.routing.depends_on_input();
        let sources = if depends_on_input { self.sampled_nodes } else { &all_nodes };
        let mut destinations = 0;
        for &destination in self.sampled_nodes {
            if nodes > ALL_PAIRS_NODES && follow.queries > QUERIES_MAX {
                break;
            }
            for source_group in sources.chunks(if depends_on_input { 1 } else { sources.len() }) {
                follow.follow(source_group, destination);
                visit(&follow);
            }
            destinations += 1;
        }
        (sources.len() as u32, destinations)
    }
}

/// The dependencies of each channel on the channels of the next hop.
struct DirectWaits<'s> {
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

impl<'s> DirectWaits<'s> {
    fn new(shape: &Shape, links: &'s Links, virtual_channels: u8) -> DirectWaits<'s> {
        let wiring = &shape.wiring;
        let outputs_of = |input| wiring.outputs(links.router_of_input(input)).len() as u8;
        let outputs: Vec<u8> = (0..links.inputs() as u32).map(outputs_of).collect();
        let mut total = 0;
        let mut start = |outputs: &u8| {
            let first = total;
            total += usize::from(*outputs) * usize::from(virtual_channels);
            first
        };
        let first = outputs.iter().map(&mut start).collect();
        let (requested, waited_for) = (vec![0; total], vec![0; links.outputs()]);
        DirectWaits { links, virtual_channels, first, requested, waited_for, has_escapes: false, outputs }
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
            for channel in bits(state.arrival_channels) {
                let requested = &mut self.requested[first + usize::from(channel) * outputs..][..outputs];
                every_choice(&state.options).for_each(|(port, channels)| requested[usize::from(port)] |= channels);
            }
        }
    }

    /// Returns, for each channel of each output, the channels on which it depends.
    fn waits(&self) -> WaitGraph {
        let channels = u32::from(self.virtual_channels);
        let waits_of = |waits_of_channel: u32| {
            let input = self.links.input_of(waits_of_channel / channels);
            if input == NO_LINK {
                return Vec::new();
            }
            let outputs = usize::from(self.outputs[input as usize]);
            let first = self.first[input as usize] + (waits_of_channel % channels) as usize * outputs;
            let first_output = self.links.output(self.links.router_of_input(input), 0);
            let requested = self.requested[first..][..outputs].iter().zip(first_output..);
            let onward = requested.filter(|(_, output)| self.links.input_of(*output) != NO_LINK);
            onward.flat_map(|(set, output)| bits(*set).map(move |c| output * channels + u32::from(c))).collect()
        };
        (0..self.links.outputs() as u32 * channels).map(waits_of).collect()
    }
}

/// The dependencies between waited-for channels, including those that pass over other channels.
struct IndirectWaits<'s> {
    links: &'s Links,
    /// For each output, the waited-for channels.
    waited_for: &'s [u16],
    /// For each output and channel its number among the waited-for channels, or [`NO_LINK`].
    waited_index: Vec<u32>,
    virtual_channels: usize,
    /// Words of a row of `waits`.
    row_words: usize,
    /// For each waited-for channel, a bit for each channel on which it depends.
    waits: Vec<u64>,
}

impl<'s> IndirectWaits<'s> {
    fn new(links: &'s Links, virtual_channels: u8, waited_for: &'s [u16]) -> Option<IndirectWaits<'s>> {
        let virtual_channels = usize::from(virtual_channels);
        let mut waited_index = vec![NO_LINK; links.outputs() * virtual_channels];
        let mut count = 0_usize;
        let linked = waited_for.iter().enumerate().filter(|(output, _)| links.input_of(*output as u32) != NO_LINK);
        for (output, channels) in linked {
            for channel in bits(*channels) {
                waited_index[output * virtual_channels + usize::from(channel)] = count as u32;
                count += 1;
            }
        }
        let row_words = count.div_ceil(64);
        let waits = vec![0; if count <= ESCAPES_MAX { count * row_words } else { 0 }];
        (count <= ESCAPES_MAX).then_some(IndirectWaits {
            links,
            waited_for,
            waited_index,
            virtual_channels,
            row_words,
            waits,
        })
    }

    fn index_of(&self, output: u32, channel: u8) -> u32 {
        self.waited_index[output as usize * self.virtual_channels + usize::from(channel)]
    }

    fn add(&mut self, follow: &Follow<'_>) {
        let reachable = self.reachable_channels(follow);
        for (state, reached) in follow.states.iter().zip(reachable.chunks(self.row_words.max(1))) {
            let output = self.links.fed_by(state.input);
            if output == NO_LINK {
                continue;
            }
            for channel in bits(state.arrival_channels & self.waited_for[output as usize]) {
                let row = self.index_of(output, channel) as usize * self.row_words;
                self.waits[row..][..self.row_words].iter_mut().zip(reached).for_each(|(row, reached)| *row |= reached);
            }
        }
    }

    /// Returns, for each state, the waited-for channels that its packets can request there, or after hops over other
    /// channels.
    fn reachable_channels(&self, follow: &Follow<'_>) -> Vec<u64> {
        let mut reachable = vec![0; follow.states.len() * self.row_words];
        let mut onward: Vec<Vec<usize>> = Vec::with_capacity(follow.states.len());
        for (index, state) in follow.states.iter().enumerate() {
            for (port, channels) in waited_for(&state.options) {
                let output = self.links.output(state.router, port);
                for number in bits(channels).map(|c| self.index_of(output, c)).filter(|number| *number != NO_LINK) {
                    reachable[index * self.row_words + number as usize / 64] |= 1 << (number % 64);
                }
            }
            let outputs = ports(state.options.ports.mask()).map(|port| self.links.output(state.router, port));
            let next = outputs.filter(|output| self.links.input_of(*output) != NO_LINK).flat_map(|output| {
                follow
                    .states_at(self.links.input_of(output), state.options.channels & !self.waited_for[output as usize])
            });
            onward.push(next.collect());
        }
        self.close_over(&onward, &mut reachable);
        reachable
    }

    /// Adds to each state everything that its next states reach, and repeats this until nothing changes.
    fn close_over(&self, onward: &[Vec<usize>], reachable: &mut [u64]) {
        let order = last_first(onward);
        let mut is_new = true;
        while is_new {
            is_new = false;
            for &index in &order {
                for next in &onward[index] {
                    is_new |= join(reachable, index * self.row_words, next * self.row_words, self.row_words);
                }
            }
        }
    }

    /// Returns, for each channel of each output, the channels on which it depends.
    fn waits(&self, virtual_channels: u8) -> WaitGraph {
        let channels: Vec<u32> = (0..self.waited_index.len())
            .filter(|index| self.waited_index[*index] != NO_LINK)
            .map(|at| at as u32)
            .collect();
        let mut waits = vec![Vec::new(); self.links.outputs() * usize::from(virtual_channels)];
        for (row, channel) in self.waits.chunks(self.row_words.max(1)).zip(&channels) {
            let set = row
                .iter()
                .enumerate()
                .flat_map(|(word, bits)| ports(*bits).map(move |bit| word * 64 + usize::from(bit)));
            waits[*channel as usize] = set.map(|index| channels[index]).collect();
        }
        waits
    }
}

/// Adds the set of `row_words` words at `source_row` to the set at `target_row`. Returns whether the set at
/// `target_row` has grown.
fn join(sets: &mut [u64], target_row: usize, source_row: usize, row_words: usize) -> bool {
    if target_row == source_row {
        return false;
    }
    let (lower, upper) = sets.split_at_mut(target_row.max(source_row));
    let (lower, upper) = (&mut lower[target_row.min(source_row)..][..row_words], &mut upper[..row_words]);
    let (to, from) = if target_row < source_row { (lower, upper) } else { (upper, lower) };
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
    let mut is_visited = vec![false; onward.len()];
    for start in 0..onward.len() {
        let mut path = if std::mem::replace(&mut is_visited[start], true) { Vec::new() } else { vec![(start, 0)] };
        while let Some((at, tried)) = path.last_mut() {
            match onward[*at].get(*tried) {
                Some(&next) => {
                    *tried += 1;
                    if !std::mem::replace(&mut is_visited[next], true) {
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
