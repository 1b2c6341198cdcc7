//! Figures as data: what is drawn, over which axes, of which values. `report` draws.
//!
//! A figure has a picture, a table, or both; without a table of its own it has that of its picture. The
//! same code runs before the runs, over planned points, and tells what is wrong; so no figure names
//! what is not there.
//!
//! | file | reads and draws |
//! |---|---|
//! | `mod.rs` | what all figures have |
//! | `drawing.rs` | values while one is drawn, and what is wrong with them |
//! | `axis.rs` | axes |
//! | `lines.rs` | lines, marks, annotations |
//! | `bars.rs` | bars, grouped or stacked |
//! | `matrix.rs` | a cell for each of many runs, in rows and columns |
//! | `table.rs` | tables |
//! | `run.rs` | what one run shows: ledgers, packet flows, heat maps |

mod axis;
mod bars;
mod drawing;
mod lines;
mod matrix;
mod run;
mod table;

use super::expression::read::{Loops, loops, template};
use super::expression::{Mistake, Scope, Template};
use super::view::{ValueSource, View};
use crate::report::{Artifact, ReportTable};
use drawing::Drawing;
use narrows_core::text::{Said, Table};
use std::collections::BTreeSet;

/// A table or picture.
#[derive(Debug)]
pub struct Figure {
    /// The artifact it belongs to.
    pub artifact: Said,
    id: Template,
    title: Template,
    /// The heading inside the picture.
    chart: Option<Template>,
    caption: Template,
    /// One figure for each.
    each: Loops,
    gaps: bool,
    picture: Option<Picture>,
    table: Option<table::Columns>,
}

#[derive(Debug)]
enum Picture {
    Lines(lines::Lines),
    Bars(bars::Bars),
    Ledger(run::Ledgers),
    Flow(run::Flow),
    HeatMap(run::Heat),
    Matrix(matrix::Matrix),
    Rust(Said),
}

const PICTURES: [(&str, &str); 8] = [
    ("lines", "Lines over a common axis"),
    ("bars", "Groups of bars"),
    ("stacks", "Bars made of parts"),
    ("ledger", "Where the time of messages goes, a bar for each run"),
    ("packet-flow", "The transfers of engines over time, of a run that is traced"),
    ("heat-map", "A quantity over time, in rows, of runs that keep one"),
    ("matrix", "A cell for each of many runs, in rows and columns, shaded by a number or coloured by a word"),
    ("rust", "Drawn by a function of the program"),
];

/// The name of a point: holes are filled as points are named.
fn keyed(t: &Table<'_>, said: &Said) -> Template {
    template(t, said).keyed()
}

/// A picture, and the table of it.
type Drawn = (Option<String>, Option<ReportTable>);

impl Figure {
    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Figure {
        let artifact = t.phrase("artifact", "The artifact it belongs to, whose runs it shows").required();
        let id = t.phrase("id", "Its own name, which is that of its files; the artifact's if left out").optional();
        let title = t.phrase("title", "Its heading, with holes for expressions").required();
        let chart = t.phrase("chart", "The heading inside the picture, if another").optional();
        let caption = t.phrase("caption", "What to see in it, and how it was made, with holes").or("");
        let figure = Figure {
            id: template(t, id.as_ref().unwrap_or(&artifact)),
            title: template(t, &title),
            chart: chart.map(|chart| template(t, &chart)),
            caption: template(t, &caption),
            each: loops(t, "each", "One figure for each value of these axes, each as AXIS or AXIS in SET"),
            gaps: t
                .flag("gaps", "Whether what is not run or not measured is left blank; else it is an error")
                .or(false),
            picture: t.optional_alternatives("What is drawn", &PICTURES, Picture::read),
            table: t.optional_table("table", "A table instead of the picture's own", table::Columns::read),
            artifact,
        };
        if figure.picture.is_none() && figure.table.is_none() && !t.describing() {
            t.wrong("", "this figure shows nothing", "write one of [figure.lines], [figure.bars], … or [figure.table]");
        }
        figure
    }

    fn draw(&self, drawing: &Drawing) -> Vec<Artifact> {
        let scopes = drawing.each(&drawing.scope(), &self.each);
        scopes.iter().flat_map(|scope| self.draw_one(drawing, scope)).collect()
    }

    fn draw_one(&self, drawing: &Drawing, scope: &Scope) -> Vec<Artifact> {
        let title = drawing.words(scope, &self.title);
        let chart = self.chart.as_ref().map_or_else(|| title.clone(), |chart| drawing.words(scope, chart));
        let (svg, rows) = match &self.picture {
            Some(Picture::Lines(lines)) => lines.draw(drawing, scope, chart),
            Some(Picture::Bars(bars)) => bars.draw(drawing, scope, chart),
            Some(Picture::Ledger(ledgers)) => ledgers.draw(drawing, scope, &chart),
            Some(Picture::Flow(flow)) => flow.draw(drawing, scope, &chart),
            Some(Picture::HeatMap(heat)) => heat.draw(drawing, scope, chart),
            Some(Picture::Matrix(matrix)) => matrix.draw(drawing, scope, chart),
            Some(Picture::Rust(rust)) => return drawing.of_rust(rust),
            None => (None, None),
        };
        let rows = self.table.as_ref().map(|table| table.draw(drawing, scope)).or(rows);
        let (id, caption) = (drawing.words(scope, &self.id), drawing.words(scope, &self.caption));
        vec![Artifact { id, title, caption, svg, table: rows }]
    }
}

impl Picture {
    fn read(kind: &str, t: &mut Table<'_>) -> Picture {
        match kind {
            "lines" => Picture::Lines(lines::Lines::read(t)),
            "bars" => Picture::Bars(bars::Bars::read(t, false)),
            "stacks" => Picture::Bars(bars::Bars::read(t, true)),
            "ledger" => Picture::Ledger(run::Ledgers::read(t)),
            "packet-flow" => Picture::Flow(run::Flow::read(t)),
            "heat-map" => Picture::HeatMap(run::Heat::read(t)),
            "matrix" => Picture::Matrix(matrix::Matrix::read(t)),
            _ => Picture::Rust(t.phrase("name", "The function").required()),
        }
    }
}

impl Drawing<'_> {
    fn of_rust(&self, rust: &Said) -> Vec<Artifact> {
        match (self.view.builtins.figure(rust), self.view.source) {
            (Ok(draw), ValueSource::Ran(results)) => draw(results),
            (Ok(_), ValueSource::Planned(_)) => Vec::new(),
            (Err(stop), _) => {
                self.tell(stop.at(rust));
                Vec::new()
            }
        }
    }
}

/// Draws the figures of the artifacts, in the artifacts' order; returns them and the points to whose descriptions they
/// link.
pub fn draw(
    figures: &[Figure],
    view: &View,
    artifacts: &[&str],
) -> Result<(Vec<Artifact>, BTreeSet<String>), Vec<Mistake>> {
    let (mut drawn, mut linked, mut faults) = (Vec::new(), BTreeSet::new(), Vec::new());
    for artifact in artifacts {
        for figure in figures.iter().filter(|figure| figure.artifact.text == *artifact) {
            let drawing = Drawing::new(View { gaps: figure.gaps, ..*view });
            drawn.extend(figure.draw(&drawing));
            linked.append(&mut drawing.linked());
            faults.extend(drawing.faults());
        }
    }
    if faults.is_empty() { Ok((drawn, linked)) } else { Err(faults) }
}

/// Returns the names of a figure's pictures, and what is wrong with it if its artifact runs the points that `view`
/// plans.
pub fn planned(figure: &Figure, view: &View) -> (Vec<String>, Vec<Mistake>) {
    let drawing = Drawing::new(View { gaps: figure.gaps, ..*view });
    let ids = figure.draw(&drawing).into_iter().map(|artifact| artifact.id).collect();
    (ids, drawing.faults())
}
