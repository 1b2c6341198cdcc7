//! A question, and the machine that it is about.

use crate::{AnswerEngine, QuestionError};
use narrows_core::text::Problems;
use narrows_study::experiment::loaded_description::LoadedDescription;
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The largest number of bytes of a description.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The number of descriptions that remain loaded: of two machines, a baseline, and a shared link.
const RECENT_SUBJECTS_MAX: usize = 4;

/// A question. Fields that it does not need are ignored.
#[derive(Deserialize)]
#[serde(default)]
pub struct Question {
    /// The kind of question.
    pub ask: String,
    /// The shipped example that describes the machine, or a file below the folder of the engine.
    pub name: Option<String>,
    /// The description of the machine.
    pub text: Option<String>,
    /// The name of the file of `text` in messages; without `text` and `name`, the file to read.
    pub file: Option<String>,
    /// Overrides of the description, as `--set` takes them.
    pub sets: Vec<String>,
    /// Varied keys, as `--vary` takes them.
    pub vary: Vec<String>,
    /// The metrics to show.
    pub metrics: Vec<String>,
    /// The metric to improve.
    pub metric: Option<String>,
    /// The chart to draw.
    pub chart: Option<String>,
    /// The key whose parts are listed.
    pub place: Option<String>,
    /// Whether the answer to `run` contains the record, which is half of its bytes.
    pub record: bool,
    /// The study whose claims are judged.
    #[cfg(feature = "studies")]
    pub study: Option<String>,
    /// The artifact of the study.
    #[cfg(feature = "studies")]
    pub artifact: Option<String>,
    /// The command to write.
    #[serde(rename = "do")]
    pub command: Option<String>,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            ask: String::new(),
            name: None,
            text: None,
            file: None,
            sets: Vec::new(),
            vary: Vec::new(),
            metrics: Vec::new(),
            metric: None,
            chart: None,
            place: None,
            record: true,
            #[cfg(feature = "studies")]
            study: None,
            #[cfg(feature = "studies")]
            artifact: None,
            command: None,
        }
    }
}

impl Question {
    /// Returns the description of the machine. Questions that differ in their settings alone share it, and with it the
    /// merged texts of the description and its parts.
    pub fn subject(&self, engine: &AnswerEngine) -> Result<Arc<LoadedDescription>, QuestionError> {
        if let Some(subject) = engine.subjects.find(self) {
            return Ok(subject);
        }
        match (&self.text, &self.name, &self.file) {
            (Some(text), ..) if text.len() > TEXT_BYTES_MAX => {
                Err(QuestionError::Error(format!("the description has more than {TEXT_BYTES_MAX} bytes")))
            }
            (Some(text), name, file) => {
                let name = file.as_ref().or(name.as_ref()).map_or("page.toml", String::as_str);
                let subject = LoadedDescription::new(&engine.registry, name, text, engine.folder.clone());
                Ok(engine.subjects.keep(self, subject))
            }
            (None, Some(name), _) | (None, None, Some(name)) => {
                match LoadedDescription::example(&engine.registry, name) {
                    Some(example) => Ok(engine.subjects.keep(self, example)),
                    // Not kept, since a file may change between two questions.
                    None => {
                        let path = engine.path_in_folder(name)?;
                        let found = LoadedDescription::find(&engine.registry, &path);
                        found.map(Arc::new).map_err(|problem| Problems::from_problem(problem).into())
                    }
                }
            }
            (None, None, None) => {
                Err(QuestionError::Error("the question names no machine: give `name` or `text`".to_owned()))
            }
        }
    }

    /// Returns the name of the machine on a command line.
    pub fn command_name(&self) -> &str {
        let name = match &self.text {
            Some(_) => self.file.as_ref(),
            None => self.name.as_ref().or(self.file.as_ref()),
        };
        name.map_or("machine.toml", String::as_str)
    }
}

/// The descriptions of the last questions, the latest last. None is that of a file.
#[derive(Default)]
pub struct RecentSubjects(Mutex<Vec<RecentSubject>>);

/// A loaded description, with the fields of the question that select it.
struct RecentSubject {
    text: Option<String>,
    name: Option<String>,
    file: Option<String>,
    description: Arc<LoadedDescription>,
}

impl RecentSubjects {
    /// Returns the description of the machine of `question`, if it is still loaded.
    fn find(&self, question: &Question) -> Option<Arc<LoadedDescription>> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |subject: &RecentSubject| {
            subject.text == question.text && subject.name == question.name && subject.file == question.file
        };
        let index = recent.iter().position(is_same)?;
        let subject = recent.remove(index);
        let description = subject.description.clone();
        recent.push(subject);
        Some(description)
    }

    /// Keeps the description of the machine of `question`, in place of the one that was used the longest time ago.
    fn keep(&self, question: &Question, description: LoadedDescription) -> Arc<LoadedDescription> {
        let description = Arc::new(description);
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() >= RECENT_SUBJECTS_MAX {
            recent.remove(0);
        }
        let (text, name, file) = (question.text.clone(), question.name.clone(), question.file.clone());
        recent.push(RecentSubject { text, name, file, description: description.clone() });
        description
    }
}

/// Returns whether no component of a relative path leads out of the folder. Symbolic links are not examined.
pub fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

impl AnswerEngine {
    /// Returns the path of a file below the folder of the engine.
    pub(crate) fn path_in_folder(&self, file: &str) -> Result<PathBuf, QuestionError> {
        let Some(folder) = &self.folder else {
            return Err(QuestionError::Error(format!(
                "there is no shipped example `{file}`, and a page reads no files"
            )));
        };
        let outside_error =
            || QuestionError::Error(format!("`{file}` is not below the folder in which the server was started"));
        let relative = Path::new(file);
        if !is_inside(relative) {
            return Err(outside_error());
        }
        let path = folder.join(relative);
        // A symbolic link may lead out of the folder.
        match (path.canonicalize(), folder.canonicalize()) {
            (Ok(path), Ok(folder)) if path.starts_with(&folder) => Ok(path),
            (Ok(_), _) => Err(outside_error()),
            (Err(error), _) => Err(QuestionError::Error(format!("`{file}` cannot be read: {error}"))),
        }
    }
}
