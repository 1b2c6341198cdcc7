//! Simulated time, units, tasks, the event queue, resources, mailboxes, random streams, ledgers
//! and spans. Knows no hardware.

mod about;
mod agenda;
pub mod busy;
pub mod delay;
pub mod end;
pub mod interval;
pub mod journey;
pub mod ledger;
pub mod ledger_sums;
pub mod limits;
pub mod map;
pub mod metric;
pub mod milestones;
pub mod node;
pub mod queue;
pub mod record;
pub mod resource;
pub mod rng;
mod sample;
pub mod signal;
pub mod sim;
pub mod stats;
pub mod stuck;
pub mod tally;
pub mod time;
pub mod time_series;
pub mod units;

#[cfg(test)]
mod tests;

pub use busy::Busy;
pub use end::{Addresses, EndId};
pub use journey::{Journey, Message};
pub use ledger::{Ledger, Stage};
pub use ledger_sums::LedgerSums;
pub use limits::{Limits, Outcome};
pub use map::Map;
pub use metric::Metric;
pub use milestones::Milestones;
pub use node::{Class, Head, NodeId};
pub use record::{Doing, Passed, Recorder, Span, Timeline, Track, TrackId};
pub use resource::{Pool, Resource};
pub use signal::{Mailbox, Signal};
pub use sim::{LocalFuture, Sim, Simulation};
pub use stats::Summary;
pub use stuck::Stuck;
pub use tally::{Deliveries, Expected, FlowTally, MessageTally};
pub use time::Time;
pub use time_series::TimeSeries;
pub use units::{Bytes, Hertz, Rate};
