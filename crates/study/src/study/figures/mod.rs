//! Figures as data: the kind of chart, its axes and its values. The drawing itself is in `report`.
//!
//! A figure has a chart, a table, or both. Without a separate table, it has the table of its chart. The same code is
//! evaluated over the planned points before any run, so that errors such as unknown names are reported early.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the common parts of figures |
//! | `drawing.rs` | the evaluation of expressions while a figure is drawn |
//! | `axis.rs` | axes |
//! | `lines.rs` | line charts, marks, annotations |
//! | `bars.rs` | bar charts, grouped or stacked |
//! | `matrix.rs` | matrix charts: a cell for each of many runs |
//! | `table.rs` | tables |
//! | `run.rs` | charts of single runs: ledgers, packet flows, heat maps |

mod axis;
mod bars;
mod drawing;
mod lines;
mod matrix;
mod run;
mod table;

use super::expression::read::{Loops, loops, optional_template, required_template, template};
use super::expression::{ExpressionError, Scope, Template};
use super::view::{UsedValues, ValueSource, View};
use crate::report::{Artifact, ReportTable};
use drawing::Drawing;
use narrows_core::text::{SpannedString, Table};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The description of a figure.
#[derive(Debug)]
pub struct Figure {
    /// The artifact that the figure belongs to.
    pub artifact: SpannedString,
    id: Template,
    title: Template,
    /// The title inside the chart.
    chart_title: Option<Template>,
    caption: Template,
    /// The axes for each of whose values a separate figure is drawn.
    axes: Loops,
    allows_gaps: bool,
    chart_spec: Option<ChartSpec>,
    table: Option<table::TableSpec>,
}

/// The description of a chart, by its kind.
#[derive(Debug)]
enum ChartSpec {
    Lines(lines::LineChartSpec),
    Bars(bars::BarChartSpec),
    Ledger(run::LedgerChartSpec),
    Flow(run::PacketFlowSpec),
    HeatMap(run::HeatMapSpec),
    Matrix(matrix::MatrixSpec),
    Builtin(SpannedString),
}

const CHART_KINDS: [(&str, &str); 8] = [
    ("lines", "Lines over a common axis"),
    ("bars", "Groups of bars"),
    ("stacks", "Bars made of parts"),
    ("ledger", "Message latency by stage, a bar for each run"),
    ("packet-flow", "Transfers of engines over time, of a traced run"),
    ("heat-map", "A quantity over time, in rows, of runs that record one"),
    ("matrix", "A cell for each of many runs, in rows and columns, shaded by a number or coloured by a text"),
    ("rust", "Drawn by a built-in function"),
];

/// Reads the number of decimals of the numbers of a column.
fn decimals(t: &mut Table<'_>, key: &'static str, doc: &'static str) -> Option<usize> {
    t.count(key, doc).max(12).optional().map(|decimals| decimals as usize)
}

/// A drawn figure.
pub struct DrawnFigure {
    /// The chart and the table.
    pub artifact: Artifact,
    /// The artifact of the study that the figure belongs to.
    pub study_artifact: String,
    /// The points and metrics that the figure shows.
    pub used_values: UsedValues,
}

/// The drawn figures, and the points to whose descriptions they link.
pub type DrawnFigures = (Vec<DrawnFigure>, BTreeSet<String>);

/// A chart as SVG, and its table.
type ChartAndTable = (Option<String>, Option<ReportTable>);

impl Figure {
    /// Reads a figure.
    pub fn read(t: &mut Table<'_>) -> Figure {
        let artifact = t.phrase("artifact", "Artifact that the figure belongs to and whose runs it shows").required();
        let id = t.phrase("id", "Name of the figure and its files; the artifact's if left out").optional();
        let caption = t.phrase("caption", "Caption, with placeholders for expressions").or("");
        let figure = Figure {
            id: template(t, id.as_ref().unwrap_or(&artifact)),
            title: required_template(t, "title", "Title, with placeholders for expressions"),
            chart_title: optional_template(t, "chart", "Title inside the chart, if different"),
            caption: template(t, &caption),
            axes: loops(
                t,
                "each",
                "Axes, each as AXIS or AXIS in SET; one figure is drawn for each combination of their values",
            ),
            allows_gaps: t
                .flag(
                    "gaps",
                    "Whether values that are not run or not measured are left blank; otherwise they are errors",
                )
                .or(false),
            chart_spec: t.optional_alternatives("Kind of chart", &CHART_KINDS, ChartSpec::read),
            table: t.optional_table("table", "Table that replaces the chart's", table::TableSpec::read),
            artifact,
        };
        if figure.chart_spec.is_none() && figure.table.is_none() && !t.describing() {
            t.report_invalid(
                "",
                "this figure has neither a chart nor a table",
                "write one of [figure.lines], [figure.bars], … or [figure.table]",
            );
        }
        figure
    }

    fn draw(&self, view: &View) -> (Vec<DrawnFigure>, BTreeSet<String>, Vec<ExpressionError>) {
        let used_values = RefCell::default();
        let view = View { allows_gaps: self.allows_gaps, used_values: Some(&used_values), ..*view };
        let drawing = Drawing::new(view);
        let mut drawn_figures = Vec::new();
        for scope in drawing.loop_scopes(&drawing.scope(), &self.axes) {
            used_values.take();
            let artifacts = self.draw_one(&drawing, &scope);
            let used: UsedValues = used_values.take();
            let figure = |artifact| DrawnFigure {
                artifact,
                study_artifact: self.artifact.text.clone(),
                used_values: used.clone(),
            };
            drawn_figures.extend(artifacts.into_iter().map(figure));
        }
        let linked_points = drawing.linked_points();
        (drawn_figures, linked_points, drawing.errors())
    }

    fn draw_one(&self, drawing: &Drawing, scope: &Scope) -> Vec<Artifact> {
        let title = drawing.fill_template(scope, &self.title);
        let chart_title =
            self.chart_title.as_ref().map_or_else(|| title.clone(), |title| drawing.fill_template(scope, title));
        let (svg, artifact_table) = match &self.chart_spec {
            Some(ChartSpec::Lines(lines)) => lines.draw(drawing, scope, chart_title),
            Some(ChartSpec::Bars(bars)) => bars.draw(drawing, scope, chart_title),
            Some(ChartSpec::Ledger(ledgers)) => ledgers.draw(drawing, scope, &chart_title),
            Some(ChartSpec::Flow(flow)) => flow.draw(drawing, scope, &chart_title),
            Some(ChartSpec::HeatMap(heat_map)) => heat_map.draw(drawing, scope, chart_title),
            Some(ChartSpec::Matrix(matrix)) => matrix.draw(drawing, scope, chart_title),
            Some(ChartSpec::Builtin(function_name)) => return drawing.call_builtin(function_name),
            None => (None, None),
        };
        let artifact_table = self.table.as_ref().map(|table| table.draw(drawing, scope)).or(artifact_table);
        let (id, caption) = (drawing.fill_template(scope, &self.id), drawing.fill_template(scope, &self.caption));
        vec![Artifact { id, title, caption, svg, table: artifact_table, explorer: None }]
    }
}

impl ChartSpec {
    fn read(kind: &str, t: &mut Table<'_>) -> ChartSpec {
        match kind {
            "lines" => ChartSpec::Lines(lines::LineChartSpec::read(t)),
            "bars" => ChartSpec::Bars(bars::BarChartSpec::read(t, false)),
            "stacks" => ChartSpec::Bars(bars::BarChartSpec::read(t, true)),
            "ledger" => ChartSpec::Ledger(run::LedgerChartSpec::read(t)),
            "packet-flow" => ChartSpec::Flow(run::PacketFlowSpec::read(t)),
            "heat-map" => ChartSpec::HeatMap(run::HeatMapSpec::read(t)),
            "matrix" => ChartSpec::Matrix(matrix::MatrixSpec::read(t)),
            _ => ChartSpec::Builtin(t.phrase("name", "Name of the built-in function").required()),
        }
    }
}

impl Drawing<'_> {
    fn call_builtin(&self, function_name: &SpannedString) -> Vec<Artifact> {
        match (self.view.builtins.figure(function_name), self.view.source) {
            (Ok(draw), ValueSource::Ran(results)) => draw(results),
            (Ok(_), ValueSource::Planned(_)) => Vec::new(),
            (Err(error), _) => {
                self.collect_error(error.of_text(function_name));
                Vec::new()
            }
        }
    }
}

/// Draws the figures of the artifacts, in the order of the artifacts.
///
/// # Errors
///
/// Returns every error in the figures' expressions.
pub fn draw(figures: &[Figure], view: &View, artifacts: &[&str]) -> Result<DrawnFigures, Vec<ExpressionError>> {
    let (mut drawn_figures, mut linked_points, mut errors) = (Vec::new(), BTreeSet::new(), Vec::new());
    for artifact in artifacts {
        for figure in figures.iter().filter(|figure| figure.artifact.text == *artifact) {
            let (artifacts, mut points, figure_errors) = figure.draw(view);
            drawn_figures.extend(artifacts);
            linked_points.append(&mut points);
            errors.extend(figure_errors);
        }
    }
    if errors.is_empty() { Ok((drawn_figures, linked_points)) } else { Err(errors) }
}

/// Returns the names of the charts of a figure, and its errors; `view` plans exactly the points that the figure's
/// artifact runs.
pub fn planned_charts(figure: &Figure, view: &View) -> (Vec<String>, Vec<ExpressionError>) {
    let (drawn_figures, _, errors) = figure.draw(view);
    (drawn_figures.into_iter().map(|figure| figure.artifact.id).collect(), errors)
}
