//! The dependencies between channels, and whether they form a cycle, in which packets can deadlock.
//!
//! Without escapes (Dally and Seitz 1987), channel A depends on channel B if a packet that holds A may request B next.
//! With escapes (Duato 1993), only *waited-for* channels are considered: those for which packets wait until they are
//! free. Waited-for channel A depends on waited-for channel B if a packet that holds A can request B next, or after any
//! number of hops over other channels, whether the packet took A as an escape or not. If the dependencies form no
//! cycle, packets cannot deadlock.

use super::super::Shape;
use super::dependency_cycle::{self, WaitGraph};
use super::links::{Links, NO_LINK};
use super::state_search::{StateSearch, all_options, awaited_options, bits, ports};
use super::{ALL_PAIRS_NODES, Channel, Deadlock};

/// Number of calls of the routing rule after which no further destination is followed, if there are more than
/// [`ALL_PAIRS_NODES`] nodes.
const QUERIES_MAX: u64 = 20_000_000;
/// Largest number of waited-for channels of a shape with escapes. Their dependencies are stored as a matrix.
const ESCAPES_MAX: usize = 20_000;

/// Returns whether packets can deadlock, and the numbers of sources and destinations that were followed.
pub fn deadlock(shape: &Shape, links: &Links, virtual_channels: u8, sampled_nodes: &[u32]) -> (Deadlock, (u32, u32)) {
    let mut search = PacketSearch { shape, links, virtual_channels, sampled_nodes };
    let mut direct_waits = DirectWaits::new(shape, links, virtual_channels);
    let followed_pairs = search.follow_all(|search_of_destination| direct_waits.add(search_of_destination));
    let wait_graph = match direct_waits.has_escapes {
        false => direct_waits.wait_graph(),
        true => match IndirectWaits::new(links, virtual_channels, &direct_waits.waited_for) {
            None => return (Deadlock::NotExamined, followed_pairs),
            Some(mut indirect_waits) => {
                search.follow_all(|search_of_destination| indirect_waits.add(search_of_destination));
                indirect_waits.wait_graph(virtual_channels)
            }
        },
    };
    let channel = |link_channel: u32| {
        let (router, port) = links.router_and_port(link_channel / u32::from(virtual_channels));
        Channel { router, port, channel: (link_channel % u32::from(virtual_channels)) as u8 }
    };
    let cycle = dependency_cycle::find_cycle(&wait_graph).map(|cycle| cycle.into_iter().map(channel).collect());
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
    fn follow_all(&mut self, mut visit: impl FnMut(&StateSearch<'_>)) -> (u32, u32) {
        let nodes = self.shape.wiring.nodes();
        let all_nodes: Vec<u32> = (0..nodes).collect();
        let mut search = StateSearch::new(self.shape, self.links, self.virtual_channels);
        let depends_on_input = self.shape.routing.depends_on_input();
        let sources = if depends_on_input { self.sampled_nodes } else { &all_nodes };
        let mut destinations = 0;
        for &destination in self.sampled_nodes {
            if nodes > ALL_PAIRS_NODES && search.queries > QUERIES_MAX {
                break;
            }
            for source_group in sources.chunks(if depends_on_input { 1 } else { sources.len() }) {
                search.follow(source_group, destination);
                visit(&search);
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
    /// For each input, the index in `request_masks` of the channels that its packets request.
    request_starts: Vec<usize>,
    /// For each input, channel, and output of the input's router: the channels requested there.
    request_masks: Vec<u16>,
    /// For each output, the waited-for channels.
    waited_for: Vec<u16>,
    has_escapes: bool,
    /// For each input, the number of outputs of its router.
    output_counts: Vec<u8>,
}

impl<'s> DirectWaits<'s> {
    fn new(shape: &Shape, links: &'s Links, virtual_channels: u8) -> DirectWaits<'s> {
        let wiring = &shape.wiring;
        let output_count = |input| wiring.outputs(links.router_of_input(input)).len() as u8;
        let output_counts: Vec<u8> = (0..links.inputs() as u32).map(output_count).collect();
        let mut total_requests = 0;
        let mut reserve_requests = |count: &u8| {
            let request_start = total_requests;
            total_requests += usize::from(*count) * usize::from(virtual_channels);
            request_start
        };
        let request_starts = output_counts.iter().map(&mut reserve_requests).collect();
        let (request_masks, waited_for) = (vec![0; total_requests], vec![0; links.outputs()]);
        DirectWaits {
            links,
            virtual_channels,
            request_starts,
            request_masks,
            waited_for,
            has_escapes: false,
            output_counts,
        }
    }

    fn add(&mut self, search: &StateSearch<'_>) {
        for state in &search.states {
            for (port, channels) in awaited_options(&state.options) {
                self.waited_for[self.links.output(state.router, port) as usize] |= channels;
            }
            self.has_escapes |= state.options.escape.is_some();
            if self.links.feeding_output(state.input) == NO_LINK {
                continue;
            }
            let (request_start, output_count) =
                (self.request_starts[state.input as usize], usize::from(self.output_counts[state.input as usize]));
            for channel in bits(state.arrival_channels) {
                let request_masks =
                    &mut self.request_masks[request_start + usize::from(channel) * output_count..][..output_count];
                all_options(&state.options).for_each(|(port, channels)| request_masks[usize::from(port)] |= channels);
            }
        }
    }

    /// Returns, for each channel of each output, the channels on which it depends.
    fn wait_graph(&self) -> WaitGraph {
        let channels = u32::from(self.virtual_channels);
        let waits_of = |link_channel: u32| {
            let input = self.links.target_input(link_channel / channels);
            if input == NO_LINK {
                return Vec::new();
            }
            let output_count = usize::from(self.output_counts[input as usize]);
            let request_start = self.request_starts[input as usize] + (link_channel % channels) as usize * output_count;
            let first_output = self.links.output(self.links.router_of_input(input), 0);
            let request_masks = self.request_masks[request_start..][..output_count].iter().zip(first_output..);
            let linked_requests = request_masks.filter(|(_, output)| self.links.target_input(*output) != NO_LINK);
            linked_requests
                .flat_map(|(requested_channels, output)| {
                    bits(*requested_channels).map(move |channel| output * channels + u32::from(channel))
                })
                .collect()
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
    waited_for_indices: Vec<u32>,
    virtual_channels: usize,
    /// Number of 64-bit words of a row of `wait_matrix`.
    row_words: usize,
    /// For each waited-for channel, a bit for each channel on which it depends.
    wait_matrix: Vec<u64>,
}

impl<'s> IndirectWaits<'s> {
    fn new(links: &'s Links, virtual_channels: u8, waited_for: &'s [u16]) -> Option<IndirectWaits<'s>> {
        let virtual_channels = usize::from(virtual_channels);
        let mut waited_for_indices = vec![NO_LINK; links.outputs() * virtual_channels];
        let mut count = 0_usize;
        let linked_outputs =
            waited_for.iter().enumerate().filter(|(output, _)| links.target_input(*output as u32) != NO_LINK);
        for (output, channels) in linked_outputs {
            for channel in bits(*channels) {
                waited_for_indices[output * virtual_channels + usize::from(channel)] = count as u32;
                count += 1;
            }
        }
        let row_words = count.div_ceil(64);
        let wait_matrix = vec![0; if count <= ESCAPES_MAX { count * row_words } else { 0 }];
        (count <= ESCAPES_MAX).then_some(IndirectWaits {
            links,
            waited_for,
            waited_for_indices,
            virtual_channels,
            row_words,
            wait_matrix,
        })
    }

    fn index_of(&self, output: u32, channel: u8) -> u32 {
        self.waited_for_indices[output as usize * self.virtual_channels + usize::from(channel)]
    }

    fn add(&mut self, search: &StateSearch<'_>) {
        let reachable = self.reachable_channels(search);
        for (state, reached) in search.states.iter().zip(reachable.chunks(self.row_words.max(1))) {
            let output = self.links.feeding_output(state.input);
            if output == NO_LINK {
                continue;
            }
            for channel in bits(state.arrival_channels & self.waited_for[output as usize]) {
                let row = self.index_of(output, channel) as usize * self.row_words;
                self.wait_matrix[row..][..self.row_words]
                    .iter_mut()
                    .zip(reached)
                    .for_each(|(row, reached)| *row |= reached);
            }
        }
    }

    /// Returns, for each state, the waited-for channels that its packets can request there, or after hops over other
    /// channels.
    fn reachable_channels(&self, search: &StateSearch<'_>) -> Vec<u64> {
        let mut reachable = vec![0; search.states.len() * self.row_words];
        let mut next_states: Vec<Vec<usize>> = Vec::with_capacity(search.states.len());
        for (index, state) in search.states.iter().enumerate() {
            for (port, channels) in awaited_options(&state.options) {
                let output = self.links.output(state.router, port);
                for waited_index in bits(channels)
                    .map(|channel| self.index_of(output, channel))
                    .filter(|waited_index| *waited_index != NO_LINK)
                {
                    reachable[index * self.row_words + waited_index as usize / 64] |= 1 << (waited_index % 64);
                }
            }
            let outputs = ports(state.options.ports.mask()).map(|port| self.links.output(state.router, port));
            let successors = outputs.filter(|output| self.links.target_input(*output) != NO_LINK).flat_map(|output| {
                search.states_at(
                    self.links.target_input(output),
                    state.options.channels & !self.waited_for[output as usize],
                )
            });
            next_states.push(successors.collect());
        }
        self.propagate_reachable(&next_states, &mut reachable);
        reachable
    }

    /// Adds to each state the channels that its next states reach, and repeats this until no set grows.
    fn propagate_reachable(&self, next_states: &[Vec<usize>], reachable: &mut [u64]) {
        let order = successors_first(next_states);
        let mut has_grown = true;
        while has_grown {
            has_grown = false;
            for &index in &order {
                for next_state in &next_states[index] {
                    has_grown |=
                        union_rows(reachable, index * self.row_words, next_state * self.row_words, self.row_words);
                }
            }
        }
    }

    /// Returns, for each channel of each output, the channels on which it depends.
    fn wait_graph(&self, virtual_channels: u8) -> WaitGraph {
        let channels: Vec<u32> = (0..self.waited_for_indices.len())
            .filter(|index| self.waited_for_indices[*index] != NO_LINK)
            .map(|link_channel| link_channel as u32)
            .collect();
        let mut waits = vec![Vec::new(); self.links.outputs() * usize::from(virtual_channels)];
        for (row, channel) in self.wait_matrix.chunks(self.row_words.max(1)).zip(&channels) {
            let waited_for_indices = row
                .iter()
                .enumerate()
                .flat_map(|(word, bits)| ports(*bits).map(move |bit| word * 64 + usize::from(bit)));
            waits[*channel as usize] = waited_for_indices.map(|index| channels[index]).collect();
        }
        waits
    }
}

/// Adds the set of `row_words` words at `source_row` to the set at `target_row`. Returns whether the set at
/// `target_row` has grown.
fn union_rows(sets: &mut [u64], target_row: usize, source_row: usize, row_words: usize) -> bool {
    if target_row == source_row {
        return false;
    }
    let (lower, upper) = sets.split_at_mut(target_row.max(source_row));
    let (lower, upper) = (&mut lower[target_row.min(source_row)..][..row_words], &mut upper[..row_words]);
    let (to, from) = if target_row < source_row { (lower, upper) } else { (upper, lower) };
    let mut new_bits = 0;
    for (to, from) in to.iter_mut().zip(from) {
        new_bits |= *from & !*to;
        *to |= *from;
    }
    new_bits != 0
}

/// Returns the states in an order in which each state comes after all its next states, except within cycles.
fn successors_first(next_states: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(next_states.len());
    let mut is_visited = vec![false; next_states.len()];
    for start in 0..next_states.len() {
        let mut path = if std::mem::replace(&mut is_visited[start], true) { Vec::new() } else { vec![(start, 0)] };
        while let Some((state, tried_count)) = path.last_mut() {
            match next_states[*state].get(*tried_count) {
                Some(&next_state) => {
                    *tried_count += 1;
                    if !std::mem::replace(&mut is_visited[next_state], true) {
                        path.push((next_state, 0));
                    }
                }
                None => {
                    order.push(*state);
                    path.pop();
                }
            }
        }
    }
    order
}
