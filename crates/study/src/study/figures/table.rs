//! Tables with a row for each combination of values of some axes, and columns of expressions.

use super::drawing::Drawing;
use super::{ReportTable, decimals};
use crate::report::{Cell, Column};
use crate::study::expression::read::{Loops, loops, required_expression, required_template};
use crate::study::expression::{Expression, Format, Scope, Template};
use narrows_core::text::Table;

/// The description of a table.
#[derive(Debug)]
pub struct TableSpec {
    row_axes: Loops,
    /// The headings of the columns that contain the values of the rows' axes.
    axis_headings: Vec<String>,
    columns: Vec<ColumnSpec>,
}

#[derive(Debug)]
struct ColumnSpec {
    axes: Loops,
    name: Template,
    unit: String,
    decimals: Option<usize>,
    value: Expression,
}

impl TableSpec {
    /// Reads a table.
    pub fn read(t: &mut Table<'_>) -> TableSpec {
        let table = TableSpec {
            row_axes: loops(t, "rows", "Axes of the rows, each as AXIS or AXIS in SET"),
            axis_headings: t
                .texts("heads", "Headings of the columns of these axes; by default the axes' names")
                .or(&[]),
            columns: t.list("column", "Columns", ColumnSpec::read),
        };
        if table.axis_headings.len() > table.row_axes.0.len() {
            t.report_invalid("heads", "there are more headings than axes in `rows`", "");
        }
        table
    }

    /// Draws the table.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope) -> ReportTable {
        let columns: Vec<(&ColumnSpec, Scope)> = self
            .columns
            .iter()
            .flat_map(|column| drawing.loop_scopes(scope, &column.axes).into_iter().map(move |scope| (column, scope)))
            .collect();
        let axes = self.row_axes.0.iter().enumerate();
        let axis_columns = axes.map(|(index, (_, axis_loop))| {
            Column::new(self.axis_headings.get(index).map_or(&*axis_loop.variable, String::as_str))
        });
        let value_columns = columns.iter().map(|(column, scope)| column.heading(drawing, scope));
        let mut table = ReportTable::new(axis_columns.chain(value_columns).collect());
        let mut has_value_by_column = vec![false; columns.len()];
        for row in drawing.loop_scopes(scope, &self.row_axes) {
            let values = row.bindings.iter().rev().take(self.row_axes.0.len()).rev();
            let mut cells: Vec<Cell> =
                values.map(|(_, value)| name_cell(&Format::default().format_value(value))).collect();
            for (index, (column, column_scope)) in columns.iter().enumerate() {
                let cell = drawing.cell(&row.joined(column_scope), &column.value);
                has_value_by_column[index] |= cell != Cell::Empty;
                cells.push(cell);
            }
            table.push(cells);
        }
        for ((column, _), has_value) in columns.iter().zip(has_value_by_column) {
            drawing.require_value(has_value, &column.value);
        }
        table
    }
}

/// Returns the cell with the name of a row. It is a number if the name is a number.
fn name_cell(name: &str) -> Cell {
    let number = name.parse().ok().filter(|number: &f64| number.is_finite());
    number.map_or_else(|| Cell::from(name), Cell::Number)
}

impl ColumnSpec {
    fn read(t: &mut Table<'_>) -> ColumnSpec {
        ColumnSpec {
            name: required_template(t, "name", "Heading, with placeholders"),
            value: required_expression(t, "value", "Value, as an expression: a number or a text"),
            decimals: decimals(t, "decimals", "Number of decimals; four significant digits if left out"),
            axes: loops(t, "each", "Axes; one column is added for each combination of their values"),
            unit: t.text("unit", "Unit of the numbers").or(""),
        }
    }

    fn heading(&self, drawing: &Drawing, scope: &Scope) -> Column {
        let name = drawing.fill_template(scope, &self.name);
        Column { decimals: self.decimals, ..Column::unit(name, &self.unit) }
    }
}
