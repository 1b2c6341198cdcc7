//! A small writer of SVG elements with exact coordinates, tooltips and escaping. Leaves out
//! styling by class: colours are literal, so a picture stands alone; the page recolours the few
//! inks below for dark screens.

use std::fmt::Write;

/// Text and axes.
pub const INK: &str = "#24292F";
/// Lesser text.
pub const MUTED: &str = "#57606A";
/// Grid lines.
pub const GRID: &str = "#E3E6EA";
/// Text on a coloured ground; the page never recolours it.
pub const ON_COLOUR: &str = "#101418";
/// The ground behind a picture.
pub const PAPER: &str = "#FFFFFF";
/// The face of all text in pictures.
pub const FONT: &str = "Helvetica, Arial, sans-serif";

/// Hues that colour-blind readers tell apart, darkest contrasts first (Okabe and Ito, yellow
/// deepened to be seen on white).
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

/// The `i`-th hue, mixed with white: 0 is the hue, 1 is white.
pub fn tint(i: usize, white: f64) -> (u8, u8, u8) {
    let (r, g, b) = HUES[i % HUES.len()];
    let mix = |c: u8| (f64::from(c) + (255.0 - f64::from(c)) * white).round() as u8;
    (mix(r), mix(g), mix(b))
}

/// A colour as SVG writes it.
pub fn hex((r, g, b): (u8, u8, u8)) -> String {
    format!("#{r:02X}{g:02X}{b:02X}")
}

/// `text` for element content and quoted attributes; characters XML forbids become `?`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if c < ' ' || c == '\u{FFFE}' || c == '\u{FFFF}' => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

/// About how wide `text` is at `size` pixels, on the generous side for every common face.
pub fn text_wide(text: &str, size: f64) -> f64 {
    text.chars().map(char_wide).sum::<f64>() * size
}

fn char_wide(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | 'I' | '-' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' => 0.92,
        'A'..='Z' => 0.70,
        _ => 0.60,
    }
}

/// A coordinate with at most two decimals.
pub fn coord(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// An SVG document under construction.
pub struct Svg {
    out: String,
}

impl Svg {
    /// A document `width` by `height` pixels, titled for screen readers, on white ground.
    pub fn new(width: f64, height: f64, title: &str) -> Svg {
        let mut svg = Svg { out: head(width, height, title) };
        svg.rect((0.0, 0.0), (width, height), &format!("fill=\"{PAPER}\""), None);
        svg
    }

    /// A rectangle with attributes `style` and a tooltip.
    pub fn rect(&mut self, at: (f64, f64), size: (f64, f64), style: &str, tooltip: Option<&str>) {
        let _ = write!(
            self.out,
            r#"<rect x="{}" y="{}" width="{}" height="{}" {style}"#,
            coord(at.0),
            coord(at.1),
            coord(size.0),
            coord(size.1)
        );
        self.out.push_str(&match tooltip {
            Some(text) => format!("><title>{}</title></rect>\n", escape(text)),
            None => "/>\n".to_owned(),
        });
    }

    /// A path through `points` with attributes `style`.
    pub fn line(&mut self, points: &[(f64, f64)], style: &str) {
        self.out.push_str("<polyline points=\"");
        for (i, &(x, y)) in points.iter().enumerate() {
            let gap = if i == 0 { "" } else { " " };
            let _ = write!(self.out, "{gap}{},{}", coord(x), coord(y));
        }
        let _ = writeln!(self.out, "\" fill=\"none\" {style}/>");
    }

    /// Text at its baseline; `anchor` is `start`, `middle` or `end`.
    pub fn text(&mut self, at: (f64, f64), size: f64, anchor: &str, style: &str, text: &str) {
        let _ = writeln!(
            self.out,
            r#"<text x="{}" y="{}" font-size="{size}" text-anchor="{anchor}" {style}>{}</text>"#,
            coord(at.0),
            coord(at.1),
            escape(text)
        );
    }

    /// Opens a group with attributes `style`.
    pub fn open(&mut self, style: &str) {
        let _ = writeln!(self.out, "<g {style}>");
    }

    /// What `inside` draws, with a tooltip over all of it, which may link to something.
    pub fn part(&mut self, link: Option<&str>, tooltip: &str, inside: impl FnOnce(&mut Svg)) {
        let (open, close) = match link {
            Some(link) => (format!("<a href=\"{}\">", escape(link)), "</a>\n"),
            None => ("<g>".to_owned(), "</g>\n"),
        };
        let _ = write!(self.out, "{open}<title>{}</title>", escape(tooltip));
        inside(self);
        self.out.push_str(close);
    }

    /// Closes the group opened last.
    pub fn close(&mut self) {
        self.out.push_str("</g>\n");
    }

    /// The finished document.
    pub fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// The opening tag of a document, its title as a label for screen readers.
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
        let tip = parsed.descendants().find(|n| n.has_tag_name("title")).unwrap();
        assert_eq!(tip.text(), Some("<tip> ?"));
        assert!(out.contains(r#"width="0.33" height="0""#), "{out}");
    }

    #[test]
    fn tints_run_from_hue_to_white() {
        assert_eq!(hex(tint(0, 0.0)), "#0072B2");
        assert_eq!(hex(tint(8, 1.0)), "#FFFFFF");
    }
}
