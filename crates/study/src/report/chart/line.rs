//! Drawing of line charts. Axes and legend are drawn in `axis`, `legend` and `canvas`.

use super::canvas::{self, Canvas, INK};
use super::frame::Frame;
use super::legend::{Legend, LegendKey};
use super::mark::draw_mark;
use super::{LineChart, Note, Series, Style};
use crate::report::svg::text_width;
use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// The largest number of marks on a line. If a line has more points, only some of them have marks.
const MARKS_MAX: usize = 28;

/// Returns the chart as an SVG document.
pub fn draw(chart: &LineChart) -> String {
    let points =
        || chart.series.iter().flat_map(|series| &series.points).filter(|p| p.0.is_finite() && p.1.is_finite());
    let note_positions = |is_vertical: bool| {
        chart.notes.iter().filter(move |note| note.is_vertical == is_vertical).map(|note| note.position)
    };
    let frame = Frame {
        title: &chart.title,
        x: (&chart.x.title, chart.x.ticks(points().map(|p| p.0).chain(note_positions(true)), false, 6)),
        y: (&chart.y.title, chart.y.ticks(points().map(|p| p.1).chain(note_positions(false)), true, 6)),
        x_grid: true,
        x_labels_height: 23.0,
        plot_height_min: canvas::PLOT_HEIGHT_MIN,
        legend: Legend::default(),
    };
    let chart = &dash_overlapping(chart, frame.y.1.range);
    let frame = Frame { legend: legend(chart), ..frame };
    let (x_range, y_range) = (frame.x.1.range, frame.y.1.range);
    canvas::draw(&frame, |canvas| {
        // Texts of neighbouring annotations are placed below each other.
        chart.notes.iter().enumerate().for_each(|(row, note)| draw_note(canvas, chart, note, row, (x_range, y_range)));
        for (i, series) in chart.series.iter().enumerate() {
            draw_series(canvas, chart, series, series.styled_like.unwrap_or(i));
        }
    })
}

/// The distance of two lines, as a fraction of the axis, below which they overlap.
const OVERLAP_FRACTION_MAX: f64 = 0.005;

/// Returns the chart, in which each line that mostly overlaps an earlier one is dashed, so that both are visible. A
/// chart that already has dashed lines is unchanged.
fn dash_overlapping(chart: &LineChart, (low, high): (f64, f64)) -> LineChart {
    let mut adjusted = chart.clone();
    if chart.series.iter().any(|series| series.style == Style::Dashed) {
        return adjusted;
    }
    let is_near =
        |a: f64, b: f64| (chart.y.position(a) - chart.y.position(b)).abs() <= OVERLAP_FRACTION_MAX * (high - low);
    let covers = |lower: &Series, upper: &Series| {
        let is_on_lower_line =
            |(x, y): &&(f64, f64)| lower.points.iter().any(|(at, value)| at == x && is_near(*value, *y));
        upper.points.len() > 1 && 2 * upper.points.iter().filter(is_on_lower_line).count() > upper.points.len()
    };
    for (i, series) in chart.series.iter().enumerate().filter(|(_, series)| series.style == Style::Line) {
        let is_hidden = chart.series[..i]
            .iter()
            .zip(&adjusted.series)
            .any(|(earlier, adjusted)| adjusted.style == Style::Line && covers(earlier, series));
        if is_hidden {
            adjusted.series[i].style = Style::Dashed;
        }
    }
    adjusted
}

fn legend(chart: &LineChart) -> Legend {
    let mut legend = Legend::default();
    for (i, series) in chart.series.iter().enumerate() {
        let key = match series.style {
            Style::Line | Style::Curve | Style::Step => LegendKey::Line(series.styled_like.unwrap_or(i), false),
            Style::Dashed => LegendKey::Line(series.styled_like.unwrap_or(i), true),
            Style::Marks => LegendKey::Marks(vec![series.styled_like.unwrap_or(i)]),
        };
        // Published points of several series with the same name share an entry.
        let existing = legend.entries.iter_mut().find(|(_, name)| *name == series.name);
        match (existing, series.styled_like) {
            (Some((LegendKey::Marks(marks), _)), Some(like)) => marks.push(like),
            _ if series.name.is_empty() => (),
            _ => legend.entries.push((key, series.name.clone())),
        }
    }
    if legend.entries.len() == 1 {
        legend.entries.clear();
    }
    legend
}

const NOTE_TEXT_SIZE: f64 = 11.5;

/// Draws an annotation: a thin dashed line with its text at the upper or right end. The text of a vertical line is to
/// the left of the line if it does not fit to the right.
fn draw_note(
    canvas: &Canvas,
    chart: &LineChart,
    note: &Note,
    row: usize,
    (x_range, y_range): ((f64, f64), (f64, f64)),
) {
    let (x, y) = (chart.x.position(note.position), chart.y.position(note.position));
    let ends = match note.is_vertical {
        true => [canvas.pixel_at(x, y_range.0), canvas.pixel_at(x, y_range.1)],
        false => [canvas.pixel_at(x_range.0, y), canvas.pixel_at(x_range.1, y)],
    };
    canvas.draw_element(DashedPathElement::new(ends, 4, 6, INK.stroke_width(2)));
    let (x, y) = canvas.to_chart_pixels(ends[1]);
    let (last_x, _) = canvas.to_chart_pixels(canvas.pixel_at(x_range.1, y_range.0));
    let is_left = note.is_vertical && x + 5.0 + text_width(&note.text, NOTE_TEXT_SIZE) > last_x;
    match note.is_vertical {
        true if is_left => {
            canvas.text((x - 5.0, y + 9.0 + 14.0 * row as f64), NOTE_TEXT_SIZE, "end", false, &note.text)
        }
        true => canvas.text((x + 5.0, y + 9.0 + 14.0 * row as f64), NOTE_TEXT_SIZE, "start", false, &note.text),
        false => canvas.text((x - 4.0, y - 8.0), NOTE_TEXT_SIZE, "end", false, &note.text),
    }
}

fn draw_series(canvas: &Canvas, chart: &LineChart, series: &Series, i: usize) {
    let position = |&(x, y): &(f64, f64)| (chart.x.position(x), chart.y.position(y));
    let positions: Vec<(f64, f64)> = series.points.iter().map(position).collect();
    let is_finite_point = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
    if series.style != Style::Marks {
        for segment in positions.split(|p| !is_finite_point(p)).filter(|segment| segment.len() > 1) {
            canvas.stroke(&path(canvas, segment, series.style), i, series.style == Style::Dashed);
        }
    }
    let mark_step = if series.style == Style::Marks { 1 } else { positions.len().div_ceil(MARKS_MAX).max(1) };
    // The first point of a step line is the start of the line and not a value.
    let first = usize::from(series.style == Style::Step);
    for (point_index, position) in positions.iter().enumerate().skip(first).filter(|(_, p)| is_finite_point(p)) {
        let px = canvas.pixel_at(position.0, position.1);
        let is_marked = point_index % mark_step == 0 || point_index + 1 == positions.len();
        if is_marked {
            draw_mark(canvas, i, px, series.style == Style::Marks);
        } else if series.style == Style::Curve {
            continue;
        }
        let (x, y) = series.points[point_index];
        let text = format!(
            "{}\n{}: {}\n{}: {}",
            series.name,
            chart.x.title,
            chart.x.label(x),
            chart.y.title,
            chart.y.label(y)
        );
        canvas.tooltip((px.0 - 14, px.1 - 14), (px.0 + 14, px.1 + 14), &text);
    }
}

fn path(canvas: &Canvas, segment: &[(f64, f64)], style: Style) -> Vec<(i32, i32)> {
    if style != Style::Step {
        return segment.iter().map(|p| canvas.pixel_at(p.0, p.1)).collect();
    }
    let first = canvas.pixel_at(segment[0].0, segment[0].1);
    let steps = segment
        .windows(2)
        .flat_map(|pair| [canvas.pixel_at(pair[0].0, pair[1].1), canvas.pixel_at(pair[1].0, pair[1].1)]);
    [first].into_iter().chain(steps).collect()
}
