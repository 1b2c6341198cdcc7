//! The style of the cells of a matrix: shades for numbers, or hues and letters for texts, with the legend.

use super::{MARGIN, TEXT_SIZE};
use crate::report::chart::Matrix;
use crate::report::grouped;
use crate::report::number::significant;
use crate::report::svg::{HUES, INK, MUTED, ON_COLOUR, Svg, hex, text_width, tint};
use crate::report::table::Cell;

/// The colour of white text. It is not the white that the page replaces by its background.
const NEAR_WHITE: &str = "#FEFEFE";
/// The shades from the least to the greatest value.
pub const SHADES: [(u8, u8, u8); 4] = [(0xEA, 0xF3, 0xF9), (0x8C, 0xC6, 0xE6), (0x1F, 0x7F, 0xBA), (0x06, 0x2C, 0x57)];
const SCALE_BAR_SIZE: (f64, f64) = (240.0, 12.0);

/// The style of cells.
pub enum CellStyle<'a> {
    /// Shades of numbers from the least to the greatest; the scale is logarithmic if the flag is set.
    Shades(f64, f64, bool),
    /// Hues of texts, with the most frequent text first; each text has its number of cells.
    Hues(Vec<(&'a str, usize)>),
}

impl<'a> CellStyle<'a> {
    /// Returns the style of the cells of a chart.
    pub fn new(chart: &'a Matrix) -> CellStyle<'a> {
        let values = || chart.cells.iter().flatten().flatten().map(|cell| &cell.value);
        let words = values().filter_map(|value| if let Cell::Text(word) = value { Some(word.as_str()) } else { None });
        let cells_by_word = grouped(words.map(|word| (word, ()))).into_iter();
        let mut words: Vec<(&str, usize)> = cells_by_word.map(|(word, cells)| (word, cells.len())).collect();
        // Texts with equal numbers of cells are sorted, so that the order of rows does not matter.
        words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let is_log = chart.is_logarithmic;
        let numbers = values().filter_map(|value| if let Cell::Number(x) = value { Some(*x) } else { None });
        let numbers_shown = numbers.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (smallest, largest) =
            numbers_shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)));
        if words.is_empty() { CellStyle::Shades(smallest, largest, is_log) } else { CellStyle::Hues(words) }
    }

    /// Returns the text in a cell.
    pub fn text(&self, value: &Cell) -> String {
        match (self, value) {
            (_, Cell::Number(x)) => significant(*x, 3),
            (CellStyle::Hues(words), Cell::Text(word)) => {
                letter(words.iter().position(|(known_word, _)| known_word == word))
            }
            _ => String::new(),
        }
    }

    /// Returns the background colour of a cell.
    pub fn background(&self, value: &Cell) -> (u8, u8, u8) {
        match (self, value) {
            (CellStyle::Shades(value_min, value_max, is_log), Cell::Number(x)) => {
                shade(fraction(*x, *value_min, *value_max, *is_log))
            }
            (CellStyle::Hues(words), Cell::Text(word)) => {
                hue(words.iter().position(|(known_word, _)| known_word == word).unwrap_or(usize::MAX))
            }
            _ => hue(usize::MAX),
        }
    }

    /// Returns the entries of a legend of texts in lines of at most `width` pixels, each with its horizontal position.
    pub fn legend_lines(&self, width: f64) -> Vec<Vec<(f64, usize)>> {
        let CellStyle::Hues(words) = self else { return vec![Vec::new()] };
        let (mut lines, mut x) = (vec![Vec::new()], MARGIN);
        for (index, (word, count)) in words.iter().enumerate() {
            let entry_width = 34.0 + text_width(&format!("{word} ({count})"), TEXT_SIZE) + 14.0;
            if x + entry_width > width && x > MARGIN {
                lines.push(Vec::new());
                x = MARGIN;
            }
            lines.last_mut().expect("there is a first line").push((x, index));
            x += entry_width;
        }
        lines
    }

    /// Draws the legend from `top` downwards, at most `width` pixels wide.
    pub fn draw_legend(&self, svg: &mut Svg, top: f64, width: f64) {
        match self {
            CellStyle::Shades(value_min, value_max, is_log) => {
                draw_scale_bar(svg, top, (*value_min, *value_max, *is_log))
            }
            CellStyle::Hues(words) => {
                for (line, entries) in self.legend_lines(width).into_iter().enumerate() {
                    for (x, index) in entries {
                        let y = top + 18.0 * line as f64;
                        svg.rect((x, y - 4.0), (28.0, 15.0), &format!("fill=\"{}\"", hex(hue(index))), None);
                        let ink = format!("fill=\"{}\"", ink_on(hue(index)));
                        svg.text((x + 14.0, y + 8.0), TEXT_SIZE, "middle", &ink, &letter(Some(index)));
                        let name = format!("{} ({})", words[index].0, words[index].1);
                        svg.text((x + 34.0, y + 8.0), TEXT_SIZE, "start", &format!("fill=\"{INK}\""), &name);
                    }
                }
            }
        }
    }
}

/// Returns the letter for an index: A to Z, and then a number.
fn letter(index: Option<usize>) -> String {
    let index = index.unwrap_or(usize::MAX);
    let letter = u8::try_from(index).ok().filter(|index| *index < 26).map(|index| (b'A' + index) as char);
    letter.map_or_else(|| index.saturating_add(1).to_string(), String::from)
}

/// Returns the hue for an index. All indices beyond the last hue share it.
fn hue(index: usize) -> (u8, u8, u8) {
    tint(index.min(HUES.len() - 1), 0.25)
}

/// Returns the position of a number between the least and the greatest, from 0 to 1.
fn fraction(x: f64, low: f64, high: f64, is_log: bool) -> f64 {
    let scaled = |x: f64| if is_log { libm::log(x) } else { x };
    let fraction = (scaled(x) - scaled(low)) / (scaled(high) - scaled(low));
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the shade at a position from 0 to 1.
pub fn shade(fraction: f64) -> (u8, u8, u8) {
    let shade_position = fraction * (SHADES.len() - 1) as f64;
    let shade_index = (shade_position.floor() as usize).min(SHADES.len() - 2);
    let ((r, g, b), (to_r, to_g, to_b)) = (SHADES[shade_index], SHADES[shade_index + 1]);
    let mix = |a: u8, b: u8| {
        (f64::from(a) + (f64::from(b) - f64::from(a)) * (shade_position - shade_index as f64)).round() as u8
    };
    (mix(r, to_r), mix(g, to_g), mix(b, to_b))
}

/// Draws the scale of shades.
fn draw_scale_bar(svg: &mut Svg, top: f64, (value_min, value_max, is_log): (f64, f64, bool)) {
    if !value_min.is_finite() {
        return;
    }
    const STEPS: usize = 40;
    let step_width = SCALE_BAR_SIZE.0 / STEPS as f64;
    for step in 0..STEPS {
        let fill = hex(shade(step as f64 / (STEPS - 1) as f64));
        // A small overlap prevents gaps between neighbours.
        let x = MARGIN + 30.0 + step_width * step as f64;
        svg.rect((x, top - 4.0), (step_width + 0.5, SCALE_BAR_SIZE.1), &format!("fill=\"{fill}\""), None);
    }
    let middle = if is_log { (value_min * value_max).sqrt() } else { (value_min + value_max) / 2.0 };
    for (position, value) in [(0.0, value_min), (0.5, middle), (1.0, value_max)] {
        let label_position = (MARGIN + 30.0 + SCALE_BAR_SIZE.0 * position, top + SCALE_BAR_SIZE.1 + 9.0);
        svg.text(label_position, TEXT_SIZE, "middle", &format!("fill=\"{MUTED}\""), &significant(value, 3));
    }
}

/// Returns a text colour that is readable on a background.
pub fn ink_on((r, g, b): (u8, u8, u8)) -> &'static str {
    let brightness = 0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b);
    if brightness > 140.0 { ON_COLOUR } else { NEAR_WHITE }
}
