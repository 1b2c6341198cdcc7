//! Standard output, and files that are written whole or not at all.

use super::ending::Failure;
use crate::text::Problem;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes to standard output. A reader that has gone is no failure: it had enough.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Problem::new(format!("cannot write the result: {error}")).into())
        }
        _ => Ok(()),
    }
}

/// A file about to be written: made sure of before the work whose result it takes.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    /// The file beside it that takes its place when it is whole; none for a device.
    beside: Option<PathBuf>,
    file: Option<File>,
}

impl Output {
    /// Makes sure that `path` can be written.
    pub fn prepare(path: &Path) -> Result<Output, Failure> {
        if path.is_dir() {
            return Err(Problem::new(cannot(path, "it is a folder")).help("name a file in it").into());
        }
        let device = path.metadata().is_ok_and(|about| !about.is_file());
        Output::open(path, device).map_err(|error| unwritable(path, &error))
    }

    fn open(path: &Path, device: bool) -> io::Result<Output> {
        if device {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Output { path: path.to_owned(), beside: None, file: Some(file) });
        }
        if path.exists() {
            // What must not be written must not be replaced either.
            OpenOptions::new().append(true).open(path)?;
        }
        let mut name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let beside = path.with_file_name(name);
        let file = File::create(&beside)?;
        Ok(Output { path: path.to_owned(), beside: Some(beside), file: Some(file) })
    }

    /// Writes the whole.
    pub fn write(mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        let file = self.file.take().expect("an output is written once");
        let mut out = BufWriter::new(file);
        let written = write(&mut out).and_then(|()| out.flush()).and_then(|()| match &self.beside {
            Some(beside) => fs::rename(beside, &self.path),
            None => Ok(()),
        });
        written.map_err(|error| unwritable(&self.path, &error))
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // After a success it is not there any more.
            let _ = fs::remove_file(beside);
        }
    }
}

fn cannot(path: &Path, why: &str) -> String {
    format!("cannot write `{}`: {why}", path.display())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = Problem::new(cannot(path, &plain(error)));
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => problem.help(format!("there is no folder `{}`", folder.display())).into(),
        None => problem.into(),
    }
}

/// The reason in words, without the system's number for it.
pub fn plain(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
