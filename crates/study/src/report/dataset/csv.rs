//! Writer and reader of datasets as CSV. Numbers are written in full, and cells of missing values are empty.

use super::{Dataset, from_texts};
use rayon::prelude::*;
use std::ops::Range;

/// The number of rows of a part, which one thread encodes.
const ROWS_PER_PART: usize = 1024;

/// Returns the header row.
pub fn header(data: &Dataset) -> Vec<u8> {
    encode_records([data.variables.iter().map(|variable| variable.name.clone())])
}

/// Returns all rows but the header.
pub fn rows(data: &Dataset) -> Vec<u8> {
    let starts: Vec<usize> = (0..data.rows()).step_by(ROWS_PER_PART).collect();
    let encode_rows =
        |first_row: &usize| encode_row_range(data, *first_row..(*first_row + ROWS_PER_PART).min(data.rows()));
    let encoded_parts: Vec<Vec<u8>> = starts.par_iter().map(encode_rows).collect();
    encoded_parts.concat()
}

fn encode_row_range(data: &Dataset, rows: Range<usize>) -> Vec<u8> {
    let cells = |row| data.variables.iter().map(move |variable| variable.values.text(row).unwrap_or_default());
    encode_records(rows.map(cells))
}

fn encode_records(lines: impl IntoIterator<Item = impl Iterator<Item = String>>) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for line in lines {
        writer.write_record(line).expect("every line has every column");
    }
    writer.into_inner().expect("writing to memory does not fail")
}

/// Reads a dataset. A column whose values all parse as numbers is a column of numbers.
pub fn read(bytes: &[u8]) -> Result<Dataset, String> {
    let mut reader = csv::Reader::from_reader(bytes);
    let message = |error: csv::Error| format!("it is not CSV: {error}");
    let headings: Vec<String> = reader.headers().map_err(message)?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); headings.len()];
    for row in reader.records() {
        for (column, cell) in columns.iter_mut().zip(row.map_err(message)?.iter()) {
            column.push(Some(cell.to_owned()).filter(|cell| !cell.is_empty()));
        }
    }
    let variables = headings.into_iter().zip(columns).map(|(name, texts)| from_texts(name, texts));
    Ok(Dataset { variables: variables.collect() })
}
