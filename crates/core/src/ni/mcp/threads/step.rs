//! What a step of the firmware says: the states it passed, and what it has the engines and the host do.

use super::{Thread, ThreadState};
use smallvec::SmallVec;

/// One thread, from a dispatching state to a dispatching state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Which.
    pub thread: Thread,
    /// Where it was.
    pub from: ThreadState,
    /// The states it came to, in this order: the last is where it waits.
    pub states: SmallVec<[ThreadState; 4]>,
    /// What is to be done.
    pub acts: SmallVec<[Act; 4]>,
}

/// What the firmware has others do, or tells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Act {
    /// The host engine reads host memory into a send buffer, from its beginning: a packet.
    StartHostRead {
        /// The message's.
        id: u32,
        /// Which send buffer.
        buffer: u8,
        /// Where in the message.
        from: u32,
        /// How much.
        units: u32,
    },
    /// The send engine takes a part of a send buffer.
    StartSend {
        /// The message's.
        id: u32,
        /// Which send buffer.
        buffer: u8,
        /// Where in the buffer; the packet's head goes with 0.
        from: u32,
        /// How much.
        units: u32,
        /// Whether the packet ends with it (SMLT), or more of it comes (SML).
        last: bool,
    },
    /// The receive engine takes the packet that is on the link.
    StartReceive {
        /// The packet's, as [`Mcp::comes`](super::Mcp::comes) told.
        id: u32,
        /// Which receive buffer.
        buffer: u8,
    },
    /// The host engine writes a part of a receive buffer to host memory.
    StartHostWrite {
        /// The packet's.
        id: u32,
        /// Which receive buffer.
        buffer: u8,
        /// Where in the buffer.
        from: u32,
        /// How much.
        units: u32,
        /// Whether the packet is known to end with it. What has all gone before its end was seen has no last.
        last: bool,
    },
    /// The host is told that a message has gone: its descriptor's place in the L2 queue is free.
    SendComplete {
        /// The message's.
        id: u32,
    },
    /// The host is told that a packet is in its memory.
    Received {
        /// The packet's.
        id: u32,
        /// How long it is.
        units: u32,
    },
}

/// What a thread that sleeps waits for of a transfer under way, counted from its packet's beginning.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Watch {
    /// How much of the host read must have landed.
    pub fetched: Option<u32>,
    /// How much of the packet that comes must have landed; its end serves as well.
    pub received: Option<u32>,
}
