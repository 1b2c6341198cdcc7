//! Narrows: a workbench for the path between a program and the wire.
//!
//! This crate is the command line ([`cli`]) over the models of `narrows-core` and the experiments and studies of
//! `narrows-study`, and re-exports the public items of both under one name:
//!
//! | name | for |
//! |---|---|
//! | [`experiment`] | running a description: once, in sweeps, searches, what-if analyses and fits |
//! | [`study`], [`papers`] | loading and reproducing studies |
//! | [`Machine`], [`Registry`], [`Error`] | reading and checking descriptions |
//! | [`prelude`] | writing a host, interface, protocol, fabric or workload |
//! | [`testing`] | the laws that hold for every part |
//! | [`protocol`] | flow control, order and reliability as state machines |
//! | [`engine`] | simulated time, tasks, signals, resources, ledgers |
//! | [`cli::main_with`] | the command line of a program with parts of its own |
//!
//! All other modules are internal and hidden; their names may change in any release.

pub mod cli;
#[doc(hidden)]
pub mod reference;

#[doc(inline)]
pub use narrows_core::{Error, Machine, Registry, engine, prelude, protocol, testing};
#[doc(inline)]
pub use narrows_study::{experiment, papers, study};

#[doc(hidden)]
pub use narrows_core::{fabric, host, machine, messaging, ni, part, program, text};
#[doc(hidden)]
pub use narrows_study::report;
#[doc(hidden)]
pub use narrows_verify::verify;

/// The pages that library users read, whose examples are compiled and run.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/library.md")]
    struct Library;
}
