//! The packets under way in the routers, and which of them are lost.

use crate::engine::rng;
use crate::fabric::packet::Packet;
use rand::RngExt;
use std::rc::Rc;

/// The packets under way, by the tags the network knows them by.
#[derive(Default)]
pub(super) struct Flying {
    packets: Vec<Option<Rc<Packet>>>,
    free: Vec<u32>,
}

/// Which packets are lost.
pub(super) struct Losing {
    part: f64,
    random: rng::RandomStream,
}

impl Flying {
    /// What is known of a tag: nothing of one that is not a packet's here, no packet if it is lost.
    pub fn of(&self, tag: u32) -> Option<Option<&Rc<Packet>>> {
        Some(self.packets.get(tag as usize)?.as_ref())
    }

    /// The packet of a tag, which is under way.
    pub fn packet(&self, tag: u32) -> Rc<Packet> {
        self.packets[tag as usize].clone().expect("a packet under way has its tag")
    }

    /// Keeps a packet; its tag.
    pub fn put(&mut self, packet: Rc<Packet>) -> u32 {
        let tag = self.free.pop().unwrap_or_else(|| {
            self.packets.push(None);
            self.packets.len() as u32 - 1
        });
        self.packets[tag as usize] = Some(packet);
        tag
    }

    /// Takes a packet out that has arrived; none if it was lost.
    pub fn take(&mut self, tag: u32) -> Option<Rc<Packet>> {
        self.free.push(tag);
        self.packets[tag as usize].take()
    }

    /// Takes a packet out that is lost; its tag is in use until its end has passed.
    pub fn lose(&mut self, tag: u32) -> Rc<Packet> {
        self.packets[tag as usize].take().expect("a packet is lost once")
    }
}

impl Losing {
    /// That part of all.
    pub fn new(part: f64, seed: u64) -> Losing {
        Losing { part, random: rng::stream(seed, "loss") }
    }

    /// Whether the next one is.
    pub fn next(&mut self) -> bool {
        self.part > 0.0 && self.random.random::<f64>() < self.part
    }
}
