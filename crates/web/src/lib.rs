//! Questions of a page about a machine, and their answers, both as JSON text.
//!
//! The same code answers in the WebAssembly module of a page and in the native server of `narrows explore`, and every
//! result has the bytes that the command line prints for it.
//!
//! | file | answers or holds |
//! |---|---|
//! | `question.rs` | the question, and its machine |
//! | `key_catalog.rs` | the keys of descriptions |
//! | `show.rs` | `show`: every value of a machine, with what a control for it needs |
//! | `control_kind.rs` | the kind of the control for a value |
//! | `fits.rs` | `fits`: the parts that may be chosen, with the reasons why others do not fit |
//! | `run.rs` | `run`, `record`: one run |
//! | `sweep.rs` | `points`, `sweep`: many runs |
//! | `study.rs` | `study`, `claims`: the claims of a study, with the feature `studies` |
//! | `analysis.rs` | `whatif`, `chart` |
//! | `export.rs` | `toml`, `command`: the machine as a description, the question as a command line |
//! | `problem_json.rs` | diagnostics as data |
//! | `page.rs` | the files of the page itself |
//!
//! `about`, `list` and `check` are answered here. An answer is `{"problems": [...]}` if the machine is invalid, and
//! `{"error": "..."}` if the question is.
//!
//! ```
//! let engine = narrows_web::AnswerEngine::shipped();
//! let answer = engine.answer(br#"{"ask": "check", "name": "ping-pong"}"#);
//! assert!(answer.starts_with(r#"{"ok":true"#));
//! ```

mod analysis;
mod control_kind;
mod export;
mod fits;
mod key_catalog;
pub mod page;
mod problem_json;
mod question;
mod run;
mod show;
#[cfg(feature = "studies")]
mod study;
mod sweep;
#[cfg(test)]
mod tests;

use key_catalog::KeyCatalog;
use narrows_core::machine::{self, Machine, Registry};
use narrows_core::text::{Problems, Read};
use narrows_study::catalog::{NameGroup, NameKind, list};
use narrows_study::experiment::record::VERSION;
pub use question::is_inside;
use question::{Question, RecentSubjects};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

/// The version of the questions and answers. It is raised by a change that an older page does not understand.
const PROTOCOL: u32 = 1;

/// A function that answers a question.
type AnswerFn = fn(&AnswerEngine, &Question) -> AnswerResult;

/// The questions, each with its function.
const QUESTIONS: &[(&str, AnswerFn)] = &[
    ("about", |engine, _| Ok(engine.about().to_string())),
    ("list", |engine, _| Ok(engine.list().to_string())),
    ("show", show::show),
    ("fits", fits::fits),
    ("check", AnswerEngine::check),
    ("run", run::run),
    ("record", run::record),
    ("points", sweep::points),
    ("sweep", sweep::sweep),
    ("whatif", analysis::whatif),
    ("chart", analysis::chart),
    ("toml", export::toml),
    ("command", export::command),
    #[cfg(feature = "studies")]
    ("study", study::study),
    #[cfg(feature = "studies")]
    ("claims", study::claims),
];

/// The questions of the page of a study.
#[cfg(feature = "studies")]
const STUDY_QUESTIONS: &[(&str, AnswerFn)] =
    &[("about", |engine, _| Ok(engine.about().to_string())), ("study", study::study), ("claims", study::claims)];

/// The source of answers: the parts that descriptions may name, and the folder of files that they may name.
pub struct AnswerEngine {
    registry: Arc<Registry>,
    folder: Option<PathBuf>,
    questions: &'static [(&'static str, AnswerFn)],
    subjects: RecentSubjects,
    /// The keys of descriptions, which are collected for the first question that needs them.
    keys: OnceLock<KeyCatalog>,
}

/// The reason why a question cannot be answered.
enum QuestionError {
    /// The machine is invalid.
    Problems(Problems),
    /// The question is invalid, for this reason.
    Error(String),
}

/// An answer as JSON text.
type AnswerResult = Result<String, QuestionError>;

impl From<Problems> for QuestionError {
    fn from(problems: Problems) -> QuestionError {
        QuestionError::Problems(problems)
    }
}

impl AnswerEngine {
    /// Returns the engine with the shipped parts, which reads no files.
    pub fn shipped() -> AnswerEngine {
        AnswerEngine::new(Registry::shared().clone(), None, QUESTIONS)
    }

    /// Returns the engine with the shipped parts and studies that answers the questions of the page of a study alone.
    ///
    /// A module with this engine needs no code for other questions.
    #[cfg(feature = "studies")]
    pub fn for_studies() -> AnswerEngine {
        AnswerEngine::new(Registry::shared().clone(), None, STUDY_QUESTIONS)
    }

    /// Returns the engine with the parts of `registry`. Descriptions and the files that they name are read below
    /// `folder`, and nowhere else.
    pub fn with_folder(registry: Arc<Registry>, folder: PathBuf) -> AnswerEngine {
        AnswerEngine::new(registry, Some(folder), QUESTIONS)
    }

    fn new(
        registry: Arc<Registry>,
        folder: Option<PathBuf>,
        questions: &'static [(&'static str, AnswerFn)],
    ) -> AnswerEngine {
        AnswerEngine { registry, folder, questions, subjects: RecentSubjects::default(), keys: OnceLock::new() }
    }

    /// Returns the keys of descriptions.
    fn keys(&self) -> &KeyCatalog {
        self.keys.get_or_init(|| KeyCatalog::new(&self.registry))
    }

    /// Answers a question. Both are JSON text.
    pub fn answer(&self, question: &[u8]) -> String {
        let answer = match serde_json::from_slice::<Question>(question) {
            Ok(question) => self.answer_question(&question),
            Err(error) => Err(QuestionError::Error(format!("the question is not understood: {error}"))),
        };
        answer.unwrap_or_else(|error| match error {
            QuestionError::Problems(problems) => {
                json!({ "problems": problem_json::problems_json(&problems, self.keys()) }).to_string()
            }
            QuestionError::Error(why) => json!({ "error": why }).to_string(),
        })
    }

    fn answer_question(&self, question: &Question) -> AnswerResult {
        let entry = self.questions.iter().find(|(name, _)| *name == question.ask);
        let (_, answer) = entry.ok_or_else(|| {
            let names = self.questions.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            QuestionError::Error(format!("there is no question `{}`; the questions are {names}", question.ask))
        })?;
        answer(self, question)
    }

    /// Returns the version, the questions, and whether files are read.
    fn about(&self) -> Json {
        let questions: Vec<&str> = self.questions.iter().map(|(name, _)| *name).collect();
        json!({ "version": VERSION, "protocol": PROTOCOL, "features": questions, "files": self.folder.is_some() })
    }

    /// Returns the examples and parts by family, as `narrows list --format json` prints them.
    fn list(&self) -> Json {
        let groups: Vec<NameGroup> = NameKind::ALL.iter().map(|kind| kind.group(&self.registry)).collect();
        list::json(&groups)
    }

    /// Returns whether the machine is valid, and its problems.
    fn check(&self, question: &Question) -> AnswerResult {
        let subject = question.subject(self)?;
        Ok(match subject.read(&question.sets) {
            Ok(read) => {
                let notes: Vec<String> = read.value.note().into_iter().collect();
                json!({ "ok": true, "note": notes.first(), "warnings": warnings(&read), "problems": [] })
            }
            Err(problems) => {
                json!({ "ok": false, "note": null, "warnings": [], "problems": problem_json::problems_json(&problems, self.keys()) })
            }
        }
        .to_string())
    }
}

/// Returns the warnings of a description that `narrows run` prints on standard error: hosts that no node uses, and an
/// interface that a setting replaced. Warnings about values of hosts are among the notes.
fn warnings(read: &Read<Machine>) -> Vec<String> {
    machine::notices(read)
}
