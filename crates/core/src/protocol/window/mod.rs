//! A reliable link: a sliding window for each destination, cumulative acknowledgements, time-outs.
//!
//! This is the textbook protocol for fabrics that lose, duplicate and reorder packets:
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
//! * **Connections.** The packets of two nodes name their connection ([`FlowKey`](crate::engine::FlowKey)). In the
//!   rules below, each connection is a separate destination and a separate source.
//! * **Sending.** One pool of `buffers` serves all destinations. A packet keeps its buffer from its reservation until
//!   it is acknowledged. Each destination has a window, the largest number of unacknowledged packets. Of the offered
//!   packets, the oldest whose window is open leaves first, so that a slow destination delays others only by the
//!   buffers that its packets occupy.
//! * **Receiving.** The next packet in sequence goes to one of the `arrivals` slots, which all senders share, and
//!   occupies it until its reader releases it. A packet ahead of the sequence, or in sequence while no slot is free, is
//!   stored in one of the `reorder` buffers of its sender; if no buffer is free, the packet is dropped, and
//!   retransmitted later. No packet ever waits in the network for a slot. With a reorder buffer for each packet of the
//!   window this is selective repeat (Bertsekas and Gallager, *Data Networks*, 2nd ed., §2.4.3; Tanenbaum, *Computer
//!   Networks*, 4th ed., §3.4.3); without reorder buffers it is a go-back-n receiver (§2.4.2 and §3.4.2 there).
//! * **Acknowledging.** An acknowledgement carries the next expected sequence number, and so acknowledges all packets
//!   before it. Packets that obtained a slot of `arrivals` are acknowledged one by one, or `acknowledge_every` packets
//!   by one acknowledgement; if fewer packets wait for it, the acknowledgement is sent after a delay. Duplicates,
//!   dropped packets, and packets that had to wait for a slot cause an acknowledgement at once. An acknowledgement that
//!   waits to leave is updated to the newest number.
//! * **Time-outs.** One timer for each destination follows the rules of RFC 6298 §5: it is set when a packet leaves
//!   while it does not run (5.1), stopped when all packets are acknowledged (5.2), and restarted when an
//!   acknowledgement frees a buffer (5.3). When it expires, "retransmit the earliest segment that has not been
//!   acknowledged" (5.4), and the time-out doubles up to a maximum (5.5, 5.6). An acknowledgement that frees a buffer
//!   ends the doubling. If the acknowledgement does not cover all packets that were outstanding at the time-out, the
//!   packet after the last one covered was lost too, and is retransmitted at once: the partial acknowledgement of RFC
//!   6582 §3.2.
//!
//! # Guarantees
//!
//! **Each packet is delivered once, in order per pair; while readers release slots and the network delivers some
//! frames, all packets are delivered eventually.** For this, the sequence number in a header must distinguish a packet
//! from every other packet of the pair that may be in the network. With M = 2^`sequence_bits` numbers and a window of
//! W, a receiver accepts the next W numbers as new. The receiver mistakes an old packet for a new one exactly if the
//! old packet arrives after the packet that was sent M − W packets later was accepted. [`LinkParameters::check`]
//! therefore requires:
//!
//! | fabric ([`FabricOrder`]) | condition | reason |
//! |---|---|---|
//! | keeps order | W ≤ M ÷ 2 | packets arrive in the order in which they were sent (§2.4.3 there) |
//! | reorders, copies live on | a pair's packets ≤ M − W | no number is reused: 2³² are plenty for a simulation |
//! | reorders, copies die | lifetime < (M − 2W) × spacing | the least time from a packet's acknowledgement to the first transmission of the packet M − W later |
//!
//! The second row makes no assumption about the network. With one packet more than the row permits, a copy of the first
//! packet can be mistaken for one ahead of the sequence and be stored; with M packets, one can be delivered twice. If
//! copies live for ever, no finite number space suffices for ever, because a reused number cannot be distinguished from
//! its copy. The third row is of the kind that Shankar proves minimal, "a function of the maximum message transmission
//! rate, the maximum message lifetime, and the maximum receive window size" (*Verified Data Transfer Protocols with
//! Variable Flow Control*, ACM TOCS 7(3), 1989). Both rows are asserted as far as a node can observe them: the number
//! of a pair's packets, and their spacing. For small number spaces `tests/every_order.rs` checks that each row is
//! sufficient in every order of events, and finds a counterexample beyond it.
//!
//! With reorder buffers, senders whose packets wait for a slot obtain slots in turn. Without reorder buffers, one
//! sender can starve while others send without end.
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire, which the caller models. Damaged frames count as lost.
//! * Connection set-up: both endpoints start with sequence number 0. Nodes do not fail.
//! * Piggybacked and selective acknowledgements; fast retransmission after repeated acknowledgements; time-outs that
//!   adapt to the round-trip time; congestion windows.
//!
//! # State
//!
//! The state grows with the number of peers that a node has exchanged packets with, not with the machine
//! ([`LinkParameters::state_bytes`]), because sequence numbers must outlive the packets.
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

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use frame::WindowFrame;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use link::{ArrivalOutcome, WindowLink};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use parameters::{FabricOrder, LinkParameters};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use peer::Peer;

#[doc(hidden)]
pub use adapter::{WindowAdapter, WindowParameters};
#[doc(hidden)]
pub use arrivals::ReadingSlot;
#[doc(hidden)]
pub use frame::WindowHeader;
#[doc(hidden)]
pub use statistics::WindowStatistics;
