//! `narrows verify`: the firmware's properties, model-checked.

use super::Format;
use super::ending::{Ended, Ending};
use super::output::print;
use clap::Args;
use narrows_study::verify::{Verified, firmwares, rule, spin};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  narrows verify                             all firmwares: what holds, and what fails as it should
  narrows verify fine --format json
  narrows verify gm --without turns          a rule broken: the shortest run to where it shows
  narrows verify fine --promela models       the model for Spin, with the formulas
  narrows verify --spin                      the same by Spin, where spin and gcc are installed

Firmwares: berkeley-via, gm, coarse, fine.
Rules: engine-exclusive, bytes-first, buffers-held, ends-marked, turns.

Exits with 1 if a verdict is not as it should be.";

/// Checks the Myrinet control program in every order of what hosts, engines and links can do.
///
/// Its four threads are a table of transitions; the simulator runs the same. What must hold of every
/// state, and what must be possible in some, is asked of all states that a little traffic reaches.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The firmware; without it, all
    #[arg(value_name = "FIRMWARE")]
    firmware: Option<String>,
    /// Break a rule of the firmware, to see it missed
    #[arg(long, value_name = "RULE")]
    without: Option<String>,
    /// The form of the verdicts
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
    /// Write the models in PROMELA into this folder
    #[arg(long, value_name = "FOLDER")]
    promela: Option<PathBuf>,
    /// Have Spin judge them, too, where it is installed
    #[arg(long)]
    spin: bool,
}

/// Verifies.
pub fn run(options: &Options) -> Ended {
    let firmwares = firmwares(options.firmware.as_deref())?;
    let without = options.without.as_deref().map(rule).transpose()?;
    if let Some(folder) = &options.promela {
        for path in spin::write(folder, &firmwares, without)? {
            tell!("written: {}", path.display());
        }
    }
    let mut verified = Verified::of(&firmwares, without);
    match (options.spin, spin::missing()) {
        (true, None) => verified.spin = Some(spin::judge(&firmwares, without)?),
        (true, Some(program)) => tell!("Spin did not run: `{program}` is not installed"),
        (false, _) => {}
    }
    match options.format {
        Format::Text => print(&verified.text())?,
        Format::Json => print(&format!("{:#}\n", verified.json()))?,
    }
    Ok(if verified.is_as_expected() { Ending::Done } else { Ending::ClaimFailed })
}
