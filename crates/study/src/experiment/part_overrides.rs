//! Overrides that select a shipped part by name: `ni=cni32qm` replaces the description's interface by the shipped one;
//! `host`, `protocol` and `fabric` do the same.
//!
//! Parts that are declared for a single node are not replaced.

use narrows_core::machine::{Machine, shipped};
use narrows_core::text::set::plain;
use narrows_core::text::{Problem, Read, suggest};
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

/// Tables that a description may have in addition to that of its fabric.
const COMMON_TABLES: [&str; 2] = ["router", "loss"];

/// The replaceable parts that a description names.
#[derive(Clone, Default, Debug)]
pub struct NamedParts {
    parts: Vec<String>,
    /// The parts that overrides have replaced; a later override may name a host among them for a node.
    replaced: Vec<String>,
    /// The nodes with a `host` key.
    nodes: Vec<String>,
}

/// Returns the family and part name of an override such as `ni=cni32qm`; `None` for any other override.
fn part_override(option: &str) -> Option<(&'static Family, String)> {
    let is_key = |family: &&Family| option.trim_start().starts_with(family.key);
    FAMILIES.iter().find(is_key)?;
    let (path, value) = plain(option)?;
    let [key] = &path[..] else { return None };
    let family = FAMILIES.iter().find(|family| family.key == key)?;
    Some((family, value.as_str()?.trim().to_owned()))
}

impl Family {
    /// Returns the names of the shipped parts of the family, without their folder.
    fn names(&self) -> impl Iterator<Item = &'static str> {
        shipped::parts().iter().filter_map(|part| part.strip_prefix(self.folder)?.strip_prefix('/'))
    }

    fn find(&self, name: &str) -> Result<&'static str, Problem> {
        let bare = name.strip_prefix(self.folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
        self.names().find(|known| *known == bare).ok_or_else(|| {
            let problem =
                Problem::new(format!("`{}={name}`: there is no shipped part `{}/{bare}`", self.key, self.folder));
            let near = suggest::nearest(bare, self.names());
            let problem = problem.help(near.map(|near| format!("did you mean `{near}`?")).unwrap_or_default());
            problem.help(format!("the parts are {}", suggest::phrase(self.names())))
        })
    }

    /// Returns the keys in the family's table of a shipped part.
    fn kinds(&self, name: &str) -> Vec<String> {
        let text = shipped::part(&format!("{}/{name}", self.folder)).unwrap_or_default();
        let tree: toml::Table = text.parse().unwrap_or_default();
        let table = tree.get(self.table).and_then(Value::as_table);
        table.into_iter().flat_map(toml::Table::keys).map(|key| key.replace('-', "_")).collect()
    }
}

/// Returns whether an override selects a part by name.
pub fn selects_part(option: &str) -> bool {
    part_override(option).is_some()
}

/// Returns the problems of part names in overrides.
pub fn problems<'a>(options: impl Iterator<Item = &'a str>) -> Vec<Problem> {
    options.filter_map(part_override).filter_map(|(family, name)| family.find(&name).err()).collect()
}

impl NamedParts {
    /// Reads the parts from a description's text. Its errors are reported when the description itself is read.
    pub fn of(text: &str) -> NamedParts {
        let tree: toml::Table = text.parse().unwrap_or_default();
        let nodes = tree.get("nodes").and_then(Value::as_table).into_iter().flatten();
        let with_host = nodes.filter(|(_, node)| node.get("host").is_some());
        NamedParts {
            parts: tree.get("parts").map(words).unwrap_or_default(),
            replaced: Vec::new(),
            nodes: with_host.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Applies an ordinary override. If it names a replaced host, the host becomes a part again. Returns whether it
    /// does.
    fn apply(&mut self, option: &str) -> bool {
        match plain(option) {
            Some((path, value)) if path == ["parts"] => self.parts = words(&value),
            Some((path, value)) => {
                if let [nodes, node, host] = &path[..]
                    && nodes == "nodes"
                    && host == "host"
                {
                    if !self.nodes.contains(node) {
                        self.nodes.push(node.clone());
                    }
                    return self.restore(&format!("hosts/{}", value.as_str().unwrap_or_default()));
                }
            }
            None => {}
        }
        false
    }

    /// Makes a replaced part one of the parts again; returns whether it was replaced.
    fn restore(&mut self, part: &str) -> bool {
        let is_replaced = self.replaced.iter().any(|replaced| replaced == part);
        if is_replaced && !self.parts.iter().any(|known| known == part) {
            self.parts.push(part.to_owned());
        }
        is_replaced
    }

    /// Rewrites overrides that select parts into overrides of keys that descriptions have: `parts`, and for `host=NAME`
    /// the `host` of each node. They keep their position, so that later options override them.
    pub fn settings(&self, sets: &[String], varied: &[String]) -> (Vec<String>, Vec<String>) {
        let mut state = self.clone();
        let mut rewrite = |options: &[String]| {
            let (mut settings, mut any) = (Vec::new(), false);
            for option in options {
                match part_override(option) {
                    None => {
                        any |= state.apply(option);
                        settings.push(option.clone());
                    }
                    Some((family, name)) => {
                        any = true;
                        state.replace(family, &name);
                        let host = |node: &String| format!("nodes.\"{node}\".host={}", Value::from(name.as_str()));
                        settings.extend(state.nodes.iter().filter(|_| family.key == "host").map(host));
                    }
                }
            }
            let parts: Value = state.parts.iter().map(String::as_str).collect::<Vec<_>>().into();
            settings.extend(any.then(|| format!("parts={parts}")));
            settings
        };
        (rewrite(sets), rewrite(varied))
    }

    fn replace(&mut self, family: &Family, name: &str) {
        let part = format!("{}/{name}", family.folder);
        let is_of = |part: &String| part.strip_prefix(family.folder).is_some_and(|rest| rest.starts_with('/'));
        let index = self.parts.iter().position(is_of).unwrap_or(self.parts.len());
        self.replaced.extend(self.parts.iter().filter(|part| is_of(part)).cloned());
        self.parts.retain(|part| !is_of(part));
        self.parts.insert(index.min(self.parts.len()), part);
    }
}

fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        Value::String(one) => vec![one.clone()],
        _ => Vec::new(),
    }
}

/// Returns the problem of the last override whose part the machine does not have because the description declares
/// another.
pub fn unused_overrides(read: &Read<Machine>, options: &[String]) -> Option<Problem> {
    let named: Vec<_> = options.iter().filter_map(|option| part_override(option)).collect();
    let machine = if named.is_empty() { return None } else { read.resolved() };
    named.into_iter().rev().find_map(|(family, name)| {
        let kinds = family.kinds(&name);
        let has = machine[family.table].as_object()?;
        let is_present = kinds.iter().any(|kind| has.contains_key(kind) && !COMMON_TABLES.contains(&kind.as_str()));
        let declared = has
            .keys()
            .find(|key| !COMMON_TABLES.contains(&key.as_str()))
            .filter(|_| family.key != "host" && !is_present)?;
        let declared = format!("[{}.{}]", family.table, declared.replace('_', "-"));
        let problem =
            Problem::new(format!("`{}={name}` has no effect: the description declares {declared}", family.key));
        Some(problem.help(format!("remove {declared} from the description, and name a part instead")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str, varied: &[&str]) -> Vec<String> {
        let varied: Vec<String> = varied.iter().map(|option| option.to_string()).collect();
        NamedParts::of(text).settings(&[], &varied).1
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
        assert_eq!(settings("", &["ni={}", "ni.udma.x=1"]), ["ni={}", "ni.udma.x=1"], "these are ordinary settings");
    }

    #[test]
    fn later_host_of_a_node_overrides_an_earlier_host_by_name() {
        let text = "parts = ['hosts/p6-natoma', 'hosts/alcor']\n[nodes.a]\nhost = 'p6-natoma'\n";
        assert_eq!(
            settings(text, &["host=miata", "nodes.a.host=alcor"]),
            [r#"nodes."a".host="miata""#, "nodes.a.host=alcor", r#"parts=["hosts/miata", "hosts/alcor"]"#]
        );
        let named = NamedParts::of(text);
        let (_, varied) = named.settings(&["host=miata".to_owned()], &["nodes.a.host=alcor".to_owned()]);
        assert_eq!(varied, ["nodes.a.host=alcor", r#"parts=["hosts/miata", "hosts/alcor"]"#]);
        assert_eq!(settings(text, &["nodes.a.host=alcor"]), ["nodes.a.host=alcor"], "an ordinary setting");
    }

    #[test]
    fn unknown_part_name_is_reported() {
        let found = problems(["ni=cni32q", "fabric=myrinet"].into_iter());
        assert_eq!(found.len(), 1);
        assert!(
            found[0].message.contains("no shipped part `ni/cni32q`") && found[0].help[0].contains("cni32qm"),
            "{found:?}"
        );
    }
}
