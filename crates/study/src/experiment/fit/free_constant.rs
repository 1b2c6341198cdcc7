//! A constant to be fitted, as it occurs in the machines: its keys, starting value, prior and bounds.

use super::constant::FitConstant;
use crate::experiment::constants::{self, NumericParameter};
use narrows_core::machine::Machine;
use narrows_core::text::origin::TextSpan;
use narrows_core::text::quantity::ParseError;
use narrows_core::text::{Entry, Origin, Problem, Read, SpannedString, suggest};
use std::collections::BTreeSet;

/// The factor from the starting value to each bound, if no bounds are declared (chosen).
const BOUND_FACTOR: f64 = 100.0;

/// A constant to be fitted. Amounts are in the smallest unit of the parameter's kind.
#[derive(Clone, Debug)]
pub struct FreeConstant {
    /// The key, with `*` for names of parts.
    pub key: String,
    /// The parameter with its value in the first machine.
    pub current: NumericParameter,
    /// The distinct source locations of its value.
    pub origins: Vec<Origin>,
    /// The starting value.
    pub start: f64,
    /// The standard deviation of the logarithm of the constant before the fit.
    pub prior: f64,
    /// The least and the greatest value.
    pub bounds: (f64, f64),
}

/// Returns whether `key` matches `pattern`, in which `*` matches any one name.
pub fn key_matches(pattern: &str, key: &str) -> bool {
    let (mut pattern, mut key) = (pattern.split('.'), key.split('.'));
    loop {
        match (pattern.next(), key.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == "*" || a == b => {}
            _ => return false,
        }
    }
}

impl FreeConstant {
    /// Finds the declared constant in these machines.
    ///
    /// # Errors
    ///
    /// Reports a key that no machine has, a key whose values differ between machines, and bounds that do not enclose
    /// the starting value.
    pub fn find(declaration: &FitConstant, machines: &[&Read<Machine>]) -> Result<FreeConstant, Problem> {
        let problem_at_key =
            |message: String, label: &str| Problem::new(message).with_location(declaration.key.place.clone(), label);
        let key = &declaration.key.text;
        let (mut matching_numbers, mut all_keys) = (Vec::new(), BTreeSet::new());
        for description in machines {
            let entries = description.entries();
            for number in constants::part_numbers(description) {
                all_keys.insert(number.key.clone());
                if key_matches(key, &number.key) {
                    let origin =
                        entries.iter().find(|entry| entry.path == number.key).map(|entry| entry.origin.clone());
                    matching_numbers.push((number, origin));
                }
            }
        }
        let Some((current, _)) = matching_numbers.first().cloned() else {
            let nearest = suggest::nearest(key, all_keys.iter().map(String::as_str));
            let label = nearest.map_or("no machine has it".to_owned(), |nearest| format!("did you mean `{nearest}`?"));
            let problem = problem_at_key(format!("the machines that are run have no constant `{key}`"), &label);
            // The label is shown only at a place in a file.
            let suggestion = nearest.filter(|_| declaration.key.place.is_none()).map(|_| label).unwrap_or_default();
            return Err(problem
                .help(suggestion)
                .help("constants are numbers of hosts, interface, protocol, messaging and fabric, above 0"));
        };
        if let Some((other, _)) = matching_numbers.iter().find(|(other, _)| other.value != current.value) {
            let message = format!(
                "`{key}` names constants of different values: {} and {}",
                key_and_value(&current),
                key_and_value(other)
            );
            return Err(
                problem_at_key(message, "name one").help("fit constants of different values each by its own key")
            );
        }
        let mut origins: Vec<Origin> = Vec::new();
        for origin in matching_numbers.into_iter().filter_map(|(_, origin)| origin) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        FreeConstant {
            key: key.clone(),
            start: current.number(),
            current,
            origins,
            prior: declaration.prior,
            bounds: (0.0, 0.0),
        }
        .with_bounds(declaration)
    }

    fn with_bounds(mut self, declaration: &FitConstant) -> Result<FreeConstant, Problem> {
        let amount = |source: &SpannedString| {
            self.current.parse(&source.text).map_err(|fault| value_problem(&self.key, source, fault))
        };
        if let Some(start) = &declaration.start {
            self.start = amount(start)?;
        }
        let place_of_start =
            |declaration: &FitConstant| declaration.start.as_ref().unwrap_or(&declaration.key).place.clone();
        self.bounds = match &declaration.bounds {
            Some((least, most)) => (amount(least)?, amount(most)?),
            None => (self.start / BOUND_FACTOR, self.start * BOUND_FACTOR),
        };
        let (lower, upper) = self.bounds;
        if self.start > lower && self.start < upper && lower > 0.0 {
            return Ok(self);
        }
        let format = |number: f64| self.current.quantize(number).0;
        let message = format!("`{}` starts outside its bounds, or at one of them", self.key);
        let label = format!("{} must lie between {} and {}", format(self.start), format(lower), format(upper));
        Err(Problem::new(message)
            .with_location(place_of_start(declaration), label)
            .help("bounds must be above 0, the smaller first"))
    }

    /// Returns the keys of the constant in a machine. Keys of a host that no node uses, and keys with another value
    /// than the constant's, are left out.
    pub fn keys_in(&self, description: &Read<Machine>) -> Vec<String> {
        let entries = description.entries();
        let hosts: Vec<&Entry> = entries.iter().filter(|entry| key_matches("nodes.*.host", &entry.path)).collect();
        let is_used = |key: &str| {
            let host = key.strip_prefix("hosts.").and_then(|rest| rest.split('.').next());
            host.is_none_or(|host| hosts.is_empty() || hosts.iter().any(|entry| entry.value == host))
        };
        let numbers_of_value =
            constants::part_numbers(description).into_iter().filter(|number| number.value == self.current.value);
        let keys = numbers_of_value.map(|number| number.key);
        keys.filter(|key| key_matches(&self.key, key) && is_used(key)).collect()
    }
}

fn key_and_value(number: &NumericParameter) -> String {
    format!("`{}` is {}", number.key, number.value)
}

/// Returns the problem of a text that is not a valid value of a constant.
pub fn value_problem(key: &str, source: &SpannedString, fault: ParseError) -> Problem {
    let place: Option<TextSpan> = source.place.clone();
    let problem =
        Problem::new(format!("`{}` is not a value of `{key}`", source.text)).with_location(place, fault.label);
    fault.help.into_iter().fold(problem, Problem::help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_matches_exactly_one_name() {
        assert!(key_matches("ni.*.processing-time", "ni.cni512q.processing-time"));
        assert!(!key_matches("ni.*.processing-time", "ni.trapeze.lanai.processing-time"));
        assert!(!key_matches("ni.*", "ni.cni512q.processing-time"));
    }

    #[test]
    fn last_word_of_a_key_suggests_the_whole_key() {
        use crate::experiment::loaded_description::LoadedDescription;
        let loaded = LoadedDescription::example(narrows_core::machine::Registry::shared(), "pcie-messages")
            .expect("the example exists");
        let description = loaded.read(&[]).unwrap_or_else(|_| panic!("the description must be valid"));
        let key = SpannedString::without_location("root-complex");
        let declaration = FitConstant { key, start: None, prior: 0.25, bounds: None };
        let Err(problem) = FreeConstant::find(&declaration, &[&description]) else {
            panic!("the constant must be unknown")
        };
        assert_eq!(problem.help[0], "did you mean `hosts.pcie-gen3-x8.pcie.root-complex`?");
    }
}
