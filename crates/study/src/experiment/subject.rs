//! The description that is asked about: a shipped example, a file, a result that is run again, or a text. Reads it
//! with settings over it, which may name shipped parts.
//!
//! Leaves out who asks: the command line and other languages find the same description under the same name.

use super::Record;
use super::part_overrides::{self, PartsNamed};
use narrows_core::machine::{Machine, Registry, shipped};
use narrows_core::text::{Document, Problem, Problems, Read, file, suggest};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A description whose text was read.
pub struct Subject {
    registry: Arc<Registry>,
    name: String,
    text: String,
    folder: Option<PathBuf>,
    /// What it says of parts, once it was asked.
    named: OnceLock<PartsNamed>,
}

impl Subject {
    /// Returns the description `text`, whose parts are those of `registry`: it is called `name` in messages, and paths in
    /// it are relative to `folder`.
    pub fn new(
        registry: &Arc<Registry>,
        name: impl Into<String>,
        text: impl Into<String>,
        folder: Option<PathBuf>,
    ) -> Subject {
        let registry = registry.clone();
        Subject { registry, name: name.into(), text: text.into(), folder, named: OnceLock::new() }
    }

    /// The shipped example of this name, if there is one. A path with a folder in it is none.
    pub fn example(registry: &Arc<Registry>, name: &str) -> Option<Subject> {
        let text = shipped::example(name).filter(|_| !name.contains(std::path::is_separator))?;
        Some(Subject::new(registry, format!("examples/{name}.toml"), text, Some(shipped::SHIPPED.into())))
    }

    /// A shipped example, a file with a description, or the machine of a result that `run --format json` wrote.
    pub fn find(registry: &Arc<Registry>, path: &Path) -> Result<Subject, Problem> {
        let name = path.to_string_lossy();
        if let Some(example) = Subject::example(registry, &name) {
            return Ok(example);
        }
        match file::read(path) {
            Ok(text) if path.extension().is_some_and(|ending| ending == "json") => of_result(registry, path, &text),
            Ok(text) => {
                let folder = path.parent().map(Path::to_path_buf);
                Ok(Subject::new(registry, path.display().to_string(), text, folder))
            }
            Err(problem) if path.exists() => Err(problem),
            Err(problem) => Err(no_such(&name, problem)),
        }
    }

    /// The name it goes by in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parts that the description may name.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The folder that paths in it are relative to.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Reads and checks it with `sets` over it.
    pub fn read(&self, sets: &[String]) -> Result<Read<Machine>, Problems> {
        self.read_varied(sets, &[])
    }

    /// Reads and checks a point of a sweep. Settings may name shipped parts, as `ni=cni32qm`.
    pub fn read_varied(&self, sets: &[String], varied: &[String]) -> Result<Read<Machine>, Problems> {
        let document = Document::Text(&self.name, &self.text, self.folder.as_deref());
        let all: Vec<String> = sets.iter().chain(varied).filter(|set| part_overrides::is_named(set)).cloned().collect();
        if all.is_empty() {
            return self.registry.read_varied(document, sets, varied);
        }
        if let Some(problem) = part_overrides::problems(all.iter().map(String::as_str)).into_iter().next() {
            return Err(Problems::one(problem));
        }
        let (sets, varied) = self.named.get_or_init(|| PartsNamed::of(&self.text)).settings(sets, varied);
        let read = self.registry.read_varied(document, &sets, &varied)?;
        match part_overrides::unused_overrides(&read, &all) {
            Some(problem) => Err(Problems::one(problem)),
            None => Ok(read),
        }
    }
}

/// The machine of a result, as a description. What it ran that was shipped is so still.
fn of_result(registry: &Arc<Registry>, path: &Path, text: &str) -> Result<Subject, Problem> {
    let record = Record::parse(text).map_err(|why| {
        let problem =
            Problem::new(format!("`{}` is neither a description nor a result of a run: {why}", path.display()));
        problem.help("give a description, or what `narrows run FILE --format json` wrote")
    })?;
    let shipped = record.get("files").is_null().then(|| shipped::SHIPPED.into());
    let folder = shipped.or(path.parent().map(Path::to_path_buf));
    let text = registry.description(record.get("machine"));
    Ok(Subject::new(registry, path.display().to_string(), text, folder))
}

/// Neither a file nor an example.
fn no_such(name: &str, problem: Problem) -> Problem {
    let examples = shipped::examples();
    let problem = match suggest::nearest(name.trim_end_matches(".toml"), examples.iter().copied()) {
        Some(near) if problem.help.is_empty() => problem.help(format!("did you mean the shipped example `{near}`?")),
        _ => problem,
    };
    problem.help(format!("a file, or one of the shipped examples: {}", suggest::phrase(examples)))
}
