//! Datasets as CSV: numbers in full, nothing where there is nothing.

use super::{Dataset, from_texts};

/// With a head row.
pub fn write(data: &Dataset) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let heads = data.variables.iter().map(|variable| variable.name.as_str());
    writer.write_record(heads).expect("writing to memory does not fail");
    for row in 0..data.rows() {
        let cells = data.variables.iter().map(|variable| variable.values.text(row).unwrap_or_default());
        writer.write_record(cells).expect("every column has every row");
    }
    writer.into_inner().expect("writing to memory does not fail")
}

/// What is in no column a word is a number.
pub fn read(bytes: &[u8]) -> Result<Dataset, String> {
    let mut reader = csv::Reader::from_reader(bytes);
    let wrong = |error: csv::Error| format!("it is not CSV: {error}");
    let heads: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); heads.len()];
    for row in reader.records() {
        for (column, cell) in columns.iter_mut().zip(row.map_err(wrong)?.iter()) {
            column.push(Some(cell.to_owned()).filter(|cell| !cell.is_empty()));
        }
    }
    let variables = heads.into_iter().zip(columns).map(|(name, texts)| from_texts(name, texts));
    Ok(Dataset { variables: variables.collect() })
}
