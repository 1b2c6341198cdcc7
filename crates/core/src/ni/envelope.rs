//! The messaging layer's header of a packet, independent of the interface's encoding on the wire.
//!
//! The width of each field is not defined here; it depends on the interface's header.

/// The messaging layer's header of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Envelope {
    /// Whether the packet is part of a message with a payload; otherwise it is an active message.
    pub is_part: bool,
    /// Handler that runs at the receiver; for a part, the message's tag.
    pub handler: u8,
    /// Number of the message that a part belongs to, counted by its sender.
    pub sequence: u16,
    /// Number of the part among the fragments of its message.
    pub fragment: u32,
    /// Whether the part is the last fragment of its message.
    pub last: bool,
}
