//! Conversion of charts to image formats for papers and slides: SVG, PNG at twice the size, and PDF.
//!
//! Text in PNG and PDF is set in DejaVu Sans, which is part of the program, so that images are the same everywhere. Both
//! need the feature `pictures`.

use super::FULL_BUILD;
use narrows_core::text::Problem;
use std::path::Path;

/// Whether this build writes PNG and PDF: the feature `pictures`.
pub const HAS_PICTURES: bool = cfg!(feature = "pictures");

/// An image format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageFormat {
    /// Scalable Vector Graphics; the viewer chooses the font.
    Svg,
    /// Portable Network Graphics.
    Png,
    /// Portable Document Format.
    Pdf,
}

impl ImageFormat {
    /// The file name extensions of the formats.
    pub const EXTENSIONS: [(&str, ImageFormat); 3] =
        [("svg", ImageFormat::Svg), ("png", ImageFormat::Png), ("pdf", ImageFormat::Pdf)];

    /// Returns the format of a file by its extension.
    ///
    /// # Errors
    ///
    /// The extension is unknown, or this build does not write the format.
    pub fn from_path(path: &Path) -> Result<ImageFormat, Problem> {
        let extension = path.extension().and_then(|text| text.to_str()).unwrap_or_default().to_ascii_lowercase();
        let known = ImageFormat::EXTENSIONS.iter().find(|(name, _)| *name == extension);
        let Some((_, format)) = known else {
            let endings = ImageFormat::EXTENSIONS.map(|(name, _)| format!("`.{name}`")).join(", ");
            return Err(Problem::new(format!("`{}`: unknown image format", path.display()))
                .help(format!("name a file that ends in one of {endings}")));
        };
        if *format != ImageFormat::Svg && !HAS_PICTURES {
            return Err(Problem::new(format!("`{}`: this build of Narrows writes SVG only", path.display()))
                .help("name a file that ends in `.svg`")
                .help(format!("PNG and PDF need the feature `pictures`: {FULL_BUILD}")));
        }
        Ok(*format)
    }

    /// Converts a chart to the bytes of a file.
    pub fn bytes(self, svg: &str) -> Result<Vec<u8>, String> {
        match self {
            ImageFormat::Svg => Ok(svg.as_bytes().to_vec()),
            ImageFormat::Png => render::png(svg),
            ImageFormat::Pdf => render::pdf(svg),
        }
    }
}

/// Renders images with resvg and svg2pdf.
#[cfg(feature = "pictures")]
mod render {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree, WriteOptions};
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
        let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("the chart is too large")?;
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixmap.as_mut());
        pixmap.encode_png().map_err(|error| format!("the image cannot be written: {error}"))
    }

    /// Text is drawn as outlines: `svg2pdf` writes embedded fonts in the order of a hash map, and reading and writing them
    /// takes a tenth of the build with all features.
    pub fn pdf(svg: &str) -> Result<Vec<u8>, String> {
        let outlines = tree(&tree(svg)?.to_string(&WriteOptions::default()))?;
        let pdf = svg2pdf::to_pdf(&outlines, ConversionOptions::default(), PageOptions::default())
            .map_err(|error| format!("the image cannot be written: {error}"))?;
        Ok(sort_resources(&pdf))
    }

    /// Dictionaries of resources, which `svg2pdf` writes in the order of a hash map.
    const RESOURCES: [&[u8]; 5] = [b"/XObject <<", b"/Pattern <<", b"/ExtGState <<", b"/Shading <<", b"/ColorSpace <<"];

    /// Returns the PDF with the entries of dictionaries of resources, a line each, in the order of their names. No offset
    /// changes.
    fn sort_resources(pdf: &[u8]) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = pdf.split_inclusive(|byte| *byte == b'\n').collect();
        let (mut is_in_stream, mut index) = (false, 0);
        while index < lines.len() {
            let line = lines[index];
            is_in_stream = line == b"stream\n" || is_in_stream && line != b"endstream\n";
            index += 1;
            if !is_in_stream && RESOURCES.contains(&line.trim_ascii()) {
                let entry_count = lines[index..].iter().take_while(|entry| entry.trim_ascii() != b">>").count();
                lines[index..index + entry_count].sort_unstable();
            }
        }
        lines.concat()
    }
}

/// Returns an error for each format, since this build renders no images.
#[cfg(not(feature = "pictures"))]
mod render {
    const IMAGES_UNSUPPORTED: &str =
        "this build of Narrows writes SVG only: it was built without the feature `pictures`";

    pub fn png(_: &str) -> Result<Vec<u8>, String> {
        Err(IMAGES_UNSUPPORTED.to_owned())
    }

    pub fn pdf(_: &str) -> Result<Vec<u8>, String> {
        Err(IMAGES_UNSUPPORTED.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_determines_the_format() {
        assert_eq!(ImageFormat::from_path(Path::new("a/b.SVG")).ok(), Some(ImageFormat::Svg));
        assert!(ImageFormat::from_path(Path::new("svg")).is_err());
        assert!(ImageFormat::from_path(Path::new("a.gif")).is_err());
        assert_eq!(ImageFormat::from_path(Path::new("a.png")).is_ok(), HAS_PICTURES);
    }

    #[cfg(feature = "pictures")]
    #[test]
    fn images_contain_their_text_and_are_deterministic() {
        use crate::report::{LineChart, Series};

        // Each line has its own graphics states, which PDF names in one dictionary.
        let series = |number: u32| Series::line(number.to_string(), vec![(1.0, 1.0), (2.0, f64::from(number))]);
        let draw = |title: &str| {
            LineChart { title: title.to_owned(), series: (0..8).map(series).collect(), ..LineChart::default() }.svg()
        };
        for (extension, format) in &ImageFormat::EXTENSIONS[1..] {
            let bytes = format.bytes(&draw("text")).unwrap();
            assert!(bytes.starts_with(if *extension == "png" { b"\x89PNG" } else { b"%PDF" }), "{extension}");
            assert!(bytes == format.bytes(&draw("text")).unwrap(), "{extension}: the same bytes");
            assert!(bytes != format.bytes(&draw("more text")).unwrap(), "{extension}: its text is drawn");
        }
    }
}
