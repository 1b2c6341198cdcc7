//! The files of a report: its page, its JSON, and the chart and data of each artifact.
//!
//! No file is ever incomplete under its own name. Every file is complete under a temporary name before the first one is
//! replaced. `report.html` and `report.json` are removed before the first chart is replaced and are renamed last, so
//! they never appear together with the charts of another report.

use super::html;
use super::paper::PaperReport;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

/// The names of the files with the report's JSON and its page.
const SUMMARY_FILES: [&str; 2] = ["report.json", "report.html"];

impl PaperReport {
    /// Writes `report.html`, `report.json`, `ID.svg` and `ID.csv` of each artifact, and the files that charts link to,
    /// into `folder`, which is created if necessary.
    ///
    /// # Errors
    ///
    /// Returns the error of the first file that cannot be written. In that case the files of an earlier report remain.
    /// If a file cannot be removed or renamed, some files of an earlier report may have been removed or replaced.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut files = StagedFiles::default();
        for artifact in &self.artifacts {
            if let (Some(name), Some(svg)) = (artifact.svg_file(), &artifact.svg) {
                files.write(&folder.join(name), svg.as_bytes())?;
            }
            if let (Some(name), Some(table)) = (artifact.csv_file(), &artifact.table) {
                files.write(&folder.join(name), table.csv().as_bytes())?;
            }
        }
        for (path, text) in &self.files {
            let path = folder.join(path);
            path.parent().map(fs::create_dir_all).transpose()?;
            files.write(&path, text.as_bytes())?;
        }
        let summary_paths = SUMMARY_FILES.map(|name| folder.join(name));
        let texts = [format!("{:#}\n", self.json()), html::page(self)];
        for (path, text) in summary_paths.iter().zip(&texts) {
            files.write(path, text.as_bytes())?;
        }
        for path in &summary_paths {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        files.commit()
    }
}

/// Writes a file under a temporary name, and renames it when it is complete.
///
/// # Errors
///
/// Returns the error of writing or renaming the file, which is then unchanged.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut files = StagedFiles::default();
    files.write(path, bytes)?;
    files.commit()
}

/// Files under temporary names. They are renamed together when all are complete, and removed otherwise.
#[derive(Default)]
struct StagedFiles(Vec<(PathBuf, PathBuf)>);

impl StagedFiles {
    /// Writes the new contents of the file `path` under a temporary name.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let temporary = temporary_path(path)?;
        self.0.push((temporary.clone(), path.to_owned()));
        fs::write(temporary, bytes)
    }

    /// Renames all files, in the order in which they were written.
    fn commit(mut self) -> io::Result<()> {
        self.0.reverse();
        while let Some((temporary, path)) = self.0.last() {
            fs::rename(temporary, path)?;
            self.0.pop();
        }
        Ok(())
    }
}

impl Drop for StagedFiles {
    fn drop(&mut self) {
        for (temporary, _) in &self.0 {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// Returns the path of a temporary file in the same folder as `path`, which replaces `path` when it is complete.
///
/// # Errors
///
/// Returns an error if `path` has no file name.
pub fn temporary_path(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.part", unique_suffix()));
    Ok(path.with_file_name(name))
}

/// Returns a name suffix that is unique among the threads, processes and machines that share a disk.
fn unique_suffix() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanoseconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{}-{nanoseconds:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Artifact;

    fn report(svg: &str) -> PaperReport {
        let artifact = Artifact { id: "latency".into(), svg: Some(svg.into()), ..Artifact::default() };
        PaperReport { artifacts: vec![artifact], ..PaperReport::default() }
    }

    #[test]
    fn report_that_cannot_be_written_leaves_the_earlier_one_unchanged() {
        let folder = std::env::temp_dir().join(format!("narrows-files-{}", unique_suffix()));
        report("<svg>one</svg>").write(&folder).expect("the report can be written");
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
        let page = read("report.html");
        let mut other = report("<svg>two</svg>");
        // Fails: `report.json` is a file, so the folder `report.json/descriptions` cannot be created.
        other.files = vec![("report.json/descriptions/a.toml".into(), String::new())];
        assert!(other.write(&folder).is_err());
        assert_eq!((read("latency.svg").as_str(), read("report.html")), ("<svg>one</svg>", page));
        let names = fs::read_dir(&folder)
            .expect("the folder exists")
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        assert_eq!(names, ["latency.svg", "report.html", "report.json"], "no temporary file remains");
        report("<svg>two</svg>").write(&folder).expect("the report can be written");
        assert_eq!(read("latency.svg"), "<svg>two</svg>");
        fs::remove_dir_all(&folder).expect("the folder exists");
    }
}
