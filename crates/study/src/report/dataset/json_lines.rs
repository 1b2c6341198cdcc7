//! Writer and reader of datasets as JSON lines: each row is an object with all columns.

use super::{ColumnValues, Dataset, Variable, unit};
use serde_json::{Map, Value as Json};

/// Writes a dataset with one object per line.
pub fn write(data: &Dataset) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in 0..data.rows() {
        let cell = |variable: &Variable| match &variable.values {
            ColumnValues::Texts(values) => values[row].clone().into(),
            ColumnValues::Counts(values) => values[row].into(),
            ColumnValues::Numbers(values) => values[row].into(),
        };
        let object: Map<String, Json> =
            data.variables.iter().map(|variable| (variable.name.clone(), cell(variable))).collect();
        serde_json::to_writer(&mut bytes, &object).expect("writing to memory does not fail");
        bytes.push(b'\n');
    }
    bytes
}

/// Reads a dataset, with columns in the order in which they first appear.
pub fn read(bytes: &[u8]) -> Result<Dataset, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("it is not text: {error}"))?;
    let mut rows: Vec<Map<String, Json>> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (line_number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let row: Map<String, Json> = serde_json::from_str(line)
            .map_err(|error| format!("line {} is not a JSON object: {error}", line_number + 1))?;
        if let Some((name, _)) = row.iter().find(|(_, value)| value.is_object() || value.is_array()) {
            return Err(format!("line {}: `{name}` is neither a number nor a text", line_number + 1));
        }
        names.extend(row.keys().filter(|name| !names.contains(name)).cloned().collect::<Vec<_>>());
        rows.push(row);
    }
    Ok(Dataset { variables: names.into_iter().map(|name| column(name, &rows)).collect() })
}

fn column(name: String, rows: &[Map<String, Json>]) -> Variable {
    let cells: Vec<&Json> = rows.iter().map(|row| row.get(&name).unwrap_or(&Json::Null)).collect();
    let all_cells = |is_match: fn(&Json) -> bool| cells.iter().all(|cell| cell.is_null() || is_match(cell));
    let text = |cell: &&Json| match cell {
        Json::Null => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    let values = if all_cells(Json::is_u64) {
        ColumnValues::Counts(cells.iter().map(|cell| cell.as_u64()).collect())
    } else if all_cells(Json::is_number) {
        ColumnValues::Numbers(cells.iter().map(|cell| cell.as_f64()).collect())
    } else {
        ColumnValues::Texts(cells.iter().map(text).collect())
    };
    Variable { unit: unit::base_unit_of_column(&name).to_owned(), name, values }
}
