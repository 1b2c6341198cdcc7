//! `narrows verify`: model checking of firmware.

use super::Format;
use super::exit::{CommandResult, ExitStatus};
use super::output::print_result;
use clap::Args;
use narrows_verify::verify::{VerificationReport, firmwares, rule, spin};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows verify                          check all firmwares
  narrows verify fine --format json
  narrows verify gm --without turns       show which properties fail then
  narrows verify fine --promela models    write the models for Spin
  narrows verify --spin                   also check with Spin, which needs gcc

Firmwares: berkeley-via, gm, coarse, fine.

Rules:
  engine-exclusive    a thread starts the host engine only if the engine is idle
  bytes-first         data is sent or delivered only when it is in memory
  buffers-held        only a free buffer is filled
  ends-marked         the last fragment of a packet is marked as the last
  turns               ready threads run in turn

Exits with 1 if a verdict is not as expected.";

/// Model-check the Myrinet control program under every order of host, engine and link actions
///
/// The program's four threads are a table of transitions, which the simulator also runs. All states that a few messages
/// can reach are explored. Some properties must hold in every such state, others in at least one.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Firmware to check [default: all]
    #[arg(value_name = "FIRMWARE")]
    firmware: Option<String>,
    /// Disable one firmware rule and show which properties fail without it
    #[arg(long, value_name = "RULE")]
    without: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Folder to write the PROMELA models into
    #[arg(long, value_name = "FOLDER")]
    promela: Option<PathBuf>,
    /// Also check with Spin, if it is installed
    #[arg(long)]
    spin: bool,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let firmwares = firmwares(options.firmware.as_deref())?;
    let without = options.without.as_deref().map(rule).transpose()?;
    if let Some(folder) = &options.promela {
        for path in spin::write(folder, &firmwares, without)? {
            eprint_line!("Wrote `{}`.", path.display());
        }
    }
    let mut report = VerificationReport::new(&firmwares, without);
    match (options.spin, spin::missing_program()) {
        (true, None) => report.spin = Some(spin::verify(&firmwares, without)?),
        (true, Some(program)) => eprint_line!("Spin did not run: `{program}` is not installed"),
        (false, _) => {}
    }
    let status = print_result(options.format, || report.text(), || report.json())?;
    Ok(if report.is_as_expected() { status } else { ExitStatus::ClaimFailed })
}
