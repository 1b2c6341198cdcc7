//! A page of results of one's own, made of the figures of studies: of runs, and of sweeps.
//!
//! Leaves out what only a study knows: what is expected, and what to look for.

mod run;
mod sweep;

use super::record::{Record, VERSION, digest};
use super::tidy;
use crate::report::dataset::{Dataset, Encoding};
use crate::report::{Artifact, Made, PaperReport};
use std::path::Path;

/// What a file holds.
pub enum ResultFile {
    /// The result of `narrows run --format json`.
    Run(Box<Record>),
    /// Tidy data, or the result of a sweep.
    Rows(Dataset),
}

impl ResultFile {
    /// Reads it, or says why it is no result.
    pub fn read(bytes: Vec<u8>, path: &Path) -> Result<ResultFile, String> {
        if path.extension().is_none_or(|ending| ending != "json") {
            let encoding = Encoding::of(path).ok_or("its name ends in none of the forms of results")?;
            return Dataset::read(bytes, encoding).map(ResultFile::Rows);
        }
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        match tidy::of_json(&text) {
            Ok(rows) => Ok(ResultFile::Rows(rows)),
            Err(why) => Record::parse(&text).map(|record| ResultFile::Run(Box::new(record))).map_err(|_| why),
        }
    }

    /// Its pictures and tables; `name` tells it from the page's other results.
    fn artifacts(&self, name: &str) -> Vec<Artifact> {
        match self {
            ResultFile::Run(record) => run::artifacts(record, name),
            ResultFile::Rows(rows) => sweep::artifacts(rows, name),
        }
    }
}

/// The page of these results, each by its name.
pub fn of(results: &[(String, ResultFile)], title: Option<&str>, command: String) -> PaperReport {
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    let mut artifacts: Vec<Artifact> = results.iter().flat_map(|(name, held)| held.artifacts(name)).collect();
    for (number, artifact) in artifacts.iter_mut().enumerate() {
        artifact.id = format!("{}-{}", number + 1, artifact.id);
    }
    let mut page = PaperReport {
        title: title.map_or_else(|| names.join(", "), str::to_owned),
        artifacts,
        ..PaperReport::default()
    };
    let hash = digest(&page.json());
    page.made = Made { command, version: VERSION.to_owned(), quick: false, hash, alone: true };
    page
}
