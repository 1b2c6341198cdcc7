//! The network interfaces, each its device half and its driver half side by side.

pub mod memory_bus;
