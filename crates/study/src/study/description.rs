//! The description of a study: its artifacts, named values, experiments, figures and claims.
//!
//! A study is a folder with `study.toml`, `experiments.toml`, `figures.toml`, `claims.toml`, `fit.toml`,
//! `cross-validation.toml`, and the machine descriptions that are run. The six files are read as one description, which
//! can name built-in functions (`builtins.rs`). References between the parts of a study are checked in `check.rs`.

use super::builtins::BuiltinFns;
use super::choice::HandChoice;
use super::claims::ClaimStatement;
use super::experiments::Experiments;
use super::figures::Figure;
use super::fit::plan::Plan;
use super::held_out::StoredPrediction;
use super::location::Location;
use super::named_value::NamedValue;
use super::view::{Definitions, ValueSource, View};
use narrows_core::text::kind::{ListOf, MapOf, TextKind};
use narrows_core::text::{DescriptionReader, Problems, Read, SpannedString, Table, load};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A study.
#[derive(Debug)]
pub struct Study {
    /// The title of the study.
    pub title: String,
    /// The publication on which the study is based: authors, venue and year.
    pub reference: String,
    /// The question and the findings, in a paragraph.
    pub summary: String,
    /// The artifacts in order, each with the experiments that it needs.
    pub artifacts: Vec<(SpannedString, Vec<SpannedString>)>,
    /// The artifacts that are run only if they are named, since they take long.
    pub artifacts_on_request: Vec<SpannedString>,
    /// The artifacts whose runs depend on earlier results, each with the built-in function that chooses the
    /// runs.
    pub explore: Vec<(SpannedString, SpannedString)>,
    /// The display names of the values of axes.
    pub names: Vec<(SpannedString, Vec<(SpannedString, String)>)>,
    /// The named subsets of the values of an axis.
    pub sets: Vec<(SpannedString, Vec<SpannedString>)>,
    /// The named values.
    pub values: Vec<(String, NamedValue)>,
    /// The experiments.
    pub experiments: Experiments,
    /// The tables and charts.
    pub figures: Vec<Figure>,
    /// The claims, not yet judged.
    pub claims: Vec<ClaimStatement>,
    /// The choices that were made by hand when results were known.
    pub choices: Vec<HandChoice>,
    /// The plan by which the constants are fitted.
    pub fit: Option<Plan>,
    /// The stored cross-validation of the fit.
    pub held_out: Vec<StoredPrediction>,
}

impl Study {
    /// Reads the study at `location`.
    pub fn load(location: &Location) -> Result<Read<Study>, Problems> {
        let files = location.files()?;
        let files: Vec<(PathBuf, String)> =
            files.into_iter().map(|file| (PathBuf::from(file.name), file.text)).collect();
        let files: Vec<(&Path, &str, Option<&Path>)> =
            files.iter().map(|(path, text)| (path.as_path(), text.as_str(), path.parent())).collect();
        DescriptionReader::new(load::load_files(&files)?).read(Study::read)
    }

    /// Reads a study from its merged tables.
    pub fn read(t: &mut Table<'_>) -> Study {
        let names = t.by_name("names", "Display names of values, by axis", MapOf(TextKind::default()));
        let names = names.optional().unwrap_or_default();
        Study {
            title: t.text("title", "Title of the study").required(),
            reference: t.text("reference", "Publication that the study is about: authors, venue, year").or(""),
            summary: t.text("summary", "Question and findings, in a paragraph").or(""),
            artifacts: t
                .by_name(
                    "artifacts",
                    "Tables and figures, each with the experiments it needs",
                    ListOf::new(TextKind::default()),
                )
                .required(),
            artifacts_on_request: t
                .phrases("apart", "Artifacts that run only when they are named, since they take long")
                .or(&[]),
            explore: t
                .by_name("explore", "Artifacts whose runs a built-in function chooses", TextKind::default())
                .optional()
                .unwrap_or_default(),
            names,
            sets: t
                .by_name("sets", "Named subsets of the values of an axis", ListOf::new(TextKind::default()))
                .optional()
                .unwrap_or_default(),
            values: t.map("values", "Named values", NamedValue::read),
            experiments: Experiments::read(t),
            figures: t.list("figure", "Tables and charts", Figure::read),
            claims: t.list("claim", "Claims", ClaimStatement::read),
            choices: t.list("choice", "Choices that were made by hand with results in sight", HandChoice::read),
            fit: t.optional_table("fit", "Plan by which the constants of the machines are fitted", Plan::read),
            held_out: t.list("held-out", "Numbers as predicted by a fit without their row", StoredPrediction::read),
        }
    }

    /// Returns the experiments of an artifact.
    pub fn experiments_of(&self, artifact: &str) -> &[SpannedString] {
        self.artifacts.iter().find(|(id, _)| id.text == artifact).map_or(&[], |(_, experiments)| experiments)
    }

    /// Returns the names of the points that an artifact runs.
    pub fn points_of(&self, artifact: &str) -> BTreeSet<String> {
        let experiments = self.experiments_of(artifact).iter();
        experiments.flat_map(|source| self.experiments.names(&source.text)).collect()
    }

    /// Returns the resolver of the study's names, with the values of `source`.
    pub fn view<'a>(&'a self, builtins: &'a BuiltinFns, source: ValueSource<'a>) -> View<'a> {
        let Study { names, sets, values, experiments, claims, .. } = self;
        let definitions = Definitions { names, sets, values, experiments, claims };
        View { definitions, builtins, source, allows_gaps: false, used_values: None }
    }
}
