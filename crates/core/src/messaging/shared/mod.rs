//! Shared memory: loads and stores of any endpoint's memory. Software or hardware keeps it coherent, and programs
//! cannot distinguish the two.
//!
//! In software, handlers of active messages keep the memory coherent, as in Tempest's default protocol (Hill, Larus and
//! Wood 1995; Mukherjee and Hill 1998, §5.1.1), over any interface. In hardware, the interface keeps it coherent, if it
//! can ([`ni::cmmu`](crate::ni::cmmu)), and accesses use only the processor's cache. In software:
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
//! | `check_in.rs` | read-only copies that their readers return |
//! | `hardware_coherence.rs` | addresses, waits and prefetches |
//! | `locks.rs` | locks, with queues at their homes |
//! | `handlers.rs` | the numbers of handlers |
//!
//! The protocol is [`protocol::directory`](crate::protocol::directory); this module adds tags, bytes and cycles. The
//! protocol's messages are active messages of one word, four bytes beyond the header, and a block's bytes, in several
//! packets if one packet cannot hold them. The processor loads and stores the bytes through its caches.
//!
//! Handlers run while their processor polls: a program that computes for long must poll now and then. The packets that
//! handlers send wait in software until the program that polls can send them; their number is bounded as the protocol
//! states. Locks use messages in both kinds of coherence. Eviction is not modelled, since a copy stays until it is
//! invalidated or checked in; software ignores prefetches.

mod block_memory;
mod block_messages;
mod check_in;
mod handlers;
mod hardware_coherence;
mod locks;
mod parameters;
mod shared_memory;
mod software_coherence;
mod space;

pub use handlers::PART_WORDS_MIN;
pub use parameters::{CoherenceMechanism, SharedMemoryParameters};
pub use shared_memory::SharedMemory;
pub use space::{SharedAddress, Space};
