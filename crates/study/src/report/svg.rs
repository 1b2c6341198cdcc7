//! A small writer of SVG elements with exact coordinates, tooltips and escaping.
//!
//! Colours are stated as attributes and not as classes, so that a chart can be used without a page. On dark screens,
//! the page replaces the few colours below.

use std::fmt::Write;

/// The colour of text and axes.
pub const INK: &str = "#24292F";
/// The colour of secondary text.
pub const MUTED: &str = "#57606A";
/// The colour of grid lines.
pub const GRID: &str = "#E3E6EA";
/// The colour of text on a coloured background, which the page never changes.
pub const ON_COLOUR: &str = "#101418";
/// The background of a chart.
pub const BACKGROUND: &str = "#FFFFFF";
/// The font of all text in charts.
pub const FONT: &str = "Helvetica, Arial, sans-serif";

/// Hues that colour-blind readers can distinguish, in order of contrast (Okabe and Ito, with a darker yellow that is
/// visible on white).
pub const HUES: [(u8, u8, u8); 8] = [
    (0x00, 0x72, 0xB2),
    (0xD5, 0x5E, 0x00),
    (0x00, 0x9E, 0x73),
    (0xCC, 0x79, 0xA7),
    (0x56, 0xB4, 0xE9),
    (0xE6, 0x9F, 0x00),
    (0x6A, 0x51, 0xA3),
    (0x7F, 0x7F, 0x7F),
];

/// Returns the `i`-th hue mixed with white. With `white` 0 it is the hue, and with 1 it is white.
pub fn tint(i: usize, white: f64) -> (u8, u8, u8) {
    let (r, g, b) = HUES[i % HUES.len()];
    let mix = |c: u8| (f64::from(c) + (255.0 - f64::from(c)) * white).round() as u8;
    (mix(r), mix(g), mix(b))
}

/// Returns a colour in the notation of SVG.
pub fn hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// Escapes text for element content and quoted attributes. Characters that XML forbids are replaced by `?`.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c < ' ' || c == '\u{FFFE}' || c == '\u{FFFF}' => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns an upper estimate of the width of `text` in pixels, at the font size `size`.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(char_width).sum::<f64>() * size
}

fn char_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | 'I' | '-' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' => 0.92,
        'A'..='Z' => 0.70,
        _ => 0.60,
    }
}

/// Formats a coordinate with at most two decimals.
pub fn coord(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// An SVG document under construction.
pub struct Svg {
    text: String,
}

impl Svg {
    /// Returns a document of `width` by `height` pixels with a white background and a title for screen readers.
    pub fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg { text: head(width, height, title) };
        svg.rect((0.0, 0.0), (width, height), &format!("fill=\"{BACKGROUND}\""), None);
        svg
    }

    /// Adds a rectangle with the attributes `style` and a tooltip.
    pub fn rect(&mut self, corner: (f64, f64), size: (f64, f64), style: &str, tooltip: Option<&str>) {
        let _ = write!(
            self.text,
            r#"<rect x="{}" y="{}" width="{}" height="{}" {style}"#,
            coord(corner.0),
            coord(corner.1),
            coord(size.0),
            coord(size.1)
        );
        self.text.push_str(&match tooltip {
            Some(text) => format!("><title>{}</title></rect>\n", escape(text)),
            None => "/>\n".to_owned(),
        });
    }

    /// Adds a path through `points` with the attributes `style`.
    pub fn line(&mut self, points: &[(f64, f64)], style: &str) {
        self.text.push_str("<polyline points=\"");
        for (i, &(x, y)) in points.iter().enumerate() {
            let separator = if i == 0 { "" } else { " " };
            let _ = write!(self.text, "{separator}{},{}", coord(x), coord(y));
        }
        let _ = writeln!(self.text, "\" fill=\"none\" {style}/>");
    }

    /// Adds text at its baseline; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, position: (f64, f64), size: f64, anchor: &str, style: &str, text: &str) {
        let _ = writeln!(
            self.text,
            r#"<text x="{}" y="{}" font-size="{size}" text-anchor="{anchor}" {style}>{}</text>"#,
            coord(position.0),
            coord(position.1),
            escape(text)
        );
    }

    /// Opens a group with the attributes `style`.
    pub fn open(&mut self, style: &str) {
        let _ = writeln!(self.text, "<g {style}>");
    }

    /// Adds a group that contains what `content` draws, with a tooltip and optionally a link.
    pub fn tooltip_group(&mut self, link: Option<&str>, tooltip: &str, content: impl FnOnce(&mut Svg)) {
        let (open, close) = match link {
            Some(link) => (format!("<a href=\"{}\">", escape(link)), "</a>\n"),
            None => ("<g>".to_owned(), "</g>\n"),
        };
        let _ = write!(self.text, "{open}<title>{}</title>", escape(tooltip));
        content(self);
        self.text.push_str(close);
    }

    /// Closes the group opened last.
    pub fn close(&mut self) {
        self.text.push_str("</g>\n");
    }

    /// Returns the finished document.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// Returns the opening tag of a document, with its title as a label for screen readers.
pub fn head(width: f64, height: f64, title: &str) -> String {
    let (width, height, title) = (coord(width), coord(height), escape(title));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" role=\"img\" aria-label=\"{title}\">\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_well_formed() {
        let mut svg = Svg::new(10.0, 10.0, "a < b & \"c\"");
        svg.rect((0.0, 0.0), (1.0 / 3.0, -0.001), "", Some("<tip> \u{1}"));
        svg.text((1.0, 1.0), 12.0, "start", "", "µs > 0");
        let out = svg.finish();
        let parsed = roxmltree::Document::parse(&out).unwrap();
        let tooltip_title = parsed.descendants().find(|n| n.has_tag_name("title")).unwrap();
        assert_eq!(tooltip_title.text(), Some("<tip> ?"));
        assert!(out.contains(r#"width="0.33" height="0""#), "{out}");
    }

    #[test]
    fn tints_run_from_hue_to_white() {
        assert_eq!(hex(tint(0, 0.0)), "#0072B2");
        assert_eq!(hex(tint(8, 1.0)), "#FFFFFF");
    }
}
