//! The layout of the interface's memory: two rings of control messages, the incoming payload table, and packet buffers
//! (Yocum et al. 1997, §2.1).

use super::parameters::TrapezeParameters;
use crate::engine::{Bytes, NodeId};
use crate::protocol::ProtocolSpec;

/// The size of a control message, sent in full before every payload (Yocum et al. 1997, §2.1, §3.2).
pub const CONTROL_BYTES: Bytes = Bytes(128);

/// The words at the start of a control message; the program's bytes follow.
pub const HEADER_BYTES: Bytes = Bytes(16);

/// Offsets of the words of a control message.
pub mod word {
    /// The state of the entry: see [`super::state`].
    pub const STATE: u64 = 0;
    /// The payload's length in the low 24 bits, and the number of the program's words in the high 8.
    pub const LENGTH: u64 = 4;
    /// Host address of the payload, at the sender or at the receiver.
    pub const ADDRESS: u64 = 8;
    /// The high half contains the tag and the indices of the two endpoints on their nodes. The low half contains the
    /// destination node, and on arrival the source node.
    pub const TAG_NODE: u64 = 12;
}

/// The values of a ring entry's state word.
pub mod state {
    /// The host may fill the entry.
    pub const FREE: u32 = 0;
    /// The firmware is to send the entry's message.
    pub const TO_SEND: u32 = 1;
    /// The firmware has put a message into the entry.
    pub const RECEIVED: u32 = 2;
    /// The host has attached a receive buffer.
    pub const POSTED: u32 = 3;
    /// The firmware works on the entry.
    pub const TAKEN: u32 = 4;

    /// Returns [`TO_SEND`] with the sender's marks for the protocol in the higher bits.
    pub fn marked(marks: Marks) -> u32 {
        let Marks { burst, last, answers, bypasses } = marks;
        let bits = [burst, last, answers, bypasses].into_iter().enumerate();
        TO_SEND | bits.map(|(bit, mark)| u32::from(mark) << (MARKS_SHIFT + bit as u32)).sum::<u32>()
    }

    /// Returns the marks in a state word.
    pub fn marks_of(word: u32) -> Marks {
        let mark = |bit: u32| word >> (MARKS_SHIFT + bit) & 1 == 1;
        Marks { burst: mark(0), last: mark(1), answers: mark(2), bypasses: mark(3) }
    }

    /// Returns whether the firmware is to send an entry in this state.
    pub fn is_to_send(word: u32) -> bool {
        word & ((1 << MARKS_SHIFT) - 1) == TO_SEND
    }

    /// The lowest bit of the marks.
    const MARKS_SHIFT: u32 = 8;

    use crate::protocol::Marks;
}

/// Maximum number of nodes that a control message can address.
pub const NODES_MAX: u32 = 1 << 16;

/// The flag in the tag that marks an active message; the lower bits are the handler.
pub const ACTIVE_MESSAGE_FLAG: u16 = 1 << 15;

/// Bits of a tag.
const TAG_BITS: u16 = 5;
/// Bits of an endpoint's index on its node.
const ENDPOINT_BITS: u16 = 5;

/// Maximum number of endpoints per node that a control message can address.
pub const ENDPOINTS_MAX: u32 = 1 << ENDPOINT_BITS;

/// Returns a tag and a node as one word.
pub fn tag_node_word(tag: u16, node: NodeId) -> u32 {
    assert!(node.0 < NODES_MAX, "a control message names a node in 16 bits");
    u32::from(tag) << 16 | node.0
}

/// Returns a tag with the indices of the sending and the receiving endpoint on their nodes.
pub fn tag_with_endpoints(tag: u16, endpoints: [u32; 2]) -> u16 {
    assert!(tag & !ACTIVE_MESSAGE_FLAG < 1 << TAG_BITS, "a tag of a message has {TAG_BITS} bits");
    let [from, to] = endpoints.map(|endpoint| {
        assert!(endpoint < ENDPOINTS_MAX, "a control message addresses {ENDPOINTS_MAX} endpoints of a node");
        endpoint as u16
    });
    tag | from << TAG_BITS | to << (TAG_BITS + ENDPOINT_BITS)
}

/// Returns the tag in a word from [`tag_node_word`], with the flag [`ACTIVE_MESSAGE_FLAG`].
pub fn tag_of(word: u32) -> u16 {
    (word >> 16) as u16 & (ACTIVE_MESSAGE_FLAG | ((1 << TAG_BITS) - 1))
}

/// Returns the indices of the sending and the receiving endpoint in a word from [`tag_node_word`].
pub fn endpoints_of(word: u32) -> [u32; 2] {
    [TAG_BITS, TAG_BITS + ENDPOINT_BITS].map(|shift| word >> (16 + shift) & (ENDPOINTS_MAX - 1))
}

/// Returns a word from [`tag_node_word`] with its node replaced.
pub fn with_node(word: u32, node: NodeId) -> u32 {
    tag_node_word((word >> 16) as u16, node)
}

/// Returns the node in a word from [`tag_node_word`].
pub fn node_of(word: u32) -> NodeId {
    NodeId(word & 0xffff)
}

/// Returns the length word of a control message.
pub fn length_word(payload: Bytes, program_bytes: usize) -> u32 {
    payload.get() as u32 | (program_bytes.div_ceil(4) as u32) << 24
}

/// Returns the payload's length in a length word.
pub fn payload_length(word: u32) -> Bytes {
    Bytes(u64::from(word & 0x00ff_ffff))
}

/// Returns the number of bytes of the control message that the program has filled, in whole words, from a length word.
pub fn program_bytes(word: u32) -> usize {
    (word >> 24) as usize * 4
}

/// The sizes from which all addresses in interface memory follow.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    entries: u64,
    tags: u64,
    /// Number of endpoints that share the interface, each with its own tags.
    endpoints: u64,
    /// Number of packet buffers of the send side and of the receive side.
    buffers: [u64; 2],
    /// Bytes before each receive buffer, which hold the packet's control message; 0 without a protocol.
    control_bytes: u64,
    payload_max: u64,
}

impl Layout {
    /// Returns the layout for these parameters and `endpoints` endpoints, without a protocol.
    pub fn new(parameters: &TrapezeParameters, endpoints: u32) -> Layout {
        Layout {
            entries: parameters.ring_entries,
            tags: parameters.tags,
            endpoints: endpoints.into(),
            buffers: [parameters.policy.buffers(); 2],
            control_bytes: 0,
            payload_max: parameters.payload_max.get(),
        }
    }

    /// Returns the layout with a protocol. In addition to the policy's buffers there is a buffer for each packet that
    /// the protocol keeps, including its control message, and one for an incoming frame that may be discarded.
    pub fn with_protocol(parameters: &TrapezeParameters, protocol: &dyn ProtocolSpec, endpoints: u32) -> Layout {
        let layout = Layout::new(parameters, endpoints);
        let Some([outgoing, incoming]) = protocol.buffer_requirements() else { return layout };
        let [send, receive] = layout.buffers;
        let buffers = [send.saturating_add(outgoing), receive.saturating_add(incoming).saturating_add(1)];
        Layout { buffers, control_bytes: CONTROL_BYTES.get(), ..layout }
    }

    /// Returns the number of packet buffers of the send side and of the receive side.
    pub fn buffers(&self) -> [u64; 2] {
        self.buffers
    }

    /// Returns the address of entry `index` of the send ring.
    pub fn send_entry(&self, index: u64) -> u64 {
        (index % self.entries) * CONTROL_BYTES.get()
    }

    /// Returns the address of entry `index` of the receive ring.
    pub fn receive_entry(&self, index: u64) -> u64 {
        (self.entries + index % self.entries) * CONTROL_BYTES.get()
    }

    /// Returns the address of the table entry for a tag of the node's endpoint `endpoint`. The entry holds zero, or the
    /// mapped host address plus 1.
    pub fn tag_entry(&self, endpoint: u32, tag: u16) -> u64 {
        2 * self.entries * CONTROL_BYTES.get() + (u64::from(endpoint) * self.tags + u64::from(tag)) * 4
    }

    /// Returns the address of packet buffer `index` of the send side.
    pub fn send_buffer(&self, index: u64) -> u64 {
        self.tag_entry(0, 0) + self.endpoints * self.tags * 4 + index * self.payload_max
    }

    /// Returns the address of the payload in packet buffer `index` of the receive side.
    pub fn receive_buffer(&self, index: u64) -> u64 {
        self.received_control(index) + self.control_bytes
    }

    /// Returns the address of the control message in packet buffer `index` of the receive side.
    pub fn received_control(&self, index: u64) -> u64 {
        self.send_buffer(self.buffers[0]) + index * (self.control_bytes + self.payload_max)
    }

    /// Returns the address at which control frames are composed.
    pub fn control_frame_buffer(&self) -> u64 {
        self.received_control(self.buffers[1])
    }

    /// Returns the size of the used memory, or `None` if it overflows.
    pub fn size(&self) -> Option<Bytes> {
        let [send, receive] = self.buffers;
        let sent_bytes = send.checked_mul(self.payload_max)?;
        let received_bytes = receive.checked_mul(self.control_bytes + self.payload_max)?;
        let fixed_bytes = self.send_buffer(0) + self.control_bytes;
        Some(Bytes(fixed_bytes.checked_add(sent_bytes)?.checked_add(received_bytes)?))
    }
}
