//! Standard output, and files that are written whole or not at all.

use super::ending::Failure;
use narrows_core::text::Problem;
use narrows_study::experiment::points::unique;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes to standard output. A reader that has gone is no failure: it had enough.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// The same of bytes.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Problem::new(format!("cannot write the result: {error}")).into())
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error. Where that is closed or full there is nobody to be told.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// A file to be written when there is something to write; made sure of before.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    /// A device is written to, a file is replaced.
    device: bool,
}

impl Output {
    /// Makes sure that `path` can be written.
    pub fn prepare(path: &Path) -> Result<Output, Failure> {
        if path.is_dir() {
            return Err(Problem::new(cannot(path, "it is a folder")).help("name a file in it").into());
        }
        let device = path.metadata().is_ok_and(|about| !about.is_file());
        let output = Output { path: path.to_owned(), device };
        output.attempt().map_err(|error| unwritable(path, &error))?;
        Ok(output)
    }

    /// Leaves everything as it was.
    fn attempt(&self) -> io::Result<()> {
        if self.path.exists() {
            // What must not be written must not be replaced either.
            OpenOptions::new().append(true).open(&self.path)?;
        }
        if self.device {
            return Ok(());
        }
        let beside = self.beside()?;
        File::create(&beside)?;
        fs::remove_file(&beside)
    }

    /// The file that takes the place of the other when it is whole.
    fn beside(&self) -> io::Result<PathBuf> {
        let mut name = self.path.file_name().ok_or(ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.part", unique()));
        Ok(self.path.with_file_name(name))
    }

    /// Writes the whole.
    pub fn write(self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        self.written(write).map_err(|error| unwritable(&self.path, &error))
    }

    fn written(&self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
        let beside = self.beside()?;
        let file = match self.device {
            true => OpenOptions::new().write(true).open(&self.path)?,
            false => File::create(&beside)?,
        };
        let mut out = BufWriter::new(file);
        let written = write(&mut out).and_then(|()| out.flush());
        if self.device {
            return written;
        }
        let moved = written.and_then(|()| fs::rename(&beside, &self.path));
        if moved.is_err() {
            let _ = fs::remove_file(&beside);
        }
        moved
    }
}

fn cannot(path: &Path, why: &str) -> String {
    format!("cannot write `{}`: {why}", path.display())
}

/// That a file cannot be written, and why.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
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
