//! Fifos: packets are composed in the interface's memory and read there.
//!
//! | file | holds |
//! |---|---|
//! | `device.rs` | the device halves, which all fifos share |
//! | `words.rs` | `NI2w`, by uncached words; single-cycle, by processor registers |
//! | `blocks.rs` | `NI16w+Blkbuf`, by block loads and stores |
//! | `polls.rs` | the polling of a driver for a packet |
//! | `udma.rs` | `NI64w+Udma`, by user-level DMA |

pub mod blocks;
pub mod device;
pub mod polls;
pub mod udma;
pub mod words;
