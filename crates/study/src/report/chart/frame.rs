//! The frame of a chart: grid, axes, ticks and axis titles, drawn with the mesh of plotters. The title and the legend
//! are drawn in `canvas` and `legend`.

use super::axis::Ticks;
use super::canvas::{INK, SCALE, font};
use super::legend::Legend;
use crate::report::svg::text_width;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;

const TICK_TEXT_SIZE: f64 = 12.5;
const AXIS_TEXT_SIZE: f64 = 13.5;
const GRID_COLOUR: RGBColor = RGBColor(0xE3, 0xE6, 0xEA);

/// The frame of a chart.
pub struct Frame<'a> {
    /// The title of the chart.
    pub title: &'a str,
    /// The title and ticks of the horizontal axis.
    pub x: (&'a str, Ticks),
    /// The title and ticks of the vertical axis.
    pub y: (&'a str, Ticks),
    /// Whether vertical grid lines are drawn.
    pub x_grid: bool,
    /// The height of the labels of the horizontal axis, in pixels of the finished chart.
    pub x_labels_height: f64,
    /// The least height of the plot, in pixels of the finished chart.
    pub plot_height_min: f64,
    pub legend: Legend,
}

impl Frame<'_> {
    /// Returns the width of the area left of the plot (margin, axis title and labels), in pixels of the finished chart.
    pub fn left_margin(&self) -> f64 {
        10.0 + self.y_labels_width()
    }

    fn y_labels_width(&self) -> f64 {
        self.y.1.ticks.iter().map(|tick| text_width(&tick.1, TICK_TEXT_SIZE)).fold(0.0, f64::max) + 36.0
    }
}

/// The map from positions on the axes to canvas pixels.
pub type ToPixels = Box<dyn Fn(f64, f64) -> (i32, i32)>;

/// Draws grid, axes, ticks and axis titles, with the margins `top` and `right` in pixels of the finished chart.
pub fn draw_frame(root: &DrawingArea<SVGBackend, Shift>, frame: &Frame, top: f64, right: f64) -> ToPixels {
    let (x, y) = (&frame.x.1, &frame.y.1);
    let canvas_pixels = |px: f64| (px * SCALE) as i32;
    let mut chart = ChartBuilder::on(root)
        .margin_top(canvas_pixels(top))
        .margin_right(canvas_pixels(right))
        .margin_left(canvas_pixels(10.0))
        .margin_bottom(canvas_pixels(10.0))
        .x_label_area_size(canvas_pixels(frame.x_labels_height + if frame.x.0.is_empty() { 0.0 } else { 24.0 }))
        .y_label_area_size(canvas_pixels(frame.y_labels_width()))
        .build_cartesian_2d(PlottersAxis::new(x), PlottersAxis::new(y))
        .expect("drawing to a string does not fail");
    let mut mesh = chart.configure_mesh();
    mesh.bold_line_style(GRID_COLOUR.stroke_width(2)).light_line_style(TRANSPARENT).axis_style(INK.stroke_width(2));
    mesh.label_style(font(TICK_TEXT_SIZE, FontStyle::Normal)).axis_desc_style(font(AXIS_TEXT_SIZE, FontStyle::Normal));
    let (x_label, y_label) = (|p: &f64| x.label(*p), |p: &f64| y.label(*p));
    mesh.x_label_formatter(&x_label).y_label_formatter(&y_label).x_desc(frame.x.0).y_desc(frame.y.0);
    if !frame.x_grid {
        mesh.disable_x_mesh();
    }
    mesh.draw().expect("drawing to a string does not fail");
    let (x, y) = (PlottersAxis::new(x), PlottersAxis::new(y));
    let (columns, rows) = chart.plotting_area().get_pixel_range();
    Box::new(move |at_x, at_y| (x.map(&at_x, (columns.start, columns.end)), y.map(&at_y, (rows.end, rows.start))))
}

/// An axis for plotters, with the ticks of [`Ticks`].
struct PlottersAxis {
    range: (f64, f64),
    ticks: Vec<f64>,
}

impl PlottersAxis {
    fn new(ticks: &Ticks) -> PlottersAxis {
        PlottersAxis { range: ticks.range, ticks: ticks.ticks.iter().map(|tick| tick.0).collect() }
    }
}

impl Ranged for PlottersAxis {
    type ValueType = f64;
    type FormatOption = DefaultFormatting;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let fraction = (value - self.range.0) / (self.range.1 - self.range.0);
        (f64::from(from) + fraction * f64::from(to - from)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}
