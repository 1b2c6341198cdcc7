//! Sensitivity analysis: the change of a metric when parts of the machine are sped up, and the bottleneck.
//!
//! The bottleneck is the resource whose speed-up, by experiment, improves the metric most. Each part declares with its
//! parameters which change speeds it up, and which parameters belong to one resource ([`Meaning`]). Trials speed up
//! whole resources, single parameters, and pairs of the resources that matter most. A trade-off is a parameter for
//! which neither direction is a speed-up; it is tried in both directions. `docs/bottlenecks.md` describes the
//! procedure.
//!
//! | file | holds |
//! |---|---|
//! | `resource.rs` | the parameters that are changed together |
//! | `trial.rs` | trial runs, and which of them may be compared |
//! | `baseline.rs` | the run without changes, its metric, and how it is shortened |
//! | `search.rs` | the trials of resources, pairs and single parameters |
//! | `settings.rs` | the trials of settings that cannot be scaled: numbers that are 0, and choices |
//! | `saturation.rs` | the speed beyond which a faster bottleneck gains nothing more, and the next bottleneck |
//! | `json.rs` | the result as JSON |

use super::reader::Reader;
use narrows_core::engine::Metric;
use narrows_core::text::{Meaning, Problem, Problems};

mod baseline;
mod json;
mod resource;
mod saturation;
mod search;
mod settings;
pub mod text;
mod trial;

/// The least ratio that counts as a gain. A smaller ratio may be due to the phase of periodic events.
pub const GAIN_MIN: f64 = 1.01;

/// A changed parameter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct ParameterChange {
    /// The key of the parameter.
    pub key: String,
    /// The value before the change.
    pub old_value: String,
    /// The value after the change.
    pub value: String,
    /// The quotient of the value after the change and the value before it.
    pub factor: f64,
}

impl ParameterChange {
    /// Returns the override that makes the change.
    pub fn setting(&self) -> String {
        format!("{}={}", self.key, self.value)
    }
}

/// The effect of changing one parameter.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Gain {
    /// The key of the parameter.
    pub key: String,
    /// The value before the change.
    pub old_value: String,
    /// The value after the change.
    pub value: String,
    /// The quotient of the value after the change and the value before it.
    pub factor: f64,
    /// The improvement of the metric as a factor; less than 1 if it is worse.
    pub ratio: f64,
    /// The meaning that the part declares for the parameter, if any.
    pub meaning: Option<Meaning>,
}

impl Gain {
    /// Returns whether neither a larger nor a smaller value is a speed-up of the part.
    pub fn is_trade_off(&self) -> bool {
        self.meaning.is_none_or(Meaning::is_trade_off)
    }

    /// Returns the relative change of the metric divided by that of the parameter; above 0 if a larger value is
    /// better.
    pub fn elasticity(&self) -> f64 {
        libm::log(self.ratio) / libm::log(self.factor)
    }
}

/// The effect of another value of a setting that cannot be scaled: a number that is 0, or a choice among words.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SettingGain {
    /// The key of the setting.
    pub key: String,
    /// The value before the change.
    pub old_value: String,
    /// The value after the change.
    pub value: String,
    /// The improvement of the metric as a factor; less than 1 if it is worse.
    pub ratio: f64,
}

/// The effect of speeding up a resource, or several resources together.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SpeedUpGain {
    /// The names of the resources.
    pub resources: Vec<String>,
    /// The changed parameters.
    pub changes: Vec<ParameterChange>,
    /// The improvement of the metric as a factor; less than 1 if it is worse.
    pub ratio: f64,
    /// The ratio of the metric if the resource is slowed down instead of sped up, less than 1 if the metric is worse;
    /// `None` if this was not tried.
    pub slower_ratio: Option<f64>,
}

impl SpeedUpGain {
    /// Returns the name of the resource, or the names of all resources together.
    pub fn name(&self) -> String {
        self.resources.join(" with ")
    }

    /// Returns the relative change of the metric divided by that of the resource's speed.
    pub fn elasticity(&self) -> f64 {
        let logarithms = self.changes.iter().map(|change| libm::log(change.factor).abs()).sum::<f64>();
        libm::log(self.ratio) / (logarithms / self.changes.len() as f64)
    }
}

/// A parameter that has no effect.
#[derive(Clone, PartialEq, Debug)]
pub struct IneffectiveParameter {
    /// The key of the parameter.
    pub key: String,
    /// The reason, which is empty if it is not known.
    pub reason: String,
}

/// Changes that could not be tried or compared.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// The changed parameters.
    pub changes: Vec<ParameterChange>,
    /// The reason.
    pub reason: String,
    /// Advice, which may be empty.
    pub advice: String,
}

impl Refusal {
    fn new(changes: &[ParameterChange], reason: String, advice: String) -> Refusal {
        Refusal { changes: changes.to_vec(), reason, advice }
    }

    /// Returns the changes as text, such as `fabric.router.networks = 4`.
    pub fn change(&self) -> String {
        new_values(&self.changes)
    }
}

/// Returns the changed parameters with their new values, as text.
fn new_values(changes: &[ParameterChange]) -> String {
    changes.iter().map(|change| format!("{} = {}", change.key, change.value)).collect::<Vec<_>>().join(", ")
}

/// The point beyond which a faster bottleneck gives no further gain.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Saturation {
    /// The values of the bottleneck's parameters at that point.
    pub changes: Vec<ParameterChange>,
    /// The improvement of the metric there, as a factor.
    pub ratio: f64,
    /// If the search ended because a faster bottleneck could not be tried, the reason.
    pub limit: Option<Refusal>,
    /// The speed-up with the largest gain at that point: the next bottleneck.
    pub next: Option<SpeedUpGain>,
}

/// The result of a sensitivity analysis.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct WhatIf {
    /// The metric.
    pub metric: Metric,
    /// Whether a larger value is better.
    pub more_is_better: bool,
    /// Whether the run without changes is saturated.
    pub is_saturated: bool,
    /// Notes on the trials, in sentences.
    pub notes: Vec<String>,
    /// The overrides that shorten the runs and change the metric only slightly.
    pub shortening: Vec<String>,
    /// The speed-ups of each resource, the largest gain first.
    pub resources: Vec<SpeedUpGain>,
    /// The joint speed-ups of pairs of the resources that matter most, the largest gain first.
    pub pairs: Vec<SpeedUpGain>,
    /// The bottleneck: the resource with the largest gain, or a pair that gains at least twice as much as its two
    /// resources apart; `None` if nothing gains.
    pub bottleneck: Option<SpeedUpGain>,
    /// The effects of single parameters, the largest gain first.
    pub gains: Vec<Gain>,
    /// The effects of other values of numbers that are 0 and of choices, the largest gain first.
    pub settings: Vec<SettingGain>,
    /// The parameters that change no metric.
    pub ineffective: Vec<IneffectiveParameter>,
    /// The changes that make the machine invalid, or whose run cannot be compared.
    pub refused: Vec<Refusal>,
    /// The parameters that are not changed, because they describe another machine or the load on it.
    pub fixed: Vec<String>,
    /// The saturation of the bottleneck, and the next bottleneck.
    pub saturation: Option<Saturation>,
    /// The number of runs.
    pub runs: usize,
}

/// The reason for which the analysis is impossible.
pub enum WhatIfError {
    /// The description is invalid.
    Invalid(Problems),
    /// The metric does not exist or is not measured, or the run cannot be compared.
    Unmeasurable(Problem),
}

/// A step of the analysis, for the display of its progress.
pub enum TrialProgress {
    /// The analysis is expected to make this number of runs.
    Expected(usize),
    /// A run ended.
    RunEnded,
}

/// A sensitivity analysis of a description.
pub struct WhatIfQuery<'a> {
    /// The reader of the description.
    pub reader: Reader<'a>,
    /// The name of the metric. The default is the objective of the workload.
    pub metric: Option<&'a str>,
    /// The factor by which parts are made faster and slower.
    pub factor: f64,
    /// Whether all trials are made even if the run is long and cannot be shortened.
    pub thorough: bool,
}

impl WhatIfQuery<'_> {
    /// Runs the analysis; `progress` is called as runs are planned and end.
    ///
    /// # Errors
    ///
    /// Returns the problems of the description, or the reason for which the metric of its run cannot be compared.
    pub fn run(&self, progress: &(dyn Fn(TrialProgress) + Sync)) -> Result<WhatIf, WhatIfError> {
        let baseline = baseline::Baseline::measure(self, progress)?;
        Ok(search::Search::new(self, baseline, progress).run())
    }
}
