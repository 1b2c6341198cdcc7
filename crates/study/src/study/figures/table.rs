//! Tables: rows over axes, columns of values.

use super::ReportTable;
use super::drawing::Drawing;
use crate::report::{Cell, Column};
use crate::study::expression::read::{Loops, expression, loops, template};
use crate::study::expression::{Expression, Format, Scope, Template};
use narrows_core::text::Table;

/// The columns of a table, and what its rows are.
#[derive(Debug)]
pub struct Columns {
    rows: Loops,
    /// What stands over the names of a row's values.
    heads: Vec<String>,
    columns: Vec<Shown>,
}

#[derive(Debug)]
struct Shown {
    each: Loops,
    name: Template,
    unit: String,
    decimals: Option<usize>,
    value: Expression,
}

impl Columns {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Columns {
        let columns = Columns {
            rows: loops(t, "rows", "A row for each value of these axes, each as AXIS or AXIS in SET"),
            heads: t.texts("heads", "What stands over the names of these; the axes' own if left out").or(&[]),
            columns: t.list("column", "The columns", Shown::read),
        };
        if columns.heads.len() > columns.rows.0.len() {
            t.wrong("heads", "there are more heads than axes in `rows`", "");
        }
        columns
    }

    /// The table.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope) -> ReportTable {
        let columns: Vec<(&Shown, Scope)> = self
            .columns
            .iter()
            .flat_map(|shown| drawing.each(scope, &shown.each).into_iter().map(move |scope| (shown, scope)))
            .collect();
        let names = self.rows.0.iter().enumerate();
        let names = names.map(|(n, (_, over))| Column::new(self.heads.get(n).unwrap_or(&over.variable)));
        let heads = columns.iter().map(|(shown, scope)| shown.head(drawing, scope));
        let mut table = ReportTable::new(names.chain(heads).collect());
        let mut filled = vec![false; columns.len()];
        for row in drawing.each(scope, &self.rows) {
            let own = row.bound.iter().rev().take(self.rows.0.len()).rev();
            let mut cells: Vec<Cell> = own.map(|(_, value)| named(&Format::default().words(value))).collect();
            for (n, (shown, fixed)) in columns.iter().enumerate() {
                let mut scope = row.clone();
                scope.bound.extend(fixed.bound.iter().cloned());
                let cell = drawing.cell(&scope, &shown.value);
                filled[n] |= cell != Cell::Empty;
                cells.push(cell);
            }
            table.push(cells);
        }
        columns.iter().zip(filled).for_each(|((shown, _), some)| drawing.needs_some(some, &shown.value));
        table
    }
}

/// What a row is, a number where its name is one.
fn named(name: &str) -> Cell {
    let number = name.parse().ok().filter(|number: &f64| number.is_finite());
    number.map_or_else(|| Cell::from(name), Cell::Number)
}

impl Shown {
    fn read(t: &mut Table<'_>) -> Shown {
        let name = t.phrase("name", "Its head, with holes").required();
        let value = t.phrase("value", "What it holds, as an expression: a number or a text").required();
        let decimals = t.count("decimals", "Decimals; four significant digits if left out").max(12).optional();
        Shown {
            each: loops(t, "each", "A column for each value of these axes"),
            name: template(t, &name),
            unit: t.text("unit", "The unit of its numbers").or(""),
            decimals: decimals.map(|decimals| decimals as usize),
            value: expression(t, &value),
        }
    }

    fn head(&self, drawing: &Drawing, scope: &Scope) -> Column {
        let column = Column::unit(drawing.words(scope, &self.name), &self.unit);
        self.decimals.map_or(column.clone(), |decimals| column.decimals(decimals))
    }
}
