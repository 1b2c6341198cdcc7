//! The origin of a value: the texts that were read, and source locations within them. This module does not interpret
//! the texts.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The layer of a description to which a text belongs, in rising precedence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layer {
    /// A default of the program.
    Default,
    /// A shipped part, by name.
    Part(String),
    /// The user's file.
    File(PathBuf),
    /// A `--set` option, identified by its text.
    Set(String),
    /// A value that a sweep, a search or a fit varies, in the form of a setting.
    Vary(String),
}

impl Layer {
    /// Returns the precedence: a higher layer overrides a lower one.
    pub(super) fn precedence(&self) -> usize {
        match self {
            Layer::Default => 0,
            Layer::Part(_) => 1,
            Layer::File(_) => 2,
            Layer::Set(_) => 3,
            Layer::Vary(_) => 4,
        }
    }

    /// Returns the text of a setting; `None` for the layers below the settings.
    pub fn setting(&self) -> Option<&str> {
        match self {
            Layer::Set(option) | Layer::Vary(option) => Some(option),
            Layer::Default | Layer::Part(_) | Layer::File(_) => None,
        }
    }

    /// Returns the name of the layer in problems.
    pub fn title(&self) -> String {
        match self {
            Layer::Default => "default".to_string(),
            Layer::Part(name) => format!("machines/{name}.toml"),
            Layer::File(path) => path.display().to_string(),
            Layer::Set(_) => "--set".to_string(),
            Layer::Vary(_) => "varied value".to_string(),
        }
    }
}

/// The number of a text in [`Texts`].
pub type TextId = usize;

/// A source location: a range of bytes in a text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TextSpan {
    /// The number of the text.
    pub text: TextId,
    /// The range of bytes in the text.
    pub span: Range<usize>,
}

impl Ord for TextSpan {
    fn cmp(&self, other: &TextSpan) -> std::cmp::Ordering {
        let sort_key = |place: &TextSpan| (place.text, place.span.start, place.span.end);
        sort_key(self).cmp(&sort_key(other))
    }
}

impl PartialOrd for TextSpan {
    fn partial_cmp(&self, other: &TextSpan) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The layer.
    pub layer: Layer,
    /// The source location in the layer's text; `None` for a default.
    pub place: Option<TextSpan>,
    /// The line of the source location, counted from one.
    pub line: Option<usize>,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.layer, self.line) {
            (Layer::Default | Layer::Set(_) | Layer::Vary(_), _) | (_, None) => f.pad(&self.layer.title()),
            (layer, Some(line)) => f.pad(&format!("{}:{line}", layer.title())),
        }
    }
}

/// One text that was read.
#[derive(Clone, Debug)]
pub struct Text {
    /// The layer to which the text belongs.
    pub layer: Layer,
    /// The whole content of the text.
    pub content: Arc<str>,
    /// The folder to which paths in the text are relative.
    pub folder: Option<PathBuf>,
    /// The byte offsets of the ends of its lines.
    line_ends: Arc<[usize]>,
}

impl Text {
    fn new(layer: Layer, content: &str, folder: Option<&Path>) -> Text {
        let line_ends =
            content.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(offset, _)| offset).collect();
        Text { layer, content: content.into(), folder: folder.map(Path::to_path_buf), line_ends }
    }

    /// Returns the line of the byte at offset `offset`, counted from one.
    fn line(&self, offset: usize) -> usize {
        self.line_ends.partition_point(|end| *end < offset) + 1
    }
}

/// All texts that were read for one description.
#[derive(Clone, Debug, Default)]
pub struct Texts(Vec<Arc<Text>>);

impl Texts {
    /// Adds a text and returns its number.
    pub fn add(&mut self, layer: Layer, content: &str, folder: Option<&Path>) -> TextId {
        self.0.push(Arc::new(Text::new(layer, content, folder)));
        self.0.len() - 1
    }

    /// Replaces the text with the number `id`.
    pub(super) fn replace(&mut self, id: TextId, layer: Layer, content: &str) {
        self.0[id] = Arc::new(Text::new(layer, content, None));
    }

    /// Returns the text with the number `id`.
    pub fn get(&self, id: TextId) -> &Text {
        &self.0[id]
    }

    /// Returns the settings, in order.
    pub fn settings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|text| text.layer.setting())
    }

    /// Returns the origin of the value at `place`.
    pub fn origin(&self, place: &TextSpan) -> Origin {
        let text = self.get(place.text);
        Origin { layer: text.layer.clone(), place: Some(place.clone()), line: Some(text.line(place.span.start)) }
    }

    /// Returns the line and the column in which `place` begins, both counted from one; the column counts characters.
    pub fn line_and_column(&self, place: &TextSpan) -> (usize, usize) {
        let text = self.get(place.text);
        let text_before = &text.content[..text.content.floor_char_boundary(place.span.start)];
        (text.line(place.span.start), text_before.chars().rev().take_while(|c| *c != '\n').count() + 1)
    }

    /// Returns the text at `place`.
    pub fn slice(&self, place: &TextSpan) -> &str {
        self.get(place.text).content.get(place.span.clone()).unwrap_or_default()
    }

    /// Returns the comment after `place` on the same line, which states the source of a number.
    pub fn note(&self, place: &TextSpan) -> Option<String> {
        let text_after = self.get(place.text).content.get(place.span.end..)?;
        let comment = text_after.trim_start_matches([' ', '\t', ',', '}', ']']).strip_prefix('#')?;
        let comment = comment.lines().next()?.trim();
        (!comment.is_empty()).then(|| comment.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_keeps_its_line_and_its_note() {
        let mut texts = Texts::default();
        let text = "a = 1\nb = { c = 2 } # Table 3\n";
        let id = texts.add(Layer::File("m.toml".into()), text, None);
        let offset = text.find('2').unwrap();
        assert_eq!(texts.line_and_column(&TextSpan { text: id, span: offset..offset + 1 }), (2, 11));
        let place = TextSpan { text: id, span: offset..offset + 1 };
        assert_eq!(texts.note(&place).as_deref(), Some("Table 3"));
        assert_eq!(texts.origin(&place).to_string(), "m.toml:2");
        assert_eq!(texts.slice(&place), "2");
        assert_eq!(texts.note(&TextSpan { text: id, span: 4..5 }), None);
    }
}
