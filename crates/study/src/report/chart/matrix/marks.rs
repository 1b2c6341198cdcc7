//! Points among the cells of a matrix: a small square where a point lies on the scales of rows and columns, and its
//! name beside it, where no other name stands. What lies beyond the cells is a hollow one at their edge.
//!
//! Leaves out: lines from a name that had to go far from its dot.

use super::super::MatrixMark;
use super::{Layout, TEXT};
use crate::report::svg::{Svg, text_wide};

const RADIUS: f64 = 4.0;
const NAME_HIGH: f64 = 13.0;
/// Behind names and dots, so that they are read on every ground.
const PAPER: &str = "#ffffff";
const BLACK: &str = "#000000";

/// What a name takes: left, top, right, bottom.
pub type Place = [f64; 4];

/// Draws all of them, their names where no other `words` stand.
pub fn draw(svg: &mut Svg, marks: &[MatrixMark], layout: &Layout, words: Vec<Place>) {
    let dots: Vec<((f64, f64), bool)> = marks.iter().map(|mark| dot(mark, layout)).collect();
    let mut taken: Vec<Place> = dots.iter().map(|(at, _)| around(*at, RADIUS)).chain(words).collect();
    for (mark, (at, is_beyond)) in marks.iter().zip(&dots) {
        let place = free(*at, text_wide(&mark.name, TEXT), layout.width, &taken);
        taken.push(place);
        let tooltip = format!("{}: {}", mark.name, mark.words);
        svg.part(None, &tooltip, |svg| {
            let size = (place[2] - place[0], place[3] - place[1]);
            svg.rect((place[0], place[1]), size, &format!("fill=\"{PAPER}\" fill-opacity=\"0.75\""), None);
            svg.text((place[0] + 1.0, place[3] - 3.0), TEXT, "start", &format!("fill=\"{BLACK}\""), &mark.name);
            square(svg, *at, if *is_beyond { PAPER } else { BLACK });
        });
    }
}

/// Where a point lies, at the edge if it is beyond; and whether it is.
fn dot(mark: &MatrixMark, layout: &Layout) -> ((f64, f64), bool) {
    let (wide, high) = layout.cells;
    let place = |at: f64, count: usize| (at + 0.5).clamp(0.0, count as f64);
    let (column, row) = (place(mark.column, wide), place(mark.row, high));
    let is_beyond = column != mark.column + 0.5 || row != mark.row + 0.5;
    ((layout.at.0 + layout.cell_wide * column, layout.at.1 + layout.cell_high * row), is_beyond)
}

/// A square on its middle.
fn square(svg: &mut Svg, at: (f64, f64), fill: &str) {
    let style = format!("fill=\"{fill}\" stroke=\"{BLACK}\" stroke-width=\"1.5\"");
    svg.rect((at.0 - RADIUS, at.1 - RADIUS), (2.0 * RADIUS, 2.0 * RADIUS), &style, None);
}

fn around(at: (f64, f64), reach: f64) -> Place {
    [at.0 - reach, at.1 - reach, at.0 + reach, at.1 + reach]
}

/// The first place for a name that is free, in a picture that ends at `edge`: right of its dot, left, above, below, then
/// farther off.
fn free(at: (f64, f64), wide: f64, edge: f64, taken: &[Place]) -> Place {
    let place = |x: f64, y: f64| [x, y, x + wide + 2.0, y + NAME_HIGH];
    let gap = RADIUS + 2.0;
    let ring = |far: f64| {
        let (above, below) = (at.1 - NAME_HIGH / 2.0 - far, at.1 - NAME_HIGH / 2.0 + far);
        let (right, left) = (at.0 + gap, at.0 - gap - wide - 2.0);
        [place(right, above), place(left, above), place(right, below), place(left, below)]
    };
    let tries = (0..12).flat_map(|step| ring(f64::from(step) * NAME_HIGH));
    let overlaps = |a: &Place, b: &Place| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    let is_within = |place: &Place| place[0] >= 0.0 && place[2] <= edge;
    let is_free = |place: &Place| is_within(place) && !taken.iter().any(|other| overlaps(place, other));
    let mut tries = tries.peekable();
    let first = tries.peek().copied().unwrap_or_else(|| place(at.0, at.1));
    tries.find(is_free).unwrap_or(first)
}
