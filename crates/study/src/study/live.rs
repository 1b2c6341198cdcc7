//! The claims of a study that a page judges again after each change of a constant: those that need few runs.
//!
//! The runs are those of `--quick`. A claim that smaller inputs do not support, that a built-in function judges, or that
//! needs many runs is listed with the reason why it is not judged.

use super::claims::{ClaimStatement, judge};
use super::expression::ExpressionError;
use super::expression::read::problem;
use super::located::LocatedStudy;
use super::points::{Draft, Point, run_all};
use crate::report::Claim;
use narrows_core::Error;
use narrows_core::text::set;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The largest number of runs by which a claim is judged.
const CLAIM_RUNS_MAX: usize = 16;
/// The largest number of runs by which the claims of an artifact are judged.
const ARTIFACT_RUNS_MAX: usize = 64;

/// An artifact of a study, with the claims that are judged again after each change.
pub struct LiveArtifact<'a> {
    /// The name of the artifact.
    pub id: &'a str,
    /// The claims that are judged.
    pub claims: Vec<&'a ClaimStatement>,
    /// The claims that are not judged, each with the reason.
    pub left_out: Vec<(&'a ClaimStatement, String)>,
    /// The points by which the claims are judged.
    pub points: BTreeSet<String>,
}

impl LocatedStudy {
    /// Returns the artifacts that have claims, in the study's order.
    pub fn live_artifacts(&self) -> Vec<LiveArtifact<'_>> {
        let artifacts = self.artifacts().into_iter().map(|id| self.live_artifact(id));
        artifacts.filter(|artifact| artifact.claims.len() + artifact.left_out.len() > 0).collect()
    }

    fn live_artifact<'a>(&'a self, id: &'a str) -> LiveArtifact<'a> {
        let study = &self.read.value;
        let mut artifact = LiveArtifact { id, claims: Vec::new(), left_out: Vec::new(), points: BTreeSet::new() };
        let runs_on_request = study.artifacts_on_request.iter().any(|artifact| artifact.text == id);
        let is_explored = study.explore.iter().any(|(artifact_id, _)| artifact_id.text == id);
        let planned_points = study.points_of(id);
        for claim in study.claims.iter().filter(|claim| claim.artifact.text == id) {
            let points = judge::points_of(&self.planned_view(&planned_points), claim);
            let run_count = artifact.points.union(&points).count();
            let reason = match points.len() {
                _ if runs_on_request => "its runs take long".to_owned(),
                _ if is_explored => "earlier results choose its runs".to_owned(),
                _ if !claim.is_quick => "smaller inputs do not support it".to_owned(),
                0 => "a built-in function judges it".to_owned(),
                runs if runs > CLAIM_RUNS_MAX => format!("it needs {runs} runs"),
                _ if run_count > ARTIFACT_RUNS_MAX => {
                    format!("the claims of `{id}` need more than {ARTIFACT_RUNS_MAX} runs")
                }
                _ => {
                    artifact.points.extend(points);
                    artifact.claims.push(claim);
                    continue;
                }
            };
            artifact.left_out.push((claim, reason));
        }
        artifact
    }

    /// Runs the points of an artifact with these overrides, and judges its claims. An override applies to the points
    /// whose machine has its key.
    ///
    /// # Errors
    ///
    /// Returns the problems of a point that is invalid with these overrides, and those of the claims' expressions.
    pub fn judge_live(&self, artifact: &LiveArtifact<'_>, overrides: &[String]) -> Result<Vec<Claim>, Error> {
        let drafts = self.drafts(&artifact.points, true)?;
        let points: Vec<Option<Point>> =
            drafts.par_iter().map(|draft| live_point(draft, overrides)).collect::<Result<_, _>>()?;
        let points: Vec<Point> = points.into_iter().flatten().collect();
        let results = run_all(&points, 0, &|_| ());
        let view = self.results_view(&results);
        let judged: Result<Vec<Claim>, ExpressionError> =
            artifact.claims.iter().map(|claim| claim.judge(&view)).collect();
        judged.map_err(|error| Error::from(self.read.problems(vec![problem(self.read.texts(), &error)])))
    }
}

/// Returns the point of a draft with those overrides whose keys its machine has, or `None` if its parts are
/// incompatible.
fn live_point(draft: &Draft, overrides: &[String]) -> Result<Option<Point>, Error> {
    let read = match draft.read(&[]) {
        Ok(read) => read,
        Err(problems) if problems.are_incompatibilities() => return Ok(None),
        Err(problems) => return Err(problems.into()),
    };
    let keys: BTreeSet<String> = read.entries().iter().map(|entry| entry.path.clone()).collect();
    let has_key = |setting: &&String| set::parse_plain(setting).is_some_and(|(path, _)| keys.contains(&path.join(".")));
    let applicable_overrides: Vec<String> = overrides.iter().filter(has_key).cloned().collect();
    Ok(Some(draft.point(draft.read(&applicable_overrides)?)))
}

#[cfg(test)]
mod tests {
    use crate::study::{BuiltinFns, load};
    use narrows_core::machine::Registry;

    #[test]
    fn override_of_a_key_that_no_machine_has_changes_no_claim() {
        let study = load("rdma", &BuiltinFns::new(Registry::shared())).expect("the study is valid");
        let artifacts = study.live_artifacts();
        let claim_count: usize = artifacts.iter().map(|artifact| artifact.claims.len() + artifact.left_out.len()).sum();
        assert_eq!(claim_count, study.read.value.claims.len(), "every claim is judged or has a reason");
        let artifact = artifacts.iter().filter(|artifact| !artifact.claims.is_empty());
        let artifact = artifact.min_by_key(|artifact| artifact.points.len()).expect("some claims need few runs");
        let original_claims = study.judge_live(artifact, &[]).expect("the runs are valid");
        assert_eq!(original_claims.len(), artifact.claims.len());
        let claims_with_unknown_key =
            study.judge_live(artifact, &["hosts.none.clock=1 MHz".to_owned()]).expect("the runs are valid");
        assert_eq!(original_claims, claims_with_unknown_key, "a key that no machine has changes nothing");
    }
}
