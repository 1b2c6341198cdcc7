//! The legend of a chart, in a strip to the right of the plot, so that it never covers data.

use super::canvas::{Canvas, wrap};
use super::mark::{draw_mark, draw_published, hue};
use crate::report::svg::text_width;
use plotters::prelude::*;

/// The symbol of an entry.
#[derive(Clone, PartialEq)]
pub enum LegendKey {
    /// A line with the mark of series number `.0`, dashed if `.1` is true.
    Line(usize, bool),
    /// Hollow marks of the series with the numbers `.0`.
    Marks(Vec<usize>),
    /// The mark of a published height.
    Published,
    /// A box in hue number `.0`.
    Box(usize),
    /// No symbol, because the name is a heading.
    Heading,
}

/// A legend.
#[derive(Default)]
pub struct Legend {
    /// The symbols and names, from the top.
    pub entries: Vec<(LegendKey, String)>,
}

const LABEL_TEXT_SIZE: f64 = 12.5;
const KEY_WIDTH: f64 = 36.0;
const NAME_WIDTH_MAX: f64 = 190.0;
const ROW_HEIGHT: f64 = 17.0;
const ROW_GAP: f64 = 5.0;

impl Legend {
    /// Returns the width of the strip; 0 for an empty legend.
    pub fn width(&self) -> f64 {
        let lines = self.entries.iter().flat_map(|(_, name)| wrap(name, LABEL_TEXT_SIZE, NAME_WIDTH_MAX));
        let width_max = lines.map(|line| text_width(&line, LABEL_TEXT_SIZE)).fold(0.0, f64::max);
        if self.entries.is_empty() { 0.0 } else { width_max + KEY_WIDTH + 14.0 }
    }

    /// Returns the height of the entries.
    pub fn height(&self) -> f64 {
        self.entries
            .iter()
            .map(|(_, name)| wrap(name, LABEL_TEXT_SIZE, NAME_WIDTH_MAX).len() as f64 * ROW_HEIGHT + ROW_GAP)
            .sum()
    }

    /// Draws the entries downwards from `position`, in pixels of the finished chart.
    pub fn draw(&self, canvas: &Canvas, position: (f64, f64)) {
        let mut y = position.1;
        for (key, name) in &self.entries {
            draw_key(canvas, key, (position.0, y + ROW_HEIGHT / 2.0));
            for line in wrap(name, LABEL_TEXT_SIZE, NAME_WIDTH_MAX) {
                canvas.text((position.0 + KEY_WIDTH, y + ROW_HEIGHT / 2.0), LABEL_TEXT_SIZE, "start", false, &line);
                y += ROW_HEIGHT;
            }
            y += ROW_GAP;
        }
    }
}

fn draw_key(canvas: &Canvas, key: &LegendKey, position: (f64, f64)) {
    let to_canvas = |dx: f64, dy: f64| canvas.to_canvas_pixels((position.0 + dx, position.1 + dy));
    match *key {
        LegendKey::Line(i, dashed) => {
            canvas.stroke(&[to_canvas(0.0, 0.0), to_canvas(28.0, 0.0)], i, dashed);
            draw_mark(canvas, i, to_canvas(14.0, 0.0), false);
        }
        LegendKey::Marks(ref series) => {
            let shown_series = &series[..series.len().min(2)];
            let first = 14.0 - 7.5 * (shown_series.len() as f64 - 1.0);
            for (k, &i) in shown_series.iter().enumerate() {
                draw_mark(canvas, i, to_canvas(first + 15.0 * k as f64, 0.0), true);
            }
        }
        LegendKey::Published => draw_published(canvas, to_canvas(14.0, 0.0)),
        LegendKey::Heading => {}
        LegendKey::Box(i) => {
            canvas.draw_element(Rectangle::new([to_canvas(7.0, -6.0), to_canvas(21.0, 6.0)], hue(i).filled()))
        }
    }
}
