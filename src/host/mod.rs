//! What lies between a program and its network interface: processor, memory, buses.
//!
//! | folder | models |
//! |---|---|
//! | `io_bus/` | a workstation of the nineties: the interface sits on PCI, behind a bridge |
//! | `memory_bus/` | a node whose interface sits on a coherent memory bus |
//! | `software.rs` | a processor that is known by what its messaging software costs |
//!
//! A host knows no interface: an interface is an agent on a bus, met through a trait here.

pub mod io_bus;
pub mod memory_bus;
pub mod software;
