//! From text to a machine.
