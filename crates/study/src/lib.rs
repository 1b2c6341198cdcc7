//! Experiments with the models of Narrows, and studies made of them.
//!
//! [`experiment`] runs a machine once, in sweeps, searches and fits; [`study`] makes a paper's experiments of it and
//! judges them, with what data cannot say in [`papers`]; [`verify`] model-checks firmware; [`report`] makes tables,
//! charts, timelines and pages.

pub mod experiment;
pub mod papers;
pub mod report;
pub mod study;
pub mod verify;
