//! What the messaging layer says of a packet, whatever the interface writes of it on the wire.
//!
//! Leaves out how many bits each field has: that is each interface's own header.

/// Description of a packet by the messaging layer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Envelope {
    /// Whether the packet is part of a message with a payload; else it is an active message by itself.
    pub is_part: bool,
    /// Handler that runs at the receiver; of a part, the message's tag.
    pub handler: u8,
    /// Number of the message that a part belongs to, counted by its sender.
    pub sequence: u16,
    /// Number of a part among the fragments of its message.
    pub fragment: u32,
    /// Whether a part is the last fragment.
    pub last: bool,
}
