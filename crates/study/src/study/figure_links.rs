//! The links from the figures of a study to the explorer page: the machine of a figure, and the keys that vary among its
//! runs.
//!
//! A link holds the description of the first run that the figure reads, and the overrides of that run. If other runs of
//! the figure differ from it in the same keys, the link varies these keys. Every link is read before it is written, and
//! left out if it does not give the same machine.

use super::experiments::{Draft, PointProblems};
use super::export;
use super::located::LocatedStudy;
use super::view::UsedValues;
use crate::experiment::subject::Subject;
use crate::experiment::varied_keys::VariedKeys;
use crate::report::ExplorerLink;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the description in messages of the page.
const FILE: &str = "machine.toml";

/// The points of a study that figures may show.
pub struct FigureLinks<'a> {
    study: &'a LocatedStudy,
    drafts: BTreeMap<String, Draft>,
}

impl<'a> FigureLinks<'a> {
    /// Returns the points of the experiments `wanted`.
    pub fn new(study: &'a LocatedStudy, wanted: &[&str], quick: bool) -> Result<FigureLinks<'a>, PointProblems> {
        let drafts = study.read.value.experiments.drafts(&study.location, wanted, quick)?;
        let drafts = drafts.into_iter().map(|draft| (draft.name.clone(), draft)).collect();
        Ok(FigureLinks { study, drafts })
    }

    /// Returns the fragment of the link of a figure that reads the values `used`, or else of the first point of the
    /// artifact `artifact`. Returns `None` if no description gives the machine without files of the user.
    pub fn fragment(&self, artifact: &str, used: &UsedValues) -> Option<String> {
        let shown = self.shown(artifact, used);
        let (first, machine) = shown.iter().find_map(|draft| Some((*draft, self.machine(draft)?)))?;
        let metric = used.metric.clone();
        let sets = distinct(first.sets());
        if self.is_same(&first.base().text, &sets, &machine) {
            let curve = self.curve(first, &sets, &shown);
            return Some(ExplorerLink { text: first.base().text.clone(), sets, metric, curve }.fragment());
        }
        let text = export::description(&first.name, &first.base().text, first.sets())?;
        self.is_same(&text, &[], &machine).then(|| ExplorerLink { text, metric, ..ExplorerLink::default() }.fragment())
    }

    /// Returns the points of a figure in the order in which it reads them, or all of its artifact.
    fn shown(&self, artifact: &str, used: &UsedValues) -> Vec<&Draft> {
        let shown: Vec<&Draft> = used.points().iter().filter_map(|name| self.drafts.get(name)).collect();
        if !shown.is_empty() {
            return shown;
        }
        let experiments = self.study.read.value.experiments_of(artifact);
        let is_wanted = |draft: &&Draft| experiments.iter().any(|wanted| draft.is_of(&wanted.text));
        self.drafts.values().filter(is_wanted).collect()
    }

    /// Returns all values of the machine of a point, or `None` if it is invalid or needs files of the user.
    fn machine(&self, draft: &Draft) -> Option<Json> {
        let read = draft.read(&[]).ok()?;
        (draft.base().folder.is_none() || read.files().is_empty()).then(|| read.resolved())
    }

    /// Returns whether the explorer page reads the description as this machine.
    fn is_same(&self, text: &str, sets: &[String], machine: &Json) -> bool {
        let read = Subject::new(self.study.builtins.registry(), FILE, text, None).read(sets);
        read.is_ok_and(|read| read.resolved() == *machine)
    }

    /// Returns the keys that vary from the point `first`, whose overrides are `sets`, and their values.
    fn curve(&self, first: &Draft, sets: &[String], shown: &[&Draft]) -> Option<String> {
        let same_base = shown.iter().filter(|draft| draft.base().name == first.base().name);
        let overrides: Vec<(&Draft, BTreeMap<&str, &str>)> =
            same_base.map(|draft| (*draft, by_key(draft.sets()))).collect();
        let others: Vec<&BTreeMap<&str, &str>> = overrides.iter().map(|(_, overrides)| overrides).collect();
        let varied = VariedKeys::find(&by_key(sets), &others)?;
        // The last value stands for all between.
        let last: Vec<String> =
            varied.keys.iter().zip(varied.rows.last()?).map(|(key, value)| format!("{key}={value}")).collect();
        let is_last = |overrides: &BTreeMap<&str, &str>| {
            let varied_overrides = by_key(&last);
            by_key(sets)
                .iter()
                .all(|(key, value)| overrides.get(key) == Some(varied_overrides.get(key).unwrap_or(value)))
        };
        let (draft, _) = overrides.iter().find(|(_, overrides)| is_last(overrides))?;
        let fixed: Vec<String> =
            sets.iter().filter(|set| !varied.keys.contains(&key_and_value(set).0)).cloned().collect();
        let machine = self.machine(draft)?;
        let subject = Subject::new(self.study.builtins.registry(), FILE, &first.base().text, None);
        let read = subject.read_varied(&fixed, &last);
        read.is_ok_and(|read| read.resolved() == machine).then(|| varied.text())
    }
}

fn key_and_value(set: &str) -> (&str, &str) {
    let (key, value) = set.split_once('=').unwrap_or((set, ""));
    (key.trim(), value.trim())
}

/// Returns the overrides by key; the last of a key counts.
fn by_key(sets: &[String]) -> BTreeMap<&str, &str> {
    sets.iter().map(|set| key_and_value(set)).collect()
}

/// Returns the overrides without those that a later one of the same key replaces.
fn distinct(sets: &[String]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let mut sets: Vec<String> = sets.iter().rev().filter(|set| known.insert(key_and_value(set).0)).cloned().collect();
    sets.reverse();
    sets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::BuiltinFns;
    use narrows_core::machine::Registry;

    #[test]
    fn later_override_of_a_key_remains() {
        assert_eq!(distinct(&["a=1", "b=2", "a = 3"].map(str::to_owned)), ["b=2", "a = 3"]);
    }

    #[test]
    fn link_of_a_point_gives_its_machine_and_its_curve() {
        let study = crate::study::load("pcie-bench", &BuiltinFns::new(Registry::shared())).expect("a study");
        let links = FigureLinks::new(&study, &["latency-by-size"], false).expect("experiments");
        let mut used = UsedValues::default();
        let points = study.read.value.experiments.names("latency-by-size", false);
        points.iter().for_each(|point| used.add_point(point));
        let fragment = links.fragment("figure-4", &used).expect("a link");
        assert!(fragment.starts_with("~text="), "{fragment}");
        assert!(fragment.contains("&workload.dma.size=1024+B&"), "{fragment}");
        assert!(fragment.contains("&~curve=workload.dma.size=4+B,8+B,16+B,24+B,"), "{fragment}");
    }
}
