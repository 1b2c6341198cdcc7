//! Standard output, standard error, and files that are replaced atomically.

use super::Format;
use super::exit::{CommandResult, ExitStatus, Failure};
use crate::reference::EXIT_INTERRUPTED;
use narrows_core::text::Problem;
use narrows_study::report::files::temporary_path;
use serde_json::Value as Json;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Writes text to standard output, and returns the status of success. A closed pipe is not an error.
pub fn print(text: &str) -> CommandResult {
    print_by(|stdout| stdout.write_all(text.as_bytes())).map(|()| ExitStatus::Done)
}

/// Prints a result as text or as JSON.
pub fn print_result(format: Format, text: impl FnOnce() -> String, json: impl FnOnce() -> Json) -> CommandResult {
    print(&match format {
        Format::Text => text(),
        Format::Json => format!("{:#}\n", json()),
    })
}

/// Calls `write` with standard output. A closed pipe is not an error.
pub fn print_by(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match write(&mut stdout).and_then(|()| stdout.flush()) {
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
    let input_identities: Vec<PathBuf> = inputs.iter().filter_map(|path| identity(path)).collect();
    let mut output_identities: Vec<PathBuf> = Vec::new();
    for path in outputs.iter().flatten() {
        let Some(identity) = identity(path) else { continue };
        if input_identities.contains(&identity) {
            let problem = Problem::new(write_error(path, "the command reads this file"));
            return Err(problem.help("name another file for the output").into());
        }
        if output_identities.contains(&identity) {
            let problem = Problem::new(write_error(path, "two outputs have this name"));
            return Err(problem.help("name a file for each output").into());
        }
        output_identities.push(identity);
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
    is_device: bool,
}

impl Output {
    /// Checks that `path` can be written.
    pub fn prepare(path: &Path) -> Result<Output, Failure> {
        if path.is_dir() {
            return Err(Problem::new(write_error(path, "it is a folder")).help("name a file in it").into());
        }
        let is_device = path.metadata().is_ok_and(|metadata| !metadata.is_file());
        let output = Output { path: path.to_owned(), is_device };
        output.check_writable().map_err(|error| write_failure(path, &error))?;
        Ok(output)
    }

    /// Checks that the file can be written, without changing it.
    fn check_writable(&self) -> io::Result<()> {
        if self.path.exists() {
            // A read-only file must not be replaced, although the folder may permit it.
            OpenOptions::new().append(true).open(&self.path)?;
        }
        if self.is_device {
            return Ok(());
        }
        // An interrupt removes this file, too.
        UnfinishedOutput::create(self).map(drop)
    }

    /// Writes the file.
    pub fn write(self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Failure> {
        let unfinished = self.open()?;
        let mut writer = BufWriter::new(unfinished.file()?);
        let result = write(&mut writer).and_then(|()| writer.flush());
        unfinished.finish(result)
    }

    /// Opens the file, to be written while the command runs.
    pub fn open(self) -> Result<UnfinishedOutput, Failure> {
        UnfinishedOutput::create(&self).map_err(|error| write_failure(&self.path, &error))
    }
}

/// The temporary files of outputs that are being written, which an interrupt removes.
static UNFINISHED_FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that is being written. It gets its name when it is finished; otherwise it is removed.
#[derive(Debug)]
pub struct UnfinishedOutput {
    path: PathBuf,
    /// The name of the file until it is finished; `None` for a device.
    temporary: Option<PathBuf>,
    file: File,
}

impl UnfinishedOutput {
    fn create(output: &Output) -> io::Result<UnfinishedOutput> {
        let path = output.path.clone();
        if output.is_device {
            let file = OpenOptions::new().write(true).open(&path)?;
            return Ok(UnfinishedOutput { path, temporary: None, file });
        }
        let temporary = temporary_path(&path)?;
        unfinished_files().push(temporary.clone());
        let file = File::create(&temporary).inspect_err(|_| forget_unfinished(&temporary))?;
        Ok(UnfinishedOutput { path, temporary: Some(temporary), file })
    }

    /// Returns a handle to write the file with.
    pub fn file(&self) -> Result<File, Failure> {
        self.file.try_clone().map_err(|error| write_failure(&self.path, &error))
    }

    /// Gives the file its name if it was written without error.
    pub fn finish<T>(mut self, result: io::Result<T>) -> Result<T, Failure> {
        let finished = result.and_then(|value| {
            if let Some(temporary) = &self.temporary {
                fs::rename(temporary, &self.path)?;
                forget_unfinished(temporary);
                self.temporary = None;
            }
            Ok(value)
        });
        finished.map_err(|error| write_failure(&self.path, &error))
    }
}

impl Drop for UnfinishedOutput {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            let _ = fs::remove_file(temporary);
            forget_unfinished(temporary);
        }
    }
}

fn unfinished_files() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED_FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget_unfinished(temporary: &Path) {
    unfinished_files().retain(|path| path != temporary);
}

/// Makes Ctrl-C remove unfinished outputs before it ends the process. An ignored Ctrl-C stays ignored.
pub fn remove_unfinished_on_interrupt() {
    let _ = ctrlc::try_set_handler(|| {
        let unfinished = unfinished_files();
        for path in unfinished.iter() {
            let _ = fs::remove_file(path);
        }
        std::process::exit(EXIT_INTERRUPTED.into());
    });
}

/// Returns whether a file is named as a page.
pub fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "html" || extension == "htm")
}

/// Returns the contents of an input file.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    fs::read(path).map_err(|error| read_problem(path, &error_text(&error)))
}

/// Returns the problem of a file that cannot be read.
pub fn read_problem(path: &Path, reason: &str) -> Problem {
    Problem::new(format!("cannot read `{}`: {reason}", path.display()))
}

fn write_error(path: &Path, reason: &str) -> String {
    format!("cannot write `{}`: {reason}", path.display())
}

/// Returns the failure of writing a file.
pub fn write_failure(path: &Path, error: &io::Error) -> Failure {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = Problem::new(write_error(path, &error_text(error)));
    match folder.filter(|folder| !folder.is_dir()) {
        Some(folder) => problem.help(format!("there is no folder `{}`", folder.display())).into(),
        None => problem.into(),
    }
}

/// Returns the problem of a folder that cannot be written into.
pub fn folder_problem(folder: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("cannot write into `{}`: {error}", folder.display()))
}

/// Returns the text of an error, without the error number of the system.
fn error_text(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}
