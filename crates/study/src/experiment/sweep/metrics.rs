//! The metrics that a run will report. A run of one picosecond determines them before the sweep is run.

use super::Sweep;
use narrows_core::engine::{Metric, Recorder, Time, current_metric_name};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, suggest};

/// Returns the metrics that a run of `machine` reports, without values.
pub fn metrics_of_run(machine: &Machine) -> Vec<Metric> {
    let mut machine = machine.clone();
    machine.run.time_limit = Time::from_ps(1);
    crate::experiment::run(&machine, Recorder::off()).metrics
}

impl Sweep<'_> {
    /// Returns the problem of the first name in `names` that no point of the sweep reports as a metric. Points are
    /// tried until all metrics are found.
    pub fn unknown_metric(&self, names: &[String]) -> Option<Problem> {
        let mut remaining: Vec<&str> = names.iter().map(|name| current_metric_name(name)).collect();
        let mut known_names = Vec::<String>::new();
        for point in 0..self.point_count() {
            if remaining.is_empty() {
                return None;
            }
            // The problems of a point are reported by `check`.
            let Ok(description) = self.read(point) else { continue };
            for metric in metrics_of_run(&description.value) {
                remaining.retain(|name| *name != metric.name);
                if !known_names.contains(&metric.name) {
                    known_names.push(metric.name);
                }
            }
        }
        remaining.first().map(|name| unknown_metric_problem(name, known_names.iter().map(String::as_str)))
    }
}

/// Returns the problem of an unknown metric, with the nearest name and all names.
pub fn unknown_metric_problem<'a>(name: &str, known_names: impl Iterator<Item = &'a str> + Clone) -> Problem {
    let problem = Problem::new(format!("there is no metric `{name}`"));
    // A statistic may be written after a dot, as in `message.latency.p99`.
    let normalized = |name: &str| name.to_lowercase().replace(['.', '-', ' '], "_");
    let intended_metric = known_names.clone().find(|known| normalized(known) == normalized(name));
    // The beginning may be missing, as in `latency.one-way.p50`.
    let ends_with_name = |known: &&str| normalized(known).ends_with(&format!("_{}", normalized(name)));
    let intended_metric = intended_metric.or_else(|| known_names.clone().find(ends_with_name));
    // The middle may be missing, as in `message.latency_p99`.
    let (base, statistic) = name.rsplit_once(['_', '.']).unwrap_or((name, ""));
    let has_middle = |known: &&str| {
        let known = normalized(known);
        known.starts_with(&format!("{}_", normalized(base))) && known.ends_with(&format!("_{}", normalized(statistic)))
    };
    let intended_metric =
        intended_metric.or_else(|| known_names.clone().find(has_middle).filter(|_| !statistic.is_empty()));
    let nearest = intended_metric.or_else(|| suggest::nearest(name, known_names.clone()));
    let problem = problem.help(nearest.map(|near| format!("did you mean `{near}`?")).unwrap_or_default());
    problem.help(format!("the metrics are {}", suggest::phrase(known_names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistic_after_a_dot_is_suggested_with_an_underscore() {
        let names = ["message.latency_one_way", "message.latency_one_way_p99"];
        let problem = unknown_metric_problem("message.latency_one_way.p99", names.into_iter());
        assert_eq!(problem.help[0], "did you mean `message.latency_one_way_p99`?");
        let problem = unknown_metric_problem("message.latency_p99", names.into_iter());
        assert_eq!(problem.help[0], "did you mean `message.latency_one_way_p99`?");
        let problem = unknown_metric_problem("latency.one-way.p99", names.into_iter());
        assert_eq!(problem.help[0], "did you mean `message.latency_one_way_p99`?");
    }
}
