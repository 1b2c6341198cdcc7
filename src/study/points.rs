//! Finished points of a sweep, kept so that a sweep that was stopped goes on where it was.
//!
//! A folder with a file per point, named after the hash of the point's inputs, which holds the
//! run's result. A file takes its place when it is whole, and is believed only if it is the
//! result it says it is.

use super::Record;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a sweep's finished points.
#[derive(Clone, Debug)]
pub struct Points {
    folder: PathBuf,
}

/// What a folder says about a point.
#[derive(Clone, PartialEq, Debug)]
pub enum Kept {
    /// Its result.
    Whole(Box<Record>),
    /// Nothing.
    Absent,
    /// A file that is not its result, and why.
    Corrupt(PathBuf, String),
}

impl Points {
    /// The folder that belongs to the results in `out`, made if need be.
    pub fn beside(out: &Path) -> io::Result<Points> {
        let mut name = out.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        name.push(".points");
        let folder = out.with_file_name(name);
        fs::create_dir_all(&folder)?;
        Ok(Points { folder })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The result of the point with these inputs.
    pub fn find(&self, inputs: &str) -> Kept {
        let path = self.path(inputs);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Kept::Absent,
            Err(error) => return Kept::Corrupt(path, error.to_string()),
        };
        match Record::parse(&text) {
            Err(why) => Kept::Corrupt(path, why),
            Ok(record) if !record.is_whole() => Kept::Corrupt(path, "its hash is not that of its contents".to_owned()),
            Ok(record) if record.inputs() != inputs => Kept::Corrupt(path, "it is of another point".to_owned()),
            Ok(record) => Kept::Whole(Box::new(record)),
        }
    }

    /// Keeps a result.
    pub fn keep(&self, inputs: &str, record: &Record) -> io::Result<()> {
        let part = self.folder.join(format!("{inputs}.part"));
        fs::write(&part, record.pretty())?;
        fs::rename(&part, self.path(inputs))
    }

    fn path(&self, inputs: &str) -> PathBuf {
        self.folder.join(format!("{inputs}.json"))
    }
}
