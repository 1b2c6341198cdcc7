//! Writer and reader of datasets as CSV. Numbers are written in full, and cells of missing values are empty.

use super::{Dataset, from_texts};
use rayon::prelude::*;
use std::ops::Range;

/// The number of rows that a thread writes at a time.
const ROWS_AT_ONCE: usize = 1024;

/// Writes a dataset with a header row.
pub fn write(data: &Dataset) -> Vec<u8> {
    let heads = records([data.variables.iter().map(|variable| variable.name.clone())]);
    let starts: Vec<usize> = (0..data.rows()).step_by(ROWS_AT_ONCE).collect();
    let part = |first_row: &usize| rows(data, *first_row..(*first_row + ROWS_AT_ONCE).min(data.rows()));
    let parts: Vec<Vec<u8>> = rayon::iter::once(heads).chain(starts.par_iter().map(part)).collect();
    parts.concat()
}

fn rows(data: &Dataset, rows: Range<usize>) -> Vec<u8> {
    let cells = |row| data.variables.iter().map(move |variable| variable.values.text(row).unwrap_or_default());
    records(rows.map(cells))
}

fn records(lines: impl IntoIterator<Item = impl Iterator<Item = String>>) -> Vec<u8> {
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
    let heads: Vec<String> = reader.headers().map_err(message)?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); heads.len()];
    for row in reader.records() {
        for (column, cell) in columns.iter_mut().zip(row.map_err(message)?.iter()) {
            column.push(Some(cell.to_owned()).filter(|cell| !cell.is_empty()));
        }
    }
    let variables = heads.into_iter().zip(columns).map(|(name, texts)| from_texts(name, texts));
    Ok(Dataset { variables: variables.collect() })
}
