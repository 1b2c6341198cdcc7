//! `study` and `claims`: the claims of a study, judged again with other values of its constants.
//!
//! The server answers them, and the module of studies. The explorer's module does not: with the studies and their engine
//! it would have 1.52 MB with brotli instead of 1.29 MB.

use crate::question::{Question, is_inside};
use crate::{AnswerEngine, AnswerResult, QuestionError};
use narrows_core::Error;
use narrows_study::papers::builtins;
use narrows_study::report::Claim;
use narrows_study::study::live::LiveArtifact;
use narrows_study::study::{LocatedStudy, constants, find, papers};
use serde_json::{Value as Json, json};
use std::path::Path;

/// Returns the study with its constants, and its claims by artifact.
pub fn study(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let located = located(engine, question)?;
    let constants: Json = constants(&located)
        .iter()
        .map(|constant| {
            json!({
                "path": constant.path,
                "value": constant.value,
                "meaning": constant.meaning,
                "fitted_on": constant.fitted_on,
            })
        })
        .collect();
    let artifacts: Json = located.live_artifacts().iter().map(artifact).collect();
    let study = &located.read.value;
    Ok(json!({
        "title": study.title,
        "reference": study.reference,
        "abstract": study.summary,
        "constants": constants,
        "artifacts": artifacts,
    })
    .to_string())
}

fn artifact(artifact: &LiveArtifact<'_>) -> Json {
    let claims: Json = artifact.claims.iter().map(|statement| claim(&statement.unjudged)).collect();
    let left_out: Json = artifact
        .left_out
        .iter()
        .map(|(statement, reason)| json!({ "id": statement.id.text, "reason": reason }))
        .collect();
    json!({ "id": artifact.id, "runs": artifact.points.len(), "claims": claims, "left_out": left_out })
}

/// Runs the points of one artifact with the overrides of the question, and returns its claims.
pub fn claims(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let located = located(engine, question)?;
    let artifact_id = question.artifact.as_deref().unwrap_or_default();
    let artifacts = located.live_artifacts();
    let artifact = artifacts.iter().find(|artifact| artifact.id == artifact_id);
    let artifact =
        artifact.ok_or_else(|| QuestionError::Error(format!("the study has no claims of `{artifact_id}`")))?;
    let judged_claims = located.judge_live(artifact, &question.sets).map_err(|error| match error {
        Error::Description(problems) => QuestionError::Problems(problems),
        other => QuestionError::Error(other.to_string()),
    })?;
    let claims: Json = judged_claims.iter().map(claim).collect();
    Ok(json!({ "claims": claims }).to_string())
}

fn claim(claim: &Claim) -> Json {
    json!({
        "id": claim.id,
        "source": claim.source,
        "statement": claim.statement,
        "role": claim.role,
        "expected": claim.expected_text(),
        "expected_value": claim.expected.number(),
        "measured": claim.measured_text(),
        "measured_value": claim.measured.as_ref().and_then(|measured| measured.number()),
        "error": claim.relative_error(),
        "tolerance": claim.tolerance,
        "holds": claim.holds,
        "expected_failure": claim.expected_failure.as_ref().map(|failure| &failure.reason),
    })
}

/// Returns the study of the question: a shipped one, or a folder below that of the engine.
fn located(engine: &AnswerEngine, question: &Question) -> Result<LocatedStudy, QuestionError> {
    let name = question.study.as_deref().unwrap_or_default();
    let builtins = builtins(&engine.registry);
    if papers().contains(&name) {
        return Ok(find(name, &builtins)?);
    }
    if engine.folder.is_none() {
        let studies = papers().join(", ");
        return Err(QuestionError::Error(format!("there is no shipped study `{name}`; the studies are {studies}")));
    }
    let folder = engine.path_in_folder(name)?;
    let located = find(&folder.to_string_lossy(), &builtins)?;
    let base_files = located.read.value.experiments.all.iter().map(|(_, experiment)| &experiment.base.text);
    match base_files.into_iter().find(|base| !is_inside(Path::new(base))) {
        Some(base) => Err(QuestionError::Error(format!("`{base}` is not below the folder of the study"))),
        None => Ok(located),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(question: Json) -> Json {
        let engine = AnswerEngine::shipped();
        serde_json::from_str(&engine.answer(question.to_string().as_bytes())).expect("an answer is JSON")
    }

    #[test]
    fn study_lists_constants_and_every_claim() {
        let study = answer(json!({ "ask": "study", "study": "rdma" }));
        let constants = study["constants"].as_array().expect("the constants are a list");
        assert!(!constants.is_empty() && constants.iter().all(|constant| constant["path"].is_string()), "{study}");
        let artifacts = study["artifacts"].as_array().expect("the artifacts are a list");
        assert!(
            artifacts.iter().any(|artifact| artifact["claims"].as_array().is_some_and(|claims| !claims.is_empty()))
        );
    }

    #[test]
    fn studies_outside_the_folder_are_refused() {
        for study in ["../papers/trapeze", "/etc", "nothing"] {
            let answer_to_unknown_study = answer(json!({ "ask": "study", "study": study }));
            assert!(answer_to_unknown_study["error"].is_string(), "{study}: {answer_to_unknown_study}");
        }
        let answer_to_unknown_artifact = answer(json!({ "ask": "claims", "study": "rdma", "artifact": "nothing" }));
        assert!(
            answer_to_unknown_artifact["error"].as_str().is_some_and(|error| error.contains("`nothing`")),
            "{answer_to_unknown_artifact}"
        );
    }
}
