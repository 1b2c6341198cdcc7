//! The links from the figures of a study to the explorer page: the machine of a figure, and the keys that vary among its
//! runs.
//!
//! A link holds the description of the first run that the figure reads, and the overrides of that run. If other runs of
//! the figure differ from the first in the same keys, the link varies these keys. Every link is read before it is
//! written, and left out if it does not give the same machine.

use super::export;
use super::located::LocatedStudy;
use super::points::Draft;
use super::view::UsedValues;
use crate::experiment::loaded_description::LoadedDescription;
use crate::experiment::varied_keys::VariedKeys;
use crate::report::ExplorerLink;
use narrows_core::text::ProblemGroups;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The name of the description in messages of the page.
const DESCRIPTION_FILE: &str = "machine.toml";

/// The links from figures to the explorer page, by the points that the figures may show.
pub struct FigureLinks<'a> {
    study: &'a LocatedStudy,
    drafts: BTreeMap<String, Draft>,
}

impl<'a> FigureLinks<'a> {
    /// Returns the links for the points of the experiments `experiment_names`.
    pub fn new(
        study: &'a LocatedStudy,
        experiment_names: &[&str],
        quick: bool,
    ) -> Result<FigureLinks<'a>, ProblemGroups> {
        let drafts = study.read.value.experiments.drafts(&study.location, experiment_names, quick)?;
        let drafts = drafts.into_iter().map(|draft| (draft.name.clone(), draft)).collect();
        Ok(FigureLinks { study, drafts })
    }

    /// Returns the fragment of the link of a figure that reads the values `used_values`, or else of the first point of
    /// the artifact `artifact`. Returns `None` if no description gives the machine without files of the user.
    pub fn fragment(&self, artifact: &str, used_values: &UsedValues) -> Option<String> {
        let shown_points = self.shown_points(artifact, used_values);
        let (first, machine) = shown_points.iter().find_map(|draft| Some((*draft, self.machine(draft)?)))?;
        let metric = used_values.metric.clone();
        let overrides = last_overrides_of_keys(first.overrides());
        if self.gives_machine(&first.base().text, &overrides, &machine) {
            let curve = self.curve(first, &overrides, &shown_points);
            return Some(ExplorerLink { text: first.base().text.clone(), overrides, metric, curve }.fragment());
        }
        let text = export::description(&first.name, &first.base().text, first.overrides())?;
        self.gives_machine(&text, &[], &machine)
            .then(|| ExplorerLink { text, metric, ..ExplorerLink::default() }.fragment())
    }

    /// Returns the points of a figure in the order in which it reads them, or all of its artifact.
    fn shown_points(&self, artifact: &str, used_values: &UsedValues) -> Vec<&Draft> {
        let shown_points: Vec<&Draft> = used_values.points().iter().filter_map(|name| self.drafts.get(name)).collect();
        if !shown_points.is_empty() {
            return shown_points;
        }
        let experiments = self.study.read.value.experiments_of(artifact);
        let is_wanted = |draft: &&Draft| experiments.iter().any(|experiment| draft.is_in_experiment(&experiment.text));
        self.drafts.values().filter(is_wanted).collect()
    }

    /// Returns all values of the machine of a point, or `None` if it is invalid or needs files of the user.
    fn machine(&self, draft: &Draft) -> Option<Json> {
        let read = draft.read(&[]).ok()?;
        (draft.base().folder.is_none() || read.files().is_empty()).then(|| read.resolved())
    }

    /// Returns whether the explorer page reads the description as this machine.
    fn gives_machine(&self, text: &str, overrides: &[String], machine: &Json) -> bool {
        let read = LoadedDescription::new(self.study.builtins.registry(), DESCRIPTION_FILE, text, None).read(overrides);
        read.is_ok_and(|read| read.resolved() == *machine)
    }

    /// Returns the keys that vary from the point `first`, whose overrides are `overrides`, and their values.
    fn curve(&self, first: &Draft, overrides: &[String], shown_points: &[&Draft]) -> Option<String> {
        let same_base = shown_points.iter().filter(|draft| draft.base().name == first.base().name);
        let overrides_of_drafts: Vec<(&Draft, BTreeMap<&str, &str>)> =
            same_base.map(|draft| (*draft, overrides_by_key(draft.overrides()))).collect();
        let override_maps: Vec<&BTreeMap<&str, &str>> =
            overrides_of_drafts.iter().map(|(_, overrides)| overrides).collect();
        let varied = VariedKeys::find(&overrides_by_key(overrides), &override_maps)?;
        // Only the point with the last values is compared with its machine, and not the points between.
        let last_values: Vec<String> =
            varied.keys.iter().zip(varied.rows.last()?).map(|(key, value)| format!("{key}={value}")).collect();
        let has_last_values = |draft_overrides: &BTreeMap<&str, &str>| {
            let varied_overrides = overrides_by_key(&last_values);
            overrides_by_key(overrides)
                .iter()
                .all(|(key, value)| draft_overrides.get(key) == Some(varied_overrides.get(key).unwrap_or(value)))
        };
        let (draft, _) = overrides_of_drafts.iter().find(|(_, overrides)| has_last_values(overrides))?;
        let fixed_overrides: Vec<String> =
            overrides.iter().filter(|setting| !varied.keys.contains(&key_and_value(setting).0)).cloned().collect();
        let machine = self.machine(draft)?;
        let description =
            LoadedDescription::new(self.study.builtins.registry(), DESCRIPTION_FILE, &first.base().text, None);
        let read = description.read_varied(&fixed_overrides, &last_values);
        read.is_ok_and(|read| read.resolved() == machine).then(|| varied.text())
    }
}

fn key_and_value(setting: &str) -> (&str, &str) {
    let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
    (key.trim(), value.trim())
}

/// Returns the overrides by key. If a key has several, the last one counts.
fn overrides_by_key(overrides: &[String]) -> BTreeMap<&str, &str> {
    overrides.iter().map(|setting| key_and_value(setting)).collect()
}

/// Returns the last override of each key, in order.
fn last_overrides_of_keys(overrides: &[String]) -> Vec<String> {
    let mut known_keys = BTreeSet::new();
    let mut last_overrides: Vec<String> =
        overrides.iter().rev().filter(|setting| known_keys.insert(key_and_value(setting).0)).cloned().collect();
    last_overrides.reverse();
    last_overrides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::BuiltinFns;
    use narrows_core::machine::Registry;

    #[test]
    fn later_override_of_a_key_remains() {
        assert_eq!(last_overrides_of_keys(&["a=1", "b=2", "a = 3"].map(str::to_owned)), ["b=2", "a = 3"]);
    }

    #[test]
    fn link_of_a_point_gives_its_machine_and_its_curve() {
        let study = crate::study::load("pcie-bench", &BuiltinFns::new(Registry::shared())).expect("the study is valid");
        let links = FigureLinks::new(&study, &["latency-by-size"], false).expect("the experiment exists");
        let mut used_values = UsedValues::default();
        let points = study.read.value.experiments.names("latency-by-size");
        points.iter().for_each(|point| used_values.add_point(point));
        let fragment = links.fragment("figure-4", &used_values).expect("the figure has a link");
        assert!(fragment.starts_with("~text="), "{fragment}");
        assert!(fragment.contains("&workload.dma.size=1024+B&"), "{fragment}");
        assert!(fragment.contains("&~curve=workload.dma.size=4+B,8+B,16+B,24+B,"), "{fragment}");
    }
}
