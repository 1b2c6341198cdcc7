//! `narrows list`: the shipped examples, parts, variants and papers.

use super::exit::CommandResult;
use super::{Format, combinations, output, registry, reproduce};
use crate::reference::LINE_COLUMNS;
use clap::{Args, ValueEnum};
use narrows_study::catalog::{NameGroup, NameKind, list};
use narrows_study::report::wrapped;

const EXAMPLES: &str = "\
Examples:
  narrows list                 everything
  narrows list combinations    the compatible combinations of parts
  narrows list hosts           the shipped hosts
  narrows list policies        the alternatives that keys select
  narrows show pentium-ii-440lx
  narrows explain lanes        the meaning of a key, metric or term";

/// List shipped examples, parts, policies and papers
#[derive(Args)]
#[group(skip)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Kind to list [default: all but combinations]
    #[arg(value_name = "KIND", value_enum)]
    kind: Option<ListedKind>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text, value_name = "FORMAT")]
    format: Format,
}

/// The kinds that can be listed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ListedKind {
    /// Example descriptions
    Examples,
    /// All parts
    Parts,
    /// Parts: whole machines
    Machines,
    /// Parts: hosts
    Hosts,
    /// Parts: network interfaces
    #[value(alias = "nics", alias = "nic", alias = "interfaces")]
    Ni,
    /// Parts: protocols
    Protocols,
    /// Parts: fabrics
    Fabrics,
    /// Workloads
    Workloads,
    /// Policies: the alternatives that a key may select, by key
    Policies,
    /// Papers that can be reproduced
    Papers,
    /// Compatible combinations of parts, and the reasons why others are rejected
    Combinations,
}

/// Largest width of a name, in characters, that has its description in the same line.
const NAME_COLUMNS: usize = 32;

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let kinds = match options.kind {
        None => &NameKind::ALL[..],
        Some(ListedKind::Combinations) => {
            return output::print_result(options.format, combinations::as_text, combinations::as_json);
        }
        Some(ListedKind::Parts) => &NameKind::PARTS,
        Some(ListedKind::Examples) => &[NameKind::Examples],
        Some(ListedKind::Machines) => &[NameKind::Machines],
        Some(ListedKind::Hosts) => &[NameKind::Hosts],
        Some(ListedKind::Ni) => &[NameKind::Interfaces],
        Some(ListedKind::Protocols) => &[NameKind::Protocols],
        Some(ListedKind::Fabrics) => &[NameKind::Fabrics],
        Some(ListedKind::Workloads) => &[NameKind::Workloads],
        Some(ListedKind::Policies) => &[NameKind::Policies],
        Some(ListedKind::Papers) => &[],
    };
    let papers = matches!(options.kind, None | Some(ListedKind::Papers)).then(papers);
    let groups: Vec<NameGroup> = kinds.iter().map(|kind| kind.group(registry())).chain(papers).collect();
    let text = || groups.iter().map(text).collect::<Vec<_>>().join("\n");
    output::print_result(options.format, text, || list::json(&groups))
}

/// Returns the papers that can be reproduced.
fn papers() -> NameGroup {
    NameGroup { kind: "papers", usage: "narrows reproduce NAME", names: reproduce::papers() }
}

/// Returns the names of a kind as text.
fn text(group: &NameGroup) -> String {
    let heading = format!("{}: {}\n", group.kind, group.usage);
    if group.names.is_empty() {
        return heading + "  none\n";
    }
    let widths = group.names.iter().map(|(name, _)| name.chars().count());
    let width = widths.filter(|width| *width <= NAME_COLUMNS).max().unwrap_or_default();
    let entry = |(name, description): &(String, String)| match name.chars().count() > NAME_COLUMNS {
        true => format!("  {name}\n{}", wrapped(&" ".repeat(6), &" ".repeat(6), description, LINE_COLUMNS)),
        false => wrapped(&format!("  {name:width$}  "), &" ".repeat(width + 4), description, LINE_COLUMNS),
    };
    heading + &group.names.iter().map(entry).collect::<String>()
}
