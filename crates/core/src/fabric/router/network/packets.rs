//! Packets between offer and delivery, by slot; a slot is used again.

use crate::fabric::router::{EventKind, Injection, PacketEvent};

/// No packet.
pub const NONE: u32 = u32::MAX;

/// What is known of a packet under way.
#[derive(Clone, Debug)]
pub struct Packet {
    /// How many were offered before it.
    pub number: u64,
    /// The node it comes from.
    pub source: u32,
    /// The node it goes to.
    pub destination: u32,
    /// Given back in events.
    pub tag: u32,
    /// The packet behind it in its source's queue.
    pub next: u32,
    /// Its length.
    pub flits: u16,
    /// Its logical network.
    pub network: u8,
    /// Whether it needs a place in the receiving interface.
    pub takes_place: bool,
    /// Flits that are at the source or left it.
    pub ready: u16,
    /// How many flits are told of at once, if it is streamed; 0 if it is not.
    pub grain: u16,
}

impl Packet {
    /// Something that happened to it at its source.
    #[inline]
    pub fn at_source(&self, cycle: u64, kind: EventKind) -> PacketEvent {
        PacketEvent { cycle, node: self.source, network: self.network, tag: self.tag, kind }
    }

    /// Something that happened to it where it goes to.
    #[inline]
    pub fn at_destination(&self, cycle: u64, kind: EventKind) -> PacketEvent {
        PacketEvent { cycle, node: self.destination, network: self.network, tag: self.tag, kind }
    }
}

/// All packets under way.
#[derive(Clone, Default, Debug)]
pub struct Packets {
    slots: Vec<Packet>,
    free: Vec<u32>,
}

impl Packets {
    /// Keeps a packet; its slot.
    pub fn insert(&mut self, number: u64, injection: &Injection) -> u32 {
        let packet = Packet {
            number,
            source: injection.source,
            destination: injection.destination,
            tag: injection.tag,
            next: NONE,
            flits: injection.flits,
            network: injection.network,
            takes_place: injection.takes_place,
            ready: injection.ready,
            grain: injection.grain,
        };
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = packet;
            return slot;
        }
        assert!(self.slots.len() < 1 << (32 - SLOT_BIT), "a flit names its packet in 27 bits");
        self.slots.push(packet);
        self.slots.len() as u32 - 1
    }

    /// The packet of a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> &Packet {
        &self.slots[slot as usize]
    }

    /// The packet of a slot, to change it.
    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.slots[slot as usize]
    }

    /// Lets go of a packet.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// How many are under way.
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

/// A flit: its packet's slot, and what routers and sinks ask of it without looking the packet up.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flit(u32);

const TAIL: u32 = 1;
const HEADER: u32 = 1 << 1;
const STREAMED: u32 = 1 << 2;
const TAKES_PLACE: u32 = 1 << 3;
const NETWORK_BIT: u32 = 4;
/// A logical network is 0 or 1.
const SLOT_BIT: u32 = 5;

impl Flit {
    /// A flit of a packet.
    #[inline]
    pub fn new(slot: u32, packet: &Packet, is_header: bool, is_tail: bool) -> Flit {
        let bit = |is_so, bit| if is_so { bit } else { 0 };
        let place = bit(is_tail, TAIL) | bit(is_header, HEADER);
        let of_packet = bit(packet.grain > 0, STREAMED) | bit(packet.takes_place, TAKES_PLACE);
        Flit(slot << SLOT_BIT | u32::from(packet.network) << NETWORK_BIT | of_packet | place)
    }

    /// The slot of its packet.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 >> SLOT_BIT
    }

    /// Its packet's logical network.
    #[inline]
    pub fn network(self) -> u8 {
        (self.0 >> NETWORK_BIT & 1) as u8
    }

    /// Whether its packet needs a place in the receiving interface.
    #[inline]
    pub fn takes_place(self) -> bool {
        self.0 & TAKES_PLACE != 0
    }

    /// Whether its packet is streamed.
    #[inline]
    pub fn is_streamed(self) -> bool {
        self.0 & STREAMED != 0
    }

    /// Whether nobody is told of it: neither header nor tail, nor of a streamed packet.
    #[inline]
    pub fn is_untold(self) -> bool {
        self.0 & (STREAMED | HEADER | TAIL) == 0
    }

    /// Whether it is its packet's first.
    #[inline]
    pub fn is_header(self) -> bool {
        self.0 & HEADER != 0
    }

    /// Whether it is its packet's last.
    #[inline]
    pub fn is_tail(self) -> bool {
        self.0 & TAIL != 0
    }
}
