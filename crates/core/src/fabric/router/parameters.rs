//! The parameters of a router and its links, and the check of their combinations.
//!
//! The defaults are those of BookSim2's input-queued router: one cycle for each stage, one flit per cycle, and one
//! cycle to process a credit. All routers of a network are equal; links may differ (`link_timing.rs`).

use crate::engine::{Bytes, Hertz};
use crate::fabric::topology::Shape;
use crate::text::{ParameterChoice, Parameters};

/// The condition under which a packet may leave a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Switching {
    /// Each flit leaves as soon as there is a credit for it.
    Wormhole,
    /// A header takes a channel only if there are credits for the whole packet.
    VirtualCutThrough,
    /// As virtual cut-through, except that a packet is routed only when its tail is in the buffer.
    StoreAndForward,
}

/// The rule by which logical networks share the links.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ParameterChoice)]
pub enum Sharing {
    /// Flit by flit: any logical network that has a flit to send may use the link.
    Demand,
    /// Each logical network has separate links and switches. This models wider links whose time is divided into fixed
    /// shares.
    Strict,
}

/// Largest number of virtual channels of a logical network.
pub const VIRTUAL_CHANNELS_MAX: u8 = 16;

/// Largest number of cycles for which a flit holds a link.
pub const CYCLES_PER_FLIT_MAX: u32 = 255;

/// The parameters of the routers and links of a network. Delays are in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Parameters)]
#[param(meaning = Work, resource = "router")]
pub struct RouterParameters {
    /// Cycles from a packet's departure from the last router to its arrival at the interface.
    #[param(max = 1_000_000, default = 0, resource = "interface wire")]
    pub exit_delay: u64,
    /// Size of a flit.
    #[param(key = "flit", min = "1 B", max = "1 KiB", default = "4 B")]
    #[param(via(Bytes, from = |flit: Bytes| 8 * flit.get() as u32, into = |bits: &u32| Bytes(u64::from(*bits / 8))))]
    #[param(meaning = Granularity)]
    pub flit_bits: u32,
    /// Bits that a link moves in a cycle.
    ///
    /// The size of a flit is a multiple of this number.
    #[param(min = 1, max = 8192, default = flit_bits, check = |link_bits| flit_cycles_error(flit_bits, *link_bits))]
    #[param(meaning = Width, resource = "channel width")]
    pub link_bits: u32,
    /// Virtual channels of each logical network.
    #[param(min = 1, max = VIRTUAL_CHANNELS_MAX, default = 4, meaning = Capacity, resource = "virtual channels")]
    pub virtual_channels: u8,
    /// Rule for sending a packet from a router: `wormhole` needs a free slot for a flit in the next buffer;
    /// `virtual-cut-through` needs slots for the whole packet; `store-and-forward` also waits until the whole packet
    /// has arrived.
    #[param(default = "wormhole")]
    pub switching: Switching,
    /// Flits that a channel's buffer holds.
    #[param(min = 1, max = 4096, default = 8, meaning = Capacity, resource = "channel buffers")]
    pub buffer_flits: u16,
    /// Cycles to route a header.
    ///
    /// The delay is counted from the header's arrival at the front of its buffer to its request for a channel.
    #[param(default = 1)]
    pub routing_delay: u8,
    /// Cycles to allocate a channel.
    ///
    /// The delay is counted from the request for a channel to the request for the switch.
    #[param(default = 1)]
    pub vc_allocation_delay: u8,
    /// Cycles to allocate the switch.
    ///
    /// The delay is counted from the request for the switch to the traversal of the switch.
    #[param(default = 1)]
    pub switch_allocation_delay: u8,
    /// Cycles to traverse the switch.
    ///
    /// The delay is counted from the input of the switch to the link.
    #[param(default = 1)]
    pub switch_traversal_delay: u8,
    /// Cycles of a link between routers in addition to those that move a flit.
    ///
    /// Credits take the same additional cycles.
    #[param(default = 0, resource = "wire")]
    pub wire_delay: u8,
    /// Cycles in which a router processes a credit that it received.
    ///
    /// The delay is counted from the arrival of the credit to its first possible use.
    #[param(default = 1)]
    pub credit_delay: u8,
    /// Cycles in which a flit travels from the interface to the first router.
    ///
    /// The delay is counted from the injection of the flit to its arrival in the router's buffer, and replaces the
    /// traversal of a link.
    #[param(default = 2, resource = "interface wire")]
    pub interface_delay: u8,
    /// Number of logical networks.
    #[param(min = 1, max = 2, default = 1, meaning = Structure)]
    pub networks: u8,
    /// Sharing of links by logical networks: with `demand` any network that has a flit uses the link; with `strict`
    /// each has a fixed share.
    #[param(default = "demand")]
    pub sharing: Sharing,
    /// Clock of routers and links.
    #[param(max = "100 GHz", default = "1 GHz")]
    pub clock: Hertz,
}

/// Returns an error and its help if links do not move a flit in a whole number of cycles.
fn flit_cycles_error(flit_bits: u32, link_bits: u32) -> Option<(String, String)> {
    let is_whole = flit_bits.is_multiple_of(link_bits) && flit_bits / link_bits <= CYCLES_PER_FLIT_MAX;
    let flit = Bytes(u64::from(flit_bits / 8));
    let message =
        format!("a flit of {flit} ({flit_bits} bits) must take a whole number of cycles on a link, at most 255");
    (!is_whole).then(|| (message, format!("choose a divisor of {flit_bits}")))
}

impl RouterParameters {
    /// Returns the cycles for which a flit holds a link.
    pub fn cycles_per_flit(&self) -> u32 {
        self.flit_bits / self.link_bits
    }

    /// Returns the cycles of a header from the front of a router's buffer to the buffer of the next router, without
    /// waiting.
    pub fn hop_cycles(&self) -> u32 {
        u32::from(self.routing_delay)
            + u32::from(self.vc_allocation_delay)
            + u32::from(self.switch_allocation_delay)
            + u32::from(self.switch_traversal_delay)
            + self.cycles_per_flit()
            + u32::from(self.wire_delay)
    }

    /// Returns the errors of these parameters for a shape, each with its key; `packet_flits_max` is the length of the
    /// longest packet that will be offered.
    pub fn check(&self, shape: &Shape, packet_flits_max: u16) -> Vec<(&'static str, String)> {
        let mut errors = Vec::new();
        let channels_min = shape.routing.virtual_channels_min();
        if self.virtual_channels < channels_min {
            errors.push((
                "virtual-channels",
                format!(
                    "the {} can deadlock with fewer than {channels_min} virtual channels: choose at least {channels_min}",
                    shape.name
                ),
            ));
        }
        let packet_limit = shape.routing.packet_flits_max(self.virtual_channels);
        if self.switching == Switching::Wormhole && packet_flits_max > packet_limit {
            errors.push((
                "virtual-channels",
                format!(
                    "packets of {packet_flits_max} flits can deadlock in the {} with {} virtual channels and `middle-channel = \"both\"`: \
                     choose an even number of channels, or `middle-channel = \"lower\"`",
                    shape.name, self.virtual_channels
                ),
            ));
        }
        if self.switching != Switching::Wormhole && self.buffer_flits < packet_flits_max {
            let flits = self.buffer_flits;
            errors.push((
                "buffer-flits",
                format!("a packet of {packet_flits_max} flits does not fit in an input buffer of {flits} flits"),
            ));
        }
        errors
    }
}
