//! The judgement of claims against results. It is a pure function of both.

use super::{ClaimStatement, ObservationMethod};
use crate::report::claim::Claim;
use crate::study::builtins::Observation;
use crate::study::expression::{EvalError, Expression, ExpressionError, Format, Scope, Template, Value};
use crate::study::view::{UsedValues, ValueSource, View, no_metric};
use narrows_core::text::SpannedString;
use std::cell::RefCell;
use std::collections::BTreeSet;

impl ClaimStatement {
    /// Evaluates the observation over results or over planned points.
    fn observe(&self, view: &View) -> Result<Observation, EvalError> {
        match &self.method {
            ObservationMethod::Metric(point, metric) => self.observe_metric(view, point, metric),
            ObservationMethod::Expressions { value, holds, words } => {
                self.observe_expressions(view, value.as_ref(), holds.as_ref(), words.as_ref())
            }
            ObservationMethod::Builtin(function_name, arguments) => {
                let judge = view.builtins.judge(function_name).map_err(|error| error.of_text(function_name))?;
                let arguments: Vec<&str> = arguments.iter().map(|source| source.text.as_str()).collect();
                let missing_runs_error = || EvalError::Missing("the runs that it is judged by do not exist".to_owned());
                match view.source {
                    ValueSource::Planned(_) => Err(missing_runs_error()),
                    ValueSource::Ran(results) => judge(results, &arguments).ok_or_else(missing_runs_error),
                }
            }
        }
    }

    fn observe_metric(
        &self,
        view: &View,
        point: &SpannedString,
        metric: &SpannedString,
    ) -> Result<Observation, EvalError> {
        let run = view.run(&point.text).map_err(|error| error.at(point))?;
        match run {
            Some(run) => {
                let value = run.metric(&metric.text).ok_or_else(|| no_metric(run, &metric.text));
                value.map(Observation::Number).map_err(|error| error.at(metric))
            }
            None if view.is_planned() => Ok(Observation::Number(1.0)),
            None => Err(EvalError::Missing(format!("`{}` was not run", point.text))),
        }
    }

    fn observe_expressions(
        &self,
        view: &View,
        value: Option<&Expression>,
        holds: Option<&Expression>,
        words: Option<&Template>,
    ) -> Result<Observation, EvalError> {
        let mut scope = Scope::new(view);
        if let Some(value) = value {
            let value = scope.value(value)?;
            scope = scope.with("value", value);
        }
        let holds = holds.map(|holds| scope.flag(holds)).transpose()?;
        let words = words.map(|words| scope.fill_template(words)).transpose()?;
        match (scope.bindings.pop(), holds) {
            (value, Some(holds)) => {
                let value_text = || value.map(|(_, value)| self.with_unit(&value)).unwrap_or_default();
                Ok(Observation::Text(words.unwrap_or_else(value_text), holds))
            }
            (Some((_, number)), None) => {
                let value_expression = value.expect("it was just evaluated");
                let error = || value_expression.error("a number is needed", number.type_name()).into();
                number.number().map(Observation::Number).ok_or_else(error)
            }
            (None, None) => Err(EvalError::Missing("the claim has no value and no condition".to_owned())),
        }
    }

    fn with_unit(&self, value: &Value) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unjudged.unit) };
        format!("{}{unit}", Format::default().format_value(value))
    }

    /// Judges the claim.
    pub fn judge(&self, view: &View) -> Result<Claim, ExpressionError> {
        let mut claim = self.unjudged.clone();
        match self.observe(view) {
            Ok(Observation::Number(number)) if number.is_finite() => {
                claim.measured = Some(number.into());
                claim = claim.judged();
            }
            Ok(Observation::Number(_)) => {
                (claim.measured, claim.holds) = (Some("not a number: a division by 0".into()), Some(false));
            }
            Ok(Observation::Text(words, holds)) => {
                claim.measured = Some(words.into());
                claim.holds = Some(holds);
            }
            Err(EvalError::Missing(_)) => {}
            Err(EvalError::NotMeasured(reason)) => {
                (claim.measured, claim.holds) = (Some(reason.as_str().into()), Some(false))
            }
            Err(EvalError::Invalid(error)) => {
                return Err(error.help(format!("the claim `{}` uses this expression", self.id.text)));
            }
            Err(EvalError::InvalidReference(error)) => return Err(error.of_text(&self.id)),
        }
        Ok(claim)
    }
}

/// Judges the claims of the artifacts. With `quick`, claims that smaller inputs do not support get their measured
/// values but no verdicts.
///
/// # Errors
///
/// Returns every error in the claims, such as a metric that a run does not report.
pub fn judge(view: &View, artifacts: &[&str], quick: bool) -> Result<Vec<Claim>, Vec<ExpressionError>> {
    let (mut judged_claims, mut errors) = (Vec::new(), Vec::new());
    for claim in view.definitions.claims.iter().filter(|claim| artifacts.contains(&claim.artifact.text.as_str())) {
        let is_judged = claim.is_quick || !quick;
        match claim.judge(view) {
            Ok(claim) => judged_claims.push(Claim { holds: claim.holds.filter(|_| is_judged), ..claim }),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(judged_claims) } else { Err(errors) }
}

/// Returns the measured number of each claim, or NaN for a claim without a number.
pub fn claim_numbers(view: &View, claims: &[&ClaimStatement]) -> Vec<f64> {
    let number = |claim: &&ClaimStatement| match claim.observe(view) {
        Ok(Observation::Number(number)) => number,
        _ => f64::NAN,
    };
    claims.iter().map(number).collect()
}

/// Returns the points that a claim uses, among those that `view` plans.
pub fn points_of(view: &View, claim: &ClaimStatement) -> BTreeSet<String> {
    let used_values: RefCell<UsedValues> = RefCell::default();
    let view = View { used_values: Some(&used_values), ..*view };
    // The check of the study has already reported errors of the claim.
    let _ = claim.observe(&view);
    used_values.into_inner().points().iter().cloned().collect()
}

/// Checks a claim whose artifact runs exactly the points that `view` plans. Returns an error in its expressions, or an
/// error if it uses a point that is not run.
pub fn planned_error(view: &View, claim: &ClaimStatement) -> Option<ExpressionError> {
    match claim.observe(view) {
        Err(EvalError::Missing(reason)) if !matches!(claim.method, ObservationMethod::Builtin(..)) => {
            Some(ExpressionError::of_text(&claim.id, "this claim can never be judged", reason))
        }
        _ => claim.judge(view).err(),
    }
}
