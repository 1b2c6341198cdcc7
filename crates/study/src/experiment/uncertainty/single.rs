//! How sure the metrics of one run are, by the priors of its constants.
//!
//! What a calibration holds is known of the studies' machines, not of this one: the constants count as
//! free as their comments say. Leaves out metrics that are counts or nothing.

use super::posterior::Posterior;
use super::{Unknown, elasticity, unknown};
use crate::experiment::reader::Reader;
use crate::report::claim::Elasticity;
use narrows_core::engine::{Metric, Recorder};
use narrows_core::machine::Machine;
use narrows_core::text::{Problem, Problems, Read};

/// A metric, and how sure it is.
#[derive(Clone, PartialEq, Debug)]
pub struct MetricUncertainty {
    /// The metric.
    pub metric: Metric,
    /// One standard deviation, as a part of it.
    pub left_free: f64,
    /// The constants that it comes from, the largest part of that first.
    pub elasticities: Vec<Elasticity>,
}

/// Of the metrics of the description that `reader` reads, which gave `metrics`. `begins` is told of how
/// many runs there are, `done` of each.
pub fn sure(
    reader: Reader<'_>,
    metrics: &[Metric],
    begins: &dyn Fn(usize),
    done: &(dyn Fn() + Sync),
) -> Result<Vec<MetricUncertainty>, Problems> {
    let read = reader(&[])?;
    let unknowns = unknown::of([&read]).map_err(|why| Problems::one(Problem::new(why)))?;
    begins(2 * unknowns.len());
    let told: Vec<&Metric> = metrics.iter().filter(|metric| !metric.unit.is_empty() && metric.value > 0.0).collect();
    let middle: Vec<f64> = told.iter().map(|metric| metric.value).collect();
    let numbers = |sets: &[(usize, Vec<String>)]| {
        let [(_, sets)] = sets else { return None };
        let result = run(&reader(sets).ok()?)?;
        let value = |metric: &&Metric| {
            result.iter().find(|other| other.name == metric.name).map_or(f64::NAN, |other| other.value)
        };
        Some(told.iter().map(value).collect())
    };
    let by_constant = elasticity::all(&unknowns, &[&read], &middle, &numbers, done);
    let posterior = Posterior::of(&unknown::priors(&unknowns), &[]);
    let one = |(index, metric): (usize, &&Metric)| {
        let row: Vec<f64> = by_constant.iter().map(|numbers| numbers[index]).collect();
        MetricUncertainty {
            metric: (*metric).clone(),
            left_free: posterior.left_free(&row),
            elasticities: parts(&unknowns, &row),
        }
    };
    Ok(told.iter().enumerate().map(one).collect())
}

fn run(read: &Read<Machine>) -> Option<Vec<Metric>> {
    let result = crate::experiment::run(&read.value, Recorder::off());
    result.outcome.is_complete().then_some(result.metrics)
}

/// The constants of a number, what they leave free the largest first.
fn parts(unknowns: &[Unknown], row: &[f64]) -> Vec<Elasticity> {
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
