//! The legend, in a strip of its own beside the plot, so that it never covers data.

use super::canvas::{Canvas, wrap};
use super::mark::{hue, mark, published};
use crate::report::svg::text_wide;
use plotters::prelude::*;

/// How an entry looks.
#[derive(Clone, PartialEq)]
pub enum Key {
    /// A line with the mark of series `.0`, dashed if `.1`.
    Line(usize, bool),
    /// Hollow marks of the series `.0`.
    Marks(Vec<usize>),
    /// The mark of a published height.
    Published,
    /// A box of the hue `.0`.
    Box(usize),
    /// None: the name heads what is drawn below it.
    Heading,
}

/// The legend's entries, from the top.
#[derive(Default)]
pub struct Legend {
    /// Looks and names.
    pub entries: Vec<(Key, String)>,
}

const TEXT: f64 = 12.5;
const KEY_WIDE: f64 = 36.0;
const NAME_WIDE_MAX: f64 = 190.0;
const ROW: f64 = 17.0;
const ROW_GAP: f64 = 5.0;

impl Legend {
    /// The width of the strip; none for a legend that says nothing.
    pub fn wide(&self) -> f64 {
        let lines = self.entries.iter().flat_map(|(_, name)| wrap(name, TEXT, NAME_WIDE_MAX));
        let widest = lines.map(|line| text_wide(&line, TEXT)).fold(0.0, f64::max);
        if self.entries.is_empty() { 0.0 } else { widest + KEY_WIDE + 14.0 }
    }

    /// The height of the strip.
    pub fn high(&self) -> f64 {
        self.entries.iter().map(|(_, name)| wrap(name, TEXT, NAME_WIDE_MAX).len() as f64 * ROW + ROW_GAP).sum()
    }

    /// Draws the entries downwards from `at` (in pixels of the finished picture).
    pub fn draw(&self, canvas: &Canvas, at: (f64, f64)) {
        let mut y = at.1;
        for (key, name) in &self.entries {
            draw_key(canvas, key, (at.0, y + ROW / 2.0));
            for line in wrap(name, TEXT, NAME_WIDE_MAX) {
                canvas.text((at.0 + KEY_WIDE, y + ROW / 2.0), TEXT, "start", false, &line);
                y += ROW;
            }
            y += ROW_GAP;
        }
    }
}

fn draw_key(canvas: &Canvas, key: &Key, at: (f64, f64)) {
    let px = |dx: f64, dy: f64| canvas.px((at.0 + dx, at.1 + dy));
    match *key {
        Key::Line(i, dashed) => {
            canvas.stroke(&[px(0.0, 0.0), px(28.0, 0.0)], i, dashed);
            mark(canvas, i, px(14.0, 0.0), false);
        }
        Key::Marks(ref series) => {
            let shown = &series[..series.len().min(2)];
            let first = 14.0 - 7.5 * (shown.len() as f64 - 1.0);
            for (k, &i) in shown.iter().enumerate() {
                mark(canvas, i, px(first + 15.0 * k as f64, 0.0), true);
            }
        }
        Key::Published => published(canvas, px(14.0, 0.0)),
        Key::Heading => {}
        Key::Box(i) => canvas.put(Rectangle::new([px(7.0, -6.0), px(21.0, 6.0)], hue(i).filled())),
    }
}
