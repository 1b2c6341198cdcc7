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

const NAME_TEXT_SIZE: f64 = 12.0;
const VALUE_TEXT_SIZE: f64 = 11.0;
/// The space between groups, in widths of a bar.
const GROUP_GAP: f64 = 0.8;

/// The horizontal layout of groups, in widths of a bar from the left.
struct BarLayout {
    width: f64,
    group_lefts: Vec<f64>,
}

impl BarLayout {
    fn new(chart: &BarChart) -> BarLayout {
        let mut width = GROUP_GAP / 2.0;
        let mut group_lefts = Vec::new();
        for group in &chart.groups {
            group_lefts.push(width);
            width += group.bars.len().max(1) as f64 + GROUP_GAP;
        }
        BarLayout { width: (width - GROUP_GAP / 2.0).max(1.0), group_lefts }
    }
}

/// Returns the chart as an SVG document.
pub fn draw(chart: &BarChart) -> String {
    let layout = BarLayout::new(chart);
    let heights = bars(chart).flat_map(|bar| [height_above_zero(bar), bar.published.unwrap_or(0.0)]);
    let depths = bars(chart).map(depth_below_zero).filter(|depth| *depth < 0.0);
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
    let (name_layout, has_value_labels) = (NameLayout::new(chart, bar_width), can_label_values(chart, bar_width));
    frame.x_labels_height = name_layout.total_height + 4.0;
    let bottom = frame.y.1.range.0;
    canvas::draw(&frame, |canvas| {
        if base_position(chart, bottom) > bottom {
            let ends = [0.0, layout.width].map(|x| canvas.pixel_at(x, 0.0));
            canvas.draw_element(PathElement::new(ends, canvas::INK.stroke_width(2)));
        }
        for (group, &group_left) in chart.groups.iter().zip(&layout.group_lefts) {
            for (i, bar) in group.bars.iter().enumerate() {
                draw_bar(canvas, chart, bar, i, (group_left + i as f64, bottom), has_value_labels, &group.name);
            }
            name_layout.draw(canvas, group, (group_left, bottom));
        }
    })
}

fn bars(chart: &BarChart) -> impl Iterator<Item = &Bar> {
    chart.groups.iter().flat_map(|group| &group.bars)
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
fn depth_below_zero(bar: &Bar) -> f64 {
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
        if chart.is_stacked {
            legend.entries.reverse(); // the order of the parts from the top
        }
    }
    if bars(chart).any(|bar| bar.published.is_some()) {
        legend.entries.push((LegendKey::Published, "published".to_owned()));
    }
    legend
}

/// Draws a bar. `corner` is the left edge of the bar's space on the horizontal axis, and the start of the vertical
/// axis.
fn draw_bar(
    canvas: &Canvas,
    chart: &BarChart,
    bar: &Bar,
    bar_index: usize,
    corner: (f64, f64),
    has_value_labels: bool,
    group: &str,
) {
    let (bar_left, bar_right) = (corner.0 + 0.06, corner.0 + 0.94);
    let base = base_position(chart, corner.1);
    let position_of_sum = |sum: f64| if sum == 0.0 { base } else { chart.y.position(sum).max(corner.1) };
    let (mut sum_above_zero, mut sum_below_zero) = (0.0, 0.0);
    for (part_index, part) in bar.parts.iter().enumerate().filter(|(_, part)| part.is_finite()) {
        let colour = if chart.is_stacked { part_index } else { bar_index };
        let sum = if *part < 0.0 { &mut sum_below_zero } else { &mut sum_above_zero };
        let from = position_of_sum(*sum);
        *sum += part;
        let (from, to) = (canvas.pixel_at(bar_left, from), canvas.pixel_at(bar_right, position_of_sum(*sum)));
        canvas.draw_element(Rectangle::new([from, to], hue(colour).filled()));
        let name = chart.legend.get(colour).map_or("", String::as_str);
        canvas.tooltip(from, to, &format!("{group} {}\n{name}: {}", bar.name, significant(*part, 4)));
    }
    let middle = (bar_left + bar_right) / 2.0;
    if !bar.parts.is_empty() && bar.parts.iter().all(|part| !part.is_finite()) {
        // A value that was not measured is drawn as a dash, and not as a bar of height 0.
        let (x, y) = canvas.to_chart_pixels(canvas.pixel_at(middle, corner.1));
        canvas.text((x, y - 8.0), VALUE_TEXT_SIZE, "middle", false, "–");
        let (from, to) = (canvas.to_canvas_pixels((x - 8.0, y - 16.0)), canvas.to_canvas_pixels((x + 8.0, y)));
        return canvas.tooltip(from, to, &format!("{group} {}\nnot measured", bar.name));
    }
    if let Some(height) = bar.published {
        draw_published(canvas, canvas.pixel_at(middle, chart.y.position(height)));
    }
    if has_value_labels {
        let (x, y) = canvas.to_chart_pixels(canvas.pixel_at(middle, position_of_sum(sum_above_zero)));
        canvas.text((x, y - 8.0), VALUE_TEXT_SIZE, "middle", false, &significant(height(bar), 3));
    }
}

/// Returns whether heights are written above the bars. No height is written if one does not fit, or if
/// a bar has the mark of a published height.
fn can_label_values(chart: &BarChart, bar_width: f64) -> bool {
    let value_fits = |bar: &Bar| text_width(&significant(height(bar), 3), VALUE_TEXT_SIZE) <= bar_width;
    bars(chart).all(|bar| bar.published.is_none() && value_fits(bar))
}

/// The layout of the names below the bars.
struct NameLayout {
    are_bar_names_rotated: bool,
    bar_names_height: f64,
    are_group_names_rotated: bool,
    total_height: f64,
    bar_width: f64,
}

impl NameLayout {
    fn new(chart: &BarChart, bar_width: f64) -> NameLayout {
        let width = |name: &str| text_width(name, NAME_TEXT_SIZE);
        let bar_names = || bars(chart).map(|bar| width(&bar.name));
        let bar_name_width_max = bar_names().fold(0.0, f64::max);
        let are_bar_names_rotated = bar_name_width_max > bar_width;
        let bar_names_height = if bar_name_width_max == 0.0 {
            0.0
        } else {
            if are_bar_names_rotated { bar_name_width_max + 6.0 } else { 18.0 }
        };
        let names_fit =
            |group: &Group| group.name.split_whitespace().all(|word| width(word) <= group_width(group, bar_width));
        let are_group_names_rotated = !chart.groups.iter().all(names_fit);
        let name_lines = |group: &Group| wrap(&group.name, NAME_TEXT_SIZE, group_width(group, bar_width)).len() as f64;
        let group_names_height = match are_group_names_rotated {
            true => chart.groups.iter().map(|group| width(&group.name)).fold(0.0, f64::max) + 6.0,
            false => chart.groups.iter().map(name_lines).fold(0.0, f64::max) * 15.0 + 5.0,
        };
        NameLayout {
            are_bar_names_rotated,
            bar_names_height,
            are_group_names_rotated,
            total_height: bar_names_height + group_names_height,
            bar_width,
        }
    }

    /// Draws the names of a group and its bars below the point `corner` of the axes.
    fn draw(&self, canvas: &Canvas, group: &Group, corner: (f64, f64)) {
        for (i, bar) in group.bars.iter().enumerate().filter(|(_, bar)| !bar.name.is_empty()) {
            let (x, y) = canvas.to_chart_pixels(canvas.pixel_at(corner.0 + i as f64 + 0.5, corner.1));
            match self.are_bar_names_rotated {
                true => canvas.text_upwards((x, y + 6.0), NAME_TEXT_SIZE, &bar.name),
                false => canvas.text((x, y + 12.0), NAME_TEXT_SIZE, "middle", false, &bar.name),
            }
        }
        let middle = corner.0 + group.bars.len().max(1) as f64 / 2.0;
        let (x, y) = canvas.to_chart_pixels(canvas.pixel_at(middle, corner.1));
        if self.are_group_names_rotated {
            return canvas.text_upwards((x, y + self.bar_names_height + 6.0), NAME_TEXT_SIZE, &group.name);
        }
        for (i, line) in wrap(&group.name, NAME_TEXT_SIZE, group_width(group, self.bar_width)).iter().enumerate() {
            canvas.text((x, y + self.bar_names_height + 12.0 + 15.0 * i as f64), NAME_TEXT_SIZE, "middle", false, line);
        }
    }
}

fn group_width(group: &Group, bar_width: f64) -> f64 {
    (group.bars.len().max(1) as f64 + GROUP_GAP * 0.8) * bar_width
}
