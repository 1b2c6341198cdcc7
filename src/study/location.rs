//! The location of a study: among the papers that the program carries, or in a folder of the user's.
//!
//! Leaves out what its files say, which [`Study`](super::description::Study) reads.

use crate::machine::shipped;
use crate::text::{Problem, Problems, Said, file};
use std::path::{Path, PathBuf};

/// The location of a study.
#[derive(Clone, Debug)]
pub enum Location {
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
}

/// The files of a study; the first must be there.
const FILES: [&str; 5] = ["study.toml", "experiments.toml", "figures.toml", "claims.toml", "fit.toml"];

impl Location {
    /// Of a paper's name, or of a folder: what names a folder, or has a separator, is one.
    pub fn of(given: &str) -> Location {
        let is_name = shipped::paper(&format!("{given}/{}", FILES[0])).is_some();
        let is_folder = given.contains(std::path::is_separator) || given == "." || given == "..";
        if is_name && !is_folder { Location::Shipped(given.to_owned()) } else { Location::Folder(PathBuf::from(given)) }
    }

    /// The name under which results are told.
    pub fn name(&self) -> String {
        match self {
            Location::Shipped(name) => name.clone(),
            Location::Folder(path) => {
                let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
                whole.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// A file in it that the study names.
    pub fn file(&self, said: &Said) -> Result<StudyFile, Problems> {
        match self {
            Location::Shipped(name) => {
                let path = format!("{name}/{}", said.text);
                let text = shipped::paper(&path).map(str::to_owned);
                let problem = || Problems::one(Problem::new(format!("there is no file `papers/{path}`")));
                Ok(StudyFile { name: said.text.clone(), text: text.ok_or_else(problem)?, folder: None })
            }
            Location::Folder(folder) => {
                let path = folder.join(&said.text);
                let text = file::read(&path).map_err(Problems::one)?;
                Ok(StudyFile { name: path.display().to_string(), text, folder: path.parent().map(Path::to_path_buf) })
            }
        }
    }

    /// Returns the files of the study that exist, the first of them `study.toml`.
    pub fn files(&self) -> Result<Vec<StudyFile>, Problems> {
        if let Location::Folder(folder) = self {
            self.is_study(folder).map_err(Problems::one)?;
        }
        let mut files = Vec::new();
        for name in FILES {
            let stands = match self {
                Location::Shipped(paper) => shipped::paper(&format!("{paper}/{name}")).is_some(),
                Location::Folder(folder) => folder.join(name).exists(),
            };
            if stands {
                let file = self.file(&Said::unplaced(name))?;
                let name =
                    if let Location::Shipped(paper) = self { format!("papers/{paper}/{name}") } else { file.name };
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
