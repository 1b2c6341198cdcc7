//! Overrides that select a shipped part by name: `ni=cni32qm` replaces the description's interface by the shipped one;
//! `host`, `protocol` and `fabric` do the same. `nodes.NAME.ni=cni32qm` selects the interface of one node.
//!
//! The interface that a description declares for a single node is replaced only by the override of that node.

use narrows_core::machine::{Machine, Registry, shipped};
use narrows_core::text::set::parse_plain;
use narrows_core::text::{Problem, Read, suggest};
use std::collections::BTreeMap;
use toml::Value;

/// A family of parts: the key that selects a part, the folder of the shipped parts, and the family's table in a
/// description.
struct Family {
    key: &'static str,
    folder: &'static str,
    table: &'static str,
}

const FAMILIES: [Family; 4] = [
    Family { key: "host", folder: "hosts", table: "hosts" },
    Family { key: "ni", folder: "ni", table: "ni" },
    Family { key: "protocol", folder: "protocols", table: "protocol" },
    Family { key: "fabric", folder: "fabrics", table: "fabric" },
];

/// The key of the nodes in a description.
const NODES: &str = "nodes";

/// Tables that a description may have in addition to that of its fabric.
const COMMON_TABLES: [&str; 2] = ["router", "loss"];

/// The replaceable parts that a description names.
#[derive(Clone, Default, Debug)]
pub struct NamedParts {
    parts: Vec<String>,
    /// The parts that overrides have replaced; a later override may name a host among them for a node.
    replaced_parts: Vec<String>,
    /// The nodes with a `host` key.
    nodes: Vec<String>,
    /// The parts of the nodes that name some, by the name of the node.
    node_parts: BTreeMap<String, Vec<String>>,
}

/// An override that selects a shipped part by its name.
struct PartOverride {
    /// The node whose part is replaced; `None` for the part of the machine.
    node: Option<String>,
    family: &'static Family,
    name: String,
}

/// Returns the part that an override such as `ni=cni32qm` selects; `None` for any other override.
fn part_override(option: &str) -> Option<PartOverride> {
    let begins_with = |key: &str| option.trim_start().starts_with(key);
    if !begins_with(NODES) && !FAMILIES.iter().any(|family| begins_with(family.key)) {
        return None;
    }
    let (path, value) = parse_plain(option)?;
    let family = |key: &str| FAMILIES.iter().find(|family| family.key == key);
    let (node, family) = match &path[..] {
        [key] => (None, family(key)?),
        [nodes, node, key] if nodes == NODES && key == "ni" => (Some(node.clone()), family(key)?),
        _ => return None,
    };
    Some(PartOverride { node, family, name: value.as_str()?.trim().to_owned() })
}

impl Family {
    /// Returns the names of the shipped parts of the family, without their folder.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        shipped::parts().iter().filter_map(|part| part.strip_prefix(self.folder)?.strip_prefix('/'))
    }

    fn find(&self, name: &str) -> Result<&'static str, Problem> {
        let part_name = self.short_name(name);
        self.names().find(|shipped| *shipped == part_name).ok_or_else(|| {
            let problem =
                Problem::new(format!("`{}={name}`: there is no shipped part `{}/{part_name}`", self.key, self.folder));
            let prefix = if self.key == "host" { "hosts.NAME".to_owned() } else { self.table.to_owned() };
            if let Some(table) = kind_table(part_name).filter(|table| *table == format!("{prefix}.{part_name}")) {
                let problem = problem.help(format!("`{part_name}` is a kind without a shipped part of its name"));
                return problem.help(format!("declare [{table}] in the description")).help(keys_of_kind(&table));
            }
            let problem = problem.help(suggest::label(part_name, self.names(), ""));
            problem.help(format!("the parts are {}", suggest::phrase(self.names())))
        })
    }

    /// Replaces the family's part among `parts` by the one named `name`, or adds it. Returns the parts that were
    /// replaced.
    fn replace(&self, parts: &mut Vec<String>, name: &str) -> Vec<String> {
        let is_in_family = |part: &mut String| part.strip_prefix(self.folder).is_some_and(|rest| rest.starts_with('/'));
        let index = parts.iter_mut().position(is_in_family).unwrap_or(parts.len());
        let replaced = parts.extract_if(.., is_in_family).collect();
        let part_name = self.short_name(name);
        parts.insert(index.min(parts.len()), format!("{}/{part_name}", self.folder));
        replaced
    }

    /// Returns the name of a part without the family's folder, which an override may include, as in `ni=ni/ring`.
    fn short_name<'a>(&self, name: &'a str) -> &'a str {
        name.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
    }

    /// Returns the keys of a shipped part in the family's table, which are the kinds that it declares.
    fn kinds(&self, name: &str) -> Vec<String> {
        let text = shipped::part(&format!("{}/{}", self.folder, self.short_name(name))).unwrap_or_default();
        let tree: toml::Table = text.parse().unwrap_or_default();
        let table = tree.get(self.table).and_then(Value::as_table);
        table.into_iter().flat_map(toml::Table::keys).map(|key| key.replace('-', "_")).collect()
    }
}

/// Returns the table of the kind of part `name`, such as `ni.dma-engine`; `None` if there is no such kind.
pub fn kind_table(name: &str) -> Option<String> {
    let tables = ["hosts.NAME", "ni", "protocol", "fabric"].map(|family| format!("{family}.{name}"));
    let lines = Registry::shared().schema().lines();
    tables.into_iter().find(|table| lines.iter().any(|line| line.path == *table))
}

/// Returns advice on how to print the keys of the kind whose table is `table`.
pub fn keys_of_kind(table: &str) -> String {
    format!("`narrows explain {table}` explains the kind, and `narrows schema --keys | grep {table}` prints its keys")
}

/// Returns every override that selects a shipped part of the machine by name.
pub fn all_selections() -> impl Iterator<Item = String> {
    FAMILIES.iter().flat_map(|family| family.names().map(|name| format!("{}={name}", family.key)))
}

/// Returns whether an override selects a part by name.
pub fn selects_part(option: &str) -> bool {
    part_override(option).is_some()
}

/// Returns the problems of part names in overrides.
pub fn problems<'a>(options: impl Iterator<Item = &'a str>) -> Vec<Problem> {
    options.filter_map(part_override).filter_map(|part| part.family.find(&part.name).err()).collect()
}

impl NamedParts {
    /// Reads the parts from a description's text. Its errors are reported when the description itself is read.
    pub fn parse(text: &str) -> NamedParts {
        let tree: toml::Table = text.parse().unwrap_or_default();
        let nodes = || tree.get(NODES).and_then(Value::as_table).into_iter().flatten();
        let nodes_with_host = nodes().filter(|(_, node)| node.get("host").is_some());
        let node_parts = nodes().filter_map(|(name, node)| Some((name.clone(), text_items(node.get("parts")?))));
        NamedParts {
            parts: tree.get("parts").map(text_items).unwrap_or_default(),
            replaced_parts: Vec::new(),
            nodes: nodes_with_host.map(|(name, _)| name.clone()).collect(),
            node_parts: node_parts.collect(),
        }
    }

    /// Applies an override that does not select a part by name. If the override names a replaced host for a node, that
    /// host becomes a part again. Returns whether the override names a replaced host.
    fn apply(&mut self, option: &str) -> bool {
        let Some((path, value)) = parse_plain(option) else { return false };
        match &path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["parts"] => self.parts = text_items(&value),
            [NODES, node, "parts"] => _ = self.node_parts.insert(node.to_string(), text_items(&value)),
            [NODES, node, "host"] => {
                if !self.nodes.iter().any(|known| known == node) {
                    self.nodes.push(node.to_string());
                }
                return self.restore(&format!("hosts/{}", value.as_str().unwrap_or_default()));
            }
            _ => {}
        }
        false
    }

    /// Adds a replaced part to the parts again. Returns whether an override had replaced it.
    fn restore(&mut self, part: &str) -> bool {
        let is_replaced = self.replaced_parts.iter().any(|replaced_part| replaced_part == part);
        if is_replaced && !self.parts.iter().any(|named| named == part) {
            self.parts.push(part.to_owned());
        }
        is_replaced
    }

    /// Rewrites overrides that select parts into overrides of keys that descriptions have: `parts`, and for `host=NAME`
    /// the `host` of each node. The overrides of nodes keep their positions, so that later options override them; the
    /// override of `parts` comes last.
    pub fn rewrite_overrides(&self, base_overrides: &[String], varied: &[String]) -> (Vec<String>, Vec<String>) {
        let mut named_parts = self.clone();
        let mut rewrite = |options: &[String]| {
            let (mut rewritten, mut changes_parts) = (Vec::new(), false);
            for option in options {
                match part_override(option) {
                    None => {
                        changes_parts |= named_parts.apply(option);
                        rewritten.push(option.clone());
                    }
                    Some(PartOverride { node: Some(node), family, name }) => {
                        let parts = named_parts.node_parts.entry(node.clone()).or_default();
                        family.replace(parts, &name);
                        rewritten.push(format!("{NODES}.\"{node}\".parts={}", parts_value(parts)));
                    }
                    Some(PartOverride { node: None, family, name }) => {
                        changes_parts = true;
                        named_parts.replaced_parts.extend(family.replace(&mut named_parts.parts, &name));
                        let host = |node: &String| format!("{NODES}.\"{node}\".host={}", Value::from(name.as_str()));
                        rewritten.extend(named_parts.nodes.iter().filter(|_| family.key == "host").map(host));
                    }
                }
            }
            rewritten.extend(changes_parts.then(|| format!("parts={}", parts_value(&named_parts.parts))));
            rewritten
        };
        (rewrite(base_overrides), rewrite(varied))
    }
}

/// Returns the names of parts as the value of a setting.
fn parts_value(parts: &[String]) -> Value {
    parts.iter().map(String::as_str).collect::<Vec<_>>().into()
}

fn text_items(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        Value::String(one) => vec![one.clone()],
        _ => Vec::new(),
    }
}

/// Returns the problem of an override whose part the machine does not have, because the description declares another
/// part.
pub fn unused_override_problem(description: &Read<Machine>, options: &[String]) -> Option<Problem> {
    let selected_parts: Vec<_> =
        options.iter().filter_map(|option| part_override(option)).filter(|part| part.node.is_none()).collect();
    let machine = if selected_parts.is_empty() { return None } else { description.resolved() };
    // Only the last override of a family counts; earlier ones are replaced by it.
    let last_of_families =
        FAMILIES.iter().filter_map(|family| selected_parts.iter().rfind(|part| part.family.key == family.key));
    last_of_families.into_iter().find_map(|PartOverride { family, name, .. }| {
        let kinds = family.kinds(name);
        let tables = machine[family.table].as_object()?;
        let is_present = kinds.iter().any(|kind| tables.contains_key(kind) && !COMMON_TABLES.contains(&kind.as_str()));
        let declared_key = tables
            .keys()
            .find(|key| !COMMON_TABLES.contains(&key.as_str()))
            .filter(|_| family.key != "host" && !is_present)?;
        let declared = format!("[{}.{}]", family.table, declared_key.replace('_', "-"));
        let (table, part) = (family.table, format!("{}/{}", family.folder, family.short_name(name)));
        let problem = Problem::new(format!(
            "`{}={name}` has no effect: it replaces a shipped part in `parts`, but the description writes {declared} itself",
            family.key
        ));
        Some(problem.help(format!(
            "remove {declared} and all other tables of `{table}` from the description, and add \"{part}\" to its `parts`"
        )))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::loaded_description::LoadedDescription;

    fn settings(text: &str, varied: &[&str]) -> Vec<String> {
        let varied: Vec<String> = varied.iter().map(|option| option.to_string()).collect();
        NamedParts::parse(text).rewrite_overrides(&[], &varied).1
    }

    #[test]
    fn named_part_replaces_the_descriptions_part() {
        let text = "parts = ['hosts/p6-natoma', 'ni/trapeze']\n[nodes.a]\nhost = 'p6-natoma'\n[nodes.b]\n";
        assert_eq!(
            settings(text, &["run.seed=1", "ni=udma"]),
            ["run.seed=1", r#"parts=["hosts/p6-natoma", "ni/udma"]"#]
        );
        assert_eq!(
            settings(text, &["host=miata", "fabric=myrinet"]),
            [r#"nodes."a".host="miata""#, r#"parts=["hosts/miata", "ni/trapeze", "fabrics/myrinet"]"#]
        );
        assert_eq!(
            settings("[nodes.b]\nparts = ['ni/trapeze', 'x/y']", &["nodes.b.ni=udma", "nodes.c.ni=ni2w"]),
            [r#"nodes."b".parts=["ni/udma", "x/y"]"#, r#"nodes."c".parts=["ni/ni2w"]"#]
        );
        assert_eq!(settings("", &["ni={}", "ni.udma.x=1"]), ["ni={}", "ni.udma.x=1"], "these are ordinary settings");
    }

    #[test]
    fn part_may_be_named_with_its_folder() {
        let registry = Registry::shared();
        let loaded = LoadedDescription::example(registry, "ring-ping-pong").expect("the example exists");
        let options = |option: &str| [option.to_owned()];
        for name in ["ring", "ni/ring", "ni/ring-simple"] {
            let description = loaded.read(&options(&format!("ni={name}"))).expect("the part exists");
            assert_eq!(
                unused_override_problem(&description, &options(&format!("ni={name}"))).map(|problem| problem.message),
                None
            );
        }
    }

    #[test]
    fn later_host_of_a_node_overrides_an_earlier_host_by_name() {
        let text = "parts = ['hosts/p6-natoma', 'hosts/alcor']\n[nodes.a]\nhost = 'p6-natoma'\n";
        assert_eq!(
            settings(text, &["host=miata", "nodes.a.host=alcor"]),
            [r#"nodes."a".host="miata""#, "nodes.a.host=alcor", r#"parts=["hosts/miata", "hosts/alcor"]"#]
        );
        let named_parts = NamedParts::parse(text);
        let (_, varied) = named_parts.rewrite_overrides(&["host=miata".to_owned()], &["nodes.a.host=alcor".to_owned()]);
        assert_eq!(varied, ["nodes.a.host=alcor", r#"parts=["hosts/miata", "hosts/alcor"]"#]);
        assert_eq!(settings(text, &["nodes.a.host=alcor"]), ["nodes.a.host=alcor"], "an ordinary setting");
    }

    #[test]
    fn unknown_part_name_is_reported() {
        let unknown_part_problems = problems(["ni=cni32q", "fabric=myrinet"].into_iter());
        assert_eq!(unknown_part_problems.len(), 1);
        let kind = problems(["ni=dma-engine"].into_iter());
        assert!(kind[0].help[0].contains("a kind without a shipped part"), "{kind:?}");
        assert!(
            unknown_part_problems[0].message.contains("no shipped part `ni/cni32q`")
                && unknown_part_problems[0].help[0].contains("cni32qm"),
            "{unknown_part_problems:?}"
        );
    }
}
