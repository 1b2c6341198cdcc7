//! Simulated time, units, tasks, resources. Knows no hardware.
pub mod time;
pub mod units;
pub use time::Time;
pub use units::{Bytes, Hertz, Rate};
