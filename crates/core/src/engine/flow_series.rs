//! The latencies of several flows, averaged by message number, for the test for an initial transient.
//!
//! The first messages of all flows are averaged, then the second ones, and so on, so that each batch holds as many
//! messages of a slow flow as of a fast one. The series ends with the first flow that ends, because messages sent after
//! that meet other traffic. Memory is bounded (`TimeSeries`).

use super::time::Time;
use super::time_series::TimeSeries;
use super::transient::TransientTest;

/// The latencies of several flows, averaged by message number.
#[derive(Clone, Default, Debug)]
pub struct FlowSeries {
    /// Latencies in picoseconds, by the number of the message.
    series: TimeSeries,
    flow_count: u64,
    has_ended: bool,
    latency_count: u64,
    /// Instants at which the first and the last latency were measured.
    span: Option<(Time, Time)>,
}

impl FlowSeries {
    /// Adds a flow.
    pub fn add_flow(&mut self) {
        self.flow_count += 1;
    }

    /// Adds the latency of message `sequence_number` of a flow, measured at `time`, unless a flow has ended.
    pub fn add(&mut self, sequence_number: u64, latency: Time, time: Time) {
        if self.has_ended {
            return;
        }
        self.series.add(sequence_number, latency.ps());
        self.latency_count += 1;
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
    }

    /// Returns the number of latencies.
    pub fn count(&self) -> u64 {
        self.latency_count
    }

    /// Returns the instants at which the first and the last latency were measured.
    pub fn span(&self) -> Option<(Time, Time)> {
        self.span
    }

    /// Ends the series, since a flow has ended.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Returns the result of the test for an initial transient, in a unit of `unit_ps` picoseconds.
    pub fn transient_in(&self, unit_ps: f64) -> TransientTest {
        let (means, width) = self.series.means_of_full_windows(self.flow_count);
        TransientTest::new(&means, width).in_units_of(unit_ps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PS_PER_US: f64 = 1e6;

    #[test]
    fn unequal_flows_are_no_transient() {
        let mut series = FlowSeries::default();
        (0..2).for_each(|_| series.add_flow());
        // The fast flow ends when the slow one is half done.
        for number in 0..400 {
            series.add(number, Time::from_us(1), Time::from_us(number));
            if number % 2 == 0 {
                series.add(number / 2, Time::from_us(3), Time::from_us(number));
            }
        }
        series.end();
        (200..400).for_each(|number| series.add(number, Time::from_us(1), Time::from_us(500)));
        assert_eq!(series.transient_in(PS_PER_US), TransientTest::Steady);
        assert_eq!((series.count(), series.span()), (600, Some((Time::ZERO, Time::from_us(399)))));
    }

    #[test]
    fn a_transient_of_one_flow_is_found_in_microseconds() {
        let mut series = FlowSeries::default();
        (0..2).for_each(|_| series.add_flow());
        for number in 0..200 {
            series.add(number, Time::from_us(1), Time::from_us(number));
            series.add(number, Time::from_us(if number < 80 { 4 } else { 2 }), Time::from_us(number));
        }
        let TransientTest::Transient(shift) = series.transient_in(PS_PER_US) else { panic!("a transient is detected") };
        assert_eq!((shift.first, shift.mean_before, shift.mean_after), (80, 2.5, 1.5));
    }
}
