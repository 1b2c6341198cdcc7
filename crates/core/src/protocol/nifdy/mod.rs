//! NIFDY: admission control and in-order delivery at the edge of the network.
//!
//! Callahan and Goldstein, *NIFDY: A Low Overhead, High Throughput Network Interface* (ISCA 1995). There is one file
//! for each component of the paper's Figure 1:
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
//! * A pair of nodes has at most one scalar packet outstanding, and a node at most O. A packet waits in the pool until
//!   the packets in front of it for the same destination are acknowledged (§2.1.1).
//! * A packet of a long message requests a bulk dialog, and its acknowledgement grants or rejects the request. In a
//!   dialog, up to W packets may be unacknowledged, and the receiver puts them in order. The dialog's last packet has
//!   the exit bit; the receiver may end a dialog too (§2.1.2).
//! * A scalar packet is acknowledged when the processor accepts it, or when it enters the arrivals FIFO (footnote 2).
//!   Bulk packets are acknowledged one by one, or once for each half window (§2.4.2).
//! * Packets may bypass the protocol, and acknowledgements may be piggybacked on answers (§6.1); [`Answer`] determines
//!   how long an acknowledgement waits for an answer.
//! * For networks that drop packets, there are timers, copies and a duplicate bit (§6.2).
//!
//! # Guarantees
//!
//! On a network that delivers every frame exactly once, in any order and after any delay, NIFDY guarantees:
//!
//! * **Delivery exactly once, and in order per pair**, for any mixture of scalar and bulk packets, but not for packets
//!   that bypass the protocol.
//! * **No deadlock** while processors accept packets: every packet is delivered eventually. Bulk packets and
//!   acknowledgements never wait in the network for their receiver. If a processor accepts nothing, each sender has one
//!   scalar packet or one window outstanding to it; these packets delay packets for other nodes only if they fill the
//!   sender's whole pool or table. (A sender's request for a dialog also stays open: until it is answered, the sender
//!   makes no other request.)
//! * **State that does not grow with the machine** ([`UnitParameters::state_bytes`]).
//!
//! On a network that drops frames, with retransmission, the guarantees are the same, with two exceptions: the state
//! grows by two bits for each other node, and copies must die in time. See *One bit* below.
//!
//! # One bit
//!
//! "To distinguish duplicate packets, one additional bit in the header is enough for both scalar and bulk packets"
//! (§6.2). This holds only under an assumption that the paper does not state. Either of the following assumptions is
//! sufficient:
//!
//! * The network keeps the order of the frames from one node to another. Whatever the timers, an old copy then arrives
//!   before the packet that it could be mistaken for: a scalar packet is sent after the previous scalar packet was
//!   acknowledged, and a bulk packet after the bulk packet one window before it was acknowledged.
//! * Copies of acknowledged packets die in time: when a packet is first sent, the network has no copy of any earlier
//!   acknowledged packet of the pair, and no acknowledgement of one, separate or piggybacked.
//!
//! If a network reorders frames and lets copies live on, a single time-out without any loss is enough for a packet to
//! be delivered twice: the timer expires, the original is accepted and acknowledged, the next packet overtakes the copy
//! and is accepted, and then the copy arrives with the expected bit. A timer longer than any round trip does not help,
//! because the time until the processor accepts a packet has no bound: a packet that waits for the processor is
//! acknowledged after the timer expired. Such a timer is sufficient only for scalar packets that are acknowledged at
//! insertion. `tests/every_order.rs` checks each of these statements for a few packets, drops and timeouts in every
//! order; `tests/random.rs` checks the first two for more packets.
//!
//! # What it leaves out
//!
//! * Time and bytes on the wire, and the processing delay of each endpoint, which the caller models. A frame without a
//!   body is a header.
//! * Two logical networks: each has its own unit, and an acknowledgement is piggybacked only on an answer of the same
//!   unit.
//! * A unit that requests bulk mode without being asked (footnote 3), or that decides when to end a dialog: the caller
//!   calls [`NifdyUnit::end_dialog`]. A sender that stops without an exit bit keeps its dialog until then.
//! * Adaptive timers, and retransmission of packets that bypass the protocol: these are lost if the network drops them.
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

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use frame::NifdyFrame;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use parameters::UnitParameters;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use pool::OutgoingPacket;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use unit::{Delivered, NifdyUnit};

#[doc(hidden)]
pub use super::Answer;
#[doc(hidden)]
pub use adapter::{NifdyAdapter, NifdyParameters};
#[doc(hidden)]
pub use frame::{Acknowledgement, Bulk, BulkNumber, DialogReply, NifdyHeader, Scalar};
#[doc(hidden)]
pub use occupancy::PeakOccupancy;
#[doc(hidden)]
pub use parameters::{AcknowledgeAt, BulkAcknowledge, Retransmission};
#[doc(hidden)]
pub use statistics::NifdyStatistics;
