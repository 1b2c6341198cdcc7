//! `narrows explain`: the meaning of any name in a description or a result.

use super::exit::CommandResult;
use super::output;
use super::{Format, registry};
use crate::reference;
use clap::Args;
use serde_json::Value as Json;

const EXAMPLES: &str = "\
Examples:
  narrows explain waiting service              two terms
  narrows explain workload.stream.arrivals     a table, with its keys
  narrows explain ring-ping-pong ni/rdma       an example and a part
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
    /// Names to explain [default: all names]
    #[arg(value_name = "NAME")]
    name: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    // Several words may be one name, such as that of a stage.
    let joined = options.name.join(" ");
    let names = match options.name.len() > 1 && reference::explain(registry(), &joined).is_err() {
        true => options.name.clone(),
        false => vec![joined],
    };
    output::print(&match options.format {
        Format::Text => {
            let texts = names.iter().map(|name| reference::explain(registry(), name)).collect::<Result<Vec<_>, _>>()?;
            texts.join("\n")
        }
        Format::Json => {
            let entries =
                names.iter().map(|name| reference::explain_json(registry(), name)).collect::<Result<Vec<_>, _>>()?;
            let entries: Json =
                entries.into_iter().flat_map(|json| json.as_array().cloned().unwrap_or_default()).collect();
            format!("{entries:#}\n")
        }
    })
}
