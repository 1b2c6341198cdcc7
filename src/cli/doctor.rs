//! `narrows doctor`: which optional tools and features are present, and what each is for.

use super::exit::CommandResult;
use super::{Format, output};
use clap::Args;
use narrows_study::report::FULL_BUILD;
use narrows_study::report::dataset::HAS_PARQUET;
use narrows_study::report::image::HAS_PICTURES;
use serde_json::{Value as Json, json};
use std::process::{Command, Stdio};
use std::thread;

const EXAMPLES: &str = "\
Examples:
  narrows doctor                 what is found, and what for
  narrows doctor --format json   the same for programs";

/// Print which optional tools and features are found
///
/// Narrows needs none of them to simulate. The exit code is 0 whatever is missing.
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// One tool or feature.
struct Finding {
    name: &'static str,
    /// The version or value that was found; `None` if it is missing.
    value: Option<String>,
    purpose: &'static str,
    /// The remedy if it is missing.
    remedy: &'static str,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let findings = findings();
    let text = || findings.iter().map(Finding::text).collect();
    output::print_result(options.format, text, || findings.iter().map(Finding::json).collect())
}

fn findings() -> Vec<Finding> {
    let feature = |is_built: bool| is_built.then(|| "built in".to_owned());
    vec![
        Finding {
            name: "narrows",
            value: Some(format!("version {}", env!("CARGO_PKG_VERSION"))),
            purpose: "this program",
            remedy: "",
        },
        Finding {
            name: "processors",
            value: thread::available_parallelism().ok().map(|count| count.to_string()),
            purpose: "the default of --jobs",
            remedy: "give --jobs",
        },
        Finding {
            name: "feature parquet",
            value: feature(HAS_PARQUET),
            purpose: "tables as Parquet",
            remedy: FULL_BUILD,
        },
        Finding {
            name: "feature pictures",
            value: feature(HAS_PICTURES),
            purpose: "pictures as PNG and PDF; SVG needs nothing",
            remedy: FULL_BUILD,
        },
        Finding {
            name: "tshark",
            value: version_of("tshark", &["--version"]),
            purpose: "reads what `narrows run --pcap` writes",
            remedy: "install Wireshark",
        },
        Finding {
            name: "python3",
            value: version_of("python3", &["--version"]),
            purpose: "the scripts `predict` of studies, and the package narrows",
            remedy: "install Python 3.10 or newer",
        },
        Finding {
            name: "python3 -m narrows",
            value: version_of("python3", &["-c", "import narrows; print('version', narrows.__version__)"]),
            purpose: "narrows in notebooks and scripts",
            remedy: "build the wheel, and install it with pip (docs/python.md)",
        },
    ]
}

/// Returns the first line that a program prints, or `None` if the program is missing or fails.
fn version_of(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().next().unwrap_or_default().trim();
    // A line of another program is data: only its printable characters are shown.
    let shown: String = line.chars().filter(|letter| !letter.is_control()).take(60).collect();
    output.status.success().then_some(shown)
}

impl Finding {
    fn text(&self) -> String {
        let value = self.value.as_deref().unwrap_or("not found");
        let remedy = match self.value {
            Some(_) => String::new(),
            None => format!("  {:18}  {}\n", "", self.remedy),
        };
        format!("  {:18}  {value}: {}\n{remedy}", self.name, self.purpose)
    }

    fn json(&self) -> Json {
        json!({ "name": self.name, "found": self.value, "purpose": self.purpose, "remedy": self.remedy })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_no_error() {
        assert_eq!(version_of("no-such-program-of-any-machine", &[]), None);
        let missing_tool = Finding { name: "tool", value: None, purpose: "tests", remedy: "install it" };
        assert_eq!(missing_tool.text(), "  tool                not found: tests\n                      install it\n");
    }
}
