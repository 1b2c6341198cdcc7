//! `narrows answer`: answers one question of the page that `narrows explore` serves.
//!
//! The question is read from standard input, and the answer is printed, both as JSON. The process reads only files
//! below its folder. Its memory is limited, and it ends when the process that started it ends.

use super::exit::CommandResult;
use super::{output, registry};
use clap::Args;
use narrows_core::text::{Problem, file};
use narrows_web::AnswerEngine;
use std::io::{self, Read};

/// Answer a question of the page of `narrows explore`
#[derive(Args)]
#[group(skip)]
pub struct Options {
    /// Largest memory, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=4096))]
    memory_max: u64,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    bound_process(options.memory_max)
        .map_err(|error| Problem::new(format!("the memory cannot be bounded: {error}")))?;
    let folder = std::env::current_dir().and_then(|folder| folder.canonicalize());
    let folder = folder.map_err(|error| Problem::new(format!("there is no present folder: {error}")))?;
    file::confine_to_folder(folder.clone());
    let mut question = Vec::new();
    let read = io::stdin().lock().read_to_end(&mut question);
    read.map_err(|error| Problem::new(format!("the question cannot be read: {error}")))?;
    output::print(&AnswerEngine::with_folder(registry().clone(), folder).answer(&question))
}

/// Limits the memory of this process, and lets the system end it when the thread that started it ends.
#[cfg(target_os = "linux")]
fn bound_process(memory_gib: u64) -> io::Result<()> {
    use nix::sys::prctl::set_pdeathsig;
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    use nix::sys::signal::Signal;
    set_pdeathsig(Signal::SIGKILL)?;
    // A smaller limit that the system has set is kept.
    let (_, hard_limit) = getrlimit(Resource::RLIMIT_AS)?;
    let limit = hard_limit.min(memory_gib << 30);
    Ok(setrlimit(Resource::RLIMIT_AS, limit, limit)?)
}

#[cfg(not(target_os = "linux"))]
fn bound_process(_memory_gib: u64) -> io::Result<()> {
    Ok(())
}
