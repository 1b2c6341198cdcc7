//! The report of a study: its claims and its artifacts, as JSON and as text.
//!
//! The HTML page is in `html.rs`, and the files of the report are in `files.rs`.

use super::claim::{Claim, Tally, claims_text};
use super::table::ReportTable;
use serde::Serialize;

/// The name of the artifact of `conditioning.rs`, which lists each calibration choice with the claims before and after
/// it.
pub const CONDITIONING: &str = "conditioning";
/// The name of the artifact of `cross_validation.rs`, which lists the numbers of a cross-validation.
pub const CROSS_VALIDATION: &str = "cross-validation";

/// A reproduced table or figure.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Artifact {
    /// The name of the artifact and its files, such as `figure-3`.
    pub id: String,
    /// The title, such as `Figure 3: eager cut-through`.
    pub title: String,
    /// The caption.
    pub caption: String,
    /// The chart, as an SVG document.
    #[serde(skip)]
    pub svg: Option<String>,
    /// The data.
    #[serde(flatten)]
    pub table: Option<ReportTable>,
    /// The fragment of a link to the explorer page that opens the machine of the artifact.
    #[serde(skip)]
    pub explorer: Option<String>,
}

impl Artifact {
    /// Returns an artifact that consists of a table.
    pub fn of_table(
        id: impl Into<String>,
        title: impl Into<String>,
        caption: impl Into<String>,
        table: ReportTable,
    ) -> Artifact {
        let (id, title, caption) = (id.into(), title.into(), caption.into());
        Artifact { id, title, caption, table: Some(table), ..Artifact::default() }
    }

    /// Returns the file name of the chart.
    pub fn svg_file(&self) -> Option<String> {
        self.svg.as_ref().map(|_| format!("{}.svg", self.id))
    }

    /// Returns the file name of the data.
    pub fn csv_file(&self) -> Option<String> {
        self.table.as_ref().map(|_| format!("{}.csv", self.id))
    }
}

/// The provenance of a report, for the footer of its page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// The command line that reproduces the report.
    pub command: String,
    /// The version of the program.
    pub version: String,
    /// Whether the smaller inputs of `--quick` were used.
    pub quick: bool,
    /// The hash of all claims and data.
    pub hash: String,
    /// Whether the page is the only file, without separate files for charts and tables.
    pub is_single_file: bool,
    /// The address of the explorer page that artifacts link to; empty for no links.
    pub explorer: String,
}

/// The claims and artifacts of a study.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PaperReport {
    /// The short name of the study, as on the command line.
    pub paper: String,
    /// The title of the study.
    pub title: String,
    /// The bibliographic reference.
    pub reference: String,
    /// The question and the findings, in a paragraph.
    #[serde(rename = "abstract")]
    pub summary: String,
    /// Sentences about runs that did not end with the outcome `done`. They come first on the page.
    #[serde(skip)]
    pub problems: Vec<String>,
    /// The claims with their verdicts.
    pub claims: Vec<Claim>,
    /// The tables and figures.
    pub artifacts: Vec<Artifact>,
    /// The provenance of the report.
    #[serde(skip)]
    pub provenance: Provenance,
    /// The files that charts link to, each with its path relative to the folder of the report and its text.
    #[serde(skip)]
    pub files: Vec<(String, String)>,
}

impl PaperReport {
    /// Returns the report as JSON; callers may add keys (version, seed, hash).
    pub fn json(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self).expect("a report has only text keys");
        for (artifact, object) in self.artifacts.iter().zip(json["artifacts"].as_array_mut().into_iter().flatten()) {
            object["svg"] = artifact.svg_file().into();
            object["csv"] = artifact.csv_file().into();
        }
        json
    }

    /// Returns the report as text: title, tables, claims and tally.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.title, self.reference);
        // These tables are too wide or too long for a terminal.
        let is_shown = |artifact: &&Artifact| ![CONDITIONING, CROSS_VALIDATION].contains(&artifact.id.as_str());
        for artifact in self.artifacts.iter().filter(is_shown) {
            match (&artifact.table, &artifact.svg) {
                (Some(table), _) => text += &format!("{}\n\n{}\n", artifact.title, table.text()),
                (None, None) => text += &format!("{}\n\n", artifact.title),
                (None, Some(_)) => {}
            }
        }
        text + &claims_text(&self.claims)
    }

    /// Returns the number of claims of each verdict.
    pub fn tally(&self) -> Tally {
        Tally::new(&self.claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claim::samples::number;
    use crate::report::table::Column;

    #[test]
    fn json_names_the_files_and_omits_the_charts() {
        let table = ReportTable { columns: vec![Column::unit("size", "B")], rows: vec![vec![64u64.into()]] };
        let artifact =
            Artifact { id: "figure-1".into(), svg: Some("<svg/>".into()), table: Some(table), ..Artifact::default() };
        let report = PaperReport {
            claims: vec![number("R1", 1.0, 1.0, 0.1)],
            artifacts: vec![artifact],
            ..PaperReport::default()
        };
        let json = report.json();
        assert_eq!(json["claims"][0]["holds"], true);
        assert_eq!(json["artifacts"][0]["svg"], "figure-1.svg");
        assert_eq!(json["artifacts"][0]["csv"], "figure-1.csv");
        assert_eq!(json["artifacts"][0]["rows"][0][0], 64.0);
        assert!(!json.to_string().contains("<svg"));
    }
}
