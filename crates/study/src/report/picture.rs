//! Pictures in the forms that papers and slides take: SVG as it is drawn, PNG at twice its size, PDF.
//!
//! Text is set in DejaVu Sans, which the program carries, so that a picture is the same on every machine.

use std::path::Path;

/// The form of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PictureForm {
    /// Scalable Vector Graphics, its text set by whoever shows it.
    Svg,
    /// Portable Network Graphics.
    #[cfg(feature = "pictures")]
    Png,
    /// Portable Document Format.
    #[cfg(feature = "pictures")]
    Pdf,
}

impl PictureForm {
    /// How the names of files of each form end.
    #[cfg(feature = "pictures")]
    pub const ENDINGS: &[(&str, PictureForm)] =
        &[("svg", PictureForm::Svg), ("png", PictureForm::Png), ("pdf", PictureForm::Pdf)];
    /// How the names of files of each form end.
    #[cfg(not(feature = "pictures"))]
    pub const ENDINGS: &[(&str, PictureForm)] = &[("svg", PictureForm::Svg)];

    /// That which a file's name asks for.
    pub fn of(path: &Path) -> Option<PictureForm> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        PictureForm::ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, form)| *form)
    }

    /// The bytes of a file of this form.
    pub fn bytes(self, svg: &str) -> Result<Vec<u8>, String> {
        match self {
            PictureForm::Svg => Ok(svg.as_bytes().to_vec()),
            #[cfg(feature = "pictures")]
            PictureForm::Png => drawn::png(svg),
            #[cfg(feature = "pictures")]
            PictureForm::Pdf => drawn::pdf(svg),
        }
    }
}

/// By way of resvg and svg2pdf.
#[cfg(feature = "pictures")]
mod drawn {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};
    use std::sync::LazyLock;
    use svg2pdf::{ConversionOptions, PageOptions};

    /// Pixels of a PNG per pixel of the picture.
    const SCALE: f32 = 2.0;

    static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
        let mut options = Options { font_family: "DejaVu Sans".to_owned(), ..Options::default() };
        let fonts = options.fontdb_mut();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        options
    });

    fn tree(svg: &str) -> Result<Tree, String> {
        Tree::from_str(svg, &OPTIONS).map_err(|error| format!("the picture cannot be read: {error}"))
    }

    pub fn png(svg: &str) -> Result<Vec<u8>, String> {
        let tree = tree(svg)?;
        let size = tree.size();
        let pixels = |length: f32| (length * SCALE).ceil() as u32;
        let mut sheet = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the picture is too large")?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut sheet.as_mut());
        sheet.encode_png().map_err(|error| format!("the picture cannot be written: {error}"))
    }

    pub fn pdf(svg: &str) -> Result<Vec<u8>, String> {
        // Text as outlines: embedded fonts would come in the order of a hash map.
        let options = ConversionOptions { embed_text: false, ..ConversionOptions::default() };
        svg2pdf::to_pdf(&tree(svg)?, options, PageOptions::default())
            .map_err(|error| format!("the picture cannot be written: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::BarChart;

    #[test]
    fn names_ask_for_forms() {
        assert_eq!(PictureForm::of(Path::new("a/b.SVG")), Some(PictureForm::Svg));
        assert_eq!(PictureForm::of(Path::new("svg")), None);
        assert_eq!(PictureForm::of(Path::new("a.gif")), None);
    }

    #[cfg(feature = "pictures")]
    #[test]
    fn pictures_are_drawn_with_their_text_and_the_same_every_time() {
        let draw = |name: &str| BarChart::grouped(name, "µs", &["a"], &[("b", vec![1.0])]).svg();
        for (ending, form) in &PictureForm::ENDINGS[1..] {
            let bytes = form.bytes(&draw("text")).unwrap();
            assert!(bytes.starts_with(if *ending == "png" { b"\x89PNG" } else { b"%PDF" }), "{ending}");
            assert!(bytes == form.bytes(&draw("text")).unwrap(), "{ending}: the same bytes");
            assert!(bytes != form.bytes(&draw("more text")).unwrap(), "{ending}: its text is drawn");
        }
    }
}
