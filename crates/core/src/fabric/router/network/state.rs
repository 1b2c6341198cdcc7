//! The state of routers: the ports of many routers, in sectors of a fixed size.
//!
//! The ports of a router have consecutive numbers and `PORT_CHANNELS` channels each, and are all in one sector. A
//! channel has a number over all sectors, and a port has the number of its first channel divided by `PORT_CHANNELS`.
//! Indices within a sector are masked, so that only the slots of buffers need bounds checks.

use super::packets::Flit;

/// Number of channels of a sector, which is also the largest number of channels of a router.
pub const CHANNELS: usize = 2048;
/// Number of ports of a sector if each port has the smallest number of channels.
pub const PORTS: usize = 512;
/// Number of words of a mask with a bit for each channel.
const MASK_WORDS: usize = CHANNELS / 64;

/// The ports of up to a few hundred routers, with `PORT_CHANNELS` channels each.
#[derive(Clone, Debug)]
pub struct Sector<const PORT_CHANNELS: usize> {
    /// Input channels that have a flit.
    pub filled_channels: [u64; MASK_WORDS],
    /// Input channels whose packet holds an output channel with a free slot at the other end of a free link.
    pub open_channels: [u64; MASK_WORDS],
    pub ports: [Port; PORTS],
    pub locations: [PortLocation; PORTS],
    pub inputs: [Input; CHANNELS],
    /// Output port that the front packet of each input channel requests or holds.
    pub out_ports: [u16; CHANNELS],
    /// Request of the header at the front of each input channel.
    pub requests: [VcRequest; CHANNELS],
    /// Output channel to which an input channel gives priority.
    pub round_robin_starts: [u16; CHANNELS],
    /// For each input channel, the next one in its list of blocked headers, or [`NO_CHANNEL`].
    pub next_blocked: [u16; CHANNELS],
    /// Number of tails in an input channel's buffer, for store-and-forward switching.
    pub tails: [u16; CHANNELS],
    pub outputs: [Output; CHANNELS],
    /// Buffers of all channels. The number of slots of a buffer is rounded up to a power of two.
    pub flits: Vec<Flit>,
    /// Number of words of `filled_channels` that have channels of a router.
    pub used_words: usize,
}

impl<const PORT_CHANNELS: usize> Sector<PORT_CHANNELS> {
    /// Number of ports of a sector.
    pub const PORTS: usize = CHANNELS / PORT_CHANNELS;

    /// Creates a sector whose ports are not connected, with buffers of `slots` slots.
    pub fn new(slots: usize) -> Sector<PORT_CHANNELS> {
        let port = Port { upstream: NO_PORT, target: NO_PORT, first_blocked: NO_CHANNEL, ..Port::default() };
        let port = Port { last_output: u16::MAX, last_input: u16::MAX, last_channel: u8::MAX, ..port };
        Sector {
            filled_channels: [0; MASK_WORDS],
            open_channels: [0; MASK_WORDS],
            ports: [port; PORTS],
            locations: [PortLocation { first_blocked_any: NO_CHANNEL, ..PortLocation::default() }; PORTS],
            inputs: [Input::default(); CHANNELS],
            out_ports: [0; CHANNELS],
            requests: [VcRequest::default(); CHANNELS],
            round_robin_starts: [0; CHANNELS],
            next_blocked: [NO_CHANNEL; CHANNELS],
            tails: [0; CHANNELS],
            outputs: [Output { owner: NO_CHANNEL, candidate: NO_CHANNEL, last_owner: NO_CHANNEL, ..Output::default() };
                CHANNELS],
            flits: vec![Flit::default(); CHANNELS * slots],
            used_words: 0,
        }
    }

    /// Marks that the packet of an input channel may continue: its output channel has a credit and a free link.
    #[inline]
    pub fn open_channel(&mut self, channel: usize) {
        self.open_channels[channel / 64 % MASK_WORDS] |= 1 << (channel % 64);
    }

    /// Marks that the packet of an input channel may not continue, if `condition` is true, without a branch.
    #[inline]
    pub fn close_channel_if(&mut self, condition: bool, channel: usize) {
        self.open_channels[channel / 64 % MASK_WORDS] &= !(u64::from(condition) << (channel % 64));
    }

    /// Marks that the packet of an input channel may not continue.
    #[inline]
    pub fn close_channel(&mut self, channel: usize) {
        self.open_channels[channel / 64 % MASK_WORDS] &= !(1 << (channel % 64));
    }

    /// Marks that an input channel has a flit.
    #[inline]
    pub fn mark_filled(&mut self, channel: usize) {
        self.filled_channels[channel / 64 % MASK_WORDS] |= 1 << (channel % 64);
    }

    /// Marks that an input channel has no flit, if `condition` is true. The code has no branch, because the condition
    /// depends on data and a branch would be mispredicted.
    #[inline]
    pub fn mark_empty_if(&mut self, condition: bool, channel: usize) {
        self.filled_channels[channel / 64 % MASK_WORDS] &= !(u64::from(condition) << (channel % 64));
    }

    /// Returns a word of the input channels that have a flit and may continue.
    #[inline]
    pub fn ready_channels(&self, word: usize) -> u64 {
        self.filled_channels[word % MASK_WORDS] & self.open_channels[word % MASK_WORDS]
    }
}

/// Calls `operation` for each item with the sector of its channel. The sector is looked up only if it differs from that
/// of the previous item, and never if there is only one.
#[inline(always)]
pub fn for_each_in_sector<T: Copy, const PORT_CHANNELS: usize>(
    sectors: &mut [Sector<PORT_CHANNELS>],
    items: &[T],
    channel: impl Fn(T) -> u32,
    mut operation: impl FnMut(&mut Sector<PORT_CHANNELS>, T),
) {
    if let [sector] = sectors {
        items.iter().for_each(|item| operation(sector, *item));
        return;
    }
    let sector_of = |item| channel(item) as usize / CHANNELS;
    let mut index = 0;
    while let Some(&first) = items.get(index) {
        let sector_index = sector_of(first);
        let sector = &mut sectors[sector_index];
        while let Some(&item) = items.get(index).filter(|item| sector_of(**item) == sector_index) {
            operation(sector, item);
            index += 1;
        }
    }
}

/// Moves the items for which `condition` is true to the front, and returns their number. The condition is called with
/// the sector of an item's channel. The code has no branch, because a branch would be mispredicted: each item is
/// written to the position of the next item to keep.
#[inline(always)]
pub fn retain_in_sector<T: Copy, const PORT_CHANNELS: usize>(
    sectors: &mut [Sector<PORT_CHANNELS>],
    items: &mut [T],
    channel: impl Fn(T) -> u32,
    mut condition: impl FnMut(&mut Sector<PORT_CHANNELS>, T) -> bool,
) -> usize {
    let mut kept_count = 0;
    if let [sector] = sectors {
        for index in 0..items.len() {
            let item = items[index];
            let is_kept = condition(sector, item);
            items[kept_count] = item;
            kept_count += usize::from(is_kept);
        }
        return kept_count;
    }
    let sector_of = |item| channel(item) as usize / CHANNELS;
    let mut index = 0;
    while let Some(&first) = items.get(index) {
        let sector_index = sector_of(first);
        let sector = &mut sectors[sector_index];
        while let Some(&item) = items.get(index).filter(|item| sector_of(**item) == sector_index) {
            let is_kept = condition(sector, item);
            items[kept_count] = item;
            kept_count += usize::from(is_kept);
            index += 1;
        }
    }
    kept_count
}

/// An input port and the output port of the same number.
#[derive(Clone, Copy, Default, Debug)]
pub struct Port {
    /// Output channels that no packet holds, one bit each.
    pub free_channels: u32,
    /// Destination of this input's credits: the first channel of an output or of a source.
    pub upstream: u32,
    /// Destination of this output's flits: the first channel of an input, or of this output if it leads to a node.
    pub target: u32,
    /// Number of flits that left by this output.
    pub flits_sent: u64,
    /// Output that was granted to this input last, and has the lowest priority.
    pub last_output: u16,
    /// Input that this output served last, and has the lowest priority.
    pub last_input: u16,
    /// First of the headers that are blocked by this output, or [`NO_CHANNEL`].
    pub first_blocked: u16,
    /// Channel of this input that was served last, and has the lowest priority.
    pub last_channel: u8,
    /// Whether this output's link still moves a flit.
    pub is_busy: bool,
}

/// The router of a port.
#[derive(Clone, Copy, Default, Debug)]
pub struct PortLocation {
    /// Index of the router's row in the table of known ports.
    pub table_row: u32,
    /// Number of the router in the shape.
    pub router: u32,
    /// First port of the router.
    pub router_start: u16,
    /// First of the headers that are blocked by several outputs, at the first port of a router; or [`NO_CHANNEL`].
    pub first_blocked_any: u16,
    /// First logical network that the router serves.
    pub network: u8,
}

/// The bit of a channel's number that marks a node instead of an input, or a source instead of an output.
pub const SOURCE_OR_NODE_BIT: u32 = 1 << 31;
/// The target of a port that is not connected.
pub const NO_PORT: u32 = u32::MAX;
/// The number that represents no input channel.
pub const NO_CHANNEL: u16 = u16::MAX;

/// The state of the packet at the front of an input channel.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum VcState {
    /// There is no packet.
    #[default]
    Idle,
    /// The packet's tail has not arrived (store-and-forward).
    Buffering,
    /// The packet is being routed, or waits for an output channel.
    WaitingVc,
    /// The packet holds an output channel.
    Active,
}

/// An input channel.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(8))]
pub struct Input {
    /// Slot of the flit at the buffer's front.
    pub front_slot: u16,
    /// Number of flits in the buffer.
    pub flit_count: u16,
    /// Output channel that the front packet holds.
    pub out_channel: u8,
    /// State of the front packet.
    pub vc_state: VcState,
}

/// The request of a header for an output channel.
#[derive(Clone, Copy, Default, Debug)]
pub struct VcRequest {
    /// Channels that the header may take at an output port, one bit each.
    pub allowed: u32,
    /// Credits that the channel must have.
    pub min_credits: u16,
    /// Whether the packet needs a receive slot at its node.
    pub needs_slot: bool,
    /// Kind of the request.
    pub kind: VcRequestKind,
}

/// The kinds of choice of a header's output channel.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum VcRequestKind {
    /// Any free channel of one port.
    #[default]
    AnyFree,
    /// A channel of one port, if it has enough credits and the node has a receive slot.
    Constrained,
    /// A channel of one of several ports.
    MultiPort,
}

/// An output channel.
#[derive(Clone, Copy, Default, Debug)]
pub struct Output {
    /// Credits: free slots of the buffer at the other end of the link.
    pub credits: u16,
    /// Input channel whose packet holds this output channel, or [`NO_CHANNEL`].
    pub owner: u16,
    /// Input channel that was granted this channel last, and has the lowest priority.
    pub last_owner: u16,
    /// During channel allocation, the requesting input channel with the highest priority; otherwise [`NO_CHANNEL`].
    pub candidate: u16,
}

/// The output ports of which a header may take one.
#[derive(Clone, Copy, Default, Debug)]
pub struct PortChoice {
    /// Ports within the router, one bit each.
    pub ports: u64,
    /// Port at which the search begins.
    pub first_port: u8,
    /// Port, with its channels, that the header may take if none of the others is available.
    pub escape: Option<(u8, u32)>,
    /// Credits that a channel of the escape must have.
    pub escape_min_credits: u16,
}
