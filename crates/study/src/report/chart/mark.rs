//! Marks: shapes by which series can be distinguished without colour.

use super::canvas::{Canvas, INK};
use crate::report::svg;
use plotters::prelude::*;

/// Returns the `i`-th hue as a colour of plotters.
pub fn hue(i: usize) -> RGBColor {
    let (r, g, b) = svg::tint(i, 0.0);
    RGBColor(r, g, b)
}

/// Draws the mark of series `i` around `center`, filled or hollow.
pub fn draw_mark(canvas: &Canvas, i: usize, center: (i32, i32), is_hollow: bool) {
    // A hollow mark is larger, so that it is visible around a filled one.
    let radius = if is_hollow { 12.0 } else { 7.5 };
    let points = outline(i, center, radius);
    if !is_hollow {
        return canvas.draw_element(Polygon::new(points, hue(i).filled()));
    }
    let closed: Vec<(i32, i32)> = points.iter().chain(&points[..2]).copied().collect();
    canvas.draw_element(PathElement::new(closed, hue(i).stroke_width(3)));
}

/// Draws the mark of a published height: a hollow diamond on a white diamond, visible on every colour.
pub fn draw_published(canvas: &Canvas, center: (i32, i32)) {
    canvas.draw_element(Polygon::new(outline(3, center, 11.0), WHITE.filled()));
    let points = outline(3, center, 9.0);
    let closed: Vec<(i32, i32)> = points.iter().chain(&points[..2]).copied().collect();
    canvas.draw_element(PathElement::new(closed, INK.stroke_width(4)));
}

/// Returns the corners of the mark of series `i`.
fn outline(i: usize, center: (i32, i32), radius: f64) -> Vec<(i32, i32)> {
    // The number of corners, the angle of the first in twelfths of a turn, and a size that makes the areas similar.
    let (corners, turn, size) = match i % 6 {
        0 => (24, 0.0, 1.0),
        1 => (4, 1.5, 1.2),
        2 => (3, -3.0, 1.3),
        3 => (4, 0.0, 1.25),
        4 => (3, 3.0, 1.3),
        _ => (5, -3.0, 1.15),
    };
    let corner = |k: i32| {
        let angle = (turn / 12.0 + f64::from(k) / f64::from(corners)) * std::f64::consts::TAU;
        let corner_distance = radius * size;
        (
            center.0 + (corner_distance * libm::cos(angle)).round() as i32,
            center.1 + (corner_distance * libm::sin(angle)).round() as i32,
        )
    };
    (0..corners).map(corner).collect()
}
