//! `points` and `sweep`: the points of a sweep, which a page runs one by one, and a whole sweep.

use crate::question::Question;
use crate::{AnswerEngine, AnswerResult, QuestionError};
use narrows_core::text::Problems;
use narrows_core::text::quantity::parse_number;
use narrows_study::experiment::sweep::{CheckedSweep, RunOptions, Sweep, dimensions, json, settings, values_of};
use narrows_study::experiment::tidy;
use narrows_study::experiment::vary::{Dimension, Vary};
use serde_json::{Value as Json, json};

/// The largest number of points of a sweep that a page asks for.
const POINTS_MAX: usize = 10_000;

fn question_dimensions(engine: &AnswerEngine, question: &Question) -> Result<Vec<Dimension>, QuestionError> {
    let dimensions = dimensions(&engine.registry, None, &question.vary, &question.sets);
    let dimensions =
        dimensions.map_err(|problems| QuestionError::Problems(Problems::new(problems, &Default::default())))?;
    match dimensions.iter().map(Dimension::len).product::<usize>() {
        points if points > POINTS_MAX => {
            Err(QuestionError::Error(format!("the sweep has {points} points; a page runs at most {POINTS_MAX}")))
        }
        _ => Ok(dimensions),
    }
}

/// Returns the overrides of each point with its labels, and the axes of the sweep.
pub fn points(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let dimensions = question_dimensions(engine, question)?;
    let point = |values: Vec<(String, String)>| {
        let labels: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
        json!({ "sets": settings(&values), "labels": labels })
    };
    let count: usize = dimensions.iter().map(Dimension::len).product();
    let points: Json = (0..count).map(|number| point(values_of(&dimensions, number))).collect();
    let axes: Json = dimensions.iter().flat_map(|dimension| &dimension.varies).map(axis).collect();
    Ok(json!({ "points": points, "axes": axes }).to_string())
}

/// Returns the axis of a key: its unit, whether it should be logarithmic, and its values in the smallest unit.
fn axis(vary: &Vary) -> Json {
    let values: Vec<Option<f64>> = vary.values.iter().map(|value| number(value)).collect();
    let unit = vary.values.first().and_then(|value| value.trim().split_once(' ')).map_or("", |(_, unit)| unit);
    let numbers: Vec<f64> = values.iter().copied().flatten().collect();
    json!({ "path": vary.key, "unit": unit, "logarithmic": is_logarithmic(&numbers), "values": values })
}

/// Returns a value as a number in the smallest unit of its kind, or `None` if it is no number.
fn number(value: &str) -> Option<f64> {
    parse_number(value.trim().trim_matches(['"', '\'']))
}

/// Returns whether the steps between numbers are nearer to equal factors than to equal differences.
fn is_logarithmic(numbers: &[f64]) -> bool {
    if numbers.len() < 3 || numbers.iter().any(|number| *number <= 0.0) {
        return false;
    }
    let spread = |steps: Vec<f64>| {
        let (low, high) = steps.iter().fold((f64::MAX, 0.0f64), |(low, high), step| (low.min(*step), high.max(*step)));
        if low > 0.0 { high / low } else { f64::MAX }
    };
    let steps = |step: &dyn Fn(f64, f64) -> f64| numbers.windows(2).map(|pair| step(pair[0], pair[1])).collect();
    let factors = spread(steps(&|a, b| libm::log(b / a).abs()));
    factors < spread(steps(&|a, b| (b - a).abs()))
}

/// Runs all points, and returns what `narrows sweep --format json` prints.
pub fn sweep(engine: &AnswerEngine, question: &Question) -> AnswerResult {
    let subject = question.subject(engine)?;
    let dimensions = question_dimensions(engine, question)?;
    let reader = |overrides: &[String]| subject.read_varied(&question.sets, overrides);
    let sweep = Sweep { reader: &reader, dimensions: &dimensions };
    let metric_problem = sweep.unknown_metric(&question.metrics);
    let checked = sweep.check().map_err(|mut problems| match problems.is_empty() {
        true => QuestionError::Error("the sweep has no points".to_owned()),
        false => QuestionError::Problems(problems.swap_remove(0).1),
    })?;
    if let Some(problem) = metric_problem {
        return Err(QuestionError::Problems(Problems::from_problem(problem)));
    }
    rows(&checked, &question.metrics)
}

fn rows(checked: &CheckedSweep<'_>, metrics: &[String]) -> AnswerResult {
    let options = RunOptions { store: None, shard: None, lines: None, on_event: &|_| () };
    let rows = checked.run(&options).map_err(|error| QuestionError::Error(error.to_string()))?;
    let metrics = tidy::metrics(&rows, None, metrics);
    Ok(json::json(&rows, &metrics))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_make_an_axis_logarithmic() {
        assert!(is_logarithmic(&[8.0, 16.0, 32.0, 64.0]));
        assert!(!is_logarithmic(&[8.0, 16.0, 24.0, 32.0]));
        assert!(!is_logarithmic(&[0.0, 1.0, 2.0]));
        assert_eq!(number("1 KiB"), Some(1024.0));
        assert_eq!(number("'2 ns'"), Some(2000.0));
        assert_eq!(number("held"), None);
    }
}
