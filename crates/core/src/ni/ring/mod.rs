//! An Ethernet interface with descriptor rings in main memory, and its polled and its kernel driver.
//!
//! ```text
//!   driver    frame, descriptor ─▶ send ring                     receive ring ─▶ frame ─▶ program
//!      └── doorbell ──▶ fetch ─▶ payload read ─▶ wire ─▶ payload write ─▶ completion ─▶ poll, or interrupt
//! ```
//!
//! # What is modelled
//!
//! The rings and buffers are memory, and their bytes are real. The driver copies a frame into a buffer, stores a
//! descriptor, and rings the doorbell after a batch or when the messaging layer has nothing more to send
//! ([`Driver::flush_sends`](crate::ni::Driver::flush_sends)). The device fetches descriptors in batches, reads frames
//! with many reads outstanding, sends them in order, and writes completions in batches. It fetches receive descriptors
//! ahead of their use, writes arriving frames into the posted buffers, and announces them by completions and by
//! moderated interrupts. The cost of a frame on the host's interconnect follows from the size of a descriptor and from
//! the batches alone. A completion is submitted right behind its frame if the host's port orders writes, and otherwise
//! when the frame is visible.
//!
//! Several pairs of rings share the device. An endpoint's frames use the rings of its core.
//!
//! # What is left out
//!
//! The module leaves out frames of several buffers, checksums and segmentation by the device, receive coalescing,
//! copies that a program could avoid (each side copies a frame once), priorities among rings, and the memory allocator
//! of buffers. The device's pipeline is modelled by one fixed time per frame on each side.
//!
//! # Sources of the numbers
//!
//! Sizes and batches are from the analytic model of pcie-bench (Neugebauer et al., SIGCOMM 2018; Intel's Niantic).
//! The times of the kernel are measured or remembered, as the documentation of each parameter says.
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs`, `interface.rs`, `start.rs` | the parameters, the specification and the start |
//! | `frame.rs`, `descriptor.rs` | the bytes of frames, descriptors and completions |
//! | `device.rs`, `context.rs` | registers, and the state that both sides of the device share |
//! | `fetch.rs` | the device fetches descriptors |
//! | `send.rs`, `receive.rs` | the two sides of the device |
//! | `completions.rs`, `visibility.rs`, `moderation.rs` | completions, writes in flight, interrupts |
//! | `driver.rs`, `driver_queue.rs`, `send_driver.rs`, `receive_driver.rs`, `kernel.rs` | the drivers |

mod completions;
mod context;
mod descriptor;
mod device;
pub mod driver;
mod driver_queue;
mod fetch;
mod frame;
mod interface;
mod kernel;
mod moderation;
pub mod parameters;
mod receive;
mod receive_driver;
mod result_names;
mod send;
mod send_driver;
mod start;
mod visibility;

pub use parameters::RingParameters;

/// Names of the stages of a frame's latency that only the kernel driver has.
mod stage {
    /// Until the kernel has found the completion.
    pub const INTERRUPT: &str = "interrupt";
    /// Until the frame is in the socket's queue.
    pub const SOFTIRQ: &str = "softirq";
}
