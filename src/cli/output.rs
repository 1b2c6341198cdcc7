//! Standard output, standard error, and files that are replaced atomically.

use super::exit::Failure;
use narrows_core::text::Problem;
use narrows_study::report::files::temporary_path;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Writes text to standard output. A closed pipe is not an error.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output. A closed pipe is not an error.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Problem::new(format!("cannot write the result: {error}")).into())
        }
        _ => Ok(()),
    }
}

/// Writes a line to standard error, and ignores errors.
pub fn eprint_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Checks that no output is an input or another output of the same command, whose contents would be lost.
pub fn check_distinct(inputs: &[PathBuf], outputs: &[Option<&Path>]) -> Result<(), Failure> {
    let read: Vec<PathBuf> = inputs.iter().filter_map(|path| identity(path)).collect();
    let mut written: Vec<PathBuf> = Vec::new();
    for path in outputs.iter().flatten() {
        let Some(identity) = identity(path) else { continue };
        if read.contains(&identity) {
            let problem = Problem::new(write_error(path, "the command reads this file"));
            return Err(problem.help("name another file for the output").into());
        }
        if written.contains(&identity) {
            let problem = Problem::new(write_error(path, "two outputs have this name"));
            return Err(problem.help("name a file for each output").into());
        }
        written.push(identity);
    }
    Ok(())
}

/// Returns the canonical path of a file, which may not exist yet; `None` for a device, and for a path that cannot be
/// written in any case.
fn identity(path: &Path) -> Option<PathBuf> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => path.canonicalize().ok(),
        Ok(_) => None,
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

/// A file that was checked to be writable, to be written later.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    /// Whether the path is a device, which is written to directly, while a file is replaced.
    device: bool,
}

impl Output {
    /// Checks that `path` can be written.
    pub fn prepare(path: &Path) -> Result<Output, Failure> {
        if path.is_dir() {
            return Err(Problem::new(write_error(path, "it is a folder")).help("name a file in it").into());
        }
        let device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        let output = Output { path: path.to_owned(), device };
        output.attempt().map_err(|error| unwritable(path, &error))?;
        Ok(output)
    }

    /// Checks that the file can be written, without changing it.
    fn attempt(&self) -> io::Result<()> {
        if self.path.exists() {
            // A read-only file must not be replaced, although the folder may permit it.
            OpenOptions::new().append(true).open(&self.path)?;
        }
        if self.device {
            return Ok(());
        }
        let temporary = temporary_path(&self.path)?;
        File::create(&temporary)?;
        fs::remove_file(&temporary)
    }

    /// Writes the file.
    pub fn write(self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        self.try_write(write).map_err(|error| unwritable(&self.path, &error))
    }

    fn try_write(&self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
        let temporary = temporary_path(&self.path)?;
        let file = match self.device {
            true => OpenOptions::new().write(true).open(&self.path)?,
            false => File::create(&temporary)?,
        };
        let mut out = BufWriter::new(file);
        let written = write(&mut out).and_then(|()| out.flush());
        if self.device {
            return written;
        }
        let renamed = written.and_then(|()| fs::rename(&temporary, &self.path));
        if renamed.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        renamed
    }
}

fn write_error(path: &Path, why: &str) -> String {
    format!("cannot write `{}`: {why}", path.display())
}

/// Returns the failure of writing a file.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = Problem::new(write_error(path, &error_text(error)));
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => problem.help(format!("there is no folder `{}`", folder.display())).into(),
        None => problem.into(),
    }
}

/// Returns the text of an error, without the error number of the system.
pub fn error_text(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
