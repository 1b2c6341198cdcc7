//! Where a study lies: among the papers that the program carries, or in a folder of the user's.

use super::description::Study;
use crate::machine::shipped;
use crate::text::{Problem, Problems, Read, Reading, Said, file, load};
use std::path::{Path, PathBuf};

/// Where a study lies.
#[derive(Clone, Debug)]
pub enum Home {
    /// In the program, under this name.
    Shipped(String),
    /// In a folder.
    Folder(PathBuf),
}

/// A file of a study.
pub struct File {
    /// Its name for messages.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What paths in it are relative to.
    pub folder: Option<PathBuf>,
}

/// The files of a study; the first must be there.
const FILES: [&str; 5] = ["study.toml", "experiments.toml", "figures.toml", "claims.toml", "fit.toml"];

impl Home {
    /// Of a paper's name, or of a folder: what names a folder, or has a separator, is one.
    pub fn of(given: &str) -> Home {
        let is_name = shipped::paper(&format!("{given}/{}", FILES[0])).is_some();
        let is_folder = given.contains(std::path::is_separator) || given == "." || given == "..";
        if is_name && !is_folder { Home::Shipped(given.to_owned()) } else { Home::Folder(PathBuf::from(given)) }
    }

    /// The name under which results are told.
    pub fn name(&self) -> String {
        match self {
            Home::Shipped(name) => name.clone(),
            Home::Folder(path) => {
                let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
                whole.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// A file in it that the study names.
    pub fn file(&self, said: &Said) -> Result<File, Problems> {
        match self {
            Home::Shipped(name) => {
                let path = format!("{name}/{}", said.text);
                let text = shipped::paper(&path).map(str::to_owned);
                let problem = || Problems::one(Problem::new(format!("there is no file `papers/{path}`")));
                Ok(File { name: said.text.clone(), text: text.ok_or_else(problem)?, folder: None })
            }
            Home::Folder(folder) => {
                let path = folder.join(&said.text);
                let text = file::read(&path).map_err(Problems::one)?;
                Ok(File { name: path.display().to_string(), text, folder: path.parent().map(Path::to_path_buf) })
            }
        }
    }

    /// Reads the study in it.
    pub fn read(&self) -> Result<Read<Study>, Problems> {
        let files = self.files()?;
        let files: Vec<(PathBuf, String)> =
            files.into_iter().map(|file| (PathBuf::from(file.name), file.text)).collect();
        let files: Vec<(&Path, &str, Option<&Path>)> =
            files.iter().map(|(path, text)| (path.as_path(), text.as_str(), path.parent())).collect();
        Reading::new(load::together(&files)?).read(Study::read)
    }

    fn files(&self) -> Result<Vec<File>, Problems> {
        if let Home::Folder(folder) = self {
            self.is_study(folder).map_err(Problems::one)?;
        }
        let mut files = Vec::new();
        for name in FILES {
            let stands = match self {
                Home::Shipped(paper) => shipped::paper(&format!("{paper}/{name}")).is_some(),
                Home::Folder(folder) => folder.join(name).exists(),
            };
            if stands {
                let file = self.file(&Said::unplaced(name))?;
                let name = if let Home::Shipped(paper) = self { format!("papers/{paper}/{name}") } else { file.name };
                files.push(File { name, ..file });
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
