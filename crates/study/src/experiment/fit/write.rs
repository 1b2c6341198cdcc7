//! Fitted values put into the files that the constants stand in, everything else as it was.
//!
//! A shipped part is written below `machines/` of the working directory, where the project is. Leaves
//! out writing itself: it gives each file's new text.

use super::Settled;
use narrows_core::text::{Layer, Problem, file};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The texts of files with the values of constants in them.
pub fn edits(constants: &[Settled]) -> Result<Vec<(PathBuf, String)>, Vec<Problem>> {
    let (mut texts, mut problems) = (BTreeMap::<PathBuf, String>::new(), Vec::new());
    // From the last place of a file to its first, so that places stay what they are.
    let mut spots: Vec<Spot> = Vec::new();
    for constant in constants.iter().filter(|constant| constant.before != constant.after) {
        for origin in &constant.origins {
            let path = match &origin.layer {
                Layer::Part(name) => PathBuf::from(format!("machines/{name}.toml")),
                Layer::File(path) => path.clone(),
                layer => {
                    let problem =
                        Problem::new(format!("`{}` stands in no file, but in {}", constant.key, layer.title()));
                    problems.push(problem.help(format!("write {} into the description", constant.after)));
                    continue;
                }
            };
            let start = origin.place.as_ref().map_or(0, |place| place.span.start);
            let end = origin.place.as_ref().map_or(0, |place| place.span.end);
            spots.push(Spot { path, start, end, constant });
        }
    }
    spots.sort_by(|a, b| (&a.path, b.start).cmp(&(&b.path, a.start)));
    for spot in spots {
        if let Err(problem) = spot.edit(&mut texts) {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(texts.into_iter().collect()) } else { Err(problems) }
}

/// A place where a constant stands.
struct Spot<'a> {
    path: PathBuf,
    start: usize,
    end: usize,
    constant: &'a Settled,
}

impl Spot<'_> {
    fn edit(&self, texts: &mut BTreeMap<PathBuf, String>) -> Result<(), Problem> {
        let text = match texts.remove(&self.path) {
            Some(text) => text,
            None => file::read(&self.path).map_err(|problem| {
                problem.help("shipped machines are written where the project is: run this in its folder")
            })?,
        };
        let quoted = format!("\"{}\"", self.constant.before);
        let stands = text.get(self.start..self.end).unwrap_or_default();
        if stands != quoted && stands != self.constant.before {
            let message = format!("`{}` is no longer {}", self.constant.key, self.constant.before);
            let problem = Problem::new(format!("{}: {message} where it stood", self.path.display()));
            return Err(problem.help("the file is not the one that the program was built with, or has changed"));
        }
        let after = if stands == quoted { format!("\"{}\"", self.constant.after) } else { self.constant.after.clone() };
        let rest = aligned(&text[self.end..], after.len(), stands.len());
        let edited = format!("{}{after}{rest}", &text[..self.start]);
        texts.insert(self.path.clone(), edited);
        Ok(())
    }
}

/// What stands behind a value, moved so that its comment stays in its column where there is room.
fn aligned(rest: &str, new: usize, old: usize) -> String {
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    if !rest[spaces..].starts_with('#') {
        return rest.to_owned();
    }
    let room = (spaces + old).saturating_sub(new).max(1);
    format!("{}{}", " ".repeat(room), &rest[spaces..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_stays_in_its_column() {
        assert_eq!(aligned("   # why\n", 6, 4), " # why\n");
        assert_eq!(aligned(" # why\n", 9, 4), " # why\n");
        assert_eq!(aligned(" # why\n", 2, 4), "   # why\n");
        assert_eq!(aligned(", b = 1 } # why\n", 2, 4), ", b = 1 } # why\n");
    }
}
