//! Alewife's communication and memory unit (CMMU): the network interface and the memory controller in one chip.
//!
//! | file | models |
//! |---|---|
//! | `parameters.rs` | queues, cycles, the protocol's costs |
//! | `wire.rs` | a packet's two words of header |
//! | `rx.rs` | the receive queue and its overflow |
//! | `interface.rs` | the specification |
//! | `driver.rs` | the processor's part in sending and receiving messages |
//! | `coherence.rs` | memory shared with other nodes: the directory protocol, in hardware |
//! | `traffic_volume.rs` | bytes sent, by purpose |
//! | `block_waiters.rs` | programs that wait for a block, or have not used a granted one |
//!
//! Datasheet (Kubiatowicz and Agarwal, *Anatomy of a Message in the Alewife Multiprocessor*, ICS 1993; Agarwal et al.,
//! ISCA 1995; Chong et al., HPCA 1998, §3): a processor describes a message by storing two header words, up to fourteen
//! 32-bit arguments, and pairs of address and length. The unit itself fetches the bytes of these pairs in double words.
//! An instruction launches the message. A received message interrupts the processor, or the processor polls. One
//! network carries messages and the protocol of shared memory, which the unit serves without the processor: requests in
//! one class, replies in another if the fabric has two. A full receive queue blocks the network, including coherence
//! packets behind messages; when it has been full for some time, software empties it into memory.
//!
//! The protocol's rules are [`protocol::directory`](crate::protocol::directory), here with five pointers per block and
//! a software trap for further readers (LimitLESS). Below the directory protocol is the [`Port`](super::Port) that
//! every interface has, which runs the protocol of the machine.
//!
//! The module leaves out protection, the window of descriptors that several messages share, scatter at the receiver to
//! more than one address, and sending from a handler that interrupts a half-described message.

mod block_waiters;
mod coherence;
pub mod driver;
mod interface;
mod parameters;
mod rx;
mod traffic_volume;
mod wire;

pub use parameters::{CmmuParameters, CoherenceCosts, Reception};
