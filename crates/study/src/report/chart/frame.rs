//! The frame of a chart: grid, axes, ticks and axis titles, drawn by plotters' mesh. Leaves out the
//! heading and the legend (`canvas`, `legend`).

use super::axis::Ticks;
use super::canvas::{INK, SCALE, font};
use super::legend::Legend;
use crate::report::svg::text_wide;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

const TICK_TEXT: f64 = 12.5;
const AXIS_TEXT: f64 = 13.5;
const GRID: RGBColor = RGBColor(0xE3, 0xE6, 0xEA);

/// The frame of a chart.
pub struct Frame<'a> {
    /// The heading.
    pub title: &'a str,
    /// The title and ticks of the axis below.
    pub x: (&'a str, Ticks),
    /// The title and ticks of the axis at the left.
    pub y: (&'a str, Ticks),
    /// Whether vertical grid lines are drawn.
    pub x_grid: bool,
    /// Room for the labels of the axis below, in pixels of the finished picture.
    pub x_labels_high: f64,
    /// How high the plot is at least, in pixels of the finished picture.
    pub plot_high_min: f64,
    /// The legend.
    pub legend: Legend,
}

impl Frame<'_> {
    /// Room left of the plot, in pixels of the finished picture: its margin, the title of the axis, its labels.
    pub fn left(&self) -> f64 {
        10.0 + self.y_labels_wide()
    }

    fn y_labels_wide(&self) -> f64 {
        self.y.1.ticks.iter().map(|tick| text_wide(&tick.1, TICK_TEXT)).fold(0.0, f64::max) + 36.0
    }
}

/// From positions on the axes to sheet pixels.
pub type ToPixels = Box<dyn Fn(f64, f64) -> (i32, i32)>;

/// Draws grid, axes, ticks and axis titles, below `top` and left of `right` (finished pixels).
pub fn draw_frame(root: &DrawingArea<SVGBackend, Shift>, frame: &Frame, top: f64, right: f64) -> ToPixels {
    let (x, y) = (&frame.x.1, &frame.y.1);
    let sheet = |px: f64| (px * SCALE) as i32;
    let mut chart = ChartBuilder::on(root)
        .margin_top(sheet(top))
        .margin_right(sheet(right))
        .margin_left(sheet(10.0))
        .margin_bottom(sheet(10.0))
        .x_label_area_size(sheet(frame.x_labels_high + if frame.x.0.is_empty() { 0.0 } else { 24.0 }))
        .y_label_area_size(sheet(frame.y_labels_wide()))
        .build_cartesian_2d(Placed::of(x), Placed::of(y))
        .expect("drawing to a string does not fail");
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRID.stroke_width(2)).light_line_style(TRANSPARENT).axis_style(INK.stroke_width(2));
    mesh.label_style(font(TICK_TEXT, FontStyle::Normal)).axis_desc_style(font(AXIS_TEXT, FontStyle::Normal));
    let (x_label, y_label) = (|p: &f64| x.label(*p), |p: &f64| y.label(*p));
    mesh.x_label_formatter(&x_label).y_label_formatter(&y_label).x_desc(frame.x.0).y_desc(frame.y.0);
    if !frame.x_grid {
        mesh.disable_x_mesh();
    }
    mesh.draw().expect("drawing to a string does not fail");
    let (x, y) = (Placed::of(x), Placed::of(y));
    let (columns, rows) = chart.plotting_area().get_pixel_range();
    Box::new(move |at_x, at_y| (x.map(&at_x, (columns.start, columns.end)), y.map(&at_y, (rows.end, rows.start))))
}

/// An axis as plotters knows it, with our ticks.
struct Placed {
    range: (f64, f64),
    ticks: Vec<f64>,
}

impl Placed {
    fn of(ticks: &Ticks) -> Placed {
        Placed { range: ticks.range, ticks: ticks.ticks.iter().map(|tick| tick.0).collect() }
    }
}

impl Ranged for Placed {
    type ValueType = f64;
    type FormatOption = DefaultFormatting;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let part = (value - self.range.0) / (self.range.1 - self.range.0);
        (f64::from(from) + part * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}
