//! Writer and reader of datasets as Parquet. A file has one row group with Snappy compression, and its metadata contains
//! an object of JSON under `units`: the unit of each column that has one.

use super::{ColumnValues, Dataset, Variable, unit};
use ::parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use ::parquet::column::reader::{ColumnReader, get_typed_column_reader};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::metadata::KeyValue;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{ColumnDescriptor, Type};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::panic;
use std::sync::{Arc, Once};

/// The key of the units in a file's metadata.
const UNITS_KEY: &str = "units";

/// Writes a dataset.
pub fn write(data: &Dataset) -> Result<Vec<u8>, String> {
    write_file(data).map_err(|error| format!("it cannot be written as Parquet: {error}"))
}

thread_local! {
    /// Whether this thread reads a file, whose panics are errors.
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Reads a dataset with columns of texts, unsigned integers and numbers.
///
/// The library panics on some damaged files. That is returned as an error, and not printed.
pub fn read(bytes: Vec<u8>) -> Result<Dataset, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |details| {
            if !READING.get() {
                hook(details);
            }
        }));
    });
    READING.set(true);
    let data = panic::catch_unwind(|| read_file(bytes));
    READING.set(false);
    data.unwrap_or_else(|_| Err("it is not Parquet: it is damaged".to_owned()))
}

fn read_file(bytes: Vec<u8>) -> Result<Dataset, String> {
    let message = |error| format!("it is not Parquet: {error}");
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).map_err(message)?;
    let schema = reader.metadata().file_metadata().schema_descr();
    let mut data =
        Dataset { variables: schema.columns().iter().map(|column| empty_column(column)).collect::<Result<_, _>>()? };
    read_rows(&reader, &mut data).map_err(message)?;
    Ok(data)
}

fn write_file(data: &Dataset) -> ParquetResult<Vec<u8>> {
    let columns = data.variables.iter().map(|variable| Ok(Arc::new(column_type(variable)?)));
    let schema = Type::group_type_builder("table").with_fields(columns.collect::<ParquetResult<_>>()?).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(vec![KeyValue::new(UNITS_KEY.to_owned(), units(data))]));
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties.build()))?;
    let mut group = writer.next_row_group()?;
    for variable in &data.variables {
        let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".to_owned()))?;
        match &variable.values {
            ColumnValues::Texts(values) => {
                write_column::<ByteArrayType, _>(&mut column, values, |text| ByteArray::from(text.as_str()))
            }
            ColumnValues::Counts(values) => write_column::<Int64Type, _>(&mut column, values, |&count| count as i64),
            ColumnValues::Numbers(values) => write_column::<DoubleType, _>(&mut column, values, |&number| number),
        }?;
        column.close()?;
    }
    group.close()?;
    writer.into_inner()
}

fn column_type(variable: &Variable) -> ParquetResult<Type> {
    let (kind, meaning) = match variable.values {
        ColumnValues::Texts(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        // Unsigned, which is kept as the signed integer of the same bits.
        ColumnValues::Counts(_) => (PhysicalType::INT64, Some(LogicalType::integer(64, false))),
        ColumnValues::Numbers(_) => (PhysicalType::DOUBLE, None),
    };
    Type::primitive_type_builder(&variable.name, kind)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(meaning)
        .build()
}

fn units(data: &Dataset) -> String {
    let with_unit = data.variables.iter().filter(|variable| !variable.unit.is_empty());
    let units = with_unit.map(|variable| (variable.name.clone(), Value::from(variable.unit.as_str())));
    Value::from(units.collect::<Map<_, _>>()).to_string()
}

/// Writes the values that are there, and for each row whether one is.
fn write_column<T: DataType, V>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[Option<V>],
    stored: impl Fn(&V) -> T::T,
) -> ParquetResult<()> {
    let present: Vec<T::T> = values.iter().flatten().map(stored).collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    column.typed::<T>().write_batch(&present, Some(&levels), None)?;
    Ok(())
}

fn empty_column(column: &ColumnDescriptor) -> Result<Variable, String> {
    let name = column.path().string();
    if column.path().parts().len() > 1 || column.max_rep_level() > 0 {
        return Err(format!("the column `{name}` is nested; only columns of single values are supported"));
    }
    let values = match (column.physical_type(), column.converted_type()) {
        (PhysicalType::BYTE_ARRAY, ConvertedType::UTF8) => ColumnValues::Texts(Vec::new()),
        (PhysicalType::INT64, ConvertedType::UINT_64) => ColumnValues::Counts(Vec::new()),
        (PhysicalType::DOUBLE, _) => ColumnValues::Numbers(Vec::new()),
        (kind, _) => {
            return Err(format!(
                "the column `{name}` has the type {kind}; only text, unsigned integers and numbers are supported"
            ));
        }
    };
    Ok(Variable { unit: unit::base_unit_of_column(&name).to_owned(), name, values })
}

fn read_rows(reader: &dyn FileReader, data: &mut Dataset) -> ParquetResult<()> {
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group)?;
        let rows = usize::try_from(group.metadata().num_rows())?;
        for (index, variable) in data.variables.iter_mut().enumerate() {
            let column = group.get_column_reader(index)?;
            match &mut variable.values {
                ColumnValues::Texts(values) => {
                    read_column::<ByteArrayType, _>(column, rows, values, |text| Ok(text.as_utf8()?.to_owned()))
                }
                ColumnValues::Counts(values) => {
                    read_column::<Int64Type, _>(column, rows, values, |&count| Ok(count as u64))
                }
                ColumnValues::Numbers(values) => {
                    read_column::<DoubleType, _>(column, rows, values, |&number| Ok(number))
                }
            }?;
        }
    }
    Ok(())
}

/// Appends the values of a column in a row group with `rows` rows.
fn read_column<T: DataType, V>(
    column: ColumnReader,
    rows: usize,
    values: &mut Vec<Option<V>>,
    read: impl Fn(&T::T) -> ParquetResult<V>,
) -> ParquetResult<()> {
    let (mut present, mut levels) = (Vec::new(), Vec::new());
    let mut reader = get_typed_column_reader::<T>(column);
    let (found, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut present)?;
    if found != rows {
        return Err(ParquetError::General(format!("a column has {found} of {rows} values")));
    }
    // A column that need not say whether there is a value has one in each row.
    levels.resize(rows, 1);
    let mut present = present.iter();
    for level in levels {
        let value = if level > 0 { present.next().map(&read).transpose()? } else { None };
        values.push(value);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::schema::parser::parse_message_type;

    /// Returns a file of `schema` without rows.
    fn file_of(schema: &str) -> Vec<u8> {
        let schema = Arc::new(parse_message_type(schema).expect("the schema is valid"));
        SerializedFileWriter::new(Vec::new(), schema, Arc::default())
            .and_then(SerializedFileWriter::into_inner)
            .expect("it is written")
    }

    #[test]
    fn columns_of_other_kinds_are_refused() {
        for (column, named) in [
            ("optional int32 a;", "`a` has the type INT32"),
            ("optional int64 a;", "`a` has the type INT64"),
            ("required binary a;", "`a` has the type BYTE_ARRAY"),
            ("repeated double a;", "`a` is nested"),
            ("optional group a { optional double b; }", "`a.b` is nested"),
        ] {
            let problem = read(file_of(&format!("message m {{ {column} }}"))).expect_err("it is refused");
            assert!(problem.contains(named), "{problem}");
        }
    }

    #[test]
    fn units_are_in_the_metadata() {
        let mut data = Dataset::default();
        data.push("payload", "B", ColumnValues::Counts(vec![Some(64)]));
        data.push("policy", "", ColumnValues::Texts(vec![None]));
        let reader = SerializedFileReader::new(bytes::Bytes::from(write(&data).expect("it is written")));
        let entries = reader.expect("it is read").metadata().file_metadata().key_value_metadata().cloned();
        assert_eq!(entries, Some(vec![KeyValue::new("units".to_owned(), r#"{"payload_B":"B"}"#.to_owned())]));
    }

    #[test]
    fn damaged_files_do_not_end_the_program() {
        let mut data = Dataset::default();
        data.push("payload", "B", ColumnValues::Counts(vec![Some(64), None, Some(u64::MAX)]));
        data.push("policy", "", ColumnValues::Texts(vec![None, Some("x".into()), Some("x".into())]));
        data.push("latency", "s", ColumnValues::Numbers(vec![Some(1.0), Some(-2.5), None]));
        let file = write(&data).expect("it is written");
        for position in 0..file.len() {
            for change in [1, 0x10, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[position] ^= change;
                let _ = read(damaged);
            }
            assert!(read(file[..position].to_vec()).is_err(), "the end is missing");
        }
    }

    /// Other programs write several row groups, and columns with a value in each row.
    #[test]
    fn row_groups_follow_one_another() {
        let schema = parse_message_type("message m { required double a; }").expect("the schema is valid");
        let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).expect("it is valid");
        for start in [1.0, 3.0] {
            let mut group = writer.next_row_group().expect("it is written");
            let mut column = group.next_column().expect("it is written").expect("there is one");
            column.typed::<DoubleType>().write_batch(&[start, start + 1.0], None, None).expect("it is written");
            column.close().expect("it is written");
            group.close().expect("it is written");
        }
        let data = read(writer.into_inner().expect("it is written")).expect("it is read");
        assert_eq!(data.variables[0].values, ColumnValues::Numbers([1.0, 2.0, 3.0, 4.0].map(Some).to_vec()));
    }
}
