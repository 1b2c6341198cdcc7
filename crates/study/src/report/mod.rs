//! Presentation of results: tables, claims, charts, timelines and HTML pages.
//!
//! The functions here format data as text (in `capture/` as bytes). Their output depends only on the data. They do not
//! run, measure or judge a model; their callers provide the data. `capture/` also reads packet captures, such as those
//! of Wireshark, and `dataset/` also reads the tables that it writes.

pub mod capture;
pub mod chart;
pub mod claim;
pub mod conditioning;
pub mod cross_validation;
pub mod dataset;
pub mod explorer;
pub mod files;
mod grouping;
pub mod html;
pub mod image;
pub mod ledger;
pub mod number;
pub mod packet_flow;
pub mod paper;
pub mod percent;
pub mod perfetto;
pub mod steps;
pub mod svg;
pub mod table;
mod wrap;

pub use chart::{
    Axis, Bar, BarChart, Group, HeatMap, LineChart, Matrix, MatrixCell, MatrixMark, Note, Panel, Series, Style,
};
pub use claim::{Claim, ClaimKind, ClaimValue, Role};
pub use dataset::Dataset;
pub use explorer::ExplorerLink;
pub use grouping::grouped;
pub use ledger::MeanLedger;
pub use packet_flow::{PacketFlow, Transfer};
pub use paper::{Artifact, PaperReport, Provenance};
pub use table::{Cell, Column, ReportTable};
pub use wrap::wrapped;

/// The command that builds Narrows with every format of tables and images.
pub const FULL_BUILD: &str = "cargo install --path . --features full";
