//! Switch allocation: separable, inputs first. Each input asks for one output, for one of its channels that
//! have a flit and may go on; each output takes one input. Of a whole sector at once, word by word.

use super::active::take_lowest;
use super::cycle::Rows;
use super::state::{CHANNELS, PORTS, Sector};

/// Words of a bit for each port.
const PORT_WORDS: usize = PORTS / 64;

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Flits leave their buffers.
    #[inline(never)]
    pub(super) fn allocate_switch<const BARE: bool>(&mut self, now: u64) {
        let Rows { sectors, shared, .. } = self;
        for (number, sector) in sectors.iter_mut().enumerate() {
            let asked = collect(sector, &mut shared.winners);
            for (word, outputs) in asked.iter().take(sector.words.div_ceil(C)).enumerate() {
                let mut outputs = *outputs;
                while let Some(output) = take_lowest(&mut outputs) {
                    let output = (word * 64 + output as usize) % PORTS;
                    shared.send::<BARE>(sector, (number, shared.winners[output]), output, now);
                }
            }
        }
        let sent = shared.to_routers.joined() + shared.to_nodes.joined();
        shared.counts.flit_hops += sent as u64;
        shared.is_lively = sent > 0;
    }
}

/// The outputs that are asked for, as bits, and for each the input channel that is taken.
#[inline]
fn collect<const C: usize>(sector: &Sector<C>, winners: &mut [u16; PORTS]) -> [u64; PORT_WORDS] {
    let mut asked = [0; PORT_WORDS];
    for word in 0..sector.words {
        let mut ready = sector.ready(word);
        while ready != 0 {
            let first = ready.trailing_zeros() as usize;
            let channels = ready & (u64::MAX >> (64 - C)) << (first / C * C);
            ready ^= channels;
            let (output, input) = if channels & (channels - 1) == 0 {
                let input = (word * 64 + first) % CHANNELS;
                (usize::from(sector.inputs[input].out_port) % PORTS, input)
            } else {
                request(sector, word, channels)
            };
            let bits = &mut asked[output / 64];
            let is_first = *bits >> (output % 64) & 1 == 0;
            *bits |= 1 << (output % 64);
            let distance = |input: u16| after(input / C as u16, sector.ports[output].last_input);
            let input = input as u16;
            if is_first || distance(input) < distance(winners[output]) {
                winners[output] = input;
            }
        }
    }
    asked
}

/// How far a port is behind the one whose turn is next.
#[inline]
fn after(port: u16, last: u16) -> usize {
    usize::from(port.wrapping_sub(last).wrapping_sub(1)) % PORTS
}

/// The output that an input asks for, and for which of its channels, of several in a word that may ask.
#[inline]
fn request<const C: usize>(sector: &Sector<C>, word: usize, mut channels: u64) -> (usize, usize) {
    // The output whose turn is next, then the channel: the least of both distances from the turn.
    let port = (word * 64 + channels.trailing_zeros() as usize) % CHANNELS / C;
    let next_output = sector.ports[port].last_output.wrapping_add(1);
    let next_channel = usize::from(sector.ports[port].last_channel.wrapping_add(1));
    let mut least = usize::MAX;
    while let Some(channel) = take_lowest(&mut channels) {
        let output = sector.inputs[(word * 64 + channel as usize) % CHANNELS].out_port;
        let outputs = usize::from(output.wrapping_sub(next_output)) % PORTS;
        least = least.min(outputs * C + (channel as usize).wrapping_sub(next_channel) % C);
    }
    ((least / C + usize::from(next_output)) % PORTS, port * C + (least % C + next_channel) % C)
}
