//! The endpoint in interface memory: two rings of control messages, the incoming payload table,
//! and packet buffers (Yocum et al. 1997, §2.1).

use super::parameters::TrapezeParameters;
use crate::engine::{Bytes, NodeId};

/// The size of a control message, sent in full before every payload (§2.1, §3.2).
pub const CONTROL: Bytes = Bytes(128);

/// The words at the start of a control message; the program's bytes follow.
pub const HEADER: Bytes = Bytes(16);

/// Offsets of the words of a control message.
pub mod word {
    /// Whose entry it is: see [`super::state`].
    pub const STATE: u64 = 0;
    /// The payload's length in the low 24 bits, the program's words in the high 8.
    pub const LENGTH: u64 = 4;
    /// Where the payload lies, or goes, in host memory.
    pub const ADDRESS: u64 = 8;
    /// Tag in the high half; in the low half the destination, on arrival the source.
    pub const TAG_NODE: u64 = 12;
}

/// Values of a ring entry's state word.
pub mod state {
    /// The host may fill it.
    pub const FREE: u32 = 0;
    /// The firmware is to send it.
    pub const TO_SEND: u32 = 1;
    /// The firmware has put a message in it.
    pub const RECEIVED: u32 = 2;
    /// The host has attached a receive buffer.
    pub const POSTED: u32 = 3;
}

/// Nodes that a control message can name.
pub const NODES_MAX: u32 = 1 << 16;

/// Set in the tag of an active message, above its handler.
pub const ACTIVE: u16 = 1 << 15;

/// Tag and node as one word.
pub fn tag_node(tag: u16, node: NodeId) -> u32 {
    assert!(node.0 < NODES_MAX, "a control message names a node in 16 bits");
    u32::from(tag) << 16 | node.0
}

/// The tag in such a word.
pub fn tag_of(word: u32) -> u16 {
    (word >> 16) as u16
}

/// The node in such a word.
pub fn node_of(word: u32) -> NodeId {
    NodeId(word & 0xffff)
}

/// The length word of a control message.
pub fn length_word(payload: Bytes, program_bytes: usize) -> u32 {
    payload.get() as u32 | (program_bytes.div_ceil(4) as u32) << 24
}

/// The payload's length from a length word.
pub fn payload_length(word: u32) -> Bytes {
    Bytes(u64::from(word & 0x00ff_ffff))
}

/// How much of the control message the program filled, in whole words, from a length word.
pub fn program_bytes(word: u32) -> usize {
    (word >> 24) as usize * 4
}

/// Where everything lies.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    entries: u64,
    tags: u64,
    buffers: u64,
    payload_max: u64,
}

impl Layout {
    /// The layout for these parameters.
    pub fn new(parameters: &TrapezeParameters) -> Layout {
        Layout {
            entries: parameters.ring_entries,
            tags: parameters.tags,
            buffers: parameters.policy.buffers(),
            payload_max: parameters.payload_max.get(),
        }
    }

    /// Entry `index` of the send ring.
    pub fn send_entry(&self, index: u64) -> u64 {
        (index % self.entries) * CONTROL.get()
    }

    /// Entry `index` of the receive ring.
    pub fn receive_entry(&self, index: u64) -> u64 {
        (self.entries + index % self.entries) * CONTROL.get()
    }

    /// The host address of a tag's payloads; zero stands for none, else address + 1.
    pub fn tag(&self, tag: u16) -> u64 {
        2 * self.entries * CONTROL.get() + u64::from(tag) * 4
    }

    /// Packet buffer `index` of the sending side.
    pub fn send_buffer(&self, index: u64) -> u64 {
        self.tag(0) + self.tags * 4 + index * self.payload_max
    }

    /// Packet buffer `index` of the receiving side.
    pub fn receive_buffer(&self, index: u64) -> u64 {
        self.send_buffer(self.buffers + index)
    }

    /// The first byte behind everything.
    pub fn end(&self) -> u64 {
        self.receive_buffer(self.buffers)
    }
}
