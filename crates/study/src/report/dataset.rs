//! Tidy data: a table with a row for each observation and a column for each variable. Numbers are in base units (bytes,
//! seconds, bytes per second, hertz), and the name of a column ends with its unit. A dataset is written to and read
//! from CSV, JSON lines and, with the feature `parquet`, Parquet.
//!
//! A value that was not measured is empty.

mod csv;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet;
mod unit;

pub use unit::{BaseUnit, suffixed};

use super::FULL_BUILD;
use narrows_core::text::Problem;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// The number of rows of a block of a table that is written in blocks. Its cells take some 10 MB.
const ROWS_PER_BLOCK: usize = 8192;

/// The values of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum ColumnValues {
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Unsigned integers.
    Counts(Vec<Option<u64>>),
    /// Floating-point numbers.
    Numbers(Vec<Option<f64>>),
}

/// A column of a dataset.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// The name, with the unit at its end.
    pub name: String,
    /// The unit; empty if it has none.
    pub unit: String,
    /// A value for each row.
    pub values: ColumnValues,
}

/// A table of tidy data.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Dataset {
    /// The columns, of equal lengths and different names.
    pub variables: Vec<Variable>,
}

/// The file format of a dataset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// Comma-separated values with a header row.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// Apache Parquet, with the units also in the file's metadata, as an object of JSON.
    Parquet,
}

impl ColumnValues {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Texts(values) => values.len(),
            ColumnValues::Counts(values) => values.len(),
            ColumnValues::Numbers(values) => values.len(),
        }
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number in a row, if there is one.
    pub fn number(&self, row: usize) -> Option<f64> {
        match self {
            ColumnValues::Texts(_) => None,
            ColumnValues::Counts(values) => values[row].map(|count| count as f64),
            ColumnValues::Numbers(values) => values[row],
        }
    }

    /// Returns the value in a row as text, or `None` if it is empty.
    pub fn text(&self, row: usize) -> Option<String> {
        match self {
            ColumnValues::Texts(values) => values[row].clone(),
            ColumnValues::Counts(values) => values[row].map(|count| count.to_string()),
            ColumnValues::Numbers(values) => values[row].map(|number| number.to_string()),
        }
    }
}

impl Dataset {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.variables.first().map_or(0, |variable| variable.values.len())
    }

    /// Adds a column whose name consists of `name` and `unit`. If the name exists already, a number is appended.
    pub fn push(&mut self, name: &str, unit: &str, values: ColumnValues) {
        let name_with_unit = suffixed(name, unit);
        let is_taken = |name: &str| self.variables.iter().any(|variable| variable.name == name);
        let numbered_names = (2..).map(|index| format!("{name_with_unit}_{index}"));
        let name =
            [name_with_unit.clone()].into_iter().chain(numbered_names).find(|name| !is_taken(name)).unwrap_or_default();
        self.variables.push(Variable { name, unit: unit.to_owned(), values });
    }

    /// Returns the column `name`.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// Returns the bytes of a file.
    pub fn bytes(&self, encoding: Encoding) -> Result<Vec<u8>, String> {
        match encoding {
            Encoding::Csv => Ok([csv::header(self), csv::rows(self)].concat()),
            Encoding::JsonLines => Ok(json_lines::write(self)),
            Encoding::Parquet => parquet::write(self),
        }
    }

    /// Writes a table in blocks of rows. `block` returns some of the rows as a table with all columns, so that the whole
    /// table need not be in memory. Parquet is written as one block.
    ///
    /// # Errors
    ///
    /// Returns the errors of `out`, and an error for Parquet in a build without the feature `parquet`.
    pub fn write_blocks(
        rows: usize,
        block: impl Fn(Range<usize>) -> Dataset,
        encoding: Encoding,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let block_rows = if encoding == Encoding::Parquet { rows.max(1) } else { ROWS_PER_BLOCK };
        for start in (0..rows.max(1)).step_by(block_rows) {
            let block = block(start..rows.min(start + block_rows));
            let bytes = match encoding {
                // The first block has the header.
                Encoding::Csv if start > 0 => csv::rows(&block),
                _ => block.bytes(encoding).map_err(io::Error::other)?,
            };
            out.write_all(&bytes)?;
        }
        Ok(())
    }

    /// Reads the bytes of a file.
    pub fn read(bytes: Vec<u8>, encoding: Encoding) -> Result<Dataset, String> {
        match encoding {
            Encoding::Csv => csv::read(&bytes),
            Encoding::JsonLines => json_lines::read(&bytes),
            Encoding::Parquet => parquet::read(bytes),
        }
    }
}

/// Whether this build reads and writes Parquet: the feature `parquet`.
pub const HAS_PARQUET: bool = cfg!(feature = "parquet");
const PARQUET_UNSUPPORTED: &str =
    "this build of Narrows does not support Parquet: it was built without the feature `parquet`";

/// Returns an error for each operation, since this build does not support Parquet.
#[cfg(not(feature = "parquet"))]
mod parquet {
    use super::{Dataset, PARQUET_UNSUPPORTED};

    pub fn write(_: &Dataset) -> Result<Vec<u8>, String> {
        Err(PARQUET_UNSUPPORTED.to_owned())
    }

    pub fn read(_: Vec<u8>) -> Result<Dataset, String> {
        Err(PARQUET_UNSUPPORTED.to_owned())
    }
}

impl Encoding {
    /// Checks that this build supports the format.
    ///
    /// # Errors
    ///
    /// Returns an error for Parquet in a build without the feature `parquet`.
    pub fn check_built(self) -> Result<(), Problem> {
        if self == Encoding::Parquet && !HAS_PARQUET {
            return Err(Problem::new(PARQUET_UNSUPPORTED)
                .help(format!("use `.csv` or `.jsonl`, or build it with the feature: {FULL_BUILD}")));
        }
        Ok(())
    }

    /// Returns the format of a file by its extension.
    pub fn from_path(path: &Path) -> Option<Encoding> {
        match path.extension()?.to_str()? {
            "csv" => Some(Encoding::Csv),
            "jsonl" | "ndjson" => Some(Encoding::JsonLines),
            "parquet" => Some(Encoding::Parquet),
            _ => None,
        }
    }
}

/// Returns a column of the type that fits all texts: unsigned integers, numbers, or texts.
fn from_texts(name: String, texts: Vec<Option<String>>) -> Variable {
    let all_texts = |is_match: &dyn Fn(&str) -> bool| texts.iter().flatten().all(|text| is_match(text));
    let values = if all_texts(&|text| text.parse::<u64>().is_ok()) {
        ColumnValues::Counts(texts.iter().map(|text| text.as_ref()?.parse().ok()).collect())
    } else if all_texts(&|text| text.parse::<f64>().is_ok()) {
        ColumnValues::Numbers(texts.iter().map(|text| text.as_ref()?.parse().ok()).collect())
    } else {
        ColumnValues::Texts(texts)
    };
    Variable { unit: unit::base_unit_of_column(&name).to_owned(), name, values }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Dataset {
        let mut data = Dataset::default();
        data.push("a.pay-load", "B", ColumnValues::Counts(vec![Some(64), Some(u64::MAX), None]));
        data.push("policy", "", ColumnValues::Texts(vec![Some("x, \"y\"".into()), None, Some("µ".into())]));
        data.push("message.latency", "s", ColumnValues::Numbers(vec![Some(7.304e-5), None, Some(-1.5)]));
        data
    }

    #[test]
    fn every_format_is_read_back_as_written() {
        for encoding in [Encoding::Csv, Encoding::JsonLines, Encoding::Parquet] {
            if encoding.check_built().is_err() {
                continue;
            }
            let bytes = sample().bytes(encoding).expect("the format is supported");
            assert_eq!(bytes, sample().bytes(encoding).expect("the format is supported"), "writing is deterministic");
            assert_eq!(Dataset::read(bytes, encoding).expect("the bytes are valid"), sample(), "{encoding:?}");
        }
    }

    #[test]
    fn blocks_are_written_as_the_whole_table() {
        for rows in [0, 1, ROWS_PER_BLOCK, 2 * ROWS_PER_BLOCK + 1] {
            let block = |rows: Range<usize>| {
                let mut data = Dataset::default();
                let texts = rows.clone().map(|row| (row % 3 > 0).then(|| format!("t{row}")));
                data.push("text", "", ColumnValues::Texts(texts.collect()));
                data.push("count", "B", ColumnValues::Counts(rows.map(|row| Some(row as u64)).collect()));
                data
            };
            for encoding in [Encoding::Csv, Encoding::JsonLines, Encoding::Parquet] {
                let mut bytes = Vec::new();
                let result = Dataset::write_blocks(rows, block, encoding, &mut bytes);
                let expected = block(0..rows).bytes(encoding);
                assert_eq!(result.map(|()| bytes).map_err(|error| error.to_string()), expected, "{rows} {encoding:?}");
            }
        }
    }

    #[test]
    fn csv_and_json_lines_are_as_documented() {
        let csv = String::from_utf8(sample().bytes(Encoding::Csv).expect("the format is supported"))
            .expect("the bytes are UTF-8");
        let expected =
            "a_pay_load_B,policy,message_latency_s\n64,\"x, \"\"y\"\"\",0.00007304\n18446744073709551615,,\n,µ,-1.5\n";
        assert_eq!(csv, expected);
        let lines = String::from_utf8(sample().bytes(Encoding::JsonLines).expect("the format is supported"))
            .expect("the bytes are UTF-8");
        assert_eq!(
            lines.lines().nth(1),
            Some(r#"{"a_pay_load_B":18446744073709551615,"policy":null,"message_latency_s":null}"#)
        );
    }

    #[test]
    fn malformed_data_is_an_error() {
        for (bytes, encoding) in [
            (&b"a,b\n1\n"[..], Encoding::Csv),
            (b"{\"a\":1}\n[2]\n", Encoding::JsonLines),
            (b"{\"a\":{}}\n", Encoding::JsonLines),
            (b"PAR1 and no more", Encoding::Parquet),
        ] {
            assert!(Dataset::read(bytes.to_vec(), encoding).is_err(), "{encoding:?}");
        }
    }

    #[test]
    fn column_names_are_unique() {
        let mut data = sample();
        data.push("a.pay.load", "B", ColumnValues::Counts(vec![None, None, None]));
        assert_eq!(data.variables[3].name, "a_pay_load_B_2");
    }
}
