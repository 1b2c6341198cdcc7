//! What single runs show: where the time of their messages goes, the transfers of their engines, a
//! quantity over time.

use super::axis::Shown;
use super::drawing::Drawing;
use super::{Drawn, ReportTable};
use crate::report::ledger::{self, MeanStage};
use crate::report::{BarChart, Cell, Column, HeatMap, MeanLedger, PacketFlow, Panel, steps};
use crate::study::expression::read::{Loops, loops, template};
use crate::study::expression::{Scope, Template};
use narrows_core::engine::{Map, Time};
use narrows_core::text::kind::{Phrase, Several};
use narrows_core::text::{Said, Table};

/// Mean ledgers, a bar for each run.
#[derive(Debug)]
pub struct Ledgers {
    each: Loops,
    name: Template,
    point: Template,
    column: String,
    decimals: usize,
    /// Stages told together, each by the last part of its name; of others a place of its own.
    places: Vec<(Said, Vec<Said>)>,
}

/// What a stage counts to that no place names.
const OTHER: &str = "other";

impl Ledgers {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> Ledgers {
        let name = t.phrase("name", "What a run is called, with holes").required();
        let point = t.phrase("point", "The point of a run, with holes").required();
        let places =
            t.by_name("places", "Stages told together, each by the last part of its name", Several::of(Phrase));
        let places = places.optional().unwrap_or_default();
        Ledgers {
            each: loops(t, "each", "A bar for each value of these axes"),
            name: template(t, &name),
            point: super::keyed(t, &point),
            column: t.text("column", "What a run is, as the head of a column").or("case"),
            decimals: t.count("decimals", "Decimals of times in the table").max(12).or(2) as usize,
            places,
        }
    }

    /// The chart, and a table of all stages.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: &str) -> Drawn {
        let each = drawing.each(scope, &self.each);
        let of = |scope: &Scope| {
            let (name, run) = (drawing.words(scope, &self.name), drawing.run(scope, &self.point));
            Some((name, MeanLedger::of(&run?.ledger)))
        };
        let cases: Vec<(String, MeanLedger)> = each.iter().filter_map(of).collect();
        let chart =
            if self.places.is_empty() { ledger::comparison(title, &cases) } else { self.by_place(title, &cases) };
        (Some(chart.svg()), Some(self.table(&cases)))
    }

    fn place(&self, stage: &MeanStage) -> &str {
        let last = stage.name.rsplit(": ").next().unwrap_or(&stage.name);
        let found = self.places.iter().find(|(_, stages)| stages.iter().any(|known| known.text == last));
        found.map_or(OTHER, |(place, _)| &place.text)
    }

    fn by_place(&self, title: &str, cases: &[(String, MeanLedger)]) -> BarChart {
        let mut places: Vec<&str> = self.places.iter().map(|(place, _)| place.text.as_str()).collect();
        let stages = || cases.iter().flat_map(|(_, ledger)| &ledger.stages);
        places.extend(stages().any(|stage| self.place(stage) == OTHER && stage.total_us() > 0.0).then_some(OTHER));
        let time = |ledger: &MeanLedger, place: &str| {
            ledger.stages.iter().filter(|stage| self.place(stage) == place).map(MeanStage::total_us).sum()
        };
        let bar = |(name, ledger): &(String, MeanLedger)| {
            (name.clone(), places.iter().map(|place| time(ledger, place)).collect::<Vec<f64>>())
        };
        BarChart::stacked(title, "mean time [µs]", &places, cases.iter().map(bar))
    }

    fn table(&self, cases: &[(String, MeanLedger)]) -> ReportTable {
        let has_places = !self.places.is_empty();
        let mut columns = vec![Column::new(&self.column), Column::new("stage")];
        columns.extend(has_places.then(|| Column::new("place")));
        columns.extend(["waiting", "service"].map(|name| Column::unit(name, "us").decimals(self.decimals)));
        let mut table = ReportTable::new(columns);
        for (name, stage) in
            cases.iter().flat_map(|(name, ledger)| ledger.stages.iter().map(move |stage| (name, stage)))
        {
            let mut row = vec![name.as_str().into(), stage.name.as_str().into()];
            row.extend(has_places.then(|| self.place(stage).into()));
            row.extend([stage.waiting_us.into(), stage.service_us.into()]);
            table.push(row);
        }
        table
    }
}

/// The transfers of engines over time, or how fast each was.
#[derive(Debug)]
pub struct Flow {
    point: Template,
    /// For each band the node, the engine's track there.
    bands: Vec<(Said, Vec<Said>)>,
    until: Time,
    is_steps: bool,
    /// Transfers of less count with the one after them.
    least: u64,
}

impl Flow {
    /// Reads it.
    pub fn read(t: &mut Table<'_>) -> Flow {
        let point = t.phrase("point", "The point of a run that is traced, with holes").required();
        let pair = Several { each: Phrase, fewest: 2, most: 2 };
        let flow = Flow {
            point: super::keyed(t, &point),
            bands: t
                .by_name("bands", "The engines from the top, each with the node it is in and its name there", pair)
                .required(),
            until: t.time("until", "The end of what is shown").required(),
            is_steps: t.flag("steps", "Whether each engine's bandwidth is drawn, as steps").or(false),
            least: t.bytes("least", "With `steps`, transfers of less count with the one after them").or("0 B").get(),
        };
        if flow.until == Time::ZERO {
            t.wrong("until", "nothing is shown until then", "");
        }
        flow
    }

    /// The graph, and a table of its transfers or steps.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: &str) -> Drawn {
        let Some(run) = drawing.run(scope, &self.point) else { return (None, None) };
        let bands = self.bands.iter().map(|(name, of)| (name.text.as_str(), of[0].text.as_str(), of[1].text.as_str()));
        let mut graph = PacketFlow::of(title, &run.timeline, &bands.collect::<Vec<_>>());
        graph.transfers.retain(|transfer| transfer.start < self.until);
        graph.window = (Time::ZERO, self.until);
        match self.is_steps {
            true => self.steps(&graph, title),
            false => (Some(graph.svg()), Some(transfers(&graph))),
        }
    }

    fn steps(&self, graph: &PacketFlow, title: &str) -> Drawn {
        let chart = steps::steps(graph, title, self.least);
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

/// A quantity over time, in rows, a panel for each run.
#[derive(Debug)]
pub struct Heat {
    each: Loops,
    name: Template,
    point: Template,
    x: Shown,
    /// How many cycles are one on the axis below.
    cycles: f64,
    rows: String,
    shades: String,
    most: f64,
}

/// The most columns that are drawn; more are drawn as their means.
const COLUMNS_MAX: usize = 240;

impl Heat {
    /// Reads it.
    pub fn read(t: &mut Table<'_>) -> Heat {
        let name = t.phrase("name", "What a panel is called, with holes").required();
        let point = t.phrase("point", "The point of a run that keeps a quantity over time, with holes").required();
        let heat = Heat {
            each: loops(t, "each", "A panel for each value of these axes"),
            name: template(t, &name),
            point: super::keyed(t, &point),
            x: t.table("x", "The axis below", Shown::read),
            cycles: t.number("cycles", "How many cycles are one on the axis below").min(1.0).or(1.0),
            rows: t.text("rows", "What a row is").required(),
            shades: t.text("shades", "What is shaded, with its unit").required(),
            most: t.number("most", "The value from which on a cell is black").required(),
        };
        if heat.most <= 0.0 {
            t.wrong("most", "it must be more than nothing", "");
        }
        heat
    }

    /// The map.
    pub fn draw(&self, drawing: &Drawing, scope: &Scope, title: String) -> Drawn {
        let mut panels = Vec::new();
        for scope in drawing.each(scope, &self.each) {
            let (name, run) = (drawing.words(&scope, &self.name), drawing.run(&scope, &self.point));
            panels.extend(run.and_then(|run| run.map.as_ref()).map(|map| self.panel(name, map)));
        }
        let table = self.table(&panels);
        let (rows, shades) = (self.rows.clone(), self.shades.clone());
        let chart = HeatMap { title, x: self.x.axis(), y: rows, shades, most: self.most, panels };
        (Some(chart.svg()), Some(table))
    }

    /// A row for each cell: its panel, its row, where it begins on the axis below, and its value.
    fn table(&self, panels: &[Panel]) -> ReportTable {
        let heads = [Column::new("panel"), Column::new(&self.rows), self.x.column(), Column::new(&self.shades)];
        let mut table = ReportTable::new(heads.into());
        for panel in panels {
            for (row, cells) in panel.rows.iter().enumerate() {
                let wide = panel.to / cells.len().max(1) as f64;
                for (at, value) in cells.iter().enumerate() {
                    let place = Cell::Number(wide * at as f64);
                    table.push(vec![panel.name.as_str().into(), (row as u64).into(), place, (*value).into()]);
                }
            }
        }
        table
    }

    fn panel(&self, name: String, map: &Map) -> Panel {
        let every = map.columns.div_ceil(COLUMNS_MAX).max(1);
        let mean = |cells: &[u32]| cells.iter().map(|cell| f64::from(*cell)).sum::<f64>() / cells.len() as f64;
        let rows = (0..map.rows).map(|row| map.row(row).chunks(every).map(mean).collect());
        Panel { name, rows: rows.collect(), to: (map.columns as u64 * map.every_cycles) as f64 / self.cycles }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::expression;

    #[test]
    fn more_samples_than_are_drawn_are_drawn_as_means() {
        let values = (0..2).flat_map(|row| (0..480).map(move |column| 10 * row + column % 2)).collect();
        let map = Map { name: "pending", unit: "", rows: 2, columns: 480, every_cycles: 50, values };
        let nothing = || expression::template(&Said::unplaced("")).expect("no holes");
        let heat = Heat {
            each: Loops::default(),
            name: nothing(),
            point: nothing(),
            x: Shown::plain("time"),
            cycles: 1000.0,
            rows: "receiver".into(),
            shades: "packets".into(),
            most: 20.0,
        };
        let panel = heat.panel("a".into(), &map);
        assert_eq!((panel.rows.len(), panel.rows[1].len(), panel.to), (2, 240, 24.0));
        assert_eq!((panel.rows[0][7], panel.rows[1][239]), (0.5, 10.5));
    }
}
