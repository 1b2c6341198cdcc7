//! `narrows list`: the shipped examples, parts, variants and papers.

use super::exit::{CommandResult, ExitStatus};
use super::{Format, combinations, output, registry, reproduce};
use crate::reference::LINE_COLUMNS;
use clap::{Args, ValueEnum};
use narrows_core::machine::shipped;
use narrows_core::text::schema::{Family, Form, Item, TableShape};
use narrows_study::report::wrapped;
use serde_json::{Map, Value as Json, json};

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

/// Columns of the longest name that has its description in the same line.
const NAME_COLUMNS: usize = 32;

/// The names of one kind, each with a description.
struct Group {
    kind: &'static str,
    description: &'static str,
    names: Vec<(String, String)>,
}

/// Runs the command.
pub fn run(options: &Options) -> CommandResult {
    let parts = [ListedKind::Machines, ListedKind::Hosts, ListedKind::Ni, ListedKind::Protocols, ListedKind::Fabrics];
    let listed_kinds =
        [&[ListedKind::Examples], &parts[..], &[ListedKind::Workloads, ListedKind::Policies, ListedKind::Papers]]
            .concat();
    let kinds = match options.kind {
        None => &listed_kinds[..],
        Some(ListedKind::Parts) => &parts,
        Some(kind) => &[kind],
    };
    if options.kind == Some(ListedKind::Combinations) {
        return print_result(options.format, &combinations::as_text, &combinations::as_json);
    }
    let groups: Vec<Group> = kinds.iter().map(|kind| kind.group()).collect();
    let json = || format!("{:#}\n", Json::Object(groups.iter().map(Group::json).collect::<Map<_, _>>()));
    print_result(options.format, &|| groups.iter().map(Group::text).collect::<Vec<_>>().join("\n"), &json)
}

fn print_result(format: Format, text: &dyn Fn() -> String, json: &dyn Fn() -> String) -> CommandResult {
    output::print(&match format {
        Format::Text => text(),
        Format::Json => json(),
    })?;
    Ok(ExitStatus::Done)
}

impl ListedKind {
    fn group(self) -> Group {
        let (kind, description, names) = match self {
            ListedKind::Examples => ("examples", "narrows run NAME", examples()),
            ListedKind::Machines => ("machines", "parts = [\"NAME\", …]", parts_where(|name| !is_part(name))),
            ListedKind::Parts | ListedKind::Hosts => {
                ("hosts", "parts = [\"NAME\", …]", parts_where(|name| name.starts_with("hosts/")))
            }
            ListedKind::Ni => ("ni", "parts = [\"NAME\", …]", parts_where(|name| name.starts_with("ni/"))),
            ListedKind::Protocols => {
                ("protocols", "parts = [\"NAME\", …]", parts_where(|name| name.starts_with("protocols/")))
            }
            ListedKind::Fabrics => ("fabrics", "parts = [\"NAME\", …]", parts_where(is_fabric)),
            ListedKind::Workloads => ("workloads", "[workload.NAME]", workloads()),
            ListedKind::Policies => ("policies", "KEY = \"NAME\", or [KEY.NAME] with further keys", policies()),
            ListedKind::Papers | ListedKind::Combinations => ("papers", "narrows reproduce NAME", reproduce::papers()),
        };
        Group { kind, description, names }
    }
}

/// Returns whether a name is that of a part, and not of a complete machine.
fn is_part(name: &str) -> bool {
    is_fabric(name) || ["hosts/", "ni/", "protocols/"].iter().any(|folder| name.starts_with(folder))
}

/// Returns whether a name is that of a fabric.
fn is_fabric(name: &str) -> bool {
    name.starts_with("fabrics/") || name.contains("/networks/")
}

fn examples() -> Vec<(String, String)> {
    let named = |name: &str| (name.to_owned(), first_comment(shipped::example(name).unwrap_or_default()));
    shipped::examples().into_iter().map(named).collect()
}

/// Returns the parts whose names satisfy `is_listed`.
fn parts_where(is_listed: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let named = |name: &&str| (name.to_string(), first_comment(shipped::part(name).unwrap_or_default()));
    shipped::parts().iter().filter(|name| is_listed(name)).map(named).collect()
}

/// Returns the first sentence of a file's leading comment.
fn first_comment(text: &str) -> String {
    let mut sentence = String::new();
    for line in text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim) {
        if line.is_empty() {
            break;
        }
        sentence += if sentence.is_empty() { "" } else { " " };
        sentence += line;
        if let Some(end) = sentence_end(&sentence) {
            sentence.truncate(end);
            break;
        }
    }
    sentence
}

/// Returns the index of the end of the first sentence of a text: a full stop or question mark that is followed by a
/// capital letter or by nothing, except the full stop of `et al.`.
fn sentence_end(text: &str) -> Option<usize> {
    let is_end = |offset: &usize| {
        let (preceding, after) = (&text[..*offset], &text[offset + 1..]);
        let next = after.strip_prefix(' ').and_then(|rest| rest.chars().next());
        let is_last = after.is_empty() || next.is_some_and(char::is_uppercase);
        is_last && !preceding.ends_with(" al") && !preceding.ends_with("..")
    };
    text.match_indices(['.', '?']).map(|(offset, _)| offset).find(is_end).map(|at| at + 1)
}

fn workloads() -> Vec<(String, String)> {
    let families = families();
    let workload = families.iter().find(|(key, _)| key == "workload");
    workload.map(|(_, family)| members(family)).unwrap_or_default()
}

/// Returns every variant of the description language as `KEY = NAME`, except workloads.
fn policies() -> Vec<(String, String)> {
    let families = families();
    let other_families = families.iter().filter(|(key, _)| key != "workload");
    let named = |(key, family): &(String, Family)| {
        let key = key.clone();
        members(family).into_iter().map(move |(name, description)| (format!("{key} = {name}"), description))
    };
    other_families.flat_map(named).collect()
}

fn members(family: &Family) -> Vec<(String, String)> {
    family.members.iter().map(|member| (member.name.to_owned(), member.doc.to_owned())).collect()
}

/// Returns all families of variants, each with its key.
fn families() -> Vec<(String, Family)> {
    let mut families = Vec::new();
    gather("", &registry().schema().root, &mut families);
    families
}

fn gather(parent: &str, shape: &TableShape, families: &mut Vec<(String, Family)>) {
    let join = |key: &str| if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
    for item in &shape.items {
        match item {
            Item::Key { key, form: Form::Table(shape), .. } => gather(&join(key), shape, families),
            Item::Key { key, form: Form::Map(shape), .. } => gather(&format!("{}.NAME", join(key)), shape, families),
            Item::Key { key, form: Form::List(shape), .. } => gather(&format!("{}.INDEX", join(key)), shape, families),
            Item::Key { key, form: Form::OneOf(family, siblings), .. } => {
                gather_family(&join(key), family, families);
                gather(&join(key), siblings, families);
            }
            Item::Key { form: Form::Value(..) | Form::Like(_) | Form::Parts, .. } => {}
            Item::Family(family) => gather_family(parent, family, families),
        }
    }
}

fn gather_family(key: &str, family: &Family, families: &mut Vec<(String, Family)>) {
    if families.iter().all(|(known_key, _)| known_key != key) {
        families.push((key.to_owned(), family.clone()));
    }
    for member in &family.members {
        gather(&format!("{key}.{}", member.name), &member.shape, families);
    }
}

impl Group {
    fn text(&self) -> String {
        let head = format!("{}: {}\n", self.kind, self.description);
        if self.names.is_empty() {
            return head + "  none\n";
        }
        let widths = self.names.iter().map(|(name, _)| name.chars().count());
        let width = widths.filter(|width| *width <= NAME_COLUMNS).max().unwrap_or_default();
        let entry = |(name, description): &(String, String)| match name.chars().count() > NAME_COLUMNS {
            true => format!("  {name}\n{}", wrapped(&" ".repeat(6), &" ".repeat(6), description, LINE_COLUMNS)),
            false => wrapped(&format!("  {name:width$}  "), &" ".repeat(width + 4), description, LINE_COLUMNS),
        };
        head + &self.names.iter().map(entry).collect::<String>()
    }

    fn json(&self) -> (String, Json) {
        let names =
            self.names.iter().map(|(name, description)| json!({ "name": name, "about": description })).collect();
        (self.kind.to_owned(), names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_comment_is_a_complete_sentence() {
        let text = "# Over an interface: queues in main memory, cached in\n# the interface (Jin et al. 2005). Others: x\na = 1\n";
        assert_eq!(
            first_comment(text),
            "Over an interface: queues in main memory, cached in the interface (Jin et al. 2005)."
        );
        assert_eq!(first_comment("# One line\n#\n# Another\n"), "One line");
    }

    #[test]
    fn every_shipped_file_begins_with_a_descriptive_sentence() {
        for (name, description) in examples().into_iter().chain(parts_where(|_| true)) {
            assert!(description.ends_with(['.', '?']) && description.len() < 300, "{name}: {description}");
        }
    }
}
