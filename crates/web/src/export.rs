//! `toml` and `command`: the machine as one description, and the question as a command line.

use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, QuestionError};
use narrows_study::experiment::shell_command::command_line;
use serde_json::json;

/// Returns the machine as one description, which contains its parts and overrides.
pub fn toml(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let read = question.subject(engine)?.read(&question.sets)?;
    Ok(json!({ "text": engine.registry.description(&read.resolved()) }).to_string())
}

/// Returns the command line that answers the question.
pub fn command(_: &AnswerEngine, question: &Question) -> AnswerResult {
    let metric = Vec::from_iter(question.metric.clone());
    let sets = ("--set", question.sets.as_slice());
    let command = question.command.as_deref().unwrap_or("run");
    let options = match command {
        "run" => vec![sets],
        "sweep" => {
            let metrics = if question.metrics.is_empty() { metric.as_slice() } else { question.metrics.as_slice() };
            vec![sets, ("--vary", question.vary.as_slice()), ("--metric", metrics)]
        }
        "whatif" => vec![sets, ("--metric", metric.as_slice())],
        other => return Err(QuestionError::Error(format!("there is no command `{other}`: give run, sweep or whatif"))),
    };
    Ok(json!({ "text": command_line(command, question.command_name(), &options) }).to_string())
}
