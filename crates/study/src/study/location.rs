//! The location of a study, which is either one of the papers in the program or a user's folder.
//!
//! The contents of its files are read by [`Study`](super::description::Study).

use super::shipped;
use narrows_core::machine::{Machine, Registry};
use narrows_core::text::{Document, Problem, Problems, Read, SpannedString, file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The location of a study, and the parts that its descriptions may name.
#[derive(Clone, Debug)]
pub struct Location {
    source: StudySource,
    registry: Arc<Registry>,
}

/// The storage of a study's files.
#[derive(Clone, Debug)]
enum StudySource {
    /// The study is part of the program, under this name.
    Shipped(String),
    /// The study is in this folder.
    Folder(PathBuf),
}

/// A file of a study.
pub struct StudyFile {
    /// The name of the file in messages.
    pub name: String,
    /// The text of the file.
    pub text: String,
    /// The folder to which paths in the file are relative.
    pub folder: Option<PathBuf>,
    /// The parts that a machine description may name.
    registry: Arc<Registry>,
}

impl StudyFile {
    /// Reads and checks the file as a machine description with these overrides.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its location.
    pub fn machine(&self, overrides: &[String]) -> Result<Read<Machine>, Problems> {
        self.registry.read(Document::Text(&self.name, &self.text, self.folder.as_deref()), overrides)
    }
}

/// The files of a study. The first one must exist.
const FILES: [&str; 6] =
    ["study.toml", "experiments.toml", "figures.toml", "claims.toml", "fit.toml", super::held_out::FILE];

impl Location {
    /// Returns the location of a shipped study by its name, or of a folder. A path with a separator is a folder.
    pub fn of(name_or_folder: &str, registry: &Arc<Registry>) -> Location {
        let is_name = shipped::paper(&format!("{name_or_folder}/{}", FILES[0])).is_some();
        let is_folder =
            name_or_folder.contains(std::path::is_separator) || name_or_folder == "." || name_or_folder == "..";
        let is_shipped = is_name && !is_folder;
        let source = if is_shipped {
            StudySource::Shipped(name_or_folder.to_owned())
        } else {
            StudySource::Folder(PathBuf::from(name_or_folder))
        };
        Location { source, registry: registry.clone() }
    }

    /// Returns the name of the study in results.
    pub fn name(&self) -> String {
        match &self.source {
            StudySource::Shipped(name) => name.clone(),
            StudySource::Folder(path) => {
                let canonical_path = path.canonicalize().unwrap_or_else(|_| path.clone());
                canonical_path
                    .file_name()
                    .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// Returns the folder of a user's study, or `None` for a shipped study.
    pub fn folder(&self) -> Option<&Path> {
        match &self.source {
            StudySource::Shipped(_) => None,
            StudySource::Folder(folder) => Some(folder),
        }
    }

    /// Returns a file that the study names.
    pub fn file(&self, file: &SpannedString) -> Result<StudyFile, Problems> {
        match &self.source {
            StudySource::Shipped(name) => {
                let path = format!("{name}/{}", file.text);
                let text = shipped::paper(&path).map(str::to_owned);
                let problem = || Problems::from_problem(Problem::new(format!("there is no file `papers/{path}`")));
                let (name, text) = (file.text.clone(), text.ok_or_else(problem)?);
                Ok(StudyFile { name, text, folder: None, registry: self.registry.clone() })
            }
            StudySource::Folder(folder) => {
                let path = folder.join(&file.text);
                let text = file::read(&path).map_err(Problems::from_problem)?;
                let (name, folder) = (path.display().to_string(), path.parent().map(Path::to_path_buf));
                Ok(StudyFile { name, text, folder, registry: self.registry.clone() })
            }
        }
    }

    /// Returns the files of the study that exist. The first one is `study.toml`.
    pub fn files(&self) -> Result<Vec<StudyFile>, Problems> {
        if let StudySource::Folder(folder) = &self.source {
            self.require_study(folder).map_err(Problems::from_problem)?;
        }
        let mut files = Vec::new();
        for name in FILES {
            let exists = match &self.source {
                StudySource::Shipped(paper) => shipped::paper(&format!("{paper}/{name}")).is_some(),
                StudySource::Folder(folder) => folder.join(name).exists(),
            };
            if exists {
                let file = self.file(&SpannedString::without_location(name))?;
                let name = if let StudySource::Shipped(paper) = &self.source {
                    format!("papers/{paper}/{name}")
                } else {
                    file.name
                };
                files.push(StudyFile { name, ..file });
            }
        }
        Ok(files)
    }

    fn require_study(&self, folder: &Path) -> Result<(), Problem> {
        if folder.join(FILES[0]).exists() {
            return Ok(());
        }
        let reason = if folder.is_dir() { "contains no `study.toml`" } else { "is not a folder" };
        let problem = Problem::new(format!("`{}` is not a study: it {reason}", folder.display()));
        Err(problem.help("a study is a folder; `narrows new study FOLDER` creates a minimal one"))
    }
}
