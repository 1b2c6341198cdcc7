//! Shared memory: loads and stores of any end's memory. It has two makes, and programs cannot tell which they run on.
//!
//! In software it is kept coherent by handlers of active messages, as Tempest's default protocol does (Hill, Larus
//! and Wood 1995; Mukherjee and Hill 1998, §5.1.1), over any interface. In hardware the interface does that, where it
//! can ([`ni::cmmu`](crate::ni::cmmu)), and accesses meet the processor's cache alone. In software:
//!
//! ```text
//!  load ─ tag allows ────────────────────────────▶ memory, or the copy of a page
//!    └─── tag forbids: fault ─▶ [`Requester`] ─▶ request ─▶ handler ─▶ [`Directory`] of the home
//!                                 ◀─ handler ◀─ block ◀─────────────────┘
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | what it costs, and how finely it is kept |
//! | `space.rs` | the shared address space |
//! | `end.rs` | an end, of either make |
//! | `in_software.rs` | tags, copies, faults |
//! | `handlers.rs` | what comes and goes: a word for each message, and a block's bytes behind it |
//! | `in_hardware.rs` | addresses, waits, prefetches |
//! | `locks.rs` | locks: queues at their homes |
//!
//! The protocol is [`protocol::directory`](crate::protocol::directory); here it has tags, bytes and cycles.
//! Its messages are active messages of one word, four bytes beyond the header, and a block's bytes, in several
//! packets where one does not hold them. Bytes are loaded and stored by the processor, through its caches.
//!
//! Handlers run while their processor polls: a program that computes long polls now and then. What they send
//! waits in software until whoever polled has room for it, and is bounded as the protocol says. It leaves out
//! eviction: a copy stays until it is taken back; and prefetches, which it ignores. Locks are by messages in both
//! makes.

mod end;
mod handlers;
mod in_hardware;
mod in_software;
mod locks;
mod parameters;
mod space;

pub use end::SharedMemory;
pub use parameters::{SharedMemoryParameters, SharingMake};
pub use space::{SharedAddress, Space};
