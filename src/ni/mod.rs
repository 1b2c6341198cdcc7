//! Network interfaces: each a device half and a driver half, side by side.
//!
//! | folder | models |
//! |---|---|
//! | `lanai/` | Myricom's programmable interface chip: processor, SRAM, three DMA engines |
//! | `trapeze/` | the Trapeze firmware on it, with its delivery policies, and its driver |

pub mod lanai;
pub mod trapeze;
