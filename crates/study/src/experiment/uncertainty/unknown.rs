//! Uncertain constants: those whose comments state that they are derived, calibrated, chosen or remembered.
//!
//! Several parts may share a constant, as nine interfaces share an access time. Keys that differ only in the name of
//! the part, and have the same value and source, count as one constant.

use crate::experiment::constants::{self, NumericParameter};
use narrows_core::machine::Machine;
use narrows_core::text::{Entry, Read};

/// One standard deviation of a constant's logarithm, if its comment states none (chosen).
pub const DEFAULT_PRIOR: f64 = 0.25;

/// The sources of values that are uncertain, as comments begin with them. Values of other sources are taken as exact.
pub const UNCERTAIN_SOURCES: [&str; 4] = ["derived", "calibrated", "chosen", "remembered"];

/// An uncertain constant.
#[derive(Clone, PartialEq, Debug)]
pub struct UncertainConstant {
    /// The parameter with the first of the constant's keys.
    pub constant: NumericParameter,
    /// All keys of the constant.
    pub keys: Vec<String>,
    /// One standard deviation of the logarithm.
    pub prior: f64,
}

/// Returns the standard deviation that the comment `source` states or implies, or `None` for a constant that is not
/// uncertain.
///
/// # Errors
///
/// Returns a message about a malformed percentage.
pub fn parse_prior(source: &str) -> Result<Option<f64>, String> {
    let kind = source.split(':').next().unwrap_or_default().trim();
    let word = kind.split_whitespace().next().unwrap_or_default();
    if !UNCERTAIN_SOURCES.contains(&word) {
        return Ok(None);
    }
    let Some((_, stated)) = kind.split_once('±') else { return Ok(Some(DEFAULT_PRIOR)) };
    let stated_number = stated.trim().trim_end_matches('%').trim();
    match stated_number.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(Some(percent / 100.0)),
        _ => {
            Err(format!("`±{}` is not a prior: write a percentage above 0, such as `chosen ±10 %: why`", stated.trim()))
        }
    }
}

/// Returns the uncertain constants of these machines, each once, in the order in which they first appear.
pub fn uncertain_constants<'a>(
    machines: impl IntoIterator<Item = &'a Read<Machine>>,
) -> Result<Vec<UncertainConstant>, String> {
    let mut unknowns: Vec<UncertainConstant> = Vec::new();
    for description in machines {
        for constant in constants::part_numbers(description) {
            let source = constant.source.clone().unwrap_or_default();
            let stated_prior = parse_prior(&source).map_err(|why| format!("{}: {why}", constant.key))?;
            let Some(prior) = stated_prior else { continue };
            match unknowns.iter_mut().find(|unknown| are_parts_of_one_constant(&unknown.constant, &constant)) {
                Some(known) if known.keys.contains(&constant.key) => {}
                Some(known) => known.keys.push(constant.key),
                None => unknowns.push(UncertainConstant { keys: vec![constant.key.clone()], constant, prior }),
            }
        }
    }
    Ok(unknowns)
}

/// Returns the priors of constants.
pub fn priors(unknowns: &[UncertainConstant]) -> Vec<f64> {
    unknowns.iter().map(|unknown| unknown.prior).collect()
}

/// Returns whether two parameters are the same constant.
fn are_parts_of_one_constant(first: &NumericParameter, other: &NumericParameter) -> bool {
    first.value == other.value && first.source == other.source && without_part(&first.key) == without_part(&other.key)
}

/// Returns a key without the name of its part, as the texts before and after it: `ni` and `access` for both
/// `ni.cni4.access` and `ni.udma.access`.
fn without_part(key: &str) -> (&str, &str) {
    let (family, rest) = key.split_once('.').unwrap_or((key, ""));
    match family {
        "ni" | "fabric" | "protocol" => (family, rest.split_once('.').map_or("", |(_, rest)| rest)),
        _ => (family, rest),
    }
}

impl UncertainConstant {
    /// Returns the overrides that multiply the constant by `factor` in a machine, and the exact factor after rounding.
    /// Returns `None` if the machine does not have the constant.
    pub fn scaled_by(&self, factor: f64, description: &Read<Machine>) -> Option<(Vec<String>, f64)> {
        let (value, exact_factor) = self.constant.scaled_or_next(factor)?;
        let entries = description.entries();
        // Equal values with different sources are different constants.
        let (unscaled_value, source) = (&self.constant.value, &self.constant.source);
        let is_same = |entry: &Entry| entry.value == *unscaled_value && entry.note == *source;
        let has = |key: &&String| entries.iter().any(|entry| entry.path == **key && is_same(entry));
        let overrides: Vec<String> = self.keys.iter().filter(has).map(|key| format!("{key}={value}")).collect();
        (!overrides.is_empty()).then_some((overrides, exact_factor))
    }

    /// Returns the name of the constant in tables.
    pub fn name(&self) -> String {
        match self.keys.len() {
            1 => self.keys[0].clone(),
            _ => {
                let (family, rest) = without_part(&self.keys[0]);
                format!("{family}.*.{rest}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comment_determines_the_prior() {
        assert_eq!(parse_prior("paper: §2"), Ok(None));
        assert_eq!(parse_prior("data sheet: P6 cache block"), Ok(None));
        assert_eq!(parse_prior("standard: tags of 8 bits"), Ok(None));
        assert_eq!(parse_prior("measured: 560 ns"), Ok(None));
        assert_eq!(parse_prior("remembered"), Ok(Some(DEFAULT_PRIOR)));
        assert_eq!(parse_prior("chosen: the paper gives none"), Ok(Some(DEFAULT_PRIOR)));
        assert_eq!(parse_prior("calibrated ±10 %: Table 1"), Ok(Some(0.1)));
        assert!(parse_prior("chosen ±0 %: never").is_err());
        assert!(parse_prior("derived ±much: no").is_err());
    }

    #[test]
    fn parts_of_one_family_share_a_constant() {
        assert_eq!(without_part("ni.cni4.access"), without_part("ni.udma.access"));
        assert_ne!(without_part("hosts.a.clock"), without_part("hosts.b.clock"));
    }
}
