//! Claims, judged against results: a pure function of the two. Leaves out which claims are asked for.

use super::{ClaimStatement, How};
use crate::report::claim::{self, Claim};
use crate::report::number;
use crate::study::builtins::Observation;
use crate::study::expression::{Expression, Format, Mistake, Scope, Stop, Template, Value};
use crate::study::view::{ValueSource, View, no_metric};
use narrows_core::text::Said;
use std::cell::RefCell;
use std::collections::BTreeSet;

impl ClaimStatement {
    /// What is seen over a source.
    fn seen(&self, view: &View) -> Result<Observation, Stop> {
        match &self.how {
            How::Metric(point, metric) => self.metric(view, point, metric),
            How::Data { value, holds, words } => self.data(view, value.as_ref(), holds.as_ref(), words.as_ref()),
            How::Rust(rust, arguments) => {
                let judge = view.builtins.judge(rust).map_err(|stop| stop.at(rust))?;
                let arguments: Vec<&str> = arguments.iter().map(|said| said.text.as_str()).collect();
                let absent = || Stop::Absent("the runs that it is judged by are not there".to_owned());
                match view.source {
                    ValueSource::Planned(_) => Err(absent()),
                    ValueSource::Ran(results) => judge(results, &arguments).ok_or_else(absent),
                }
            }
        }
    }

    fn metric(&self, view: &View, point: &Said, metric: &Said) -> Result<Observation, Stop> {
        let run = view.run(&point.text).map_err(|stop| stop.at(point))?;
        match run {
            Some(run) => {
                let value = run.metric(&metric.text).ok_or_else(|| no_metric(run, &metric.text));
                value.map(Observation::Number).map_err(|stop| stop.at(metric))
            }
            None if view.is_planned() => Ok(Observation::Number(1.0)),
            None => Err(Stop::Absent(format!("`{}` was not run", point.text))),
        }
    }

    fn data(
        &self,
        view: &View,
        value: Option<&Expression>,
        holds: Option<&Expression>,
        words: Option<&Template>,
    ) -> Result<Observation, Stop> {
        let mut scope = Scope::new(view);
        if let Some(value) = value {
            let value = scope.value(value)?;
            scope = scope.with("value", value);
        }
        let holds = holds.map(|holds| scope.flag(holds)).transpose()?;
        let words = words.map(|words| scope.words(words)).transpose()?;
        match (scope.bound.pop(), holds) {
            (value, Some(holds)) => {
                let told = || value.map(|(_, value)| self.with_unit(&value)).unwrap_or_default();
                Ok(Observation::Words(words.unwrap_or_else(told), holds))
            }
            (Some((_, number)), None) => {
                let given = value.expect("it was just evaluated");
                let fault = || Mistake::new(&given.said, given.tree.span.clone(), "a number is needed", number.what());
                number.number().map(Observation::Number).ok_or_else(|| Stop::Wrong(Box::new(fault())))
            }
            (None, None) => Err(Stop::Absent("nothing says how it is judged".to_owned())),
        }
    }

    fn with_unit(&self, value: &Value) -> String {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", number::unit(&self.unit)) };
        format!("{}{unit}", Format::default().words(value))
    }

    /// Judges the claim.
    fn judge(&self, view: &View) -> Result<Claim, Mistake> {
        let mut claim = self.claim();
        match self.seen(view) {
            Ok(Observation::Number(number)) if number.is_finite() => {
                claim.measured = Some(claim::ClaimValue::Number(number));
                claim = claim.judged();
            }
            Ok(Observation::Number(_)) => {
                (claim.measured, claim.holds) =
                    (Some("no number: something is divided by nothing".into()), Some(false));
            }
            Ok(Observation::Words(words, holds)) => {
                claim.measured = Some(claim::ClaimValue::Text(words));
                claim.holds = Some(holds);
            }
            Err(Stop::Absent(_)) => {}
            Err(Stop::Unmeasured(what)) => (claim.measured, claim.holds) = (Some(what.as_str().into()), Some(false)),
            Err(Stop::Wrong(fault)) => {
                return Err(fault.help(format!("it is asked for by the claim `{}`", self.id.text)));
            }
            Err(stop @ Stop::Asked(..)) => {
                if let Stop::Wrong(fault) = stop.at(&self.id) {
                    return Err(*fault);
                }
            }
        }
        Ok(claim)
    }
}

/// The claims of the artifacts, judged; a metric that a run does not give is a fault.
/// Under `--quick` a claim on which smaller inputs say nothing tells what was measured, and is not judged.
pub fn judge(view: &View, artifacts: &[&str], quick: bool) -> Result<Vec<Claim>, Vec<Mistake>> {
    let (mut judged, mut faults) = (Vec::new(), Vec::new());
    for claim in view.defined.claims.iter().filter(|claim| artifacts.contains(&claim.artifact.text.as_str())) {
        let is_judged = claim.is_quick || !quick;
        match claim.judge(view) {
            Ok(claim) => judged.push(Claim { holds: claim.holds.filter(|_| is_judged), ..claim }),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(judged) } else { Err(faults) }
}

/// Returns the numbers that claims measure; not a number where one is not given.
pub fn numbers(view: &View, claims: &[&ClaimStatement]) -> Vec<f64> {
    let number = |claim: &&ClaimStatement| match claim.seen(view) {
        Ok(Observation::Number(number)) => number,
        _ => f64::NAN,
    };
    claims.iter().map(number).collect()
}

/// Returns the points that a claim is judged by, of those that `view` plans.
pub fn points_of(view: &View, claim: &ClaimStatement) -> BTreeSet<String> {
    let asked = RefCell::default();
    let view = View { asked: Some(&asked), ..*view };
    // What is wrong with it was told before.
    let _ = claim.seen(&view);
    asked.into_inner()
}

/// Returns what is wrong with a claim whose artifact runs the points that `view` plans.
pub fn planned(view: &View, claim: &ClaimStatement) -> Option<Mistake> {
    match claim.seen(view) {
        Err(Stop::Absent(what)) if !matches!(claim.how, How::Rust(..)) => {
            Some(Mistake::new(&claim.id, 0..claim.id.text.len(), "this claim can never be judged", what))
        }
        _ => claim.judge(view).err(),
    }
}
