//! The result of a step of the firmware: the states that a thread entered, and the commands to the engines and the
//! host.

use super::{Thread, ThreadState};
use smallvec::SmallVec;

/// One run of a thread, from a dispatching state to the next dispatching state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub thread: Thread,
    /// The state in which the thread waited before the step.
    pub from: ThreadState,
    /// The states that the thread entered, in order; it waits in the last one.
    pub states: SmallVec<[ThreadState; 4]>,
    /// The commands to be executed, in order.
    pub commands: SmallVec<[Command; 4]>,
}

/// A command to an engine, or a notification of the host.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Command {
    /// The host engine reads a packet from host memory to the beginning of a send buffer.
    StartHostRead {
        /// The message's identifier.
        id: u32,
        /// Index of the send buffer.
        buffer: u8,
        /// Offset in the message, in units.
        from: u32,
        /// Length in units.
        units: u32,
    },
    /// The send engine takes a part of a send buffer.
    StartSend {
        /// The message's identifier.
        id: u32,
        /// Index of the send buffer.
        buffer: u8,
        /// Offset in the buffer, in units; the part at 0 includes the packet's head.
        from: u32,
        /// Length in units.
        units: u32,
        /// Whether the packet ends with this part (SMLT) or continues (SML).
        last: bool,
    },
    /// The receive engine takes the packet that is on the link.
    StartReceive {
        /// The packet's identifier, as given to [`Mcp::announce`](super::Mcp::announce).
        id: u32,
        /// Index of the receive buffer.
        buffer: u8,
    },
    /// The host engine writes a part of a receive buffer to host memory.
    StartHostWrite {
        /// The packet's identifier.
        id: u32,
        /// Index of the receive buffer.
        buffer: u8,
        /// Offset in the buffer, in units.
        from: u32,
        /// Length in units.
        units: u32,
        /// Whether the packet is known to end with this part. A packet that is completely written before its tail is
        /// noticed has no part with this flag.
        last: bool,
    },
    /// Notifies the host that a message has been sent: its slot in the L2 queue is free.
    SendComplete {
        /// The message's identifier.
        id: u32,
    },
    /// Notifies the host that a packet is in its memory.
    Received {
        /// The packet's identifier.
        id: u32,
        /// Length in units.
        units: u32,
    },
}

/// The progress of running transfers that a waiting thread needs, counted from the packet's beginning.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Watch {
    /// Number of units of the host read that must have landed.
    pub fetched: Option<u32>,
    /// Number of units of the arriving packet that must have landed. The arrival of the packet's tail is also
    /// sufficient.
    pub received: Option<u32>,
}
