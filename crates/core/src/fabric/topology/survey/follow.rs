//! The states that packets to one node can reach. They are found by calling the routing rule from state to state.

use super::super::{PortSet, RouteOptions, RouteQuery, Shape};
use super::links::{Links, NO_LINK};

/// The state of a header at an input.
#[derive(Clone)]
pub struct State {
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
pub struct Follow<'s> {
    shape: &'s Shape,
    links: &'s Links,
    virtual_channels: u8,
    /// Whether states are distinguished by the channel by which packets arrived.
    by_channel: bool,
    /// For each input (and channel) the index of its state, or [`NO_LINK`].
    state_indices: Vec<u32>,
    /// States of the packets that were followed last.
    pub states: Vec<State>,
    /// Number of queries of the routing rule.
    pub queries: u64,
}

impl Follow<'_> {
    /// Creates a search over a shape.
    pub fn new<'s>(shape: &'s Shape, links: &'s Links, virtual_channels: u8) -> Follow<'s> {
        let by_channel = shape.routing.depends_on_input();
        let state_indices = vec![NO_LINK; links.inputs() * if by_channel { usize::from(virtual_channels) } else { 1 }];
        Follow { shape, links, virtual_channels, by_channel, state_indices, states: Vec::new(), queries: 0 }
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
            self.enter(self.links.input(router, port), all_channels);
        }
        let mut index = 0;
        while let Some(&State { router, input, arrival_channels: held, .. }) = self.states.get(index) {
            let port = (input - self.links.input(router, 0)) as u8;
            let channel = held.trailing_zeros() as u8;
            let query = RouteQuery { router, input: port, channel, source: sources[0], destination };
            let options = self.shape.routing.route(&query, self.virtual_channels);
            self.states[index].options = options.clone();
            self.queries += 1;
            for (port, channels) in every_choice(&options) {
                let input = self.links.input_of(self.links.output(router, port));
                if input != NO_LINK {
                    self.enter(input, channels);
                }
            }
            index += 1;
        }
    }

    /// Returns the indices of the states at an input whose packets arrived by one of `channels`.
    pub fn states_at(&self, input: u32, channels: u16) -> impl Iterator<Item = usize> {
        let channels = if self.by_channel { channels } else { channels & channels.wrapping_neg() };
        let numbers = bits(channels).map(move |channel| self.state_indices[self.state_key(input, channel)]);
        numbers.filter(|number| *number != NO_LINK).map(|number| number as usize)
    }

    fn state_key(&self, input: u32, channel: u8) -> usize {
        match self.by_channel {
            true => input as usize * usize::from(self.virtual_channels) + usize::from(channel),
            false => input as usize,
        }
    }

    fn enter(&mut self, input: u32, channels: u16) {
        if !self.by_channel {
            return self.enter_state(input, 0, channels);
        }
        bits(channels).for_each(|channel| self.enter_state(input, channel, 1 << channel));
    }

    fn enter_state(&mut self, input: u32, channel: u8, arrival_channels: u16) {
        let key = self.state_key(input, channel);
        match self.state_indices[key] {
            NO_LINK => {
                self.state_indices[key] = self.states.len() as u32;
                let router = self.links.router_of_input(input);
                self.states.push(State {
                    router,
                    input,
                    arrival_channels,
                    options: RouteOptions { ports: PortSet::Mask(0), channels: 0, escape: None },
                });
            }
            number => self.states[number as usize].arrival_channels |= arrival_channels,
        }
    }
}

/// Returns the positions of the set bits of a number, in ascending order.
pub fn bits(number: u16) -> impl Iterator<Item = u8> + Clone {
    ports(number.into())
}

/// Returns the ports of a mask, in ascending order.
pub fn ports(set: u64) -> impl Iterator<Item = u8> + Clone {
    let mut rest = set;
    std::iter::from_fn(move || {
        let port = (rest != 0).then(|| rest.trailing_zeros() as u8);
        rest &= rest.wrapping_sub(1);
        port
    })
}

/// Returns every port that a header may take, with its channels, including the escape.
pub fn every_choice(options: &RouteOptions) -> impl Iterator<Item = (u8, u16)> {
    let channels = options.channels;
    ports(options.ports.mask()).map(move |port| (port, channels)).chain(options.escape)
}

/// Returns the ports and channels for which a blocked header waits: those of the escape, or all options if there is no
/// escape.
pub fn waited_for(options: &RouteOptions) -> impl Iterator<Item = (u8, u16)> {
    let regular_ports = if options.escape.is_some() { 0 } else { options.ports.mask() };
    let channels = options.channels;
    ports(regular_ports).map(move |port| (port, channels)).chain(options.escape)
}
