//! The number of claims of each verdict.

use super::Claim;

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
}

impl Tally {
    /// Counts `claims`.
    pub fn new(claims: &[Claim]) -> Tally {
        let counted = || claims.iter().filter(|claim| claim.restates.is_empty());
        let count = |verdict| counted().filter(|claim| claim.holds == verdict).count();
        Tally {
            hold: count(Some(true)),
            fail: count(Some(false)),
            open: count(None),
            restate: claims.len() - counted().count(),
        }
    }

    /// Returns the counts as text: `47 of 50 claims hold, 2 fail, 1 not evaluated; 19 more restate others`.
    pub fn text(&self) -> String {
        let total = self.hold + self.fail + self.open;
        let mut text = format!("{} of {total} claims hold, {} fail", self.hold, self.fail);
        if self.open > 0 {
            text += &format!(", {} not evaluated", self.open);
        }
        if self.restate > 0 {
            text += &format!("; {} more restate others and are not counted", self.restate);
        }
        text
    }
}
