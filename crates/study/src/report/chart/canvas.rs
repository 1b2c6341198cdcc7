//! The canvas of a chart, with its title, text and tooltips, drawn with the plotters library.
//!
//! Plotters draws at whole pixels, so the canvas is twice the size of the chart and is then scaled by one half.
//! Positions are therefore exact to half a pixel. The frame is drawn in `frame`.

use super::frame::{Frame, ToPixels, draw_frame};
use super::mark::hue;
use crate::report::svg::{self, text_width};
use plotters::coord::Shift;
use plotters::element::{DashedPathElement, Drawable};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::cell::RefCell;

/// Canvas pixels per pixel of the finished chart.
pub const SCALE: f64 = 2.0;
const WIDTH: f64 = 780.0;
const HEIGHT_MIN: f64 = 430.0;
/// The least height of the plot of a line or bar chart, in pixels of the finished chart.
pub const PLOT_HEIGHT_MIN: f64 = 280.0;
const TITLE_TEXT_SIZE: f64 = 16.0;
/// The colour of text and axes.
pub const INK: RGBColor = RGBColor(0x24, 0x29, 0x2F);

/// A canvas on which the frame is drawn. The positions of elements are canvas pixels.
pub struct Canvas<'a> {
    root: DrawingArea<SVGBackend<'a>, Shift>,
    to_px: ToPixels,
    tooltips: RefCell<String>,
}

/// Draws `frame`, then the contents by calling `content`, and returns the SVG document.
pub fn draw(frame: &Frame, content: impl FnOnce(&Canvas)) -> String {
    let mut svg_text = String::new();
    let canvas = Canvas::new(&mut svg_text, frame);
    content(&canvas);
    let tooltips = canvas.tooltips.take();
    canvas.root.present().expect("drawing to a string does not fail");
    drop(canvas);
    let body = svg_text.split_once('\n').map_or("", |(_, rest)| rest).trim_end().trim_end_matches("</svg>");
    let head = svg::head(WIDTH, height(frame), frame.title);
    format!("{head}<g transform=\"scale({})\">\n{body}{tooltips}</g>\n</svg>\n", 1.0 / SCALE)
}

fn title_lines(frame: &Frame) -> Vec<String> {
    wrap(frame.title, TITLE_TEXT_SIZE, WIDTH - 40.0)
}

/// Returns the top of the plot.
fn plot_top(frame: &Frame) -> f64 {
    28.0 + 20.0 * title_lines(frame).len() as f64
}

/// Returns the height of the chart, in whole pixels: at least `HEIGHT_MIN`, and enough for the legend and the labels.
fn height(frame: &Frame) -> f64 {
    let plot_height = frame.plot_height_min + frame.x_labels_height + 34.0;
    HEIGHT_MIN.max(plot_top(frame) + plot_height.max(frame.legend.height() + 10.0)).ceil()
}

/// Returns the width of the plot of a frame.
pub fn plot_width(frame: &Frame) -> f64 {
    WIDTH - right_margin(frame) - frame.left_margin()
}

/// Returns the width of the area right of the plot.
fn right_margin(frame: &Frame) -> f64 {
    18.0 + frame.legend.width()
}

impl<'a> Canvas<'a> {
    fn new(svg_text: &'a mut String, frame: &Frame) -> Canvas<'a> {
        let size = ((WIDTH * SCALE) as u32, (height(frame) * SCALE) as u32);
        let root = SVGBackend::with_string(svg_text, size).into_drawing_area();
        root.fill(&WHITE).expect("drawing to a string does not fail");
        let top = plot_top(frame);
        let right_margin = right_margin(frame);
        let to_px = draw_frame(&root, frame, top, right_margin);
        let canvas = Canvas { root, to_px, tooltips: RefCell::default() };
        for (i, line) in title_lines(frame).iter().enumerate() {
            canvas.text((14.0, 22.0 + 20.0 * i as f64), TITLE_TEXT_SIZE, "start", true, line);
        }
        frame.legend.draw(&canvas, (WIDTH - right_margin + 18.0, top));
        canvas
    }

    /// Returns the canvas pixel of a position on the axes.
    pub fn pixel_at(&self, x: f64, y: f64) -> (i32, i32) {
        (self.to_px)(x, y)
    }

    /// Converts a pixel of the finished chart to a canvas pixel.
    pub fn to_canvas_pixels(&self, at: (f64, f64)) -> (i32, i32) {
        ((at.0 * SCALE).round() as i32, (at.1 * SCALE).round() as i32)
    }

    /// Converts a canvas pixel to a pixel of the finished chart.
    pub fn to_chart_pixels(&self, px: (i32, i32)) -> (f64, f64) {
        (f64::from(px.0) / SCALE, f64::from(px.1) / SCALE)
    }

    /// Draws an element in canvas pixels.
    pub fn draw_element<E>(&self, element: E)
    where
        for<'b> &'b E: plotters::element::PointCollection<'b, (i32, i32)>,
        E: Drawable<SVGBackend<'a>>,
    {
        self.root.draw(&element).expect("drawing to a string does not fail");
    }

    /// Draws a line through canvas pixels in the hue of series `i`.
    pub fn stroke(&self, points: &[(i32, i32)], i: usize, dashed: bool) {
        let style = hue(i).stroke_width(4);
        match dashed {
            true => self.draw_element(DashedPathElement::new(points.to_vec(), 12, 9, style)),
            false => self.draw_element(PathElement::new(points.to_vec(), style)),
        }
    }

    /// Draws text at a pixel of the finished chart.
    pub fn text(&self, point: (f64, f64), size: f64, anchor: &str, bold: bool, text: &str) {
        let position = match anchor {
            "start" => HPos::Left,
            "end" => HPos::Right,
            _ => HPos::Center,
        };
        let weight = if bold { FontStyle::Bold } else { FontStyle::Normal };
        let style = font(size, weight).pos(Pos::new(position, VPos::Center));
        self.draw_element(Text::new(text.to_owned(), self.to_canvas_pixels(point), style));
    }

    /// Draws text upwards, so that it ends at a pixel of the finished chart.
    pub fn text_upwards(&self, point: (f64, f64), size: f64, text: &str) {
        let style = font(size, FontStyle::Normal).transform(FontTransform::Rotate270);
        self.draw_element(Text::new(
            text.to_owned(),
            self.to_canvas_pixels(point),
            style.pos(Pos::new(HPos::Right, VPos::Center)),
        ));
    }

    /// Adds a tooltip over a rectangle in canvas pixels.
    pub fn tooltip(&self, from: (i32, i32), to: (i32, i32), text: &str) {
        let (x, y) = (from.0.min(to.0), from.1.min(to.1));
        let (width, height) = ((to.0 - from.0).abs(), (to.1 - from.1).abs());
        *self.tooltips.borrow_mut() += &format!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill-opacity=\"0\"><title>{}</title></rect>\n",
            svg::escape(text)
        );
    }
}

/// Returns the font of all text, `size` pixels of the finished chart high.
pub fn font(size: f64, weight: FontStyle) -> TextStyle<'static> {
    // Plotters divides the size of a font by 1.24 when it writes SVG, so the size is multiplied by 1.24 here.
    TextStyle::from((svg::FONT, size * SCALE * 1.24, weight).into_font()).color(&INK)
}

/// Breaks `text` at spaces into lines of at most `width` pixels at the font size `size`.
pub fn wrap(text: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= width => line.extend([" ", word]),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
