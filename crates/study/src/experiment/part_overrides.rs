//! Shipped parts by name, as settings: `ni=cni32qm` puts that interface in the place of the description's own, and
//! `host`, `protocol` and `fabric` do the same. Leaves out parts of single nodes, which stay.

use narrows_core::machine::{Machine, shipped};
use narrows_core::text::set::plain;
use narrows_core::text::{Problem, Read, suggest};
use toml::Value;

/// A kind of part: the key that names one, the folder of the shipped ones, and its table in a description.
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

/// Tables that stand beside a fabric's own, whichever it is.
const BESIDE: [&str; 2] = ["router", "loss"];

/// What a description says by itself of what parts may take the place of.
#[derive(Clone, Default, Debug)]
pub struct PartsNamed {
    parts: Vec<String>,
    /// The nodes that name a host.
    nodes: Vec<String>,
}

/// The family and the name that a setting such as `ni=cni32qm` gives.
fn named(option: &str) -> Option<(&'static Family, String)> {
    let is_key = |family: &&Family| option.trim_start().starts_with(family.key);
    FAMILIES.iter().find(is_key)?;
    let (path, value) = plain(option)?;
    let [key] = &path[..] else { return None };
    let family = FAMILIES.iter().find(|family| family.key == key)?;
    Some((family, value.as_str()?.trim().to_owned()))
}

impl Family {
    /// The names of the shipped parts, without their folder.
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

    /// The names of what a shipped part describes in its table.
    fn kinds(&self, name: &str) -> Vec<String> {
        let text = shipped::part(&format!("{}/{name}", self.folder)).unwrap_or_default();
        let tree: toml::Table = text.parse().unwrap_or_default();
        let table = tree.get(self.table).and_then(Value::as_table);
        table.into_iter().flat_map(toml::Table::keys).map(|key| key.replace('-', "_")).collect()
    }
}

/// Whether an option names a part.
pub fn is_named(option: &str) -> bool {
    named(option).is_some()
}

/// What is wrong with the names of parts in settings.
pub fn problems<'a>(options: impl Iterator<Item = &'a str>) -> Vec<Problem> {
    options.filter_map(named).filter_map(|(family, name)| family.find(&name).err()).collect()
}

impl PartsNamed {
    /// Of a description's text; what is wrong with it is told where it is read.
    pub fn of(text: &str) -> PartsNamed {
        let tree: toml::Table = text.parse().unwrap_or_default();
        let nodes = tree.get("nodes").and_then(Value::as_table).into_iter().flatten();
        let with_host = nodes.filter(|(_, node)| node.get("host").is_some());
        PartsNamed {
            parts: tree.get("parts").map(words).unwrap_or_default(),
            nodes: with_host.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The same with a setting over it.
    fn over(&mut self, option: &str) {
        match plain(option) {
            Some((path, value)) if path == ["parts"] => self.parts = words(&value),
            Some((path, _)) => {
                if let [nodes, node, host] = &path[..]
                    && nodes == "nodes"
                    && host == "host"
                    && !self.nodes.contains(node)
                {
                    self.nodes.push(node.clone());
                }
            }
            None => {}
        }
    }

    /// The settings with those that name parts put as what descriptions have: `parts`, and the nodes' hosts.
    pub fn settings(&self, sets: &[String], varied: &[String]) -> (Vec<String>, Vec<String>) {
        let mut now = self.clone();
        let mut put = |options: &[String]| {
            let (mut settings, mut hosts, mut any) = (Vec::new(), Vec::new(), false);
            for option in options {
                match named(option) {
                    None => {
                        now.over(option);
                        settings.push(option.clone());
                    }
                    Some((family, name)) => {
                        any = true;
                        now.replace(family, &name);
                        let host = |node: &String| format!("nodes.\"{node}\".host={}", Value::from(name.as_str()));
                        hosts.extend(now.nodes.iter().filter(|_| family.key == "host").map(host));
                    }
                }
            }
            let parts: Value = now.parts.iter().map(String::as_str).collect::<Vec<_>>().into();
            settings.extend(any.then(|| format!("parts={parts}")));
            settings.extend(hosts);
            settings
        };
        (put(sets), put(varied))
    }

    fn replace(&mut self, family: &Family, name: &str) {
        let part = format!("{}/{name}", family.folder);
        let is_of = |part: &String| part.strip_prefix(family.folder).is_some_and(|rest| rest.starts_with('/'));
        let place = self.parts.iter().position(is_of).unwrap_or(self.parts.len());
        self.parts.retain(|part| !is_of(part));
        self.parts.insert(place.min(self.parts.len()), part);
    }
}

fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        Value::String(one) => vec![one.clone()],
        _ => Vec::new(),
    }
}

/// The first part that a setting names and that the machine does not have, as the description says otherwise.
pub fn unused_overrides(read: &Read<Machine>, options: &[String]) -> Option<Problem> {
    let named: Vec<_> = options.iter().filter_map(|option| named(option)).collect();
    let machine = if named.is_empty() { return None } else { read.resolved() };
    named.into_iter().rev().find_map(|(family, name)| {
        let kinds = family.kinds(&name);
        let has = machine[family.table].as_object()?;
        let is_there = kinds.iter().any(|kind| has.contains_key(kind) && !BESIDE.contains(&kind.as_str()));
        let own =
            has.keys().find(|key| !BESIDE.contains(&key.as_str())).filter(|_| family.key != "host" && !is_there)?;
        let own = format!("[{}.{}]", family.table, own.replace('_', "-"));
        let problem = Problem::new(format!("`{}={name}` has no effect: the description says {own} itself", family.key));
        Some(problem.help(format!("leave {own} out of the description, and name a part instead")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str, varied: &[&str]) -> Vec<String> {
        let varied: Vec<String> = varied.iter().map(|option| option.to_string()).collect();
        PartsNamed::of(text).settings(&[], &varied).1
    }

    #[test]
    fn a_named_part_takes_the_place_of_the_descriptions_own() {
        let text = "parts = ['hosts/p6-natoma', 'ni/trapeze']\n[nodes.a]\nhost = 'p6-natoma'\n[nodes.b]\n";
        assert_eq!(
            settings(text, &["run.seed=1", "ni=udma"]),
            ["run.seed=1", r#"parts=["hosts/p6-natoma", "ni/udma"]"#]
        );
        assert_eq!(
            settings(text, &["host=miata", "fabric=myrinet"]),
            [r#"parts=["hosts/miata", "ni/trapeze", "fabrics/myrinet"]"#, r#"nodes."a".host="miata""#]
        );
        assert_eq!(settings("", &["ni={}", "ni.udma.x=1"]), ["ni={}", "ni.udma.x=1"], "these are ordinary settings");
    }

    #[test]
    fn a_part_of_no_such_name_is_told() {
        let told = problems(["ni=cni32q", "fabric=myrinet"].into_iter());
        assert_eq!(told.len(), 1);
        assert!(
            told[0].message.contains("no shipped part `ni/cni32q`") && told[0].help[0].contains("cni32qm"),
            "{told:?}"
        );
    }
}
