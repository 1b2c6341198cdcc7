//! Charts as data, drawn to SVG: lines over a linear or logarithmic axis, grouped or stacked bars, heat maps, and
//! matrices. Each series has a distinct colour and mark; a paper's published points are hollow marks.
//!
//! Second axes, error bars and interaction beyond tooltips are not supported.

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
pub use axis::{Axis, LabelFormat, Scale};

/// The style of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// A line with filled marks.
    #[default]
    Line,
    /// A dashed line with filled marks.
    Dashed,
    /// A line with filled marks at some of its points only, for many points.
    Curve,
    /// Steps: the value of a point holds from the previous point on.
    Step,
    /// Hollow marks without a line: published points.
    Marks,
}

/// A named series of points.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, in order of x. The line is interrupted at a point that is not finite.
    pub points: Vec<(f64, f64)>,
    /// The style of the series.
    pub style: Style,
    /// The index in `LineChart::series` of the series whose colour and mark it shares.
    pub styled_like: Option<usize>,
}

impl Series {
    /// Returns a line with filled marks.
    pub fn line(name: impl Into<String>, points: Vec<(f64, f64)>) -> Series {
        Series { name: name.into(), points, ..Series::default() }
    }

    /// Returns published points in the colour and mark of the series with the index `like`.
    pub fn published(name: impl Into<String>, points: Vec<(f64, f64)>, like: usize) -> Series {
        Series { name: name.into(), points, style: Style::Marks, styled_like: Some(like) }
    }

    /// Returns the series in another style.
    pub fn style(self, style: Style) -> Series {
        Series { style, ..self }
    }
}

/// A line chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LineChart {
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines and marks. Later ones are drawn on top.
    pub series: Vec<Series>,
    /// The annotations.
    pub notes: Vec<Note>,
}

/// An annotation: a thin line across a chart with a text. It marks, for example, a position that was found or a paper's
/// value.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Note {
    /// The position on the axis that the line crosses.
    pub position: f64,
    /// Whether the line is vertical, at a position on the horizontal axis; otherwise it is horizontal.
    pub is_vertical: bool,
    /// The text at the line.
    pub text: String,
}

impl LineChart {
    /// Returns the chart as a complete SVG document.
    pub fn svg(&self) -> String {
        line::draw(self)
    }
}

/// A bar.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Bar {
    /// The name below the bar within its group, which may be empty.
    pub name: String,
    /// The parts, from the bottom. A plain bar has a single part.
    pub parts: Vec<f64>,
    /// The published height, which is drawn as a hollow mark.
    pub published: Option<f64>,
}

/// A group of bars.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Group {
    /// The name below the group.
    pub name: String,
    /// The bars.
    pub bars: Vec<Bar>,
}

/// A bar chart.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BarChart {
    /// The heading.
    pub title: String,
    /// The vertical axis.
    pub y: Axis,
    /// The legend, in order: the names of the parts if `is_stacked` is true, otherwise the names of the bars of a
    /// group.
    pub legend: Vec<String>,
    /// Whether colours distinguish the parts of a bar, and not the bars of a group.
    pub is_stacked: bool,
    /// The bars.
    pub groups: Vec<Group>,
}

impl BarChart {
    /// Returns a chart with a group for each category. In each group there is a bar for each series.
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
            is_stacked: false,
            groups: categories.iter().enumerate().map(group).collect(),
        }
    }

    /// Returns a chart with a bar for each name, which is stacked from `parts`.
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
            is_stacked: true,
            groups: bars.into_iter().map(group).collect(),
        }
    }

    /// Returns the chart as a complete SVG document.
    pub fn svg(&self) -> String {
        bar::draw(self)
    }
}

/// A panel of a heat map.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Panel {
    /// The name above the panel.
    pub name: String,
    /// The cells, as rows from the top. The columns of a row have equal widths.
    pub rows: Vec<Vec<f64>>,
    /// The end of the last column on the horizontal axis. The first column begins at 0.
    pub end: f64,
}

/// A heat map: rows of cells shaded by their value, in panels that share the horizontal axis.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HeatMap {
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The meaning of a row.
    pub y: String,
    /// The quantity that is shaded, with its unit.
    pub shades: String,
    /// The value above which a cell is black.
    pub shade_max: f64,
    /// The panels, from the top.
    pub panels: Vec<Panel>,
}

impl HeatMap {
    /// Returns the chart as a complete SVG document.
    pub fn svg(&self) -> String {
        heat_map::draw(self)
    }
}

/// A cell of a matrix.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixCell {
    /// A number, by which the cell is shaded, or a text, by which it is coloured.
    pub value: Cell,
    /// The target of the cell's link.
    pub link: Option<String>,
}

/// A matrix: cells in rows and columns, shaded by numbers or coloured by texts.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// The heading.
    pub title: String,
    /// The titles of the columns and rows, if their names are not clear.
    pub axes: Vec<String>,
    /// The names of each row, one for each axis; rows that differ only in the last name form a group.
    pub rows: Vec<Vec<String>>,
    /// The names of each column, one for each axis.
    pub columns: Vec<Vec<String>>,
    /// The quantity that the cells show, with its unit.
    pub shades: Column,
    /// Whether the scale of shades is logarithmic.
    pub is_logarithmic: bool,
    /// The cells of each row, one for each column; `None` where there is no value.
    pub cells: Vec<Vec<Option<MatrixCell>>>,
    /// The marks between the cells.
    pub marks: Vec<MatrixMark>,
}

/// A mark between the cells of a matrix whose rows and columns are numbers.
#[derive(Clone, PartialEq, Debug)]
pub struct MatrixMark {
    /// The name at the mark.
    pub name: String,
    /// The position in rows: 0 is the middle of the first row, and 0.5 is between the first and the second row.
    pub row: f64,
    /// The position in columns.
    pub column: f64,
    /// The values of the mark on the scales of rows and columns, as text.
    pub position_text: String,
}

impl Matrix {
    /// Returns the matrix without empty rows and columns; a matrix with marks is unchanged.
    pub fn without_blanks(mut self) -> Matrix {
        if !self.marks.is_empty() {
            return self;
        }
        let mut is_row_used = self.cells.iter().map(|row| row.iter().any(Option::is_some));
        self.rows.retain(|_| is_row_used.next() == Some(true));
        self.cells.retain(|row| row.iter().any(Option::is_some));
        let is_column_used: Vec<bool> =
            (0..self.columns.len()).map(|column| self.cells.iter().any(|row| row[column].is_some())).collect();
        let mut columns = is_column_used.iter();
        self.columns.retain(|_| columns.next() == Some(&true));
        for row in &mut self.cells {
            let mut columns = is_column_used.iter();
            row.retain(|_| columns.next() == Some(&true));
        }
        self
    }

    /// Returns the chart as an SVG document.
    pub fn svg(&self) -> String {
        matrix::draw(self)
    }
}

#[cfg(test)]
mod tests;
