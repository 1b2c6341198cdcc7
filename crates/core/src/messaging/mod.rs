//! Communication between programs, independent of the interface: by endpoints, at least one on each node.
//!
//! | file or folder | holds |
//! |---|---|
//! | `world.rs` | the world of a workload: the nodes, their endpoints, the fabric, the counts of messages |
//! | `endpoint.rs` | a program's attachment to its node's interface |
//! | `node_context.rs` | the parts of a node that its endpoints have in common |
//! | `node_sharing.rs`, `inbox.rs`, `loopback.rs` | several endpoints of one node, and packets between them |
//! | `message.rs`, `message_queue.rs`, `fragment.rs` | messages with payloads in memory, in packets of limited size |
//! | `polled_packet.rs` | a packet that a poll found |
//! | `active_message.rs`, `active/` | active messages, transfers and barriers |
//! | `shared/` | shared memory, over active messages or by the interface |
//! | `parameters.rs` | the costs of messaging |
//!
//! Files import downwards only: `world.rs` imports from the folders, the folders from `endpoint.rs`, and `endpoint.rs`
//! from the other files.

// A simulation lives in one thread, so its futures need not be `Send`.
#![allow(async_fn_in_trait)]

pub mod active;
mod active_message;
mod endpoint;
mod fragment;
mod inbox;
mod loopback;
mod message;
mod message_queue;
mod node_context;
mod node_sharing;
mod parameters;
mod polled_packet;
mod result_names;
pub mod shared;
mod world;

pub use endpoint::Endpoint;
pub use loopback::LOOPBACK_SLOTS;
pub use message::{Incoming, Outgoing};
pub use parameters::MessagingParameters;
pub use result_names::RESULTS;
pub use world::{Node, World};
