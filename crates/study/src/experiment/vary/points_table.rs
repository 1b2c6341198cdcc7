//! A table of points as one dimension of a sweep: a CSV file with a column for each key and a row for each point.
//!
//! The cells are values in the form of `--set KEY=VALUE`. An empty cell leaves the value of the description. Lines that
//! begin with `#` are comments.

use super::{Dimension, Vary, key_names};
use crate::experiment::sweep::POINTS_MAX;
use narrows_core::text::Problem;
use std::fmt::Display;
use std::path::Path;

/// Reads the table in a file.
///
/// # Errors
///
/// Reports a file that cannot be read, and everything that [`parse`] reports.
pub fn read(path: &Path) -> Result<Dimension, Vec<Problem>> {
    let name = path.display();
    match std::fs::read(path) {
        Ok(bytes) => parse(&bytes, &name),
        Err(error) => Err(vec![Problem::new(format!("cannot read the table of points `{name}`: {error}"))]),
    }
}

/// Parses the text of a CSV file. Messages call the file `file`.
///
/// # Errors
///
/// Reports a text that is not CSV, a head that is not a key, and a table without columns or rows, or with too many
/// rows.
pub fn parse(bytes: &[u8], file: &dyn Display) -> Result<Dimension, Vec<Problem>> {
    let problem = |message: String| vec![Problem::new(message)];
    let invalid_row_problem = |error: csv::Error| problem(invalid_row(&error, file));
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text);
    let headings = reader.headers().map_err(invalid_row_problem)?.clone();
    let mut varies: Vec<Vary> = headings.iter().map(|key| Vary { key: key.to_owned(), values: Vec::new() }).collect();
    let problems: Vec<Problem> = headings.iter().enumerate().filter_map(|head| head_problem(head, file)).collect();
    if !problems.is_empty() {
        return Err(problems);
    }
    for row in reader.records() {
        for (vary, cell) in varies.iter_mut().zip(row.map_err(invalid_row_problem)?.iter()) {
            vary.values.push(cell.to_owned());
        }
    }
    let dimension = Dimension { varies };
    match dimension.len() {
        0 => Err(vec![
            Problem::new(format!("`{file}` has no points"))
                .help("the first line of the table names keys, and each further line holds the values of one point"),
        ]),
        rows if rows > POINTS_MAX => Err(problem(format!("`{file}` has more than {POINTS_MAX} points"))),
        _ => Ok(dimension),
    }
}

/// Returns the problem of the head of a column, if it cannot be a key.
fn head_problem((column, head): (usize, &str), file: &dyn Display) -> Option<Problem> {
    let why = key_names(&format!("{head}=0")).err()?;
    let message = format!("`{file}`, column {}: the head `{head}` is not a key: {}", column + 1, why.label);
    let help = "a head is a key of the description, such as workload.stream.payload; remove columns that are not keys";
    Some(Problem::new(message).help(help))
}

/// Returns the message of a row that cannot be read.
fn invalid_row(error: &csv::Error, file: &dyn Display) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map(|pos| format!(", line {}", pos.line())).unwrap_or_default();
            format!("`{file}`{line}: the number of cells is {len}, and the number of columns is {expected_len}")
        }
        _ => format!("`{file}` is not CSV: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(text: &str) -> Dimension {
        parse(text.as_bytes(), &"points.csv").expect("the table is valid")
    }

    fn messages(text: &str) -> Vec<String> {
        parse(text.as_bytes(), &"points.csv")
            .expect_err("the table is invalid")
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    }

    #[test]
    fn columns_are_keys_and_rows_are_points() {
        let read = table("\u{feff}ni, a.b\n# a comment\nudma, 64 B\ncni32qm,\n\"x,y\",1\n");
        assert_eq!(read.len(), 3);
        assert_eq!(
            read.varies[0],
            Vary { key: "ni".into(), values: ["udma", "cni32qm", "x,y"].map(str::to_owned).into() }
        );
        assert_eq!(read.varies[1].values, ["64 B", "", "1"]);
    }

    #[test]
    fn malformed_tables_are_reported() {
        assert_eq!(
            messages("a,b\n1,2\n3\n"),
            ["`points.csv`, line 3: the number of cells is 1, and the number of columns is 2"]
        );
        assert_eq!(messages("a\n"), ["`points.csv` has no points"]);
        assert_eq!(messages(""), ["`points.csv` has no points"]);
        let heads = messages("a,,b c\n1,2,3\n");
        assert_eq!(heads.len(), 2);
        assert!(heads[0].starts_with("`points.csv`, column 2: the head `` is not a key: "), "{heads:?}");
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, &"x").is_ok();
        }
    }
}
