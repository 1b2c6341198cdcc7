//! The calibrated constants of a study's machines, with their values, their meanings and the data they were fitted on.

use super::located::LocatedStudy;
use narrows_core::text::Entry;
use std::collections::BTreeMap;

/// A constant that was calibrated on the paper's numbers.
#[derive(Clone, Debug)]
pub struct CalibratedConstant {
    /// The key of the constant.
    pub path: String,
    /// The value as text.
    pub value: String,
    /// The documentation of the key.
    pub meaning: String,
    /// The data on which the constant was fitted, according to the comment of its key.
    pub fitted_on: String,
}

/// Returns the calibrated constants of a study's machines. Each distinct value is returned once.
pub fn constants(located: &LocatedStudy) -> Vec<CalibratedConstant> {
    let study = &located.read.value;
    let mut constants: BTreeMap<(String, String, String), CalibratedConstant> = BTreeMap::new();
    let experiment_names = located.experiments(&located.artifacts()).into_iter();
    for (name, experiment) in experiment_names.filter_map(|name| Some((name, study.experiments.find(name)?))) {
        let Ok(base) = located.location.file(&experiment.base) else { continue };
        for overrides in study.experiments.axis_variations(name) {
            let Ok(machine) = base.machine(&overrides) else { continue };
            let entries = machine.entries();
            let calibrated_constants = entries.iter().filter_map(calibrated_constant);
            constants.extend(calibrated_constants.map(|constant| {
                let CalibratedConstant { path, value, fitted_on, .. } = &constant;
                ((path.clone(), value.to_string(), fitted_on.clone()), constant)
            }));
        }
    }
    constants.into_values().collect()
}

fn calibrated_constant(entry: &Entry) -> Option<CalibratedConstant> {
    // The word `calibrated` may be followed by a prior: `calibrated ±50 %: Table 1`.
    let (kind, fitted_on) = entry.note.as_deref()?.split_once(':')?;
    let fitted_on = fitted_on.trim().to_owned();
    if kind.split_whitespace().next() != Some("calibrated") {
        return None;
    }
    Some(CalibratedConstant {
        path: entry.path.clone(),
        value: entry.value.clone(),
        meaning: entry.doc.to_string(),
        fitted_on,
    })
}
