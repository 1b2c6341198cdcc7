//! The uncertainty of the metrics of one run that follows from the priors of its constants.
//!
//! Calibrations constrain the machines of the studies, not an arbitrary one, so the priors are used as the comments of
//! the constants state them. Metrics without a unit, and those that are 0 or not measured, are left out.

use super::posterior::Posterior;
use super::{UncertainConstant, elasticity, unknown};
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
    /// The elasticities to the constants, in decreasing order of their contribution to the uncertainty.
    pub elasticities: Vec<Elasticity>,
}

/// Returns the uncertainty of `metrics`, the result of a run of the description that `reader` reads. `begins` is called
/// with the number of runs that this takes, `done` after each.
pub fn uncertainties(
    reader: Reader<'_>,
    metrics: &[Metric],
    begins: &dyn Fn(usize),
    done: &(dyn Fn() + Sync),
) -> Result<Vec<MetricUncertainty>, Problems> {
    let read = reader(&[])?;
    let unknowns = unknown::of([&read]).map_err(|why| Problems::one(Problem::new(why)))?;
    begins(2 * unknowns.len());
    let measured: Vec<&Metric> =
        metrics.iter().filter(|metric| !metric.unit.is_empty() && metric.value > 0.0).collect();
    let middle: Vec<f64> = measured.iter().map(|metric| metric.value).collect();
    let numbers = |sets: &[(usize, Vec<String>)]| {
        let [(_, sets)] = sets else { return None };
        let result = run(&reader(sets).ok()?)?;
        let value = |metric: &&Metric| {
            result.iter().find(|other| other.name == metric.name).map_or(f64::NAN, |other| other.value)
        };
        Some(measured.iter().map(value).collect())
    };
    let by_constant = elasticity::all(&unknowns, &[&read], &middle, &numbers, done);
    let posterior = Posterior::of(&unknown::priors(&unknowns), &[]);
    let uncertainty = |(index, metric): (usize, &&Metric)| {
        let row: Vec<f64> = by_constant.iter().map(|numbers| numbers[index]).collect();
        MetricUncertainty {
            metric: (*metric).clone(),
            std_dev: posterior.std_dev(&row),
            elasticities: contributions(&unknowns, &row),
        }
    };
    Ok(measured.iter().enumerate().map(uncertainty).collect())
}

fn run(read: &Read<Machine>) -> Option<Vec<Metric>> {
    let result = crate::experiment::run(&read.value, Recorder::off());
    result.outcome.is_complete().then_some(result.metrics)
}

/// Returns the nonzero elasticities of a number, in decreasing order of their contribution to its uncertainty.
fn contributions(unknowns: &[UncertainConstant], row: &[f64]) -> Vec<Elasticity> {
    let mut parts: Vec<(f64, Elasticity)> = unknowns
        .iter()
        .zip(row)
        .filter(|(_, elasticity)| **elasticity != 0.0)
        .map(|(unknown, elasticity)| {
            let part = Elasticity { constant: unknown.name(), elasticity: *elasticity };
            (unknown.prior * elasticity.abs(), part)
        })
        .collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.into_iter().map(|(_, part)| part).collect()
}
