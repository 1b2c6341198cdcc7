//! Simulated time, units, tasks, the event queue, resources, mailboxes, random streams, ledgers
//! and spans. Knows no hardware.

pub mod ledger;
pub mod map;
pub mod message;
pub mod metric;
pub mod queue;
pub mod record;
pub mod resource;
pub mod rng;
pub mod signal;
pub mod sim;
pub mod stats;
pub mod stuck;
pub mod time;
pub mod units;

#[cfg(test)]
mod tests;

pub use ledger::{Ledger, Stage};
pub use map::Map;
pub use message::{Expected, Message, NodeId, Tally, Tracked};
pub use metric::Metric;
pub use record::{Recorder, Span, Timeline, TrackId};
pub use resource::{Pool, Resource};
pub use signal::{Mailbox, Signal};
pub use sim::{Limits, Outcome, Sim, Simulation};
pub use stats::Summary;
pub use stuck::Stuck;
pub use time::Time;
pub use units::{Bytes, Hertz, Rate};
