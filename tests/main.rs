//! All tests of the program as its users see it, in one binary: it is linked once, and its tests share the processors to
//! the end. `cargo test --test all laws::` runs those of one file.
//!
//! `common/` holds machines in a few words, and the program as a process; `twin/` is the network again, written plainly.

mod alewife;
mod any_bytes;
mod any_text;
mod atlas;
mod booksim2;
mod caches;
mod capture;
mod cli;
mod common;
mod cores;
mod determinism;
mod distributions;
mod endpoints;
mod expressions;
mod fabrics;
mod faults;
mod fit;
mod gallery;
mod golden;
mod graphs;
mod instruments;
mod laws;
mod loads;
mod matrix;
mod mechanisms;
mod memory_bus;
mod mixed;
mod pages;
mod papers;
mod parameters;
mod programs;
mod random;
mod routed;
mod routers;
mod saturation;
mod shared_memory;
mod sockets;
mod study;
mod sweep;
mod tidy;
mod traces;
mod twin;
mod verdicts;
mod verify;
mod warm_up;
mod whatif;
mod window;
mod wrong;
