//! Marks between the cells of a matrix. A mark is a small square at a position on the scales of rows and columns; its
//! name is next to it, where it overlaps no other name. A mark beyond the cells is a hollow square at their edge.
//!
//! If a name has to be placed farther away, no line connects it with its mark.

use super::super::MatrixMark;
use super::{Layout, TEXT_SIZE};
use crate::report::svg::{Svg, text_width};

const RADIUS: f64 = 4.0;
const NAME_HEIGHT: f64 = 13.0;
/// The background of names and marks, which makes them readable on every cell.
const WHITE: &str = "#ffffff";
const BLACK: &str = "#000000";

/// A rectangle: left, top, right, bottom.
pub type BoundingBox = [f64; 4];

/// Draws the marks, with names that overlap neither each other nor `text_boxes`.
pub fn draw(svg: &mut Svg, marks: &[MatrixMark], layout: &Layout, text_boxes: Vec<BoundingBox>) {
    let centers: Vec<((f64, f64), bool)> = marks.iter().map(|mark| mark_center(mark, layout)).collect();
    let mut occupied_boxes: Vec<BoundingBox> =
        centers.iter().map(|(center, _)| box_around(*center, RADIUS)).chain(text_boxes).collect();
    for (mark, (center, is_beyond)) in marks.iter().zip(&centers) {
        let name_box = free_box(*center, text_width(&mark.name, TEXT_SIZE), layout.width, &occupied_boxes);
        occupied_boxes.push(name_box);
        let tooltip = format!("{}: {}", mark.name, mark.position_text);
        svg.tooltip_group(None, &tooltip, |svg| {
            let size = (name_box[2] - name_box[0], name_box[3] - name_box[1]);
            svg.rect((name_box[0], name_box[1]), size, &format!("fill=\"{WHITE}\" fill-opacity=\"0.75\""), None);
            svg.text(
                (name_box[0] + 1.0, name_box[3] - 3.0),
                TEXT_SIZE,
                "start",
                &format!("fill=\"{BLACK}\""),
                &mark.name,
            );
            square(svg, *center, if *is_beyond { WHITE } else { BLACK });
        });
    }
}

/// Returns the position of a mark, moved to the edge if it is beyond the cells, and whether it was moved.
fn mark_center(mark: &MatrixMark, layout: &Layout) -> ((f64, f64), bool) {
    let (column_count, row_count) = layout.cell_counts;
    let within_cells = |position: f64, count: usize| (position + 0.5).clamp(0.0, count as f64);
    let (column, row) = (within_cells(mark.column, column_count), within_cells(mark.row, row_count));
    let is_beyond = column != mark.column + 0.5 || row != mark.row + 0.5;
    ((layout.origin.0 + layout.cell_width * column, layout.origin.1 + layout.cell_height * row), is_beyond)
}

/// Draws a square around its centre.
fn square(svg: &mut Svg, center: (f64, f64), fill: &str) {
    let style = format!("fill=\"{fill}\" stroke=\"{BLACK}\" stroke-width=\"1.5\"");
    svg.rect((center.0 - RADIUS, center.1 - RADIUS), (2.0 * RADIUS, 2.0 * RADIUS), &style, None);
}

fn box_around(center: (f64, f64), radius: f64) -> BoundingBox {
    [center.0 - radius, center.1 - radius, center.0 + radius, center.1 + radius]
}

/// Returns the first free rectangle for a name in a chart of width `chart_width`. Positions are tried in this
/// order: right of the mark, left, above, below, and then farther away.
fn free_box(center: (f64, f64), width: f64, chart_width: f64, occupied_boxes: &[BoundingBox]) -> BoundingBox {
    let box_at = |x: f64, y: f64| [x, y, x + width + 2.0, y + NAME_HEIGHT];
    let gap = RADIUS + 2.0;
    let boxes_at_distance = |distance: f64| {
        let (top, bottom) = (center.1 - NAME_HEIGHT / 2.0 - distance, center.1 - NAME_HEIGHT / 2.0 + distance);
        let (right_x, left_x) = (center.0 + gap, center.0 - gap - width - 2.0);
        [box_at(right_x, top), box_at(left_x, top), box_at(right_x, bottom), box_at(left_x, bottom)]
    };
    let candidate_boxes = (0..12).flat_map(|step| boxes_at_distance(f64::from(step) * NAME_HEIGHT));
    let overlaps = |a: &BoundingBox, b: &BoundingBox| a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    let is_within = |name_box: &BoundingBox| name_box[0] >= 0.0 && name_box[2] <= chart_width;
    let is_free =
        |name_box: &BoundingBox| is_within(name_box) && !occupied_boxes.iter().any(|other| overlaps(name_box, other));
    let mut candidate_boxes = candidate_boxes.peekable();
    let first = candidate_boxes.peek().copied().unwrap_or_else(|| box_at(center.0, center.1));
    candidate_boxes.find(is_free).unwrap_or(first)
}
