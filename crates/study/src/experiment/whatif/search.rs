//! The trials: speed-ups of resources, of pairs of resources, and of single parameters, and trade-offs.

use super::baseline::Baseline;
use super::resource::{self, Parameters, Resource};
use super::trial::{Trial, TrialSetup};
use super::{
    GAIN_MIN, Gain, IneffectiveParameter, ParameterChange, Refusal, SpeedUpGain, TrialProgress, WhatIf, WhatIfQuery,
};
use crate::experiment::constants::NumericParameter;
use narrows_core::machine::Machine;
use narrows_core::text::Read;
use std::cell::Cell;
use std::collections::BTreeSet;

/// The number of resources whose pairs are tried.
const PAIRED_RESOURCES: usize = 4;

/// The trials of one resource.
#[derive(Default)]
pub(super) struct ResourceTrials {
    /// The speed-ups that changed a metric, one for each alternative.
    pub faster: Vec<SpeedUpGain>,
    /// The speed-ups that changed no metric.
    pub ineffective_gains: Vec<SpeedUpGain>,
    /// The ratio if the resource is slower.
    pub slower_ratio: Option<f64>,
}

impl ResourceTrials {
    /// Returns the speed-up with the largest gain, or the first speed-up if none changed a metric.
    fn best_gain(&self) -> Option<&SpeedUpGain> {
        largest_gain(&self.faster).or(self.ineffective_gains.first())
    }
}

/// A sensitivity analysis in progress.
pub(super) struct Search<'q> {
    pub query: &'q WhatIfQuery<'q>,
    pub setup: TrialSetup<'q>,
    pub parameters: Parameters,
    /// The trials of each resource, in the order of the resources.
    pub resource_trials: Vec<ResourceTrials>,
    pub description: Read<Machine>,
    pub result: WhatIf,
    /// The keys of the parameters whose change alone changed a metric.
    effective_keys: BTreeSet<String>,
    /// The keys of all parameters that were changed alone.
    changed_keys: BTreeSet<String>,
    is_long: bool,
    runs: Cell<usize>,
}

impl<'q> Search<'q> {
    /// Returns the analysis of a description whose run without changes gave `baseline`.
    pub fn new(
        query: &'q WhatIfQuery<'q>,
        baseline: Baseline,
        progress: &'q (dyn Fn(TrialProgress) + Sync),
    ) -> Search<'q> {
        let Baseline { description, numbers, metric, shortening, measured, goal, is_long, notes, runs } = baseline;
        let parameters = Parameters::new(numbers);
        let result = WhatIf {
            metric,
            more_is_better: goal.more_is_better,
            is_saturated: measured.is_saturated,
            notes,
            shortening: shortening.clone(),
            resources: Vec::new(),
            pairs: Vec::new(),
            bottleneck: None,
            gains: Vec::new(),
            settings: Vec::new(),
            ineffective: Vec::new(),
            refused: Vec::new(),
            fixed: parameters.fixed.iter().map(|number| number.key.clone()).collect(),
            saturation: None,
            runs: 0,
        };
        let setup = TrialSetup { reader: query.reader, base_overrides: shortening, baseline: measured, goal, progress };
        Search {
            query,
            setup,
            parameters,
            resource_trials: Vec::new(),
            description,
            result,
            effective_keys: BTreeSet::new(),
            changed_keys: BTreeSet::new(),
            is_long,
            runs: Cell::new(runs),
        }
    }

    /// Makes all trials.
    pub fn run(mut self) -> WhatIf {
        (self.setup.progress)(TrialProgress::Expected(self.runs.get() + self.expected_trials()));
        self.try_resources();
        self.try_pairs();
        self.try_parameters();
        self.result.bottleneck = self.bottleneck();
        self.result.saturation = self.result.bottleneck.as_ref().map(|bottleneck| self.saturation(bottleneck));
        self.result.ineffective = self.ineffective();
        self.try_settings();
        if self.runs_needed_trials_only() {
            self.result.notes.push(long_run_note(!self.result.shortening.is_empty()));
        }
        self.result.gains.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        self.result.settings.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        self.result.resources.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        self.result.pairs.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        self.result.runs = self.runs.get();
        self.result
    }

    /// Returns the approximate number of trials to be made.
    fn expected_trials(&self) -> usize {
        let resources = &self.parameters.resources;
        let alternatives: usize = resources.iter().map(|resource| resource.alternatives().len() + 1).sum();
        let with_several_members = resources.iter().filter(|resource| resource.members.len() > 1);
        let single_trials: usize = with_several_members.map(|resource| 2 * resource.members.len()).sum();
        let trade_offs = 2 * self.parameters.trade_offs.len();
        let (pairs, saturation) = (PAIRED_RESOURCES * (PAIRED_RESOURCES - 1) / 2, PAIRED_RESOURCES);
        match self.runs_needed_trials_only() {
            true => alternatives + pairs + saturation + 2 * PAIRED_RESOURCES,
            false => 2 * alternatives + pairs + saturation + single_trials + trade_offs + self.setting_changes().len(),
        }
    }

    /// Returns whether only those trials are made that are needed to find the bottleneck.
    pub fn runs_needed_trials_only(&self) -> bool {
        self.is_long && !self.query.thorough
    }

    /// Counts runs that were made.
    pub fn count_runs(&self, runs: usize) {
        self.runs.set(self.runs.get() + runs);
    }

    /// Runs a trial of each set of changes.
    pub fn try_all(&self, changes: &[Vec<ParameterChange>]) -> Vec<Trial> {
        self.count_runs(changes.len());
        self.setup.try_all(changes)
    }

    /// Runs trials, and records which parameters had an effect when changed alone, and which changes were refused.
    fn run_and_record_trials(&mut self, changes: &[Vec<ParameterChange>]) -> Vec<Trial> {
        let trials = self.try_all(changes);
        for (changes, trial) in changes.iter().zip(&trials) {
            match (trial, &changes[..]) {
                (Trial::Completed { is_changed, .. }, [change]) => {
                    self.changed_keys.insert(change.key.clone());
                    if *is_changed {
                        self.effective_keys.insert(change.key.clone());
                    }
                }
                (Trial::Completed { .. }, _) => {}
                (Trial::Refused(refusal), _) => self.result.refused.push(refusal.clone()),
            }
        }
        trials
    }

    /// Returns the joint change of `members` that makes them `speed` times as fast. If the machine is invalid with all
    /// of them, those that are invalid alone are left out.
    fn joint_change(&self, members: &[&NumericParameter], speed: f64) -> Result<Vec<ParameterChange>, Option<Refusal>> {
        let changes: Vec<ParameterChange> =
            members.iter().filter_map(|number| resource::speed_up_change(number, speed)).collect();
        if changes.is_empty() {
            return Err(None);
        }
        let Some(refusal) = self.setup.refusal(&changes) else { return Ok(changes) };
        let is_valid = |change: &ParameterChange| self.setup.refusal(std::slice::from_ref(change)).is_none();
        let valid: Vec<ParameterChange> = changes.iter().filter(|change| is_valid(change)).cloned().collect();
        match !valid.is_empty() && valid.len() < changes.len() && self.setup.refusal(&valid).is_none() {
            true => Ok(valid),
            false => Err(Some(refusal)),
        }
    }

    /// Tries every resource at a higher speed, in each alternative, and at a lower speed.
    fn try_resources(&mut self) {
        let (mut trial_targets, mut trial_changes) = (Vec::new(), Vec::new());
        let mut refused = Vec::new();
        for (resource_index, resource) in self.parameters.resources.iter().enumerate() {
            let alternatives = resource.alternatives();
            let faster = alternatives.iter().map(|members| (members, self.query.factor, true));
            for (members, speed, is_faster) in faster.chain([(&alternatives[0], 1.0 / self.query.factor, false)]) {
                match self.joint_change(members, speed) {
                    Ok(changes) => (trial_targets.push((resource_index, is_faster)), trial_changes.push(changes)).1,
                    Err(refusal) => refused.extend(refusal),
                }
            }
        }
        self.result.refused.extend(refused);
        let trials = self.run_and_record_trials(&trial_changes);
        self.resource_trials.resize_with(self.parameters.resources.len(), ResourceTrials::default);
        for (((resource_index, is_faster), changes), trial) in trial_targets.into_iter().zip(trial_changes).zip(trials)
        {
            let Trial::Completed { ratio, is_changed } = trial else { continue };
            let (resource, tried) =
                (&self.parameters.resources[resource_index], &mut self.resource_trials[resource_index]);
            if let ([change], [number]) = (&changes[..], &resource.members[..]) {
                self.result.gains.push(gain(number, change, ratio));
            }
            let resources = vec![resource.name.clone()];
            let gain = SpeedUpGain { resources, changes, ratio, slower_ratio: None };
            match (is_faster, is_changed) {
                (true, true) => tried.faster.push(gain),
                (true, false) => tried.ineffective_gains.push(gain),
                (false, _) => tried.slower_ratio = Some(ratio),
            }
        }
        for ResourceTrials { faster, ineffective_gains, slower_ratio } in &mut self.resource_trials {
            faster.iter_mut().chain(ineffective_gains).for_each(|gain| gain.slower_ratio = *slower_ratio);
        }
        self.result.resources = self.resource_trials.iter().filter_map(ResourceTrials::best_gain).cloned().collect();
    }

    /// Tries pairs of the resources that matter most: those with the largest gains, and those whose slow-down costs
    /// most. If two resources limit the metric equally, neither gains anything alone, but a slow-down of each has a
    /// cost.
    fn try_pairs(&mut self) {
        let mut candidates: Vec<SpeedUpGain> = self.result.resources.clone();
        candidates.retain(|gain| gain.ratio >= GAIN_MIN || self.is_sensitive(gain));
        candidates.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        candidates.truncate(PAIRED_RESOURCES);
        let has_candidate = |tried_resource: &&ResourceTrials, candidate: &SpeedUpGain| {
            tried_resource.faster.iter().any(|gain| gain.resources == candidate.resources)
        };
        let alternatives = |gain: &SpeedUpGain| {
            let tried_resource = self.resource_trials.iter().find(|tried| has_candidate(tried, gain));
            tried_resource.map_or_else(|| vec![gain.clone()], |tried| tried.faster.clone())
        };
        let candidate_alternatives: Vec<Vec<SpeedUpGain>> = candidates.iter().map(alternatives).collect();
        let mut alternatives_by_pair = Vec::new();
        for (index, alternatives_of_first) in candidate_alternatives.iter().enumerate() {
            for other in &candidate_alternatives[index + 1..] {
                let pairs =
                    alternatives_of_first.iter().flat_map(|one| other.iter().map(move |other| joint_gain(one, other)));
                alternatives_by_pair.push(pairs.collect::<Vec<SpeedUpGain>>());
            }
        }
        let changes: Vec<Vec<ParameterChange>> =
            alternatives_by_pair.iter().flatten().map(|pair| pair.changes.clone()).collect();
        let mut trials = self.run_and_record_trials(&changes).into_iter();
        for pairs in &mut alternatives_by_pair {
            for (pair, trial) in pairs.iter_mut().zip(&mut trials) {
                pair.ratio = trial.ratio().unwrap_or(0.0);
            }
            pairs.retain(|pair| pair.ratio > 0.0);
            self.result.pairs.extend(largest_gain(pairs.iter()).cloned());
        }
    }

    /// Returns whether a speed-up gains at least [`GAIN_MIN`], or a slow-down costs at least as much.
    pub fn is_sensitive(&self, gain: &SpeedUpGain) -> bool {
        weight(gain) >= libm::log(GAIN_MIN)
    }

    /// Tries single parameters: trade-offs, and parameters of resources that have several.
    fn try_parameters(&mut self) {
        let (factor, runs_needed_trials_only) = (self.query.factor, self.runs_needed_trials_only());
        let factors = [Some(factor), Some(1.0 / factor).filter(|_| !runs_needed_trials_only)];
        let changes_of = |number: &NumericParameter, change: fn(&NumericParameter, f64) -> Option<ParameterChange>| {
            let changes = factors.into_iter().flatten().filter_map(|factor| change(number, factor));
            changes.map(|change| (number.clone(), vec![change])).collect::<Vec<_>>()
        };
        let is_tried = |(resource, tried_resource): &(&Resource, &ResourceTrials)| {
            let is_sensitive_resource = || tried_resource.faster.iter().any(|gain| self.is_sensitive(gain));
            resource.members.len() >= 2 && (!runs_needed_trials_only || is_sensitive_resource())
        };
        let resources = self.parameters.resources.iter().zip(&self.resource_trials).filter(is_tried);
        let members = resources.flat_map(|(resource, _)| &resource.members);
        let trade_offs = self.parameters.trade_offs.iter().filter(|_| !runs_needed_trials_only);
        let (numbers, all_changes): (Vec<NumericParameter>, Vec<Vec<ParameterChange>>) = members
            .flat_map(|number| changes_of(number, resource::speed_up_change))
            .chain(trade_offs.flat_map(|number| changes_of(number, resource::scaled_change)))
            .unzip();
        let trials = self.run_and_record_trials(&all_changes);
        let gains = numbers.iter().zip(all_changes.iter().flatten()).zip(&trials);
        self.result
            .gains
            .extend(gains.filter_map(|((number, change), trial)| Some(gain(number, change, trial.ratio()?))));
        self.advise_on_joint_changes();
    }

    /// Adds advice to each refused change of a single parameter: the joint change in which the parameter was tried, if
    /// its resource has several parameters.
    fn advise_on_joint_changes(&mut self) {
        for refusal in &mut self.result.refused {
            let [single] = &refusal.changes[..] else { continue };
            let gains = self.resource_trials.iter().flat_map(|tried| &tried.faster);
            let mut joint = gains.filter(|gain| gain.changes.len() > 1);
            if let Some(joint) = joint.find(|gain| gain.changes.iter().any(|change| change.key == single.key)) {
                refusal.advice = format!("it is changed together with the other parameters of {}", joint.name());
            }
        }
    }

    /// Returns the bottleneck: the resource with the largest gain, or a pair that gains more than that and at least
    /// twice as much as its two resources apart.
    fn bottleneck(&self) -> Option<SpeedUpGain> {
        let gain_alone = |name: &String| {
            let gain = self.result.resources.iter().find(|gain| gain.resources[0] == *name);
            gain.map_or(0.0, |gain| (gain.ratio - 1.0).max(0.0))
        };
        let is_coupled = |pair: &&SpeedUpGain| {
            let separate_gains: f64 = pair.resources.iter().map(gain_alone).sum();
            2.0 * separate_gains <= pair.ratio - 1.0
        };
        let limiting = self.result.resources.iter().chain(self.result.pairs.iter().filter(is_coupled));
        largest_gain(limiting).filter(|gain| gain.ratio >= GAIN_MIN).cloned()
    }

    /// Returns the parameters that were changed without changing any metric, in the order of the description.
    fn ineffective(&mut self) -> Vec<IneffectiveParameter> {
        let effective_keys = std::mem::take(&mut self.effective_keys);
        self.result.gains.retain(|gain| effective_keys.contains(&gain.key));
        let resources = self.parameters.resources.iter().flat_map(|resource| &resource.members);
        let single_parameters = resources.chain(&self.parameters.trade_offs);
        let ineffective = single_parameters
            .filter(|number| self.changed_keys.contains(&number.key) && !effective_keys.contains(&number.key));
        ineffective.map(|number| self.ineffective_parameter(number.key.clone())).collect()
    }

    /// Returns a parameter without effect, with the reason.
    pub fn ineffective_parameter(&self, key: String) -> IneffectiveParameter {
        let reason = self.description.value.inert_reason(&key).unwrap_or_default().to_owned();
        IneffectiveParameter { key, reason }
    }
}

/// Returns the note of an analysis whose runs are long, although they are shortened if `is_shortened`.
fn long_run_note(is_shortened: bool) -> String {
    let reason =
        if is_shortened { "The shortened run is still long" } else { "The run is long and cannot be shortened" };
    format!(
        "{reason}: trade-offs, other settings, and slow-downs of single parameters are not tried (--all tries them)."
    )
}

/// Returns the speed-up with the largest gain.
pub(super) fn largest_gain<'g>(gains: impl IntoIterator<Item = &'g SpeedUpGain>) -> Option<&'g SpeedUpGain> {
    gains.into_iter().reduce(|most, gain| if gain.ratio > most.ratio { gain } else { most })
}

/// Returns the joint speed-up of two resources. Its effect is not known yet.
fn joint_gain(first: &SpeedUpGain, other: &SpeedUpGain) -> SpeedUpGain {
    let resources = [first.resources.clone(), other.resources.clone()].concat();
    let changes = [first.changes.clone(), other.changes.clone()].concat();
    SpeedUpGain { resources, changes, ratio: 1.0, slower_ratio: None }
}

/// Returns the larger of the gain of a resource's speed-up and the cost of its slow-down, as a logarithm.
fn weight(gain: &SpeedUpGain) -> f64 {
    libm::log(gain.ratio).max(-libm::log(gain.slower_ratio.unwrap_or(1.0)))
}

fn gain(number: &NumericParameter, change: &ParameterChange, ratio: f64) -> Gain {
    let ParameterChange { key, old_value, value, factor } = change.clone();
    Gain { key, old_value, value, factor, ratio, meaning: number.declaration.meaning }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn note_of_a_shortened_run_does_not_deny_the_shortening() {
        assert!(!long_run_note(true).contains("cannot be shortened"));
        assert!(long_run_note(false).contains("cannot be shortened"));
    }
}
