//! Charts of single runs: message latency by stage, the transfers of engines, and a quantity over time.

use super::axis::AxisSpec;
use super::drawing::Drawing;
use super::{ChartAndTable, ReportTable};
use crate::report::ledger::{self, MeanStage};
use crate::report::{BarChart, Cell, Column, HeatMap, MeanLedger, PacketFlow, Panel, steps};
use crate::study::expression::read::{Loops, loops, required_template};
use crate::study::expression::{Scope, Template};
use narrows_core::engine::{HeatMapData, Time};
use narrows_core::text::kind::{ListOf, TextKind};
use narrows_core::text::{SpannedString, Table};

/// The description of a chart of mean ledgers, with a bar for each run.
#[derive(Debug)]
pub struct LedgerChartSpec {
    axes: Loops,
    name: Template,
    point: Template,
    column: String,
    decimals: usize,
    /// Groups of stages that are shown together. A stage is given by the last part of its name.
    stage_groups: Vec<(SpannedString, Vec<SpannedString>)>,
}

/// The group of the stages that are in no declared group.
const OTHER_STAGES: &str = "other";

impl LedgerChartSpec {
    /// Reads a chart of ledgers.
    pub fn read(t: &mut Table<'_>) -> LedgerChartSpec {
        let name = required_template(t, "name", "Name of a run, with placeholders");
        let point = required_template(t, "point", "Point of a run, with placeholders").with_key_format();
        let stage_groups = t.by_name(
            "places",
            "Groups of stages that are shown together, each stage by the last part of its name",
            ListOf::new(TextKind::default()),
        );
        let stage_groups = stage_groups.optional().unwrap_or_default();
        LedgerChartSpec {
            axes: loops(t, "each", "Axes; one bar is drawn for each combination of their values"),
            name,
            point,
            column: t.text("column", "Heading of the table's column of runs").or("case"),
            decimals: t.count("decimals", "Number of decimals of times in the table").max(12).or(2) as usize,
            stage_groups,
        }
    }

    /// Draws the chart, and a table of all stages.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: &str) -> ChartAndTable {
        let case_scopes = drawing.loop_scopes(scope, &self.axes);
        let case_of = |scope: &Scope| {
            let (name, run) = (drawing.fill_template(scope, &self.name), drawing.run(scope, &self.point));
            Some((name, MeanLedger::new(&run?.ledger)))
        };
        let cases: Vec<(String, MeanLedger)> = case_scopes.iter().filter_map(case_of).collect();
        let chart = if self.stage_groups.is_empty() {
            ledger::comparison(title, &cases)
        } else {
            self.by_stage_group(title, &cases)
        };
        (Some(chart.svg()), Some(self.table(&cases)))
    }

    fn stage_group(&self, stage: &MeanStage) -> &str {
        let stage_suffix = stage.name.rsplit(": ").next().unwrap_or(&stage.name);
        let declared_group =
            self.stage_groups.iter().find(|(_, stages)| stages.iter().any(|known| known.text == stage_suffix));
        declared_group.map_or(OTHER_STAGES, |(group, _)| &group.text)
    }

    fn by_stage_group(&self, title: &str, cases: &[(String, MeanLedger)]) -> BarChart {
        let mut groups: Vec<&str> = self.stage_groups.iter().map(|(group, _)| group.text.as_str()).collect();
        let stages = || cases.iter().flat_map(|(_, ledger)| &ledger.stages);
        groups.extend(
            stages()
                .any(|stage| self.stage_group(stage) == OTHER_STAGES && stage.total_us() > 0.0)
                .then_some(OTHER_STAGES),
        );
        let time = |ledger: &MeanLedger, group: &str| {
            ledger.stages.iter().filter(|stage| self.stage_group(stage) == group).map(MeanStage::total_us).sum()
        };
        let bar = |(name, ledger): &(String, MeanLedger)| {
            (name.clone(), groups.iter().map(|group| time(ledger, group)).collect::<Vec<f64>>())
        };
        BarChart::stacked(title, "mean time [µs]", &groups, cases.iter().map(bar))
    }

    fn table(&self, cases: &[(String, MeanLedger)]) -> ReportTable {
        let has_groups = !self.stage_groups.is_empty();
        let mut columns = vec![Column::new(&self.column), Column::new("stage")];
        columns.extend(has_groups.then(|| Column::new("place")));
        columns.extend(["waiting", "service"].map(|name| Column::unit(name, "us").decimals(self.decimals)));
        let mut table = ReportTable::new(columns);
        for (name, stage) in
            cases.iter().flat_map(|(name, ledger)| ledger.stages.iter().map(move |stage| (name, stage)))
        {
            let mut row = vec![name.as_str().into(), stage.name.as_str().into()];
            row.extend(has_groups.then(|| self.stage_group(stage).into()));
            row.extend([stage.waiting_us.into(), stage.service_us.into()]);
            table.push(row);
        }
        table
    }
}

/// The description of a chart of the transfers of engines over time, or of their bandwidths.
#[derive(Debug)]
pub struct PacketFlowSpec {
    point: Template,
    /// The bands, each with the node and the track of its engine.
    bands: Vec<(SpannedString, Vec<SpannedString>)>,
    window_end: Time,
    /// Whether the bandwidths are drawn, as steps, and not the transfers.
    draws_bandwidth: bool,
    /// The size in bytes below which a transfer is merged with the next one.
    bytes_min: u64,
}

impl PacketFlowSpec {
    /// Reads the chart.
    pub fn read(t: &mut Table<'_>) -> PacketFlowSpec {
        let pair = ListOf { element_kind: TextKind::default(), length_min: 2, length_max: 2 };
        let spec = PacketFlowSpec {
            point: required_template(t, "point", "Point of a traced run, with placeholders").with_key_format(),
            bands: t.by_name("bands", "Engines from the top, each with its node and its name there", pair).required(),
            window_end: t.time("until", "End of the interval that is shown").required(),
            draws_bandwidth: t.flag("steps", "Whether the bandwidth of each engine is drawn, as steps").or(false),
            bytes_min: t
                .bytes("least", "With `steps`, size below which a transfer is merged with the next")
                .or("0 B")
                .get(),
        };
        if spec.window_end == Time::ZERO {
            t.report_invalid("until", "the interval that is shown is empty", "");
        }
        spec
    }

    /// Draws the chart, and a table of its transfers or steps.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: &str) -> ChartAndTable {
        let Some(run) = drawing.run(scope, &self.point) else { return (None, None) };
        let bands = self.bands.iter().map(|(name, node_and_track)| {
            (name.text.as_str(), node_and_track[0].text.as_str(), node_and_track[1].text.as_str())
        });
        let mut graph = PacketFlow::new(title, &run.timeline, &bands.collect::<Vec<_>>());
        graph.transfers.retain(|transfer| transfer.start < self.window_end);
        graph.window = (Time::ZERO, self.window_end);
        match self.draws_bandwidth {
            true => self.steps(&graph, title),
            false => (Some(graph.svg()), Some(transfers(&graph))),
        }
    }

    fn steps(&self, graph: &PacketFlow, title: &str) -> ChartAndTable {
        let chart = steps::steps(graph, title, self.bytes_min);
        let numbers = [("time", "us"), ("bandwidth", "MB/s")].map(|(name, unit)| Column::unit(name, unit).decimals(1));
        let mut table = ReportTable::new([vec![Column::new("engine")], numbers.into()].concat());
        for series in &chart.series {
            for (time, rate) in &series.points {
                table.push(vec![series.name.as_str().into(), (*time).into(), (*rate).into()]);
            }
        }
        (Some(chart.svg()), Some(table))
    }
}

fn transfers(graph: &PacketFlow) -> ReportTable {
    let times = ["start", "end"].map(|name| Column::unit(name, "us").decimals(3));
    let columns = vec![Column::new("engine"), Column::new("packet"), Column::unit("size", "B")];
    let mut table = ReportTable::new([columns, times.into()].concat());
    for transfer in &graph.transfers {
        let (band, bytes) = (graph.bands[transfer.band].as_str(), transfer.bytes);
        let (start, end) = (transfer.start.as_us(), transfer.end.as_us());
        table.push(vec![band.into(), transfer.packet.into(), bytes.into(), start.into(), end.into()]);
    }
    table
}

/// The description of a heat map, which shows a quantity over time in rows, with a panel for each run.
#[derive(Debug)]
pub struct HeatMapSpec {
    axes: Loops,
    name: Template,
    point: Template,
    x: AxisSpec,
    /// The number of cycles in a unit of the horizontal axis.
    cycles: f64,
    /// The meaning of a row.
    row_meaning: String,
    shades: String,
    shade_max: f64,
}

/// The largest number of columns that are drawn. If there are more, they are averaged.
const COLUMNS_MAX: usize = 240;

impl HeatMapSpec {
    /// Reads the chart.
    pub fn read(t: &mut Table<'_>) -> HeatMapSpec {
        let name = required_template(t, "name", "Name of a panel, with placeholders");
        let point = "Point of a run that records a quantity over time, with placeholders";
        let spec = HeatMapSpec {
            name,
            point: required_template(t, "point", point).with_key_format(),
            axes: loops(t, "each", "Axes; one panel is drawn for each combination of their values"),
            x: t.table("x", "Horizontal axis", AxisSpec::read),
            cycles: t.number("cycles", "Number of cycles in a unit of the horizontal axis").min(1.0).or(1.0),
            row_meaning: t.text("rows", "Meaning of a row").required(),
            shades: t.text("shades", "Quantity that is shaded, with its unit").required(),
            shade_max: t.number("most", "Smallest value for which a cell is black").required(),
        };
        if spec.shade_max <= 0.0 {
            t.report_invalid("most", "the value must be above 0", "");
        }
        spec
    }

    /// Draws the heat map, and a table of its cells.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> ChartAndTable {
        let mut panels = Vec::new();
        for scope in drawing.loop_scopes(scope, &self.axes) {
            let (name, run) = (drawing.fill_template(&scope, &self.name), drawing.run(&scope, &self.point));
            panels.extend(run.and_then(|run| run.map.as_ref()).map(|map| self.panel(name, map)));
        }
        let table = self.table(&panels);
        let (row_meaning, shades) = (self.row_meaning.clone(), self.shades.clone());
        let chart = HeatMap { title, x: self.x.axis(), y: row_meaning, shades, shade_max: self.shade_max, panels };
        (Some(chart.svg()), Some(table))
    }

    /// Returns a row for each cell: its panel, its row, the start of its column, and its value.
    fn table(&self, panels: &[Panel]) -> ReportTable {
        let headings =
            [Column::new("panel"), Column::new(&self.row_meaning), self.x.column(), Column::new(&self.shades)];
        let mut table = ReportTable::new(headings.into());
        for panel in panels {
            for (row, cells) in panel.rows.iter().enumerate() {
                let column_width = panel.end / cells.len().max(1) as f64;
                for (column_index, value) in cells.iter().enumerate() {
                    let start = Cell::Number(column_width * column_index as f64);
                    table.push(vec![panel.name.as_str().into(), (row as u64).into(), start, (*value).into()]);
                }
            }
        }
        table
    }

    fn panel(&self, name: String, map: &HeatMapData) -> Panel {
        let cells_per_column = map.columns.div_ceil(COLUMNS_MAX).max(1);
        let mean = |cells: &[u32]| cells.iter().map(|cell| f64::from(*cell)).sum::<f64>() / cells.len() as f64;
        let rows = (0..map.rows).map(|row| map.row(row).chunks(cells_per_column).map(mean).collect());
        Panel { name, rows: rows.collect(), end: (map.columns as u64 * map.every_cycles) as f64 / self.cycles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::expression;

    #[test]
    fn samples_beyond_the_column_limit_are_averaged() {
        let values = (0..2).flat_map(|row| (0..480).map(move |column| 10 * row + column % 2)).collect();
        let map = HeatMapData { name: "pending", unit: "", rows: 2, columns: 480, every_cycles: 50, values };
        let empty_template =
            || expression::template(&SpannedString::without_location("")).expect("an empty text is a template");
        let heat = HeatMapSpec {
            axes: Loops::default(),
            name: empty_template(),
            point: empty_template(),
            x: AxisSpec::plain("time"),
            cycles: 1000.0,
            row_meaning: "receiver".into(),
            shades: "packets".into(),
            shade_max: 20.0,
        };
        let panel = heat.panel("a".into(), &map);
        assert_eq!((panel.rows.len(), panel.rows[1].len(), panel.end), (2, 240, 24.0));
        assert_eq!((panel.rows[0][7], panel.rows[1][239]), (0.5, 10.5));
    }
}
