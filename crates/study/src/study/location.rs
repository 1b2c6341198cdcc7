//! The location of a study: among the papers that the program carries, or in a folder of the user's.
//!
//! Leaves out what its files say, which [`Study`](super::description::Study) reads.

use super::shipped;
use narrows_core::machine::{Machine, Registry};
use narrows_core::text::{Document, Problem, Problems, Read, Said, file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The location of a study, and the parts that its descriptions may name.
#[derive(Clone, Debug)]
pub struct Location {
    place: Place,
    registry: Arc<Registry>,
}

/// Where the files of a study are.
#[derive(Clone, Debug)]
enum Place {
    /// In the program, under this name.
    Shipped(String),
    /// In a folder.
    Folder(PathBuf),
}

/// A file of a study.
pub struct StudyFile {
    /// Its name for messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What paths in it are relative to.
    pub folder: Option<PathBuf>,
    /// The parts that it may name, if it is a description.
    registry: Arc<Registry>,
}

impl StudyFile {
    /// Reads and checks the file as a description, with `sets` over it.
    ///
    /// # Errors
    ///
    /// Returns every problem of the description, each with its place.
    pub fn machine(&self, sets: &[String]) -> Result<Read<Machine>, Problems> {
        self.registry.read(Document::Text(&self.name, &self.text, self.folder.as_deref()), sets)
    }
}

/// The files of a study; the first must be there.
const FILES: [&str; 5] = ["study.toml", "experiments.toml", "figures.toml", "claims.toml", "fit.toml"];

impl Location {
    /// Returns the location of a paper by its name, or of a folder: what names a folder, or has a separator, is one.
    pub fn of(given: &str, registry: &Arc<Registry>) -> Location {
        let is_name = shipped::paper(&format!("{given}/{}", FILES[0])).is_some();
        let is_folder = given.contains(std::path::is_separator) || given == "." || given == "..";
        let is_shipped = is_name && !is_folder;
        let place = if is_shipped { Place::Shipped(given.to_owned()) } else { Place::Folder(PathBuf::from(given)) };
        Location { place, registry: registry.clone() }
    }

    /// The name under which results are told.
    pub fn name(&self) -> String {
        match &self.place {
            Place::Shipped(name) => name.clone(),
            Place::Folder(path) => {
                let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
                whole.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// A file in it that the study names.
    pub fn file(&self, said: &Said) -> Result<StudyFile, Problems> {
        match &self.place {
            Place::Shipped(name) => {
                let path = format!("{name}/{}", said.text);
                let text = shipped::paper(&path).map(str::to_owned);
                let problem = || Problems::one(Problem::new(format!("there is no file `papers/{path}`")));
                let (name, text) = (said.text.clone(), text.ok_or_else(problem)?);
                Ok(StudyFile { name, text, folder: None, registry: self.registry.clone() })
            }
            Place::Folder(folder) => {
                let path = folder.join(&said.text);
                let text = file::read(&path).map_err(Problems::one)?;
                let (name, folder) = (path.display().to_string(), path.parent().map(Path::to_path_buf));
                Ok(StudyFile { name, text, folder, registry: self.registry.clone() })
            }
        }
    }

    /// Returns the files of the study that exist, the first of them `study.toml`.
    pub fn files(&self) -> Result<Vec<StudyFile>, Problems> {
        if let Place::Folder(folder) = &self.place {
            self.is_study(folder).map_err(Problems::one)?;
        }
        let mut files = Vec::new();
        for name in FILES {
            let stands = match &self.place {
                Place::Shipped(paper) => shipped::paper(&format!("{paper}/{name}")).is_some(),
                Place::Folder(folder) => folder.join(name).exists(),
            };
            if stands {
                let file = self.file(&Said::unplaced(name))?;
                let name =
                    if let Place::Shipped(paper) = &self.place { format!("papers/{paper}/{name}") } else { file.name };
                files.push(StudyFile { name, ..file });
            }
        }
        Ok(files)
    }

    fn is_study(&self, folder: &Path) -> Result<(), Problem> {
        if folder.join(FILES[0]).exists() {
            return Ok(());
        }
        let what = if folder.is_dir() { "holds no `study.toml`" } else { "is no folder" };
        let problem = Problem::new(format!("`{}` is no study: it {what}", folder.display()));
        Err(problem.help("a study is a folder; `narrows new study FOLDER` writes a small one"))
    }
}
