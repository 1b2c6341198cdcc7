//! Switch allocation: separable, inputs first. Each input asks for one output, for one of its channels;
//! each output takes one input. The winners' flits leave their buffers, and credits go back.

use super::active::{round_robin, take_lowest};
use super::cycle::{Moving, Shared};
use super::state::{Block, NOBODY, OUTSIDE, Stage};

/// Who asks for what: for each output the inputs, for each input the channel.
struct Requests<const P: usize> {
    /// Outputs that are asked for.
    outputs: u64,
    inputs: [u64; P],
    channels: [u8; P],
}

impl<const P: usize, const C: usize> Shared<P, C> {
    /// Whether any flit moved.
    #[inline]
    pub(super) fn allocate_switch(&mut self, block: &mut Block<P, C>, router: usize) -> bool {
        if block.ready & (block.ready - 1) == 0 {
            // One input alone gets what it asks for.
            let input = block.ready.trailing_zeros() as usize % P;
            let Some((output, channel)) = request(block, input) else { return false };
            self.send(block, (router * P + input) * C + usize::from(channel) % C, usize::from(output) % P);
            return true;
        }
        let requests = collect(block);
        let mut outputs = requests.outputs;
        while let Some(output) = take_lowest(&mut outputs) {
            let output = output as usize % P;
            let first = block.ports[output].next_input;
            let input = usize::from(round_robin(requests.inputs[output], first)) % P;
            let channel = usize::from(requests.channels[input]) % C;
            self.send(block, (router * P + input) * C + channel, output);
        }
        requests.outputs != 0
    }

    /// The turns pass, and the front flit of an input channel leaves for an output.
    #[inline(never)]
    fn send(&mut self, block: &mut Block<P, C>, number: usize, output: usize) {
        let (input, channel) = (number / C % P, number % C);
        block.ports[output].next_input = (input as u8 + 1) % 64;
        block.ports[output].sent += 1;
        let from = &mut block.ports[input];
        (from.next_output, from.next_channel) = ((output as u8 + 1) % 64, (channel as u8 + 1) % 32);
        let state = &mut block.inputs[input][channel];
        let flit = self.flits[(number << self.rules.flit_bits) + usize::from(state.first)];
        state.first = (state.first + 1) & ((1 << self.rules.flit_bits) - 1);
        state.length -= 1;
        let length = state.length;
        let out_channel = usize::from(state.out_channel) % C;
        let behind = &mut block.outputs[output][out_channel];
        assert!(behind.credits > 0, "a flit is sent only into a free slot");
        behind.credits -= 1;
        let is_stopped = flit.is_tail() || length == 0 || behind.credits == 0;
        if is_stopped {
            let port = &mut block.ports[input];
            port.ready &= !(1 << channel);
            if port.ready == 0 {
                block.ready &= !(1 << input);
            }
        }
        let upstream = block.ports[input].upstream;
        if upstream & OUTSIDE != 0 {
            self.credits_to_sources.push(upstream + channel as u32);
        } else {
            self.credits_to_routers.push(upstream + channel as u32);
        }
        let target = block.ports[output].target;
        let moving = Moving { to: target + out_channel as u32, flit };
        if target & OUTSIDE != 0 {
            self.to_nodes.push(moving);
        } else {
            self.to_routers.push(moving);
        }
        self.counts.flit_hops += 1;
        if self.rules.cycles_per_flit > 1 {
            block.busy |= 1 << output;
            self.links.push((number / (P * C) * P + output) as u32);
        }
        if flit.is_tail() {
            if let Some(crossings) = &mut self.crossings {
                let channel = (number / (P * C) * P + output) * C + out_channel;
                crossings.end(channel as u32, self.packets.get(flit.slot()));
            }
            block.outputs[output][out_channel].owner = NOBODY;
            block.ports[output].free |= 1 << out_channel;
            block.is_changed = true;
            self.end_packet(block, number);
        }
    }

    /// A packet's tail left its buffer; the next one's header may be behind it.
    #[inline]
    fn end_packet(&mut self, block: &mut Block<P, C>, number: usize) {
        let state = block.input(number);
        state.stage = Stage::Idle;
        state.tails = state.tails.saturating_sub(1);
        if state.length > 0 {
            let header = self.flits[(number << self.rules.flit_bits) + usize::from(state.first)];
            self.come_to_front(block, number, header, true);
        }
    }
}

/// All inputs' requests.
#[inline]
fn collect<const P: usize, const C: usize>(block: &Block<P, C>) -> Requests<P> {
    let mut requests = Requests { outputs: 0, inputs: [0; P], channels: [0; P] };
    let mut inputs = block.ready;
    while let Some(input) = take_lowest(&mut inputs) {
        let input = input as usize % P;
        let Some((output, channel)) = request(block, input) else { continue };
        requests.outputs |= 1 << output;
        requests.inputs[usize::from(output) % P] |= 1 << input;
        requests.channels[input] = channel;
    }
    requests
}

/// The output that an input asks for, and for which channel.
#[inline]
fn request<const P: usize, const C: usize>(block: &Block<P, C>, input: usize) -> Option<(u8, u8)> {
    let port = &block.ports[input];
    let channels = &block.inputs[input];
    if port.ready & (port.ready - 1) == 0 {
        let channel = port.ready.trailing_zeros() as u8;
        let output = channels[usize::from(channel) % C].out_port;
        return (block.busy >> output & 1 == 0).then_some((output, channel));
    }
    // The output whose turn is next, then the channel: the least of both distances from the turn.
    let mut least = u32::MAX;
    let mut ready = u64::from(port.ready);
    while let Some(channel) = take_lowest(&mut ready) {
        let output = channels[channel as usize % C].out_port;
        if block.busy >> output & 1 == 0 {
            let (outputs, channels) = (output.wrapping_sub(port.next_output) % 64, channel as u8);
            let distance = u32::from(outputs) << 8 | u32::from(channels.wrapping_sub(port.next_channel) % 32);
            least = least.min(distance);
        }
    }
    let output = ((least >> 8) as u8).wrapping_add(port.next_output) % 64;
    let channel = (least as u8).wrapping_add(port.next_channel) % 32;
    (least != u32::MAX).then_some((output, channel))
}
