//! NIFDY: admission control and in-order delivery at the edge of the network.
//!
//! Callahan and Goldstein, *NIFDY: A Low Overhead, High Throughput Network Interface* (ISCA 1995).
//! One file per component of its Figure 1:
//!
//! ```text
//!  processor                            unit                                        network
//!  offer ──► pool (B, ranks) ──┬─ rank 0 ──────► outstanding (O) ──┬──► next ══════════►
//!                              └─ dialog open ─► bulk_send (W) ────┤
//!                       acknowledge (queue) ───────────────────────┘
//!                              ▲      └─ clears entries, slides the window, lowers ranks ◄─┐
//!  accept ◄── arrivals ◄───────┴───────┬──────────────── scalar ◄──┬── arrive ◄════════
//!                └── turns ◄── bulk_receive (D × W) ◄─────── bulk ─┘
//! ```
//!
//! # What it models
//!
//! * A pair has at most one scalar packet outstanding, a node at most O; a packet waits in the pool
//!   until those in front of it for the same destination are acknowledged (§2.1.1).
//! * A packet of a long message asks for a bulk dialog; its acknowledgement grants one or rejects.
//!   In a dialog up to W packets are unacknowledged, and are put in order at the receiver. The last
//!   has the exit bit; the receiver may end a dialog too (§2.1.2).
//! * A scalar packet is acknowledged when the processor accepts it, or when it enters the arrivals
//!   FIFO (footnote 2); bulk packets by half windows, or each (§2.4.2).
//! * Packets that bypass the protocol, and acknowledgements that ride in answers (§6.1). How long
//!   they wait for one: [`Answer`].
//! * Timers, copies and a duplicate bit for networks that drop packets (§6.2).
//!
//! # What it promises
//!
//! Of a network that delivers every frame exactly once, in any order, after any delay:
//!
//! * **Exactly once, and in order per pair**, whatever mixture of scalar and bulk packets; not for
//!   packets that bypass the protocol.
//! * **No deadlock** while processors accept: every packet is delivered at last. Bulk packets and
//!   acknowledgements never wait in the network for their receiver. A processor that accepts nothing
//!   is sent one scalar packet or one window by each sender; that holds up what is for others only
//!   where such packets fill the whole pool or table. (A sender's request for a dialog stays open,
//!   too: until it is answered, the sender asks nobody else.)
//! * **State that does not grow with the machine** ([`UnitParameters::state_bytes`]).
//!
//! Of a network that drops frames, with retransmission: the same, but for two bits of state per
//! other node, if copies die in time. See *One bit* below.
//!
//! # One bit
//!
//! "To distinguish duplicate packets, one additional bit in the header is enough for both scalar
//! and bulk packets" (§6.2). It is, on an assumption that the paper does not state. Either of these
//! is enough:
//!
//! * The network keeps the order of the frames from one node to another. An old copy then comes
//!   before the packet that it could be taken for, whatever the timers: a scalar packet is sent
//!   when the one before it is acknowledged, and a bulk packet when the one a window before is.
//! * What is left of acknowledged packets dies in time: when a packet is first sent, the network
//!   has no copy of any earlier packet of the pair that was acknowledged, and no acknowledgement of
//!   one, by itself or carried.
//!
//! A network that reorders, and lets copies live on, delivers a packet twice after a single timeout
//! without a single loss: the timer goes off, the original is accepted and acknowledged, the next
//! packet overtakes the copy and is accepted, and then the copy has the bit that is expected.
//! A timer longer than any round trip does not help, because the time until the processor accepts
//! has no bound: what it holds up is acknowledged after the timer went off. For scalar packets
//! acknowledged at insertion it is enough. `tests/every_order.rs` shows each of these sentences, for a
//! few packets, drops and timeouts in every order; `tests/random.rs` the first two for more.
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire, the processing delay of each end: the caller's. A frame without
//!   body is a header.
//! * Two logical networks: one unit for each. An acknowledgement rides only in an answer of the same
//!   unit.
//! * A unit that asks for bulk mode by itself (footnote 3), or that decides when to end a dialog:
//!   [`NifdyUnit::end_dialog`] is the caller's to call. A sender that stops without exit bit keeps its
//!   dialog until then.
//! * Timers that adapt. Copies of packets that bypass the protocol: these are lost if dropped.
//!
#![doc = include_str!("example.md")]

mod acknowledge;
mod adapter;
mod arrivals;
mod bulk_receive;
mod bulk_send;
mod frame;
mod numbering;
mod occupancy;
mod outstanding;
mod parameters;
mod pool;
mod receiving;
mod retransmit;
mod sending;
mod spec;
mod statistics;
#[cfg(test)]
mod tests;
mod unit;

#[doc = include_str!("example.md")]
pub use frame::NifdyFrame;
#[doc = include_str!("example.md")]
pub use parameters::UnitParameters;
#[doc = include_str!("example.md")]
pub use pool::OutgoingPacket;
#[doc = include_str!("example.md")]
pub use unit::{Delivered, NifdyUnit};

#[doc(hidden)]
pub use super::Answer;
#[doc(hidden)]
pub use adapter::{NifdyAdapter, NifdyParameters};
#[doc(hidden)]
pub use frame::{Acknowledgement, Bulk, BulkNumber, NifdyHeader, Request, Scalar};
#[doc(hidden)]
pub use occupancy::PeakOccupancy;
#[doc(hidden)]
pub use parameters::{AcknowledgeAt, BulkAcknowledge, Retransmission};
#[doc(hidden)]
pub use statistics::NifdyStatistics;
