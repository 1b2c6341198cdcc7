//! The shipped names and the names that descriptions may use, by kind, each with its description.

use narrows_core::machine::{Registry, shipped};
use narrows_core::text::schema::{Family, Form, Item, TableShape};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// A kind of names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NameKind {
    /// Example descriptions.
    Examples,
    /// Parts that are whole machines.
    Machines,
    /// Hosts.
    Hosts,
    /// Network interfaces.
    Interfaces,
    /// Protocols.
    Protocols,
    /// Fabrics.
    Fabrics,
    /// Workloads.
    Workloads,
    /// The variants that a key may select, by key.
    Policies,
}

/// The names of one kind, each with a description.
pub struct NameGroup {
    /// The name of the kind.
    pub kind: &'static str,
    /// The use of a name of this kind.
    pub usage: &'static str,
    /// The names, each with its description.
    pub names: Vec<(String, String)>,
}

impl NameKind {
    /// All kinds, in the order in which they are listed. The names of papers are not among them, since papers are
    /// studies.
    pub const ALL: [NameKind; 8] = [
        NameKind::Examples,
        NameKind::Machines,
        NameKind::Hosts,
        NameKind::Interfaces,
        NameKind::Protocols,
        NameKind::Fabrics,
        NameKind::Workloads,
        NameKind::Policies,
    ];

    /// The kinds of parts.
    pub const PARTS: [NameKind; 5] =
        [NameKind::Machines, NameKind::Hosts, NameKind::Interfaces, NameKind::Protocols, NameKind::Fabrics];

    /// Returns the names of this kind.
    pub fn group(self, registry: &Arc<Registry>) -> NameGroup {
        const PARTS_USAGE: &str = "parts = [\"NAME\", …]";
        let in_folder = |folder: &'static str| parts_where(move |name| name.starts_with(folder));
        let (kind, usage, names) = match self {
            NameKind::Examples => ("examples", "narrows run NAME", examples()),
            NameKind::Machines => ("machines", PARTS_USAGE, parts_where(|name| !is_part(name))),
            NameKind::Hosts => ("hosts", PARTS_USAGE, in_folder("hosts/")),
            NameKind::Interfaces => ("ni", PARTS_USAGE, in_folder("ni/")),
            NameKind::Protocols => ("protocols", PARTS_USAGE, in_folder("protocols/")),
            NameKind::Fabrics => ("fabrics", PARTS_USAGE, parts_where(is_fabric)),
            NameKind::Workloads => ("workloads", "[workload.NAME]", workloads(registry)),
            NameKind::Policies => ("policies", "KEY = \"NAME\", or [KEY.NAME] with further keys", policies(registry)),
        };
        NameGroup { kind, usage, names }
    }
}

/// Returns groups of names as JSON: a list for each kind.
pub fn json(groups: &[NameGroup]) -> Json {
    let entry = |(name, description): &(String, String)| json!({ "name": name, "about": description });
    let name_list = |group: &NameGroup| (group.kind.to_owned(), group.names.iter().map(entry).collect());
    Json::Object(groups.iter().map(name_list).collect::<Map<_, _>>())
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
    let with_description = |name: &str| (name.to_owned(), first_comment(shipped::example(name).unwrap_or_default()));
    shipped::examples().into_iter().map(with_description).collect()
}

/// Returns the parts whose names satisfy `is_listed`.
fn parts_where(is_listed: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let with_description = |name: &&str| (name.to_string(), first_comment(shipped::part(name).unwrap_or_default()));
    shipped::parts().iter().filter(|name| is_listed(name)).map(with_description).collect()
}

/// Returns the first sentence of a file's leading comment.
pub fn first_comment(text: &str) -> String {
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

fn workloads(registry: &Arc<Registry>) -> Vec<(String, String)> {
    let families = families(registry);
    let workload = families.iter().find(|(key, _)| key == "workload");
    workload.map(|(_, family)| members(family)).unwrap_or_default()
}

/// Returns every variant of the description language as `KEY = NAME`, except workloads.
fn policies(registry: &Arc<Registry>) -> Vec<(String, String)> {
    let families = families(registry);
    let other_families = families.iter().filter(|(key, _)| key != "workload");
    let with_description = |(key, family): &(String, Family)| {
        let key = key.clone();
        members(family).into_iter().map(move |(name, description)| (format!("{key} = {name}"), description))
    };
    other_families.flat_map(with_description).collect()
}

fn members(family: &Family) -> Vec<(String, String)> {
    family.members.iter().map(|member| (member.name.to_owned(), member.doc.to_owned())).collect()
}

/// Returns all families of variants, each with its key.
pub fn families(registry: &Arc<Registry>) -> Vec<(String, Family)> {
    let mut families = Vec::new();
    collect_families("", &registry.schema().root, &mut families);
    families
}

fn collect_families(parent: &str, shape: &TableShape, families: &mut Vec<(String, Family)>) {
    let join = |key: &str| if parent.is_empty() { key.to_owned() } else { format!("{parent}.{key}") };
    for item in &shape.items {
        match item {
            Item::Key { key, form: Form::Table(shape), .. } => collect_families(&join(key), shape, families),
            Item::Key { key, form: Form::Map(shape), .. } => {
                collect_families(&format!("{}.NAME", join(key)), shape, families)
            }
            Item::Key { key, form: Form::List(shape), .. } => {
                collect_families(&format!("{}.INDEX", join(key)), shape, families)
            }
            Item::Key { key, form: Form::OneOf(family, siblings), .. } => {
                collect_family(&join(key), family, families);
                collect_families(&join(key), siblings, families);
            }
            Item::Key { form: Form::Value(..) | Form::Like(_) | Form::Parts, .. } => {}
            Item::Family(family) => collect_family(parent, family, families),
        }
    }
}

fn collect_family(key: &str, family: &Family, families: &mut Vec<(String, Family)>) {
    if families.iter().all(|(known_key, _)| known_key != key) {
        families.push((key.to_owned(), family.clone()));
    }
    for member in &family.members {
        collect_families(&format!("{key}.{}", member.name), &member.shape, families);
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
    fn every_kind_has_names() {
        for kind in NameKind::ALL {
            assert!(!kind.group(Registry::shared()).names.is_empty(), "{kind:?}");
        }
    }

    #[test]
    fn every_shipped_file_begins_with_a_descriptive_sentence() {
        for (name, description) in examples().into_iter().chain(parts_where(|_| true)) {
            assert!(description.ends_with(['.', '?']) && description.len() < 300, "{name}: {description}");
        }
    }
}
