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
//! * Packets that bypass the protocol, and acknowledgements piggybacked on answers (§6.1); [`Answer`] determines how
//!   long they wait for one.
//! * Timers, copies and a duplicate bit for networks that drop packets (§6.2).
//!
//! # Guarantees
//!
//! On a network that delivers every frame exactly once, in any order, after any delay:
//!
//! * **Delivery exactly once, and in order per pair**, for any mixture of scalar and bulk packets, but not for packets
//!   that bypass the protocol.
//! * **No deadlock** while processors accept packets: every packet is delivered eventually. Bulk packets and
//!   acknowledgements never wait in the network for their receiver. A processor that accepts nothing receives one
//!   scalar packet or one window from each sender; these packets delay packets for other nodes only if they fill the
//!   whole pool or table. (A sender's request for a dialog also stays open: until it is answered, the sender makes no
//!   other request.)
//! * **State that does not grow with the machine** ([`UnitParameters::state_bytes`]).
//!
//! On a network that drops frames, with retransmission, the guarantees are the same, except for two bits of state per
//! other node, and provided that copies die in time. See *One bit* below.
//!
//! # One bit
//!
//! "To distinguish duplicate packets, one additional bit in the header is enough for both scalar and bulk packets"
//! (§6.2). This holds only under an assumption that the paper does not state. Either of these is sufficient:
//!
//! * The network keeps the order of the frames from one node to another. With any timers, an old copy then arrives
//!   before the packet that it could be mistaken for: a scalar packet is sent after the previous one was acknowledged,
//!   and a bulk packet after the one a window before it was.
//! * Copies of acknowledged packets die in time: when a packet is first sent, the network has no copy of any earlier
//!   acknowledged packet of the pair, and no acknowledgement of one, separate or piggybacked.
//!
//! A network that reorders and lets copies live on delivers a packet twice after a single timeout without any loss: the
//! timer expires, the original is accepted and acknowledged, the next packet overtakes the copy and is accepted, and
//! then the copy has the expected bit. A timer longer than any round trip does not help, because the time until the
//! processor accepts a packet has no bound: a packet that waits for the processor is acknowledged after the timer
//! expired. For scalar packets that are acknowledged at insertion, such a timer is sufficient. `tests/every_order.rs`
//! checks each of these statements for a few packets, drops and timeouts in every order; `tests/random.rs` checks the
//! first two for more packets.
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire, and the processing delay of each endpoint, which the caller models. A frame without a
//!   body is a header.
//! * Two logical networks: each has its own unit, and an acknowledgement is piggybacked only on an answer of the same
//!   unit.
//! * A unit that requests bulk mode without being asked (footnote 3), or that decides when to end a dialog: the caller
//!   calls [`NifdyUnit::end_dialog`]. A sender that stops without an exit bit keeps its dialog until then.
//! * Adaptive timers. Copies of packets that bypass the protocol, which are lost if dropped.
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
