//! Parameters of a part: a plain value that is read from a table of a description.

use super::table::Table;

/// A value whose fields are keys of a table.
pub trait Parameters: Sized {
    /// Reads the parameters from a table. In describing mode the same call records the table's schema.
    fn read(t: &mut Table<'_>) -> Self;
}
