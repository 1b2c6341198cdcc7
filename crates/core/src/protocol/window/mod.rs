//! A reliable link: a sliding window for each destination, cumulative acknowledgements, time-outs.
//!
//! The textbook's protocol, for fabrics that lose, duplicate and reorder:
//!
//! ```text
//!  program                             link                                     network
//!  reserve, offer ──► waiting ──(window open)──► sent (kept) ───────────► next ══════►
//!                                      ▲  └── timer ──► copy of the oldest ──┘  ▲
//!                                      └── frees ◄── acknowledgement ◄──┐       │
//!                      acknowledgements due ────────────────────────────┼───────┘
//!                                      ▲                                │
//!  release ◄── take ◄── arrivals ◄─────┴──── reorder buffers ◄──────────┴── arrive ◄══
//! ```
//!
//! # What it models
//!
//! * **Connections.** Between two nodes there are as many as their packets name
//!   ([`FlowKey`](crate::engine::FlowKey)); each is a destination and a source of its own below.
//! * **Sending.** One pool of `buffers` for all destinations. A packet keeps its buffer from its
//!   reservation until it is acknowledged. Each destination has a window: so many packets may be
//!   sent and not acknowledged. Of the packets offered, the oldest whose window is open leaves
//!   first, so that a slow destination holds up others only by the buffers it takes.
//! * **Receiving.** The next packet of its sender goes to one of the `arrivals` places, for all
//!   senders together, until its reader releases it. A packet ahead of its turn, or whose turn
//!   finds no place, is kept in one of the `reorder` buffers of its sender; where there is none it
//!   is dropped, and sent again at last. Nothing ever waits in the network for a place. With as
//!   many reorder buffers as the window this is selective repeat (Bertsekas and Gallager, *Data
//!   Networks*, 2nd ed., §2.4.3; Tanenbaum, *Computer Networks*, 4th ed., §3.4.3), without any it
//!   is a go-back-n receiver (§2.4.2 and §3.4.2 there).
//! * **Acknowledging.** An acknowledgement tells the next packet expected, and so is of all before
//!   it. One is made for packets that got their place in `arrivals`, each or every few with a delay
//!   for the rest; at once for a packet that had come before, one that was dropped, and those that
//!   had to wait for a place. One that waits to leave tells the newest.
//! * **Time-outs.** One timer for each destination, by the rules of RFC 6298 §5: set where a packet
//!   leaves and it does not run (5.1), stopped when all is acknowledged (5.2), set anew when an
//!   acknowledgement frees something (5.3); when it goes off, "retransmit the earliest segment that
//!   has not been acknowledged" (5.4), with the time-out doubled up to a maximum (5.5, 5.6). An
//!   acknowledgement that frees something ends the doubling. If it is not of all that was
//!   outstanding at the time-out, it ends at the next hole, whose packet is sent again at once: the
//!   partial acknowledgement of RFC 6582 §3.2.
//!
//! # What it promises
//!
//! **Each packet is delivered once, in order per pair; while readers release and the network
//! delivers now and then, all are delivered at last.** For that, the number in a header must tell a
//! packet from each other that may be in the network. With M = 2^`sequence_bits` numbers and a
//! window of W, a receiver takes numbers from the next on, up to W of them, as new. So it errs if a
//! packet still comes once the one M − W after it has been accepted, and not before. Hence
//! ([`LinkParameters::check`] tells each):
//!
//! | fabric ([`Order`]) | enough | because |
//! |---|---|---|
//! | keeps order | W ≤ M ÷ 2 | what is sent before a packet comes before it (§2.4.3 there) |
//! | reorders, copies live on | a pair's packets ≤ M − W | no number is used again: 2³² are plenty for a simulation |
//! | reorders, copies die | lifetime < (M − 2W) × spacing | so long after its acknowledgement the packet M − W later first leaves |
//!
//! The second row assumes nothing of the network. With one packet more, a copy of the first can be
//! taken for one that is ahead of its turn, and be kept; with M packets one can be delivered twice.
//! No finite space serves for ever where copies live for ever: a number used again cannot be told
//! from its copy. The third row is of the kind that Shankar proves minimal, "a function of the
//! maximum message transmission rate, the maximum message lifetime, and the maximum receive window
//! size" (*Verified Data Transfer Protocols with Variable Flow Control*, ACM TOCS 7(3), 1989). Both
//! are asserted as far as a node can see: the count of a pair's packets, and their spacing. For
//! small spaces `tests/every_order.rs` shows that each row holds in every order there is, and what
//! goes wrong beyond.
//!
//! Packets of senders that find no place get one in turn, if there are reorder buffers; without
//! them one sender can be refused for as long as others send without end.
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire, damage to frames (a frame with a wrong checksum is one that is
//!   lost): the caller's.
//! * Set-up of connections: both ends know each other from the start, with number 0. Nodes do not fail.
//! * Acknowledgements that ride in packets, or that name holes; a third acknowledgement alike as a
//!   sign of loss; time-outs that follow the round trip; congestion windows.
//!
//! # State
//!
//! Grows with the peers a node has talked to, never with the machine ([`LinkParameters::state_bytes`]):
//! their numbers must outlive the packets.
//!
#![doc = include_str!("example.md")]

mod acknowledge;
mod adapter;
mod arrivals;
mod frame;
mod link;
mod outgoing;
mod parameters;
mod peer;
mod receiving;
mod sending;
mod space;
mod spec;
mod statistics;
#[cfg(test)]
mod tests;
mod timers;

#[doc = include_str!("example.md")]
pub use frame::WindowFrame;
#[doc = include_str!("example.md")]
pub use link::{Arrived, WindowLink};
#[doc = include_str!("example.md")]
pub use parameters::{LinkParameters, Order};
#[doc = include_str!("example.md")]
pub use peer::Peer;

#[doc(hidden)]
pub use adapter::{WindowAdapter, WindowParameters};
#[doc(hidden)]
pub use arrivals::ReadingPlace;
#[doc(hidden)]
pub use frame::WindowHeader;
#[doc(hidden)]
pub use statistics::WindowStatistics;
