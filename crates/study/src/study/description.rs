//! A study as it is described: its artifacts, what its values mean, its experiments, figures and claims.
//!
//! All of it is data, in a folder of `study.toml`, `experiments.toml`, `figures.toml`, `claims.toml`,
//! `fit.toml` and the descriptions that are run; the five are read together. What data cannot say is a function that
//! is registered by name (`builtins.rs`). Leaves out whether names go together (`check.rs`).

use super::builtins::BuiltinFns;
use super::claims::ClaimStatement;
use super::experiments::Experiments;
use super::figures::Figure;
use super::fit::plan::Plan;
use super::location::Location;
use super::meaning::Meaning;
use super::view::{Definitions, ValueSource, View};
use narrows_core::text::kind::{ByName, Phrase, Several, Words};
use narrows_core::text::{Problems, Read, Reading, Said, Table, load};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A study.
#[derive(Debug)]
pub struct Study {
    /// Its title.
    pub title: String,
    /// Authors, place and year of what it is about.
    pub reference: String,
    /// What it is about.
    pub summary: String,
    /// Its artifacts in order, each with the experiments it needs.
    pub artifacts: Vec<(Said, Vec<Said>)>,
    /// Those of them that take longer than the rest together: they run only when they are named.
    pub apart: Vec<Said>,
    /// Artifacts whose runs depend on what earlier ones gave, each with the function that makes them.
    pub explore: Vec<(Said, Said)>,
    /// The values of axes with their names in words.
    pub names: Vec<(Said, Vec<(Said, String)>)>,
    /// Some values of an axis.
    pub sets: Vec<(Said, Vec<Said>)>,
    /// What is measured, by name.
    pub values: Vec<(String, Meaning)>,
    /// The runs.
    pub experiments: Experiments,
    /// The tables and pictures.
    pub figures: Vec<Figure>,
    /// The claims.
    pub claims: Vec<ClaimStatement>,
    /// How the constants behind them are fitted.
    pub fit: Option<Plan>,
}

impl Study {
    /// Reads the study at `location`.
    pub fn load(location: &Location) -> Result<Read<Study>, Problems> {
        let files = location.files()?;
        let files: Vec<(PathBuf, String)> =
            files.into_iter().map(|file| (PathBuf::from(file.name), file.text)).collect();
        let files: Vec<(&Path, &str, Option<&Path>)> =
            files.iter().map(|(path, text)| (path.as_path(), text.as_str(), path.parent())).collect();
        Reading::new(load::together(&files)?).read(Study::read)
    }

    /// Reads one.
    pub fn read(t: &mut Table<'_>) -> Study {
        let names = t.by_name("names", "For each axis its values, each with its name in words", ByName(Words));
        let names = names.optional().unwrap_or_default();
        Study {
            title: t.text("title", "What the study is called").required(),
            reference: t.text("reference", "What it is about: authors, place, year").or(""),
            summary: t.text("summary", "What it asks and finds, in a paragraph").or(""),
            artifacts: t
                .by_name("artifacts", "Its tables and figures, each with the experiments it needs", Several::of(Phrase))
                .required(),
            apart: t.phrases("apart", "Artifacts that take long: they run only when they are named").or(&[]),
            explore: t
                .by_name("explore", "Artifacts whose runs a function of the program chooses", Phrase)
                .optional()
                .unwrap_or_default(),
            names,
            sets: t
                .by_name("sets", "Some values of an axis, to range over", Several::of(Phrase))
                .optional()
                .unwrap_or_default(),
            values: t.map("values", "What is measured, by name", Meaning::read),
            experiments: Experiments::read(t),
            figures: t.list("figure", "Tables and pictures", Figure::read),
            claims: t.list("claim", "Claims", ClaimStatement::read),
            fit: t.optional_table("fit", "How the constants of its machines are fitted", Plan::read),
        }
    }

    /// The experiments of an artifact.
    pub fn experiments_of(&self, artifact: &str) -> &[Said] {
        self.artifacts.iter().find(|(id, _)| id.text == artifact).map_or(&[], |(_, experiments)| experiments)
    }

    /// Returns the names of the points that an artifact runs.
    pub fn points_of(&self, artifact: &str, quick: bool) -> BTreeSet<String> {
        let experiments = self.experiments_of(artifact).iter();
        experiments.flat_map(|said| self.experiments.names(&said.text, quick)).collect()
    }

    /// Returns the meanings of the study's names over `source`.
    pub fn view<'a>(&'a self, builtins: &'a BuiltinFns, source: ValueSource<'a>) -> View<'a> {
        let Study { names, sets, values, experiments, claims, .. } = self;
        let defined = Definitions { names, sets, values, experiments, claims };
        View { defined, builtins, source, gaps: false, asked: None }
    }
}
