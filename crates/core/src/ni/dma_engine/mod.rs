//! An interface that has nothing but a DMA engine: a programmable network card whose firmware drives its DMA engine
//! alone, as pcie-bench runs on it (Neugebauer et al., SIGCOMM 2018, §5.1).
//!
//! Datasheet. Reads and writes have separate queues, and each queue has its own slots and its own issue stage. A
//! transfer passes four stages:
//!
//! 1. *Overhead*: the firmware composes the command. Any number of transfers may be in this stage.
//! 2. *Issue*: the transfer takes one of `slots` and waits until the issue stage is free. The transfer then goes on at
//!    once, and the stage is free for the next transfer after a time that depends on the size.
//! 3. *Transfer*: the request goes to the host's DMA port. The data of a read are copied at `rate`, in pieces of
//!    `piece`, while later pieces still arrive. The data of a write are copied at `write-rate`, in whole pieces, while
//!    they go out.
//! 4. *Completion*: a read ends when its last byte has been copied. A write ends when its data have been copied and
//!    have left the interface, which does not wait until they are visible in memory. The slot is free again.
//!
//! By Little's law, the throughput of reads is at most `slots` divided by their latency without the overhead.
//! The engine's timer has a tick, and a latency is a whole number of ticks. Messages, the processor's registers and the
//! network side are left out. The defaults describe a Netronome NFP-6000.
//!
//! | file | holds |
//! |---|---|
//! | `parameters.rs` | the times and the numbers of slots |
//! | `issue_time.rs` | the time of the issue stage by size |
//! | `engine.rs` | the engine |
//! | `driver.rs` | the driver, which has no messages |
//! | `interface.rs` | the specification |

mod driver;
mod engine;
mod interface;
mod issue_time;
mod parameters;

pub use parameters::DmaEngineParameters;
