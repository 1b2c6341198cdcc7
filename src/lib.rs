//! Narrows: a workbench for the path between a program and the wire.
//!
//! This crate is the command line ([`cli`]) over the models of `narrows-core` and the experiments and studies of
//! `narrows-study`, and gives their modules under one name.

pub mod cli;

pub use narrows_core::{engine, fabric, host, machine, messaging, ni, part, program, protocol, testing, text};
pub use narrows_study::{experiment, papers, report, study, verify};
