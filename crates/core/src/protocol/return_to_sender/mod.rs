//! Return-to-sender: end-to-end flow control whose buffers do not grow with the machine.
//!
//! Mukherjee and Hill, *The Impact of Data Transfer and Buffering Alternatives on Network Interface Design* (HPCA
//! 1998), §5.1.2. A packet corresponds to a network message of the paper, which has at most 256 bytes including its
//! header. A packet takes these paths:
//!
//! ```text
//!  sender                                                   receiver
//!  send ─► outgoing buffer ════ first network ════► arrive ─► free? ─► incoming buffer ─► take
//!             ▲    ▲                                            │ yes: accepted             │
//!     freed ──┘    └───────── second network ◄──────────────────┤                        release
//!            bounced, retry ── (packet and all) ◄───────────────┘ no: returned
//! ```
//!
//! # What it models
//!
//! * The sender takes an empty outgoing buffer before it injects a packet, and owns the buffer
//!   until the packet is accepted: [`OutgoingHalf`].
//! * The receiver accepts into a free incoming buffer and acknowledges, or returns the packet:
//!   [`IncomingHalf`]. A buffer is free again only when its reader releases it.
//! * Replies (acknowledgments and returned packets) travel on the second network. The outgoing buffer of the packet is
//!   still reserved, so the sender consumes every reply at once and the second network always drains. An incoming
//!   packet is also answered at once, so the first network drains as long as replies can be injected: the networks have
//!   no wait-for cycle.
//! * A bounced packet waits in its buffer and is retried after a delay; the paper says only "later". [`Retry`] is the
//!   rule for the delay. Its jitter, a random deviation that the run's seed determines, keeps the retries of several
//!   senders from staying in step.
//!
//! # Guarantees on networks that neither lose nor duplicate
//!
//! * **Delivery exactly once.** The payload is moved, never cloned, and every transmission has one reply.
//! * **No deadlock.** While receivers release buffers, every packet is delivered eventually.
//! * **No order.** A bounced packet is overtaken by later packets of the same pair, and the networks may reorder. The
//!   protocol does not restore order; programs that need it number their messages. (With a single outgoing buffer there
//!   is no later packet to overtake; programs must not rely on that.)
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire: the caller determines the duration of a packet or a reply and the length of an
//!   acknowledgment. Faults of the network are not modelled.
//! * Fairness. A freed buffer goes to the packet that arrives first, so one sender can starve under an *endless* stream
//!   from others. With finite traffic no sender starves.
//! * Receivers that never release buffers: packets for them are returned and retried for ever.
//!   [`OutgoingHalf::holders`] names them for the report of a livelock. Programs that hold incoming buffers while they
//!   wait for an outgoing one can deadlock in this way (Mukherjee and Hill 1998, §3.2).
//!
//! # Parameters and statistics
//!
//! [`FlowControlParameters`]: outgoing and incoming buffers (count, or infinite), first and longest delay
//! before a retry, jitter. [`outgoing::OutgoingStatistics`] counts packets sent, acknowledged, bounced and retried;
//! [`incoming::IncomingStatistics`] counts packets accepted, returned and released. Both record the largest number of
//! buffers in use at once.
//!
#![doc = include_str!("example.md")]

mod adapter;
#[doc(hidden)]
pub mod incoming;
#[doc(hidden)]
pub mod outgoing;
mod parameters;
mod slots;
mod spec;
#[cfg(test)]
mod tests;
mod wire;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use outgoing::ReplyOutcome;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use parameters::{Buffers, FlowControlParameters, Retry};

#[doc(hidden)]
pub use adapter::{ReturnToSenderAdapter, ReturnToSenderParameters};
#[doc(hidden)]
pub use incoming::{IncomingHalf, PacketBeingRead};
#[doc(hidden)]
pub use outgoing::{BufferWait, OutgoingHalf};
#[doc(hidden)]
pub use parameters::RetryError;
#[doc(hidden)]
pub use wire::{DataPacket, IncomingBuffer, OutgoingBuffer, Reply, Verdict};

use crate::engine::NodeId;

/// Both halves of one node's flow control. They share no state, and may be stored separately.
///
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct FlowControl<P> {
    /// The sending half.
    pub outgoing: OutgoingHalf<P>,
    /// The receiving half.
    pub incoming: IncomingHalf<P>,
}

impl<P> FlowControl<P> {
    /// Returns the flow control of `node`, with all buffers free.
    pub fn new(node: NodeId, parameters: FlowControlParameters) -> FlowControl<P> {
        FlowControl {
            outgoing: OutgoingHalf::new(node, parameters.outgoing, parameters.retry),
            incoming: IncomingHalf::new(node, parameters.incoming),
        }
    }

    /// Returns whether every buffer of this node is free.
    pub fn is_idle(&self) -> bool {
        self.outgoing.census().used() == 0 && self.incoming.census().used() == 0
    }
}
