//! The number of claims of each verdict.

use super::Claim;
use std::collections::BTreeMap;

/// The number of claims of each verdict. A claim that restates others is not among them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Claims that hold.
    pub hold: usize,
    /// Claims that fail.
    pub fail: usize,
    /// Claims that are not evaluated.
    pub open: usize,
    /// Claims that restate others.
    pub restate: usize,
    /// The number of statements that hold, and of all, if the parts of a statement count as one, which holds if all of
    /// them do; `None` if no claim is a part of a statement.
    pub statements: Option<(usize, usize)>,
}

impl Tally {
    /// Counts `claims`.
    pub fn of(claims: &[Claim]) -> Tally {
        let counted = || claims.iter().filter(|claim| claim.restates.is_empty());
        let count = |verdict| counted().filter(|claim| claim.holds == verdict).count();
        Tally {
            hold: count(Some(true)),
            fail: count(Some(false)),
            open: count(None),
            restate: claims.len() - counted().count(),
            statements: claims.iter().any(|claim| claim.part_of.is_some()).then(|| statements(counted())),
        }
    }

    /// Returns the counts as text: `47 of 50 claims hold, 2 fail, 1 not evaluated; 19 more restate others`.
    pub fn text(&self) -> String {
        let all = self.hold + self.fail + self.open;
        let mut text = format!("{} of {all} claims hold, {} fail", self.hold, self.fail);
        if self.open > 0 {
            text += &format!(", {} not evaluated", self.open);
        }
        if self.restate > 0 {
            text += &format!("; {} more restate others and are not counted", self.restate);
        }
        if let Some((hold, all)) = self.statements {
            text += &format!("; with the parts of a statement counted as one, {hold} of {all} hold");
        }
        text
    }
}

/// Returns the number of statements that hold, and of all statements.
fn statements<'a>(claims: impl Iterator<Item = &'a Claim>) -> (usize, usize) {
    let mut holds = BTreeMap::new();
    for claim in claims {
        let statement = claim.part_of.as_ref().unwrap_or(&claim.id);
        *holds.entry(statement).or_insert(true) &= claim.holds == Some(true);
    }
    (holds.values().filter(|holds| **holds).count(), holds.len())
}
