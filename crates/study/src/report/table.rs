//! Tables as aligned text, CSV and JSON. HTML tables are in `html.rs`.

mod cell;

use super::number;
pub use cell::Cell;
use serde::Serialize;

/// The heading and format of a column.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Column {
    /// The name of the quantity.
    pub name: String,
    /// The unit of the numbers; empty if they have none.
    pub unit: String,
    /// The number of decimals in text. Without it, numbers have four significant digits. CSV and JSON are never
    /// rounded.
    #[serde(skip)]
    pub decimals: Option<usize>,
}

impl Column {
    /// Returns a column of text, or of numbers without a unit.
    pub fn new(name: impl Into<String>) -> Column {
        Column { name: name.into(), unit: String::new(), decimals: None }
    }

    /// Returns a column of numbers in `unit`.
    pub fn unit(name: impl Into<String>, unit: &str) -> Column {
        Column { name: name.into(), unit: number::display_unit(unit), decimals: None }
    }

    /// Returns the column with `decimals` decimals in text.
    pub fn decimals(mut self, decimals: usize) -> Column {
        self.decimals = Some(decimals);
        self
    }

    /// Returns the name, with the unit in brackets.
    pub fn heading(&self) -> String {
        match self.unit.is_empty() {
            true => self.name.clone(),
            false => format!("{} [{}]", self.name, self.unit),
        }
    }
}

/// A table with named columns.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct ReportTable {
    /// The headings and formats of the columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

impl ReportTable {
    /// Returns an empty table.
    pub fn new(columns: Vec<Column>) -> ReportTable {
        ReportTable { columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    ///
    /// Panics if the row does not have a cell for every column.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row has one cell per column");
        self.rows.push(row);
    }

    /// Returns whether every cell of a column is a number or empty; such columns are aligned right.
    pub fn is_numeric(&self, column: usize) -> bool {
        self.rows.iter().all(|row| !matches!(row[column], Cell::Text(_)))
    }

    /// Returns the table as text, with columns aligned by spaces, a rule below the headings, and a newline at the end.
    pub fn text(&self) -> String {
        let column_headings: Vec<String> = self.columns.iter().map(Column::heading).collect();
        let cells: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().zip(&self.columns).map(|(cell, c)| cell.text(c)).collect()).collect();
        let widths: Vec<usize> = (0..column_headings.len())
            .map(|i| {
                cells
                    .iter()
                    .map(|row| display_width(&row[i]))
                    .chain([display_width(&column_headings[i])])
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let is_right_aligned: Vec<bool> = (0..column_headings.len()).map(|i| self.is_numeric(i)).collect();
        let rule: Vec<String> = widths.iter().map(|&w| "─".repeat(w)).collect();
        [&column_headings, &rule]
            .into_iter()
            .chain(&cells)
            .map(|row| text_row(row, &widths, &is_right_aligned))
            .collect()
    }

    /// Returns the table as comma-separated values with a header row and numbers in full.
    pub fn csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let column_headings = self.columns.iter().map(Column::heading);
        writer.write_record(column_headings).expect("writing to memory does not fail");
        for row in &self.rows {
            writer.write_record(row.iter().map(Cell::csv)).expect("rows are as long as the head");
        }
        let bytes = writer.into_inner().expect("writing to memory does not fail");
        String::from_utf8(bytes).expect("cells are text")
    }
}

/// Returns the width of `text` on a terminal, in characters.
pub fn display_width(text: &str) -> usize {
    text.chars().count()
}

fn text_row(row: &[String], widths: &[usize], is_right_aligned: &[bool]) -> String {
    let mut line = String::new();
    for (i, cell) in row.iter().enumerate() {
        let padding = " ".repeat(widths[i] - display_width(cell));
        let separator = if i == 0 { "" } else { "  " };
        match is_right_aligned[i] {
            true => line.extend([separator, &padding, cell]),
            false => line.extend([separator, cell, &padding]),
        }
    }
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> ReportTable {
        let mut table = ReportTable::new(vec![
            Column::new("system"),
            Column::unit("latency", "µs").decimals(1),
            Column::new("note"),
        ]);
        table.push(vec!["P6, \"Natoma\"".into(), 73.04.into(), Cell::Empty]);
        table.push(vec!["Miata".into(), 110.0.into(), "<slow>".into()]);
        table
    }

    #[test]
    fn text_is_aligned() {
        let expected = "\
system        latency [µs]  note
────────────  ────────────  ──────
P6, \"Natoma\"          73.0
Miata                110.0  <slow>
";
        assert_eq!(sample().text(), expected);
    }

    #[test]
    fn csv_quotes_and_keeps_all_digits() {
        let expected = "system,latency [µs],note\n\"P6, \"\"Natoma\"\"\",73.04,\nMiata,110,<slow>\n";
        assert_eq!(sample().csv(), expected);
    }

    #[test]
    fn cells_are_json_scalars() {
        let json = serde_json::to_string(&sample().rows).unwrap();
        assert_eq!(json, r#"[["P6, \"Natoma\"",73.04,null],["Miata",110.0,"<slow>"]]"#);
    }
}
