//! The distribution of a quantity over the samples of a run, and the metrics that summarise it.

use super::histogram::{Histogram, PERCENTILES, samples_needed};
use super::metric::Metric;
use super::stats::Summary;
use super::time::Time;
use std::sync::Arc;

/// The unit of the whole numbers in a histogram.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SampleUnit {
    /// Picoseconds; metrics are in microseconds.
    Picoseconds,
    /// Cycles; metrics are in cycles, too.
    Cycles,
}

impl SampleUnit {
    /// All units.
    pub const ALL: [SampleUnit; 2] = [SampleUnit::Picoseconds, SampleUnit::Cycles];

    /// Returns the name of the unit.
    pub fn name(self) -> &'static str {
        match self {
            SampleUnit::Picoseconds => "ps",
            SampleUnit::Cycles => "cycles",
        }
    }

    /// Returns the unit of metrics, and the number of sample units in one unit of metrics.
    pub fn metric_unit(self) -> (&'static str, f64) {
        match self {
            SampleUnit::Picoseconds => ("us", 1e6),
            SampleUnit::Cycles => ("cycles", 1.0),
        }
    }
}

/// A named distribution, whose metrics have names that begin with its name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Distribution {
    /// The name, which is also the name of the metric of the mean.
    pub name: Arc<str>,
    /// The unit of the samples.
    pub unit: SampleUnit,
    /// The samples.
    pub histogram: Histogram,
}

/// The suffix of the name of the metric that counts samples.
pub const SAMPLES: &str = "_samples";

impl Distribution {
    /// Returns the distribution `name` of the samples of `summary`.
    pub fn new(name: &str, unit: SampleUnit, summary: &Summary) -> Distribution {
        Distribution { name: name.into(), unit, histogram: summary.histogram() }
    }

    /// Returns the mean, extremes, percentiles and number of samples of `summary`, as metrics whose names begin with
    /// `name`. A percentile with too few samples has no value; without samples, only their number has one.
    pub fn metrics(name: &str, unit: SampleUnit, summary: &Summary) -> Vec<Metric> {
        let (metric_unit, samples_per_unit) = unit.metric_unit();
        let value_if = |is_measured: bool, value: f64| if is_measured { value } else { f64::NAN };
        let is_measured = !summary.is_empty();
        let metric = |suffix: &str, value: f64| Metric::latency(format!("{name}{suffix}"), value, metric_unit);
        let metric_time = |time: Time| value_if(is_measured, time.ps() as f64 / samples_per_unit);
        let mut metrics = vec![
            metric("", value_if(is_measured, summary.mean_in(samples_per_unit))),
            metric("_min", metric_time(summary.min())),
        ];
        let values = summary.percentiles(&PERCENTILES.map(|(_, percent)| percent));
        metrics.extend(PERCENTILES.iter().zip(values).map(|((suffix, percent), value)| {
            metric(suffix, value_if(summary.count() >= samples_needed(*percent), metric_time(value)))
        }));
        metrics.push(metric("_max", metric_time(summary.max())));
        metrics.push(Metric::new(format!("{name}{SAMPLES}"), summary.count() as f64, ""));
        metrics
    }

    /// Returns the extremes, percentiles and number of samples, each with the suffix of its metric's name, in the units
    /// of metrics; NaN for a percentile with too few samples.
    pub fn statistics(&self) -> Vec<(&'static str, f64)> {
        let (_, samples_per_unit) = self.unit.metric_unit();
        let value = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64 / samples_per_unit);
        let Distribution { histogram, .. } = self;
        let percentile = |(suffix, percent): (&'static str, f64)| (suffix, value(histogram.percentile(percent)));
        let mut statistics = vec![("_min", value(histogram.min()))];
        statistics.extend(PERCENTILES.map(percentile));
        statistics.extend([("_max", value(histogram.max())), (SAMPLES, histogram.samples() as f64)]);
        statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric_value(metrics: &[Metric], name: &str) -> Option<f64> {
        let metric = metrics.iter().find(|metric| metric.name == name).expect("the metric is reported");
        metric.is_measured().then_some(metric.value)
    }

    #[test]
    fn percentiles_with_too_few_samples_are_not_measured() {
        let metrics_of = |samples: u64| {
            let summary: Summary = (1..=samples).map(Time::from_us).collect();
            let metrics = Distribution::metrics("l", SampleUnit::Picoseconds, &summary);
            ["l", "l_min", "l_p50", "l_p90", "l_p99", "l_p999", "l_max", "l_samples"]
                .map(|name| metric_value(&metrics, name))
        };
        assert_eq!(metrics_of(0), [None, None, None, None, None, None, None, Some(0.0)]);
        assert_eq!(
            metrics_of(19),
            [10.0, 1.0, -1.0, -1.0, -1.0, -1.0, 19.0, 19.0].map(|v| Some(v).filter(|v| *v > 0.0))
        );
        assert_eq!(metrics_of(1_000)[2..6], [Some(500.0), Some(900.0), Some(990.0), None]);
        assert_eq!(metrics_of(10_000)[5], Some(9_990.0));
    }

    #[test]
    fn statistics_are_the_metrics_of_the_same_samples() {
        let summary: Summary = (1..=1_000).map(Time::from_ps).collect();
        let metrics = Distribution::metrics("l", SampleUnit::Cycles, &summary);
        let distribution = Distribution::new("l", SampleUnit::Cycles, &summary);
        for (suffix, statistic) in distribution.statistics() {
            let exact_value = metric_value(&metrics, &format!("l{suffix}")).unwrap_or(f64::NAN);
            let is_same = exact_value.is_nan() && statistic.is_nan();
            assert!(
                is_same || (exact_value..=exact_value * (1.0 + 1.0 / 128.0)).contains(&statistic),
                "{suffix}: {statistic}"
            );
        }
    }
}
