//! What a packet of an active message holds beside what the interface needs.

use crate::engine::Time;
use std::cell::Cell;
use std::rc::Rc;

/// The words that go with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Words {
    length: u8,
    words: [u32; Words::MAX],
}

impl Words {
    /// The most words of any packet.
    pub const MAX: usize = 8;

    /// These words.
    pub fn new(words: &[u32]) -> Words {
        assert!(words.len() <= Words::MAX, "a packet has room for {} words, not {}", Words::MAX, words.len());
        let mut all = [0; Words::MAX];
        all[..words.len()].copy_from_slice(words);
        Words { length: words.len() as u8, words: all }
    }
}

impl std::ops::Deref for Words {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.words[..self.length.into()]
    }
}

/// A packet as it crosses the fabric; its copies share it.
#[derive(Debug)]
pub struct Body {
    /// What runs at the receiver.
    pub handler: u8,
    /// Its arguments.
    pub words: Words,
    /// When the sending program began to send it.
    pub begun: Time,
    /// When it was in the sending interface.
    pub offered: Cell<Time>,
    /// When the interface first gave it to the fabric; the end of time before.
    pub injected: Cell<Time>,
    /// When its header was first at the receiving interface; the end of time before.
    pub arrived: Cell<Time>,
    /// Whether all of it has arrived; the processor may begin to take it before.
    pub whole: Cell<bool>,
}

/// For each node, the packets for it that are in the fabric or wait for its processor: an instrument.
#[derive(Debug, Default)]
pub struct Pending(Vec<Cell<u64>>);

impl Pending {
    /// Of `nodes` nodes, none.
    pub fn new(nodes: usize) -> Pending {
        Pending((0..nodes).map(|_| Cell::new(0)).collect())
    }

    /// Those for a node.
    pub fn of(&self, node: usize) -> u64 {
        self.0[node].get()
    }

    pub(super) fn add(&self, node: u32) {
        let pending = &self.0[node as usize];
        pending.set(pending.get() + 1);
    }

    pub(super) fn remove(&self, node: u32) {
        let pending = &self.0[node as usize];
        pending.set(pending.get() - 1);
    }
}

/// A packet's body, shared by its copies.
pub type Shared = Rc<Body>;
