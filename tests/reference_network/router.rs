//! A router: its buffers, and the stages that a packet passes.

use super::arbiter::Arbiter;
use super::{Flit, RouterParameters};
use narrows::fabric::router::Switching;
use narrows::fabric::topology::{End, PortSet, RouteOptions, RouteQuery, Shape};
use std::collections::{BTreeMap, VecDeque};

/// A router of one logical network, or of all logical networks that share links.
#[derive(Clone, Debug)]
pub struct Router {
    /// The router's number in the shape.
    pub number: usize,
    /// The first logical network that the router serves.
    first_network: usize,
    pub inputs: Vec<Input>,
    pub outputs: Vec<Output>,
    channels: usize,
}

#[derive(Clone, Debug)]
pub struct Input {
    pub upstream: Upstream,
    pub channels: Vec<InputChannel>,
    /// Arbiters of switch requests: among the outputs that channels of this input request, and among the channels that
    /// request the chosen output.
    output_arbiter: Arbiter,
    channel_arbiter: Arbiter,
}

/// The sender at the other end of an input.
#[derive(Clone, Copy, Debug)]
pub enum Upstream {
    Unconnected,
    Router { router: usize, port: usize },
    Source(usize),
}

#[derive(Clone, Default, Debug)]
pub struct InputChannel {
    pub buffer: VecDeque<Flit>,
    stage: Stage,
    /// Arbiter among all output channels of the router.
    arbiter: Arbiter,
}

#[derive(Clone, Default, Debug)]
enum Stage {
    #[default]
    Idle,
    /// From a cycle on, the front packet requests a channel.
    Waiting { first_cycle: u64, options: RouteOptions, hash: u64 },
    /// The front packet has a channel and, from a cycle on, requests the switch.
    Active { first_cycle: u64, output: usize, channel: usize },
}

#[derive(Clone, Debug)]
pub struct Output {
    pub end: End,
    pub channels: Vec<OutputChannel>,
    input_arbiter: Arbiter,
    busy_until: u64,
    /// Cycles for which a flit holds the link.
    pub cycles_per_flit: u64,
}

#[derive(Clone, Default, Debug)]
pub struct OutputChannel {
    pub credits: u16,
    is_held: bool,
    /// Arbiter among all input channels of the router.
    arbiter: Arbiter,
}

/// A flit that leaves its buffer.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub input: usize,
    pub input_channel: usize,
    pub output: usize,
    pub output_channel: usize,
    pub flit: Flit,
}

impl Router {
    pub fn new(
        number: usize,
        network_group: usize,
        output_ends: &[End],
        parameters: &RouterParameters,
        lanes: usize,
    ) -> Router {
        let channels = lanes * usize::from(parameters.virtual_channels);
        let channel = OutputChannel { credits: parameters.buffer_flits, ..OutputChannel::default() };
        let output = |end: &End| Output {
            end: *end,
            channels: vec![channel.clone(); channels],
            input_arbiter: Arbiter::default(),
            busy_until: 0,
            cycles_per_flit: u64::from(parameters.cycles_per_flit()),
        };
        let outputs = output_ends.iter().map(output).collect();
        Router { number, first_network: network_group * lanes, inputs: Vec::new(), outputs, channels }
    }

    /// Connects the sender of an input.
    pub fn connect_input(&mut self, port: usize, upstream: Upstream) {
        while self.inputs.len() <= port {
            let channels = vec![InputChannel::default(); self.channels];
            let (output_arbiter, channel_arbiter) = (Arbiter::default(), Arbiter::default());
            self.inputs.push(Input { upstream: Upstream::Unconnected, channels, output_arbiter, channel_arbiter });
        }
        self.inputs[port].upstream = upstream;
    }

    /// Computes the routes of headers that reached the front of their buffers.
    pub fn route(&mut self, now: u64, shape: &Shape, parameters: &RouterParameters, seed: u64, router: u32) {
        for (port, input) in self.inputs.iter_mut().enumerate() {
            for (channel_index, channel) in input.channels.iter_mut().enumerate() {
                let (Stage::Idle, Some(flit)) = (&channel.stage, channel.buffer.front()) else { continue };
                assert!(flit.is_header, "a packet begins with its header");
                let has_tail = channel.buffer.iter().any(|flit| flit.is_tail);
                if parameters.switching == Switching::StoreAndForward && !has_tail {
                    continue;
                }
                let query = RouteQuery {
                    router,
                    input: port as u8,
                    channel: (channel_index % usize::from(parameters.virtual_channels)) as u8,
                    source: flit.packet.injection.source,
                    destination: flit.packet.injection.destination,
                };
                let mut options = shape.routing.route(&query, parameters.virtual_channels);
                let hash = hash(seed, flit.packet.packet_number, router);
                if shape.routing.is_oblivious_random() {
                    let ports: Vec<u32> = options.ports.iter().map(u32::from).collect();
                    options.ports = PortSet::Mask(1 << ports[(hash % ports.len() as u64) as usize]);
                }
                channel.stage =
                    Stage::Waiting { first_cycle: now + u64::from(parameters.routing_delay), options, hash };
            }
        }
    }

    /// Allocates output channels: each waiting header requests one, and each output channel is granted to one header.
    pub fn allocate_channels(&mut self, now: u64, parameters: &RouterParameters, free_slots: &mut [Vec<Option<u32>>]) {
        let mut requests: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for input in 0..self.inputs.len() * self.channels {
            if let Some(output) = self.requested_channel(now, input, parameters, free_slots) {
                requests.entry(output).or_default().push(input);
            }
        }
        let (inputs, outputs) = (self.inputs.len() * self.channels, self.outputs.len() * self.channels);
        for (output, requesters) in requests {
            let channel = &mut self.outputs[output / self.channels].channels[output % self.channels];
            let winner = channel
                .arbiter
                .pick(inputs, |input| requesters.contains(&input))
                .expect("an input requests the channel");
            let flit = self.inputs[winner / self.channels].channels[winner % self.channels].buffer[0];
            if let (true, End::Node(node)) =
                (flit.packet.injection.needs_slot, self.outputs[output / self.channels].end)
                && let Some(free_slots) = &mut free_slots[node as usize][usize::from(flit.packet.injection.network)]
            {
                if *free_slots == 0 {
                    continue;
                }
                *free_slots -= 1;
            }
            let channel = &mut self.outputs[output / self.channels].channels[output % self.channels];
            channel.is_held = true;
            channel.arbiter.grant(inputs, winner);
            let input = &mut self.inputs[winner / self.channels].channels[winner % self.channels];
            input.arbiter.grant(outputs, output);
            let first_cycle = now + u64::from(parameters.vc_allocation_delay);
            input.stage =
                Stage::Active { first_cycle, output: output / self.channels, channel: output % self.channels };
        }
    }

    /// Returns the output channel that an input channel requests.
    fn requested_channel(
        &self,
        cycle: u64,
        input: usize,
        parameters: &RouterParameters,
        free_slots: &[Vec<Option<u32>>],
    ) -> Option<usize> {
        let state = &self.inputs[input / self.channels].channels[input % self.channels];
        let Stage::Waiting { first_cycle, options, hash } = &state.stage else { return None };
        if cycle < *first_cycle {
            return None;
        }
        let packet = &state.buffer[0].packet.injection;
        let first_channel =
            (usize::from(packet.network) - self.first_network) * usize::from(parameters.virtual_channels);
        let needed_credits = if parameters.switching == Switching::Wormhole { 0 } else { packet.flits };
        // The next buffer must hold the whole packet or be empty, so that packets behind it can still use the escape.
        let adaptive_credits =
            if options.escape.is_some() { packet.flits.min(parameters.buffer_flits) } else { needed_credits };
        let is_available = |port: usize, channel: usize, channel_mask: u16, credits_min: u16| {
            let output = &self.outputs[port];
            let is_allowed = channel >= first_channel
                && channel < first_channel + 16
                && channel_mask >> (channel - first_channel) & 1 != 0;
            let has_slot = match output.end {
                End::Node(node) if packet.needs_slot => {
                    free_slots[node as usize][usize::from(packet.network)].is_none_or(|free_slots| free_slots > 0)
                }
                _ => true,
            };
            let state = &output.channels[channel];
            is_allowed && !state.is_held && has_slot && state.credits >= credits_min
        };
        let ports: Vec<usize> = options.ports.iter().map(usize::from).collect();
        // The search begins at the escape's port if there is one, otherwise at a random port.
        let drawn_port = (hash % ports.len() as u64) as usize;
        let first_port = options
            .escape
            .map_or(drawn_port, |(escape, _)| ports.iter().position(|port| *port >= usize::from(escape)).unwrap_or(0));
        let rotated_ports = (0..ports.len()).map(|step| ports[(first_port + step) % ports.len()]);
        let choices = rotated_ports.map(|port| (port, options.channels, adaptive_credits));
        let choices =
            choices.chain(options.escape.map(|(port, channels)| (usize::from(port), channels, needed_credits.max(1))));
        choices.into_iter().find_map(|(port, channel_mask, credits_min)| {
            state.arbiter.pick(self.outputs.len() * self.channels, |output| {
                output / self.channels == port && is_available(port, output % self.channels, channel_mask, credits_min)
            })
        })
    }

    /// Allocates the switch: each input requests one output for one channel, and each output is granted to one input.
    pub fn allocate_switch(&mut self, now: u64) -> Vec<Departure> {
        let requests: Vec<Option<(usize, usize)>> =
            self.inputs.iter().map(|input| self.requested_output(now, input)).collect();
        let mut departures = Vec::new();
        for output in 0..self.outputs.len() {
            let requests_output = |input: usize| requests[input].is_some_and(|(wanted, _)| wanted == output);
            let Some(input) = self.outputs[output].input_arbiter.pick(self.inputs.len(), requests_output) else {
                continue;
            };
            let (_, channel) = requests[input].expect("the input has a request");
            self.outputs[output].input_arbiter.grant(requests.len(), input);
            self.outputs[output].busy_until = now + self.outputs[output].cycles_per_flit;
            let input_port = &mut self.inputs[input];
            input_port.output_arbiter.grant(self.outputs.len(), output);
            input_port.channel_arbiter.grant(self.channels, channel);
            departures.push(self.take(input, channel));
        }
        departures
    }

    /// Returns the output that an input requests, and the channel for which it requests the output.
    fn requested_output(&self, now: u64, input: &Input) -> Option<(usize, usize)> {
        let can_request = |channel: usize, wanted: usize| {
            let state = &input.channels[channel];
            let Stage::Active { first_cycle, output, channel } = state.stage else { return false };
            let output_port = &self.outputs[output];
            let is_free = output_port.channels[channel].credits > 0 && now >= output_port.busy_until;
            output == wanted && now >= first_cycle && !state.buffer.is_empty() && is_free
        };
        let is_wanted = |output: usize| (0..self.channels).any(|channel| can_request(channel, output));
        let output = input.output_arbiter.pick(self.outputs.len(), is_wanted)?;
        let channel = input.channel_arbiter.pick(self.channels, |channel| can_request(channel, output))?;
        Some((output, channel))
    }

    /// Takes the front flit of an input channel.
    fn take(&mut self, input: usize, input_channel: usize) -> Departure {
        let state = &mut self.inputs[input].channels[input_channel];
        let Stage::Active { output, channel, .. } = state.stage else { panic!("the packet has a channel") };
        let flit = state.buffer.pop_front().expect("the buffer has a flit");
        let output_channel = &mut self.outputs[output].channels[channel];
        output_channel.credits -= 1;
        if flit.is_tail {
            output_channel.is_held = false;
            state.stage = Stage::Idle;
        }
        Departure { input, input_channel, output, output_channel: channel, flit }
    }
}

/// Returns the hash that decides where a packet's search among several ports of a router begins. The fast network uses
/// the same hash, so that packets take the same routes.
fn hash(seed: u64, packet_number: u64, router: u32) -> u64 {
    let xor_shift = |mixed: u64, bits: u32| mixed ^ (mixed >> bits);
    let mixed = seed ^ packet_number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (u64::from(router) << 32);
    let mixed = xor_shift(mixed, 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    xor_shift(xor_shift(mixed, 30).wrapping_mul(0x94d0_49bb_1331_11eb), 31)
}
