//! The endpoint in interface memory: two rings of control messages, the incoming payload table,
//! and packet buffers (Yocum et al. 1997, §2.1).

use super::parameters::TrapezeParameters;
use crate::engine::{Bytes, NodeId};
use crate::protocol::ProtocolSpec;

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
    /// Tag, and places of two endpoints, in the high half; in the low half the destination's node, on arrival
    /// the source's.
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
    /// The firmware works on it.
    pub const TAKEN: u32 = 4;

    /// What the sender tells the protocol, above [`TO_SEND`].
    pub fn marked(marks: Marks) -> u32 {
        let Marks { burst, last, answers, bypasses } = marks;
        let bits = [burst, last, answers, bypasses].into_iter().enumerate();
        TO_SEND | bits.map(|(bit, mark)| u32::from(mark) << (MARKS + bit as u32)).sum::<u32>()
    }

    /// What a state word with marks says.
    pub fn marks_of(word: u32) -> Marks {
        let mark = |bit: u32| word >> (MARKS + bit) & 1 == 1;
        Marks { burst: mark(0), last: mark(1), answers: mark(2), bypasses: mark(3) }
    }

    /// Whether the firmware is to send an entry of this state.
    pub fn is_to_send(word: u32) -> bool {
        word & ((1 << MARKS) - 1) == TO_SEND
    }

    /// The lowest bit of the marks.
    const MARKS: u32 = 8;

    use crate::protocol::Marks;
}

/// Nodes that a control message can name.
pub const NODES_MAX: u32 = 1 << 16;

/// Set in the tag of an active message, above its handler.
pub const ACTIVE: u16 = 1 << 15;

/// Bits of a tag, and of an endpoint's place.
const TAG_BITS: u16 = 5;
const PLACE_BITS: u16 = 5;

/// Endpoints of a node that a control message can tell apart.
pub const PLACES_MAX: u32 = 1 << PLACE_BITS;

/// Tag and node as one word.
pub fn tag_node(tag: u16, node: NodeId) -> u32 {
    assert!(node.0 < NODES_MAX, "a control message names a node in 16 bits");
    u32::from(tag) << 16 | node.0
}

/// What says a tag, and the places among those of their nodes of the endpoint that sends and of the one that
/// receives.
pub fn placed(tag: u16, places: [u32; 2]) -> u16 {
    assert!(tag & !ACTIVE < 1 << TAG_BITS, "a tag of a message has {TAG_BITS} bits");
    let [from, to] = places.map(|place| {
        assert!(place < PLACES_MAX, "a control message tells {PLACES_MAX} endpoints of a node apart");
        place as u16
    });
    tag | from << TAG_BITS | to << (TAG_BITS + PLACE_BITS)
}

/// The tag in such a word, with what says that it is an active message's handler.
pub fn tag_of(word: u32) -> u16 {
    (word >> 16) as u16 & (ACTIVE | ((1 << TAG_BITS) - 1))
}

/// The places in such a word: the sender's, the receiver's.
pub fn places_of(word: u32) -> [u32; 2] {
    [TAG_BITS, TAG_BITS + PLACE_BITS].map(|at| word >> (16 + at) & (PLACES_MAX - 1))
}

/// Such a word with another node in it.
pub fn source_in(word: u32, node: NodeId) -> u32 {
    tag_node((word >> 16) as u16, node)
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
    /// Endpoints that share the interface: each has its tags.
    ends: u64,
    /// Of the sending side, and of the receiving side.
    buffers: [u64; 2],
    /// Bytes in front of a receive buffer for its control message.
    before: u64,
    payload_max: u64,
}

impl Layout {
    /// The layout for these parameters and so many endpoints, without a protocol.
    pub fn new(parameters: &TrapezeParameters, ends: u32) -> Layout {
        Layout {
            entries: parameters.ring_entries,
            tags: parameters.tags,
            ends: ends.into(),
            buffers: [parameters.policy.buffers(); 2],
            before: 0,
            payload_max: parameters.payload_max.get(),
        }
    }

    /// The layout under a protocol. Those that it keeps have buffers beside those of the policy, with
    /// their control messages, and so has one more that comes in, which may be for nobody.
    pub fn under(parameters: &TrapezeParameters, protocol: &dyn ProtocolSpec, ends: u32) -> Layout {
        let layout = Layout::new(parameters, ends);
        let Some([outgoing, incoming]) = protocol.buffer_requirements() else { return layout };
        let [send, receive] = layout.buffers;
        let buffers = [send.saturating_add(outgoing), receive.saturating_add(incoming).saturating_add(1)];
        Layout { buffers, before: CONTROL.get(), ..layout }
    }

    /// Packet buffers of the sending side, and of the receiving side.
    pub fn buffers(&self) -> [u64; 2] {
        self.buffers
    }

    /// Entry `index` of the send ring.
    pub fn send_entry(&self, index: u64) -> u64 {
        (index % self.entries) * CONTROL.get()
    }

    /// Entry `index` of the receive ring.
    pub fn receive_entry(&self, index: u64) -> u64 {
        (self.entries + index % self.entries) * CONTROL.get()
    }

    /// The host address of the payloads of a tag of the endpoint at `place`; zero stands for none, else
    /// address + 1.
    pub fn tag(&self, place: u32, tag: u16) -> u64 {
        2 * self.entries * CONTROL.get() + (u64::from(place) * self.tags + u64::from(tag)) * 4
    }

    /// Packet buffer `index` of the sending side.
    pub fn send_buffer(&self, index: u64) -> u64 {
        self.tag(0, 0) + self.ends * self.tags * 4 + index * self.payload_max
    }

    /// Packet buffer `index` of the receiving side.
    pub fn receive_buffer(&self, index: u64) -> u64 {
        self.received_control(index) + self.before
    }

    /// Where a control message lies with the payload of a packet buffer of the receiving side.
    pub fn received_control(&self, index: u64) -> u64 {
        self.send_buffer(self.buffers[0]) + index * (self.before + self.payload_max)
    }

    /// Where the protocol's own frames are composed.
    pub fn scratch(&self) -> u64 {
        self.received_control(self.buffers[1])
    }

    /// The memory that everything takes; none where it cannot be counted.
    pub fn size(&self) -> Option<Bytes> {
        let [send, receive] = self.buffers;
        let payloads = send.checked_mul(self.payload_max)?;
        let received = receive.checked_mul(self.before + self.payload_max)?;
        let fixed = self.send_buffer(0) + self.before;
        Some(Bytes(fixed.checked_add(payloads)?.checked_add(received)?))
    }
}
