//! Parameters of a router and its links, how a description gives them, and what does not fit together.
//!
//! The defaults are BookSim2's input-queued router: one cycle for each stage, a flit per cycle, credits
//! that are processed for a cycle. Leaves out: parameters that differ between routers of a network.

use crate::engine::{Bytes, Hertz};
use crate::fabric::topology::Shape;
use crate::text::Table;

/// When a packet may leave a router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switching {
    /// A flit at a time, whenever there is room for one.
    Wormhole,
    /// A header takes a channel only if all of the packet has room behind it.
    VirtualCutThrough,
    /// As cut-through, and the packet is routed only when its tail is in the buffer.
    StoreAndForward,
}

/// How logical networks share the links.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Flit by flit, whichever has one to send.
    Demand,
    /// Each has links (and switches) of its own: a fixed share of a wider link's time.
    Strict,
}

/// The most virtual channels of a logical network.
pub const VIRTUAL_CHANNELS_MAX: u8 = 16;

/// What the routers and links of a network are like. Delays are in cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RouterParameters {
    /// When a packet may leave a router.
    pub switching: Switching,
    /// Virtual channels of each logical network.
    pub virtual_channels: u8,
    /// Flits that the buffer of a channel holds.
    pub buffer_flits: u16,
    /// Size of a flit.
    pub flit_bits: u32,
    /// What a link moves in a cycle; a flit is a multiple of it.
    pub link_bits: u32,
    /// From a header at the front of its buffer to its request for a channel.
    pub routing_delay: u8,
    /// From the request for a channel to that for the switch.
    pub vc_allocation_delay: u8,
    /// From the request for the switch to the switch.
    pub switch_allocation_delay: u8,
    /// Through the switch to the link.
    pub switch_traversal_delay: u8,
    /// Of a link between routers, beyond moving the flit; of its credits, too.
    pub wire_delay: u8,
    /// From a credit's arrival to its use.
    pub credit_delay: u8,
    /// From the first flit's leaving of its interface until it is in the router's buffer, in place of
    /// moving it.
    pub interface_delay: u8,
    /// Logical networks: 1 or 2.
    pub networks: u8,
    /// How logical networks share the links.
    pub sharing: Sharing,
    /// The clock of routers and links.
    pub clock: Hertz,
}

impl RouterParameters {
    /// BookSim2's input-queued router, with 4 channels of 8 flits.
    pub const BOOKSIM: RouterParameters = RouterParameters {
        switching: Switching::Wormhole,
        virtual_channels: 4,
        buffer_flits: 8,
        flit_bits: 32,
        link_bits: 32,
        routing_delay: 1,
        vc_allocation_delay: 1,
        switch_allocation_delay: 1,
        switch_traversal_delay: 1,
        wire_delay: 0,
        credit_delay: 1,
        interface_delay: 2,
        networks: 1,
        sharing: Sharing::Demand,
        clock: Hertz(1_000_000_000),
    };

    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> RouterParameters {
        let switching = [
            ("wormhole", Switching::Wormhole),
            ("virtual-cut-through", Switching::VirtualCutThrough),
            ("store-and-forward", Switching::StoreAndForward),
        ];
        let sharing = [("demand", Sharing::Demand), ("strict", Sharing::Strict)];
        let flit = t.bytes("flit", "Size of a flit").min("1 B").max("1 KiB").or("4 B");
        let flit_bits = 8 * flit.get() as u32;
        let link_bits = t.count("link-bits", "Bits that a link moves in a cycle");
        let link_bits = link_bits.range(1, 8192).or(u64::from(flit_bits)) as u32;
        if !flit_bits.is_multiple_of(link_bits) || flit_bits / link_bits > CYCLES_PER_FLIT_MAX {
            let flit = Bytes(u64::from(flit_bits / 8));
            let message = format!("a flit of {flit} ({flit_bits} bits) is not moved in whole cycles, at most 255");
            t.wrong("link-bits", message, format!("choose a divisor of {flit_bits}"));
        }
        let channels = t
            .count("virtual-channels", "Virtual channels of each logical network")
            .range(1, u64::from(VIRTUAL_CHANNELS_MAX))
            .or(4);
        RouterParameters {
            switching: t.choice("switching", "When a packet may leave a router", &switching).or("wormhole"),
            virtual_channels: channels as u8,
            buffer_flits: t.count("buffer-flits", "Flits that a channel's buffer holds").range(1, 4096).or(8) as u16,
            flit_bits,
            link_bits,
            routing_delay: delay(t, "routing-delay", "Cycles to route a header", 1),
            vc_allocation_delay: delay(t, "vc-allocation-delay", "Cycles to allocate a channel", 1),
            switch_allocation_delay: delay(t, "switch-allocation-delay", "Cycles to allocate the switch", 1),
            switch_traversal_delay: delay(t, "switch-traversal-delay", "Cycles through the switch", 1),
            wire_delay: delay(t, "wire-delay", "Cycles of a link between routers beyond moving a flit", 0),
            credit_delay: delay(t, "credit-delay", "Cycles to process a credit", 1),
            interface_delay: delay(t, "interface-delay", "Cycles of the first flit from interface to router", 2),
            networks: t.count("networks", "Logical networks").range(1, 2).or(1) as u8,
            sharing: t.choice("sharing", "How logical networks share the links", &sharing).or("demand"),
            clock: t.hertz("clock", "Clock of routers and links").max("100 GHz").or("1 GHz"),
        }
    }

    /// Cycles for which a flit holds a link.
    pub fn cycles_per_flit(&self) -> u32 {
        self.flit_bits / self.link_bits
    }

    /// Cycles from a header at the front of its buffer to that of the next router, with nothing in its way.
    pub fn hop_cycles(&self) -> u32 {
        u32::from(self.routing_delay)
            + u32::from(self.vc_allocation_delay)
            + u32::from(self.switch_allocation_delay)
            + u32::from(self.switch_traversal_delay)
            + self.cycles_per_flit()
            + u32::from(self.wire_delay)
    }

    /// What does not fit together, each with the key and the reason; `packet_flits_max` is the longest
    /// packet that will be offered.
    pub fn check(&self, shape: &Shape, packet_flits_max: u16) -> Vec<(&'static str, String)> {
        let mut wrong = Vec::new();
        let least = shape.routing.virtual_channels_min();
        if self.virtual_channels < least {
            wrong.push((
                "virtual-channels",
                format!("a {} can deadlock with fewer than {least} virtual channels", shape.name),
            ));
        }
        let longest = shape.routing.packet_flits_max(self.virtual_channels);
        if self.switching == Switching::Wormhole && packet_flits_max > longest {
            wrong.push((
                "virtual-channels",
                format!(
                    "packets of {packet_flits_max} flits can deadlock on a {} with {} virtual channels and `middle-channel = \"both\"`",
                    shape.name, self.virtual_channels
                ),
            ));
        }
        if self.switching != Switching::Wormhole && self.buffer_flits < packet_flits_max {
            let flits = self.buffer_flits;
            wrong.push((
                "buffer-flits",
                format!(
                    "a whole packet of {packet_flits_max} flits never has room in {flits}, and switching waits for it"
                ),
            ));
        }
        wrong
    }
}

/// The longest that a flit may hold a link.
const CYCLES_PER_FLIT_MAX: u32 = 255;

fn delay(t: &mut Table<'_>, key: &'static str, doc: &'static str, default: u64) -> u8 {
    t.count(key, doc).max(255).or(default) as u8
}
