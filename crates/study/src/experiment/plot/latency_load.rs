//! The latency–load chart of a sweep of open loops: the median and a tail percentile of latency over the offered load.
//!
//! A saturated run has no steady state, so its latencies depend on its length only. It is left out, and the chart marks
//! the load that it accepted.

use super::sweep_columns::{key_columns, varies};
use super::{RenderedPlot, axis_title, axis_unit, find_columns, group_values, name_in_words};
use crate::experiment::tidy::OUTCOME;
use crate::report::chart::{Axis, LineChart, Note, Series, Style};
use crate::report::dataset::{Dataset, Variable};
use crate::report::grouped;
use narrows_core::text::Problem;
use std::collections::BTreeSet;

/// The metrics of open loops: the offered load, the accepted load, and the latency.
const OPEN_LOOP_METRICS: [[&str; 3]; 2] = [
    ["message.offered", "message.accepted", "message.latency_one_way"],
    ["offered.load", "offered.accepted", "offered.latency"],
];
/// The percentiles that are drawn: the median, and the first tail percentile that was measured.
const MEDIAN: &str = "p50";
const TAILS: [&str; 2] = ["p99", "p90"];

/// The description of a latency–load chart.
#[derive(Clone, Debug, Default)]
pub struct LatencyLoadSpec {
    /// The title; by default `Latency over offered load`.
    pub title: Option<String>,
    /// The grouping columns, with a line for each combination of their values. By default they are all varied columns
    /// except the last, along which the load varies, and those that vary in step with it.
    pub by: Vec<String>,
    /// Whether the axis of the load is logarithmic.
    pub log_x: bool,
}

/// The columns of an open loop.
struct LoadColumns<'a> {
    offered: &'a Variable,
    accepted: &'a Variable,
    /// The latencies, each with the name of its statistic. If no percentile was measured, this is only the mean.
    latencies: Vec<(&'static str, &'a Variable)>,
}

/// A group of rows, which are drawn as one set of lines.
struct LoadGroup {
    name: String,
    /// The rows with a steady state, in the order of their loads.
    steady_rows: Vec<usize>,
    /// The least load that a saturated run accepted.
    capacity: Option<f64>,
}

impl<'a> LoadColumns<'a> {
    fn find(data: &'a Dataset) -> Result<LoadColumns<'a>, Problem> {
        let measured_column = |name: &str| {
            let column = data.variables.iter().find(|column| name_in_words(column) == name.replace(['.', '_'], " "))?;
            (0..data.rows()).any(|row| column.values.number(row).is_some()).then_some(column)
        };
        let open_loop = OPEN_LOOP_METRICS.iter().find_map(|[offered, accepted, latency]| {
            Some((measured_column(offered)?, measured_column(accepted)?, *latency))
        });
        let Some((offered, accepted, latency)) = open_loop else {
            let problem = Problem::new("the result has no offered and accepted load");
            return Err(problem.help("sweep an open loop: a stream with `arrivals.poisson`, or `workload.offered`"));
        };
        let percentile = |name: &'static str| Some((name, measured_column(&format!("{latency}_{name}"))?));
        let tail = TAILS.into_iter().find_map(percentile);
        let mut latencies: Vec<_> = percentile(MEDIAN).into_iter().chain(tail).collect();
        if latencies.is_empty() {
            latencies.extend(measured_column(latency).map(|mean| ("mean", mean)));
        }
        match latencies.is_empty() {
            true => Err(Problem::new(format!("the result has no `{latency}`"))),
            false => Ok(LoadColumns { offered, accepted, latencies }),
        }
    }

    /// Returns the rows of each combination of values of the columns `group_columns`.
    fn groups(&self, data: &Dataset, group_columns: &[&Variable]) -> Vec<LoadGroup> {
        let outcome = |row: usize| data.find(OUTCOME).and_then(|outcome| outcome.values.text(row));
        let group = |(name, rows): (String, Vec<usize>)| {
            let mut group = LoadGroup { name, steady_rows: Vec::new(), capacity: None };
            for row in rows {
                match outcome(row).as_deref() {
                    None | Some("done") if self.offered.values.number(row).is_some() => group.steady_rows.push(row),
                    // If there are several seeds, some of them may be saturated: `done 3, saturated 2`.
                    Some(outcome) if outcome.contains("saturated") => {
                        let accepted = self.accepted.values.number(row);
                        group.capacity = group.capacity.into_iter().chain(accepted).reduce(f64::min);
                    }
                    _ => (),
                }
            }
            group.steady_rows.sort_by(|a, b| self.load(*a).total_cmp(&self.load(*b)));
            group
        };
        let rows = (0..data.rows()).map(|row| (group_values(group_columns, row).join(", "), row));
        grouped(rows).into_iter().map(group).collect()
    }

    fn load(&self, row: usize) -> f64 {
        self.offered.values.number(row).unwrap_or(f64::NAN)
    }
}

impl LatencyLoadSpec {
    /// Renders the chart of `data`.
    ///
    /// # Errors
    ///
    /// Reports data without an open loop, an unknown column, and data in which no row has a steady state.
    pub fn draw(&self, data: &Dataset) -> Result<RenderedPlot, Problem> {
        let columns = LoadColumns::find(data)?;
        let group_columns = match self.by.is_empty() {
            true => default_group_columns(data),
            false => find_columns(data, &self.by)?,
        };
        let groups = columns.groups(data, &group_columns);
        let steady_count: usize = groups.iter().map(|group| group.steady_rows.len()).sum();
        if steady_count == 0 {
            let problem = Problem::new("no run has a steady state: all are saturated or incomplete");
            return Err(problem.help("sweep lower loads"));
        }
        Ok(RenderedPlot { svg: self.chart(&columns, &groups).svg(), left_out: data.rows() - steady_count })
    }

    fn chart(&self, columns: &LoadColumns<'_>, groups: &[LoadGroup]) -> LineChart {
        let rows = || groups.iter().flat_map(|group| &group.steady_rows).copied();
        let capacities = groups.iter().filter_map(|group| group.capacity);
        let x_unit = axis_unit(&columns.offered.unit, rows().map(|row| columns.load(row)).chain(capacities));
        let latencies =
            columns.latencies.iter().flat_map(|(_, latency)| rows().filter_map(|row| latency.values.number(row)));
        let y_unit = axis_unit(&columns.latencies[0].1.unit, latencies);
        let joined_words =
            |parts: [&str; 2]| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        let mut series: Vec<Series> = Vec::new();
        for group in groups {
            let first_series_of_group = series.len();
            for (index, (name, latency)) in columns.latencies.iter().enumerate() {
                let value = |row: usize| latency.values.number(row).map(|latency| latency / y_unit.base_units);
                let point = |row: &usize| Some((columns.load(*row) / x_unit.base_units, value(*row)?));
                let line = Series::line(
                    joined_words([&group.name, name]),
                    group.steady_rows.iter().filter_map(point).collect(),
                );
                let style = if index == 0 { Style::Line } else { Style::Dashed };
                series.push(Series { styled_like: Some(first_series_of_group), ..line.style(style) });
            }
        }
        let note = |group: &LoadGroup| {
            let text = joined_words([&group.name, "saturated"]);
            Some(Note { position: group.capacity? / x_unit.base_units, is_vertical: true, text })
        };
        let x = Axis::new(axis_title("offered load", &x_unit));
        LineChart {
            title: self.title.clone().unwrap_or_else(|| "Latency over offered load".to_owned()),
            x: if self.log_x { x.log10() } else { x },
            y: Axis::new(axis_title("latency", &y_unit)).log10(),
            series,
            notes: groups.iter().filter_map(note).collect(),
        }
    }
}

/// Returns the varied columns that distinguish lines: all except the last, along which the load varies, and those that
/// vary in step with it.
fn default_group_columns(data: &Dataset) -> Vec<&Variable> {
    let keys: Vec<&Variable> = key_columns(data).collect();
    let Some((last, others)) = keys.split_last() else { return Vec::new() };
    others.iter().filter(|key| varies(key) && !is_in_step(key, last)).copied().collect()
}

/// Returns whether each value of one column always occurs with the same value of the other, and vice versa.
fn is_in_step(first: &Variable, other: &Variable) -> bool {
    let rows = 0..first.values.len();
    let pairs: BTreeSet<_> = rows.map(|row| (first.values.text(row), other.values.text(row))).collect();
    let first_values: BTreeSet<_> = pairs.iter().map(|pair| &pair.0).collect();
    let other_values: BTreeSet<_> = pairs.iter().map(|pair| &pair.1).collect();
    first_values.len() == pairs.len() && other_values.len() == pairs.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::dataset::ColumnValues;

    /// Returns a sweep of two interfaces over three intervals; the last is beyond the capacity of the second interface.
    fn data() -> Dataset {
        let mut data = Dataset::default();
        let numbers = |numbers: &[f64]| {
            ColumnValues::Numbers(numbers.iter().map(|number| Some(*number).filter(|number| *number > 0.0)).collect())
        };
        let texts = |texts: &[&str]| ColumnValues::Texts(texts.iter().map(|text| Some(text.to_string())).collect());
        data.push("ni", "", texts(&["a", "a", "a", "b", "b", "b"]));
        data.push("payload", "B", ColumnValues::Counts(vec![Some(64); 6]));
        data.push("messages", "", ColumnValues::Counts([4, 2, 1, 4, 2, 1].map(Some).to_vec()));
        data.push("interval", "s", numbers(&[4e-6, 2e-6, 1e-6, 4e-6, 2e-6, 1e-6]));
        data.push("outcome", "", texts(&["done", "done", "done", "done", "done", "saturated"]));
        data.push("message.offered", "B/s", numbers(&[16e6, 32e6, 64e6, 16e6, 32e6, 64e6]));
        data.push("message.accepted", "B/s", numbers(&[16e6, 32e6, 64e6, 16e6, 32e6, 40e6]));
        data.push("message.latency_one_way", "s", numbers(&[1e-6, 2e-6, 5e-6, 2e-6, 4e-6, 9e-5]));
        data.push("message.latency_one_way_p50", "s", numbers(&[1e-6, 1e-6, 4e-6, 2e-6, 3e-6, 8e-5]));
        data.push("message.latency_one_way_p99", "s", numbers(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        data.push("message.latency_one_way_p90", "s", numbers(&[2e-6, 4e-6, 9e-6, 4e-6, 8e-6, 9e-5]));
        data
    }

    fn chart(data: &Dataset, spec: &LatencyLoadSpec) -> LineChart {
        let columns = LoadColumns::find(data).expect("the data have an open loop");
        let group_columns = default_group_columns(data);
        spec.chart(&columns, &columns.groups(data, &group_columns))
    }

    #[test]
    fn each_interface_has_a_median_and_a_tail_and_saturation_is_marked() {
        let chart = chart(&data(), &LatencyLoadSpec::default());
        let series: Vec<_> =
            chart.series.iter().map(|series| (series.name.as_str(), series.style, series.styled_like)).collect();
        let (line, dashed) = (Style::Line, Style::Dashed);
        let expected = [
            ("a p50", line, Some(0)),
            ("a p90", dashed, Some(0)),
            ("b p50", line, Some(2)),
            ("b p90", dashed, Some(2)),
        ];
        assert_eq!(series, expected, "a payload that does not vary and messages in step with the load group nothing");
        assert_eq!(chart.series[0].points, [(16.0, 1.0), (32.0, 1.0), (64.0, 4.0)]);
        assert_eq!(chart.series[3].points, [(16.0, 4.0), (32.0, 8.0)], "a saturated run has no latency");
        let [note] = &chart.notes[..] else { panic!("{:?}", chart.notes) };
        assert_eq!((note.position, note.is_vertical, note.text.as_str()), (40.0, true, "b saturated"));
        assert_eq!((chart.x.title.as_str(), chart.y.title.as_str()), ("offered load [MB/s]", "latency [µs]"));
        assert_eq!(LatencyLoadSpec::default().draw(&data()).expect("the data can be drawn").left_out, 1);
    }

    #[test]
    fn without_percentiles_the_mean_is_drawn() {
        let mut data = data();
        data.variables.retain(|column| !column.name.contains("_p50") && !column.name.contains("_p90"));
        let chart = chart(&data, &LatencyLoadSpec::default());
        assert_eq!(chart.series.iter().map(|series| series.name.as_str()).collect::<Vec<_>>(), ["a mean", "b mean"]);
    }

    #[test]
    fn data_without_a_steady_open_loop_are_reported() {
        let why =
            |data: &Dataset| LatencyLoadSpec::default().draw(data).err().expect("the data cannot be drawn").message;
        let mut closed_loop = data();
        closed_loop.variables.retain(|column| !column.name.contains("offered"));
        assert!(why(&closed_loop).contains("no offered and accepted load"));
        let mut saturated = data();
        let outcome =
            saturated.variables.iter_mut().find(|column| column.name == "outcome").expect("the data have an outcome");
        outcome.values = ColumnValues::Texts(vec![Some("done 1, saturated 2".to_owned()); 6]);
        assert!(why(&saturated).contains("no run has a steady state"));
    }
}
