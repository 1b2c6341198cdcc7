//! The state of routers: ports of many routers side by side, in sectors of a fixed size.
//!
//! A router has as many ports in a row as it has, of `C` channels each, and all of them in one sector. A channel
//! goes by a number over all sectors, a port by that of its first channel divided by `C`; within a sector the
//! high bits are masked, so that no index is ever checked but that of a slot in a buffer.

use super::packets::Flit;

/// Channels of a sector: those of the largest router.
pub const CHANNELS: usize = 2048;
/// Ports of a sector, if they have the fewest channels.
pub const PORTS: usize = 512;
/// Words of a bit for each channel.
const WORDS: usize = CHANNELS / 64;

/// The ports of some hundred routers, with `C` channels each.
#[derive(Clone, Debug)]
pub struct Sector<const C: usize> {
    /// Input channels that have a flit.
    pub filled: [u64; WORDS],
    /// Input channels whose packet holds an output channel with a free slot behind it, on a free link.
    pub open: [u64; WORDS],
    pub ports: [Port; PORTS],
    pub at: [Whereabouts; PORTS],
    pub inputs: [Input; CHANNELS],
    /// What the header at the front of an input channel looks for.
    pub wishes: [Wish; CHANNELS],
    /// The output channel that an input channel asks for first.
    pub turns: [u16; CHANNELS],
    /// The header that sleeps behind that of an input channel; or [`NOBODY`].
    pub sleepers: [u16; CHANNELS],
    /// Tails in an input channel's buffer, if packets are stored before they are forwarded.
    pub tails: [u16; CHANNELS],
    pub outputs: [Output; CHANNELS],
    /// The buffers, one after the other, of as many slots as a power of two has.
    pub flits: Vec<Flit>,
    /// Words of `filled` that have channels of a router.
    pub words: usize,
}

impl<const C: usize> Sector<C> {
    /// Ports of a sector.
    pub const PORTS: usize = CHANNELS / C;

    /// A sector whose ports lead nowhere, with buffers of so many slots.
    pub fn new(slots: usize) -> Sector<C> {
        let port = Port { upstream: NOWHERE, target: NOWHERE, sleeper: NOBODY, ..Port::default() };
        let port = Port { last_output: u16::MAX, last_input: u16::MAX, last_channel: u8::MAX, ..port };
        Sector {
            filled: [0; WORDS],
            open: [0; WORDS],
            ports: [port; PORTS],
            at: [Whereabouts { restless: NOBODY, ..Whereabouts::default() }; PORTS],
            inputs: [Input::default(); CHANNELS],
            wishes: [Wish::default(); CHANNELS],
            turns: [0; CHANNELS],
            sleepers: [NOBODY; CHANNELS],
            tails: [0; CHANNELS],
            outputs: [Output { owner: NOBODY, bidder: NOBODY, last: NOBODY, ..Output::default() }; CHANNELS],
            flits: vec![Flit::default(); CHANNELS * slots],
            words: 0,
        }
    }

    /// The packet of an input channel may go on.
    #[inline]
    pub fn open(&mut self, channel: usize) {
        self.open[channel / 64 % WORDS] |= 1 << (channel % 64);
    }

    /// It may not, if so; without a branch.
    #[inline]
    pub fn close_if(&mut self, is_so: bool, channel: usize) {
        self.open[channel / 64 % WORDS] &= !(u64::from(is_so) << (channel % 64));
    }

    /// It may not.
    #[inline]
    pub fn close(&mut self, channel: usize) {
        self.open[channel / 64 % WORDS] &= !(1 << (channel % 64));
    }

    /// An input channel has a flit.
    #[inline]
    pub fn fill(&mut self, channel: usize) {
        self.filled[channel / 64 % WORDS] |= 1 << (channel % 64);
    }

    /// It has none, if so; without a branch, for nothing foretells it.
    #[inline]
    pub fn empty_if(&mut self, is_so: bool, channel: usize) {
        self.filled[channel / 64 % WORDS] &= !(u64::from(is_so) << (channel % 64));
    }

    /// A word of input channels that have a flit and may go on.
    #[inline]
    pub fn ready(&self, word: usize) -> u64 {
        self.filled[word % WORDS] & self.open[word % WORDS]
    }
}

/// Does something for each of some items, with the sector of its channel; that is looked up only where it
/// is another than that of the item before.
#[inline(always)]
pub fn for_each_in_sector<T: Copy, const C: usize>(
    sectors: &mut [Sector<C>],
    items: &[T],
    channel: impl Fn(T) -> u32,
    mut act: impl FnMut(&mut Sector<C>, T),
) {
    let number = |item| channel(item) as usize / CHANNELS;
    let mut rest = items.iter().copied();
    let mut next = rest.next();
    while let Some(mut item) = next {
        let own = number(item);
        let sector = &mut sectors[own];
        next = loop {
            act(sector, item);
            match rest.next() {
                Some(following) if number(following) == own => item = following,
                other => break other,
            }
        };
    }
}

/// Of some items keeps those for which it is so, at the front, and tells how many; asked of each with the sector of its
/// channel. Nothing foretells which they are, so there is no branch: each is written where the next one kept goes.
#[inline(always)]
pub fn retain_in_sector<T: Copy, const C: usize>(
    sectors: &mut [Sector<C>],
    items: &mut [T],
    channel: impl Fn(T) -> u32,
    mut is_so: impl FnMut(&mut Sector<C>, T) -> bool,
) -> usize {
    let number = |item| channel(item) as usize / CHANNELS;
    let (mut at, mut kept) = (0, 0);
    while let Some(&first) = items.get(at) {
        let own = number(first);
        let sector = &mut sectors[own];
        while let Some(&item) = items.get(at).filter(|item| number(**item) == own) {
            let is_kept = is_so(sector, item);
            items[kept] = item;
            kept += usize::from(is_kept);
            at += 1;
        }
    }
    kept
}

/// An input port and the output port of the same number.
#[derive(Clone, Copy, Default, Debug)]
pub struct Port {
    /// Output channels that no packet holds.
    pub free: u32,
    /// Where credits of this input go: the first of the channels of an output, or of a source.
    pub upstream: u32,
    /// Where flits of this output go: the first of the channels of an input, or of this output if a node
    /// is behind it.
    pub target: u32,
    /// Flits that left by this output.
    pub sent: u64,
    /// The output that this input was given last, which it asks for last.
    pub last_output: u16,
    /// The input that this output took last, which it takes last.
    pub last_input: u16,
    /// The first of the headers that sleep until this output has something free; or [`NOBODY`].
    pub sleeper: u16,
    /// The channel that was served last at this input, and asks last.
    pub last_channel: u8,
    /// Whether this output's link still moves a flit.
    pub is_busy: bool,
}

/// Where a port is.
#[derive(Clone, Copy, Default, Debug)]
pub struct Whereabouts {
    /// Where the router's row of the table of known ports begins.
    pub row: u32,
    /// The router's number in the shape.
    pub router: u32,
    /// The router's first port.
    pub base: u16,
    /// Of a router's first port: the first of the headers that sleep until any output has something free.
    pub restless: u16,
    /// The first logical network that the router serves.
    pub network: u8,
}

/// Marks a place outside the routers: a node instead of an input, a source instead of an output.
pub const OUTSIDE: u32 = 1 << 31;
/// No port behind this one.
pub const NOWHERE: u32 = u32::MAX;
/// No input channel.
pub const NOBODY: u16 = u16::MAX;

/// What a channel's front packet does.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Stage {
    /// There is none.
    #[default]
    Idle,
    /// Its tail has yet to come (store-and-forward).
    Gathering,
    /// It is routed, or looks for a channel.
    Looking,
    /// It has one.
    Holding,
}

/// An input channel.
#[derive(Clone, Copy, Default, Debug)]
pub struct Input {
    /// The slot of the buffer's front.
    pub first: u16,
    /// Flits in the buffer.
    pub length: u16,
    /// The output port that the front packet wants or has.
    pub out_port: u16,
    /// The output channel it has.
    pub out_channel: u8,
    /// What the front packet does.
    pub stage: Stage,
}

/// What a header looks for.
#[derive(Clone, Copy, Default, Debug)]
pub struct Wish {
    /// The output channels that it may take, at each port.
    pub allowed: u32,
    /// Flits for which it wants room.
    pub room: u16,
    /// Whether it needs a place at its node.
    pub takes_place: bool,
    /// How its channel is chosen.
    pub kind: WishKind,
}

/// How a header's channel is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum WishKind {
    /// Any that is free will do, at one port.
    #[default]
    Easy,
    /// One port, but room or a place may lack.
    Fussy,
    /// Several ports.
    Several,
}

/// An output channel.
#[derive(Clone, Copy, Default, Debug)]
pub struct Output {
    /// Slots of the buffer behind it that are not taken.
    pub credits: u16,
    /// The input channel whose packet's flits go by it; or [`NOBODY`].
    pub owner: u16,
    /// The input channel that was taken last, and is taken last.
    pub last: u16,
    /// In channel allocation, the input channel that asks for it and is not outdone; else [`NOBODY`].
    pub bidder: u16,
}

/// Outputs of which a header may take one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Several {
    /// The ports, within the router.
    pub ports: u64,
    /// Where the search begins.
    pub from: u8,
    /// A port that may be taken if none of the others can, and its channels.
    pub escape: Option<(u8, u32)>,
    /// Flits for which it wants room there.
    pub escape_room: u16,
}
