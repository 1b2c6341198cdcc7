//! Arrival processes, which determine when a sender offers its next message.
//!
//! A closed loop offers a message when an earlier one allows it: when the interface has taken it, or when it has been
//! delivered. An open loop schedules messages independently of earlier ones; a message that the interface cannot take
//! yet waits in the program, and its latency counts from its scheduled arrival. `docs/loads.md` explains which of the
//! two to use for which question.
//!
//! | process | intervals |
//! |---|---|
//! | `periodic` | constant |
//! | `poisson` | exponentially distributed |
//! | `bursts` | constant within a burst; bursts of geometric length, exponentially distributed pauses between them |
//! | `file` | given by a file |
//!
//! Flows have independent processes; correlation between flows is not modelled. Message sizes do not vary.

mod file;

pub use file::ArrivalTrace;

use crate::engine::Time;
use crate::engine::rng::{self, RandomStream};
use crate::part::ParameterError;
use crate::text::Parameters;
use rand::RngExt;

/// The arrival process of the messages of a flow.
#[derive(Clone, PartialEq, Debug, Parameters)]
#[param(meaning = Load)]
pub enum Arrivals {
    /// Closed loop: the next message is sent when the interface has accepted the preceding one
    ClosedLoop {
        /// Largest number of messages of a flow that are sent and not yet delivered; by default as many as the
        /// interface accepts.
        ///
        /// The sender learns of a delivery at once, without a message, so the limit has no cost but the wait.
        #[param(min = 1, max = 10_000_000)]
        outstanding: Option<u64>,
        /// Pause before each message is sent. It begins at the end of the preceding send or, with `outstanding`, at the
        /// delivery that allows the message.
        #[param(default = "0 us", meaning = Load)]
        think_time: Time,
    },
    /// Open loop: one message in every interval
    Periodic {
        /// Time from one arrival to the next.
        #[param(min = "1 ps", meaning = Load)]
        interval: Time,
    },
    /// Open loop: a Poisson process
    Poisson {
        /// Mean time from one arrival to the next.
        #[param(min = "1 ps", meaning = Load)]
        interval: Time,
    },
    /// Open loop: bursts of messages with pauses between them
    Bursts {
        /// Mean number of messages in a burst; the number is geometrically distributed.
        #[param(min = 1, max = 1_000_000)]
        length: u64,
        /// Time from one arrival to the next within a burst.
        #[param(default = "0 us", meaning = Load)]
        spacing: Time,
        /// Mean pause after a burst, in addition to the spacing; pauses are exponentially distributed.
        #[param(min = "1 ps", meaning = Load)]
        pause: Time,
    },
    /// Open loop: arrivals at the times listed in a file
    #[param(key = "file")]
    Trace(#[param(flatten)] ArrivalTrace),
}

impl Arrivals {
    /// The closed loop that is limited only by the interface.
    pub const UNLIMITED_CLOSED_LOOP: Arrivals = Arrivals::ClosedLoop { outstanding: None, think_time: Time::ZERO };

    /// Returns whether messages are scheduled independently of earlier ones.
    pub fn is_open(&self) -> bool {
        !matches!(self, Arrivals::ClosedLoop { .. })
    }

    /// Returns the limit of a closed loop on messages in flight, and its think time.
    pub fn closed_loop(&self) -> (Option<u64>, Time) {
        match self {
            Arrivals::ClosedLoop { outstanding, think_time } => (*outstanding, *think_time),
            _ => (None, Time::ZERO),
        }
    }

    /// Returns the error, if any, of the parameters for `flows` flows of `messages` messages each.
    pub fn check_flows(&self, flows: usize, messages: u64) -> Option<ParameterError> {
        let Arrivals::Trace(trace) = self else { return None };
        let (flow, listed_count) = (0..flows)
            .map(|flow| (flow, trace.times_of_flow(flow).len() as u64))
            .find(|(_, listed_count)| *listed_count < messages)?;
        let message =
            format!("the file states {listed_count} arrivals of flow {flow}, but {messages} messages are to be sent");
        let error = ParameterError::new("arrivals.file.file", message);
        Some(error.help("state as many arrivals as `warm-up` and `messages` together, or send fewer messages"))
    }

    /// Returns the index of dispersion of the number of arrivals: its variance in a long window over its mean.
    ///
    /// For a renewal process this is the squared coefficient of variation of the intervals. With `p = 1/length`, an
    /// interval of `bursts` has mean `spacing + p·pause` and variance `pause²·(2p - p²)`. The arrivals of a file are
    /// not random, so their index is 0.
    pub fn dispersion(&self) -> f64 {
        match self {
            Arrivals::ClosedLoop { .. } | Arrivals::Periodic { .. } | Arrivals::Trace(_) => 0.0,
            Arrivals::Poisson { .. } => 1.0,
            Arrivals::Bursts { length, spacing, pause } => {
                let (p, pause) = (1.0 / *length as f64, pause.ps() as f64);
                let mean = spacing.ps() as f64 + p * pause;
                pause * pause * p * (2.0 - p) / (mean * mean)
            }
        }
    }

    /// Returns the scheduled arrivals of flow number `flow`, as times from the first instant at which it may send.
    ///
    /// The sequence depends only on `seed` and `flow`, and never decreases. Only the sequence of a file has an end.
    ///
    /// # Panics
    ///
    /// Panics if the loop is closed, because a closed loop schedules nothing.
    pub fn schedule(&self, seed: u64, flow: usize) -> ArrivalTimes {
        assert!(self.is_open(), "a closed loop schedules nothing");
        let random = rng::stream(seed, &format!("gaps of flow {flow}"));
        ArrivalTimes { process: self.clone(), random, flow, number: 0, next_arrival: Time::ZERO }
    }
}

/// The scheduled arrivals of a flow.
pub struct ArrivalTimes {
    process: Arrivals,
    random: RandomStream,
    flow: usize,
    number: usize,
    next_arrival: Time,
}

impl ArrivalTimes {
    fn interval(&mut self) -> Time {
        match &self.process {
            Arrivals::ClosedLoop { .. } | Arrivals::Trace(_) => Time::ZERO,
            Arrivals::Periodic { interval } => *interval,
            Arrivals::Poisson { interval } => exponential(*interval, self.random.random()),
            Arrivals::Bursts { length, spacing, pause } => {
                let ends_burst = self.random.random::<f64>() * (*length as f64) < 1.0;
                let pause = if ends_burst { exponential(*pause, self.random.random()) } else { Time::ZERO };
                *spacing + pause
            }
        }
    }
}

impl Iterator for ArrivalTimes {
    type Item = Time;

    fn next(&mut self) -> Option<Time> {
        let number = self.number;
        self.number += 1;
        if let Arrivals::Trace(trace) = &self.process {
            return trace.times_of_flow(self.flow).get(number).copied();
        }
        let arrival = self.next_arrival;
        let interval = self.interval();
        self.next_arrival = self.next_arrival.saturating_add(interval);
        Some(arrival)
    }
}

/// Returns an exponentially distributed time with mean `mean`, from a uniform number in [0, 1).
fn exponential(mean: Time, uniform: f64) -> Time {
    // The logarithm of a library is the same on every machine; that of the platform is not.
    Time::from_ps((-libm::log(1.0 - uniform) * mean.ps() as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns mean and squared coefficient of variation of 100 000 intervals.
    fn moments(arrivals: &Arrivals) -> (f64, f64) {
        let times: Vec<f64> = arrivals.schedule(7, 0).take(100_001).map(|time| time.ps() as f64).collect();
        let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        (mean, variance / (mean * mean))
    }

    #[test]
    fn each_process_has_its_stated_mean_and_dispersion() {
        let interval = Time::from_ps(1_000_000);
        let bursts = Arrivals::Bursts { length: 8, spacing: Time::from_ps(100_000), pause: Time::from_ps(7_200_000) };
        for process in [Arrivals::Periodic { interval }, Arrivals::Poisson { interval }, bursts] {
            let (mean, dispersion) = moments(&process);
            assert!((mean / 1e6 - 1.0).abs() < 0.03, "{process:?}: mean {mean}");
            assert!((dispersion - process.dispersion()).abs() < 0.05 * process.dispersion() + 1e-9, "{dispersion}");
        }
    }

    #[test]
    fn flows_and_seeds_have_independent_schedules() {
        let poisson = Arrivals::Poisson { interval: Time::from_ps(1_000) };
        let first_times = |seed, flow| poisson.schedule(seed, flow).take(20).collect::<Vec<_>>();
        assert_eq!(first_times(1, 0), first_times(1, 0));
        assert_ne!(first_times(1, 0), first_times(1, 1));
        assert_ne!(first_times(1, 0), first_times(2, 0));
    }
}
