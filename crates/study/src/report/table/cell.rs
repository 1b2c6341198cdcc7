//! Cells of tables, and conversions to them.

use super::Column;
use crate::report::number;
use serde::{Serialize, Serializer};

/// A cell of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// A number, in the unit of its column.
    Number(f64),
    /// A text.
    Text(String),
    /// An empty cell.
    Empty,
}

impl Cell {
    /// Returns the text of the cell in `column`.
    pub fn text(&self, column: &Column) -> String {
        match (self, column.decimals) {
            (Cell::Number(x), Some(decimals)) if x.is_finite() => format!("{x:.decimals$}"),
            (Cell::Number(x), _) => number::short(*x),
            (Cell::Text(text), _) => text.clone(),
            (Cell::Empty, _) => String::new(),
        }
    }

    /// Returns the cell for CSV, with numbers in full.
    pub fn csv(&self) -> String {
        match self {
            Cell::Number(x) if x.is_finite() => x.to_string(),
            Cell::Text(text) => text.clone(),
            _ => String::new(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Number(x) => serializer.serialize_f64(*x),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Empty => serializer.serialize_none(),
        }
    }
}

impl From<f64> for Cell {
    fn from(x: f64) -> Cell {
        Cell::Number(x)
    }
}

impl From<u64> for Cell {
    fn from(x: u64) -> Cell {
        Cell::Number(x as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or(Cell::Empty, Into::into)
    }
}
