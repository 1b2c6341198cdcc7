//! The command line: one file per command.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 when
//! done, 1 when a claim failed under `--strict` or a verdict of `verify` is wrong, 2 for bad input,
//! 3 when a run ended stuck.
//!
//! | file | holds |
//! |---|---|
//! | `run.rs`, `run_text.rs`, `capture.rs` | one run, its result for a terminal, its packets for Wireshark |
//! | `run_seeds.rs` | the same run with several seeds |
//! | `sweep.rs`, `sweep_runs.rs` | many runs |
//! | `sweep_form.rs`, `sweep_table.rs` | their results, as text, JSON and tidy data |
//! | `sweep_seeds.rs` | the same with several seeds a point |
//! | `sweep_find.rs` | where along a key a metric passes a value |
//! | `merge.rs` | the shards of a sweep as one table |
//! | `plot.rs`, `report.rs` | a picture of a result; a page of results |
//! | `alive.rs` | that a long run is still going on |
//! | `progress.rs` | how far many runs are, and what is told when they are stopped |
//! | `whatif.rs` | what would change if a number were another |
//! | `fit.rs` | constants fitted on numbers |
//! | `reproduce.rs`, `new.rs` | papers and studies; a study to be changed |
//! | `verify.rs` | the firmware's properties, model-checked |
//! | `list.rs`, `show.rs`, `check.rs` | what there is; values and their origins; problems |
//! | `compare.rs` | two results side by side |
//! | `schema.rs`, `completions.rs`, `man.rs` | for editors, shells and readers |
//! | `candidates.rs` | what a shell may complete |
//! | `subject.rs` | `FILE` and `--set` |
//! | `ending.rs` | exit codes, and how problems are told |
//! | `output.rs` | standard output, and files that are written whole or not at all |

/// Tells a line on standard error, as `eprintln` does, but never fails.
macro_rules! tell {
    ($($text:tt)*) => { $crate::cli::output::tell(&format!($($text)*)) };
}

mod alive;
mod candidates;
mod capture;
mod check;
mod combinations;
mod compare;
mod completions;
mod ending;
mod fit;
mod list;
mod man;
mod merge;
mod new;
mod output;
mod plot;
mod progress;
mod report;
mod reproduce;
mod run;
mod run_seeds;
mod run_text;
mod schema;
mod show;
mod subject;
mod sweep;
mod sweep_find;
mod sweep_form;
mod sweep_runs;
mod sweep_seeds;
mod sweep_table;
#[cfg(test)]
mod tests;
mod verify;
mod whatif;

use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::CompleteEnv;
use ending::Ended;
use narrows_core::machine::Registry;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong                     one run of a shipped example
  narrows show ping-pong                    every value in it, and where it comes from
  narrows run ping-pong --set workload.ping-pong.payload=\"1 KiB\"
  narrows sweep ping-pong --vary 'workload.ping-pong.payload=64 B..8 KiB*2'
  narrows whatif ping-pong                  what would change if a number were another
  narrows list                              what there is to start from

Exit codes: 0 done or saturated, 1 a claim failed under --strict or a verdict of verify is wrong,
2 bad input, 3 a run ended in a deadlock, livelock or at a stated limit.";

/// Says where the time of every message goes between a program and the wire.
///
/// Describe hosts, network interfaces, a fabric and a workload in one small file; Narrows runs
/// it deterministically and says how long each message took, where the time went, and which
/// resource binds.
#[derive(Parser)]
#[command(name = "narrows", version, after_help = EXAMPLES, styles = styles(), max_term_width = 100)]
#[command(disable_help_subcommand = true, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(run::Options),
    Sweep(sweep::Options),
    Merge(merge::Options),
    Plot(plot::Options),
    Report(report::Options),
    Whatif(whatif::Options),
    Reproduce(reproduce::Options),
    Fit(fit::Options),
    Verify(verify::Options),
    New(new::Options),
    List(list::Options),
    Show(show::Options),
    Check(check::Options),
    Compare(compare::Options),
    Schema(schema::Options),
    Completions(completions::Options),
    Man(man::Options),
}

/// The forms of a result.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// For programs
    Json,
}

/// The parts that descriptions may name: set once, before the arguments are read, and by shells that ask for completions,
/// whose callbacks take no argument of ours.
static REGISTRY: OnceLock<Arc<Registry>> = OnceLock::new();

/// Returns the parts that descriptions may name.
fn registry() -> &'static Arc<Registry> {
    REGISTRY.get().unwrap_or_else(|| Registry::shared())
}

/// Runs the command that the arguments name, with the parts that ship.
#[doc(hidden)]
pub fn main() -> ExitCode {
    run_command()
}

/// Runs the command that the arguments name, with the parts of `registry`: the `main` of a program with parts of its own.
///
/// ```no_run
/// use narrows::Registry;
///
/// fn main() -> std::process::ExitCode {
///     narrows::cli::main_with(Registry::shipped())
/// }
/// ```
///
/// # Panics
///
/// Panics if it is called twice: a process has one command line.
pub fn main_with(registry: Registry) -> ExitCode {
    assert!(REGISTRY.set(Arc::new(registry)).is_ok(), "a process has one command line");
    run_command()
}

fn run_command() -> ExitCode {
    // Where a shell asks what may come next, that is all there is to do.
    CompleteEnv::with_factory(Cli::command).complete();
    let ended: Ended = match Cli::parse().command {
        Command::Run(options) => run::run(&options),
        Command::Sweep(options) => sweep::run(&options),
        Command::Merge(options) => merge::run(&options),
        Command::Plot(options) => plot::run(&options),
        Command::Report(options) => report::run(&options),
        Command::Whatif(options) => whatif::run(&options),
        Command::Reproduce(options) => reproduce::run(&options),
        Command::Fit(options) => fit::run(&options),
        Command::Verify(options) => verify::run(&options),
        Command::New(options) => new::run(&options),
        Command::List(options) => list::run(&options),
        Command::Show(options) => show::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Compare(options) => compare::run(&options),
        Command::Schema(options) => schema::run(&options),
        Command::Completions(options) => completions::run(&options),
        Command::Man(options) => man::run(&options),
    };
    match ended {
        Ok(ending) => ending.into(),
        Err(failure) => failure.tell(),
    }
}

fn styles() -> Styles {
    let bold = Style::new().bold();
    Styles::styled()
        .header(bold.fg_color(Some(AnsiColor::Yellow.into())))
        .usage(bold.fg_color(Some(AnsiColor::Yellow.into())))
        .literal(AnsiColor::Green.on_default())
        .placeholder(AnsiColor::Cyan.on_default())
}
