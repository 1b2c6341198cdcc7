//! Charts as data, drawn to SVG: lines over a linear or logarithmic axis, grouped or stacked bars, heat
//! maps, and matrices. Each series has its own colour and mark; a paper's published points are hollow marks.
//!
//! Leaves out second axes, error bars and interaction beyond tooltips.

mod axis;
mod bar;
mod canvas;
mod frame;
mod heat_map;
mod label;
mod legend;
mod line;
mod mark;
mod matrix;

use super::table::{Cell, Column};
pub use axis::{Axis, Labels, Scale};

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// A line with filled marks.
    #[default]
    Line,
    /// A dashed line with filled marks.
    Dashed,
    /// Steps: the value of a point holds since the point before.
    Step,
    /// Hollow marks without a line: published points.
    Marks,
}

/// Points of one name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, in order of x; one that is not finite breaks the line.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: Style,
    /// The place in `LineChart::series` of the series whose colour and mark it shares.
    pub like: Option<usize>,
}

impl Series {
    /// A line with filled marks.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, ..Series::default() }
    }

    /// Published points, in the colour and mark of series number `like`.
    pub fn published(name: impl Into<String>, points: Vec<(f64, f64)>, like: usize) -> Series {
        Series { name: name.into(), points, style: Style::Marks, like: Some(like) }
    }

    /// The same points in another style.
    pub fn style(self, style: Style) -> Series {
        Series { style, ..self }
    }
}

/// Lines over a common axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// The axis below.
    pub x: Axis,
    /// The axis at the left.
    pub y: Axis,
    /// The lines and marks; later ones lie on top.
    pub series: Vec<Series>,
    /// Lines across, with words at them.
    pub notes: Vec<Note>,
}

/// A thin line across a chart, and words at it: a place that was found, or a paper's value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Note {
    /// Where it stands on its axis.
    pub at: f64,
    /// Whether it stands upright, at a place of the axis below; else it lies at one of the axis at the left.
    pub upright: bool,
    /// The words.
    pub text: String,
}

impl LineChart {
    /// The chart as a whole SVG document.
    pub fn svg(&self) -> String {
        line::draw(self)
    }
}

/// One bar.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bar {
    /// What stands beneath it within its group; may be empty.
    pub name: String,
    /// Its parts, from the bottom; a single part for a plain bar.
    pub parts: Vec<f64>,
    /// The published height, drawn as a hollow mark.
    pub published: Option<f64>,
}

/// Bars standing together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Group {
    /// What stands beneath them all.
    pub name: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// Groups of bars.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarChart {
    /// The heading.
    pub title: String,
    /// The axis at the left.
    pub y: Axis,
    /// The legend: names of parts if `stacked`, else of the bars of a group, in order.
    pub legend: Vec<String>,
    /// Whether colours tell parts of a bar (else bars of a group).
    pub stacked: bool,
    /// The bars.
    pub groups: Vec<Group>,
}

impl BarChart {
    /// One group per category, in it one bar per series.
    pub fn grouped(title: &str, y_title: &str, categories: &[&str], series: &[(&str, Vec<f64>)]) -> BarChart {
        let bar = |values: &[f64], i: usize| Bar { parts: vec![values[i]], ..Bar::default() };
        let group = |(i, name): (usize, &&str)| Group {
            name: (*name).to_owned(),
            bars: series.iter().map(|(_, values)| bar(values, i)).collect(),
        };
        BarChart {
            title: title.to_owned(),
            y: Axis::new(y_title),
            legend: series.iter().map(|(name, _)| (*name).to_owned()).collect(),
            stacked: false,
            groups: categories.iter().enumerate().map(group).collect(),
        }
    }

    /// One bar per name, stacked of `parts`.
    pub fn stacked(
        title: &str,
        y_title: &str,
        parts: &[&str],
        bars: impl IntoIterator<Item = (String, Vec<f64>)>,
    ) -> BarChart {
        let group = |(name, parts)| Group { name, bars: vec![Bar { parts, ..Bar::default() }] };
        BarChart {
            title: title.to_owned(),
            y: Axis::new(y_title),
            legend: parts.iter().map(|&name| name.to_owned()).collect(),
            stacked: true,
            groups: bars.into_iter().map(group).collect(),
        }
    }

    /// The chart as a whole SVG document.
    pub fn svg(&self) -> String {
        bar::draw(self)
    }
}

/// One part of a heat map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Panel {
    /// What stands above it.
    pub name: String,
    /// Its cells: rows from the top, each of equally wide columns.
    pub rows: Vec<Vec<f64>>,
    /// Where on the axis below its last column ends; the first begins at zero.
    pub to: f64,
}

/// Rows of cells shaded by their value, in panels that share the axis below.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatMap {
    /// The heading.
    pub title: String,
    /// The axis below.
    pub x: Axis,
    /// What a row is.
    pub y: String,
    /// What is shaded, with its unit.
    pub shades: String,
    /// The value from which on a cell is black.
    pub most: f64,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

impl HeatMap {
    /// The chart as a whole SVG document.
    pub fn svg(&self) -> String {
        heat_map::draw(self)
    }
}

/// A cell of a matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixCell {
    /// A number, by which it is shaded, or a word, by which it is coloured.
    pub value: Cell,
    /// What it links to.
    pub link: Option<String>,
}

/// Cells in rows and columns, shaded by numbers or coloured by words.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// The heading.
    pub title: String,
    /// What the columns and the rows are, where their names do not say it.
    pub axes: Vec<String>,
    /// For each row its names, its own last; those of equal names before that stand together.
    pub rows: Vec<Vec<String>>,
    /// For each column its names.
    pub columns: Vec<Vec<String>>,
    /// What cells show, with the unit.
    pub shades: Column,
    /// Whether shades follow the logarithm.
    pub is_logarithmic: bool,
    /// For each row its cells, one a column; none where nothing is known.
    pub cells: Vec<Vec<Option<MatrixCell>>>,
    /// Points among the cells.
    pub marks: Vec<MatrixMark>,
}

/// A point among the cells of a matrix, where rows and columns are places on scales.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixMark {
    /// Its name.
    pub name: String,
    /// Which row it is at: 0 is the middle of the first, 0.5 between that and the second.
    pub row: f64,
    /// Which column.
    pub column: f64,
    /// Its places on the scales, as words.
    pub words: String,
}

impl Matrix {
    /// The same without rows and columns in which nothing stands; all of them where there are points among them.
    pub fn without_blanks(mut self) -> Matrix {
        if !self.marks.is_empty() {
            return self;
        }
        let mut is_used = self.cells.iter().map(|row| row.iter().any(Option::is_some));
        self.rows.retain(|_| is_used.next() == Some(true));
        self.cells.retain(|row| row.iter().any(Option::is_some));
        let is_used: Vec<bool> =
            (0..self.columns.len()).map(|at| self.cells.iter().any(|row| row[at].is_some())).collect();
        let mut columns = is_used.iter();
        self.columns.retain(|_| columns.next() == Some(&true));
        for row in &mut self.cells {
            let mut columns = is_used.iter();
            row.retain(|_| columns.next() == Some(&true));
        }
        self
    }

    /// The picture as a whole SVG document.
    pub fn svg(&self) -> String {
        matrix::draw(self)
    }
}

#[cfg(test)]
mod tests;
