//! A constant to be fitted: under which keys it stands in machines, from where and how freely it is
//! fitted, and how it is written.

use super::constant::FitConstant;
use crate::experiment::constants::{self, PartNumber};
use narrows_core::machine::Machine;
use narrows_core::text::origin::Place;
use narrows_core::text::quantity::ParseError;
use narrows_core::text::{Entry, Origin, Problem, Read, Said, suggest};
use std::collections::BTreeSet;

/// Bounds where none are stated: so many times the start, and one over that (chosen).
const APART: f64 = 100.0;

/// A constant to be fitted. Amounts are in its smallest unit.
#[derive(Clone, Debug)]
pub struct Free {
    /// Its key, `*` for names of parts.
    pub key: String,
    /// It, as it stands first.
    pub standing: PartNumber,
    /// Where it stands: all origins, once each.
    pub origins: Vec<Origin>,
    /// Its starting value.
    pub start: f64,
    /// One standard deviation of its logarithm.
    pub prior: f64,
    /// The least and the most it may be.
    pub bounds: (f64, f64),
}

/// Whether a key is meant by another, in which `*` stands for any one name.
pub fn is_meant(by: &str, key: &str) -> bool {
    let (mut by, mut key) = (by.split('.'), key.split('.'));
    loop {
        match (by.next(), key.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == "*" || a == b => {}
            _ => return false,
        }
    }
}

impl Free {
    /// The constant that is asked for, as it stands in these machines.
    pub fn find(wanted: &FitConstant, machines: &[&Read<Machine>]) -> Result<Free, Problem> {
        let wrong = |message: String, label: &str| Problem::new(message).at(wanted.key.place.clone(), label);
        let key = &wanted.key.text;
        let (mut found, mut near) = (Vec::new(), BTreeSet::new());
        for read in machines {
            let entries = read.entries();
            for number in constants::of(read) {
                near.insert(number.key.clone());
                if is_meant(key, &number.key) {
                    let origin =
                        entries.iter().find(|entry| entry.path == number.key).map(|entry| entry.origin.clone());
                    found.push((number, origin));
                }
            }
        }
        let Some((standing, _)) = found.first().cloned() else {
            let meant = suggest::nearest(key, near.iter().map(String::as_str));
            let label = meant.map_or("no machine has it".to_owned(), |near| format!("did you mean `{near}`?"));
            let problem = wrong(format!("there is no constant `{key}` in the machines behind these numbers"), &label);
            return Err(
                problem.help("constants are numbers of hosts, interface, protocol, messaging and fabric, above 0")
            );
        };
        if let Some((other, _)) = found.iter().find(|(other, _)| other.value != standing.value) {
            let several = format!("`{key}` is no one constant: {} and {}", with(&standing), with(other));
            return Err(wrong(several, "name one").help("constants that differ are fitted each by its own key"));
        }
        let mut origins: Vec<Origin> = Vec::new();
        for origin in found.into_iter().filter_map(|(_, origin)| origin) {
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        Free { key: key.clone(), start: standing.number(), standing, origins, prior: wanted.prior, bounds: (0.0, 0.0) }
            .bounded(wanted)
    }

    fn bounded(mut self, wanted: &FitConstant) -> Result<Free, Problem> {
        let amount = |said: &Said| self.standing.read(&said.text).map_err(|fault| bad(&self.key, said, fault));
        if let Some(start) = &wanted.start {
            self.start = amount(start)?;
        }
        let place = |wanted: &FitConstant| wanted.start.as_ref().unwrap_or(&wanted.key).place.clone();
        self.bounds = match &wanted.bounds {
            Some((least, most)) => (amount(least)?, amount(most)?),
            None => (self.start / APART, self.start * APART),
        };
        let (least, most) = self.bounds;
        if self.start > least && self.start < most && least > 0.0 {
            return Ok(self);
        }
        let written = |number: f64| self.standing.of_number(number).0;
        let message = format!("`{}` starts outside its bounds, or at one of them", self.key);
        let label = format!("{} is to be between {} and {}", written(self.start), written(least), written(most));
        Err(Problem::new(message).at(place(wanted), label).help("bounds are above 0, the least first"))
    }

    /// The keys that it stands under in a machine; none where its host is no node's.
    pub fn keys_in(&self, read: &Read<Machine>) -> Vec<String> {
        let entries = read.entries();
        let hosts: Vec<&Entry> = entries.iter().filter(|entry| is_meant("nodes.*.host", &entry.path)).collect();
        let is_used = |key: &str| {
            let host = key.strip_prefix("hosts.").and_then(|rest| rest.split('.').next());
            host.is_none_or(|host| hosts.is_empty() || hosts.iter().any(|entry| entry.value == host))
        };
        let numbers = constants::of(read).into_iter().map(|number| number.key);
        numbers.filter(|key| is_meant(&self.key, key) && is_used(key)).collect()
    }
}

fn with(number: &PartNumber) -> String {
    format!("`{}` is {}", number.key, number.value)
}

/// A text that is no amount of a constant's kind.
pub fn bad(key: &str, said: &Said, fault: ParseError) -> Problem {
    let place: Option<Place> = said.place.clone();
    let problem = Problem::new(format!("`{}` is no value of `{key}`", said.text)).at(place, fault.label);
    fault.help.into_iter().fold(problem, Problem::help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_means_one_name() {
        assert!(is_meant("ni.*.processing-time", "ni.cni512q.processing-time"));
        assert!(!is_meant("ni.*.processing-time", "ni.trapeze.lanai.processing-time"));
        assert!(!is_meant("ni.*", "ni.cni512q.processing-time"));
    }
}
