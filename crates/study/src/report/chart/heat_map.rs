//! Drawing of heat maps: rows of cells over time, whose shades go from white for 0 to black for `shade_max` or more.
//! Panels are stacked vertically over a common axis.
//!
//! Adjacent cells of one shade are drawn as one rectangle, and white cells are not drawn. Rows are labelled by their
//! numbers.

use super::axis::Ticks;
use super::canvas::{self, Canvas, INK};
use super::frame::Frame;
use super::legend::{Legend, LegendKey};
use super::{HeatMap, Panel};
use crate::report::number::significant;
use plotters::prelude::*;

/// The number of shades, including white.
const SHADE_COUNT: usize = 33;
const NAME_TEXT_SIZE: f64 = 13.0;
const TICK_TEXT_SIZE: f64 = 12.0;
const PANEL_HEIGHT: f64 = 176.0;
const PANEL_NAME_HEIGHT: f64 = 24.0;
const SHADE_SCALE_HEIGHT: f64 = 150.0;
/// The colour beyond the end of a panel.
const BEYOND_PANEL_COLOUR: RGBColor = RGBColor(0xE3, 0xE6, 0xEA);
/// A white that the page does not replace by its background.
const ZERO_COLOUR: RGBColor = RGBColor(0xFE, 0xFE, 0xFE);

/// The vertical layout of panels, in pixels of the plot.
struct PanelLayout {
    height: f64,
}

impl PanelLayout {
    fn new(chart: &HeatMap) -> PanelLayout {
        PanelLayout { height: chart.panels.len().max(1) as f64 * (PANEL_HEIGHT + PANEL_NAME_HEIGHT) }
    }

    /// Returns the position of the top of a panel's row on the vertical axis, which points upwards.
    fn row_position(&self, panel: usize, row: usize, rows: usize) -> f64 {
        let height_above = panel as f64 * (PANEL_HEIGHT + PANEL_NAME_HEIGHT) + PANEL_NAME_HEIGHT;
        self.height - height_above - PANEL_HEIGHT * row as f64 / rows.max(1) as f64
    }
}

/// Returns the chart as an SVG document.
pub fn draw(chart: &HeatMap) -> String {
    let layout = PanelLayout::new(chart);
    let panel_ends = chart.panels.iter().map(|panel| panel.end);
    let frame = Frame {
        title: &chart.title,
        x: (&chart.x.title, chart.x.ticks(panel_ends.chain([0.0]), false, 6)),
        y: (&chart.y, Ticks { range: (0.0, layout.height), ticks: row_ticks(chart, &layout) }),
        x_grid: false,
        x_labels_height: 23.0,
        plot_height_min: layout.height,
        legend: Legend { entries: vec![(LegendKey::Heading, chart.shades.clone())] },
    };
    let x_range = frame.x.1.range;
    canvas::draw(&frame, |canvas| {
        // The frame's lines are covered beyond the panels.
        canvas.draw_element(Rectangle::new(
            corners(canvas, (x_range.0, layout.height), (x_range.1, 0.0), -3),
            WHITE.filled(),
        ));
        for (index, panel) in chart.panels.iter().enumerate() {
            draw_panel(canvas, chart, panel, &layout, index, x_range.1);
        }
        draw_shade_scale(canvas, chart, canvas.to_chart_pixels(canvas.pixel_at(x_range.1, layout.height)));
    })
}

/// Returns ticks in the middle of every few rows of every panel, labelled with the row's number.
fn row_ticks(chart: &HeatMap, layout: &PanelLayout) -> Vec<(f64, String)> {
    let mut ticks = Vec::new();
    for (index, panel) in chart.panels.iter().enumerate() {
        let rows = panel.rows.len();
        let label_step = [1, 2, 4, 8, 16, 32, 64, 128].into_iter().find(|every| rows <= every * 9).unwrap_or(256);
        let middle = |row| (layout.row_position(index, row, rows) + layout.row_position(index, row + 1, rows)) / 2.0;
        ticks.extend((0..rows).step_by(label_step).map(|row| (middle(row), row.to_string())));
    }
    ticks.reverse();
    ticks
}

/// Returns the canvas pixels of a rectangle on the axes, whose left edge is moved by `extra_pixels` pixels.
fn corners(canvas: &Canvas, from: (f64, f64), to: (f64, f64), extra_pixels: i32) -> [(i32, i32); 2] {
    let (from, to) = (canvas.pixel_at(from.0, from.1), canvas.pixel_at(to.0, to.1));
    [(from.0 + extra_pixels, from.1), to]
}

fn draw_panel(canvas: &Canvas, chart: &HeatMap, panel: &Panel, layout: &PanelLayout, index: usize, x_end: f64) {
    let (top, bottom) = (layout.row_position(index, 0, 1), layout.row_position(index, 1, 1));
    canvas.draw_element(Rectangle::new(corners(canvas, (0.0, top), (panel.end, bottom), 0), ZERO_COLOUR.filled()));
    for (row, values) in panel.rows.iter().enumerate() {
        let (row_top, row_bottom) =
            (layout.row_position(index, row, panel.rows.len()), layout.row_position(index, row + 1, panel.rows.len()));
        for (from, to, shade) in shade_spans(values, chart.shade_max) {
            let column_x = |column: usize| panel.end * column as f64 / values.len() as f64;
            let [from, to] = corners(canvas, (column_x(from), row_top), (column_x(to), row_bottom), 0);
            // One pixel of overlap prevents gaps between neighbours.
            let corner = (to.0 + 1, to.1 + 1);
            canvas.draw_element(Rectangle::new([from, corner], grey(shade).filled()));
        }
        let largest = values.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
        let [from, to] = corners(canvas, (0.0, row_top), (panel.end, row_bottom), 0);
        canvas.tooltip(from, to, &format!("{}\n{} {row}: at most {}", panel.name, chart.y, significant(largest, 3)));
    }
    let [from, to] = corners(canvas, (0.0, top), (panel.end, bottom), 0);
    if panel.end < x_end {
        let after_end = corners(canvas, (panel.end, top), (x_end, bottom), 0);
        canvas.draw_element(Rectangle::new(after_end, BEYOND_PANEL_COLOUR.filled()));
    }
    canvas.draw_element(Rectangle::new([from, to], INK.stroke_width(2)));
    let (x, y) = canvas.to_chart_pixels(from);
    canvas.text((x, y - 10.0), NAME_TEXT_SIZE, "start", true, &panel.name);
}

/// Returns the sequences of adjacent cells of one shade, without white ones: first column, end column and shade.
fn shade_spans(values: &[f64], scale_max: f64) -> Vec<(usize, usize, usize)> {
    let mut spans: Vec<(usize, usize, usize)> = Vec::new();
    for (column, value) in values.iter().enumerate() {
        match (spans.last_mut(), shade(*value, scale_max)) {
            (_, 0) => {}
            (Some(span), shade) if span.1 == column && span.2 == shade => span.1 = column + 1,
            (_, shade) => spans.push((column, column + 1, shade)),
        }
    }
    spans
}

/// Returns the shade of a value: 0 is white, and the last shade is black.
fn shade(value: f64, scale_max: f64) -> usize {
    let fraction = (value / scale_max).clamp(0.0, 1.0);
    if fraction.is_finite() { (fraction * (SHADE_COUNT - 1) as f64).round() as usize } else { 0 }
}

fn grey(shade: usize) -> RGBColor {
    let brightness = (254.0 * (1.0 - shade as f64 / (SHADE_COUNT - 1) as f64)).round() as u8;
    RGBColor(brightness, brightness, brightness)
}

/// Draws the scale of shades below the legend's heading. `corner` is the top right corner of the plot.
fn draw_shade_scale(canvas: &Canvas, chart: &HeatMap, corner: (f64, f64)) {
    let (left, top) = (corner.0 + 24.0, corner.1 + 50.0);
    let height = SHADE_SCALE_HEIGHT / SHADE_COUNT as f64;
    for shade in (0..SHADE_COUNT).rev() {
        let y = top + height * (SHADE_COUNT - 1 - shade) as f64;
        let (from, to) = (canvas.to_canvas_pixels((left, y)), canvas.to_canvas_pixels((left + 20.0, y + height)));
        // Shades are drawn from the darkest on, so that each covers the edge of the previous one.
        canvas.draw_element(Rectangle::new([(from.0, from.1 - 1), to], grey(shade).filled()));
    }
    canvas.draw_element(Rectangle::new(
        [canvas.to_canvas_pixels((left, top)), canvas.to_canvas_pixels((left + 20.0, top + SHADE_SCALE_HEIGHT))],
        INK.stroke_width(2),
    ));
    for part in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (y, value) = (top + SHADE_SCALE_HEIGHT * (1.0 - part), chart.shade_max * part);
        let or_more = if part == 1.0 { " or more" } else { "" };
        let text = format!("{}{or_more}", significant(value, 3));
        canvas.draw_element(PathElement::new(
            vec![canvas.to_canvas_pixels((left + 20.0, y)), canvas.to_canvas_pixels((left + 24.0, y))],
            INK.stroke_width(2),
        ));
        canvas.text((left + 28.0, y), TICK_TEXT_SIZE, "start", false, &text);
    }
}
