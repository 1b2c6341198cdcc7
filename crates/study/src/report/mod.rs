//! From results to what a person reads: tables, claims, charts, timelines, one HTML page.
//!
//! Everything here is plain data in, text out (bytes in `capture/`), and the same bytes for the same data. Whoever ran
//! the study fills the data types; nothing here runs, measures or judges a model. `capture/` reads, too:
//! packets as files that Wireshark and its like share with us; so does `dataset/`: tables that were written before.

pub mod capture;
pub mod chart;
pub mod claim;
pub mod dataset;
mod files;
pub mod html;
pub mod ledger;
pub mod number;
pub mod packet_flow;
pub mod paper;
pub mod perfetto;
pub mod picture;
pub mod steps;
pub mod svg;
pub mod table;

pub use chart::{
    Axis, Bar, BarChart, Group, HeatMap, LineChart, Matrix, MatrixCell, MatrixMark, Note, Panel, Series, Style,
};
pub use claim::{Claim, ClaimValue, Kind, Role};
pub use dataset::Dataset;
pub use ledger::MeanLedger;
pub use packet_flow::{PacketFlow, Transfer};
pub use paper::{Artifact, Made, PaperReport};
pub use table::{Cell, Column, ReportTable};
