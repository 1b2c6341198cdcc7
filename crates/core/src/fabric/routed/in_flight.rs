//! The packets in the routers, by their tags, and the random choice of those that are lost.

use crate::engine::rng;
use crate::fabric::packet::Packet;
use rand::RngExt;
use std::rc::Rc;

/// The packets in flight, by their tags in the network.
#[derive(Default)]
pub(super) struct InFlightTable {
    packets: Vec<Option<Rc<Packet>>>,
    free_tags: Vec<u32>,
}

/// The random choice of packets that are lost.
pub(super) struct LossModel {
    fraction: f64,
    random: rng::RandomStream,
}

impl InFlightTable {
    /// Returns the packet of a tag. The result is `None` if the tag belongs to no packet of this table, and
    /// `Some(None)` if the packet is lost.
    pub fn get(&self, tag: u32) -> Option<Option<&Rc<Packet>>> {
        Some(self.packets.get(tag as usize)?.as_ref())
    }

    /// Returns the packet of a tag.
    ///
    /// # Panics
    ///
    /// Panics if no packet in flight has the tag.
    pub fn packet(&self, tag: u32) -> Rc<Packet> {
        self.packets[tag as usize].clone().expect("a packet in flight has its tag")
    }

    /// Inserts a packet and returns its tag.
    pub fn insert(&mut self, packet: Rc<Packet>) -> u32 {
        let tag = self.free_tags.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() as u32 - 1
        });
        self.packets[tag as usize] = Some(packet);
        tag
    }

    /// Removes a packet that has arrived, and frees its tag; returns `None` if the packet was lost.
    pub fn remove(&mut self, tag: u32) -> Option<Rc<Packet>> {
        self.free_tags.push(tag);
        self.packets[tag as usize].take()
    }

    /// Removes a packet that is lost, and returns it. Its tag stays in use until the packet's tail has arrived.
    pub fn remove_lost(&mut self, tag: u32) -> Rc<Packet> {
        self.packets[tag as usize].take().expect("a packet is lost once")
    }
}

impl LossModel {
    /// Creates a model that loses this fraction of all packets.
    pub fn new(fraction: f64, seed: u64) -> LossModel {
        LossModel { fraction, random: rng::stream(seed, "loss") }
    }

    /// Draws whether the next packet is lost.
    pub fn draw_loss(&mut self) -> bool {
        self.fraction > 0.0 && self.random.random::<f64>() < self.fraction
    }
}
