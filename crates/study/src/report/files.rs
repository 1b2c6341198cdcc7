//! The files of a report: its page, its JSON, and the chart and data of each artifact.

use super::html;
use super::paper::PaperReport;
use std::path::Path;
use std::{fs, io};

impl PaperReport {
    /// Writes `report.html`, `report.json`, `ID.svg` and `ID.csv` of each artifact, and the files that charts link to,
    /// into `folder`, which is created if necessary.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        for artifact in &self.artifacts {
            if let (Some(name), Some(svg)) = (artifact.svg_file(), &artifact.svg) {
                fs::write(folder.join(name), svg)?;
            }
            if let (Some(name), Some(table)) = (artifact.csv_file(), &artifact.table) {
                fs::write(folder.join(name), table.csv())?;
            }
        }
        for (path, text) in &self.files {
            let path = folder.join(path);
            path.parent().map(fs::create_dir_all).transpose()?;
            fs::write(path, text)?;
        }
        fs::write(folder.join("report.json"), format!("{:#}\n", self.json()))?;
        fs::write(folder.join("report.html"), html::page(self))
    }
}
