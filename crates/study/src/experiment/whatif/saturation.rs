//! The extent to which a faster bottleneck raises the metric, and the bottleneck that then limits the metric.

use super::search::{Search, largest_gain};
use super::trial::{Trial, TrialSetup};
use super::{GAIN_MIN, ParameterChange, Refusal, Saturation, SpeedUpGain, TrialProgress, resource};

/// The largest power of the factor by which the bottleneck is made faster.
const STEPS_MAX: i32 = 8;
/// The number of powers tried at once.
const STEPS_AT_ONCE: i32 = 2;
/// The point of saturation is between the last two trials. These fractions of the way between them are tried next.
const PARTS_OF_STEP: [f64; 3] = [0.25, 0.5, 0.75];

impl Search<'_> {
    /// Makes the bottleneck faster until that gives no further gain, and finds the next bottleneck at that point.
    pub(super) fn saturation(&self, bottleneck: &SpeedUpGain) -> Saturation {
        let factor = self.query.factor;
        let (mut best, mut power, mut limit) = (bottleneck.ratio, 1, None);
        'steps: while power < STEPS_MAX {
            let powers: Vec<i32> = (power + 1..=STEPS_MAX.min(power + STEPS_AT_ONCE)).collect();
            let trials: Vec<Vec<ParameterChange>> =
                powers.iter().map(|power| self.faster_changes(bottleneck, factor.powi(*power))).collect();
            for (power_tried, trial) in powers.iter().zip(self.try_all(&trials)) {
                match trial {
                    Trial::Completed { ratio, .. } if ratio >= best * GAIN_MIN => (best, power) = (ratio, *power_tried),
                    Trial::Completed { .. } => break 'steps,
                    Trial::Refused(refusal) => {
                        limit = Some(refusal);
                        break 'steps;
                    }
                }
            }
        }
        if power == STEPS_MAX {
            let advice = "choose a larger factor".to_owned();
            let next = self.faster_changes(bottleneck, factor.powi(power + 1));
            limit = Some(Refusal::new(&next, format!("only {STEPS_MAX} steps are tried"), advice));
        }
        let (low, high) = (factor.powi(power - 1), factor.powi(power));
        let speeds: Vec<f64> = PARTS_OF_STEP.iter().map(|part| low + part * (high - low)).collect();
        let trials: Vec<Vec<ParameterChange>> =
            speeds.iter().map(|speed| self.faster_changes(bottleneck, *speed)).collect();
        let reaches_best = |trial: &Trial| trial.ratio().is_some_and(|ratio| ratio * GAIN_MIN >= best);
        let first_sufficient = self.try_all(&trials).iter().position(reaches_best);
        let speed = first_sufficient.map_or(high, |index| speeds[index]);
        let changes = self.faster_changes(bottleneck, speed);
        let next = self.next_bottleneck(bottleneck, &changes);
        Saturation { changes, ratio: best, limit, next }
    }

    /// Returns the changes that make the bottleneck `speed` times as fast.
    fn faster_changes(&self, bottleneck: &SpeedUpGain, speed: f64) -> Vec<ParameterChange> {
        let members = self.parameters.resources.iter().flat_map(|resource| &resource.members);
        let is_changed = |key: &str| bottleneck.changes.iter().any(|change| change.key == key);
        members
            .filter(|number| is_changed(&number.key))
            .filter_map(|number| resource::speed_up_change(number, speed))
            .collect()
    }

    /// Returns the speed-up that gains most if the bottleneck has these changes.
    fn next_bottleneck(&self, bottleneck: &SpeedUpGain, changes: &[ParameterChange]) -> Option<SpeedUpGain> {
        let base_overrides = self.setup.overrides(changes);
        let description = (self.setup.reader)(&base_overrides).ok()?;
        let baseline = super::trial::MeasuredRun::new(&description).ok();
        (self.setup.progress)(TrialProgress::RunEnded);
        self.count_runs(1);
        let baseline = baseline?;
        let goal = self.setup.goal.with_baseline(baseline.metric(&self.setup.goal.metric.name)?.value);
        let TrialSetup { reader, progress, .. } = self.setup;
        let setup = TrialSetup { reader, base_overrides, baseline, goal, progress };
        let other_gains =
            self.resource_trials.iter().flat_map(|trials| trials.faster.iter().chain(&trials.ineffective_gains));
        let other_gains: Vec<&SpeedUpGain> = other_gains
            .filter(|gain| !gain.resources.iter().any(|name| bottleneck.resources.contains(name)))
            .filter(|gain| !self.runs_needed_trials_only() || self.is_sensitive(gain))
            .collect();
        let trials: Vec<Vec<ParameterChange>> = other_gains.iter().map(|gain| gain.changes.clone()).collect();
        self.count_runs(trials.len());
        let new_gains = other_gains.into_iter().zip(setup.try_all(&trials)).filter_map(|(gain, trial)| {
            Some(SpeedUpGain { ratio: trial.ratio()?, slower_ratio: None, ..gain.clone() })
        });
        let new_gains: Vec<SpeedUpGain> = new_gains.collect();
        largest_gain(&new_gains).filter(|gain| gain.ratio >= GAIN_MIN).cloned()
    }
}
