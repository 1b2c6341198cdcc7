//! Finished points of a sweep, kept so that a sweep that was stopped goes on where it was.
//!
//! A folder with a file per point, named after the hash of the point's inputs, which holds the
//! run's result. A file takes its place when it is whole, and is believed only if it is the
//! result it says it is.

use super::Record;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

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
        let folder = folder_of(out).ok_or(ErrorKind::InvalidInput)?;
        fs::create_dir_all(&folder)?;
        Ok(Points { folder })
    }

    /// The folder that belongs to the results in `out`, if it is there.
    pub fn found(out: &Path) -> Option<Points> {
        let folder = folder_of(out)?;
        folder.is_dir().then_some(Points { folder })
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
        self.put(&format!("{inputs}.json"), &record.pretty())
    }

    /// Keeps what the sweep is.
    pub fn keep_plan(&self, text: &str) -> io::Result<()> {
        self.put(PLAN, text)
    }

    /// What the sweep is, if it was kept.
    pub fn plan(&self) -> io::Result<String> {
        fs::read_to_string(self.folder.join(PLAN))
    }

    /// Writes a file beside its place and moves it there: whoever reads it, or writes the same, finds a whole one.
    fn put(&self, name: &str, text: &str) -> io::Result<()> {
        let part = self.folder.join(format!("{name}.{}.part", unique()));
        let put = fs::write(&part, text).and_then(|()| fs::rename(&part, self.folder.join(name)));
        if put.is_err() {
            let _ = fs::remove_file(&part);
        }
        put
    }

    fn path(&self, inputs: &str) -> PathBuf {
        self.folder.join(format!("{inputs}.json"))
    }
}

/// Where the points of the results in `out` are kept.
fn folder_of(out: &Path) -> Option<PathBuf> {
    let mut name = out.file_name()?.to_owned();
    name.push(".points");
    Some(out.with_file_name(name))
}

/// The file that says what a sharded sweep is.
const PLAN: &str = "sweep.plan";

/// A word that no other writer has: another thread, process, or machine with the same disk.
pub fn unique() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("{}-{}-{now:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}
