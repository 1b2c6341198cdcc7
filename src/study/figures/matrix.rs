//! A cell for each of many runs: rows over axes, columns over others, shaded by a number or coloured by a
//! word, each with a link to the description that made it.
//!
//! ReportTable and columns in which nothing is drawn are left out. Leaves out several quantities in one cell.

use super::super::description::{Loops, expression, loops};
use super::super::expression::{Expression, Format, Scope, Template};
use super::drawing::Drawing;
use super::{Drawn, ReportTable};
use crate::report::{Cell, Column, Matrix as Chart, MatrixCell};
use crate::text::Table;

/// A cell for each of many runs.
#[derive(Debug)]
pub struct Matrix {
    rows: Loops,
    columns: Loops,
    value: Expression,
    /// The point whose description a cell links to.
    point: Option<Template>,
    /// What is shown, as the legend says it.
    shades: String,
    unit: String,
    decimals: Option<usize>,
    is_logarithmic: bool,
}

impl Matrix {
    /// Reads it.
    pub fn read(t: &mut Table<'_>) -> Matrix {
        let rows = loops(t, "rows", "A row for each value of these axes, each as AXIS or AXIS in SET");
        let columns = loops(t, "columns", "A column for each value of these axes");
        let value = t.phrase("value", "What a cell shows, as an expression: a number or a text").required();
        let point = t.phrase("point", "The point whose description a cell links to, with holes").optional();
        let decimals = t.count("decimals", "Decimals in tables; four significant digits if left out").max(12);
        let decimals = decimals.optional().map(|decimals| decimals as usize);
        let scales = [("linear", false), ("log10", true)];
        for (key, over) in [("rows", &rows), ("columns", &columns)] {
            if over.0.is_empty() && t.sound() && !t.describing() {
                t.wrong(
                    "",
                    format!("`{key}` is missing"),
                    format!("write the axes of its {key}, as {key} = [\"host\"]"),
                );
            }
        }
        Matrix {
            rows,
            columns,
            value: expression(t, &value),
            point: point.map(|point| super::keyed(t, &point)),
            shades: t.text("shades", "What is shown, as the legend says it").required(),
            unit: t.text("unit", "The unit of its numbers").or(""),
            decimals,
            is_logarithmic: t.choice("scale", "How shades follow numbers", &scales).or("linear"),
        }
    }

    /// The picture, and a table of the same.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> Drawn {
        let (rows, columns) = (drawing.each(scope, &self.rows), drawing.each(scope, &self.columns));
        let cell = |row: &Scope, column: &Scope| self.cell(drawing, row, column);
        let cells: Vec<Vec<Option<MatrixCell>>> =
            rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        drawing.needs_some(cells.iter().flatten().any(Option::is_some), &self.value);
        let unit = if self.unit == "us" { "µs" } else { &self.unit };
        let chart = Chart {
            title,
            rows: rows.iter().map(|row| named(row, &self.rows)).collect(),
            columns: columns.iter().map(|column| named(column, &self.columns)).collect(),
            shades: Column::unit(&self.shades, unit),
            is_logarithmic: self.is_logarithmic,
            cells,
        };
        let chart = chart.without_blanks();
        (Some(chart.svg()), Some(self.table(&chart)))
    }

    fn cell(&self, drawing: &Drawing, row: &Scope, column: &Scope) -> Option<MatrixCell> {
        let mut scope = row.clone();
        scope.bound.extend(column.bound.iter().cloned());
        let value = Some(drawing.cell(&scope, &self.value)).filter(|value| *value != Cell::Empty);
        // Asked for where nothing is drawn, too: a point that is not there is told.
        let link = self.point.as_ref().and_then(|point| drawing.link(&scope, point));
        Some(MatrixCell { value: value?, link })
    }

    fn table(&self, chart: &Chart) -> ReportTable {
        let heads = self.rows.0.iter().map(|(_, over)| Column::new(&over.variable));
        let value = |name: &Vec<String>| {
            let column = Column::unit(name.join(", "), &self.unit);
            self.decimals.map_or(column.clone(), |decimals| column.decimals(decimals))
        };
        let mut table = ReportTable::new(heads.chain(chart.columns.iter().map(value)).collect());
        for (names, cells) in chart.rows.iter().zip(&chart.cells) {
            let names = names.iter().map(|name| Cell::from(name.as_str()));
            let cells = cells.iter().map(|cell| cell.as_ref().map_or(Cell::Empty, |cell| cell.value.clone()));
            table.push(names.chain(cells).collect());
        }
        table
    }
}

/// What a row or column is, one name for each of its axes.
fn named(scope: &Scope, over: &Loops) -> Vec<String> {
    let own = scope.bound.iter().skip(scope.bound.len() - over.0.len());
    own.map(|(_, value)| Format::default().words(value)).collect()
}
