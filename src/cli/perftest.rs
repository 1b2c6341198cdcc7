//! Results of the workload `verbs` in the tables of perftest, so that they can be compared with its logs line by line.
//!
//! Columns, widths and digits are those of perftest 6 (`RESULT_FMT_LAT`, `REPORT_FMT_LAT`, `RESULT_FMT_G` and
//! `REPORT_FMT` of `perftest_parameters.h`), with the bandwidths of `--report_gbits`. perftest prints the largest value
//! for a percentile of which it has too few iterations, and so does this module. The lines about the device and the
//! connection are left out.

use super::exit::Failure;
use narrows_core::engine::Metric;
use narrows_core::text::Problem;
use narrows_study::experiment::result_row::ResultRow;

/// Values of metrics by name; NaN if one is not measured.
type MetricValues<'a> = &'a dyn Fn(&str) -> Option<f64>;

/// A line between tables.
const RULE: &str = "---------------------------------------------------------------------------------------\n";
const LATENCY_HEAD: &str = " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
                            t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n";
const BANDWIDTH_HEAD: &str = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n";

/// Returns the table of one run.
///
/// # Errors
///
/// Returns a problem if the run is not of the workload `verbs`.
pub fn run_table(metrics: &[Metric]) -> Result<String, Failure> {
    let value = |name: &str| metrics.iter().find(|metric| metric.name == name).map(|metric| metric.value);
    tables(&[&value])
}

/// Returns the tables of the points of a sweep, in order.
///
/// # Errors
///
/// Returns a problem if a point is not of the workload `verbs`.
pub fn sweep_tables<'a>(rows: impl Iterator<Item = &'a ResultRow>) -> Result<String, Failure> {
    let value_of = |row: &'a ResultRow| move |name: &str| row.metric(name).map(|(value, _)| value);
    let values: Vec<_> = rows.map(value_of).collect();
    tables(&values.iter().map(|value| value as MetricValues<'_>).collect::<Vec<_>>())
}

/// Returns the lines of all runs, with the head of a table before each change of its kind. A run that did not complete
/// has no line.
fn tables(runs: &[MetricValues<'_>]) -> Result<String, Failure> {
    let (mut text, mut current_head) = (String::new(), "");
    for metric_value in runs {
        if metric_value("verbs.size").is_none() {
            let problem = Problem::new("`--format perftest` prints results of the workload `verbs`");
            return Err(problem.help("choose another format, or a description with that workload").into());
        }
        let (line_head, line) = match metric_value("verbs.latency") {
            Some(_) => (LATENCY_HEAD, latency_line(*metric_value)),
            None => (BANDWIDTH_HEAD, bandwidth_line(*metric_value)),
        };
        let Some(line) = line else { continue };
        if line_head != current_head {
            text += RULE;
            text += line_head;
            current_head = line_head;
        }
        text += &line;
    }
    Ok(if text.is_empty() { text } else { text + RULE })
}

/// Returns the value of a metric, if it was measured.
fn measured(metric_value: MetricValues<'_>, name: &str) -> Option<f64> {
    metric_value(name).filter(|value| !value.is_nan())
}

fn latency_line(metric_value: MetricValues<'_>) -> Option<String> {
    let latency = |suffix: &str| measured(metric_value, &format!("verbs.latency{suffix}"));
    let (mean, maximum) = (latency("")?, latency("_max")?);
    Some(format!(
        " {:<7} {}          {:<7.2}        {:<7.2}      {:<7.2}  \t       {:<7.2}     \t{:<7.2}\t\t{:<7.2} \t\t{:<7.2}\n",
        measured(metric_value, "verbs.size")?,
        measured(metric_value, "verbs.iterations")?,
        latency("_min")?,
        maximum,
        latency("_p50").unwrap_or(mean),
        mean,
        latency("_stdev")?,
        latency("_p99").unwrap_or(maximum),
        latency("_p999").unwrap_or(maximum),
    ))
}

fn bandwidth_line(metric_value: MetricValues<'_>) -> Option<String> {
    // Gbit/s of a rate in MB/s.
    let gigabits = |name: &str| measured(metric_value, name).map(|rate| rate * 8e-3);
    Some(format!(
        " {:<7}    {:<10}       {:<7.2}            {:<7.2}\t\t     {:<7.6}\n",
        measured(metric_value, "verbs.size")?,
        measured(metric_value, "verbs.iterations")?,
        gigabits("verbs.bandwidth_peak")?,
        gigabits("verbs.bandwidth")?,
        measured(metric_value, "verbs.message_rate")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(values: &[(&str, f64)]) -> Vec<Metric> {
        values.iter().map(|(name, value)| Metric::new(*name, *value, "")).collect()
    }

    #[test]
    fn lines_are_those_of_perftest() {
        let latency = metrics(&[
            ("verbs.latency", 0.912),
            ("verbs.latency_min", 0.87),
            ("verbs.latency_p50", 0.89),
            ("verbs.latency_p99", 1.2),
            ("verbs.latency_p999", f64::NAN),
            ("verbs.latency_max", 12.25),
            ("verbs.latency_stdev", 0.1),
            ("verbs.size", 2.0),
            ("verbs.iterations", 1000.0),
        ]);
        let line = " 2       1000          0.87           12.25        0.89     \t       0.91        \t0.10   \t\t1.20    \t\t12.25  \n";
        let expected = format!("{RULE}{LATENCY_HEAD}{line}{RULE}");
        assert_eq!(run_table(&latency).ok(), Some(expected));
        let bandwidth = metrics(&[
            ("verbs.bandwidth", 3172.5),
            ("verbs.bandwidth_peak", 3180.0),
            ("verbs.message_rate", 0.048_408_4),
            ("verbs.size", 65536.0),
            ("verbs.iterations", 5000.0),
        ]);
        let line = " 65536      5000             25.44              25.38  \t\t     0.048408\n";
        assert_eq!(run_table(&bandwidth).ok(), Some(format!("{RULE}{BANDWIDTH_HEAD}{line}{RULE}")));
    }

    #[test]
    fn runs_without_results_have_no_line_and_other_workloads_no_table() {
        let unfinished = metrics(&[("verbs.latency", f64::NAN), ("verbs.size", f64::NAN)]);
        assert_eq!(run_table(&unfinished).ok(), Some(String::new()));
        assert!(run_table(&metrics(&[("message.bandwidth", 1.0)])).is_err());
    }
}
