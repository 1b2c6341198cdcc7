//! A cell for each of many runs: rows over axes, columns over others, shaded by a number or coloured by a
//! word, each with a link to the description that made it.
//!
//! Where rows and columns are places on scales, points may lie among them. Rows and columns in which nothing is drawn are left out. Leaves out several quantities in one cell.

use super::drawing::{Drawing, innermost};
use super::{Drawn, ReportTable};
use crate::report::number::significant;
use crate::report::{Cell, Column, Matrix as Chart, MatrixCell, MatrixMark};
use crate::study::expression::read::{Loops, expression, loops, template};
use crate::study::expression::{Expression, Format, Scope, Template};
use narrows_core::text::Table;

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
    points: Vec<Points>,
    /// What columns and rows are, each with its unit.
    axes: [Option<String>; 2],
}

/// Points among the cells.
#[derive(Debug)]
struct Points {
    each: Loops,
    name: Template,
    row: Expression,
    column: Expression,
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
            axes: [
                t.text("across", "What the columns are, where their names do not say it, with the unit").optional(),
                t.text("down", "What the rows are").optional(),
            ],
            points: t.list("mark", "Points among the cells, where rows and columns are numbers", Points::read),
        }
    }

    /// The picture, and a table of the same.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> Drawn {
        let (rows, columns) = (drawing.each(scope, &self.rows), drawing.each(scope, &self.columns));
        let cell = |row: &Scope, column: &Scope| self.cell(drawing, row, column);
        let cells: Vec<Vec<Option<MatrixCell>>> =
            rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect();
        drawing.needs_some(cells.iter().flatten().any(Option::is_some), &self.value);
        let chart = Chart {
            title,
            axes: self.titles(),
            rows: rows.iter().map(|row| named(row, &self.rows)).collect(),
            columns: columns.iter().map(|column| named(column, &self.columns)).collect(),
            shades: Column::unit(&self.shades, &self.unit),
            is_logarithmic: self.is_logarithmic,
            cells,
            marks: self.points.iter().flat_map(|points| points.draw(drawing, scope, (&rows, &columns))).collect(),
        };
        let chart = chart.without_blanks();
        (Some(chart.svg()), Some(self.table(&chart)))
    }

    /// What columns and rows are, as the picture says it.
    fn titles(&self) -> Vec<String> {
        let ways = ["across", "down"].into_iter().zip(&self.axes);
        ways.filter_map(|(way, axis)| Some(format!("{way}: {}", axis.as_ref()?))).collect()
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

impl Points {
    fn read(t: &mut Table<'_>) -> Points {
        let name = t.phrase("name", "The name at a point, with holes").required();
        let row = t.phrase("row", "Where it lies on the scale of the rows, as an expression").required();
        let column = t.phrase("column", "Where it lies on the scale of the columns").required();
        Points {
            each: loops(t, "each", "One for each value of these axes"),
            name: template(t, &name),
            row: expression(t, &row),
            column: expression(t, &column),
        }
    }

    /// Those that are known, and lie on both scales.
    fn draw(&self, drawing: &Drawing, scope: &Scope, (rows, columns): (&[Scope], &[Scope])) -> Vec<MatrixMark> {
        let (down, across) = (scale(rows), scale(columns));
        let mark = |scope: &Scope| {
            let (row, column) = (drawing.number(scope, &self.row)?, drawing.number(scope, &self.column)?);
            let words = format!("{}, {}", significant(column, 3), significant(row, 3));
            let name = drawing.words(scope, &self.name);
            Some(MatrixMark { name, row: place(&down, row)?, column: place(&across, column)?, words })
        };
        drawing.each(scope, &self.each).iter().filter_map(mark).collect()
    }
}

/// The numbers that the innermost axis runs over.
fn scale(scopes: &[Scope]) -> Vec<f64> {
    scopes.iter().filter_map(|scope| innermost(scope)?.number()).collect()
}

/// Which place of a rising scale a number has, by logarithms between its neighbours, and beyond the ends by the steps
/// there; none on a scale that does not rise, or is not above nothing.
fn place(scale: &[f64], number: f64) -> Option<f64> {
    let rises = scale.len() > 1 && scale[0] > 0.0 && scale.windows(2).all(|two| two[0] < two[1]);
    if !rises || number <= 0.0 {
        return None;
    }
    let below = scale.partition_point(|at| *at <= number).clamp(1, scale.len() - 1) - 1;
    let (low, high) = (scale[below].ln(), scale[below + 1].ln());
    Some(below as f64 + (number.ln() - low) / (high - low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_places_on_a_scale_by_their_logarithms() {
        let scale = [1.0, 10.0, 1000.0];
        let places = [1.0, 10.0, 100.0, 1000.0, 0.1, 100_000.0].map(|number| place(&scale, number).expect("a place"));
        let expected = [0.0, 1.0, 1.5, 2.0, -1.0, 3.0];
        assert!(places.iter().zip(expected).all(|(place, expected)| (place - expected).abs() < 1e-9), "{places:?}");
        assert_eq!([place(&scale, 0.0), place(&[1.0], 1.0), place(&[2.0, 1.0], 1.0)], [None; 3]);
    }
}
