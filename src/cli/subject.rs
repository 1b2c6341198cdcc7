//! `FILE` and `--set`: the description that a command is about.

use super::ending::Failure;
use super::{candidates, registry};
use clap::Args;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
pub use narrows_study::experiment::subject::Subject;
use std::path::PathBuf;

/// Which description a command is about.
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// A description: the name of a shipped example (see `narrows list examples`), or else a file; a result of
    /// `run --format json` is run again
    #[arg(value_name = "FILE", add = candidates::descriptions())]
    pub file: PathBuf,
    /// Sets one value over all others, such as workload.ping-pong.payload="1 KiB"; may be repeated
    ///
    /// KEY is as `narrows show` prints it. VALUE is read as TOML, and where it is none, as text:
    /// the quotes of a quantity may be left out. Later options go before earlier ones. A shipped part
    /// takes the place of the description's own by its name: ni=cni32qm; host, protocol and fabric, too.
    #[arg(long = "set", value_name = "KEY=VALUE", add = candidates::settings())]
    pub sets: Vec<String>,
}

impl Options {
    /// The description's text. A bare name is a shipped example's before it is a file's, which is
    /// said on standard error.
    pub fn subject(&self) -> Result<Subject, Failure> {
        let name = self.file.to_string_lossy();
        if Subject::example(registry(), &name).is_some() {
            match self.file.is_file() {
                true => {
                    tell!("Taking the shipped example `{name}`, not the file of that name: write `./{name}` for that.")
                }
                false => tell!("Taking the shipped example `{name}`."),
            }
        }
        Ok(Subject::find(registry(), &self.file)?)
    }

    /// Reads and checks the description.
    pub fn read(&self) -> Result<Read<Machine>, Failure> {
        Ok(self.subject()?.read(&self.sets)?)
    }
}
