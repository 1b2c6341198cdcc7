//! Drawing of matrices. At each row and column there may be a cell with a number and its shade, or a letter and its
//! hue; the legend is below. A cell may link to a file. Marks may be placed between the cells (`marks.rs`); the cells
//! are then larger.
//!
//! Cell colours stay the same on dark screens; the page changes the colours of names and lines. Rows and columns are in
//! the order of the data.

mod cell_style;
mod marks;

use super::{Matrix, MatrixCell};
use crate::report::svg::{GRID, INK, Svg, hex, text_width};
use crate::report::table::Cell;
use cell_style::{CellStyle, ink_on};

const CELL_HEIGHT: f64 = 19.0;
const CELL_WIDTH_MIN: f64 = 40.0;
/// The size of cells with marks between them.
const MARKED_CELL_HEIGHT: f64 = 64.0;
const MARKED_CELL_WIDTH: f64 = 132.0;
/// The position of the text in a cell with marks, relative to the corner of the cell.
const MARKED_TEXT_OFFSET: (f64, f64) = (6.0, 15.0);
const TEXT_SIZE: f64 = 11.5;
const TITLE_TEXT_SIZE: f64 = 16.0;
/// The ratio of the width of bold text to that of normal text.
const BOLD_WIDTH_RATIO: f64 = 1.15;
const MARGIN: f64 = 14.0;
/// The angle of the names of columns, in degrees.
const COLUMN_NAME_ANGLE: f64 = 38.0;
/// The layout of a matrix, in pixels.
struct Layout {
    /// The left edge of names within groups.
    row_names_left: f64,
    /// The top left corner of the first cell.
    origin: (f64, f64),
    cell_width: f64,
    cell_height: f64,
    /// The number of cells, horizontally and vertically.
    cell_counts: (usize, usize),
    width: f64,
}

/// Returns the chart as an SVG document.
pub fn draw(chart: &Matrix) -> String {
    let style = CellStyle::new(chart);
    let layout = Layout::new(chart, &style);
    let bottom = layout.origin.1 + layout.cell_height * chart.rows.len() as f64;
    let legend_lines = style.legend_lines(layout.width).len() as f64;
    let mut svg = Svg::new(layout.width, (bottom + 44.0 + 18.0 * legend_lines).ceil(), &chart.title);
    let heading = format!("fill=\"{INK}\" font-weight=\"bold\"");
    svg.text((MARGIN, 28.0), TITLE_TEXT_SIZE, "start", &heading, &chart.title);
    if !chart.axes.is_empty() {
        svg.text((MARGIN, 47.0), TEXT_SIZE, "start", &format!("fill=\"{INK}\""), &chart.axes.join("; "));
    }
    draw_column_names(&mut svg, chart, &layout);
    draw_row_names(&mut svg, chart, &layout);
    for (row, cells) in chart.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?))) {
            let corner = (
                layout.origin.0 + layout.cell_width * column as f64,
                layout.origin.1 + layout.cell_height * row as f64,
            );
            draw_cell(&mut svg, chart, &style, cell, (row, column), (corner, (layout.cell_width, layout.cell_height)));
        }
    }
    marks::draw(&mut svg, &chart.marks, &layout, text_boxes(chart, &style, &layout));
    svg.text((MARGIN, bottom + 28.0), 12.5, "start", &heading, &chart.shades.heading());
    style.draw_legend(&mut svg, bottom + 40.0, layout.width);
    svg.finish()
}

impl Layout {
    fn new(chart: &Matrix, style: &CellStyle) -> Layout {
        let width_max = |names: &mut dyn Iterator<Item = String>| {
            names.map(|name| text_width(&name, TEXT_SIZE)).fold(0.0, f64::max)
        };
        let outer_width = BOLD_WIDTH_RATIO * width_max(&mut chart.rows.iter().map(|names| outer_names(names)));
        let row_names_left = MARGIN + if outer_width > 0.0 { outer_width + 12.0 } else { 0.0 };
        let left_margin = row_names_left + width_max(&mut chart.rows.iter().map(|names| last_name(names))) + 10.0;
        let cells = chart.cells.iter().flatten().flatten().map(|cell| style.text(&cell.value));
        let (cell_width_min, cell_height) = if chart.marks.is_empty() {
            (CELL_WIDTH_MIN, CELL_HEIGHT)
        } else {
            (MARKED_CELL_WIDTH, MARKED_CELL_HEIGHT)
        };
        let cell_width = cell_width_min.max(width_max(&mut cells.into_iter()) + 10.0);
        let angle = COLUMN_NAME_ANGLE.to_radians();
        let columns = || chart.columns.iter().map(|names| text_width(&names.join(", "), TEXT_SIZE));
        let column_names_height = columns().fold(0.0, f64::max) * libm::sin(angle) + 18.0;
        let column_name_ends = columns()
            .enumerate()
            .map(|(n, name_width)| left_margin + cell_width * (n as f64 + 0.5) + name_width * libm::cos(angle));
        let right_edge = column_name_ends.fold(left_margin + cell_width * chart.columns.len() as f64, f64::max);
        let axes_width = text_width(&chart.axes.join("; "), TEXT_SIZE);
        let title_width = (text_width(&chart.title, TITLE_TEXT_SIZE) * BOLD_WIDTH_RATIO).max(axes_width) + 2.0 * MARGIN;
        let width = (right_edge + MARGIN).max(title_width).max(400.0).ceil();
        let top = if chart.axes.is_empty() { 40.0 } else { 56.0 };
        Layout {
            row_names_left,
            origin: (left_margin, top + column_names_height),
            cell_width,
            cell_height,
            cell_counts: (chart.columns.len(), chart.rows.len()),
            width,
        }
    }

    /// Returns the distance of a row's text baseline from the top of the row.
    fn text_baseline(&self) -> f64 {
        self.cell_height / 2.0 + CELL_HEIGHT * 0.2
    }
}

/// Returns the name of the group of a row, which consists of all names except the last.
fn outer_names(names: &[String]) -> String {
    names[..names.len().saturating_sub(1)].join(", ")
}

fn last_name(names: &[String]) -> String {
    names.last().cloned().unwrap_or_default()
}

fn draw_column_names(svg: &mut Svg, chart: &Matrix, layout: &Layout) {
    for (column, names) in chart.columns.iter().enumerate() {
        let (x, y) = (layout.origin.0 + layout.cell_width * (column as f64 + 0.5), layout.origin.1 - 7.0);
        let style = format!("fill=\"{INK}\" transform=\"rotate(-{COLUMN_NAME_ANGLE} {x:.2} {y:.2})\"");
        svg.text((x, y), TEXT_SIZE, "start", &style, &names.join(", "));
    }
}

fn draw_row_names(svg: &mut Svg, chart: &Matrix, layout: &Layout) {
    let mut group = None;
    for (row, names) in chart.rows.iter().enumerate() {
        let (y, outer) = (layout.origin.1 + layout.cell_height * row as f64, outer_names(names));
        if group.as_ref() != Some(&outer) {
            if row > 0 {
                let end = layout.origin.0 + layout.cell_width * chart.columns.len() as f64;
                svg.line(&[(MARGIN, y), (end, y)], &format!("stroke=\"{GRID}\""));
            }
            let style = format!("fill=\"{INK}\" font-weight=\"bold\"");
            svg.text((MARGIN, y + layout.text_baseline()), TEXT_SIZE, "start", &style, &outer);
            group = Some(outer);
        }
        svg.text(
            (layout.row_names_left, y + layout.text_baseline()),
            TEXT_SIZE,
            "start",
            &format!("fill=\"{INK}\""),
            &last_name(names),
        );
    }
}

/// Returns the rectangles of the texts in cells with marks between them.
fn text_boxes(chart: &Matrix, style: &CellStyle, layout: &Layout) -> Vec<marks::BoundingBox> {
    let mut boxes = Vec::new();
    for (row, cells) in chart.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?))) {
            let x = layout.origin.0 + layout.cell_width * column as f64 + MARKED_TEXT_OFFSET.0;
            let y = layout.origin.1 + layout.cell_height * row as f64 + MARKED_TEXT_OFFSET.1;
            boxes.push([x, y - TEXT_SIZE, x + text_width(&style.text(&cell.value), TEXT_SIZE), y + 3.0]);
        }
    }
    boxes
}

fn draw_cell(
    svg: &mut Svg,
    chart: &Matrix,
    style: &CellStyle,
    cell: &MatrixCell,
    (row, column): (usize, usize),
    (corner, (width, height)): ((f64, f64), (f64, f64)),
) {
    let names = [chart.rows[row].join(", "), chart.columns[column].join(", ")].join(", ");
    let unit = if let Cell::Number(_) = cell.value { format!(" {}", chart.shades.unit) } else { String::new() };
    let tooltip = format!("{names}: {}{unit}", cell.value.text(&chart.shades));
    let background = style.background(&cell.value);
    svg.tooltip_group(cell.link.as_deref(), tooltip.trim_end(), |svg| {
        let fill = format!("fill=\"{}\"", hex(background));
        svg.rect((corner.0 + 0.5, corner.1 + 0.5), (width - 1.0, height - 1.0), &fill, None);
        let ink = format!("fill=\"{}\"", ink_on(background));
        let (position, anchor) = match chart.marks.is_empty() {
            true => ((corner.0 + width / 2.0, corner.1 + height / 2.0 + CELL_HEIGHT * 0.2), "middle"),
            false => ((corner.0 + MARKED_TEXT_OFFSET.0, corner.1 + MARKED_TEXT_OFFSET.1), "start"),
        };
        svg.text(position, TEXT_SIZE, anchor, &ink, &style.text(&cell.value));
    });
}

#[cfg(test)]
mod tests {
    use super::super::MatrixMark;
    use super::cell_style::{SHADES, shade};
    use super::*;
    use crate::report::Column;

    fn chart(values: [[Option<Cell>; 2]; 3]) -> Matrix {
        let cell = |value: Option<Cell>| value.map(|value| MatrixCell { value, link: Some("a/b.toml".to_owned()) });
        Matrix {
            axes: vec!["across: one; down: another".to_owned()],
            title: "t".to_owned(),
            rows: ["x", "y", "z"].map(|row| vec!["host".to_owned(), row.to_owned()]).to_vec(),
            columns: ["k", "l"].map(|column| vec![column.to_owned()]).to_vec(),
            shades: Column::unit("latency", "µs"),
            is_logarithmic: true,
            cells: values.map(|row| row.map(cell).to_vec()).to_vec(),
            marks: Vec::new(),
        }
    }

    #[test]
    fn marks_are_placed_by_their_positions_without_overlapping_names() {
        let word = |word: &str| Some(Cell::Text(word.to_owned()));
        let mark = |name: &str, row, column| MatrixMark {
            name: name.to_owned(),
            row,
            column,
            position_text: "1, 2".to_owned(),
        };
        let cells = chart([[word("a"), word("a")], [word("b"), word("a")], [None, None]]);
        let marks = vec![mark("here", 0.5, 1.0), mark("there", 0.5, 1.01), mark("far", 9.0, -4.0)];
        let chart = Matrix { marks, ..cells }.without_blanks();
        assert_eq!(chart.rows.len(), 3, "a blank row is part of the scale");
        let svg = chart.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("the chart is XML");
        let position_of = |name: &str| {
            let text = parsed.descendants().find(|node| node.has_tag_name("text") && node.text() == Some(name));
            let number =
                |key| text.and_then(|text| text.attribute(key)).and_then(|attribute| attribute.parse::<f64>().ok());
            number("x").zip(number("y")).expect("the name is drawn")
        };
        let (first_mark, second_mark) = (position_of("here"), position_of("there"));
        assert!(
            (first_mark.1 - second_mark.1).abs() > 8.0 || (first_mark.0 - second_mark.0).abs() > 25.0,
            "{first_mark:?} and {second_mark:?}"
        );
        let width = parsed.root_element().attribute("width").and_then(|value| value.parse::<f64>().ok());
        assert!(
            width.is_some_and(|width| position_of("far").0 < width),
            "a name beyond the edge is drawn within the chart"
        );
        let hollow = svg.matches("fill=\"#ffffff\" stroke").count();
        assert_eq!(hollow, 1, "a mark beyond the cells is hollow");
    }

    #[test]
    fn numbers_are_shaded_by_their_logarithm_and_linked() {
        let number = |x: f64| Some(Cell::Number(x));
        let chart = chart([[number(1.0), None], [number(10.0), None], [number(100.0), None]]).without_blanks();
        assert_eq!((chart.rows.len(), chart.columns.len()), (3, 1), "a blank column is left out");
        let svg = chart.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("the chart is XML");
        let links: Vec<_> = parsed.descendants().filter(|node| node.has_tag_name("a")).collect();
        assert_eq!(links.len(), 3);
        assert!(links.iter().all(|link| link.attribute("href") == Some("a/b.toml")));
        let tooltip = links[1].descendants().find(|node| node.has_tag_name("title")).and_then(|node| node.text());
        assert_eq!(tooltip, Some("host, y, k: 10 µs"));
        let fills: Vec<_> =
            links.iter().filter_map(|link| link.descendants().find_map(|n| n.attribute("fill"))).collect();
        assert_eq!(fills, [hex(SHADES[0]), hex(shade(0.5)), hex(SHADES[3])]);
    }

    #[test]
    fn most_frequent_text_comes_first() {
        let word = |word: &str| Some(Cell::Text(word.to_owned()));
        let chart = chart([[word("wire"), word("bus")], [None, word("bus")], [word("a"), None]]);
        let CellStyle::Hues(words) = CellStyle::new(&chart) else { panic!("texts have hues") };
        assert_eq!(words, [("bus", 2), ("a", 1), ("wire", 1)]);
        assert!(roxmltree::Document::parse(&chart.svg()).is_ok());
    }

    #[test]
    fn unusual_numbers_and_empty_data_are_drawn() {
        let number = |x: f64| Some(Cell::Number(x));
        let chart = chart([[number(f64::NAN), number(0.0)], [number(-1.0), None], [number(f64::INFINITY), None]]);
        assert!(roxmltree::Document::parse(&chart.svg()).is_ok());
        let empty = Matrix { rows: Vec::new(), columns: Vec::new(), cells: Vec::new(), ..chart };
        assert!(roxmltree::Document::parse(&empty.without_blanks().svg()).is_ok());
    }
}
