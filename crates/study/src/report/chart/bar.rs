//! Drawing of bar charts. Axes and legend are drawn in `axis`, `legend` and `canvas`.

use super::axis::{Scale, Ticks};
use super::canvas::{self, Canvas, wrap};
use super::frame::Frame;
use super::legend::{Legend, LegendKey};
use super::mark::{draw_published, hue};
use super::{Bar, BarChart, Group};
use crate::report::number::significant;
use crate::report::svg::text_width;
use plotters::prelude::*;

const NAME_TEXT: f64 = 12.0;
const VALUE_TEXT: f64 = 11.0;
/// The space between groups, in widths of a bar.
const GROUP_GAP: f64 = 0.8;

/// The horizontal layout of groups, in widths of a bar from the left.
struct BarLayout {
    width: f64,
    groups: Vec<f64>,
}

impl BarLayout {
    fn new(chart: &BarChart) -> BarLayout {
        let mut width = GROUP_GAP / 2.0;
        let mut groups = Vec::new();
        for group in &chart.groups {
            groups.push(width);
            width += group.bars.len().max(1) as f64 + GROUP_GAP;
        }
        BarLayout { width: (width - GROUP_GAP / 2.0).max(1.0), groups }
    }
}

/// Returns the chart as an SVG document.
pub fn draw(chart: &BarChart) -> String {
    let layout = BarLayout::new(chart);
    let heights = chart
        .groups
        .iter()
        .flat_map(|group| &group.bars)
        .flat_map(|bar| [height_above_zero(bar), bar.published.unwrap_or(0.0)]);
    let depths = chart.groups.iter().flat_map(|group| &group.bars).map(depth).filter(|depth| *depth < 0.0);
    let base = if chart.y.scale == Scale::Linear { Some(0.0) } else { None };
    let mut frame = Frame {
        title: &chart.title,
        x: ("", Ticks { range: (0.0, layout.width), ticks: Vec::new() }),
        y: (&chart.y.title, chart.y.ticks(heights.chain(depths).chain(base), true, 6)),
        x_grid: false,
        x_labels_height: 0.0,
        plot_height_min: canvas::PLOT_HEIGHT_MIN,
        legend: legend(chart),
    };
    let bar_width = canvas::plot_width(&frame) / layout.width;
    let (names, labelled) = (NameLayout::new(chart, bar_width), labelled(chart, bar_width));
    frame.x_labels_height = names.height + 4.0;
    let bottom = frame.y.1.range.0;
    canvas::draw(&frame, |canvas| {
        if base_position(chart, bottom) > bottom {
            let ends = [0.0, layout.width].map(|x| canvas.at(x, 0.0));
            canvas.draw_element(PathElement::new(ends, canvas::INK.stroke_width(2)));
        }
        for (group, &group_left) in chart.groups.iter().zip(&layout.groups) {
            for (i, bar) in group.bars.iter().enumerate() {
                draw_bar(canvas, chart, bar, i, (group_left + i as f64, bottom), labelled, &group.name);
            }
            names.draw(canvas, group, (group_left, bottom));
        }
    })
}

/// Returns the sum of the parts of a bar.
fn height(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite()).sum()
}

/// Returns the extent of a bar above 0.
fn height_above_zero(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite() && **part > 0.0).sum()
}

/// Returns the extent of a bar below 0. Negative parts are stacked downwards.
fn depth(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite() && **part < 0.0).sum()
}

/// Returns the base of the bars: 0, or the start of the axis if that is above 0.
fn base_position(chart: &BarChart, bottom: f64) -> f64 {
    if chart.y.scale == Scale::Linear { bottom.max(0.0) } else { bottom }
}

fn legend(chart: &BarChart) -> Legend {
    let mut legend = Legend::default();
    if chart.legend.len() > 1 {
        legend.entries = chart.legend.iter().enumerate().map(|(i, name)| (LegendKey::Box(i), name.clone())).collect();
        if chart.stacked {
            legend.entries.reverse(); // the order of the parts from the top
        }
    }
    if chart.groups.iter().flat_map(|group| &group.bars).any(|bar| bar.published.is_some()) {
        legend.entries.push((LegendKey::Published, "published".to_owned()));
    }
    legend
}

fn draw_bar(canvas: &Canvas, chart: &BarChart, bar: &Bar, i: usize, span: (f64, f64), labelled: bool, group: &str) {
    let (bar_left, bar_right) = (span.0 + 0.06, span.0 + 0.94);
    let base = base_position(chart, span.1);
    let position = |sum: f64| if sum == 0.0 { base } else { chart.y.position(sum).max(span.1) };
    let (mut up, mut down) = (0.0, 0.0);
    for (k, part) in bar.parts.iter().enumerate().filter(|(_, part)| part.is_finite()) {
        let colour = if chart.stacked { k } else { i };
        let sum = if *part < 0.0 { &mut down } else { &mut up };
        let from = position(*sum);
        *sum += part;
        let (from, to) = (canvas.at(bar_left, from), canvas.at(bar_right, position(*sum)));
        canvas.draw_element(Rectangle::new([from, to], hue(colour).filled()));
        let name = chart.legend.get(colour).map_or("", String::as_str);
        canvas.tooltip(from, to, &format!("{group} {}\n{name}: {}", bar.name, significant(*part, 4)));
    }
    let middle = (bar_left + bar_right) / 2.0;
    if !bar.parts.is_empty() && bar.parts.iter().all(|part| !part.is_finite()) {
        // A value that was not measured is drawn as a dash, and not as a bar of height 0.
        let (x, y) = canvas.to_data(canvas.at(middle, span.1));
        canvas.text((x, y - 8.0), VALUE_TEXT, "middle", false, "–");
        let (from, to) = (canvas.to_canvas((x - 8.0, y - 16.0)), canvas.to_canvas((x + 8.0, y)));
        return canvas.tooltip(from, to, &format!("{group} {}\nnot measured", bar.name));
    }
    if let Some(height) = bar.published {
        draw_published(canvas, canvas.at(middle, chart.y.position(height)));
    }
    if labelled {
        let (x, y) = canvas.to_data(canvas.at(middle, position(up)));
        canvas.text((x, y - 8.0), VALUE_TEXT, "middle", false, &significant(height(bar), 3));
    }
}

/// Returns whether heights are written above the bars. They are written above none if some do not fit or have a mark.
fn labelled(chart: &BarChart, bar_width: f64) -> bool {
    let value_fits = |bar: &Bar| text_width(&significant(height(bar), 3), VALUE_TEXT) <= bar_width;
    chart.groups.iter().flat_map(|group| &group.bars).all(|bar| bar.published.is_none() && value_fits(bar))
}

/// The layout of the names below the bars.
struct NameLayout {
    bars_rotated: bool,
    bars_height: f64,
    groups_rotated: bool,
    height: f64,
    bar_width: f64,
}

impl NameLayout {
    fn new(chart: &BarChart, bar_width: f64) -> NameLayout {
        let width = |name: &str| text_width(name, NAME_TEXT);
        let bar_names = || chart.groups.iter().flat_map(|group| &group.bars).map(|bar| width(&bar.name));
        let bar_widest = bar_names().fold(0.0, f64::max);
        let bars_rotated = bar_widest > bar_width;
        let bars_height = if bar_widest == 0.0 { 0.0 } else { if bars_rotated { bar_widest + 6.0 } else { 18.0 } };
        let names_fit =
            |group: &Group| group.name.split_whitespace().all(|word| width(word) <= group_width(group, bar_width));
        let groups_rotated = !chart.groups.iter().all(names_fit);
        let name_lines = |group: &Group| wrap(&group.name, NAME_TEXT, group_width(group, bar_width)).len() as f64;
        let groups_height = match groups_rotated {
            true => chart.groups.iter().map(|group| width(&group.name)).fold(0.0, f64::max) + 6.0,
            false => chart.groups.iter().map(name_lines).fold(0.0, f64::max) * 15.0 + 5.0,
        };
        NameLayout { bars_rotated, bars_height, groups_rotated, height: bars_height + groups_height, bar_width }
    }

    fn draw(&self, canvas: &Canvas, group: &Group, position: (f64, f64)) {
        for (i, bar) in group.bars.iter().enumerate().filter(|(_, bar)| !bar.name.is_empty()) {
            let (x, y) = canvas.to_data(canvas.at(position.0 + i as f64 + 0.5, position.1));
            match self.bars_rotated {
                true => canvas.text_upwards((x, y + 6.0), NAME_TEXT, &bar.name),
                false => canvas.text((x, y + 12.0), NAME_TEXT, "middle", false, &bar.name),
            }
        }
        let middle = position.0 + group.bars.len().max(1) as f64 / 2.0;
        let (x, y) = canvas.to_data(canvas.at(middle, position.1));
        if self.groups_rotated {
            return canvas.text_upwards((x, y + self.bars_height + 6.0), NAME_TEXT, &group.name);
        }
        for (i, line) in wrap(&group.name, NAME_TEXT, group_width(group, self.bar_width)).iter().enumerate() {
            canvas.text((x, y + self.bars_height + 12.0 + 15.0 * i as f64), NAME_TEXT, "middle", false, line);
        }
    }
}

fn group_width(group: &Group, bar_width: f64) -> f64 {
    (group.bars.len().max(1) as f64 + GROUP_GAP * 0.8) * bar_width
}
