//! A measured curve of latency or bandwidth by message size, as CSV or in the output format of perftest, the OSU
//! benchmarks, netperf or sockperf (`socket_log.rs`).
//!
//! The first line that begins with `size`, `bytes` or `payload`, with or without a `#` before it, names the columns. A
//! unit follows the name of a column, in brackets or after `_`; in CSV it may follow each number instead. If there are
//! several columns, the typical value is read, or otherwise the average. The unit `MB/sec` of perftest is 2^20 bytes
//! per second, and `MB/s` of OSU is 10^6. Deviations and percentiles are ignored, because a curve has one noise.

use super::socket_log::{self, LogResult};
use super::unit::{self, Measure};
use narrows_core::text::origin::{TextId, TextSpan, Texts};
use narrows_core::text::{Layer, Problem, Problems};
use std::ops::Range;
use std::path::Path;

/// A measured curve of latency or bandwidth.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The measured quantity.
    pub measure: Measure,
    /// The points, by increasing size.
    pub samples: Vec<Sample>,
    /// The name of the file.
    pub name: String,
    /// The name of the column that was read; empty for the output of netperf and sockperf.
    pub column: String,
    pub other_columns: Vec<String>,
    texts: Texts,
}

/// A point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The size of a message, in bytes.
    pub size: u64,
    /// The measured value, in µs or MB/s.
    pub value: f64,
    place: TextSpan,
}

/// The name and unit of a column.
#[derive(Clone, PartialEq, Debug)]
struct Heading {
    name: String,
    unit: Option<String>,
}

impl Heading {
    /// Returns the heading as perftest writes it.
    fn text(&self) -> String {
        match &self.unit {
            Some(unit) if self.name != "bytes" => format!("{}[{unit}]", self.name),
            _ => self.name.clone(),
        }
    }
}

/// The byte range of a row, and its cells.
type Cells<'a> = (Range<usize>, Vec<&'a str>);

/// The index of the column of sizes, and those of the columns of measured values.
type ColumnIndices = (usize, Vec<usize>);
/// Names of columns that are preferred, in order of preference.
const PREFERRED_COLUMNS: [&str; 4] = ["typical", "avg", "average", "mean"];
/// The least number of points of a curve.
const SAMPLES_MIN: usize = 2;

impl Curve {
    /// Parses the text of the file `path`; messages contain this path.
    pub fn read(path: &Path, text: &str) -> Result<Curve, Problems> {
        let mut texts = Texts::default();
        let id = texts.add(Layer::File(path.to_path_buf()), text, None);
        let table = TableText { text, id };
        match table.curve() {
            Ok((measure, samples, mut columns)) => {
                let name = path.display().to_string();
                let column = if columns.is_empty() { String::new() } else { columns.remove(0) };
                Ok(Curve { measure, samples, name, column, other_columns: columns, texts })
            }
            Err(problem) => Err(Problems::new(vec![problem], &texts)),
        }
    }

    /// Returns a problem that is located at the point `sample` and has the lines of help `help`.
    pub fn sample_problems(&self, sample: &Sample, message: &str, label: &str, help: Vec<String>) -> Problems {
        let problem = Problem::new(message).with_location(Some(sample.place.clone()), label);
        Problems::new(vec![help.into_iter().fold(problem, Problem::help)], &self.texts)
    }
}

/// The text of a table.
struct TableText<'a> {
    text: &'a str,
    id: TextId,
}

impl TableText<'_> {
    fn place(&self, span: &Range<usize>) -> TextSpan {
        TextSpan { text: self.id, span: span.clone() }
    }

    /// Returns a problem that is located at `span` in the text.
    fn problem(&self, span: &Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Problem {
        Problem::new(message).with_location(Some(self.place(span)), label)
    }

    /// Returns each line without the spaces around it, with its byte range.
    fn lines(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        self.text.split_inclusive('\n').scan(0, |offset, line| {
            let start = *offset + line.len() - line.trim_start().len();
            *offset += line.len();
            let line = line.trim();
            Some((start..start + line.len(), line))
        })
    }

    /// Returns the curve, and the names of the columns of measured values, of which the first is the one that was read.
    fn curve(self) -> Result<(Measure, Vec<Sample>, Vec<String>), Problem> {
        let lines: Vec<_> = self.lines().collect();
        if let Some(results) = socket_log::results(&lines) {
            return self.log_curve(results).map(|(measure, samples)| (measure, samples, Vec::new()));
        }
        let Some((head_span, head)) = self.lines().find(|(_, line)| names_columns(line)) else {
            let problem = self.problem(&(0..0), "no line names the columns", "the file begins here");
            return Err(problem.help("write a first line such as: size [B], latency [us]"));
        };
        let is_csv = head.contains(',');
        let is_perftest = head.starts_with("#bytes");
        if is_perftest {
            self.check_later_heads(&head_span, head)?;
        }
        let headings = headings(head, is_csv);
        let rows = self.rows(head_span.end, is_csv)?;
        for (span, cells) in &rows {
            self.check_field_count(span, cells, &headings, is_perftest, is_csv)?;
        }
        let (size_column, value_columns) = self.columns(&headings, &rows, head_span)?;
        let value_column = value_columns[0];
        let mut samples: Vec<Sample> = Vec::new();
        let mut measure = Measure::Latency;
        for (span, cells) in &rows {
            let parse_cell_of = |column: usize| {
                let cell = cells.get(column).copied().unwrap_or_default();
                unit::parse_cell(cell, headings[column].unit.as_deref(), is_perftest)
                    .map_err(|(why, help)| self.problem(span, why, "in this row").help(help))
            };
            let (size, (row_measure, value)) = (parse_cell_of(size_column)?, parse_cell_of(value_column)?);
            measure = row_measure;
            if size.0 != Measure::Size || row_measure == Measure::Size {
                return Err(self.problem(span, "a size and a measured value are expected", "in this row"));
            }
            samples.push(Sample { size: size.1 as u64, value, place: self.place(span) });
        }
        self.check_samples(&samples)?;
        let names = value_columns.iter().map(|column| headings[*column].name.clone()).collect();
        Ok((measure, samples, names))
    }

    /// Returns the curve of the results in a log.
    fn log_curve(
        self,
        results: Result<Vec<LogResult>, socket_log::LogError>,
    ) -> Result<(Measure, Vec<Sample>), Problem> {
        let results =
            results.map_err(|(span, message, help)| self.problem(&span, message, "in this line").help(help))?;
        let measure = results.first().map_or(Measure::Latency, |first| first.measure);
        if let Some(other) = results.iter().find(|result| result.measure != measure) {
            let message = format!("a {} follows a {}", other.measure.name(), measure.name());
            let help = "write the results of latency tests and of bandwidth tests into files of their own";
            return Err(self.problem(&other.span, message, "this result").help(help));
        }
        if results.len() < SAMPLES_MIN {
            let message = format!("a curve needs the results of at least {SAMPLES_MIN} runs");
            let help = "write the output of runs with different sizes into one file";
            let label = format!("results in this file: {}", results.len());
            return Err(self.problem(&(0..0), message, label).help(help));
        }
        let sample = |result: &LogResult| {
            let LogResult { span, size, value, .. } = result;
            Sample { size: *size, value: *value, place: self.place(span) }
        };
        let samples: Vec<Sample> = results.iter().map(sample).collect();
        self.check_samples(&samples)?;
        Ok((measure, samples))
    }

    /// Checks that later tables of perftest in the same file have the columns of the first.
    fn check_later_heads(&self, head_span: &Range<usize>, head: &str) -> Result<(), Problem> {
        let is_other_head = |(span, line): &(Range<usize>, &str)| {
            span.start > head_span.start && line.starts_with("#bytes") && *line != head
        };
        let Some((span, _)) = self.lines().find(is_other_head) else { return Ok(()) };
        let problem = self.problem(&span, "a table with other columns follows", "here");
        Err(problem.help("write each table into a file of its own"))
    }

    /// Checks that a row has a field for each column: with another number of fields, values would be in wrong columns.
    /// In CSV, cells may be missing at the end of a row. Rows of benchmarks other than perftest are not checked.
    fn check_field_count(
        &self,
        span: &Range<usize>,
        cells: &[&str],
        headings: &[Heading],
        is_perftest: bool,
        is_csv: bool,
    ) -> Result<(), Problem> {
        let field_count = cells.len() - cells.iter().rev().take_while(|cell| cell.is_empty()).count();
        let is_valid = match (is_perftest, is_csv) {
            (true, _) => field_count == headings.len(),
            (_, true) => field_count <= headings.len(),
            _ => true,
        };
        if is_valid {
            return Ok(());
        }
        let columns: Vec<String> = headings.iter().map(Heading::text).collect();
        let message = format!("this row has {field_count} fields, and the head names {} columns", headings.len());
        let problem = self.problem(span, message, "in this row");
        Err(problem
            .help(format!("the columns are: {}", columns.join(", ")))
            .help("correct the row, or remove it; a size is a number of bytes without its unit"))
    }

    /// Returns the rows of numbers after the headings.
    fn rows(&self, start: usize, is_csv: bool) -> Result<Vec<Cells<'_>>, Problem> {
        let mut rows = Vec::new();
        for (span, line) in self.lines().filter(|(span, _)| span.start > start) {
            let starts_with_number = line.starts_with(|c: char| c.is_ascii_digit());
            match is_csv {
                true if line.is_empty() || line.starts_with('#') => {}
                true if starts_with_number => rows.push((span, line.split(',').map(str::trim).collect())),
                true => {
                    let problem = self.problem(&span, "this is not a row of numbers", "here");
                    return Err(problem.help("a row begins with a size, a comment with `#`"));
                }
                // Benchmarks print rules and warnings between the rows.
                false if starts_with_number => rows.push((span, line.split_whitespace().collect())),
                false => {}
            }
        }
        if rows.len() < SAMPLES_MIN {
            let message = format!("a curve needs at least {SAMPLES_MIN} rows");
            let problem = self.problem(&(start..start), message, format!("rows after this line: {}", rows.len()));
            return Err(problem.help("measure at another size, and add a row for it"));
        }
        Ok(rows)
    }

    /// Returns the index of the column of sizes, and those of the columns of measured values in the order of
    /// preference.
    fn columns(&self, headings: &[Heading], rows: &[Cells<'_>], span: Range<usize>) -> Result<ColumnIndices, Problem> {
        let measure_of = |column: usize| {
            let cell = rows[0].1.get(column).copied().unwrap_or_default();
            unit::measure_of_column(cell, headings[column].unit.as_deref())
        };
        let problem = |message: String| self.problem(&span, message, "the columns are named here");
        let help = "write it after the name, as in: size [B], latency [us], or size [B], bandwidth [MB/s]";
        if measure_of(0) != Some(Measure::Size) {
            return Err(
                problem(format!("the unit of `{}` is missing, or is not a unit of size", headings[0].name)).help(help)
            );
        }
        let mut columns: Vec<usize> = (1..headings.len())
            .filter(|column| measure_of(*column).is_some_and(|measure| measure != Measure::Size))
            .collect();
        let rank = |column: &usize| {
            let name = headings[*column].name.to_lowercase();
            PREFERRED_COLUMNS.iter().position(|preferred| name.contains(preferred)).unwrap_or(PREFERRED_COLUMNS.len())
        };
        columns.sort_by_key(rank);
        match columns.is_empty() {
            false => Ok((0, columns)),
            true => {
                let names: Vec<String> = headings.iter().skip(1).map(|heading| format!("`{}`", heading.name)).collect();
                let names = if names.is_empty() { "a second column".to_owned() } else { names.join(", ") };
                Err(problem(format!("the unit of {names} is missing, or is not a unit of time or rate")).help(help))
            }
        }
    }

    fn check_samples(&self, samples: &[Sample]) -> Result<(), Problem> {
        for pair in samples.windows(2) {
            if pair[1].size <= pair[0].size {
                let message = format!("sizes are out of order: {} B follows {} B", pair[1].size, pair[0].size);
                let problem = Problem::new(message).with_location(Some(pair[1].place.clone()), "this row");
                return Err(problem.help("sort the rows by increasing size, each size once"));
            }
        }
        let is_unmeasured = |sample: &&Sample| !(sample.value > 0.0 && sample.value.is_finite());
        match samples.iter().find(is_unmeasured) {
            Some(sample) => Err(Problem::new("a measured value must be above 0")
                .with_location(Some(sample.place.clone()), "in this row")),
            None => Ok(()),
        }
    }
}

/// Returns whether a line names the columns of a table.
fn names_columns(line: &str) -> bool {
    let line = line.trim_start_matches(['#', ' ']).to_lowercase();
    ["size", "bytes", "payload"].iter().any(|name| line.starts_with(name))
}

/// Returns the columns that a line names.
fn headings(line: &str, is_csv: bool) -> Vec<Heading> {
    let line = line.trim_start_matches(['#', ' ']);
    if is_csv {
        return line.split(',').map(|cell| heading(cell.trim())).collect();
    }
    // A name of two words, such as `BW peak`, is joined, because spaces separate names.
    let mut joined_line = line.replace(" [", "[").replace(" (", "(");
    let joined_names =
        [("BW ", "BW-"), ("Avg ", "Avg-"), ("% ", "%-"), ("tps ", "tps-"), ("MsgRate Port", "MsgRate-Port")];
    for (spaced, joined_name) in joined_names {
        joined_line = joined_line.replace(spaced, joined_name);
    }
    let mut headings: Vec<Heading> = joined_line.split_whitespace().map(heading).collect();
    if let Some(size) = headings.first_mut() {
        size.unit.get_or_insert_with(|| "B".to_owned());
    }
    headings
}

/// Parses the heading of a column: `latency [us]`, `latency (us)` or `latency_us`.
fn heading(cell: &str) -> Heading {
    let bracketed = cell.strip_suffix([']', ')']).and_then(|cell| cell.split_once(['[', '(']));
    let suffixed = cell.rsplit_once('_').filter(|(_, unit)| unit::is_known(unit));
    let (name, unit) = match bracketed.or(suffixed) {
        Some((name, unit)) => (name.trim(), Some(unit.trim().to_owned())),
        None if cell.to_lowercase() == "bytes" => (cell, Some("B".to_owned())),
        None => (cell, None),
    };
    Heading { name: name.to_owned(), unit }
}

#[cfg(test)]
mod tests;
