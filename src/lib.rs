//! Narrows: a workbench for the stretch between a program and the wire.
pub mod cli;
pub mod engine;
pub mod fabric;
pub mod host;
pub mod machine;
pub mod messaging;
pub mod ni;
pub mod program;
pub mod protocol;
pub mod report;
pub mod study;
pub mod text;
