//! Matrix charts: a cell for each of many runs, with one axis or several down the rows and across the columns. Cells
//! are shaded by a number or coloured by a text, and link to the description of their run.
//!
//! If the values of rows and columns are numbers, marks can be placed between cells. Empty rows and columns are left
//! out. A cell shows a single quantity.

use super::drawing::{Drawing, innermost_value};
use super::{ChartAndTable, ReportTable, decimals};
use crate::report::number::significant;
use crate::report::{Cell, Column, Matrix as Chart, MatrixCell, MatrixMark};
use crate::study::expression::read::{Loops, expression, loops, required_expression, required_template, template};
use crate::study::expression::{Expression, Format, Scope, Template};
use narrows_core::text::Table;

/// The description of a matrix chart.
#[derive(Debug)]
pub struct MatrixSpec {
    row_axes: Loops,
    column_axes: Loops,
    value: Expression,
    /// The point to whose description a cell links.
    point: Option<Template>,
    /// The quantity that the cells show, for the legend.
    shades: String,
    unit: String,
    decimals: Option<usize>,
    is_logarithmic: bool,
    mark_specs: Vec<MarkSpec>,
    /// The titles of columns and rows, with their units.
    axis_titles: [Option<String>; 2],
}

/// The description of marks between the cells.
#[derive(Debug)]
struct MarkSpec {
    axes: Loops,
    name: Template,
    row: Expression,
    column: Expression,
}

impl MatrixSpec {
    /// Reads a matrix chart.
    pub fn read(t: &mut Table<'_>) -> MatrixSpec {
        let row_axes = loops(t, "rows", "Axes of the rows, each as AXIS or AXIS in SET");
        let column_axes = loops(t, "columns", "Axes of the columns");
        let value = t.phrase("value", "Value of a cell, as an expression: a number or a text").required();
        let point = t.phrase("point", "Point whose description a cell links to, with placeholders").optional();
        let decimals = decimals(t, "decimals", "Number of decimals in tables; four significant digits if left out");
        let scales = [("linear", false), ("log10", true)];
        for (key, axis_loop) in [("rows", &row_axes), ("columns", &column_axes)] {
            if axis_loop.0.is_empty() && t.has_no_problems() && !t.describing() {
                t.report_invalid(
                    "",
                    format!("`{key}` is missing"),
                    format!("write the axes of the {key}, such as {key} = [\"host\"]"),
                );
            }
        }
        MatrixSpec {
            row_axes,
            column_axes,
            value: expression(t, &value),
            point: point.map(|point| template(t, &point).with_key_format()),
            shades: t.text("shades", "Quantity that the cells show, for the legend").required(),
            unit: t.text("unit", "Unit of the numbers").or(""),
            decimals,
            is_logarithmic: t.choice("scale", "Scale of the shades", &scales).or("linear"),
            axis_titles: [
                t.text("across", "Title of the columns, with the unit").optional(),
                t.text("down", "Title of the rows, with the unit").optional(),
            ],
            mark_specs: t.list("mark", "Marks between the cells, if rows and columns are numbers", MarkSpec::read),
        }
    }

    /// Draws the chart, and a table of its values.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> ChartAndTable {
        let (rows, columns) =
            (drawing.loop_scopes(scope, &self.row_axes), drawing.loop_scopes(scope, &self.column_axes));
        let cell = |row: &Scope, column: &Scope| self.cell(drawing, row, column);
        let cells: Vec<Vec<Option<MatrixCell>>> =
            rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        drawing.require_value(cells.iter().flatten().any(Option::is_some), &self.value);
        let chart = Chart {
            title,
            axes: self.titles(),
            rows: rows.iter().map(|row| axis_names(row, &self.row_axes)).collect(),
            columns: columns.iter().map(|column| axis_names(column, &self.column_axes)).collect(),
            shades: Column::unit(&self.shades, &self.unit),
            is_logarithmic: self.is_logarithmic,
            cells,
            marks: self.mark_specs.iter().flat_map(|spec| spec.draw(drawing, scope, (&rows, &columns))).collect(),
        };
        let chart = chart.without_blanks();
        // Planned values are all 1, and a picture of thousands of them takes longer than they do.
        let svg = (!drawing.view.is_planned()).then(|| chart.svg());
        (svg, Some(self.table(&chart)))
    }

    /// Returns the titles of columns and rows.
    fn titles(&self) -> Vec<String> {
        let titles_by_direction = ["across", "down"].into_iter().zip(&self.axis_titles);
        titles_by_direction.filter_map(|(direction, axis)| Some(format!("{direction}: {}", axis.as_ref()?))).collect()
    }

    fn cell(&self, drawing: &Drawing, row: &Scope, column: &Scope) -> Option<MatrixCell> {
        let scope = row.joined(column);
        let value = Some(drawing.cell(&scope, &self.value)).filter(|value| *value != Cell::Empty);
        // The link is also evaluated for empty cells, so that an unknown point is reported.
        let link = self.point.as_ref().and_then(|point| drawing.link(&scope, point));
        Some(MatrixCell { value: value?, link })
    }

    fn table(&self, chart: &Chart) -> ReportTable {
        let axis_headings = self.row_axes.0.iter().map(|(_, axis_loop)| Column::new(&*axis_loop.variable));
        let value_column =
            |name: &Vec<String>| Column { decimals: self.decimals, ..Column::unit(name.join(", "), &self.unit) };
        let mut table = ReportTable::new(axis_headings.chain(chart.columns.iter().map(value_column)).collect());
        for (names, cells) in chart.rows.iter().zip(&chart.cells) {
            let names = names.iter().map(|name| Cell::from(name.as_str()));
            let cells = cells.iter().map(|cell| cell.as_ref().map_or(Cell::Empty, |cell| cell.value.clone()));
            table.push(names.chain(cells).collect());
        }
        table
    }
}

/// Returns the names of a row or column, one for each of its axes.
fn axis_names(scope: &Scope, axis_loop: &Loops) -> Vec<String> {
    let values = scope.bindings.iter().skip(scope.bindings.len() - axis_loop.0.len());
    values.map(|(_, value)| Format::default().format_value(value).into_owned()).collect()
}

impl MarkSpec {
    fn read(t: &mut Table<'_>) -> MarkSpec {
        MarkSpec {
            name: required_template(t, "name", "Name at the mark, with placeholders"),
            row: required_expression(t, "row", "Position on the scale of the rows, as an expression"),
            column: required_expression(t, "column", "Position on the scale of the columns, as an expression"),
            axes: loops(t, "each", "Axes; one mark is drawn for each combination of their values"),
        }
    }

    /// Returns the marks that have a position on both scales.
    fn draw(&self, drawing: &Drawing, scope: &Scope, (rows, columns): (&[Scope], &[Scope])) -> Vec<MatrixMark> {
        let (down, across) = (scale(rows), scale(columns));
        let mark = |scope: &Scope| {
            let (row, column) = (drawing.number(scope, &self.row)?, drawing.number(scope, &self.column)?);
            let position_text = format!("{}, {}", significant(column, 3), significant(row, 3));
            let name = drawing.fill_template(scope, &self.name);
            Some(MatrixMark {
                name,
                row: scale_position(&down, row)?,
                column: scale_position(&across, column)?,
                position_text,
            })
        };
        drawing.loop_scopes(scope, &self.axes).iter().filter_map(mark).collect()
    }
}

/// Returns the values of the innermost axis, as numbers.
fn scale(scopes: &[Scope]) -> Vec<f64> {
    scopes.iter().filter_map(|scope| innermost_value(scope)?.number()).collect()
}

/// Returns the position of a number on an increasing scale of positive numbers, in units of the scale's steps. It is
/// interpolated logarithmically, and extrapolated beyond the ends. Returns `None` for any other scale or number.
fn scale_position(scale: &[f64], number: f64) -> Option<f64> {
    let is_increasing = scale.len() > 1 && scale[0] > 0.0 && scale.windows(2).all(|pair| pair[0] < pair[1]);
    if !is_increasing || number <= 0.0 {
        return None;
    }
    let lower_index = scale.partition_point(|at| *at <= number).clamp(1, scale.len() - 1) - 1;
    let (low, high) = (libm::log(scale[lower_index]), libm::log(scale[lower_index + 1]));
    Some(lower_index as f64 + (libm::log(number) - low) / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_on_a_scale_are_interpolated_logarithmically() {
        let scale = [1.0, 10.0, 1000.0];
        let positions = [1.0, 10.0, 100.0, 1000.0, 0.1, 100_000.0]
            .map(|number| scale_position(&scale, number).expect("the number has a position"));
        let expected = [0.0, 1.0, 1.5, 2.0, -1.0, 3.0];
        assert!(
            positions.iter().zip(expected).all(|(position, expected)| (position - expected).abs() < 1e-9),
            "{positions:?}"
        );
        assert_eq!(
            [scale_position(&scale, 0.0), scale_position(&[1.0], 1.0), scale_position(&[2.0, 1.0], 1.0)],
            [None; 3]
        );
    }
}
