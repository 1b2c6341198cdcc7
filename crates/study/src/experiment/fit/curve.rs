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

/// The byte range of a row, and its cells.
type Cells<'a> = (Range<usize>, Vec<&'a str>);

/// The index of the column of sizes, and those of the columns of measured values.
type ColumnIndices = (usize, Vec<usize>);
/// Names of columns that are preferred, in order of preference.
const PREFERRED_COLUMNS: [&str; 4] = ["typical", "avg", "average", "mean"];
/// The least number of points of a curve.
const SAMPLES_MIN: usize = 2;

impl Curve {
    /// Parses the text of a file. Messages call the file `path`.
    pub fn read(path: &Path, text: &str) -> Result<Curve, Problems> {
        let mut texts = Texts::default();
        let id = texts.add(Layer::File(path.to_path_buf()), text, None);
        let sheet = TableText { text, id };
        match sheet.curve() {
            Ok((measure, samples, mut columns)) => {
                let name = path.display().to_string();
                let column = if columns.is_empty() { String::new() } else { columns.remove(0) };
                Ok(Curve { measure, samples, name, column, other_columns: columns, texts })
            }
            Err(problem) => Err(Problems::new(vec![problem], &texts)),
        }
    }

    /// Returns a problem located at one of the points, with these lines of help.
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
    fn place(&self, span: Range<usize>) -> Option<TextSpan> {
        Some(TextSpan { text: self.id, span })
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
        let Some((at, head)) = self.lines().find(|(_, line)| names_columns(line)) else {
            let problem =
                Problem::new("no line names the columns").with_location(self.place(0..0), "the file begins here");
            return Err(problem.help("write a first line such as: size [B], latency [us]"));
        };
        let csv = head.contains(',');
        let perftest = head.starts_with("#bytes");
        if perftest {
            self.check_heads(&at, head)?;
        }
        let headings = headings(head, csv);
        let rows = self.rows(at.end, csv)?;
        let (size, values) = self.columns(&headings, &rows, at)?;
        let value = values[0];
        let mut samples: Vec<Sample> = Vec::new();
        let mut measure = Measure::Latency;
        for (span, cells) in &rows {
            let amount = |column: usize| {
                let cell = cells.get(column).copied().unwrap_or_default();
                unit::amount(cell, headings[column].unit.as_deref(), perftest).map_err(|(why, help)| {
                    Problem::new(why).with_location(self.place(span.clone()), "in this row").help(help)
                })
            };
            let (size, (what, value)) = (amount(size)?, amount(value)?);
            measure = what;
            if size.0 != Measure::Size || what == Measure::Size {
                let problem = Problem::new("a size and a measured value are expected");
                return Err(problem.with_location(self.place(span.clone()), "in this row"));
            }
            samples.push(Sample { size: size.1 as u64, value, place: self.place(span.clone()).expect("a place") });
        }
        self.check(&samples)?;
        let names = values.iter().map(|column| headings[*column].name.clone()).collect();
        Ok((measure, samples, names))
    }

    /// Returns the curve that the results of a log make.
    fn log_curve(
        self,
        results: Result<Vec<LogResult>, socket_log::LogError>,
    ) -> Result<(Measure, Vec<Sample>), Problem> {
        let results = results.map_err(|(span, message, help)| {
            Problem::new(message).with_location(self.place(span), "in this line").help(help)
        })?;
        let measure = results.first().map_or(Measure::Latency, |first| first.measure);
        if let Some(other) = results.iter().find(|result| result.measure != measure) {
            let problem = Problem::new(format!("a {} follows a {}", other.measure.word(), measure.word()));
            let help = "write the results of latency tests and of bandwidth tests into files of their own";
            return Err(problem.with_location(self.place(other.span.clone()), "this result").help(help));
        }
        if results.len() < SAMPLES_MIN {
            let problem = Problem::new(format!("a curve needs the results of at least {SAMPLES_MIN} runs"));
            let help = "write the output of runs with different sizes into one file";
            return Err(problem
                .with_location(self.place(0..0), format!("results in this file: {}", results.len()))
                .help(help));
        }
        let sample = |LogResult { span, size, value, .. }: LogResult| Sample {
            size,
            value,
            place: self.place(span).expect("a place"),
        };
        let samples: Vec<Sample> = results.into_iter().map(sample).collect();
        self.check(&samples)?;
        Ok((measure, samples))
    }

    /// Checks that later tables of perftest in the same file have the columns of the first.
    fn check_heads(&self, at: &Range<usize>, head: &str) -> Result<(), Problem> {
        let later =
            |(span, line): &(Range<usize>, &str)| span.start > at.start && line.starts_with("#bytes") && *line != head;
        let Some((span, _)) = self.lines().find(later) else { return Ok(()) };
        let problem = Problem::new("a table with other columns follows").with_location(self.place(span), "here");
        Err(problem.help("write each table into a file of its own"))
    }

    /// Returns the rows of numbers after the headings.
    fn rows(&self, start: usize, csv: bool) -> Result<Vec<Cells<'_>>, Problem> {
        let mut rows = Vec::new();
        for (span, line) in self.lines().filter(|(span, _)| span.start > start) {
            let is_numbers = line.starts_with(|c: char| c.is_ascii_digit());
            match csv {
                true if line.is_empty() || line.starts_with('#') => {}
                true if is_numbers => rows.push((span, line.split(',').map(str::trim).collect())),
                true => {
                    let problem = Problem::new("this is not a row of numbers").with_location(self.place(span), "here");
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
                .with_location(self.place(start..start), format!("rows after this line: {}", rows.len()))
                .help("measure at another size, and add a row for it"));
        }
        Ok(rows)
    }

    /// Returns the index of the column of sizes, and those of the columns of measured values in the order of preference.
    fn columns(&self, headings: &[Heading], rows: &[Cells<'_>], span: Range<usize>) -> Result<ColumnIndices, Problem> {
        let unit = |column: usize| {
            let cell = rows[0].1.get(column).copied().unwrap_or_default();
            unit::measure_of_column(cell, headings[column].unit.as_deref())
        };
        let problem = |message: String| {
            Problem::new(message).with_location(self.place(span.clone()), "the columns are named here")
        };
        let help = "write it after the name, as in: size [B], latency [us], or size [B], bandwidth [MB/s]";
        if unit(0) != Some(Measure::Size) {
            return Err(
                problem(format!("the unit of `{}` is missing, or is not a unit of size", headings[0].name)).help(help)
            );
        }
        let mut columns: Vec<usize> = (1..headings.len())
            .filter(|column| unit(*column).is_some_and(|measure| measure != Measure::Size))
            .collect();
        let rank = |column: &usize| {
            let name = headings[*column].name.to_lowercase();
            PREFERRED_COLUMNS.iter().position(|first| name.contains(first)).unwrap_or(PREFERRED_COLUMNS.len())
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

    fn check(&self, samples: &[Sample]) -> Result<(), Problem> {
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
fn headings(line: &str, csv: bool) -> Vec<Heading> {
    let line = line.trim_start_matches(['#', ' ']);
    if csv {
        return line.split(',').map(|cell| heading(cell.trim())).collect();
    }
    // A name of two words, such as `BW peak`, is joined, because spaces separate names.
    let mut joined_line = line.replace(" [", "[").replace(" (", "(");
    for (spaced, joined_name) in [("BW ", "BW-"), ("Avg ", "Avg-"), ("% ", "%-")] {
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

    const NETPERF_RR: &str = "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to h () port 0 AF_INET : \
        first burst 0\nLocal /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   Size     Size    \
        Time     Rate         \nbytes  Bytes  bytes    bytes   secs.    per sec   \n\n16384  131072 64       64       \
        10.00    20000.00   \n16384  131072 \n";

    #[test]
    fn netperf_output_is_read() {
        let larger = NETPERF_RR.replace("64       64 ", "128      128").replace("20000.00", "10000.00");
        assert_eq!(read(&format!("{NETPERF_RR}{larger}")), Ok(vec![(64, 25.0), (128, 50.0)]));
        let stream = |size: u64, rate: &str| {
            format!(
                "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to h () port 0 AF_INET\nRecv   Send    Send\n\
                 Socket Socket  Message  Elapsed\nSize   Size    Size     Time     Throughput\n\
                 bytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  {size}    10.03     {rate}\n"
            )
        };
        assert_eq!(read(&(stream(1024, "800.0") + &stream(2048, "1600"))), Ok(vec![(1024, 100.0), (2048, 200.0)]));
        let udp = |size: u64, sent: &str, received: &str| {
            format!(
                "MIGRATED UDP STREAM TEST from 0.0.0.0 () port 0 AF_INET to h () port 0 AF_INET\nSocket  Message  Elapsed\n\
                 Size    Size     Time         Okay Errors   Throughput\nbytes   bytes    secs            #      #   \
                 10^6bits/sec\n\n212992   {size}   10.00       82309      0    {sent}\n212992           10.00       80732\
                 {received}\n\n"
            )
        };
        let log = udp(64, "90", "           80") + &udp(1024, "900", "          800");
        assert_eq!(read(&log), Ok(vec![(64, 10.0), (1024, 100.0)]), "what was received counts");
    }

    #[test]
    fn sockperf_output_is_read() {
        let log = "$ sockperf ping-pong -i h -m 64 -t 1\nsockperf: == version #3.10 ==\nsockperf: Summary: Latency is 9.5 usec\n\
                   sockperf: ---> percentile 99.000 = 12\nsockperf: ---> percentile 50.000 =    9.250\n\
                   $ sockperf pp --msg-size=128 --full-rtt\nsockperf: Summary: Round trip is 24.0 usec\n";
        assert_eq!(read(log), Ok(vec![(64, 9.25), (128, 12.0)]));
        let log = "sockperf: NOTE: test was performed, using msg-size=14. For getting maximum\nsockperf: Summary: BandWidth is \
                   100.000 MBps (800.000 Mbps)\nsockperf tp -m1472\nsockperf: Summary: BandWidth is 200.000 MBps (1600.000 Mbps)\n";
        assert_eq!(read(log), Ok(vec![(14, 100.0 * 1.048_576), (1472, 200.0 * 1.048_576)]));
    }

    #[test]
    fn malformed_logs_are_reported_with_their_line() {
        let message = |text: &str| read(text).expect_err("a problem");
        assert!(message(NETPERF_RR).contains("at least 2 runs"));
        assert!(message(&NETPERF_RR.replace("64       64", "64       1 ")).contains("a response of 1 B"));
        assert!(message(&NETPERF_RR.replace("10.00    20000.00", "")).contains("other columns"));
        assert!(message("sockperf: Summary: Latency is 9.5 usec\n").contains("does not state the size"));
        let two = " #bytes #iterations    t_typical[usec]\n 2 1000 0.84\n 4 1000 0.86\n #bytes     #iterations    BW peak[MB/sec]\n \
                   2 5000 4.2\n";
        assert!(message(two).contains("a table with other columns follows"));
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
