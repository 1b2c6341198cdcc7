//! Sums of the ledgers of many messages: for each stage, the exact total of the waiting time and of the service time.
//!
//! Stages are in the order in which messages pass them. The module does not record distributions of these times.

use super::ledger::{Ledger, Stage};
use super::time::Time;

/// Sums of ledgers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LedgerSums {
    messages: u64,
    stages: Vec<Stage>,
}

impl LedgerSums {
    /// Adds a ledger; a stage that one message passed twice counts with both times.
    pub fn add(&mut self, ledger: &Ledger) {
        self.messages += 1;
        let mut next_index = 0;
        for stage in ledger.stages() {
            let empty_stage = || Stage { name: stage.name, waiting: Time::ZERO, service: Time::ZERO };
            let has_name = |sum: &Stage| std::ptr::eq(sum.name, stage.name) || sum.name == stage.name;
            let index = find_or_insert(&mut self.stages, &mut next_index, has_name, empty_stage);
            self.stages[index].waiting += stage.waiting;
            self.stages[index].service += stage.service;
        }
    }

    /// Returns the number of ledgers that were added.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Returns the stages, each with the sums of its waiting times and of its service times.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }
}

impl<'a> FromIterator<&'a Ledger> for LedgerSums {
    fn from_iter<I: IntoIterator<Item = &'a Ledger>>(ledgers: I) -> LedgerSums {
        let mut sums = LedgerSums::default();
        ledgers.into_iter().for_each(|ledger| sums.add(ledger));
        sums
    }
}

/// Returns the index of a stage in `sums`, and adds the stage if it is new. A new stage is inserted at `next_index`,
/// after the preceding stage of its ledger, so that rare stages are listed where messages pass them.
pub fn find_or_insert<T>(
    sums: &mut Vec<T>,
    next_index: &mut usize,
    is_match: impl Fn(&T) -> bool,
    create: impl FnOnce() -> T,
) -> usize {
    // At most one element matches, and most stages come in the order of the sums.
    let expected_index = sums.get(*next_index).is_some_and(&is_match).then_some(*next_index);
    let index = expected_index.or_else(|| sums.iter().position(is_match)).unwrap_or_else(|| {
        sums.insert(*next_index, create());
        *next_index
    });
    *next_index = (*next_index).max(index + 1);
    index
}
