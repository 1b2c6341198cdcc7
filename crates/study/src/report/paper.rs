//! The report of one paper: its claims and its artifacts, as JSON and as text.
//!
//! Leaves out running anything, the page's look (`html/`) and the report's files (`files.rs`).

use super::claim::{Claim, Tally, claims_text};
use super::table::ReportTable;
use serde::Serialize;

/// A table or figure reproduced.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Artifact {
    /// Its name, also of its files: `figure-3`.
    pub id: String,
    /// Its heading: `Figure 3: eager cut-through`.
    pub title: String,
    /// What to see in it, and how it was made.
    pub caption: String,
    /// Its picture, a whole SVG document.
    #[serde(skip)]
    pub svg: Option<String>,
    /// Its data.
    #[serde(flatten)]
    pub table: Option<ReportTable>,
}

impl Artifact {
    /// The name of its picture's file.
    pub fn svg_file(&self) -> Option<String> {
        self.svg.as_ref().map(|_| format!("{}.svg", self.id))
    }

    /// The name of its data's file.
    pub fn csv_file(&self) -> Option<String> {
        self.table.as_ref().map(|_| format!("{}.csv", self.id))
    }
}

/// How a report was made, as its page tells it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Made {
    /// The command that makes it again.
    pub command: String,
    /// By which version of the program.
    pub version: String,
    /// Whether on smaller inputs.
    pub quick: bool,
    /// Of all its claims and data.
    pub hash: String,
    /// Whether its page stands alone, without the files of its pictures and tables beside it.
    pub alone: bool,
}

/// A paper's claims and artifacts.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct PaperReport {
    /// Its short name, as on the command line.
    pub paper: String,
    /// The paper's title.
    pub title: String,
    /// Its bibliographic reference.
    pub reference: String,
    /// One paragraph: what the paper asks and finds.
    #[serde(rename = "abstract")]
    pub summary: String,
    /// Its claims.
    pub claims: Vec<Claim>,
    /// Its tables and figures.
    pub artifacts: Vec<Artifact>,
    /// How it was made.
    #[serde(skip)]
    pub made: Made,
    /// What its pictures link to: the path of each file below the report, and its text.
    #[serde(skip)]
    pub files: Vec<(String, String)>,
}

impl PaperReport {
    /// The report as JSON; the caller may add keys (version, seed, hash).
    pub fn json(&self) -> serde_json::Value {
        let mut json = serde_json::to_value(self).expect("a report has only text keys");
        for (artifact, object) in self.artifacts.iter().zip(json["artifacts"].as_array_mut().into_iter().flatten()) {
            object["svg"] = artifact.svg_file().into();
            object["csv"] = artifact.csv_file().into();
        }
        json
    }

    /// The report for a terminal: heading, tables, claims, tally.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.title, self.reference);
        for artifact in &self.artifacts {
            if let Some(table) = &artifact.table {
                text += &format!("{}\n\n{}\n", artifact.title, table.text());
            }
        }
        text + &claims_text(&self.claims)
    }

    /// How many claims hold.
    pub fn tally(&self) -> Tally {
        Tally::of(&self.claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claim::samples::number;
    use crate::report::table::Column;

    #[test]
    fn json_names_the_files_and_leaves_out_the_pictures() {
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
