//! What runs on the simulated processors.

pub mod memory_bus;
pub mod table5;
