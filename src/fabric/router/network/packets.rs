//! Packets between offer and delivery, by slot; a slot is used again.

use crate::fabric::router::Injection;

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
        };
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = packet;
            return slot;
        }
        assert!(self.slots.len() < 1 << 30, "a flit names its packet in 30 bits");
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

/// A flit: its packet's slot, and whether it is the header, the tail or both.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flit(u32);

impl Flit {
    /// A flit of the packet at `slot`.
    #[inline]
    pub fn new(slot: u32, is_header: bool, is_tail: bool) -> Flit {
        Flit(slot << 2 | u32::from(is_header) << 1 | u32::from(is_tail))
    }

    /// The slot of its packet.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 >> 2
    }

    /// Whether it is its packet's first.
    #[inline]
    pub fn is_header(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether it is its packet's last.
    #[inline]
    pub fn is_tail(self) -> bool {
        self.0 & 1 != 0
    }
}
