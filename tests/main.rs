//! All tests of the program from its users' point of view, in one binary: it is linked once, and its tests keep all
//! processors busy to the end. `cargo test --test all laws::` runs the tests of one file.
//!
//! `common/` contains short descriptions of machines, and functions that run the program as a process.
//! `reference_network/` is a second implementation of the network, written plainly.

/// The allocator of the program: machines are built and dropped by the ten thousand.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

// The targets of `fuzz/` import the macro of libfuzzer-sys, for which fuzz_targets.rs has another one.
extern crate self as libfuzzer_sys;

mod alewife;
mod any_bytes;
mod any_text;
mod atlas_study;
mod booksim2;
mod caches;
mod capture;
mod cli;
mod common;
mod communication_mechanisms;
mod cores;
mod determinism;
mod distributions;
mod dma;
mod endpoints;
mod explain;
mod explore;
mod expressions;
mod fabrics;
mod faults;
mod fit;
mod fuzz_targets;
mod golden;
mod graphs;
mod instrumentation;
mod laws;
mod loads;
mod matrix;
mod memory_bus;
mod mixed_interfaces;
mod pages;
mod papers;
mod parameters;
mod programs;
mod random;
mod reference_network;
mod rings;
mod roce;
mod routed;
mod routers;
mod sample_pictures;
mod saturation;
mod shared_memory;
mod sockets;
mod study;
mod sweep;
mod tidy;
mod traces;
mod verdicts;
mod verify;
mod warm_up;
mod whatif;
mod window;
mod wrong;
