//! The store of a sweep's finished points, from which an interrupted sweep resumes.
//!
//! The store is a folder with one file per point. The file is named after the hash of the point's inputs and holds the
//! result of the run. A file is renamed into place when it is complete, and is accepted only if its hash is correct.

use super::Record;
use crate::report::files::write_atomically;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a sweep's finished points.
#[derive(Clone, Debug)]
pub struct PointStore {
    folder: PathBuf,
}

/// The result of looking up a point in the store.
#[derive(Clone, PartialEq, Debug)]
pub enum StoredPoint {
    /// The store has the result.
    Valid(Box<Record>),
    /// The store has no file for the point.
    Absent,
    /// The file is not the point's result, for the stated reason.
    Corrupt(PathBuf, String),
}

impl PointStore {
    /// Opens the store next to the results file `results_file`, and creates it if necessary.
    pub fn create(results_file: &Path) -> io::Result<PointStore> {
        let folder = folder_of(results_file).ok_or(ErrorKind::InvalidInput)?;
        fs::create_dir_all(&folder)?;
        Ok(PointStore { folder })
    }

    /// Opens the store next to the results file `results_file`, if it exists.
    pub fn open(results_file: &Path) -> Option<PointStore> {
        let folder = folder_of(results_file)?;
        folder.is_dir().then_some(PointStore { folder })
    }

    /// Returns the folder of the store.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Looks up the point whose inputs have this hash.
    pub fn find(&self, inputs_hash: &str) -> StoredPoint {
        let path = self.path(inputs_hash);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return StoredPoint::Absent,
            Err(error) => return StoredPoint::Corrupt(path, error.to_string()),
        };
        match Record::parse(&text) {
            Err(reason) => StoredPoint::Corrupt(path, reason),
            Ok(record) if !record.is_intact() => {
                StoredPoint::Corrupt(path, "its hash does not match its contents".to_owned())
            }
            Ok(record) if record.inputs_hash() != inputs_hash => {
                StoredPoint::Corrupt(path, "it is the result of another point".to_owned())
            }
            Ok(record) => StoredPoint::Valid(Box::new(record)),
        }
    }

    /// Returns all results in the store, in the order of their files. A file that is not an intact result is left out.
    pub fn records(&self) -> Vec<Record> {
        let paths = fs::read_dir(&self.folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
        paths.sort_unstable();
        let intact_record =
            |path: PathBuf| Record::parse(&fs::read_to_string(path).ok()?).ok().filter(Record::is_intact);
        paths.into_iter().filter_map(intact_record).collect()
    }

    /// Stores the result of the point whose inputs have this hash.
    pub fn store(&self, inputs_hash: &str, record: &Record) -> io::Result<()> {
        write_atomically(&self.path(inputs_hash), record.pretty().as_bytes())
    }

    /// Stores the plan of the sweep.
    pub fn store_plan(&self, text: &str) -> io::Result<()> {
        write_atomically(&self.folder.join(PLAN_FILE), text.as_bytes())
    }

    /// Reads the plan of the sweep.
    pub fn plan(&self) -> io::Result<String> {
        fs::read_to_string(self.folder.join(PLAN_FILE))
    }

    fn path(&self, inputs_hash: &str) -> PathBuf {
        self.folder.join(format!("{inputs_hash}.json"))
    }
}

/// Returns the folder of the store for the results file `results_file`.
fn folder_of(results_file: &Path) -> Option<PathBuf> {
    let mut name = results_file.file_name()?.to_owned();
    name.push(".points");
    Some(results_file.with_file_name(name))
}

/// The file with the plan of a sharded sweep.
const PLAN_FILE: &str = "sweep.plan";
