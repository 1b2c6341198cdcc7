//! Calibration of a machine's constants on measured curves.
//!
//! A latency is compared with the one-way latency of a `ping-pong` workload, and a bandwidth with that of a `stream`.
//! If the description's workload is `verbs`, both are compared with the latency and bandwidth of `verbs`, which
//! measures them as perftest does. Each size is measured in a separate run. The fitted constants are those that are
//! named, or otherwise all constants whose comments state that they are derived, calibrated, chosen or remembered.

use super::constant::FitConstant;
use super::control::{FitControl, RefusedConstant};
use super::curve::{Curve, Sample};
use super::free_constant::FreeConstant;
use super::number::{Datum, PredictionResult, PredictionSource};
use super::unit::Measure;
use super::{FitResult, TOLERANCE_IN_NOISE, fit};
use crate::experiment::reader::Reader;
use crate::experiment::record::{inputs_hash, outcome_name};
use crate::experiment::uncertainty::unknown;
use crate::experiment::{run, steadiness};
use narrows_core::engine::{Outcome, Recorder};
use narrows_core::program::WarmUpCheck;
use narrows_core::text::{Problem, Problems, SpannedString};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A calibration of one machine on measured curves.
pub struct CurveFit<'a> {
    /// The reader of the machine's description.
    pub reader: Reader<'a>,
    /// The measured curves.
    pub curves: &'a [Curve],
    /// The keys of the constants, with `*` for names of parts. If empty, all uncertain constants are fitted.
    pub constants: &'a [String],
    /// One standard deviation of a constant's logarithm. If `None`, the one in the constant's comment is used.
    pub prior: Option<f64>,
    /// One standard deviation of a measured value, as a fraction of it.
    pub noise: f64,
    /// The largest relative error of a successful fit. If `None`, it is three times the noise.
    pub tolerance: Option<f64>,
    /// The control of the fit.
    pub control: FitControl<'a>,
}

/// The points of the curves, and the keys of the constants that are set in their runs.
struct CurveNumbers<'a> {
    curve_fit: &'a CurveFit<'a>,
    /// Whether the workload is `verbs`.
    is_verbs: bool,
    samples: Vec<(usize, &'a Sample)>,
    keys: Vec<Vec<String>>,
    transients: TransientCounts,
}

/// The number of runs that completed, and the number of those with an initial transient by the key of the warm-up.
#[derive(Default)]
struct TransientCounts {
    runs: AtomicUsize,
    by_key: Mutex<BTreeMap<&'static str, usize>>,
}

impl TransientCounts {
    /// Counts a run that completed.
    fn count_run(&self, check: Option<&WarmUpCheck>) {
        self.runs.fetch_add(1, Ordering::Relaxed);
        if let Some(check) = check.filter(|check| check.test.is_transient() == Some(true)) {
            *self.by_key.lock().unwrap_or_else(PoisonError::into_inner).entry(check.key).or_default() += 1;
        }
    }

    /// Returns a warning for each key of a warm-up that is too short.
    fn warnings(self) -> Vec<String> {
        let runs = self.runs.into_inner();
        let by_key = self.by_key.into_inner().unwrap_or_else(PoisonError::into_inner);
        by_key.into_iter().map(|(key, transient)| steadiness::transient_runs_warning(transient, runs, key)).collect()
    }
}

impl CurveFit<'_> {
    /// Runs the calibration.
    ///
    /// # Errors
    ///
    /// Reports a size that the machine cannot run, and constants that cannot be fitted.
    pub fn fit(&self) -> Result<FitResult, Problems> {
        let mut constants = self.constants()?;
        let curves = self.curves.iter().enumerate();
        let samples: Vec<(usize, &Sample)> = curves
            .flat_map(|(curve_index, curve)| curve.samples.iter().map(move |sample| (curve_index, sample)))
            .collect();
        let description = (self.reader)(&[])?;
        let keys: Vec<Vec<String>> = constants.iter().map(|free| free.keys_in(&description)).collect();
        let is_verbs = description.value.workload.name() == VERBS;
        for (curve_index, sample) in &samples {
            let curve = &self.curves[*curve_index];
            if let Err(problems) = (self.reader)(&workload_overrides(is_verbs, curve.measure, sample.size)) {
                let why = problems.list().first();
                let (label, help) = why.map(|why| (why.message.clone(), why.help.clone())).unwrap_or_default();
                let help = help.into_iter().chain(["to fit without this size, remove the row".to_owned()]).collect();
                return Err(curve.sample_problems(sample, "the machine cannot be run with this size", &label, help));
            }
        }
        let data: Vec<Datum> = samples.iter().map(|(curve_index, sample)| self.datum(*curve_index, sample)).collect();
        let mut source =
            CurveNumbers { curve_fit: self, is_verbs, samples, keys, transients: TransientCounts::default() };
        if self.constants.is_empty() {
            let effects = source.probe_effects(&constants);
            let effective = constants.into_iter().zip(source.keys).zip(effects);
            let effective = effective.filter(|(_, effect)| *effect == ProbeResult::Effect);
            (constants, source.keys) = effective.map(|(constant_and_keys, _)| constant_and_keys).unzip();
            if constants.is_empty() {
                let problem =
                    Problem::new("no uncertain constant of this machine has an effect on the measured values");
                return Err(Problems::from_problem(problem.help("name the constants to be fitted: --constant KEY")));
            }
        }
        let result =
            fit(&constants, &data, &source, inputs_hash(&description), self.control).map_err(Problems::from_problem);
        for warning in source.transients.warnings() {
            self.control.monitor.warn(&warning);
        }
        result
    }

    /// Returns the datum of a sample of the curve with the index `curve_index`: the measured value, with its noise and
    /// tolerance.
    fn datum(&self, curve_index: usize, sample: &Sample) -> Datum {
        let curve = &self.curves[curve_index];
        let is_alone = self.curves.iter().filter(|other| other.measure == curve.measure).count() == 1;
        let file = if is_alone { String::new() } else { format!(" in {}", curve.name) };
        Datum {
            name: format!("{} of {} B{file}", curve.measure.name(), sample.size),
            unit: curve.measure.unit().to_owned(),
            expected: sample.value,
            noise: self.noise,
            tolerance: self.tolerance.unwrap_or(TOLERANCE_IN_NOISE * self.noise),
            curve: curve_index,
        }
    }

    fn constants(&self) -> Result<Vec<FreeConstant>, Problems> {
        let description = (self.reader)(&[])?;
        let unknowns =
            unknown::uncertain_constants([&description]).map_err(|why| Problems::from_problem(Problem::new(why)))?;
        let known_prior =
            |key: &str| unknowns.iter().find(|unknown| unknown.name() == key).map(|unknown| unknown.prior);
        let names: Vec<String> = match self.constants {
            [] => unknowns.iter().map(unknown::UncertainConstant::name).collect(),
            named => named.to_vec(),
        };
        if names.is_empty() {
            let problem =
                Problem::new("no constant of this machine is marked as derived, calibrated, chosen or remembered");
            return Err(Problems::from_problem(problem.help("name the constants to be fitted: --constant KEY")));
        }
        let fit_constant = |name: &String| FitConstant {
            key: SpannedString::without_location(name.as_str()),
            start: None,
            prior: self.prior.or_else(|| known_prior(name)).unwrap_or(unknown::DEFAULT_PRIOR),
            bounds: None,
        };
        let find = |name: &String| FreeConstant::find(&fit_constant(name), &[&description]);
        names.iter().map(find).collect::<Result<_, _>>().map_err(Problems::from_problem)
    }
}

/// The workload that runs perftest's tests.
const VERBS: &str = "verbs";

/// Returns the overrides for a run with messages of this size.
fn workload_overrides(is_verbs: bool, measure: Measure, size: u64) -> Vec<String> {
    if is_verbs {
        let test = measure.name();
        return vec![format!("workload.{VERBS}.test={test}"), format!("workload.{VERBS}.size={size} B")];
    }
    let program = if measure == Measure::Latency { "ping-pong" } else { "stream" };
    vec![format!("workload.{program}.payload={size} B")]
}

/// The change of a constant's logarithm in a probe, up and down, as a multiple of its prior (chosen).
const PROBE_CHANGE_IN_PRIORS: f64 = 2.0;

/// The finding of the probe about a constant.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ProbeResult {
    /// A changed value changes a number.
    Effect,
    /// No changed value changes a number.
    NoEffect,
    /// No changed value gives a number, for this reason.
    Refused(String),
}

/// Returns the result of the trials of a constant. Each trial states whether a number changed, or the reason why no
/// number was computed.
fn probe_result(trials: impl Iterator<Item = Result<bool, String>>) -> ProbeResult {
    let (mut is_valid, mut refusal) = (false, None);
    for trial in trials {
        match trial {
            Ok(true) => return ProbeResult::Effect,
            Ok(false) => is_valid = true,
            Err(reason) => refusal = refusal.or(Some(reason)),
        }
    }
    refusal.filter(|_| !is_valid).map_or(ProbeResult::NoEffect, ProbeResult::Refused)
}

impl CurveNumbers<'_> {
    /// Probes each constant at the least, the middle and the greatest size of each curve. The constant is increased,
    /// and if that has no effect or is refused, decreased.
    fn probe_effects(&self, constants: &[FreeConstant]) -> Vec<ProbeResult> {
        let monitor = self.curve_fit.control.monitor;
        monitor.probe_begins(constants.len());
        let probed_samples: Vec<usize> = (0..self.curve_fit.curves.len())
            .flat_map(|curve| {
                let curve_samples: Vec<usize> =
                    (0..self.samples.len()).filter(|sample| self.samples[*sample].0 == curve).collect();
                let indices: BTreeSet<usize> =
                    [0, curve_samples.len() / 2, curve_samples.len().saturating_sub(1)].into();
                indices.into_iter().filter_map(|index| curve_samples.get(index).copied()).collect::<Vec<_>>()
            })
            .collect();
        let runs = AtomicUsize::new(0);
        let predict = |sample: usize, values: &[&str]| {
            let number = self.predict(sample, values);
            runs.fetch_add(1, Ordering::Relaxed);
            monitor.run_ends();
            number
        };
        let unchanged = vec![""; constants.len()];
        let base_predictions: Vec<PredictionResult> =
            probed_samples.par_iter().map(|sample| predict(*sample, &unchanged)).collect();
        // A value that is refused, or whose run does not complete, gives no number. This does not count as an effect.
        let changes_number = |values: &[&str]| {
            let mut refusal = None;
            for (sample, number) in probed_samples.iter().zip(&base_predictions) {
                match predict(*sample, values) {
                    Err(reason) => refusal = refusal.or(Some(reason)),
                    changed if changed != *number => return Ok(true),
                    _ => {}
                }
            }
            refusal.map_or(Ok(false), Err)
        };
        let probe_constant = |index: usize| {
            let constant = &constants[index];
            let trial = |priors: f64| {
                let value = constant.start * libm::exp(priors * constant.prior);
                let text = constant.current.quantize(value.clamp(constant.bounds.0, constant.bounds.1)).0;
                let mut values = unchanged.clone();
                values[index] = &text;
                (text != constant.current.value).then(|| changes_number(&values))
            };
            probe_result([PROBE_CHANGE_IN_PRIORS, -PROBE_CHANGE_IN_PRIORS].into_iter().filter_map(trial))
        };
        let effects: Vec<ProbeResult> = (0..constants.len()).into_par_iter().map(probe_constant).collect();
        let (mut without_effect, mut refused) = (Vec::new(), Vec::new());
        for (constant, effect) in constants.iter().zip(&effects) {
            let key = constant.key.clone();
            match effect {
                ProbeResult::Effect => {}
                ProbeResult::NoEffect => without_effect.push(key),
                ProbeResult::Refused(reason) => refused.push(RefusedConstant { key, reason: reason.clone() }),
            }
        }
        monitor.probe_ends(&without_effect, &refused, runs.into_inner());
        effects
    }
}

impl PredictionSource for CurveNumbers<'_> {
    fn predict(&self, datum: usize, constants: &[&str]) -> PredictionResult {
        let (curve_index, sample) = self.samples[datum];
        let measure = self.curve_fit.curves[curve_index].measure;
        let mut overrides = workload_overrides(self.is_verbs, measure, sample.size);
        for (keys, value) in self.keys.iter().zip(constants).filter(|(_, value)| !value.is_empty()) {
            overrides.extend(keys.iter().map(|key| format!("{key}={value}")));
        }
        let description = (self.curve_fit.reader)(&overrides).map_err(|problems| {
            let why = problems.list().first().map_or(String::new(), |problem| problem.message.clone());
            format!("invalid description: {why}")
        })?;
        let result = run(&description.value, Recorder::off());
        if result.outcome != Outcome::Done {
            return Err(outcome_name(&result.outcome).to_owned());
        }
        self.transients.count_run(result.warm_up.as_ref());
        // perftest prints the median as the typical latency.
        let metrics: &[&str] = match (self.is_verbs, measure) {
            (true, Measure::Latency) => &["verbs.latency_p50", "verbs.latency"],
            (true, _) => &["verbs.bandwidth"],
            (false, Measure::Latency) => &["message.latency_one_way"],
            (false, _) => &["message.bandwidth"],
        };
        metrics
            .iter()
            .find_map(|metric| result.metric(metric))
            .ok_or_else(|| format!("its run measures no {}", metrics[0]))
    }

    fn depends_on(&self, _: usize, constant: usize) -> bool {
        !self.keys[constant].is_empty()
    }
}

#[cfg(test)]
mod tests;
