//! A directory protocol: messages keep shared memory coherent. The same state machines serve software over active
//! messages and a hardware controller.
//!
//! Each block has a home node, whose memory holds it. The home records the nodes with copies; before a write it
//! invalidates all other copies (write-invalidate). The protocol has two sides, which share nothing but messages:
//!
//! | file or folder | contents |
//! |---|---|
//! | `message.rs` | message kinds, their classes, their word on the wire |
//! | `action.rs` | requested and granted access, actions for the caller |
//! | `home/` | [`Directory`]: copies of this node's blocks, and the queue of requests for each block |
//! | `cache/` | [`Requester`]: this node's copies of other nodes' blocks |
//! | `parameters.rs` | pointers, waiting requests, forwarding, prefetch buffer, write-backs |
//!
//! With unlimited pointers, and run entirely in software, this protocol is *Tempest*'s default protocol (Hill, Larus
//! and Wood, *Tempest: A Substrate for Portable Parallel Programs*, COMPCON 1995). With five pointers in hardware, and
//! a trap to software beyond them, the protocol is *LimitLESS* (Chaiken, Kubiatowicz and Agarwal, ASPLOS 1991).
//!
//! # Messages
//!
//! ```text
//!  requester                      home                     other copies
//!  Read, Write, Upgrade ────────►      Invalidate ───────► (each sharer)
//!                                                ◄─────── Invalidated
//!                                      Fetch, FetchInvalidate ► (the owner)
//!                                                ◄─────── Fetched, or Crossed
//!                       ◄──────── Shared, Exclusive, Upgraded, or Nack
//!  WriteBack ───────────────────►
//!                       ◄──────── WrittenBack
//! ```
//!
//! The messages from a requester to the home (first column), and the home's recalls of copies, are requests; all
//! others are replies. The states are in the tables of `home/entry.rs` and `cache/copy.rs`.
//!
//! With [`DirectoryParameters::forwarding`] the owner sends the block to the requester directly, as in *DASH* (Lenoski
//! et al., ISCA 1990) and the *SGI Origin* (Laudon and Lenoski, ISCA 1997). The home's fetch names the requester, and
//! the owner answers it twice:
//!
//! ```text
//!  requester                      home                     owner
//!  Read, Write, Upgrade ────────►      Fetch, FetchInvalidate ►
//!                       ◄──────────────────────────────── Shared, Exclusive
//!                                                ◄─────── Fetched, or Invalidated; or Crossed
//! ```
//!
//! The home needs the block itself after a read (`Fetched`), and only the acknowledgement after a write
//! (`Invalidated`). Requests of the home's own processor are not forwarded.
//!
//! # Guarantees
//!
//! **Each access takes effect at one moment between its call and its use, and the accesses to a block have one total
//! order** (linearizability). A program whose contexts wait for each access therefore sees sequentially consistent
//! memory. The protocol needs a network that delivers each message exactly once. **It needs no delivery order**,
//! neither between a pair of nodes nor within a class, because of these rules:
//!
//! 1. A node has at most one outstanding request for a block, and the home answers it once.
//! 2. A home serves one request for a block at a time, and receives the answers to all its recalls before it
//!    continues. No recall of a block is therefore in the network when the block's next request is served.
//! 3. A node that writes a block back requests it again only after the write-back was acknowledged. The node answers a
//!    fetch that crosses the write-back, and the home acknowledges when both messages have arrived.
//! 4. *A fetch may overtake the block that it fetches*. The node then still waits for write access, so it defers the
//!    fetch until the block has arrived and was used. The block has been sent already, so it will arrive.
//! 5. *An invalidation may overtake the copy*, or concern a copy that was dropped earlier, while the node's new request
//!    waits behind the write. The node cannot distinguish the two, and acknowledges at once. When the copy arrives, the
//!    accesses that waited before the invalidation may read it once: these loads take effect at the moment when the
//!    home served the request, before the write. Accesses that joined later may not read it, because they may already
//!    have seen the effects of the write; the block is requested again for them. This is why prefetches are
//!    non-binding.
//! 6. *A node may lose its copy to another node's write while its upgrade is outstanding*. When the home serves the
//!    upgrade, the node is no longer a sharer, and the home sends the block.
//! 7. *A forwarded block may reach its requester after the home has the owner's answer*. The home may then recall it
//!    for the next request, and the recall may overtake the block: rules 4 and 5 apply, since the block has been sent.
//! 8. *The requester of a forwarded block may write it back before the home has the owner's answer*. The home stores
//!    the block, and acknowledges the write-back when the answer has arrived, which carries no older block.
//! 9. *A forwarded fetch that crosses the owner's write-back* is not forwarded: the owner answers `Crossed` to the home
//!    and nothing to the requester, which the home serves from memory (rule 3).
//!
//! **Single writer**: the home grants the only copy after every acknowledgement has arrived, and removes the other
//! sharers. **No lost update**: the only copy leaves its node in one message, for which the home waits.
//!
//! # Freedom from deadlock
//!
//! Every message is consumed on arrival; neither side waits for space to send. Messages to be sent are queued by the
//! caller, and their number is bounded. N is the number of nodes, and R the number of outstanding requests of a node
//! ([`RequesterParameters::requests`]); in addition a home has one request of its own for each of its blocks.
//!
//! | queued messages | bound | reason |
//! |---|---|---|
//! | requests at a home for busy blocks | [`DirectoryParameters::waiting`] | further requests are NACKed; there are at most (N − 1) R |
//! | replies that a node has to send | the outstanding requests of the machine; twice as many with forwarding | a request waits for one reply of a node at a time, or for the two answers to a forwarded fetch |
//! | requests that a node has to send | R, and N − 1 for each of its busy blocks | rule 2 |
//!
//! A caller without that much buffer space may leave *requests* in the network until its own replies have been sent,
//! but never replies until its requests have been sent: replies are always consumed, so they drain, and then requests
//! drain. A handler that waits until all its messages have been sent deadlocks even with two nodes
//! (`tests/broken.rs`).
//!
//! Requests for a block wait in one first-come-first-served queue, so no request starves. With NACKs, progress of
//! every request is likely but not guaranteed.
//!
//! A granted block is **held** until the caller calls `end_use`: a fetch that arrives meanwhile is deferred (at most
//! one, by rule 2), and an invalidation leaves the copy to the accesses that waited. Each block that arrives is
//! therefore used at least once, whatever the caller does in between (Kubiatowicz, Chaiken and Agarwal, *Closing the
//! Window of Vulnerability in Multiphase Memory Transactions*, ASPLOS 1992). A caller must not wait for another block
//! before it calls `end_use`.
//!
//! # Choices
//!
//! * Read-only copies are dropped **silently**: a notification would cost one message for each copy, and save an
//!   invalidation only for the blocks that are written next. The only copy is written back, dirty or clean. A program
//!   that knows which blocks are written next may check its copies in ([`Directory::check_in`]); the caller keeps a
//!   check-in and the node's next request in order.
//! * A fetched block goes **through its home** (four messages in sequence) by default, as in LimitLESS, or from owner
//!   to requester (three in sequence, four in all) with forwarding. The owner never NACKs a forwarded fetch, and the
//!   home stays busy until the owner has answered it, so no fetch is repeated.
//! * The home's own processor needs neither pointer nor message; its requests wait in the same queue.
//! * Prefetches that find the buffer full, or that are NACKed, are dropped.
//!
//! # What it leaves out
//!
//! * Time, costs and bytes: the caller charges for the work that the actions record, and moves the blocks.
//! * Message loss, which a protocol below must repair. Clean exclusive copies, acknowledgements of invalidations to the
//!   requester, migration of blocks to another home, updates in place of invalidations, atomic operations.
//! * The choice of blocks to evict, and the storage of prefetched blocks.
//!
#![doc = include_str!("example.md")]

mod action;
mod cache;
mod home;
mod message;
mod parameters;
#[cfg(test)]
mod tests;

#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use action::{Access, AccessMode, AccessOutcome, CoherenceAction};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use cache::Requester;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use home::Directory;
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use message::{BlockId, CoherenceMessage};
#[cfg_attr(not(doctest), doc = include_str!("example.md"))]
pub use parameters::{DirectoryParameters, RequesterParameters};

#[doc(hidden)]
pub use action::{EvictionOutcome, PrefetchOutcome, Trap};
#[doc(hidden)]
pub use message::{BLOCKS_MAX, CoherenceKind};
