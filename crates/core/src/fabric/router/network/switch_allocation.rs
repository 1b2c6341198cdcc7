//! Switch allocation: separable, inputs first. Each input asks for one output, for one of its channels that
//! have a flit and may go on; each output takes one input. Of a whole sector at once, word by word.

use super::active::take_lowest;
use super::cycle::Rows;
use super::sieve::{self, Items, Sieve};
use super::state::{CHANNELS, PORTS, Sector};

/// Words of a bit for each port.
const PORT_WORDS: usize = PORTS / 64;

/// What a sector's inputs ask for, and which of them are taken; used again for each sector.
#[derive(Debug)]
pub struct Bids {
    /// For each output, the input channel that it takes, with the input's distance from the turn above it; between
    /// two sectors, none.
    winners: [u32; PORTS],
    /// Input channels that alone of their ports may ask.
    single: Items,
    /// Input channels that tails left.
    tails: Items,
}

impl Default for Bids {
    fn default() -> Bids {
        Bids { winners: [NONE; PORTS], single: sieve::NO_ITEMS, tails: sieve::NO_ITEMS }
    }
}

impl Bids {
    /// Checks that no bid is left.
    pub(super) fn check(&self) {
        assert!(self.winners.iter().all(|winner| *winner == NONE), "who was taken asks no more");
    }
}

/// No bid: one that any other outdoes.
const NONE: u32 = u32::MAX;

impl<const C: usize, const PLAIN: bool> Rows<C, PLAIN> {
    /// Flits leave their buffers.
    #[inline(never)]
    pub(super) fn allocate_switch<const BARE: bool>(&mut self, now: u64) {
        let Rows { sectors, shared, bids, .. } = self;
        let mut sent = 0;
        for (number, sector) in sectors.iter_mut().enumerate() {
            let asked = collect(sector, bids);
            let mut tails = Sieve::new(&mut bids.tails);
            for word in 0..sector.words.div_ceil(C) {
                let mut outputs = asked[word % PORT_WORDS];
                while let Some(output) = take_lowest(&mut outputs) {
                    let output = (word * 64 + output as usize) % PORTS;
                    let winner = std::mem::replace(&mut bids.winners[output], NONE) as u16;
                    let is_tail = shared.send(sector, (number, winner), output, now);
                    sent += usize::from(!PLAIN);
                    tails.add_if(is_tail, winner);
                }
            }
            shared.end_packets::<BARE>(sector, (number, tails), now);
        }
        // What crosses links that differ joins no line: it is put where it is due.
        if PLAIN {
            sent = shared.to_routers.joined() + shared.to_nodes.joined();
        }
        shared.counts.flit_hops += sent as u64;
        shared.is_lively = sent > 0;
    }
}

/// The outputs that are asked for, as bits, and for each the input channel that is taken.
#[inline]
fn collect<const C: usize>(sector: &Sector<C>, bids: &mut Bids) -> [u64; PORT_WORDS] {
    let mut asked = [0; PORT_WORDS];
    let mut bid = |output: usize, input: usize| {
        asked[output / 64] |= 1 << (output % 64);
        let distance = after((input / C) as u16, sector.ports[output].last_input);
        bids.winners[output] = bids.winners[output].min((distance << 16 | input) as u32);
    };
    let mut single = Sieve::new(&mut bids.single);
    for word in 0..sector.words {
        let ready = sector.ready(word);
        let mut alone = ready;
        let rest = all_but_first::<C>(ready);
        if rest != 0 {
            let (every, mut several) = (u64::MAX >> (64 - C), with_any::<C>(rest));
            alone &= !several.wrapping_mul(every);
            while let Some(first) = take_lowest(&mut several) {
                let (output, input) = request(sector, word, ready & every << first);
                bid(output, input);
            }
        }
        single.add_bits(word * 64, alone);
    }
    for place in 0..single.len() {
        let input = usize::from(single.get(place)) % CHANNELS;
        bid(usize::from(sector.inputs[input].out_port) % PORTS, input);
    }
    asked
}

/// Of a word of channels, the first channel of each port that has any.
#[inline]
fn with_any<const C: usize>(channels: u64) -> u64 {
    let mut any = channels;
    let mut shift = 1;
    while shift < C {
        any |= any >> shift;
        shift *= 2;
    }
    any & (u64::MAX / (u64::MAX >> (64 - C)))
}

/// Of a word of channels, all but the lowest of each port.
#[inline]
fn all_but_first<const C: usize>(channels: u64) -> u64 {
    // Of each port that has any, one is subtracted, which borrows from no other.
    channels & (channels - with_any::<C>(channels))
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
    let mut note = |channel: usize, is_ready: bool| {
        let output = sector.inputs[(port * C + channel) % CHANNELS].out_port;
        let outputs = usize::from(output.wrapping_sub(next_output)) % PORTS;
        let distance = outputs * C + channel.wrapping_sub(next_channel) % C;
        least = least.min(distance | usize::from(is_ready).wrapping_sub(1));
    };
    // Few channels are all compared, so that nothing branches on which of them may ask.
    if C <= 4 {
        (0..C).for_each(|channel| note(channel, channels >> (port * C % 64 + channel) & 1 != 0));
    } else {
        while let Some(channel) = take_lowest(&mut channels) {
            note(channel as usize % C, true);
        }
    }
    ((least / C + usize::from(next_output)) % PORTS, port * C + (least % C + next_channel) % C)
}
