//! From text to a machine.
pub mod build;
