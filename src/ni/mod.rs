//! Network interfaces: each a device half and a driver half, side by side.
//!
//! | folder | models |
//! |---|---|
//! | `lanai/` | Myricom's programmable interface chip: processor, SRAM, three DMA engines |
//! | `memory_bus/` | the interfaces of Mukherjee and Hill (1998), on a coherent memory bus |
//! | `trapeze/` | the Trapeze firmware on it, with its delivery policies, and its driver |
//! | `nifdy/` | admission control and in-order delivery, and plain queues beside it |

pub mod lanai;
pub mod memory_bus;
pub mod nifdy;
pub mod trapeze;
