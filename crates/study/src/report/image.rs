//! Conversion of charts to image formats for papers and slides: SVG, PNG at twice the size, and PDF.
//!
//! Text in PNG and PDF is set in DejaVu Sans, which is part of the program, so that images are the same everywhere.

use std::path::Path;

/// An image format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// Scalable Vector Graphics; the viewer chooses the font.
    Svg,
    /// Portable Network Graphics.
    #[cfg(feature = "pictures")]
    Png,
    /// Portable Document Format.
    #[cfg(feature = "pictures")]
    Pdf,
}

impl ImageFormat {
    /// The file name extensions of the formats.
    #[cfg(feature = "pictures")]
    pub const EXTENSIONS: &[(&str, ImageFormat)] =
        &[("svg", ImageFormat::Svg), ("png", ImageFormat::Png), ("pdf", ImageFormat::Pdf)];
    /// The file name extensions of the formats.
    #[cfg(not(feature = "pictures"))]
    pub const EXTENSIONS: &[(&str, ImageFormat)] = &[("svg", ImageFormat::Svg)];

    /// Returns the format of a file by its extension.
    pub fn from_path(path: &Path) -> Option<ImageFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        ImageFormat::EXTENSIONS.iter().find(|(known_extension, _)| *known_extension == extension).map(|(_, form)| *form)
    }

    /// Converts a chart to the bytes of a file.
    pub fn bytes(self, svg: &str) -> Result<Vec<u8>, String> {
        match self {
            ImageFormat::Svg => Ok(svg.as_bytes().to_vec()),
            #[cfg(feature = "pictures")]
            ImageFormat::Png => render::png(svg),
            #[cfg(feature = "pictures")]
            ImageFormat::Pdf => render::pdf(svg),
        }
    }
}

/// Renders images with resvg and svg2pdf.
#[cfg(feature = "pictures")]
mod render {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};
    use std::sync::LazyLock;
    use svg2pdf::{ConversionOptions, PageOptions};

    /// Pixels of a PNG per pixel of the chart.
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
        Tree::from_str(svg, &OPTIONS).map_err(|error| format!("the chart is not valid SVG: {error}"))
    }

    pub fn png(svg: &str) -> Result<Vec<u8>, String> {
        let tree = tree(svg)?;
        let size = tree.size();
        let pixels = |length: f32| (length * SCALE).ceil() as u32;
        let mut sheet = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the chart is too large")?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut sheet.as_mut());
        sheet.encode_png().map_err(|error| format!("the image cannot be written: {error}"))
    }

    pub fn pdf(svg: &str) -> Result<Vec<u8>, String> {
        // Text is converted to outlines, since embedded fonts would be in the order of a hash map.
        let options = ConversionOptions { embed_text: false, ..ConversionOptions::default() };
        svg2pdf::to_pdf(&tree(svg)?, options, PageOptions::default())
            .map_err(|error| format!("the image cannot be written: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::BarChart;

    #[test]
    fn extension_determines_the_format() {
        assert_eq!(ImageFormat::from_path(Path::new("a/b.SVG")), Some(ImageFormat::Svg));
        assert_eq!(ImageFormat::from_path(Path::new("svg")), None);
        assert_eq!(ImageFormat::from_path(Path::new("a.gif")), None);
    }

    #[cfg(feature = "pictures")]
    #[test]
    fn images_contain_their_text_and_are_deterministic() {
        let draw = |name: &str| BarChart::grouped(name, "µs", &["a"], &[("b", vec![1.0])]).svg();
        for (extension, form) in &ImageFormat::EXTENSIONS[1..] {
            let bytes = form.bytes(&draw("text")).unwrap();
            assert!(bytes.starts_with(if *extension == "png" { b"\x89PNG" } else { b"%PDF" }), "{extension}");
            assert!(bytes == form.bytes(&draw("text")).unwrap(), "{extension}: the same bytes");
            assert!(bytes != form.bytes(&draw("more text")).unwrap(), "{extension}: its text is drawn");
        }
    }
}
