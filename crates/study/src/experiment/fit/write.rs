//! Edits that put fitted values into the files that define the constants, with everything else unchanged.
//!
//! A shipped part is edited in the folder `machines/` of the working directory, which must be that of the project. The
//! caller writes the files.

use super::FittedConstant;
use narrows_core::text::{Layer, Problem, file};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns the new texts of the files in which the value of a constant changes.
pub fn edits(constants: &[FittedConstant]) -> Result<Vec<(PathBuf, String)>, Vec<Problem>> {
    let (mut texts, mut problems) = (BTreeMap::<PathBuf, String>::new(), Vec::new());
    // Edits go from the end of a file to its beginning, so that earlier positions stay valid.
    let mut positions: Vec<ValuePosition> = Vec::new();
    for constant in constants.iter().filter(|constant| constant.start_value != constant.final_value) {
        for origin in &constant.origins {
            let path = match &origin.layer {
                Layer::Part(name) => PathBuf::from(format!("machines/{name}.toml")),
                Layer::File(path) => path.clone(),
                layer => {
                    let problem =
                        Problem::new(format!("`{}` is not defined in a file, but in {}", constant.key, layer.title()));
                    problems.push(problem.help(format!("write {} into the description", constant.final_value)));
                    continue;
                }
            };
            let start = origin.place.as_ref().map_or(0, |place| place.span.start);
            let end = origin.place.as_ref().map_or(0, |place| place.span.end);
            positions.push(ValuePosition { path, start, end, constant });
        }
    }
    positions.sort_by(|a, b| (&a.path, b.start).cmp(&(&b.path, a.start)));
    for position in positions {
        if let Err(problem) = position.edit(&mut texts) {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(texts.into_iter().collect()) } else { Err(problems) }
}

/// The position of a constant's value in a file.
struct ValuePosition<'a> {
    path: PathBuf,
    start: usize,
    end: usize,
    constant: &'a FittedConstant,
}

impl ValuePosition<'_> {
    fn edit(&self, texts: &mut BTreeMap<PathBuf, String>) -> Result<(), Problem> {
        let text = match texts.remove(&self.path) {
            Some(text) => text,
            None => file::read(&self.path).map_err(|problem| {
                problem.help("shipped machines are written where the project is: run this in its folder")
            })?,
        };
        let quoted = format!("\"{}\"", self.constant.start_value);
        let current_text = text.get(self.start..self.end).unwrap_or_default();
        if current_text != quoted && current_text != self.constant.start_value {
            let message = format!("`{}` is no longer {}", self.constant.key, self.constant.start_value);
            let problem = Problem::new(format!("{}: {message} at its position", self.path.display()));
            return Err(problem.help("the file is not the one that the program was built with, or has changed"));
        }
        let new_value = if current_text == quoted {
            format!("\"{}\"", self.constant.final_value)
        } else {
            self.constant.final_value.clone()
        };
        let text_after_value = align_comment(&text[self.end..], new_value.len(), current_text.len());
        let edited = format!("{}{new_value}{text_after_value}", &text[..self.start]);
        texts.insert(self.path.clone(), edited);
        Ok(())
    }
}

/// Returns the text after a value. Its comment stays in its column if the new value is short enough.
fn align_comment(text_after_value: &str, new_length: usize, old_length: usize) -> String {
    let spaces = text_after_value.len() - text_after_value.trim_start_matches(' ').len();
    if !text_after_value[spaces..].starts_with('#') {
        return text_after_value.to_owned();
    }
    let padding = (spaces + old_length).saturating_sub(new_length).max(1);
    format!("{}{}", " ".repeat(padding), &text_after_value[spaces..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_stays_in_its_column() {
        assert_eq!(align_comment("   # why\n", 6, 4), " # why\n");
        assert_eq!(align_comment(" # why\n", 9, 4), " # why\n");
        assert_eq!(align_comment(" # why\n", 2, 4), "   # why\n");
        assert_eq!(align_comment(", b = 1 } # why\n", 2, 4), ", b = 1 } # why\n");
    }
}
