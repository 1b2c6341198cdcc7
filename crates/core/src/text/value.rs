//! The types of parameters: how a value of each type is read, given a default, and written.
//!
//! The types are quantities, counts of any width, numbers, flags, texts, paths, and lists of these;
//! `#[derive(ParameterChoice)]` adds enums of words. The checks of values are in `kind`.

use super::field::Field;
use super::kind::{Amount, Count, FilePath, Flag, ListOf, Number, TextKind, ValueKind};
use super::table::Table;
use crate::engine::{Bytes, Hertz, Rate, Time};
use std::fmt;
use std::path::PathBuf;

/// A value in the form of a description.
#[derive(Clone, PartialEq, Debug)]
pub enum ParameterValue {
    /// A text, a word, or a quantity with its unit.
    Text(String),
    /// A count.
    Integer(u64),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A list.
    List(Vec<ParameterValue>),
}

/// Writes the value as TOML.
impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParameterValue::Text(text) => write!(f, "{}", toml::Value::String(text.clone())),
            ParameterValue::Integer(count) => write!(f, "{count}"),
            ParameterValue::Number(number) => write!(f, "{number:?}"),
            ParameterValue::Flag(flag) => write!(f, "{flag}"),
            ParameterValue::List(values) => {
                let values: Vec<String> = values.iter().map(ParameterValue::to_string).collect();
                write!(f, "[{}]", values.join(", "))
            }
        }
    }
}

/// A type of values that one key can have.
#[diagnostic::on_unimplemented(
    message = "no key holds a `{Self}`",
    note = "a key holds a `Time`, `Bytes`, `Rate`, `Hertz`, `u8` to `u64`, `usize`, `f64`, `bool`, `String`, `PathBuf`, \
            a `Vec`, array or `Option` of these, or an enum with `#[derive(ParameterChoice)]`",
    note = "a struct is read as `#[param(table)]` or `#[param(flatten)]`, an enum with fields as `#[param(one_of)]`; \
            `#[param(via(..))]` reads another type, `#[param(with(..))]` calls functions, `#[param(skip = ..)]` reads nothing"
)]
pub trait ParameterType: Sized {
    /// The kind of value that is read.
    type Kind: ValueKind;

    /// Returns the key, ready to be read, with the bounds that the type itself has.
    fn field<'f, 't>(table: &'f mut Table<'t>, key: &'static str, help: &'static str) -> Field<'f, 't, Self::Kind>;

    /// Converts a value that was read to this type.
    fn from_read(value: <Self::Kind as ValueKind>::Value) -> Self;

    /// Returns the value in the form of a description.
    fn to_value(&self) -> ParameterValue;
}

/// A type whose default may be given as a value of the type, and not only in the form of a description.
pub trait ParameterDefault: ParameterType {
    /// Reads a key, or returns `default` if it is absent.
    fn or(field: Field<'_, '_, Self::Kind>, default: Self) -> Self;
}

/// Implements the traits for a type whose values are read without conversion.
macro_rules! parameter_type {
    ($type:ty, $kind:ty, $method:ident, $to_value:expr, $or:expr) => {
        impl ParameterType for $type {
            type Kind = $kind;

            fn field<'f, 't>(table: &'f mut Table<'t>, key: &'static str, help: &'static str) -> Field<'f, 't, $kind> {
                table.$method(key, help)
            }

            fn from_read(value: $type) -> $type {
                value
            }

            fn to_value(&self) -> ParameterValue {
                let to_value: fn(&$type) -> ParameterValue = $to_value;
                to_value(self)
            }
        }

        impl ParameterDefault for $type {
            fn or(field: Field<'_, '_, $kind>, default: $type) -> $type {
                let or: fn(Field<'_, '_, $kind>, $type) -> $type = $or;
                or(field, default)
            }
        }
    };
}

/// Implements the traits for quantities, which are written as text.
macro_rules! quantities {
    ($(($type:ty, $method:ident)),*) => {
        $(parameter_type!(
            $type,
            Amount<$type>,
            $method,
            |quantity| ParameterValue::Text(quantity.to_string()),
            |field, default| field.or(&default.to_string())
        );)*
    };
}

quantities!((Time, time), (Bytes, bytes), (Rate, rate), (Hertz, hertz));
parameter_type!(u64, Count, count, |count| ParameterValue::Integer(*count), |field, default| field.or(default));
parameter_type!(f64, Number, number, |number| ParameterValue::Number(*number), |field, default| field.or(default));
parameter_type!(bool, Flag, flag, |flag| ParameterValue::Flag(*flag), |field, default| field.or(default));
parameter_type!(String, TextKind, text, |text| ParameterValue::Text(text.clone()), |field, default| field.or(&default));
parameter_type!(
    PathBuf,
    FilePath,
    path,
    |path| ParameterValue::Text(path.to_string_lossy().into_owned()),
    |field, default| field.or(&default.to_string_lossy())
);

/// Implements the traits for counts with fewer than 64 bits, whose values are limited to what the type can represent.
macro_rules! narrow_counts {
    ($($type:ty),*) => {
        $(
            impl ParameterType for $type {
                type Kind = Count;

                fn field<'f, 't>(table: &'f mut Table<'t>, key: &'static str, help: &'static str) -> Field<'f, 't, Count> {
                    match u64::try_from(<$type>::MAX) {
                        Ok(most) if most < u64::MAX => table.count(key, help).max(most),
                        _ => table.count(key, help),
                    }
                }

                fn from_read(value: u64) -> $type {
                    <$type>::try_from(value).expect("the bounds of a count fit its type")
                }

                fn to_value(&self) -> ParameterValue {
                    ParameterValue::Integer(*self as u64)
                }
            }

            impl ParameterDefault for $type {
                fn or(field: Field<'_, '_, Count>, default: $type) -> $type {
                    <$type>::from_read(field.or(default as u64))
                }
            }
        )*
    };
}

narrow_counts!(u8, u16, u32, usize);

impl<T: ParameterType> ParameterType for Vec<T> {
    type Kind = ListOf<T::Kind>;

    fn field<'f, 't>(table: &'f mut Table<'t>, key: &'static str, help: &'static str) -> Field<'f, 't, Self::Kind> {
        T::field(table, key, help).list_of()
    }

    fn from_read(values: Vec<<T::Kind as ValueKind>::Value>) -> Vec<T> {
        values.into_iter().map(T::from_read).collect()
    }

    fn to_value(&self) -> ParameterValue {
        ParameterValue::List(self.iter().map(T::to_value).collect())
    }
}

impl<T: ParameterType, const LENGTH: usize> ParameterType for [T; LENGTH] {
    type Kind = ListOf<T::Kind>;

    fn field<'f, 't>(table: &'f mut Table<'t>, key: &'static str, help: &'static str) -> Field<'f, 't, Self::Kind> {
        T::field(table, key, help).list_of().length(LENGTH, LENGTH)
    }

    fn from_read(values: Vec<<T::Kind as ValueKind>::Value>) -> [T; LENGTH] {
        let values: Vec<T> = Vec::from_read(values);
        values.try_into().ok().expect("a list of this length was read")
    }

    fn to_value(&self) -> ParameterValue {
        ParameterValue::List(self.iter().map(T::to_value).collect())
    }
}
