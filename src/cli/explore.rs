//! `narrows explore`: a page on the loopback address, with the simulator of this program behind it.
//!
//! | file | holds |
//! |---|---|
//! | `admission.rs` | which requests are admitted: `Host`, `Origin` and token |
//! | `server.rs` | connections, requests and responses |
//! | `answering.rs` | a process for each question, with limits of time and memory |
//! | `browser.rs` | opening the page in a browser |

mod admission;
mod answering;
mod browser;
mod server;
#[cfg(test)]
mod tests;

use super::exit::{CommandResult, ExitStatus, Failure};
use super::{completion_values, output, own_command, registry};
use admission::Gate;
use answering::AnswerLimits;
use clap::Args;
use narrows_core::text::{Problem, Problems};
use narrows_study::experiment::subject::Subject;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  narrows explore                      choose a machine in the page
  narrows explore memory-bus           a shipped example
  narrows explore cluster.toml         a file below this folder
  narrows explore result.json          the machine of a result
  narrows explore --no-browser --port 8000

The page is served to this computer alone, and only with the token of the
printed address. It reads files below the folder in which the command was
started, and ends with Ctrl-C.";

/// Explore a machine in the browser: change its values and watch latency, bandwidth and bottleneck
///
/// The page is the one of the documentation, but runs are made by this program: on all cores, and
/// with descriptions, graphs and traces of the present folder.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Machine to begin with: a shipped example, a description, or a result of `run --format json`
    #[arg(value_name = "FILE", add = completion_values::descriptions())]
    file: Option<PathBuf>,
    /// Print the address, and do not open a browser
    #[arg(long)]
    no_browser: bool,
    /// Port of the loopback address [default: one that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Number of runs at a time [default: CPU count]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    jobs: Option<u64>,
    /// Longest time of one run, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    time_max: u64,
    /// Largest memory of one run, in GiB
    #[arg(long, value_name = "GIB", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=4096))]
    memory_max: u64,
}

/// Runs the command. It ends by a signal.
pub fn run(options: &Options) -> CommandResult {
    let folder =
        std::env::current_dir().map_err(|error| Problem::new(format!("there is no present folder: {error}")))?;
    let machine = options.file.as_deref().map(machine_name).transpose()?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, options.port))).map_err(|error| {
        let problem = Problem::new(format!("cannot listen on port {}: {error}", options.port));
        problem.help("leave out --port for one that is free")
    })?;
    let port = listener.local_addr().map_err(|error| Problem::new(error.to_string()))?.port();
    let gate = Gate::new(port)?;
    let fragment = machine.map(|name| format!("#{}", percent_encoded(&name))).unwrap_or_default();
    let address = format!("http://127.0.0.1:{port}/?token={}{fragment}", gate.token());
    output::print(&format!("{address}\n"))?;
    eprint_line!("The page is served to this computer until Ctrl-C.");
    if !options.no_browser && !browser::open(&address) {
        eprint_line!("No browser could be started. Open the address above.");
    }
    let jobs =
        options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), |jobs| jobs as usize);
    let limits = AnswerLimits {
        program: own_command()?,
        folder,
        jobs,
        time: Duration::from_secs(options.time_max),
        memory_gib: options.memory_max,
    };
    let served = server::serve(listener, gate, Arc::new(answering::ProcessAnswerer::new(limits)));
    served.map_err(|error| Problem::new(format!("the page cannot be served: {error}")))?;
    Ok(ExitStatus::Done)
}

/// Checks the machine to begin with, and returns its name for the page: that of an example, or a path below the present
/// folder.
fn machine_name(file: &Path) -> Result<String, Failure> {
    // Whether the machine is valid is shown in the page.
    Subject::find(registry(), file).map_err(Problems::from_problem)?;
    let name = file.to_string_lossy().into_owned();
    if Subject::example(registry(), &name).is_none() && !narrows_web::is_inside(file) {
        let problem = Problem::new(format!("`{name}` is not below the present folder, which the page may read"));
        return Err(problem.help("start the command in the folder of the file").into());
    }
    Ok(name)
}

/// Returns a name as part of an address.
fn percent_encoded(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    name.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}
