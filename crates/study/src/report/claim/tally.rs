//! The number of claims of each verdict.

use super::Claim;
use std::collections::BTreeMap;

/// The number of claims of each verdict. A claim that restates others is counted only in `restate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Claims that hold.
    pub hold: usize,
    /// Claims that fail.
    pub fail: usize,
    /// Claims that are not evaluated.
    pub not_evaluated: usize,
    /// Claims that restate others.
    pub restate: usize,
    /// Statements of the paper. Claims that are parts of one statement count as one.
    pub statements: usize,
    /// Statements whose claims all hold.
    pub statements_hold: usize,
}

impl Tally {
    /// Counts `claims`.
    pub fn new(claims: &[Claim]) -> Tally {
        let counted_claims = || claims.iter().filter(|claim| claim.restates.is_empty());
        let count = |verdict| counted_claims().filter(|claim| claim.holds == verdict).count();
        let mut statements = BTreeMap::<&str, bool>::new();
        for claim in counted_claims() {
            let holds = claim.holds == Some(true);
            let name = claim.part_of.as_deref().unwrap_or(&claim.id);
            statements.entry(name).and_modify(|all_hold| *all_hold &= holds).or_insert(holds);
        }
        Tally {
            hold: count(Some(true)),
            fail: count(Some(false)),
            not_evaluated: count(None),
            restate: claims.len() - counted_claims().count(),
            statements: statements.len(),
            statements_hold: statements.values().filter(|holds| **holds).count(),
        }
    }

    /// Returns the counts as text: `47 of 50 claims hold, 2 fail, 1 not evaluated; 50 claims in 44 statements, of which
    /// 41 hold in all parts; 19 more restate others and are not counted`.
    pub fn text(&self) -> String {
        let total = self.hold + self.fail + self.not_evaluated;
        let mut text = format!("{} of {total} claims hold, {} fail", self.hold, self.fail);
        if self.not_evaluated > 0 {
            text += &format!(", {} not evaluated", self.not_evaluated);
        }
        if self.statements < total {
            let (statements, hold) = (self.statements, self.statements_hold);
            text += &format!("; {total} claims in {statements} statements, of which {hold} hold in all parts");
        }
        if self.restate > 0 {
            text += &format!("; {} more restate others and are not counted", self.restate);
        }
        text
    }
}
