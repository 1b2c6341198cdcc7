//! Grouped or stacked bar charts, with published heights.

use super::axis::AxisSpec;
use super::drawing::{Drawing, innermost_value};
use super::{ChartAndTable, ReportTable, decimals};
use crate::report::{Bar, BarChart, Cell, Column, Group};
use crate::study::expression::Format;
use crate::study::expression::read::{Loops, loops, optional_expression, required_expression, required_template};
use crate::study::expression::{Expression, Scope, Template};
use narrows_core::text::Table;

/// The description of a bar chart.
#[derive(Debug)]
pub struct BarChartSpec {
    is_stacked: bool,
    y: AxisSpec,
    groups: Loops,
    /// The heading of the table's column of groups.
    column: String,
    bars: Vec<BarSeries>,
}

/// The description of a series of bars: one bar in each group, under one name in the legend.
#[derive(Debug)]
struct BarSeries {
    axes: Loops,
    name: Template,
    value: Expression,
    published: Option<Expression>,
    published_decimals: Option<usize>,
}

/// A series of bars, with the scope and the name for one combination of values of its axes.
type BoundSeries<'a, 's> = (&'a BarSeries, Scope<'s>, String);

impl BarChartSpec {
    /// Reads a bar chart.
    pub fn read(t: &mut Table<'_>, is_stacked: bool) -> BarChartSpec {
        let key = if is_stacked { "part" } else { "bar" };
        let groups = loops(t, "groups", "Axes whose values are the groups, as AXIS or AXIS in SET");
        if groups.0.is_empty() && t.has_no_problems() && !t.describing() {
            t.report_invalid(
                "",
                "`groups` is missing",
                "write the axis whose values are the groups, such as groups = [\"host\"]",
            );
        }
        BarChartSpec {
            is_stacked,
            y: t.table("y", "Vertical axis", AxisSpec::read),
            groups,
            column: t.text("column", "Heading of the table's column of groups").or(""),
            bars: t.list(key, "Bars of each group, or parts of each bar from the bottom", BarSeries::read),
        }
    }

    /// Draws the chart, and a table with a row for each group.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> ChartAndTable {
        let series: Vec<BoundSeries> = self.bars.iter().flat_map(|series| series.bind(drawing, scope)).collect();
        let mut table = ReportTable::new(self.headings(&series));
        let mut groups = Vec::new();
        let mut has_value = vec![false; series.len()];
        for group in drawing.loop_scopes(scope, &self.groups) {
            let value = innermost_value(&group);
            let name = value.as_ref().map(|value| Format::default().format_value(value)).unwrap_or_default();
            let bars: Vec<Bar> =
                series.iter().map(|(series, series_scope, _)| series.bar(drawing, series_scope, &group)).collect();
            let mut row = vec![Cell::from(&*name)];
            for (index, bar) in bars.iter().enumerate() {
                let height = Some(bar.parts[0]).filter(|height| !height.is_nan());
                has_value[index] |= height.is_some();
                row.push(height.into());
                row.extend(series[index].0.published.is_some().then(|| Cell::from(bar.published)));
            }
            table.push(row);
            groups.push(Group { name: name.into_owned(), bars: self.arrange(bars) });
        }
        for ((series, ..), has_any_value) in series.iter().zip(has_value) {
            drawing.require_value(has_any_value, &series.value);
        }
        let legend = series.into_iter().map(|(_, _, name)| name).collect();
        let chart = BarChart { title, y: self.y.axis(), legend, is_stacked: self.is_stacked, groups };
        (Some(chart.svg()), Some(table))
    }

    fn headings(&self, series: &[BoundSeries]) -> Vec<Column> {
        let mut headings = vec![Column::new(&self.column)];
        for (series, _, name) in series {
            headings.push(self.y.column_of(name));
            if series.published.is_some() {
                let column = self.y.column_of(&format!("{name} in the paper"));
                headings.push(Column { decimals: series.published_decimals.or(column.decimals), ..column });
            }
        }
        headings
    }

    /// Returns the bars of a group. They are merged into one bar if they are stacked.
    fn arrange(&self, bars: Vec<Bar>) -> Vec<Bar> {
        match self.is_stacked {
            true => vec![Bar { parts: bars.into_iter().flat_map(|bar| bar.parts).collect(), ..Bar::default() }],
            false => bars,
        }
    }
}

impl BarSeries {
    fn read(t: &mut Table<'_>) -> BarSeries {
        BarSeries {
            name: required_template(t, "name", "Name in the legend, with placeholders"),
            value: required_expression(t, "value", "Height, as an expression"),
            published: optional_expression(t, "published", "Published height, as an expression"),
            published_decimals: decimals(
                t,
                "published-decimals",
                "Number of decimals of published heights in the table",
            ),
            axes: loops(t, "each", "Axes; one bar is drawn for each combination of their values"),
        }
    }

    fn bind<'s>(&self, drawing: &Drawing, scope: &Scope<'s>) -> Vec<BoundSeries<'_, 's>> {
        let scopes = drawing.loop_scopes(scope, &self.axes).into_iter();
        // The name may use the axes of the bar, but not those of the group.
        scopes.map(|scope| (self, scope.clone(), drawing.fill_template(&scope, &self.name))).collect()
    }

    fn bar(&self, drawing: &Drawing, series_scope: &Scope, group: &Scope) -> Bar {
        let scope = group.joined(series_scope);
        let height = drawing.number(&scope, &self.value).unwrap_or(f64::NAN);
        let published = self.published.as_ref().and_then(|published| drawing.number(&scope, published));
        Bar { parts: vec![height], published, ..Bar::default() }
    }
}
