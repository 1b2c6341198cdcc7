//! `narrows explain`: the meaning of any name in a description or a result.

use super::exit::{CommandResult, ExitStatus};
use super::output;
use super::{Format, registry};
use crate::reference;
use clap::Args;

const EXAMPLES: &str = "\
Examples:
  narrows explain payload                      every key with this name
  narrows explain hosts.NAME.pcie.link.lanes   one key
  narrows explain message.latency_one_way_p99  a metric
  narrows explain \"receive: poll\"              a stage of a latency
  narrows explain saturated                    how a run can end
  narrows explain --format json                everything, for programs";

/// Explain a key, metric, stage, resource, outcome, exit code or term
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Name to explain [default: all names]
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let name = options.name.join(" ");
    output::print(&match options.format {
        Format::Text => reference::explain(registry(), &name)?,
        Format::Json => format!("{:#}\n", reference::explain_json(registry(), &name)?),
    })?;
    Ok(ExitStatus::Done)
}
