//! Values in quotes without a unit: texts, words of a closed set, paths.

use super::super::file;
use super::super::origin::Texts;
use super::super::quantity::ParseError;
use super::super::suggest;
use super::super::tree::{TreeNode, TreeValue};
use super::{Decoded, Kind, SpannedString, ValueKind, invalid_value, unexpected_type};
use serde_json::{Value as Json, json};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

/// Returns the text of a node, or an error that names the kind `expected` if the node is not a string.
fn expect_text(node: &TreeNode, expected: &str, allowed: impl Fn() -> String) -> Decoded<String> {
    match &node.value {
        TreeValue::Text(text) => Ok(text.clone()),
        other => invalid_value(node, unexpected_type(expected, other, allowed())),
    }
}

/// Any text, which is read as a `String` or, with its source location, as a [`SpannedString`].
#[derive(Clone, Debug, Default)]
pub struct TextKind<T = String>(PhantomData<T>);

impl<T: From<SpannedString> + AsRef<str>> ValueKind for TextKind<T> {
    type Value = T;
    type Literal<'d> = &'d str;

    fn describe(&self) -> Kind {
        Kind::named("text")
    }

    fn allowed(&self) -> String {
        "write a string in quotes".to_string()
    }

    fn to_tree_value(&self, default: &str) -> TreeValue {
        TreeValue::Text(default.to_string())
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<T> {
        let text = expect_text(node, "a string", || self.allowed())?;
        Ok(SpannedString { text, place: node.place.clone() }.into())
    }

    fn placeholder(&self) -> T {
        SpannedString::default().into()
    }

    fn json(&self, value: &T, _: &TreeNode) -> Json {
        json!(value.as_ref())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }
}

/// A word of a closed set, each word with its value.
#[derive(Clone, Debug)]
pub struct Choice<T> {
    /// The words and the values that they denote.
    pub words: Vec<(&'static str, T)>,
    /// The former names of words that were renamed, each with the present word.
    pub former_words: Vec<(&'static str, &'static str)>,
}

impl<T> Choice<T> {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.words.iter().map(|(word, _)| *word)
    }
}

impl<T: Clone> ValueKind for Choice<T> {
    type Value = T;
    type Literal<'d> = &'d str;

    fn describe(&self) -> Kind {
        Kind::of_words(Kind::WORD, self.names())
    }

    fn allowed(&self) -> String {
        let words: Vec<String> = self.names().map(|word| format!("\"{word}\"")).collect();
        format!("write one of {}", words.join(", "))
    }

    fn to_tree_value(&self, default: &str) -> TreeValue {
        assert!(self.names().any(|word| word == default), "the default {default:?} is not one of {}", self.describe());
        TreeValue::Text(default.to_string())
    }

    fn decode(&self, node: &TreeNode, _: &Texts) -> Decoded<T> {
        let text = expect_text(node, "a word", || self.allowed())?;
        let renamed = self.former_words.iter().find(|(former_word, _)| *former_word == text);
        let current_word = renamed.map_or(&*text, |(_, current_word)| current_word);
        if let Some((_, value)) = self.words.iter().find(|(word, _)| *word == current_word) {
            return Ok(value.clone());
        }
        let label = match suggest::nearest(&text, self.names()) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "not one of the words allowed here".to_string(),
        };
        invalid_value(node, ParseError::new(label, self.allowed()))
    }

    fn placeholder(&self) -> T {
        self.words.first().expect("a choice has at least one word").1.clone()
    }

    fn json(&self, _: &T, node: &TreeNode) -> Json {
        json!(node.text().unwrap_or_default())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "enum": self.names().collect::<Vec<_>>() })
    }
}

/// A file name. It is relative to the folder of the file that contains it, or in `--set` to the working directory.
#[derive(Clone, Debug)]
pub struct FilePath;

impl ValueKind for FilePath {
    type Value = PathBuf;
    type Literal<'d> = &'d str;

    fn describe(&self) -> Kind {
        Kind::named("path")
    }

    fn allowed(&self) -> String {
        "write the name of a file in quotes, relative to this file".to_string()
    }

    fn to_tree_value(&self, default: &str) -> TreeValue {
        TreeValue::Text(default.to_string())
    }

    fn decode(&self, node: &TreeNode, texts: &Texts) -> Decoded<PathBuf> {
        let name = expect_text(node, "a path", || self.allowed())?;
        if name.is_empty() || name.contains('\0') {
            return invalid_value(node, ParseError::new("this names no file", self.allowed()));
        }
        let folder = node.place.as_ref().and_then(|place| texts.get(place.text).folder.clone());
        let path = folder.unwrap_or_default().join(name);
        match file::forbidding_folder(&path) {
            Some(folder) => {
                let help = format!("name a file below `{}`", folder.display());
                invalid_value(node, ParseError::new("this file may not be read", help))
            }
            None => Ok(path),
        }
    }

    fn placeholder(&self) -> PathBuf {
        PathBuf::new()
    }

    fn file<'v>(&self, value: &'v PathBuf) -> Option<&'v Path> {
        Some(value)
    }

    fn json(&self, _: &PathBuf, node: &TreeNode) -> Json {
        json!(node.text().unwrap_or_default())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}
