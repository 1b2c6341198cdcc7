//! Alewife's communication and memory unit (CMMU): the network's interface and memory's controller in one chip.
//!
//! | file | models |
//! |---|---|
//! | `parameters.rs` | queues, cycles, the protocol's costs |
//! | `wire.rs` | a packet's two words of header |
//! | `intake.rs` | what comes: the receive queue, and what becomes of it when it is full |
//! | `interface.rs` | the specification |
//! | `driver.rs` | messages, as a processor sends and receives them |
//! | `coherence.rs` | memory shared with other nodes: the directory protocol, in hardware |
//! | `volume.rs` | bytes that it sends, by what they are for |
//! | `grants.rs` | who waits for a block, and who has one that may not go yet |
//!
//! Datasheet (Kubiatowicz and Agarwal, *Anatomy of a Message in the Alewife Multiprocessor*, ICS 1993; Agarwal et
//! al., ISCA 1995; Chong et al., HPCA 1998, §3): a processor describes a message by storing up to fourteen 32-bit
//! arguments behind two words of header, and pairs of address and length, whose bytes the unit fetches itself, in
//! double words; an instruction launches it. What comes interrupts the processor, or is polled for. One network
//! carries messages and the protocol of shared memory, which the unit serves without the processor: requests in one
//! class, replies in the other, where the fabric has two. A full receive queue holds the network up, coherence
//! behind messages; when it has been full for some time software empties it into memory.
//!
//! The protocol's rules are [`protocol::directory`](crate::protocol::directory), here with five pointers, then a
//! software trap (LimitLESS). What is below it is the [`Port`](super::Port) that every interface has, and whatever
//! protocol lies there.
//!
//! Leaves out: protection, the window of descriptors that several messages share, scatter at the receiver beyond one
//! place, and sending from a handler that interrupts a half-described message.

mod coherence;
pub mod driver;
mod grants;
mod intake;
mod interface;
mod parameters;
mod volume;
mod wire;

pub use parameters::{CmmuParameters, CoherenceCosts, Reception};
