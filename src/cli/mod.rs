//! The command line, with one file for each command.
//!
//! Results go to standard output, everything else to standard error. The exit code is 0 for success, 1 if a claim's
//! verdict is unexpected under `--strict`, a fit does not reach its numbers, or a verdict of `verify` is not as
//! expected, 2 for invalid input, 3 if a run ended in a deadlock or livelock, at a limit, or with messages lost, and
//! 130 if the program was interrupted.
//!
//! | file | holds |
//! |---|---|
//! | `run.rs`, `run_text.rs` | one run, its result as text |
//! | `trace.rs`, `capture.rs` | its trace for Perfetto, its packets for Wireshark |
//! | `perftest.rs` | the tables of perftest |
//! | `run_seeds.rs` | a run with several seeds |
//! | `sweep.rs`, `sweep_runs.rs` | sweeps |
//! | `sweep_form.rs`, `sweep_table.rs` | results of sweeps as text, JSON and tidy data |
//! | `sweep_seeds.rs` | results of sweeps with several seeds per point |
//! | `sweep_find.rs` | the search for the value of a key at which a metric crosses a threshold |
//! | `merge.rs` | merging of the shards of a sweep |
//! | `plot.rs`, `report.rs` | a chart of a result; a page of results |
//! | `process.rs` | the state of the process: the parts, and its own command |
//! | `heartbeat.rs` | the heartbeat of a long operation |
//! | `progress.rs` | the progress of many runs, and the message when they are interrupted |
//! | `whatif.rs` | sensitivity analysis |
//! | `fit.rs`, `fit_text.rs`, `fit_progress.rs` | calibration of constants, its result as text, its progress |
//! | `reproduce.rs`, `live_page.rs`, `new.rs` | papers and studies; the page of a study in one file; a minimal study to start from |
//! | `verify.rs` | model checking of firmware |
//! | `list.rs`, `show.rs`, `check.rs` | shipped parts and examples; values and their origins; validation |
//! | `explain.rs`, `help.rs` | the meaning of a name; the help of a command, the glossary |
//! | `explore.rs`, `explore/`, `answer.rs` | the page on the loopback address; the process that answers one of its questions |
//! | `doctor.rs` | optional tools and features |
//! | `compare.rs` | the comparison of two results |
//! | `schema.rs`, `completions.rs`, `man.rs` | for editors, shells and readers |
//! | `completion_values.rs` | values for shell completion |
//! | `input.rs` | `FILE` and `--set` |
//! | `exit.rs` | exit codes, and the output of problems |
//! | `output.rs` | standard output, and files that are replaced atomically |

/// Prints a line on standard error, as `eprintln` does, but never panics.
macro_rules! eprint_line {
    ($($text:tt)*) => { $crate::cli::output::eprint_line(&format!($($text)*)) };
}

mod answer;
mod capture;
mod check;
mod combinations;
mod compare;
mod completion_values;
mod completions;
mod doctor;
mod exit;
mod explain;
mod explore;
mod fit;
mod fit_progress;
mod fit_text;
mod heartbeat;
mod help;
mod input;
mod list;
mod live_page;
mod man;
mod merge;
mod new;
mod output;
mod perftest;
mod plot;
mod process;
mod progress;
mod report;
mod reproduce;
mod run;
mod run_seeds;
mod run_text;
mod schema;
mod show;
mod sweep;
mod sweep_find;
mod sweep_form;
mod sweep_runs;
mod sweep_seeds;
mod sweep_table;
#[cfg(test)]
mod tests;
mod trace;
mod verify;
mod whatif;

use crate::reference::{EXIT_CODES, LINE_COLUMNS};
use clap::builder::Styles;
use clap::builder::styling::{AnsiColor, Style};
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::CompleteEnv;
use exit::{CommandResult, ExitStatus};
use narrows_core::machine::Registry;
use narrows_study::report::wrapped;
use process::registry;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  narrows run ping-pong       run a shipped example
  narrows show ping-pong      print its values and their origins
  narrows run ping-pong --set workload.ping-pong.payload=\"1 KiB\"
  narrows sweep ping-pong --vary 'workload.ping-pong.payload=64 B..8 KiB*2'
  narrows whatif ping-pong    find the bottleneck and the sensitive parameters
  narrows list                list examples, parts and papers

Exit codes:
";

/// Returns the examples and the exit codes.
fn after_help() -> String {
    let line = |(code, meaning): &(u8, &str)| {
        let prefix = format!("  {code}  ");
        wrapped(&prefix, &" ".repeat(prefix.len()), meaning, LINE_COLUMNS)
    };
    format!("{EXAMPLES}{}", EXIT_CODES.iter().map(line).collect::<String>().trim_end())
}

/// Simulate the host–NIC–network path and break every message's latency down by stage
///
/// A description of hosts, network interfaces, a fabric and a workload is one small file. Narrows
/// runs it deterministically and reports the latency of every message, its stages, and the
/// bottleneck.
#[derive(Parser)]
#[command(name = "narrows", version, after_help = after_help(), styles = styles(), max_term_width = 100)]
#[command(disable_help_subcommand = true, subcommand_required = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// Declares the commands: the name of each, and the module with its options and its function `run`.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident: $module:ident,)*) => {
        #[derive(Subcommand)]
        enum Command {
            $($(#[$attribute])* $name($module::Options),)*
        }

        impl Command {
            fn run(&self) -> CommandResult {
                match self {
                    $(Command::$name(options) => $module::run(options),)*
                }
            }
        }
    };
}

commands! {
    Run: run,
    Sweep: sweep,
    Merge: merge,
    Plot: plot,
    Report: report,
    Whatif: whatif,
    Reproduce: reproduce,
    Fit: fit,
    Verify: verify,
    New: new,
    List: list,
    Show: show,
    Explain: explain,
    Explore: explore,
    #[command(hide = true)]
    Answer: answer,
    Check: check,
    Compare: compare,
    Schema: schema,
    Completions: completions,
    Man: man,
    Doctor: doctor,
    Help: help,
}

/// The output formats.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for a terminal
    Text,
    /// JSON for programs
    Json,
}

/// Runs the command that the arguments of the process name, with the shipped parts.
#[doc(hidden)]
pub fn main() -> ExitCode {
    ExitCode::from(run_command(std::env::args_os().collect()))
}

/// Runs the command that the arguments of the process name, with the parts of `registry`. A program with additional
/// parts calls this function from its `main`.
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
/// Panics if it is called twice, because a process has one command line.
pub fn main_with(registry: Registry) -> ExitCode {
    process::set_registry(Arc::new(registry));
    ExitCode::from(run_command(std::env::args_os().collect()))
}

/// Runs the command that `arguments` name, of which the first is the name of the program, with the parts of `registry`,
/// and returns the exit code. Another program, such as the Python interpreter, calls this function to run the command
/// line in its process; `own_command` is the command line that starts such a process again, up to the name of the
/// command.
///
/// # Panics
///
/// Panics if it is called twice, or after [`main_with`].
#[doc(hidden)]
pub fn run_arguments(registry: Arc<Registry>, arguments: Vec<OsString>, own_command: Vec<OsString>) -> u8 {
    process::set_registry(registry);
    process::set_own_command(own_command);
    run_command(arguments)
}

/// Returns the command line, whose arguments can be parsed without running the command.
#[doc(hidden)]
pub fn command() -> clap::Command {
    Cli::command()
}

/// The text that the program prints if it is called without a command.
const NEXT_STEPS: &str = "\
Narrows simulates the path between a program and the wire: processor, caches,
buses, network interface, fabric. Four steps to begin with:

  narrows run pcie-messages     one run: latency by stage, busiest resources
  narrows whatif pcie-messages  what limits it, and what a faster part changes
  narrows list                  examples, parts and papers to start from
  narrows new study FOLDER      a small study of your own

`narrows help` lists all commands, `narrows explain NAME` explains any key or
metric, and `narrows doctor` says which optional tools are found.
";

/// Runs the command that `arguments` name, and returns the exit code.
fn run_command(arguments: Vec<OsString>) -> u8 {
    // A shell may have called the program for completions.
    let folder = std::env::current_dir().ok();
    match CompleteEnv::with_factory(Cli::command).try_complete(arguments.clone(), folder.as_deref()) {
        Ok(false) => {}
        Ok(true) => return ExitStatus::Done.code(),
        Err(error) => return print_usage(&error),
    }
    if arguments.len() == 1 {
        let result = output::print(NEXT_STEPS);
        return result.map_or_else(|failure| failure.report(), ExitStatus::code);
    }
    let command = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli.command,
        Err(error) => return print_usage(&error),
    };
    command.run().map_or_else(|failure| failure.report(), ExitStatus::code)
}

/// The options whose values have spaces, or characters that a shell interprets.
const QUOTED_OPTIONS: [&str; 5] = ["--find", "--vary", "--over", "--set", "--against-set"];

/// Returns a hint on the probable cause of an unexpected argument: a value that was not quoted, or an option of another
/// command.
fn usage_hint(error: &clap::Error, arguments: &[String]) -> Option<String> {
    if error.kind() != clap::error::ErrorKind::UnknownArgument {
        return None;
    }
    let unexpected = match error.get(clap::error::ContextKind::InvalidArg)? {
        clap::error::ContextValue::String(text) => text.as_str(),
        _ => return None,
    };
    if unexpected.starts_with("--metric") && arguments.get(1).is_some_and(|command| command == "run") {
        return Some("`--metric` is an option of `sweep` and `whatif`; `run` prints all metrics".to_owned());
    }
    let option =
        QUOTED_OPTIONS.into_iter().find(|option| arguments.iter().any(|argument| argument.starts_with(option)));
    let option = option.filter(|_| !unexpected.starts_with('-'))?;
    Some(format!(
        "quote the value of {option}, such as '{option}=…': the shell splits it at spaces, and takes `>` and `<` as \
         redirections"
    ))
}

/// Prints the help that the arguments request, or the error in the arguments, and returns the exit code.
fn print_usage(error: &clap::Error) -> u8 {
    // A closed pipe is no error: nobody reads on.
    let _ = error.print();
    if let Some(hint) = usage_hint(error, &std::env::args().collect::<Vec<_>>()) {
        eprint_line!("\n  hint: {hint}");
    }
    u8::try_from(error.exit_code()).unwrap_or(2)
}

fn styles() -> Styles {
    let bold = Style::new().bold();
    Styles::styled()
        .header(bold.fg_color(Some(AnsiColor::Yellow.into())))
        .usage(bold.fg_color(Some(AnsiColor::Yellow.into())))
        .literal(AnsiColor::Green.on_default())
        .placeholder(AnsiColor::Cyan.on_default())
}
