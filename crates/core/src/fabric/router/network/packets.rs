//! Packets in flight, from offer to delivery, in a table whose entries are reused, and the flits that refer to them.

use crate::fabric::router::{EventKind, Injection, PacketEvent};

/// The number that represents no packet.
pub const NO_PACKET: u32 = u32::MAX;

/// A packet that was offered and has not arrived.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Number of packets that were offered before this one.
    pub sequence_number: u64,
    /// Source node.
    pub source: u32,
    /// Destination node.
    pub destination: u32,
    /// Identifier of the packet in its events.
    pub tag: u32,
    /// Next packet in the queue of the source.
    pub next_packet: u32,
    /// Length in flits.
    pub flits: u16,
    /// Logical network.
    pub network: u8,
    /// Whether the packet needs a slot in the receiving interface.
    pub needs_slot: bool,
    /// Number of flits that have been available at the source so far, including those that have left.
    pub available_flits: u16,
    /// Flow-control unit in flits if the packet is streamed; 0 if it is not.
    pub flow_unit: u16,
}

impl Packet {
    /// Returns an event of the packet at its source.
    #[inline]
    pub fn at_source(&self, cycle: u64, kind: EventKind) -> PacketEvent {
        PacketEvent { cycle, node: self.source, network: self.network, tag: self.tag, kind }
    }

    /// Returns an event of the packet at its destination.
    #[inline]
    pub fn at_destination(&self, cycle: u64, kind: EventKind) -> PacketEvent {
        PacketEvent { cycle, node: self.destination, network: self.network, tag: self.tag, kind }
    }
}

/// The table of all packets in flight, by slot.
#[derive(Clone, Default, Debug)]
pub struct Packets {
    slots: Vec<Packet>,
    free_slots: Vec<u32>,
}

impl Packets {
    /// Inserts a packet and returns its slot.
    #[inline]
    pub fn insert(&mut self, sequence_number: u64, injection: &Injection) -> u32 {
        let packet = Packet {
            sequence_number,
            source: injection.source,
            destination: injection.destination,
            tag: injection.tag,
            next_packet: NO_PACKET,
            flits: injection.flits,
            network: injection.network,
            needs_slot: injection.needs_slot,
            available_flits: injection.available_flits,
            flow_unit: injection.flow_unit,
        };
        if let Some(slot) = self.free_slots.pop() {
            self.slots[slot as usize] = packet;
            return slot;
        }
        assert!(self.slots.len() < 1 << (32 - SLOT_BIT), "a flit names its packet in 27 bits");
        self.slots.push(packet);
        self.slots.len() as u32 - 1
    }

    /// Returns the packet of a slot.
    #[inline]
    pub fn get(&self, slot: u32) -> &Packet {
        &self.slots[slot as usize]
    }

    /// Returns the packet of a slot for modification.
    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut Packet {
        &mut self.slots[slot as usize]
    }

    /// Removes a packet.
    #[inline]
    pub fn remove(&mut self, slot: u32) {
        self.free_slots.push(slot);
    }

    /// Returns the number of packets.
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len() - self.free_slots.len()
    }
}

/// A flit: the slot of its packet, and the properties that routers and sinks need without a look-up of the packet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flit(u32);

const TAIL_FLAG: u32 = 1;
const HEADER_FLAG: u32 = 1 << 1;
const STREAMED_FLAG: u32 = 1 << 2;
const NEEDS_SLOT_FLAG: u32 = 1 << 3;
const NETWORK_BIT: u32 = 4;
/// The lowest bit of the packet's slot; a logical network is 0 or 1.
const SLOT_BIT: u32 = 5;

impl Flit {
    /// Creates a flit of a packet.
    #[inline]
    pub fn new(slot: u32, packet: &Packet, is_header: bool, is_tail: bool) -> Flit {
        let flag_if = |condition, flag| if condition { flag } else { 0 };
        let position_flags = flag_if(is_tail, TAIL_FLAG) | flag_if(is_header, HEADER_FLAG);
        let packet_flags = flag_if(packet.flow_unit > 0, STREAMED_FLAG) | flag_if(packet.needs_slot, NEEDS_SLOT_FLAG);
        Flit(slot << SLOT_BIT | u32::from(packet.network) << NETWORK_BIT | packet_flags | position_flags)
    }

    /// Returns the slot of the flit's packet.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 >> SLOT_BIT
    }

    /// Returns the logical network of the flit's packet.
    #[inline]
    pub fn network(self) -> u8 {
        (self.0 >> NETWORK_BIT & 1) as u8
    }

    /// Returns whether the flit's packet needs a slot in the receiving interface.
    #[inline]
    pub fn needs_slot(self) -> bool {
        self.0 & NEEDS_SLOT_FLAG != 0
    }

    /// Returns whether the flit's packet is streamed.
    #[inline]
    pub fn is_streamed(self) -> bool {
        self.0 & STREAMED_FLAG != 0
    }

    /// Returns whether the flit's arrival causes no event: it is neither a header nor a tail, and its packet is not
    /// streamed.
    #[inline]
    pub fn needs_no_event(self) -> bool {
        self.0 & (STREAMED_FLAG | HEADER_FLAG | TAIL_FLAG) == 0
    }

    /// Returns whether the flit is the first of its packet.
    #[inline]
    pub fn is_header(self) -> bool {
        self.0 & HEADER_FLAG != 0
    }

    /// Returns whether the flit is the last of its packet.
    #[inline]
    pub fn is_tail(self) -> bool {
        self.0 & TAIL_FLAG != 0
    }
}
