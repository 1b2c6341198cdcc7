//! Constants that are not known: those that are derived, calibrated or chosen, by their comments.
//!
//! The same constant may stand in several parts, as an access time does in each of nine interfaces: keys
//! that differ in the name of the part alone, with one value and one source, are one constant.

use crate::experiment::constants::{self, PartNumber};
use narrows_core::machine::Machine;
use narrows_core::text::{Entry, Read};

/// One standard deviation of a constant's logarithm, where its comment states none (chosen).
pub const PRIOR: f64 = 0.25;

/// A constant that is not known.
#[derive(Clone, PartialEq, Debug)]
pub struct Unknown {
    /// It, by the first of its keys.
    pub constant: PartNumber,
    /// All keys that it stands under.
    pub keys: Vec<String>,
    /// One standard deviation of its logarithm.
    pub prior: f64,
}

/// The standard deviation that a source states or stands for; none for what is known. The error is
/// what is wrong with the one stated.
pub fn prior(source: &str) -> Result<Option<f64>, String> {
    let kind = source.split(':').next().unwrap_or_default().trim();
    let word = kind.split_whitespace().next().unwrap_or_default();
    if !["derived", "calibrated", "chosen"].contains(&word) {
        return Ok(None);
    }
    let Some((_, stated)) = kind.split_once('±') else { return Ok(Some(PRIOR)) };
    let number = stated.trim().trim_end_matches('%').trim();
    match number.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 1000.0 => Ok(Some(percent / 100.0)),
        _ => Err(format!("`±{}` is no prior: write a percentage above 0, such as `chosen ±10 %: why`", stated.trim())),
    }
}

/// What is not known of these machines: each constant once, in the order in which they first stand.
pub fn of<'a>(machines: impl IntoIterator<Item = &'a Read<Machine>>) -> Result<Vec<Unknown>, String> {
    let mut unknowns: Vec<Unknown> = Vec::new();
    for read in machines {
        for constant in constants::of(read) {
            let source = constant.source.clone().unwrap_or_default();
            let stated = prior(&source).map_err(|why| format!("{}: {why}", constant.key))?;
            let Some(prior) = stated else { continue };
            match unknowns.iter_mut().find(|known| is_one(&known.constant, &constant)) {
                Some(known) if known.keys.contains(&constant.key) => {}
                Some(known) => known.keys.push(constant.key),
                None => unknowns.push(Unknown { keys: vec![constant.key.clone()], constant, prior }),
            }
        }
    }
    Ok(unknowns)
}

/// The priors of constants.
pub fn priors(unknowns: &[Unknown]) -> Vec<f64> {
    unknowns.iter().map(|unknown| unknown.prior).collect()
}

/// Whether two are one constant.
fn is_one(one: &PartNumber, other: &PartNumber) -> bool {
    one.value == other.value && one.source == other.source && without_part(&one.key) == without_part(&other.key)
}

/// A key without the name of its part: `ni.cni4.access` and `ni.udma.access` are `ni` and `access`.
fn without_part(key: &str) -> (&str, &str) {
    let (family, rest) = key.split_once('.').unwrap_or((key, ""));
    match family {
        "ni" | "fabric" | "protocol" => (family, rest.split_once('.').map_or("", |(_, rest)| rest)),
        _ => (family, rest),
    }
}

impl Unknown {
    /// Settings that multiply it by `factor` in a machine that has it, and by what that is really.
    pub fn times(&self, factor: f64, read: &Read<Machine>) -> Option<(Vec<String>, f64)> {
        let (value, really) = self.constant.near(factor)?;
        let entries = read.entries();
        // One value of two sources is two constants.
        let (value_of, source) = (&self.constant.value, &self.constant.source);
        let is_it = |entry: &Entry| entry.value == *value_of && entry.note == *source;
        let has = |key: &&String| entries.iter().any(|entry| entry.path == **key && is_it(entry));
        let sets: Vec<String> = self.keys.iter().filter(has).map(|key| format!("{key}={value}")).collect();
        (!sets.is_empty()).then_some((sets, really))
    }

    /// Its name in tables.
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
    fn a_source_says_how_sure_a_constant_is() {
        assert_eq!(prior("paper: §2"), Ok(None));
        assert_eq!(prior("data sheet: P6 cache block"), Ok(None));
        assert_eq!(prior("chosen: the paper gives none"), Ok(Some(PRIOR)));
        assert_eq!(prior("calibrated ±10 %: Table 1"), Ok(Some(0.1)));
        assert!(prior("chosen ±0 %: never").is_err());
        assert!(prior("derived ±much: no").is_err());
    }

    #[test]
    fn parts_of_one_family_share_a_constant() {
        assert_eq!(without_part("ni.cni4.access"), without_part("ni.udma.access"));
        assert_ne!(without_part("hosts.a.clock"), without_part("hosts.b.clock"));
    }
}
