//! The uncertainty of the metrics of one run, which follows from the priors of its constants.
//!
//! A calibration constrains only the machines of its study. The priors of other machines are therefore those that the
//! comments of the constants state. Metrics without a unit are left out, and so are metrics that are 0 or not measured.

use super::posterior::Posterior;
use super::{UncertainConstant, elasticity, unknown};
use crate::experiment::RunResult;
use crate::experiment::outcome::{is_comparable, outcome_name, outcome_reason};
use crate::experiment::reader::Reader;
use crate::report::claim::Elasticity;
use narrows_core::engine::{Metric, Recorder};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, Problems, Read};

/// The uncertainty of a metric.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricUncertainty {
    /// The metric.
    pub metric: Metric,
    /// One standard deviation, as a fraction of the metric.
    pub std_dev: f64,
    /// The elasticities with respect to the constants, in decreasing order of their contribution to the uncertainty.
    pub elasticities: Vec<Elasticity>,
}

/// The uncertainty of the metrics of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunUncertainty {
    /// The uncertainty of each metric that can be compared with that of another run.
    pub metrics: Vec<MetricUncertainty>,
    /// The uncertain constants, which were tried up and down.
    pub constants: Vec<String>,
    /// The constants that could not be tried in both directions, each with the reason. Their contribution to the
    /// uncertainty is missing.
    pub failed_changes: Vec<(String, String)>,
}

impl RunUncertainty {
    /// Returns whether a constant changed a metric.
    pub fn has_effect(&self) -> bool {
        self.metrics.iter().any(|metric| !metric.elasticities.is_empty())
    }
}

/// Returns the uncertainty of the metrics of `result`, a run of the description that `reader` reads. `on_begin` is
/// called with the number of runs that are needed, and `on_run_done` after each run.
///
/// # Errors
///
/// Reports problems of the description, and a run that measured nothing because it did not complete.
pub fn uncertainties(
    reader: Reader<'_>,
    result: &RunResult,
    on_begin: &dyn Fn(usize),
    on_run_done: &(dyn Fn() + Sync),
) -> Result<RunUncertainty, Problems> {
    let outcome = outcome_name(&result.outcome);
    if let Some(reason) = outcome_reason(result) {
        let problem = Problem::new(format!("the run ended in a {outcome}, so that its metrics have no uncertainty"));
        return Err(Problems::from_problem(problem.help(reason)));
    }
    let description = reader(&[])?;
    let unknowns =
        unknown::uncertain_constants([&description]).map_err(|why| Problems::from_problem(Problem::new(why)))?;
    on_begin(2 * unknowns.len());
    let is_measured =
        |metric: &&Metric| !metric.unit.is_empty() && metric.value > 0.0 && is_comparable(outcome, &metric.name);
    let measured_metrics: Vec<&Metric> = result.metrics.iter().filter(is_measured).collect();
    let measured_values: Vec<f64> = measured_metrics.iter().map(|metric| metric.value).collect();
    let values_with_overrides = |overrides_by_machine: &[(usize, Vec<String>)]| -> Result<Option<Vec<f64>>, String> {
        let [(_, overrides)] = overrides_by_machine else { return Ok(None) };
        let Ok(description) = reader(overrides) else { return Ok(None) };
        let result = run_changed(&description, outcome)?;
        let value = |metric: &&Metric| {
            result.iter().find(|other| other.name == metric.name).map_or(f64::NAN, |other| other.value)
        };
        Ok(Some(measured_metrics.iter().map(value).collect()))
    };
    let elasticities_by_constant = elasticity::elasticities_of_constants(
        &unknowns,
        &[&description],
        &measured_values,
        &values_with_overrides,
        on_run_done,
    );
    let posterior = Posterior::new(&unknown::priors(&unknowns), &[]);
    let uncertainty = |(index, metric): (usize, &&Metric)| {
        let row: Vec<f64> = elasticities_by_constant.iter().map(|constant| constant.numbers[index]).collect();
        MetricUncertainty {
            metric: (*metric).clone(),
            std_dev: posterior.std_dev(&row),
            elasticities: contributions(&unknowns, &row),
        }
    };
    Ok(RunUncertainty {
        metrics: measured_metrics.iter().enumerate().map(uncertainty).collect(),
        constants: unknowns.iter().map(UncertainConstant::name).collect(),
        failed_changes: elasticity::failed_changes(&unknowns, &elasticities_by_constant),
    })
}

/// Runs a changed machine and returns its metrics. If they cannot be compared with those of a run with the outcome
/// `expected_outcome`, returns how the run ended instead.
fn run_changed(description: &Read<Machine>, expected_outcome: &str) -> Result<Vec<Metric>, String> {
    let result = crate::experiment::run(&description.value, Recorder::off());
    match (outcome_reason(&result), outcome_name(&result.outcome)) {
        (Some(_), outcome) => Err(format!("the run ends in a {outcome}")),
        (None, "saturated") if expected_outcome != "saturated" => Err("the run is saturated".to_owned()),
        (None, _) => Ok(result.metrics),
    }
}

/// Returns the nonzero elasticities of a number, in decreasing order of their contribution to its uncertainty.
fn contributions(unknowns: &[UncertainConstant], elasticities: &[f64]) -> Vec<Elasticity> {
    let mut weighted_elasticities: Vec<(f64, Elasticity)> = unknowns
        .iter()
        .zip(elasticities)
        .filter(|(_, elasticity)| **elasticity != 0.0)
        .map(|(unknown, elasticity)| {
            let part = Elasticity { constant: unknown.name(), elasticity: *elasticity };
            (unknown.prior * elasticity.abs(), part)
        })
        .collect();
    weighted_elasticities.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighted_elasticities.into_iter().map(|(_, part)| part).collect()
}
