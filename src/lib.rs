//! Narrows: a workbench for the stretch between a program and the wire.
#![allow(missing_docs)] // until the first slice stands
pub mod engine;
pub mod machine;
pub mod protocol;
