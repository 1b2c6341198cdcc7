//! A measured curve of latency or bandwidth by message size, as CSV or in the output format of perftest or the OSU
//! benchmarks.
//!
//! The first line that begins with `size`, `bytes` or `payload`, with or without a `#` before it, names the columns. A
//! unit follows the name of a column, in brackets or after `_`; in CSV it may follow each number instead. If there are
//! several columns, the typical value is read, or otherwise the average. The unit `MB/sec` of perftest is 2^20 bytes
//! per second, and `MB/s` of OSU is 10^6. Deviations and percentiles are ignored, because a curve has one noise.

use super::unit::{self, Measure};
use narrows_core::text::origin::{Place, TextId, Texts};
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
    texts: Texts,
}

/// A point of a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// The size of a message, in bytes.
    pub size: u64,
    /// The measured value, in µs or MB/s.
    pub value: f64,
    place: Place,
}

/// The name and unit of a column.
#[derive(Clone, PartialEq, Debug)]
struct Heading {
    name: String,
    unit: Option<String>,
}

/// The byte range of a row, and its cells.
type Cells<'a> = (Range<usize>, Vec<&'a str>);

/// Names of columns that are preferred, in order of preference.
const PREFERRED_COLUMNS: [&str; 4] = ["typical", "avg", "average", "mean"];
/// The least number of points of a curve.
const SAMPLES_MIN: usize = 2;

impl Curve {
    /// Parses the text of a file. Messages call the file `path`.
    pub fn read(path: &Path, text: &str) -> Result<Curve, Problems> {
        let mut texts = Texts::default();
        let id = texts.add(Layer::File(path.to_path_buf()), text, None);
        let sheet = Printed { text, id };
        match sheet.curve() {
            Ok((measure, samples)) => {
                let name = path.display().to_string();
                Ok(Curve { measure, samples, name, texts })
            }
            Err(problem) => Err(Problems::new(vec![problem], &texts)),
        }
    }

    /// Returns a problem located at one of the points, with these lines of help.
    pub fn wrong(&self, sample: &Sample, message: &str, label: &str, help: Vec<String>) -> Problems {
        let problem = Problem::new(message).at(Some(sample.place.clone()), label);
        Problems::new(vec![help.into_iter().fold(problem, Problem::help)], &self.texts)
    }
}

/// The text of a table.
struct Printed<'a> {
    text: &'a str,
    id: TextId,
}

impl Printed<'_> {
    fn place(&self, span: Range<usize>) -> Option<Place> {
        Some(Place { text: self.id, span })
    }

    /// Returns each line without the spaces around it, with its byte range.
    fn lines(&self) -> impl Iterator<Item = (Range<usize>, &str)> {
        self.text.split_inclusive('\n').scan(0, |at, line| {
            let start = *at + line.len() - line.trim_start().len();
            *at += line.len();
            let line = line.trim();
            Some((start..start + line.len(), line))
        })
    }

    fn curve(self) -> Result<(Measure, Vec<Sample>), Problem> {
        let names = |line: &str| {
            let line = line.trim_start_matches(['#', ' ']).to_lowercase();
            ["size", "bytes", "payload"].iter().any(|name| line.starts_with(name))
        };
        let Some((at, head)) = self.lines().find(|(_, line)| names(line)) else {
            let problem = Problem::new("no line names the columns").at(self.place(0..0), "the file begins here");
            return Err(problem.help("write a first line such as: size [B], latency [us]"));
        };
        let csv = head.contains(',');
        let perftest = head.starts_with("#bytes");
        let headings = headings(head, csv);
        let rows = self.rows(at.end, csv)?;
        let (size, value) = self.columns(&headings, &rows, at)?;
        let mut samples: Vec<Sample> = Vec::new();
        let mut measure = Measure::Latency;
        for (span, cells) in &rows {
            let amount = |column: usize| {
                let cell = cells.get(column).copied().unwrap_or_default();
                unit::amount(cell, headings[column].unit.as_deref(), perftest)
                    .map_err(|(why, help)| Problem::new(why).at(self.place(span.clone()), "in this row").help(help))
            };
            let (size, (what, value)) = (amount(size)?, amount(value)?);
            measure = what;
            if size.0 != Measure::Size || what == Measure::Size {
                let problem = Problem::new("a size and a measured value are expected");
                return Err(problem.at(self.place(span.clone()), "in this row"));
            }
            samples.push(Sample { size: size.1 as u64, value, place: self.place(span.clone()).expect("a place") });
        }
        self.check(&samples)?;
        Ok((measure, samples))
    }

    /// Returns the rows of numbers after the headings.
    fn rows(&self, from: usize, csv: bool) -> Result<Vec<Cells<'_>>, Problem> {
        let mut rows = Vec::new();
        for (span, line) in self.lines().filter(|(span, _)| span.start > from) {
            let is_numbers = line.starts_with(|c: char| c.is_ascii_digit());
            match csv {
                true if line.is_empty() || line.starts_with('#') => {}
                true if is_numbers => rows.push((span, line.split(',').map(str::trim).collect())),
                true => {
                    let problem = Problem::new("this is not a row of numbers").at(self.place(span), "here");
                    return Err(problem.help("a row begins with a size, a comment with `#`"));
                }
                // Benchmarks print rules and warnings between the rows.
                false if is_numbers => rows.push((span, line.split_whitespace().collect())),
                false => {}
            }
        }
        if rows.len() < SAMPLES_MIN {
            let problem = Problem::new(format!("a curve needs at least {SAMPLES_MIN} rows"));
            return Err(problem
                .at(self.place(from..from), format!("rows after this line: {}", rows.len()))
                .help("measure at another size, and add a row for it"));
        }
        Ok(rows)
    }

    /// Returns the indices of the columns of sizes and of measured values.
    fn columns(&self, headings: &[Heading], rows: &[Cells<'_>], at: Range<usize>) -> Result<(usize, usize), Problem> {
        let unit = |column: usize| {
            let cell = rows[0].1.get(column).copied().unwrap_or_default();
            unit::measure_of_column(cell, headings[column].unit.as_deref())
        };
        let problem = |message: String| Problem::new(message).at(self.place(at.clone()), "the columns are named here");
        let help = "write it after the name, as in: size [B], latency [us], or size [B], bandwidth [MB/s]";
        if unit(0) != Some(Measure::Size) {
            return Err(
                problem(format!("the unit of `{}` is missing, or is not a unit of size", headings[0].name)).help(help)
            );
        }
        let mut found: Vec<usize> =
            (1..headings.len()).filter(|column| unit(*column).is_some_and(|of| of != Measure::Size)).collect();
        let rank = |column: &usize| {
            let name = headings[*column].name.to_lowercase();
            PREFERRED_COLUMNS.iter().position(|first| name.contains(first)).unwrap_or(PREFERRED_COLUMNS.len())
        };
        found.sort_by_key(rank);
        match found.first() {
            Some(column) => Ok((0, *column)),
            None => {
                let names: Vec<String> = headings.iter().skip(1).map(|one| format!("`{}`", one.name)).collect();
                let names = if names.is_empty() { "a second column".to_owned() } else { names.join(", ") };
                Err(problem(format!("the unit of {names} is missing, or is not a unit of time or rate")).help(help))
            }
        }
    }

    fn check(&self, samples: &[Sample]) -> Result<(), Problem> {
        for pair in samples.windows(2) {
            if pair[1].size <= pair[0].size {
                let message = format!("sizes are out of order: {} B follows {} B", pair[1].size, pair[0].size);
                let problem = Problem::new(message).at(Some(pair[1].place.clone()), "this row");
                return Err(problem.help("sort the rows by increasing size, each size once"));
            }
        }
        match samples.iter().find(|sample| sample.value <= 0.0) {
            Some(sample) => {
                Err(Problem::new("a measured value must be above 0").at(Some(sample.place.clone()), "in this row"))
            }
            None => Ok(()),
        }
    }
}

/// Returns the columns that a line names.
fn headings(line: &str, csv: bool) -> Vec<Heading> {
    let line = line.trim_start_matches(['#', ' ']);
    if csv {
        return line.split(',').map(|cell| heading(cell.trim())).collect();
    }
    // A name of two words, such as `BW peak`, is joined, because spaces separate names.
    let mut joined = line.replace(" [", "[").replace(" (", "(");
    for (apart, one) in [("BW ", "BW-"), ("Avg ", "Avg-"), ("% ", "%-")] {
        joined = joined.replace(apart, one);
    }
    let mut all: Vec<Heading> = joined.split_whitespace().map(heading).collect();
    if let Some(size) = all.first_mut() {
        size.unit.get_or_insert_with(|| "B".to_owned());
    }
    all
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
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(u64, f64)>, String> {
        let curve = Curve::read(Path::new("curve.csv"), text);
        let message = |problems: Problems| problems.list()[0].message.clone();
        curve.map(|curve| curve.samples.iter().map(|sample| (sample.size, sample.value)).collect()).map_err(message)
    }

    #[test]
    fn csv_units_follow_names_or_numbers() {
        let same = Ok(vec![(64, 1.5), (1024, 2.0)]);
        assert_eq!(read("size [B], latency [us]\n64, 1.5\n1024, 2\n"), same);
        assert_eq!(read("# mine\nbytes,latency_ns\n64,1500\n1024,2000\n"), same);
        assert_eq!(read("size,bandwidth\n64 B,1.5 MB/s\n1 KiB,0.016 Gbit/s\n"), same);
    }

    #[test]
    fn perftest_output_is_read() {
        let text = " ---------\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    \
                    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n 2       1000          0.80  \
                    2.50         0.84    0.85   0.02   0.90   2.50   \n 4  1000  0.81  2.1 0.86 0.87 0.02 0.9 2.5\n---\n";
        assert_eq!(read(text), Ok(vec![(2, 0.84), (4, 0.86)]));
        let text = " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]\n \
                    65536      5000             11000.0              1000.0               0.17\n 131072 5000 1 2000 3\n";
        assert_eq!(read(text), Ok(vec![(65536, 1048.576), (131072, 2097.152)]));
    }

    #[test]
    fn osu_output_is_read() {
        let text = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1                       1.10\n2  1.2\n";
        assert_eq!(read(text), Ok(vec![(1, 1.1), (2, 1.2)]));
        let text =
            "# OSU MPI Bandwidth Test v7.3\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n1   4.5\n2  9\n";
        assert_eq!(read(text), Ok(vec![(1, 4.5), (2, 9.0)]));
        let text = "# Size       Avg Latency(us)\n1 1.5\n2 1.6\n";
        assert_eq!(read(text), Ok(vec![(1, 1.5), (2, 1.6)]));
    }

    #[test]
    fn malformed_curves_are_reported() {
        let message = |text: &str| read(text).expect_err("a problem");
        assert!(message("size,latency\n64,1.5\n128,2\n").contains("the unit of `size` is missing"));
        assert!(message("size [B],latency\n64,1.5\n128,2\n").contains("the unit of `latency` is missing"));
        assert!(message("size [B],latency [us]\n64,1.5\n").contains("at least 2 rows"));
        assert!(message("size [B],latency [us]\n64,1.5\n64,2\n").contains("out of order"));
        assert!(message("size [B],latency [us]\n64,1.5\n128,0\n").contains("above 0"));
        assert!(message("size [B],latency [us]\n64,1.5\n128,x\n").contains("`x`"));
        assert!(message("64,1.5\n").contains("no line names the columns"));
    }
}
