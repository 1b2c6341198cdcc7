//! `FILE` and `--set`: the description that a command works on.

use super::exit::Failure;
use super::{completion_values, registry};
use clap::Args;
use narrows_core::engine::current_metric_name;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
pub use narrows_study::experiment::loaded_description::LoadedDescription;
use std::path::PathBuf;

/// The options that select a description.
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// Description: the name of a shipped example (see `narrows list examples`), a file, or a result of `run --format
    /// json`
    #[arg(value_name = "FILE", add = completion_values::descriptions())]
    pub file: PathBuf,
    /// Override one value, such as workload.ping-pong.payload="1 KiB"; may be repeated
    ///
    /// KEY is a key as `narrows show` prints it. VALUE is parsed as TOML; if that fails, it is taken
    /// as a string, so the quotes of a quantity may be left out. Later options override earlier ones.
    /// ni=cni32qm replaces the description's interface by the shipped part of that name; host,
    /// protocol and fabric work in the same way. nodes.NAME.ni=cni32qm replaces that of one node.
    /// Only a part that the description names in `parts` can be replaced: a table that it writes itself,
    /// such as [fabric.mesh], must be removed first.
    #[arg(long = "set", value_name = "KEY=VALUE", add = completion_values::override_values())]
    pub sets: Vec<String>,
}

/// Returns the files that a description names.
pub fn named_files(read: &Read<Machine>) -> impl Iterator<Item = PathBuf> {
    read.files().iter().map(|(_, file)| file.clone())
}

impl Options {
    /// Returns the description. A shipped example takes precedence over a file of the same name; the use of a shipped
    /// example is reported on standard error.
    pub fn subject(&self) -> Result<LoadedDescription, Failure> {
        let name = self.file.to_string_lossy();
        if LoadedDescription::example(registry(), &name).is_some() {
            match self.file.is_file() {
                true => {
                    eprint_line!(
                        "Using the shipped example `{name}`, not the file of that name; write `./{name}` for the file."
                    )
                }
                false => eprint_line!("Using the shipped example `{name}`."),
            }
        }
        let subject = LoadedDescription::find(registry(), &self.file)?;
        let subject = subject.on_renamed_key(|message| eprint_line!("warning: {message}"));
        Ok(subject.on_notice(|notice| eprint_line!("{notice}")))
    }

    /// Returns the file that holds the description; `None` for a shipped example.
    pub fn input_file(&self) -> Option<PathBuf> {
        LoadedDescription::example(registry(), &self.file.to_string_lossy()).is_none().then(|| self.file.clone())
    }

    /// Reads and checks the description.
    pub fn read(&self) -> Result<Read<Machine>, Failure> {
        Ok(self.subject()?.read(&self.sets)?)
    }
}

/// Parses the name of a metric. A former name is replaced by the present one, which is reported on standard error.
pub fn metric_name(name: &str) -> Result<String, std::convert::Infallible> {
    let current = current_metric_name(name);
    if current != name {
        eprint_line!("warning: `{name}` was renamed to `{current}`");
    }
    Ok(current.to_owned())
}
