//! `whatif` and `chart`: the sensitivities of a machine, and figures of a run.

use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, QuestionError};
use narrows_core::engine::Recorder;
use narrows_core::text::Problems;
use narrows_study::experiment;
use narrows_study::experiment::whatif::{WhatIfError, WhatIfQuery, text};
use narrows_study::report::MeanLedger;
use serde_json::json;

/// Returns the JSON that `narrows whatif --format json` prints, with the text of the analysis added.
pub fn whatif(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let subject = question.subject(engine)?;
    let reader = |overrides: &[String]| subject.read_varied(&question.sets, overrides);
    let query = WhatIfQuery { reader: &reader, metric: question.metric.as_deref(), factor: 2.0, thorough: false };
    let analysis = query.run(&|_| ()).map_err(|error| match error {
        WhatIfError::Invalid(problems) => problems,
        WhatIfError::Unmeasurable(problem) => Problems::from_problem(problem),
    })?;
    let mut answer = analysis.json();
    answer["text"] = text::text(&analysis, false).into();
    Ok(format!("{answer:#}\n"))
}

/// Draws a figure of a run as SVG.
pub fn chart(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let read = question.subject(engine)?.read(&question.sets)?;
    let result = experiment::run(&read.value, Recorder::off());
    let svg = match question.chart.as_deref().unwrap_or("ledger") {
        "ledger" => MeanLedger::new(&result.ledger).chart("Mean latency by stage").svg(),
        other => return Err(QuestionError::Error(format!("there is no chart `{other}`; the charts are: ledger"))),
    };
    Ok(json!({ "svg": svg }).to_string())
}
