//! Experiments with the models of Narrows, and studies made of them.
//!
//! [`experiment`] runs a machine once, in sweeps, searches and fits. [`study`] makes a paper's experiments from these
//! and judges them. [`papers`] contains the functions of studies that data cannot express.
//!
//! All other modules are internal and hidden: `report` makes tables, charts, timelines and pages, and `catalog` lists what
//! ships. Their names may change in any release.

#[doc(hidden)]
pub mod catalog;
pub mod experiment;
pub mod papers;
#[doc(hidden)]
pub mod report;
pub mod study;
