//! `narrows explore`: a page on the loopback address, with the simulator of this program behind it.
//!
//! | file | holds |
//! |---|---|
//! | `opening.rs` | what the page opens with: an example, a file, a sweep or a link |
//! | `serving.rs` | a page with its server |
//! | `admission.rs` | which requests are admitted: `Host`, `Origin` and token |
//! | `server.rs` | connections, requests and responses |
//! | `answering.rs` | a process for each question, with limits of time and memory |
//! | `browser.rs` | opening the page in a browser |

mod admission;
mod answering;
mod browser;
pub mod opening;
mod server;
pub mod serving;
#[cfg(test)]
mod tests;

use super::completion_values;
use super::exit::CommandResult;
use clap::Args;
use serving::{ServedPage, serve};
use std::path::PathBuf;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  narrows explore                      choose a machine in the page
  narrows explore memory-bus           a shipped example
  narrows explore cluster.toml         a file below this folder
  narrows explore result.json          the machine of a result
  narrows explore sweep.csv            the machine of a sweep, and its curve
  narrows explore '#memory-bus&ni=ni2w'
                                       a link of a report or of the page
  narrows explore --no-browser --port 8000

The page is served to this computer alone, and only with the token of the
printed address. It reads files below the folder in which the command was
started, and ends with Ctrl-C.";

/// Explore a machine in the browser: change its values and watch latency, bandwidth and bottleneck
///
/// Opens the explorer, the same page as in the online documentation. Here this program runs the
/// simulations, on all cores, and can read descriptions, graphs and traces in the current folder.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Machine to begin with: a shipped example, a description, a result of `run --format json` or of a sweep, or a link
    ///
    /// A sweep opens if its points are stored next to it, as `sweep --out` does. A link is the address of a figure in a
    /// report, or its part from `#` on.
    #[arg(value_name = "FILE", add = completion_values::descriptions())]
    file: Option<PathBuf>,
    /// Print the address, and do not open a browser
    #[arg(long)]
    no_browser: bool,
    /// Serve the page within another program: allow frames, and end with standard input
    #[arg(long, hide = true, requires = "no_browser")]
    embedded: bool,
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

/// Runs the command until a signal ends it.
pub fn run(options: &Options) -> CommandResult {
    serve(ServedPage {
        page: "",
        fragment: options.file.as_deref().map(opening::fragment).transpose()?,
        opens_browser: !options.no_browser,
        is_embedded: options.embedded,
        port: options.port,
        jobs: options.jobs,
        time_max: Duration::from_secs(options.time_max),
        memory_max: options.memory_max,
    })
}
