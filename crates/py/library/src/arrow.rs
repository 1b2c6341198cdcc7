//! Tidy data as Arrow arrays. The metadata of each column contains its unit under `unit`.

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use narrows::report::dataset::{ColumnValues, Dataset, Variable};
use std::collections::HashMap;
use std::sync::Arc;

/// The key of the unit in a column's metadata.
const UNIT_KEY: &str = "unit";

/// Returns a dataset as one record batch, which other libraries can use without copying.
pub fn record_batch(data: &Dataset) -> Result<RecordBatch, ArrowError> {
    let fields: Vec<Field> = data.variables.iter().map(field).collect();
    let columns: Vec<ArrayRef> = data.variables.iter().map(|variable| array(&variable.values)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

fn field(variable: &Variable) -> Field {
    let kind = match variable.values {
        ColumnValues::Texts(_) => DataType::Utf8,
        ColumnValues::Counts(_) => DataType::UInt64,
        ColumnValues::Numbers(_) => DataType::Float64,
    };
    let unit = (!variable.unit.is_empty()).then(|| (UNIT_KEY.to_owned(), variable.unit.clone()));
    Field::new(&variable.name, kind, true).with_metadata(unit.into_iter().collect::<HashMap<_, _>>())
}

fn array(values: &ColumnValues) -> ArrayRef {
    match values {
        ColumnValues::Texts(values) => Arc::new(StringArray::from_iter(values)),
        ColumnValues::Counts(values) => Arc::new(UInt64Array::from_iter(values.iter().copied())),
        ColumnValues::Numbers(values) => Arc::new(Float64Array::from_iter(values.iter().copied())),
    }
}
