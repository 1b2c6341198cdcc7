//! Charts of tidy data: a line chart over a column of numbers, or grouped bars over a column of text, with one line or
//! bar for each combination of values of the grouping columns. A column is selected by its name, by its key or metric,
//! or by a suffix of one of these.
//!
//! No statistics are computed. Several rows with the same x value are reported as a problem.

mod axis_name;
mod cdf;
mod latency_load;
mod samples;
mod sweep_columns;

pub use axis_name::{axis_name, quantity_words};
pub use cdf::CdfSpec;
pub use latency_load::LatencyLoadSpec;
pub use samples::{SampleSet, samples_from_dataset, samples_from_json};
pub use sweep_columns::SweepColumns;

use crate::report::chart::{Axis, BarChart, LineChart, Series};
use crate::report::dataset::{ColumnValues, Dataset, Variable, suffixed};
use crate::report::grouped;
use narrows_core::text::{Problem, suggest};
use sweep_columns::{key_columns, varies};

/// The description of a chart.
#[derive(Clone, Debug, Default)]
pub struct PlotSpec {
    /// The title. The default is `Y over X`.
    pub title: Option<String>,
    /// The column of the x axis.
    pub x: String,
    /// The columns of the y axis, all of one unit.
    pub y: Vec<String>,
    /// The grouping columns: one line for each combination of their values.
    pub by: Vec<String>,
    /// Whether the x axis and the y axis are logarithmic.
    pub log: (bool, bool),
}

/// A rendered chart.
pub struct RenderedPlot {
    /// The chart as SVG.
    pub svg: String,
    /// The number of values left out because nothing was measured.
    pub left_out: usize,
}

/// The unit of an axis, and the number of base units in it.
struct AxisUnit {
    unit: String,
    base_units: f64,
}

/// The points of one group.
struct PlotLine {
    name: String,
    /// The index of the row, and its y value.
    points: Vec<(usize, f64)>,
}

impl PlotSpec {
    /// Renders the chart of `data`.
    ///
    /// # Errors
    ///
    /// Reports an unknown or ambiguous column, columns of different units, and several rows with the same x value.
    pub fn draw(&self, data: &Dataset) -> Result<RenderedPlot, Problem> {
        let x = find_column(data, &self.x)?;
        let (ys, group_columns) = (find_columns(data, &self.y)?, find_columns(data, &self.by)?);
        if let Some(other) = ys.iter().find(|y| y.unit != ys[0].unit || matches!(y.values, ColumnValues::Texts(_))) {
            return Err(unit_conflict(ys[0], other));
        }
        let (lines, left_out) = grouped_lines(data, x, &ys, &group_columns);
        if lines.iter().all(|line| line.points.is_empty()) {
            return Err(Problem::new(format!("no row has both `{}` and `{}`", x.name, ys[0].name)));
        }
        self.check(data, x, &group_columns, &lines)?;
        let svg = match x.values {
            ColumnValues::Texts(_) => self.bars(x, &ys, &lines),
            _ => self.lines(x, &ys, &lines),
        };
        Ok(RenderedPlot { svg, left_out })
    }

    /// Checks that no two rows of a line share an x value, and that logarithmic axes have positive values only.
    fn check(
        &self,
        data: &Dataset,
        x: &Variable,
        group_columns: &[&Variable],
        lines: &[PlotLine],
    ) -> Result<(), Problem> {
        for line in lines {
            let mut values: Vec<String> = line.points.iter().filter_map(|(row, _)| x.values.text(*row)).collect();
            values.sort_unstable();
            if let Some(pair) = values.windows(2).find(|pair| pair[0] == pair[1]) {
                let message = format!("several rows have {} = {}", x.name, pair[0]);
                let message = if line.name.is_empty() { message } else { format!("{message} in `{}`", line.name) };
                let other_names: Vec<&str> = other_varied_names(data, x, group_columns).collect();
                let help = format!("distinguish them with --by {}", suggest::phrase(other_names.iter().copied()));
                return Err(Problem::new(message).help(if other_names.is_empty() { String::new() } else { help }));
            }
            let is_off_x_axis =
                |(row, _): &&(usize, f64)| self.log.0 && x.values.number(*row).is_some_and(|x| x <= 0.0);
            let is_off_y_axis = |(_, y): &&(usize, f64)| self.log.1 && *y <= 0.0;
            if line.points.iter().any(|point| is_off_x_axis(&point) || is_off_y_axis(&point)) {
                return Err(
                    Problem::new("a logarithmic axis cannot show 0 or less").help("leave out --log for this axis")
                );
            }
        }
        Ok(())
    }

    fn title(&self, x: &Variable, ys: &[&Variable]) -> String {
        let names: Vec<String> = ys.iter().map(|y| axis_name(y)).collect();
        self.title.clone().unwrap_or_else(|| capitalized(&format!("{} over {}", names.join(", "), axis_name(x))))
    }

    fn lines(&self, x: &Variable, ys: &[&Variable], lines: &[PlotLine]) -> String {
        let number = |row: usize| x.values.number(row).unwrap_or(f64::NAN);
        let rows = lines.iter().flat_map(|line| &line.points);
        let x_unit = axis_unit(&x.unit, rows.clone().map(|(row, _)| number(*row)));
        let y_unit = axis_unit(&ys[0].unit, rows.map(|(_, y)| *y));
        let series = |line: &PlotLine| {
            let mut points: Vec<(f64, f64)> =
                line.points.iter().map(|(row, y)| (number(*row) / x_unit.base_units, y / y_unit.base_units)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            Series::line(line.name.clone(), points)
        };
        let x_axis = Axis::new(axis_title(&axis_name(x), &x_unit));
        let x_axis = match (self.log.0, x.unit.as_str()) {
            (true, "B") => x_axis.log2().bytes(),
            (false, "B") => x_axis.bytes(),
            (true, _) => x_axis.log10(),
            (false, _) => x_axis,
        };
        let y_axis = Axis::new(axis_title(&y_axis_name(ys), &y_unit));
        LineChart {
            title: self.title(x, ys),
            x: x_axis,
            y: if self.log.1 { y_axis.log10() } else { y_axis },
            series: lines.iter().map(series).collect(),
            notes: Vec::new(),
        }
        .svg()
    }

    fn bars(&self, x: &Variable, ys: &[&Variable], lines: &[PlotLine]) -> String {
        let mut categories: Vec<String> = Vec::new();
        for category in (0..x.values.len()).filter_map(|row| x.values.text(row)) {
            if !categories.contains(&category) {
                categories.push(category);
            }
        }
        let y_unit = axis_unit(&ys[0].unit, lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y));
        let height = |line: &PlotLine, category: &String| {
            let point = line.points.iter().find(|(row, _)| x.values.text(*row).as_ref() == Some(category));
            point.map_or(f64::NAN, |(_, y)| y / y_unit.base_units)
        };
        let series: Vec<(&str, Vec<f64>)> = lines
            .iter()
            .map(|line| (line.name.as_str(), categories.iter().map(|category| height(line, category)).collect()))
            .collect();
        let names: Vec<&str> = categories.iter().map(String::as_str).collect();
        BarChart::grouped(&self.title(x, ys), &axis_title(&y_axis_name(ys), &y_unit), &names, &series).svg()
    }
}

/// Returns the name of the y column, or an empty text if there are several.
fn y_axis_name(ys: &[&Variable]) -> String {
    match ys {
        [one] => axis_name(one),
        _ => String::new(),
    }
}

fn axis_title(name: &str, axis_unit: &AxisUnit) -> String {
    match axis_unit.unit.as_str() {
        "" => name.to_owned(),
        unit => format!("{name} [{unit}]").trim_start().to_owned(),
    }
}

/// Returns the text with a capital first letter.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the name of a column in words, without its unit.
fn name_in_words(variable: &Variable) -> String {
    without_unit(variable).replace('_', " ")
}

fn without_unit(variable: &Variable) -> &str {
    let suffix = suffixed("", &variable.unit);
    variable.name.strip_suffix(&suffix).unwrap_or(&variable.name)
}

/// Returns the multiple of the base unit `unit` in which the largest of `numbers` is at least 1.
fn axis_unit(unit: &str, numbers: impl Iterator<Item = f64>) -> AxisUnit {
    let magnitude_max = numbers
        .filter(|number| number.is_finite())
        .fold(0.0, |magnitude_max: f64, number| magnitude_max.max(number.abs()));
    let scales: &[(&str, f64)] = match unit {
        "s" => &[("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)],
        "B/s" => &[("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0)],
        "Hz" => &[("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0)],
        _ => return AxisUnit { unit: unit.to_owned(), base_units: 1.0 },
    };
    let (unit, base_units) = scales
        .iter()
        .find(|(_, base_units)| magnitude_max >= *base_units)
        .unwrap_or(scales.last().expect("the list is not empty"));
    AxisUnit { unit: unit.to_string(), base_units: *base_units }
}

/// Returns a line for each y column and group, in the order of the rows, and the number of values left out.
fn grouped_lines(
    data: &Dataset,
    x: &Variable,
    ys: &[&Variable],
    group_columns: &[&Variable],
) -> (Vec<PlotLine>, usize) {
    let (mut points, mut left_out) = (Vec::new(), 0);
    for row in 0..data.rows() {
        let group = group_values(group_columns, row);
        for y in ys {
            let (Some(_), Some(value)) = (x.values.text(row), y.values.number(row)) else {
                left_out += 1;
                continue;
            };
            let quantity = (ys.len() > 1).then(|| axis_name(y));
            let name = group.iter().cloned().chain(quantity).collect::<Vec<_>>().join(", ");
            points.push((name, (row, value)));
        }
    }
    let lines = grouped(points).into_iter().map(|(name, points)| PlotLine { name, points });
    (lines.collect(), left_out)
}

/// Returns the names of the varied columns that are neither the x column nor among the grouping columns.
fn other_varied_names<'a>(
    data: &'a Dataset,
    x: &'a Variable,
    group_columns: &'a [&Variable],
) -> impl Iterator<Item = &'a str> {
    let is_other =
        move |key: &&Variable| key.name != x.name && group_columns.iter().all(|column| column.name != key.name);
    key_columns(data).filter(is_other).filter(|key| varies(key)).map(|key| key.name.as_str())
}

fn unit_conflict(first: &Variable, other: &Variable) -> Problem {
    match (&other.values, other.unit.as_str()) {
        (ColumnValues::Texts(_), _) => {
            Problem::new(format!("`{}` holds text, and the y axis needs numbers", other.name))
                .help("use a column of text with --x or --by")
        }
        _ => Problem::new(format!("`{}` and `{}` are of different units", first.name, other.name))
            .help("draw them in two charts"),
    }
}

/// Returns the values of the grouping columns in a row, as text.
fn group_values(group_columns: &[&Variable], row: usize) -> Vec<String> {
    group_columns.iter().map(|column| column.values.text(row).unwrap_or_else(|| "–".to_owned())).collect()
}

/// Returns the problem of a name that matches no name of the kind `noun` among `known`, or all of `matching`.
/// `searched` is the name in the form of the known ones.
fn unclear_name_problem(noun: &str, name: &str, searched: &str, known: &[&str], matching: &[&str]) -> Problem {
    match matching {
        [] => Problem::new(format!("there is no {noun} `{name}`"))
            .help(suggest::label(searched, known.iter().copied(), ""))
            .help(format!("the {noun}s are {}", suggest::phrase(known.iter().copied()))),
        several => {
            let names = suggest::phrase(several.iter().copied());
            Problem::new(format!("`{name}` is ambiguous: it may be {names}")).help("write one of them")
        }
    }
}

/// Finds several columns as [`find_column`] does.
fn find_columns<'a>(data: &'a Dataset, names: &[String]) -> Result<Vec<&'a Variable>, Problem> {
    names.iter().map(|name| find_column(data, name)).collect()
}

/// Finds a column by its full name, by its key or metric, or by a suffix that only one column has.
fn find_column<'a>(data: &'a Dataset, name: &str) -> Result<&'a Variable, Problem> {
    let wanted_name = suffixed(name, "");
    let variables = || data.variables.iter();
    let ends_with_name = |variable: &&Variable| {
        let suffix = format!("_{wanted_name}");
        without_unit(variable).ends_with(&suffix) || variable.name.ends_with(&suffix)
    };
    if let Some(found) = variables()
        .find(|variable| variable.name == name)
        .or_else(|| variables().find(|variable| without_unit(variable) == wanted_name || variable.name == wanted_name))
    {
        return Ok(found);
    }
    let mut matching: Vec<&Variable> = variables().filter(ends_with_name).collect();
    if matching.is_empty() {
        // The name may be the middle of others, such as `latency` of the statistics of a latency.
        matching.extend(variables().filter(|variable| has_word(&variable.name, &wanted_name) && is_metric(variable)));
    }
    if let [one] = matching[..] {
        return Ok(one);
    }
    let names =
        |variables: &[&'a Variable]| variables.iter().map(|variable| variable.name.as_str()).collect::<Vec<_>>();
    Err(unclear_name_problem("column", name, &wanted_name, &names(&variables().collect::<Vec<_>>()), &names(&matching)))
}

/// Returns whether `wanted_words` are consecutive words of `name`.
fn has_word(name: &str, wanted_words: &str) -> bool {
    format!("_{name}_").contains(&format!("_{wanted_words}_"))
}

/// Returns whether a column is a metric, and neither the time of a stage nor the utilisation of a resource.
fn is_metric(variable: &Variable) -> bool {
    !variable.name.starts_with("stage_") && !variable.name.starts_with("utilisation_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data() -> Dataset {
        let mut data = Dataset::default();
        let counts = |counts: &[u64]| ColumnValues::Counts(counts.iter().copied().map(Some).collect());
        data.push("workload.stream.payload", "B", counts(&[64, 128, 64, 128]));
        let words = ["a", "a", "b", "b"].map(|word| Some(word.to_owned()));
        data.push("ni.trapeze.policy", "", ColumnValues::Texts(words.into()));
        data.push("outcome", "", ColumnValues::Texts(vec![Some("done".into()); 4]));
        data.push("message.bandwidth", "B/s", ColumnValues::Numbers(vec![Some(1e7), Some(2e7), Some(3e7), None]));
        data.push("message.latency", "s", ColumnValues::Numbers(vec![Some(1e-5); 4]));
        data.push("round.latency", "s", ColumnValues::Numbers(vec![Some(2e-5); 4]));
        data
    }

    fn plot(x: &str, y: &[&str], by: &[&str]) -> PlotSpec {
        let owned = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        PlotSpec { x: x.to_owned(), y: owned(y), by: owned(by), ..PlotSpec::default() }
    }

    #[test]
    fn each_group_has_a_line_in_a_readable_unit() {
        let drawn = plot("payload", &["message.bandwidth"], &["policy"]).draw(&data()).expect("the data can be drawn");
        let picture = roxmltree::Document::parse(&drawn.svg).expect("the chart is XML");
        let texts: Vec<&str> = picture.descendants().filter_map(|node| node.text()).map(str::trim).collect();
        for words in ["message bandwidth [MB/s]", "payload [B]", "a", "b"] {
            assert!(texts.contains(&words), "no {words} in {texts:?}");
        }
        assert_eq!(drawn.left_out, 1);
        let bars = plot("policy", &["message.latency", "round.latency"], &["payload"])
            .draw(&data())
            .expect("the data can be drawn");
        assert!(bars.svg.contains("[µs]") && bars.svg.contains("64, message latency"));
    }

    #[test]
    fn chart_of_a_sweep_needs_no_columns() {
        let data = data();
        let columns = SweepColumns::new(&data);
        let metric = columns.first_metric().expect("the sweep has a metric").name.clone();
        let chart = columns.chart(vec![metric]).expect("a key is varied");
        assert_eq!(
            (chart.x.as_str(), &chart.y[..]),
            ("workload_stream_payload_B", &["message_bandwidth_B_per_s".into()][..])
        );
        assert_eq!((&chart.by[..], columns.line_count(&chart)), (&["ni_trapeze_policy".to_owned()][..], 2));
        assert!(chart.draw(&data).is_ok());
        assert!(SweepColumns::new(&Dataset::default()).chart(Vec::new()).is_none());
    }

    #[test]
    fn impossible_charts_are_reported() {
        let why = |plot: PlotSpec| {
            let problem = plot.draw(&data()).err().expect("the chart is impossible");
            format!("{} {}", problem.message, problem.help.join(" "))
        };
        assert!(why(plot("payload", &["bandwidth"], &[])).contains(
            "several rows have workload_stream_payload_B = 64 distinguish them with --by `ni_trapeze_policy`"
        ));
        assert!(why(plot("payload", &["latency"], &["policy"])).contains("is ambiguous: it may be"));
        assert!(why(plot("payload", &["policy"], &[])).contains("holds text"));
        assert!(why(plot("payload", &["message.latency", "bandwidth"], &["policy"])).contains("different units"));
        assert!(why(plot("paiload", &["bandwidth"], &[])).contains("there is no column `paiload`"));
    }
}
