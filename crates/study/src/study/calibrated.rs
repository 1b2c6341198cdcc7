//! The calibrated constants of a study's machines: each with its value, its meaning, and what it was fitted on.

use super::located::LocatedStudy;
use narrows_core::text::Entry;
use std::collections::BTreeMap;

/// A constant that was fitted to the paper.
#[derive(Clone, Debug)]
pub struct Calibrated {
    /// Where it stands in a description.
    pub path: String,
    /// Its value.
    pub value: String,
    /// What it means.
    pub meaning: String,
    /// What it was fitted on.
    pub fitted_on: String,
}

/// Every constant that a study's machines were calibrated with, once for each value it has.
pub fn constants(found: &LocatedStudy) -> Vec<Calibrated> {
    let study = &found.read.value;
    let mut constants: BTreeMap<(String, String, String), Calibrated> = BTreeMap::new();
    let mut wanted: Vec<&str> = study.artifacts.iter().flat_map(|(_, of)| of).map(|said| said.text.as_str()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for (name, experiment) in wanted.iter().filter_map(|name| Some((*name, study.experiments.find(name)?))) {
        let Ok(base) = found.location.file(&experiment.base) else { continue };
        for sets in study.experiments.variety(name) {
            let Ok(read) = base.machine(&sets) else { continue };
            let entries = read.entries();
            let fitted = entries.iter().filter_map(calibrated);
            constants.extend(fitted.map(|constant| {
                let Calibrated { path, value, fitted_on, .. } = &constant;
                ((path.clone(), value.to_string(), fitted_on.clone()), constant)
            }));
        }
    }
    constants.into_values().collect()
}

fn calibrated(entry: &Entry) -> Option<Calibrated> {
    // A prior may stand behind the word: `calibrated ±50 %: on what`.
    let (kind, fitted_on) = entry.note.as_deref()?.split_once(':')?;
    let fitted_on = fitted_on.trim().to_owned();
    if kind.split_whitespace().next() != Some("calibrated") {
        return None;
    }
    Some(Calibrated { path: entry.path.clone(), value: entry.value.clone(), meaning: entry.doc.to_string(), fitted_on })
}
