//! HTML pages of a user's results of runs and sweeps, with the same charts and tables as pages of studies.
//!
//! Unlike the page of a study, such a page has no expected values and no claims.

mod run;
mod sweep;

use super::record::{Record, VERSION, digest};
use super::{steadiness, stored_sweep, tidy};
use crate::report::dataset::{Dataset, Encoding};
use crate::report::{Artifact, ExplorerLink, PaperReport, Provenance};
use std::path::Path;

/// The contents of a result file.
pub enum ResultFile {
    /// The result of `narrows run --format json`.
    Run(Box<Record>),
    /// Tidy data, or the JSON result of a sweep, with a link to its machine, or the reason why no machine is known.
    Rows(Dataset, Result<ExplorerLink, String>),
}

impl ResultFile {
    /// Parses the contents of the file `path`.
    ///
    /// # Errors
    ///
    /// Returns a sentence that states why the file is not a result.
    pub fn read(bytes: Vec<u8>, path: &Path) -> Result<ResultFile, String> {
        if path.extension().is_none_or(|ending| ending != "json") {
            let encoding =
                Encoding::from_path(path).ok_or("its extension is not `.json`, `.csv`, `.jsonl` or `.parquet`")?;
            return Dataset::read(bytes, encoding).map(|rows| ResultFile::from_rows(rows, path));
        }
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        match tidy::dataset_from_json(&text) {
            Ok(rows) => Ok(ResultFile::from_rows(rows, path)),
            Err(why) => Record::parse(&text).map(|record| ResultFile::Run(Box::new(record))).map_err(|_| why),
        }
    }

    fn from_rows(rows: Dataset, path: &Path) -> ResultFile {
        let link = stored_sweep::explorer_link(path, &rows);
        ResultFile::Rows(rows, link)
    }

    /// Returns the warnings that the result, or a part of it, is not that of a steady state.
    pub fn warnings(&self) -> Vec<String> {
        match self {
            ResultFile::Run(record) => steadiness::run_warnings(record),
            ResultFile::Rows(rows, _) => steadiness::data_warnings(rows),
        }
    }

    /// Returns the charts and tables of the result; `name` identifies it on the page.
    fn artifacts(&self, name: &str) -> Vec<Artifact> {
        match self {
            ResultFile::Run(record) => run::artifacts(record, name),
            ResultFile::Rows(rows, link) => {
                let explorer = link.as_ref().ok().map(ExplorerLink::fragment);
                let with_link = |artifact| Artifact { explorer: explorer.clone(), ..artifact };
                sweep::artifacts(rows, name).into_iter().map(with_link).collect()
            }
        }
    }

    /// Returns a sentence about the runs with an outcome other than `done`, or `None` if every run is done.
    fn problem(&self, name: &str) -> Option<String> {
        match self {
            ResultFile::Run(record) => (!record.is_complete()).then(|| format!("{name}: {}.", record.verdict())),
            ResultFile::Rows(rows, _) => sweep::not_done_table(rows, name).map(|table| format!("{}.", table.title)),
        }
    }
}

/// Returns the page of these results. Each is given with its name.
///
/// Figures link to the explorer page at the address `explorer`, unless the address is empty.
pub fn page_of_results(
    results: &[(String, ResultFile)],
    title: Option<&str>,
    command: String,
    explorer: &str,
) -> PaperReport {
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    let mut artifacts: Vec<Artifact> = results.iter().flat_map(|(name, result)| result.artifacts(name)).collect();
    for (index, artifact) in artifacts.iter_mut().enumerate() {
        artifact.id = format!("{}-{}", index + 1, artifact.id);
    }
    let mut page = PaperReport {
        title: title.map_or_else(|| names.join(", "), str::to_owned),
        problems: results.iter().filter_map(|(name, result)| result.problem(name)).collect(),
        artifacts,
        ..PaperReport::default()
    };
    let hash = digest(&page.json());
    let (version, explorer) = (VERSION.to_owned(), explorer.to_owned());
    page.provenance = Provenance { command, version, quick: false, hash, is_single_file: true, explorer };
    page
}
