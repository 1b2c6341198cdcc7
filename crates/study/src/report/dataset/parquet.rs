//! Writer and reader of datasets as Parquet, by means of Arrow. A file has one row group with Snappy compression, and
//! the metadata of each column contains its unit under `unit`.

use super::{ColumnValues, Dataset, Variable};
use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use ::parquet::basic::Compression;
use ::parquet::file::properties::WriterProperties;
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use std::collections::HashMap;
use std::sync::Arc;

/// The key of the unit in a column's metadata.
const UNIT_KEY: &str = "unit";

/// Writes a dataset.
pub fn write(data: &Dataset) -> Result<Vec<u8>, String> {
    let message = |error: &dyn std::fmt::Display| format!("it cannot be written as Parquet: {error}");
    let batch = record_batch(data)?;
    let schema = batch.schema();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties)).map_err(|error| message(&error))?;
    writer.write(&batch).map_err(|error| message(&error))?;
    writer.close().map_err(|error| message(&error))?;
    Ok(bytes)
}

/// Returns a dataset as one Arrow record batch, which other libraries can use without copying.
pub fn record_batch(data: &Dataset) -> Result<RecordBatch, String> {
    let fields: Vec<Field> = data.variables.iter().map(field).collect();
    let columns: Vec<ArrayRef> = data.variables.iter().map(|variable| array(&variable.values)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|error| format!("it is not a valid table: {error}"))
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

/// Reads a dataset with columns of texts, unsigned integers and numbers.
pub fn read(bytes: Vec<u8>) -> Result<Dataset, String> {
    let message = |error: &dyn std::fmt::Display| format!("it is not Parquet: {error}");
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).map_err(|error| message(&error))?;
    let schema = reader.schema().clone();
    let mut data =
        Dataset { variables: schema.fields().iter().map(|field| empty_column(field)).collect::<Result<_, _>>()? };
    for batch in reader.build().map_err(|error| message(&error))? {
        let batch = batch.map_err(|error| message(&error))?;
        for (variable, column) in data.variables.iter_mut().zip(batch.columns()) {
            append(&mut variable.values, column);
        }
    }
    Ok(data)
}

fn empty_column(field: &Field) -> Result<Variable, String> {
    let values = match field.data_type() {
        DataType::Utf8 => ColumnValues::Texts(Vec::new()),
        DataType::UInt64 => ColumnValues::Counts(Vec::new()),
        DataType::Float64 => ColumnValues::Numbers(Vec::new()),
        other => {
            return Err(format!(
                "the column `{}` has the type {other}; only text, unsigned integers and numbers are supported",
                field.name()
            ));
        }
    };
    let unit = field.metadata().get(UNIT_KEY).cloned().unwrap_or_default();
    Ok(Variable { name: field.name().clone(), unit, values })
}

fn append(values: &mut ColumnValues, column: &ArrayRef) {
    let column = column.as_any();
    match values {
        ColumnValues::Texts(values) => {
            let column = column.downcast_ref::<StringArray>().expect("the schema states this type");
            values.extend(column.iter().map(|text| text.map(str::to_owned)));
        }
        ColumnValues::Counts(values) => {
            values.extend(column.downcast_ref::<UInt64Array>().expect("the schema states this type").iter())
        }
        ColumnValues::Numbers(values) => {
            values.extend(column.downcast_ref::<Float64Array>().expect("the schema states this type").iter());
        }
    }
}
