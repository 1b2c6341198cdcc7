//! Warnings that a result, or a part of it, does not describe a steady state. The commands that make charts and pages
//! from results print these warnings.

use super::record::Record;
use super::tidy::{self, OUTCOME, TRANSIENT};
use crate::report::dataset::{Dataset, Variable};

/// Returns the warnings about the rows of tidy data whose runs were saturated or have an initial transient.
pub fn data_warnings(data: &Dataset) -> Vec<String> {
    let count_rows = |column: Option<&Variable>, is_counted: &dyn Fn(&Variable, usize) -> bool| {
        column.map_or(0, |column| (0..data.rows()).filter(|row| is_counted(column, *row)).count())
    };
    let saturated_count = count_rows(data.find(OUTCOME), &|outcome, row| {
        outcome.values.text(row).is_some_and(|outcome| outcome.contains("saturated"))
    });
    let transient_count = count_rows(data.find(TRANSIENT), &is_transient);
    let points = if data.rows() == 1 { "point" } else { "points" };
    let saturated_warning = (saturated_count > 0).then(|| {
        let verb = if saturated_count == 1 { "is" } else { "are" };
        format!(
            "{saturated_count} of {} {points} {verb} saturated: their latencies and backlogs grow with the length of the \
             run.",
            data.rows()
        )
    });
    let transient_warning = (transient_count > 0).then(|| {
        let verb = if transient_count == 1 { "has" } else { "have" };
        format!(
            "{transient_count} of {} {points} {verb} an initial transient, so that their values depend on the length \
             of the run. Increase the warm-up; if latencies still grow, the load is too high.",
            data.rows()
        )
    });
    saturated_warning.into_iter().chain(transient_warning).collect()
}

/// Returns the warning that `transient_runs` of `runs` runs have an initial transient, with the key of the warm-up.
pub fn transient_runs_warning(transient_runs: usize, runs: usize, key: &str) -> String {
    format!("{transient_runs} of {runs} runs have an initial transient: increase `{key}`.")
}

/// Returns whether a row of the column of initial transients states that a run has one.
pub fn is_transient(column: &Variable, row: usize) -> bool {
    column.values.number(row).is_some_and(|runs| runs > 0.0)
}

/// Returns the warnings about a run: that it is saturated, or has an initial transient.
pub fn run_warnings(record: &Record) -> Vec<String> {
    let saturated = (record.text(OUTCOME) == "saturated").then(|| format!("Saturated. {}", record.text("note")));
    saturated.into_iter().chain(record.get("warm_up")["finding"].as_str().map(str::to_owned)).collect()
}

/// Returns the warnings about a result of `narrows run` or `narrows sweep` as JSON.
pub fn json_warnings(text: &str) -> Vec<String> {
    match tidy::dataset_from_json(text) {
        Ok(data) => data_warnings(&data),
        Err(_) => Record::parse(text).map_or_else(|_| Vec::new(), |record| run_warnings(&record)),
    }
}
