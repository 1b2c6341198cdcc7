//! Draws a matrix: a cell for each row and column, shaded by its number, which stands in it, or coloured by
//! its word, of which a letter stands in it; a legend below. A cell may link to where it comes from. Points may lie
//! among the cells (`marks.rs`), which are then larger.
//!
//! Colours are its own and stay on dark screens; names and lines are inks that a page recolours. Leaves out
//! other orders than that of the data, and clusters.

mod look;
mod marks;

use super::{Matrix, MatrixCell};
use crate::report::svg::{GRID, INK, Svg, hex, text_wide};
use crate::report::table::Cell;
use look::{Look, ink_on};

const CELL_HIGH: f64 = 19.0;
const CELL_WIDE_MIN: f64 = 40.0;
/// Of cells among which points lie.
const MARKED_HIGH: f64 = 64.0;
const MARKED_WIDE: f64 = 132.0;
/// Where the word of such a cell begins, from the cell's corner: out of the way of names.
const CORNER: (f64, f64) = (6.0, 15.0);
const TEXT: f64 = 11.5;
const TITLE_TEXT: f64 = 16.0;
/// How much wider bold text is.
const BOLD: f64 = 1.15;
const MARGIN: f64 = 14.0;
/// How steeply names of columns rise, in degrees.
const RISE: f64 = 38.0;
/// Where things lie, in pixels.
struct Layout {
    /// Where names within groups begin.
    inner: f64,
    /// The corner of the first cell.
    at: (f64, f64),
    cell_wide: f64,
    cell_high: f64,
    /// How many cells there are, across and down.
    cells: (usize, usize),
    width: f64,
}

/// The picture as a whole SVG document.
pub fn draw(chart: &Matrix) -> String {
    let look = Look::of(chart);
    let layout = Layout::of(chart, &look);
    let bottom = layout.at.1 + layout.cell_high * chart.rows.len() as f64;
    let legend_lines = look.lines(layout.width).len() as f64;
    let mut svg = Svg::new(layout.width, (bottom + 44.0 + 18.0 * legend_lines).ceil(), &chart.title);
    let heading = format!("fill=\"{INK}\" font-weight=\"bold\"");
    svg.text((MARGIN, 28.0), TITLE_TEXT, "start", &heading, &chart.title);
    if !chart.axes.is_empty() {
        svg.text((MARGIN, 47.0), TEXT, "start", &format!("fill=\"{INK}\""), &chart.axes.join("; "));
    }
    names_of_columns(&mut svg, chart, &layout);
    names_of_rows(&mut svg, chart, &layout);
    for (row, cells) in chart.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?))) {
            let at = (layout.at.0 + layout.cell_wide * column as f64, layout.at.1 + layout.cell_high * row as f64);
            draw_cell(&mut svg, chart, &look, cell, (row, column), (at, (layout.cell_wide, layout.cell_high)));
        }
    }
    marks::draw(&mut svg, &chart.marks, &layout, words(chart, &look, &layout));
    svg.text((MARGIN, bottom + 28.0), 12.5, "start", &heading, &chart.shades.heading());
    look.legend(&mut svg, bottom + 40.0, layout.width);
    svg.finish()
}

impl Layout {
    fn of(chart: &Matrix, look: &Look) -> Layout {
        let widest =
            |names: &mut dyn Iterator<Item = String>| names.map(|name| text_wide(&name, TEXT)).fold(0.0, f64::max);
        let outer = BOLD * widest(&mut chart.rows.iter().map(|names| outer(names)));
        let inner = MARGIN + if outer > 0.0 { outer + 12.0 } else { 0.0 };
        let left = inner + widest(&mut chart.rows.iter().map(|names| own(names))) + 10.0;
        let cells = chart.cells.iter().flatten().flatten().map(|cell| look.text(&cell.value));
        let (wide_min, cell_high) =
            if chart.marks.is_empty() { (CELL_WIDE_MIN, CELL_HIGH) } else { (MARKED_WIDE, MARKED_HIGH) };
        let cell_wide = wide_min.max(widest(&mut cells.into_iter()) + 10.0);
        let rise = RISE.to_radians();
        let columns = || chart.columns.iter().map(|names| text_wide(&names.join(", "), TEXT));
        let high = columns().fold(0.0, f64::max) * rise.sin() + 18.0;
        let ends = columns().enumerate().map(|(n, wide)| left + cell_wide * (n as f64 + 0.5) + wide * rise.cos());
        let right = ends.fold(left + cell_wide * chart.columns.len() as f64, f64::max);
        let axes = text_wide(&chart.axes.join("; "), TEXT);
        let title = (text_wide(&chart.title, TITLE_TEXT) * BOLD).max(axes) + 2.0 * MARGIN;
        let width = (right + MARGIN).max(title).max(400.0).ceil();
        let top = if chart.axes.is_empty() { 40.0 } else { 56.0 };
        Layout {
            inner,
            at: (left, top + high),
            cell_wide,
            cell_high,
            cells: (chart.columns.len(), chart.rows.len()),
            width,
        }
    }

    /// How far below the top of a row its text stands.
    fn text_at(&self) -> f64 {
        self.cell_high / 2.0 + CELL_HIGH * 0.2
    }
}

/// A row's names but for its own.
fn outer(names: &[String]) -> String {
    names[..names.len().saturating_sub(1)].join(", ")
}

fn own(names: &[String]) -> String {
    names.last().cloned().unwrap_or_default()
}

fn names_of_columns(svg: &mut Svg, chart: &Matrix, layout: &Layout) {
    for (column, names) in chart.columns.iter().enumerate() {
        let (x, y) = (layout.at.0 + layout.cell_wide * (column as f64 + 0.5), layout.at.1 - 7.0);
        let style = format!("fill=\"{INK}\" transform=\"rotate(-{RISE} {x:.2} {y:.2})\"");
        svg.text((x, y), TEXT, "start", &style, &names.join(", "));
    }
}

fn names_of_rows(svg: &mut Svg, chart: &Matrix, layout: &Layout) {
    let mut group = None;
    for (row, names) in chart.rows.iter().enumerate() {
        let (y, outer) = (layout.at.1 + layout.cell_high * row as f64, outer(names));
        if group.as_ref() != Some(&outer) {
            if row > 0 {
                let end = layout.at.0 + layout.cell_wide * chart.columns.len() as f64;
                svg.line(&[(MARGIN, y), (end, y)], &format!("stroke=\"{GRID}\""));
            }
            let style = format!("fill=\"{INK}\" font-weight=\"bold\"");
            svg.text((MARGIN, y + layout.text_at()), TEXT, "start", &style, &outer);
            group = Some(outer);
        }
        svg.text((layout.inner, y + layout.text_at()), TEXT, "start", &format!("fill=\"{INK}\""), &own(names));
    }
}

/// The places of the words in cells among which points lie.
fn words(chart: &Matrix, look: &Look, layout: &Layout) -> Vec<marks::Place> {
    let mut places = Vec::new();
    for (row, cells) in chart.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?))) {
            let x = layout.at.0 + layout.cell_wide * column as f64 + CORNER.0;
            let y = layout.at.1 + layout.cell_high * row as f64 + CORNER.1;
            places.push([x, y - TEXT, x + text_wide(&look.text(&cell.value), TEXT), y + 3.0]);
        }
    }
    places
}

fn draw_cell(
    svg: &mut Svg,
    chart: &Matrix,
    look: &Look,
    cell: &MatrixCell,
    (row, column): (usize, usize),
    (at, (wide, high)): ((f64, f64), (f64, f64)),
) {
    let names = [chart.rows[row].join(", "), chart.columns[column].join(", ")].join(", ");
    let unit = if let Cell::Number(_) = cell.value { format!(" {}", chart.shades.unit) } else { String::new() };
    let tooltip = format!("{names}: {}{unit}", cell.value.text(&chart.shades));
    let ground = look.ground(&cell.value);
    svg.part(cell.link.as_deref(), tooltip.trim_end(), |svg| {
        let fill = format!("fill=\"{}\"", hex(ground));
        svg.rect((at.0 + 0.5, at.1 + 0.5), (wide - 1.0, high - 1.0), &fill, None);
        let ink = format!("fill=\"{}\"", ink_on(ground));
        match chart.marks.is_empty() {
            true => {
                let middle = (at.0 + wide / 2.0, at.1 + high / 2.0 + CELL_HIGH * 0.2);
                svg.text(middle, TEXT, "middle", &ink, &look.text(&cell.value));
            }
            false => svg.text((at.0 + CORNER.0, at.1 + CORNER.1), TEXT, "start", &ink, &look.text(&cell.value)),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::MatrixMark;
    use super::look::{SHADES, shade};
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
    fn points_lie_where_their_places_are_and_their_names_apart() {
        let word = |word: &str| Some(Cell::Text(word.to_owned()));
        let mark =
            |name: &str, row, column| MatrixMark { name: name.to_owned(), row, column, words: "1, 2".to_owned() };
        let cells = chart([[word("a"), word("a")], [word("b"), word("a")], [None, None]]);
        let marks = vec![mark("here", 0.5, 1.0), mark("there", 0.5, 1.01), mark("far", 9.0, -4.0)];
        let chart = Matrix { marks, ..cells }.without_blanks();
        assert_eq!(chart.rows.len(), 3, "a blank row is a place of its scale");
        let svg = chart.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("well-formed");
        let at = |name: &str| {
            let text = parsed.descendants().find(|node| node.has_tag_name("text") && node.text() == Some(name));
            let number = |key| text.and_then(|text| text.attribute(key)).and_then(|at| at.parse::<f64>().ok());
            number("x").zip(number("y")).expect("a name stands somewhere")
        };
        let (here, there) = (at("here"), at("there"));
        assert!((here.1 - there.1).abs() > 8.0 || (here.0 - there.0).abs() > 25.0, "{here:?} and {there:?}");
        let width = parsed.root_element().attribute("width").and_then(|wide| wide.parse::<f64>().ok());
        assert!(width.is_some_and(|width| at("far").0 < width), "a name beyond the edge stands within the picture");
        let hollow = svg.matches("fill=\"#ffffff\" stroke").count();
        assert_eq!(hollow, 1, "what lies beyond the cells is hollow");
    }

    #[test]
    fn numbers_are_shaded_by_their_logarithm_and_linked() {
        let number = |x: f64| Some(Cell::Number(x));
        let chart = chart([[number(1.0), None], [number(10.0), None], [number(100.0), None]]).without_blanks();
        assert_eq!((chart.rows.len(), chart.columns.len()), (3, 1), "a blank column is left out");
        let svg = chart.svg();
        let parsed = roxmltree::Document::parse(&svg).expect("well-formed");
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
    fn the_most_frequent_word_comes_first() {
        let word = |word: &str| Some(Cell::Text(word.to_owned()));
        let chart = chart([[word("wire"), word("bus")], [None, word("bus")], [word("a"), None]]);
        let Look::Hues(words) = Look::of(&chart) else { panic!("words have hues") };
        assert_eq!(words, [("bus", 2), ("a", 1), ("wire", 1)]);
        assert!(roxmltree::Document::parse(&chart.svg()).is_ok());
    }

    #[test]
    fn odd_numbers_and_nothing_do_no_harm() {
        let number = |x: f64| Some(Cell::Number(x));
        let chart = chart([[number(f64::NAN), number(0.0)], [number(-1.0), None], [number(f64::INFINITY), None]]);
        assert!(roxmltree::Document::parse(&chart.svg()).is_ok());
        let nothing = Matrix { rows: Vec::new(), columns: Vec::new(), cells: Vec::new(), ..chart };
        assert!(roxmltree::Document::parse(&nothing.without_blanks().svg()).is_ok());
    }
}
