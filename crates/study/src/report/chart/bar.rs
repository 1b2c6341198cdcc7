//! Draws a bar chart. Leaves out axes and legend layout (`axis`, `legend`, `canvas`).

use super::axis::{Scale, Ticks};
use super::canvas::{self, Canvas, wrap};
use super::frame::Frame;
use super::legend::{Key, Legend};
use super::mark::{hue, published};
use super::{Bar, BarChart, Group};
use crate::report::number::significant;
use crate::report::svg::text_wide;
use plotters::prelude::*;

const NAME_TEXT: f64 = 12.0;
const VALUE_TEXT: f64 = 11.0;
/// Room between groups, in widths of a bar.
const GAP: f64 = 0.8;

/// Where bars and groups stand, in widths of a bar from the left.
struct Places {
    wide: f64,
    groups: Vec<f64>,
}

impl Places {
    fn of(chart: &BarChart) -> Places {
        let mut wide = GAP / 2.0;
        let mut groups = Vec::new();
        for group in &chart.groups {
            groups.push(wide);
            wide += group.bars.len().max(1) as f64 + GAP;
        }
        Places { wide: (wide - GAP / 2.0).max(1.0), groups }
    }
}

/// The chart as a whole SVG document.
pub fn draw(chart: &BarChart) -> String {
    let places = Places::of(chart);
    let tops =
        chart.groups.iter().flat_map(|group| &group.bars).flat_map(|bar| [rise(bar), bar.published.unwrap_or(0.0)]);
    let depths = chart.groups.iter().flat_map(|group| &group.bars).map(depth).filter(|depth| *depth < 0.0);
    let base = if chart.y.scale == Scale::Linear { Some(0.0) } else { None };
    let mut frame = Frame {
        title: &chart.title,
        x: ("", Ticks { range: (0.0, places.wide), ticks: Vec::new() }),
        y: (&chart.y.title, chart.y.ticks(tops.chain(depths).chain(base), true, 6)),
        x_grid: false,
        x_labels_high: 0.0,
        plot_high_min: canvas::PLOT_HIGH_MIN,
        legend: legend(chart),
    };
    let bar_wide = canvas::plot_wide(&frame) / places.wide;
    let (names, labelled) = (Names::of(chart, bar_wide), labelled(chart, bar_wide));
    frame.x_labels_high = names.high + 4.0;
    let bottom = frame.y.1.range.0;
    canvas::draw(&frame, |canvas| {
        if ground(chart, bottom) > bottom {
            let ends = [0.0, places.wide].map(|x| canvas.at(x, 0.0));
            canvas.put(PathElement::new(ends, canvas::INK.stroke_width(2)));
        }
        for (group, &left) in chart.groups.iter().zip(&places.groups) {
            for (i, bar) in group.bars.iter().enumerate() {
                draw_bar(canvas, chart, bar, i, (left + i as f64, bottom), labelled, &group.name);
            }
            names.draw(canvas, group, (left, bottom));
        }
    })
}

/// All parts of a bar together.
fn height(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite()).sum()
}

/// How far a bar goes up from nothing.
fn rise(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite() && **part > 0.0).sum()
}

/// How far a bar goes down from nothing: parts that are less than nothing stack downwards.
fn depth(bar: &Bar) -> f64 {
    bar.parts.iter().filter(|part| part.is_finite() && **part < 0.0).sum()
}

/// Where bars stand: at nothing, or where the axis begins if that is above it.
fn ground(chart: &BarChart, bottom: f64) -> f64 {
    if chart.y.scale == Scale::Linear { bottom.max(0.0) } else { bottom }
}

fn legend(chart: &BarChart) -> Legend {
    let mut legend = Legend::default();
    if chart.legend.len() > 1 {
        legend.entries = chart.legend.iter().enumerate().map(|(i, name)| (Key::Box(i), name.clone())).collect();
        if chart.stacked {
            legend.entries.reverse(); // as the parts lie in the bars
        }
    }
    if chart.groups.iter().flat_map(|group| &group.bars).any(|bar| bar.published.is_some()) {
        legend.entries.push((Key::Published, "published".to_owned()));
    }
    legend
}

fn draw_bar(canvas: &Canvas, chart: &BarChart, bar: &Bar, i: usize, at: (f64, f64), labelled: bool, group: &str) {
    let (left, right) = (at.0 + 0.06, at.0 + 0.94);
    let ground = ground(chart, at.1);
    let place = |sum: f64| if sum == 0.0 { ground } else { chart.y.position(sum).max(at.1) };
    let (mut up, mut down) = (0.0, 0.0);
    for (k, part) in bar.parts.iter().enumerate().filter(|(_, part)| part.is_finite()) {
        let colour = if chart.stacked { k } else { i };
        let sum = if *part < 0.0 { &mut down } else { &mut up };
        let from = place(*sum);
        *sum += part;
        let (from, to) = (canvas.at(left, from), canvas.at(right, place(*sum)));
        canvas.put(Rectangle::new([from, to], hue(colour).filled()));
        let name = chart.legend.get(colour).map_or("", String::as_str);
        canvas.tooltip(from, to, &format!("{group} {}\n{name}: {}", bar.name, significant(*part, 4)));
    }
    let middle = (left + right) / 2.0;
    if !bar.parts.is_empty() && bar.parts.iter().all(|part| !part.is_finite()) {
        // What was not measured is no bar of height zero.
        let (x, y) = canvas.finished(canvas.at(middle, at.1));
        canvas.text((x, y - 8.0), VALUE_TEXT, "middle", false, "–");
        let (from, to) = (canvas.px((x - 8.0, y - 16.0)), canvas.px((x + 8.0, y)));
        return canvas.tooltip(from, to, &format!("{group} {}\nnot measured", bar.name));
    }
    if let Some(height) = bar.published {
        published(canvas, canvas.at(middle, chart.y.position(height)));
    }
    if labelled {
        let (x, y) = canvas.finished(canvas.at(middle, place(up)));
        canvas.text((x, y - 8.0), VALUE_TEXT, "middle", false, &significant(height(bar), 3));
    }
}

/// Whether heights are written over the bars: over all, or none if some lack the room or a mark
/// could lie there.
fn labelled(chart: &BarChart, bar_wide: f64) -> bool {
    let fits = |bar: &Bar| text_wide(&significant(height(bar), 3), VALUE_TEXT) <= bar_wide;
    chart.groups.iter().flat_map(|group| &group.bars).all(|bar| bar.published.is_none() && fits(bar))
}

/// How the names beneath the bars are written.
struct Names {
    bars_upwards: bool,
    bars_high: f64,
    groups_upwards: bool,
    high: f64,
    bar_wide: f64,
}

impl Names {
    fn of(chart: &BarChart, bar_wide: f64) -> Names {
        let widest = |name: &str| text_wide(name, NAME_TEXT);
        let bar_names = || chart.groups.iter().flat_map(|group| &group.bars).map(|bar| widest(&bar.name));
        let bar_widest = bar_names().fold(0.0, f64::max);
        let bars_upwards = bar_widest > bar_wide;
        let bars_high = if bar_widest == 0.0 { 0.0 } else { if bars_upwards { bar_widest + 6.0 } else { 18.0 } };
        let fits =
            |group: &Group| group.name.split_whitespace().all(|word| widest(word) <= group_wide(group, bar_wide));
        let groups_upwards = !chart.groups.iter().all(fits);
        let lines = |group: &Group| wrap(&group.name, NAME_TEXT, group_wide(group, bar_wide)).len() as f64;
        let groups_high = match groups_upwards {
            true => chart.groups.iter().map(|group| widest(&group.name)).fold(0.0, f64::max) + 6.0,
            false => chart.groups.iter().map(lines).fold(0.0, f64::max) * 15.0 + 5.0,
        };
        Names { bars_upwards, bars_high, groups_upwards, high: bars_high + groups_high, bar_wide }
    }

    fn draw(&self, canvas: &Canvas, group: &Group, at: (f64, f64)) {
        for (i, bar) in group.bars.iter().enumerate().filter(|(_, bar)| !bar.name.is_empty()) {
            let (x, y) = canvas.finished(canvas.at(at.0 + i as f64 + 0.5, at.1));
            match self.bars_upwards {
                true => canvas.text_upwards((x, y + 6.0), NAME_TEXT, &bar.name),
                false => canvas.text((x, y + 12.0), NAME_TEXT, "middle", false, &bar.name),
            }
        }
        let middle = at.0 + group.bars.len().max(1) as f64 / 2.0;
        let (x, y) = canvas.finished(canvas.at(middle, at.1));
        if self.groups_upwards {
            return canvas.text_upwards((x, y + self.bars_high + 6.0), NAME_TEXT, &group.name);
        }
        for (i, line) in wrap(&group.name, NAME_TEXT, group_wide(group, self.bar_wide)).iter().enumerate() {
            canvas.text((x, y + self.bars_high + 12.0 + 15.0 * i as f64), NAME_TEXT, "middle", false, line);
        }
    }
}

fn group_wide(group: &Group, bar_wide: f64) -> f64 {
    (group.bars.len().max(1) as f64 + GAP * 0.8) * bar_wide
}
