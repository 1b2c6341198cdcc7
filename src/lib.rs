//! Narrows: a workbench for the stretch between a program and the wire.
#![allow(missing_docs)] // until the first slice stands
pub mod engine;
pub mod fabric;
pub mod host;
pub mod machine;
pub mod messaging;
pub mod ni;
pub mod program;
pub mod protocol;
