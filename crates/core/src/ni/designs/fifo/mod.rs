//! Fifos: a packet is composed in the interface's memory and read there.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | the device halves that all share |
//! | `words.rs` | `NI2w`, by uncached words; single-cycle, by processor registers |
//! | `blocks.rs` | `NI16w+Blkbuf`, by block loads and stores |
//! | `polls.rs` | how a driver waits for a packet |
//! | `udma.rs` | `NI64w+Udma`, by user-level DMA |

pub mod blocks;
pub mod device;
pub mod polls;
pub mod udma;
pub mod words;
