//! Shared memory: loads and stores of any endpoint's memory. It is kept coherent in software or by hardware, and
//! programs cannot distinguish the two.
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
//! | `parameters.rs` | costs, and the size of a block |
//! | `space.rs` | the shared address space |
//! | `shared_memory.rs` | an endpoint's shared memory, of either kind |
//! | `software_coherence.rs` | tags, faults and the protocol's actions |
//! | `block_memory.rs` | the addresses of blocks in an endpoint's memory, and their bytes |
//! | `block_messages.rs` | the protocol's messages in packets: a word, and a block's bytes behind it |
//! | `hardware_coherence.rs` | addresses, waits and prefetches |
//! | `locks.rs` | locks, with queues at their homes |
//! | `handlers.rs` | the numbers of handlers |
//!
//! The protocol is [`protocol::directory`](crate::protocol::directory); here it is given tags, bytes and cycles.
//! The protocol's messages are active messages of one word, four bytes beyond the header, and a block's bytes, in
//! several packets if one does not hold them. The processor loads and stores the bytes through its caches.
//!
//! Handlers run while their processor polls: a program that computes for long polls now and then. What they send
//! waits in software until the program that polls can send it, and is bounded as the protocol says. Locks are by
//! messages in both kinds. Leaves out: eviction, since a copy stays until it is invalidated; and prefetches, which
//! software ignores.

mod block_memory;
mod block_messages;
mod handlers;
mod hardware_coherence;
mod locks;
mod parameters;
mod shared_memory;
mod software_coherence;
mod space;

pub use handlers::PART_WORDS_MIN;
pub use parameters::{SharedMemoryParameters, SharingMake};
pub use shared_memory::SharedMemory;
pub use space::{SharedAddress, Space};
