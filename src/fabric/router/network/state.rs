//! The state of a router, in one block: masks, ports, channels.
//!
//! Blocks are of a fixed size, with room for `P` ports of `C` channels, both powers of two: a channel's
//! number is its router's, its port's and its own, side by side in bits.

/// A router.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Block<const P: usize, const C: usize> {
    /// Inputs at which a header waits for a channel.
    pub waiting: u64,
    /// Inputs with a flit that may ask for the switch.
    pub ready: u64,
    /// Outputs whose link still moves a flit.
    pub busy: u64,
    /// Its number in the shape.
    pub router: u32,
    /// The first logical network that it serves.
    pub network: u8,
    /// Whether a waiting header may find what it did not find before.
    pub is_changed: bool,
    pub ports: [Port; P],
    pub inputs: [[Input; C]; P],
    pub outputs: [[Output; C]; P],
}

impl<const P: usize, const C: usize> Block<P, C> {
    /// A block whose ports lead nowhere.
    pub fn new(router: u32, network: u8) -> Block<P, C> {
        let port = Port { upstream: NOWHERE, target: NOWHERE, ..Port::default() };
        let output = Output { owner: NOBODY, ..Output::default() };
        Block {
            waiting: 0,
            ready: 0,
            busy: 0,
            router,
            network,
            is_changed: false,
            ports: [port; P],
            inputs: [[Input::default(); C]; P],
            outputs: [[output; C]; P],
        }
    }

    /// The input channel of this number within the router.
    #[inline]
    pub fn input(&mut self, channel: usize) -> &mut Input {
        &mut self.inputs[channel / C % P][channel % C]
    }

    /// The output channel of this number within the router.
    #[inline]
    pub fn output(&mut self, channel: usize) -> &mut Output {
        &mut self.outputs[channel / C % P][channel % C]
    }

    /// An input channel's front flit may ask for the switch.
    #[inline]
    pub fn make_ready(&mut self, channel: usize) {
        let port = channel / C % P;
        self.ports[port].ready |= 1 << (channel % C);
        self.ready |= 1 << port;
    }

    /// A header waits for a channel from now on.
    #[inline]
    pub fn make_wait(&mut self, channel: usize) {
        let port = channel / C % P;
        self.inputs[port][channel % C].stage = Stage::Waiting;
        self.ports[port].waiting |= 1 << (channel % C);
        self.waiting |= 1 << port;
        self.is_changed = true;
    }

    /// The output channel that the packet of an input channel has.
    #[inline]
    pub fn held(&mut self, channel: usize) -> &mut Output {
        let Input { out_port, out_channel, .. } = *self.input(channel);
        &mut self.outputs[usize::from(out_port) % P][usize::from(out_channel) % C]
    }
}

/// An input port and the output port of the same number.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(32))]
pub struct Port {
    /// Input channels whose header waits for a channel.
    pub waiting: u32,
    /// Input channels with a flit that may ask for the switch.
    pub ready: u32,
    /// Output channels that no packet holds.
    pub free: u32,
    /// Where credits of this input go: the first of the channels of an output, or of a source.
    pub upstream: u32,
    /// Where flits of this output go: the first of the channels of an input, or of this output if a node
    /// is behind it.
    pub target: u32,
    /// The output that this input asks for first.
    pub next_output: u8,
    /// The channel that asks first at this input.
    pub next_channel: u8,
    /// The input that this output takes first.
    pub next_input: u8,
    /// Flits that left by this output.
    pub sent: u64,
}

/// Marks a place outside the routers: a node instead of an input, a source instead of an output.
pub const OUTSIDE: u32 = 1 << 31;
/// No port behind this one.
pub const NOWHERE: u32 = u32::MAX;

/// What a channel's front packet is about to do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Stage {
    /// There is none.
    #[default]
    Idle,
    /// Its tail has yet to come (store-and-forward).
    Gathering,
    /// It is routed.
    Routing,
    /// It waits for a channel.
    Waiting,
    /// It has one, and may soon ask for the switch.
    Granted,
    /// Its flits ask for the switch.
    Active,
}

/// An input channel.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(32))]
pub struct Input {
    /// The slot of the buffer's front.
    pub first: u16,
    /// Flits in the buffer.
    pub length: u16,
    /// The output channels that the front packet may take.
    pub allowed: u32,
    /// Tails in the buffer, if packets are stored before they are forwarded.
    pub tails: u16,
    /// Flits for which the front packet wants room before it takes a channel.
    pub wants_room: u16,
    /// What the front packet is about to do.
    pub stage: Stage,
    /// The output port it may or does take; [`SEVERAL`] while it may take several.
    pub out_port: u8,
    /// The output channel it has.
    pub out_channel: u8,
    /// Whether it needs a place at its node.
    pub takes_place: bool,
    /// Whether it takes any channel that is free: it wants no more room than a flit's, and no place.
    pub is_easy: bool,
    /// The port of the output channel that this input channel asks for first.
    pub next_port: u8,
    /// That channel, at the port.
    pub next_channel: u8,
}

/// An output channel.
#[derive(Clone, Copy, Default, Debug)]
#[repr(align(8))]
pub struct Output {
    /// Slots of the buffer behind it that are not taken.
    pub credits: u16,
    /// The input channel, within the router, whose packet holds it; or [`NOBODY`].
    pub owner: u16,
    /// The input channel that is taken first.
    pub next: u16,
}

/// Several ports are in question.
pub const SEVERAL: u8 = u8::MAX;
/// No input channel.
pub const NOBODY: u16 = u16::MAX;

/// Outputs of which a header may take one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Several {
    /// The ports.
    pub ports: u64,
    /// Where the search begins.
    pub from: u8,
    /// A port that may be taken if none of the others can, and its channels.
    pub escape: Option<(u8, u32)>,
}
