//! Line charts over a common axis, with published points as marks and findings as annotations.

use super::axis::AxisSpec;
use super::drawing::{Drawing, innermost_value};
use super::{ChartAndTable, ReportTable};
use crate::report::{Cell, LineChart, Note, Series, Style};
use crate::study::expression::read::{
    Loops, loops, optional_expression, optional_template, required_expression, required_template,
};
use crate::study::expression::{Expression, Scope, Template, Value};
use narrows_core::text::Table;

/// The description of a line chart.
#[derive(Debug)]
pub struct LineChartSpec {
    x: AxisSpec,
    y: AxisSpec,
    point_axes: Loops,
    /// The position on the horizontal axis. The default is the value of the innermost axis of `over`.
    position: Option<Expression>,
    series: Vec<LineSpec>,
    notes: Vec<AnnotationSpec>,
}

#[derive(Debug)]
struct LineSpec {
    axes: Loops,
    point_axes: Loops,
    name: Template,
    value: Expression,
    dash_condition: Option<Expression>,
    is_marks: bool,
    style_source: Option<Template>,
}

#[derive(Debug)]
struct AnnotationSpec {
    axes: Loops,
    x: Option<Expression>,
    y: Option<Expression>,
    text: Template,
}

impl LineChartSpec {
    /// Reads a line chart.
    pub fn read(t: &mut Table<'_>) -> LineChartSpec {
        LineChartSpec {
            x: t.table("x", "Horizontal axis", AxisSpec::read),
            y: t.table("y", "Vertical axis", AxisSpec::read),
            point_axes: loops(t, "over", "Axes whose values the points of a line run over, as AXIS or AXIS in SET"),
            position: optional_expression(t, "at", "Position on the horizontal axis, as an expression"),
            series: t.list("series", "Lines", LineSpec::read),
            notes: t.list("note", "Annotations: a line across the chart, with a text", AnnotationSpec::read),
        }
    }

    /// Draws the chart, and a table with a row for each position on the horizontal axis.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> ChartAndTable {
        let (mut series, mut table_series) = (Vec::<Series>::new(), Vec::new());
        for line in &self.series {
            let line_scopes = drawing.loop_scopes(scope, &line.axes);
            let drawn_lines: Vec<Series> =
                line_scopes.iter().filter_map(|scope| self.line(drawing, scope, line, &series)).collect();
            drawing.require_value(drawn_lines.iter().any(|series| !series.points.is_empty()), &line.value);
            if !line.is_marks {
                table_series.extend(series.len()..series.len() + drawn_lines.len());
            }
            series.extend(drawn_lines);
        }
        let table = self.table(table_series.iter().map(|index| &series[*index]).collect());
        let notes = self.notes.iter().flat_map(|note| note.draw(drawing, scope)).collect();
        let chart = LineChart { title, x: self.x.axis(), y: self.y.axis(), series, notes };
        (Some(chart.svg()), Some(table))
    }

    /// Returns a line, or `None` for published marks without points.
    fn line(&self, drawing: &Drawing, scope: &Scope, line: &LineSpec, earlier_lines: &[Series]) -> Option<Series> {
        let loops = if line.point_axes.0.is_empty() { &self.point_axes } else { &line.point_axes };
        let position = |scope: &Scope| match &self.position {
            Some(position) => drawing.number(scope, position),
            None => innermost_value(scope).as_ref().and_then(Value::number),
        };
        let points = drawing.loop_scopes(scope, loops);
        let points = points.iter().filter_map(|scope| Some((position(scope)?, drawing.number(scope, &line.value)?)));
        let points: Vec<(f64, f64)> = points.collect();
        let is_dashed = line.dash_condition.as_ref().is_some_and(|dashed| drawing.flag(scope, dashed));
        let styled_like = line.style_source.as_ref().map(|like| drawing.fill_template(scope, like));
        let styled_like = styled_like.and_then(|like| earlier_lines.iter().position(|series| series.name == like));
        let style = if line.is_marks {
            Style::Marks
        } else if is_dashed {
            Style::Dashed
        } else {
            Style::Line
        };
        let name = drawing.fill_template(scope, &line.name);
        (!line.is_marks || !points.is_empty()).then_some(Series { name, points, style, styled_like })
    }

    fn table(&self, series: Vec<&Series>) -> ReportTable {
        let value_columns = series.iter().map(|series| self.y.column_of(&series.name));
        let mut table = ReportTable::new(std::iter::once(self.x.column()).chain(value_columns).collect());
        let mut positions: Vec<f64> = series.iter().flat_map(|series| &series.points).map(|point| point.0).collect();
        positions.sort_by(f64::total_cmp);
        positions.dedup();
        for x in positions {
            let value = |series: &Series| series.points.iter().find(|point| point.0 == x).map(|point| point.1);
            table.push(std::iter::once(Cell::Number(x)).chain(series.iter().map(|s| value(s).into())).collect());
        }
        table
    }
}

impl LineSpec {
    fn read(t: &mut Table<'_>) -> LineSpec {
        LineSpec {
            name: required_template(t, "name", "Name in the legend, with placeholders"),
            value: required_expression(t, "value", "Value, as an expression"),
            dash_condition: optional_expression(
                t,
                "dashed",
                "Condition under which the line is dashed, as an expression",
            ),
            style_source: optional_template(t, "like", "Name of an earlier line whose colour and mark are used"),
            axes: loops(t, "each", "Axes; one line is drawn for each combination of their values"),
            point_axes: loops(t, "over", "Axes that the points run over, instead of the chart's"),
            is_marks: t
                .flag("marks", "Whether hollow marks without a line are drawn, as for published points")
                .or(false),
        }
    }
}

impl AnnotationSpec {
    fn read(t: &mut Table<'_>) -> AnnotationSpec {
        let annotation = AnnotationSpec {
            x: optional_expression(t, "x", "Position of a vertical line, as an expression: a number or a list"),
            y: optional_expression(t, "y", "Position of a horizontal line, as an expression"),
            text: required_template(t, "text", "Text at the line, with placeholders; `at` is its position"),
            axes: loops(t, "each", "Axes; one annotation is drawn for each combination of their values"),
        };
        if annotation.x.is_some() == annotation.y.is_some() && !t.describing() {
            t.report_invalid("", "an annotation needs either `x` or `y`", "");
        }
        annotation
    }

    fn draw(&self, drawing: &Drawing, scope: &Scope) -> Vec<Note> {
        let mut notes = Vec::new();
        for scope in drawing.loop_scopes(scope, &self.axes) {
            let (position_expression, is_vertical) = match (&self.x, &self.y) {
                (Some(x), _) => (x, true),
                (None, Some(y)) => (y, false),
                (None, None) => continue,
            };
            for position in drawing.numbers(&scope, position_expression) {
                let text = drawing.fill_template(&scope.with("at", Value::Number(position)), &self.text);
                notes.push(Note { position, is_vertical, text });
            }
        }
        notes
    }
}
