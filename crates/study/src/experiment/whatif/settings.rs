//! Settings that cannot be made faster by a factor: numbers that are 0, and choices among words.
//!
//! In place of 0 a few fixed values of the number's kind are tried, and of a choice the other words. No such value is a
//! speed-up, so that none of them is a bottleneck: a result states the value that was tried. A time or an amount of work
//! that is 0 is not tried, because it cannot be less.

use super::resource::is_machine_parameter;
use super::search::Search;
use super::trial::Trial;
use super::{ParameterChange, SettingGain};
use narrows_core::text::quantity::parse_number;
use narrows_core::text::{Entry, Meaning, SpeedUp};
use std::collections::BTreeSet;

/// The largest number of these trials, unless all are requested (chosen: a third of the trials of a PCIe host).
const TRIALS_MAX: usize = 64;
/// The largest number of other words of a choice that are tried.
const WORDS_MAX: usize = 4;

/// The values that are tried in place of 0, by the kind of the number, in increasing order (chosen: from a cache line or
/// a bus access to a page or a system call). The largest allowed value takes the place of those that exceed it.
const STEPS: [(&str, &[&str]); 4] = [
    ("bytes", &["64 B", "512 B", "4 KiB"]),
    ("time", &["100 ns", "1 us", "10 us"]),
    ("count", &["1", "8", "64"]),
    ("number", &["0.1", "0.5"]),
];

impl Search<'_> {
    /// Returns the trials of other settings: of each the key, its value, and the value that is tried.
    pub(super) fn setting_changes(&self) -> Vec<ParameterChange> {
        if self.runs_needed_trials_only() {
            return Vec::new();
        }
        let entries = self.description.entries();
        let tried_entries = entries.iter().filter(|entry| is_machine_parameter(&entry.path));
        let change = |entry: &Entry, value: String| {
            let (key, old_value) = (entry.path.clone(), entry.value.clone());
            ParameterChange { key, old_value, value, factor: f64::NAN }
        };
        tried_entries.flat_map(|entry| other_values(entry).into_iter().map(move |value| change(entry, value))).collect()
    }

    /// Tries the other settings.
    pub(super) fn try_settings(&mut self) {
        let mut changes = self.setting_changes();
        let omitted = changes.len().saturating_sub(TRIALS_MAX);
        if omitted > 0 && !self.query.thorough {
            changes.truncate(TRIALS_MAX);
            self.result.notes.push(format!("{omitted} other settings are not tried (--all tries them)."));
        }
        let trial_changes: Vec<Vec<ParameterChange>> = changes.iter().map(|change| vec![change.clone()]).collect();
        let trials = self.try_all(&trial_changes);
        let (mut tried_keys, mut effective_keys) = (Vec::new(), BTreeSet::new());
        for (change, trial) in changes.into_iter().zip(trials) {
            let (ratio, is_changed) = match trial {
                Trial::Completed { ratio, is_changed } => (ratio, is_changed),
                Trial::Refused(refusal) => {
                    self.result.refused.push(refusal);
                    continue;
                }
            };
            let ParameterChange { key, old_value, value, .. } = change;
            if is_changed {
                effective_keys.insert(key.clone());
                self.result.settings.push(SettingGain { key: key.clone(), old_value, value, ratio });
            }
            if tried_keys.last() != Some(&key) {
                tried_keys.push(key);
            }
        }
        tried_keys.retain(|key| !effective_keys.contains(key));
        let ineffective: Vec<_> = tried_keys.into_iter().map(|key| self.ineffective_parameter(key)).collect();
        self.result.ineffective.extend(ineffective);
    }
}

/// Returns the values that are tried in place of the value of `entry`. A choice at the top level, such as
/// `fabric`, has no others, because another part is another machine.
fn other_values(entry: &Entry) -> Vec<String> {
    if matches!(entry.declaration.meaning, Some(Meaning::Load | Meaning::Repetitions)) {
        return Vec::new();
    }
    if entry.kind.words.is_empty() {
        return values_in_place_of_zero(entry);
    }
    let words = entry.kind.words.iter().filter(|word| **word != entry.value && entry.path.contains('.'));
    words.take(WORDS_MAX).map(|word| (*word).to_owned()).collect()
}

/// Returns the values to try in place of a number that is 0, and none for another value.
fn values_in_place_of_zero(entry: &Entry) -> Vec<String> {
    let Some((_, steps)) = STEPS.iter().find(|(name, _)| *name == entry.kind.name) else { return Vec::new() };
    let is_least = entry.declaration.meaning.and_then(Meaning::speed_up) == Some(SpeedUp::Smaller);
    if is_least || parse_number(&entry.value) != Some(0.0) {
        return Vec::new();
    }
    let most = entry.kind.most.as_deref();
    let fits = |step: &&&str| {
        most.and_then(parse_number).is_none_or(|most| parse_number(step).is_some_and(|step| step < most))
    };
    let mut values: Vec<&str> = steps.iter().filter(fits).copied().collect();
    if values.len() < steps.len() {
        values.extend(most);
    }
    values.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_core::machine::{self, shipped};
    use narrows_core::text::Document;

    /// Returns the values tried for a key of a description.
    fn tried_in(text: &str, key: &str) -> Vec<String> {
        let read = machine::read(Document::Text("a.toml", text, None), &[]).expect("it is valid");
        let entries = read.entries();
        let entry = entries.iter().find(|entry| entry.path == key).unwrap_or_else(|| panic!("{key}"));
        other_values(entry)
    }

    /// Returns the values tried for a key of a shipped example.
    fn tried(example: &str, key: &str) -> Vec<String> {
        tried_in(shipped::example(example).expect("an example"), key)
    }

    #[test]
    fn interface_of_a_node_is_not_a_choice_but_its_words_are() {
        let parts = "parts = [\"hosts/pcie-gen3-x8\", \"fabrics/ideal-1998\"]\n";
        let node = |name| format!("[nodes.{name}]\nhost = \"pcie-gen3-x8\"\nparts = \"ni/ring\"\n");
        let text = format!("{parts}{}{}[workload.ping-pong]\npayload = \"64 B\"\n", node("a"), node("b"));
        assert_eq!(tried_in(&text, "nodes.a.ni"), Vec::<String>::new());
        assert_eq!(tried_in(&text, "nodes.a.ni.ring.completion"), ["queue"]);
    }

    #[test]
    fn other_values_are_the_other_words_or_steps_in_place_of_zero() {
        assert_eq!(tried("ring-ping-pong", "ni.ring.completion"), ["queue"]);
        assert_eq!(tried("ring-ping-pong", "ni.ring.send.reads-head"), ["true"]);
        assert_eq!(tried("ring-ping-pong", "ni.ring.driver"), ["kernel"]);
        assert_eq!(tried("ring-ping-pong", "ni.ring.inline-max")[0], "64 B");
        assert_eq!(tried("ring-ping-pong", "ni"), Vec::<String>::new(), "another part is another machine");
        assert_eq!(tried("ring-ping-pong", "ni.ring.pipeline"), Vec::<String>::new(), "it can be scaled");
        assert_eq!(
            tried("ring-ping-pong", "hosts.pcie-gen3-x8.pcie.memory.background"),
            Vec::<String>::new(),
            "a load"
        );
    }
}
