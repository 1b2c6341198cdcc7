//! Draws a line chart. Leaves out axes and legend layout (`axis`, `legend`, `canvas`).

use super::canvas::{self, Canvas};
use super::frame::Frame;
use super::legend::{Key, Legend};
use super::mark::mark;
use super::{LineChart, Series, Style};

/// A line with more points than this is marked at only some of them.
const MARKS_MAX: usize = 28;

/// The chart as a whole SVG document.
pub fn draw(chart: &LineChart) -> String {
    let points =
        || chart.series.iter().flat_map(|series| &series.points).filter(|p| p.0.is_finite() && p.1.is_finite());
    let frame = Frame {
        title: &chart.title,
        x: (&chart.x.title, chart.x.ticks(points().map(|p| p.0), false, 6)),
        y: (&chart.y.title, chart.y.ticks(points().map(|p| p.1), true, 6)),
        x_grid: true,
        x_labels_high: 23.0,
        plot_high_min: canvas::PLOT_HIGH_MIN,
        legend: legend(chart),
    };
    canvas::draw(&frame, |canvas| {
        for (i, series) in chart.series.iter().enumerate() {
            draw_series(canvas, chart, series, series.like.unwrap_or(i));
        }
    })
}

fn legend(chart: &LineChart) -> Legend {
    let mut legend = Legend::default();
    for (i, series) in chart.series.iter().enumerate() {
        let key = match series.style {
            Style::Line | Style::Step => Key::Line(series.like.unwrap_or(i), false),
            Style::Dashed => Key::Line(series.like.unwrap_or(i), true),
            Style::Marks => Key::Marks(vec![series.like.unwrap_or(i)]),
        };
        // Published points of several series under one name need saying once.
        let said = legend.entries.iter_mut().find(|(_, name)| *name == series.name);
        match (said, series.like) {
            (Some((Key::Marks(marks), _)), Some(like)) => marks.push(like),
            _ if series.name.is_empty() => (),
            _ => legend.entries.push((key, series.name.clone())),
        }
    }
    if legend.entries.len() == 1 {
        legend.entries.clear();
    }
    legend
}

fn draw_series(canvas: &Canvas, chart: &LineChart, series: &Series, i: usize) {
    let place = |&(x, y): &(f64, f64)| (chart.x.position(x), chart.y.position(y));
    let places: Vec<(f64, f64)> = series.points.iter().map(place).collect();
    let finite = |p: &(f64, f64)| p.0.is_finite() && p.1.is_finite();
    if series.style != Style::Marks {
        for run in places.split(|p| !finite(p)).filter(|run| run.len() > 1) {
            canvas.stroke(&path(canvas, run, series.style), i, series.style == Style::Dashed);
        }
    }
    let every = if series.style == Style::Marks { 1 } else { places.len().div_ceil(MARKS_MAX).max(1) };
    // The first point of steps is where they start, not a value.
    let first = usize::from(series.style == Style::Step);
    for (k, at) in places.iter().enumerate().skip(first).filter(|(_, p)| finite(p)) {
        let px = canvas.at(at.0, at.1);
        if k % every == 0 || k + 1 == places.len() {
            mark(canvas, i, px, series.style == Style::Marks);
        }
        let (x, y) = series.points[k];
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

fn path(canvas: &Canvas, run: &[(f64, f64)], style: Style) -> Vec<(i32, i32)> {
    if style != Style::Step {
        return run.iter().map(|p| canvas.at(p.0, p.1)).collect();
    }
    let first = canvas.at(run[0].0, run[0].1);
    let steps = run.windows(2).flat_map(|pair| [canvas.at(pair[0].0, pair[1].1), canvas.at(pair[1].0, pair[1].1)]);
    [first].into_iter().chain(steps).collect()
}
