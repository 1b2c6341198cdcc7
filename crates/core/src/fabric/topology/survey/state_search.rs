//! The states that packets to one node can reach. They are found by calling the routing rule from state to state.

use super::super::{PortSet, RouteOptions, RouteQuery, Shape};
use super::links::{Links, NO_LINK};

/// The state of a header at an input.
#[derive(Clone)]
pub struct HeaderState {
    /// Router of the input.
    pub router: u32,
    /// Number of the input.
    pub input: u32,
    /// Channels by which packets in this state arrived, one bit each.
    pub arrival_channels: u16,
    /// Outputs that the header may request.
    pub options: RouteOptions,
}

/// The search for all states of packets.
pub struct StateSearch<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    /// Whether states are distinguished by the channel by which packets arrived.
    is_by_channel: bool,
    /// For each input (and channel) the index of its state, or [`NO_LINK`].
    state_indices: Vec<u32>,
    /// States that the last call of [`follow`](StateSearch::follow) found.
    pub states: Vec<HeaderState>,
    /// Number of queries of the routing rule.
    pub queries: u64,
}

impl StateSearch<'_> {
    /// Creates a search over a shape.
    pub fn new<'s>(shape: &'s Shape, links: &'s Links, virtual_channels: u8) -> StateSearch<'s> {
        let is_by_channel = shape.routing.depends_on_input();
        let state_indices =
            vec![NO_LINK; links.inputs() * if is_by_channel { usize::from(virtual_channels) } else { 1 }];
        StateSearch { shape, links, virtual_channels, is_by_channel, state_indices, states: Vec::new(), queries: 0 }
    }

    /// Finds the states of all packets from `sources` to `destination`. If the rule does not
    /// [depend on the input](crate::fabric::topology::Routing::depends_on_input), all sources can be followed at once.
    pub fn follow(&mut self, sources: &[u32], destination: u32) {
        for state in std::mem::take(&mut self.states) {
            let key = self.state_key(state.input, state.arrival_channels.trailing_zeros() as u8);
            self.state_indices[key] = NO_LINK;
        }
        for &source in sources {
            let (router, port) = self.shape.wiring.entry(source);
            let all_channels = super::super::every_channel(self.virtual_channels);
            self.add_states(self.links.input(router, port), all_channels);
        }
        let mut state_index = 0;
        while let Some(&HeaderState { router, input, arrival_channels, .. }) = self.states.get(state_index) {
            let port = (input - self.links.input(router, 0)) as u8;
            let channel = arrival_channels.trailing_zeros() as u8;
            let query = RouteQuery { router, input: port, channel, source: sources[0], destination };
            let options = self.shape.routing.route(&query, self.virtual_channels);
            self.states[state_index].options = options.clone();
            self.queries += 1;
            for (port, channels) in all_options(&options) {
                let input = self.links.target_input(self.links.output(router, port));
                if input != NO_LINK {
                    self.add_states(input, channels);
                }
            }
            state_index += 1;
        }
    }

    /// Returns the indices of the states at an input whose packets arrived by one of `channels`.
    pub fn states_at(&self, input: u32, channels: u16) -> impl Iterator<Item = usize> {
        let channels = if self.is_by_channel { channels } else { channels & channels.wrapping_neg() };
        let indices = bits(channels).map(move |channel| self.state_indices[self.state_key(input, channel)]);
        indices.filter(|index| *index != NO_LINK).map(|index| index as usize)
    }

    fn state_key(&self, input: u32, channel: u8) -> usize {
        match self.is_by_channel {
            true => input as usize * usize::from(self.virtual_channels) + usize::from(channel),
            false => input as usize,
        }
    }

    fn add_states(&mut self, input: u32, channels: u16) {
        if !self.is_by_channel {
            return self.add_state(input, 0, channels);
        }
        bits(channels).for_each(|channel| self.add_state(input, channel, 1 << channel));
    }

    fn add_state(&mut self, input: u32, channel: u8, arrival_channels: u16) {
        let key = self.state_key(input, channel);
        match self.state_indices[key] {
            NO_LINK => {
                self.state_indices[key] = self.states.len() as u32;
                let router = self.links.router_of_input(input);
                self.states.push(HeaderState {
                    router,
                    input,
                    arrival_channels,
                    options: RouteOptions { ports: PortSet::Mask(0), channels: 0, escape: None },
                });
            }
            index => self.states[index as usize].arrival_channels |= arrival_channels,
        }
    }
}

/// Returns the positions of the set bits of a number, in ascending order.
pub fn bits(number: u16) -> impl Iterator<Item = u8> + Clone {
    ports(number.into())
}

/// Returns the ports of a mask, in ascending order.
pub fn ports(set: u64) -> impl Iterator<Item = u8> + Clone {
    let mut remaining_ports = set;
    std::iter::from_fn(move || {
        let port = (remaining_ports != 0).then(|| remaining_ports.trailing_zeros() as u8);
        remaining_ports &= remaining_ports.wrapping_sub(1);
        port
    })
}

/// Returns every port that a header may take, with its channels, including the escape.
pub fn all_options(options: &RouteOptions) -> impl Iterator<Item = (u8, u16)> {
    let channels = options.channels;
    ports(options.ports.mask()).map(move |port| (port, channels)).chain(options.escape)
}

/// Returns the ports and channels for which a blocked header waits: those of the escape, or all options if there is no
/// escape.
pub fn awaited_options(options: &RouteOptions) -> impl Iterator<Item = (u8, u16)> {
    let regular_ports = if options.escape.is_some() { 0 } else { options.ports.mask() };
    let channels = options.channels;
    ports(regular_ports).map(move |port| (port, channels)).chain(options.escape)
}
