//! `FILE` and `--set`: the description that a command is about.

use super::ending::Failure;
use crate::machine::{self, Machine, keys, shipped};
use crate::study::Record;
use crate::study::families::{self, PartsNamed};
use crate::text::{Document, Problem, Problems, Read, file, suggest};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Which description a command is about.
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// A description: the name of a shipped example (see `narrows list examples`), or else a file; a result of
    /// `run --format json` is run again
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Sets one value over all others, such as workload.ping-pong.payload="1 KiB"; may be repeated
    ///
    /// KEY is as `narrows show` prints it. VALUE is read as TOML, and where it is none, as text:
    /// the quotes of a quantity may be left out. Later options go before earlier ones. A shipped part
    /// takes the place of the description's own by its name: ni=cni32qm; host, protocol and fabric, too.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
}

/// A description whose text was read.
pub struct Subject {
    name: String,
    text: String,
    folder: Option<PathBuf>,
    /// What it says of parts, once it was asked.
    named: OnceLock<PartsNamed>,
}

impl Options {
    /// The description's text. A bare name is a shipped example's before it is a file's, which is
    /// said on standard error.
    pub fn subject(&self) -> Result<Subject, Failure> {
        let name = self.file.to_string_lossy();
        if let Some(text) = shipped::example(&name).filter(|_| !name.contains(std::path::is_separator)) {
            match self.file.is_file() {
                true => {
                    tell!("Taking the shipped example `{name}`, not the file of that name: write `./{name}` for that.")
                }
                false => tell!("Taking the shipped example `{name}`."),
            }
            return Ok(Subject {
                name: format!("examples/{name}.toml"),
                text: text.to_owned(),
                folder: Some(shipped::SHIPPED.into()),
                named: OnceLock::new(),
            });
        }
        match file::read(&self.file) {
            Ok(text) if self.file.extension().is_some_and(|ending| ending == "json") => of_result(&self.file, &text),
            Ok(text) => {
                let folder = self.file.parent().map(Path::to_path_buf);
                Ok(Subject { name: self.file.display().to_string(), text, folder, named: OnceLock::new() })
            }
            Err(problem) if self.file.exists() => Err(problem.into()),
            Err(problem) => Err(no_such(&name, problem).into()),
        }
    }

    /// Reads and checks the description.
    pub fn read(&self) -> Result<Read<Machine>, Failure> {
        Ok(self.subject()?.read(&self.sets)?)
    }
}

impl Subject {
    /// The name it goes by in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads and checks it with `sets` over it.
    pub fn read(&self, sets: &[String]) -> Result<Read<Machine>, Problems> {
        self.read_varied(sets, &[])
    }

    /// Reads and checks a point of a sweep. Settings may name shipped parts, as `ni=cni32qm`.
    pub fn read_varied(&self, sets: &[String], varied: &[String]) -> Result<Read<Machine>, Problems> {
        let document = Document::Text(&self.name, &self.text, self.folder.as_deref());
        let all: Vec<String> = sets.iter().chain(varied).filter(|set| families::is_named(set)).cloned().collect();
        if all.is_empty() {
            return machine::read_varied(document, sets, varied);
        }
        if let Some(problem) = families::problems(all.iter().map(String::as_str)).into_iter().next() {
            return Err(Problems::one(problem));
        }
        let (sets, varied) = self.named.get_or_init(|| PartsNamed::of(&self.text)).settings(sets, varied);
        let read = machine::read_varied(document, &sets, &varied)?;
        match families::unheeded(&read, &all) {
            Some(problem) => Err(Problems::one(problem)),
            None => Ok(read),
        }
    }
}

/// The machine of a result, as a description. What it ran that was shipped is so still.
fn of_result(path: &Path, text: &str) -> Result<Subject, Failure> {
    let record = Record::parse(text).map_err(|why| {
        let problem =
            Problem::new(format!("`{}` is neither a description nor a result of a run: {why}", path.display()));
        problem.help("give a description, or what `narrows run FILE --format json` wrote")
    })?;
    let shipped = record.get("files").is_null().then(|| shipped::SHIPPED.into());
    Ok(Subject {
        name: path.display().to_string(),
        text: keys::description(record.get("machine")),
        folder: shipped.or(path.parent().map(Path::to_path_buf)),
        named: OnceLock::new(),
    })
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
