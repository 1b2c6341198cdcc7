//! The hosts: processor, caches, buses, main memory. Knows no interface: one meets it as an agent on a bus.

pub mod memory_bus;
