//! Narrows: a workbench for the stretch between a program and the wire.
//!
//! The path of one message, and the folders it passes:
//!
//! 1. [`program`] decides to send: ping-pong, stream, page fetch; bursts, sorts and solvers on all nodes.
//! 2. [`messaging`] gives it one endpoint a node, whatever the interface.
//! 3. [`ni`] is the interface: its driver half composes a control message and its device half,
//!    firmware on a chip, moves the payload. Policies say when a transfer may start.
//! 4. [`host`] is what both halves stand on: processor, memory, buses, bridge, interrupts.
//! 5. [`fabric`] carries packets between interfaces, over links or through routers flit by flit;
//!    [`protocol`] holds the rules of flow control,
//!    order and reliability, free of any hardware.
//!
//! Beneath lies [`engine`]: simulated time, units, tasks, resources, ledgers and spans; it knows no
//! hardware. [`text`] turns TOML into typed values and remembers every place, so that each part
//! reads its own parameters; [`part`] is what all parts say of themselves before time 0. [`machine`]
//! keeps the registry of parts, checks a description and builds it; [`experiment`] runs it,
//! once, in sweeps, searches and fits; [`study`] makes a paper's experiments of it and judges them, with
//! what data cannot say in [`papers`]; [`verify`] model-checks firmware; [`report`] makes tables, charts,
//! timelines and pages; [`cli`] is the command line.

// What `#[derive(Parameters)]` writes names this crate as others do.
extern crate self as narrows;

pub mod cli;
pub mod engine;
pub mod experiment;
pub mod fabric;
pub mod host;
pub mod machine;
pub mod messaging;
pub mod ni;
pub mod papers;
pub mod part;
pub mod program;
pub mod protocol;
pub mod report;
pub mod study;
pub mod testing;
pub mod text;
pub mod verify;
