//! A directory: shared memory kept coherent by messages, as software over active messages and as a
//! hardware controller do it.
//!
//! Each block has a home, whose memory it is in. A home knows who has copies; a write takes them all
//! away first (write-invalidate). Two sides, which share nothing but messages:
//!
//! | file or folder | what it is |
//! |---|---|
//! | `message.rs` | kinds, their classes, one word on the wire |
//! | `action.rs` | what a processor wants and may, and what the caller is to do |
//! | `home/` | [`Directory`]: who has copies of this node's blocks, and whose turn it is |
//! | `cache/` | [`Requester`]: what this node knows of other nodes' blocks |
//! | `parameters.rs` | pointers, waiting requests, prefetch buffer, write-backs |
//!
//! *Tempest*'s default protocol (Hill, Larus and Wood, *Tempest: A Substrate for Portable Parallel
//! Programs*, COMPCON 1995) is this with unlimited pointers, all of it software; *LimitLESS* (Chaiken,
//! Kubiatowicz and Agarwal, ASPLOS 1991) with five, and a trap beyond.
//!
//! # Who says what
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
//! The first column of messages, and what the home asks of copies, are requests; all that comes back is
//! a reply. States are in the tables of `home/entry.rs` and `cache/copy.rs`.
//!
//! # What it promises
//!
//! **Each access takes effect at one moment between its call and its use; those of a block stand in one
//! order** (it is linearizable). So a program whose contexts wait for each access sees sequentially
//! consistent memory. What it needs of the network: each message comes once. **It needs no order**, not
//! of a pair and not of a class, as the following rules are kept:
//!
//! 1. A node has one request of a block under way, and the home answers it once.
//! 2. A home serves one request of a block at a time. All it sends to others for its sake is answered
//!    before it goes on. So of a home's recalls none is under way when the next request is served.
//! 3. Who writes a block back asks for it again only when that is acknowledged; a fetch that crosses
//!    the write-back is answered, and the home acknowledges when both are in.
//! 4. *A fetch overtakes the block that it fetches*: the node still asks to write, so it keeps the fetch
//!    until the block has come and was used. The block is on its way already: it comes.
//! 5. *An invalidation overtakes the copy*: or it is for one that was dropped before, while the new
//!    request waits behind the write; the node cannot tell, and acknowledges at once. When the copy
//!    comes, whoever waited before the invalidation may read it, once: the load takes effect when the
//!    home served it, before the write. Who joined later may not, since it may have seen what was
//!    written after that; then it is asked for again. This is why a prefetch binds nobody.
//! 6. *An upgrade loses its copy to another's write*: the home no longer counts it as a sharer when its
//!    turn comes, and sends the block.
//!
//! **One writer**: the home lets one have the only copy when every acknowledgement is in, and counts the
//! others out. **No update is lost**: the only copy leaves its node in one message, which the home awaits.
//!
//! # Why nothing stands still
//!
//! Whatever comes is consumed when it comes; no side waits for room to send. What it sends waits with
//! the caller, and there is a bound for it. With N nodes and R requests of a node under way at once
//! ([`RequesterParameters::requests`]; a home's own requests beside them, one of a block):
//!
//! | what waits | at most | because |
//! |---|---|---|
//! | requests at a home, their blocks being busy | [`DirectoryParameters::waiting`] | those beyond are turned away; (N − 1) R are all there are |
//! | replies that a node has to send | the requests under way in the machine | a request has, at any moment, one reply of a node to wait for |
//! | requests that a node has to send | R, and N − 1 for each of its blocks that is busy | rule 2 |
//!
//! A caller that cannot keep all of these may leave *requests* in the network until its own replies have
//! left, and no other way round: replies are always consumed, so they drain, so requests do. A handler
//! that waits until all it sends has left stands still, with two nodes already (`tests/broken.rs`).
//!
//! Requests of a block wait in one queue, first come, first served: nobody starves. Where requests are
//! turned away it is likely, not certain, that everybody's turn comes.
//!
//! What is granted is **held** until the caller says `used`: a fetch that comes meanwhile is kept (one,
//! by rule 2), an invalidation leaves the copy to those who waited. So a block that came is used at
//! least once, whatever the caller does in between (Kubiatowicz, Chaiken and Agarwal, *Closing the Window
//! of Vulnerability in Multiphase Memory Transactions*, ASPLOS 1992). A caller must not wait for another
//! block before it says so.
//!
//! # Choices
//!
//! * Copies to read are dropped **silently**: telling costs a message for each, to save an invalidation
//!   of those blocks alone that are written next. The only copy is written back, dirty or not.
//! * A block that is fetched goes **through its home** (four messages), not from owner to requester
//!   (three): the home need not remember whom to believe, and the copy in memory is good afterwards.
//! * The home's own processor needs no pointer and no message; it waits in the same queue.
//! * Prefetches that find the buffer full, or that are turned away, are dropped.
//!
//! # What it leaves out
//!
//! * Time, costs and bytes: the caller charges for what the actions tell, and moves blocks.
//! * Loss: put a protocol that survives it below. Clean exclusive copies, owners that answer each other,
//!   blocks that are moved to another home, updates in place of invalidations, atomic operations.
//! * Which blocks are evicted, and where prefetched blocks are kept.
//!
#![doc = include_str!("example.md")]

mod action;
mod cache;
mod home;
mod message;
mod parameters;
#[cfg(test)]
mod tests;

#[doc = include_str!("example.md")]
pub use action::{Access, AccessOutcome, CoherenceAction, Want};
#[doc = include_str!("example.md")]
pub use cache::Requester;
#[doc = include_str!("example.md")]
pub use home::Directory;
#[doc = include_str!("example.md")]
pub use message::{BlockId, CoherenceMessage};
#[doc = include_str!("example.md")]
pub use parameters::{DirectoryParameters, RequesterParameters};

#[doc(hidden)]
pub use action::{Evicted, Prefetched, Trap};
#[doc(hidden)]
pub use message::{BLOCKS_MAX, CoherenceKind};
