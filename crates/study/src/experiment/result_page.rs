//! HTML pages of a user's results of runs and sweeps, with the same charts and tables as pages of studies.
//!
//! Unlike the page of a study, such a page has no expected values and no claims.

mod run;
mod sweep;

use super::record::{Record, VERSION, digest};
use super::steadiness;
use super::tidy;
use crate::report::dataset::{Dataset, Encoding};
use crate::report::{Artifact, PaperReport, Provenance};
use std::path::Path;

/// The contents of a result file.
pub enum ResultFile {
    /// The result of `narrows run --format json`.
    Run(Box<Record>),
    /// Tidy data, or the JSON result of a sweep.
    Rows(Dataset),
}

impl ResultFile {
    /// Parses the contents of the file `path`.
    ///
    /// # Errors
    ///
    /// Returns a sentence that states why it is not a result.
    pub fn read(bytes: Vec<u8>, path: &Path) -> Result<ResultFile, String> {
        if path.extension().is_none_or(|ending| ending != "json") {
            let encoding =
                Encoding::from_path(path).ok_or("its extension is not `.json`, `.csv`, `.jsonl` or `.parquet`")?;
            return Dataset::read(bytes, encoding).map(ResultFile::Rows);
        }
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        match tidy::of_json(&text) {
            Ok(rows) => Ok(ResultFile::Rows(rows)),
            Err(why) => Record::parse(&text).map(|record| ResultFile::Run(Box::new(record))).map_err(|_| why),
        }
    }

    /// Returns the warnings that the result, or a part of it, is not that of a steady state.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            ResultFile::Run(record) => steadiness::of_run(record),
            ResultFile::Rows(rows) => steadiness::warnings(rows),
        }
    }

    /// Returns the charts and tables of the result; `name` identifies it on the page.
    fn artifacts(&self, name: &str) -> Vec<Artifact> {
        match self {
            ResultFile::Run(record) => run::artifacts(record, name),
            ResultFile::Rows(rows) => sweep::artifacts(rows, name),
        }
    }
}

/// Returns the page of these results. Each is given with its name.
pub fn page_of_results(results: &[(String, ResultFile)], title: Option<&str>, command: String) -> PaperReport {
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    let mut artifacts: Vec<Artifact> = results.iter().flat_map(|(name, result)| result.artifacts(name)).collect();
    for (index, artifact) in artifacts.iter_mut().enumerate() {
        artifact.id = format!("{}-{}", index + 1, artifact.id);
    }
    let mut page = PaperReport {
        title: title.map_or_else(|| names.join(", "), str::to_owned),
        artifacts,
        ..PaperReport::default()
    };
    let hash = digest(&page.json());
    page.provenance = Provenance { command, version: VERSION.to_owned(), quick: false, hash, is_single_file: true };
    page
}
