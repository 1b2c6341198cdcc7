//! Claims as data: `papers/PAPER/claims.toml`, judged against results.

use super::experiment::Results;
use crate::machine::shipped;
use crate::report::claim::{Claim, Kind, Role, Value};
use serde::Deserialize;

/// What is known of a claim before anything runs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Its name, with the paper's R-number.
    pub id: String,
    /// The artifact it belongs to.
    pub artifact: String,
    source: String,
    statement: String,
    kind: Kind,
    #[serde(default)]
    unit: String,
    expected: toml::Value,
    tolerance: Option<f64>,
    role: Role,
    /// The point and metric that a number is read from; else it is computed under its name.
    point: Option<String>,
    metric: Option<String>,
    note: Option<String>,
}

/// What was seen for a claim.
pub enum Seen {
    /// A number, judged by the claim's tolerance.
    Number(f64),
    /// What was seen, in words, and whether the claim holds.
    Words(String, bool),
}

#[derive(Deserialize)]
struct File {
    claim: Vec<Stated>,
}

/// The claims of `paper`.
pub fn of(paper: &str) -> Vec<Stated> {
    let path = format!("{paper}/claims.toml");
    let text = shipped::paper(&path).unwrap_or_else(|| panic!("papers/{path} is shipped"));
    toml::from_str::<File>(text).unwrap_or_else(|error| panic!("papers/{path}: {error}")).claim
}

impl Stated {
    /// The published number, if it is one.
    pub fn expected(&self) -> Option<f64> {
        self.expected.as_integer().map(|number| number as f64).or(self.expected.as_float())
    }

    /// Judges the claim: by its point and metric, or by what `seen` computes under its name.
    pub fn judge(&self, results: &Results, seen: &dyn Fn(&str) -> Option<Seen>) -> Claim {
        let mut claim = self.claim();
        let seen = match (&self.point, &self.metric) {
            (Some(point), Some(metric)) => results.get(point).and_then(|run| run.metric(metric)).map(Seen::Number),
            _ => seen(&self.id),
        };
        match seen {
            None => {}
            Some(Seen::Number(number)) => {
                claim.measured = Some(Value::Number(number));
                claim = claim.judged();
            }
            Some(Seen::Words(words, holds)) => {
                claim.measured = Some(Value::Text(words));
                claim.holds = Some(holds);
            }
        }
        claim
    }

    fn claim(&self) -> Claim {
        Claim {
            id: self.id.clone(),
            source: self.source.clone(),
            statement: self.statement.clone(),
            kind: self.kind,
            unit: self.unit.clone(),
            expected: match &self.expected {
                toml::Value::Integer(number) => Value::Number(*number as f64),
                toml::Value::Float(number) => Value::Number(*number),
                other => Value::Text(other.as_str().unwrap_or_default().to_owned()),
            },
            measured: None,
            tolerance: self.tolerance,
            holds: None,
            role: self.role,
            note: self.note.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::experiment::Experiments;
    use super::super::reproduce::{paper, papers};
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_claim_has_its_own_name_an_artifact_and_a_point_that_is_run() {
        for name in papers() {
            let (known, experiments) = (paper(name).expect("a listed paper is there"), Experiments::of(name));
            let mut ids = BTreeSet::new();
            for claim in of(name) {
                assert!(ids.insert(claim.id.clone()), "{name}: two claims are called {}", claim.id);
                let of_artifact = known.artifacts.get(&claim.artifact);
                let of_artifact = of_artifact.unwrap_or_else(|| panic!("{name}: {} has no artifact", claim.id));
                assert_eq!(claim.point.is_some(), claim.metric.is_some(), "{name}: {}", claim.id);
                for quick in [false, true] {
                    let mut points = of_artifact.iter().flat_map(|experiment| experiments.names(experiment, quick));
                    let run = claim.point.as_ref().is_none_or(|point| points.any(|name| name == *point));
                    assert!(run, "{name}: no run gives the point of {}", claim.id);
                }
            }
        }
    }

    #[test]
    fn every_artifact_has_runs() {
        for name in papers() {
            let experiments = Experiments::of(name);
            for experiment in paper(name).expect("a listed paper is there").artifacts.values().flatten() {
                assert!(!experiments.names(experiment, false).is_empty(), "{name}: {experiment}");
            }
        }
    }
}
