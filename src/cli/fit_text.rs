//! The result of a fit as text: constants, errors, correlation, and whether the fit reaches its numbers.

use narrows_study::experiment::fit::correlation::UndeterminedCombination;
use narrows_study::experiment::fit::number::IncompleteNumber;
use narrows_study::experiment::fit::{Bound, FailedRange, FitResult, FittedConstant, Residual};
use narrows_study::report::cross_validation::{self, HeldOutNumber};
use narrows_study::report::number::{counted, percent, short, signed_percent, significant};
use narrows_study::report::{Column, ReportTable, grouped};

/// The number of constants up to which the correlation of each two is shown.
const CONSTANTS_SHOWN: usize = 4;
/// The smallest correlation that is shown if there are more than [`CONSTANTS_SHOWN`] constants.
const CORRELATION_SHOWN: f64 = 0.5;
/// The largest number of lines of a list.
const LINES_SHOWN: usize = 12;
/// The largest number of names in a line about runs without a value.
const NAMES_SHOWN: usize = 3;
/// The distance from the starting value, in standard deviations of the prior, from which a constant is named if the fit
/// failed: in that case the prior holds the constant back.
const FAR_DEVIATIONS: f64 = 2.0;
/// The ratio of the errors to the noise above which it is stated that uncertainties are too small.
const NOISE_RATIO_STATED: f64 = 1.5;

/// Returns the result of a fit as text.
pub fn text(result: &FitResult) -> String {
    let parts = [constants(result), residuals(result), correlation(result), finding(result), notes(result)];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Returns the numbers of a cross-validation as text.
pub fn cross_validation(numbers: &[HeldOutNumber]) -> String {
    format!("{}\n{}\n", cross_validation::table(numbers).text(), cross_validation::finding(numbers))
}

fn constants(result: &FitResult) -> String {
    let headings = ["constant", "before", "fit", "after", "prior", "uncertainty"].map(Column::new);
    let mut table = ReportTable::new(headings.to_vec());
    for constant in &result.constants {
        let marks =
            [(!constant.determined).then(|| "not determined".to_owned()), constant.bound.as_ref().map(at_bound)];
        let marks: Vec<String> = marks.into_iter().flatten().collect();
        let mark = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join("; ")) };
        let [prior, posterior] =
            [constant.prior_std_dev, constant.std_dev].map(|percentage| format!("±{}", percent(percentage)));
        let values = [&constant.key, &constant.start_value, &constant.rounded_value, &constant.final_value]
            .map(|text| text.as_str().into());
        table.push(values.into_iter().chain([prior.into(), (posterior + &mark).into()]).collect());
    }
    table.text()
}

/// Describes a value that is at a bound, such as `at its lower bound 5 ns`.
fn at_bound(bound: &Bound) -> String {
    match bound {
        Bound::Lower(value) => format!("at its lower bound {value}"),
        Bound::Upper(value) => format!("at its upper bound {value}"),
    }
}

/// Describes how far the fit moved a constant that the numbers do not determine.
fn movement(constant: &FittedConstant) -> String {
    let FittedConstant { key, start_value, final_value, .. } = constant;
    match start_value == final_value {
        true => format!("  {key} keeps its value, {start_value}\n"),
        false => format!(
            "  {key} moved from {start_value} to {final_value}, by {} standard deviations of its prior from its start\n",
            significant(constant.distance.abs(), 2)
        ),
    }
}

fn residuals(result: &FitResult) -> String {
    let headings = ["number", "expected", "before", "after", "error"].map(Column::new);
    let mut table = ReportTable::new(headings.to_vec());
    for residual in &result.residuals {
        let format_number = |number: f64| if number.is_finite() { short(number) } else { "-".to_owned() };
        let [expected, start, fitted] =
            [residual.datum.expected, residual.start_value, residual.fitted_value].map(format_number);
        let expected = format!("{expected} {}", residual.datum.unit);
        table.push(
            [residual.datum.name.clone(), expected, start, fitted, error_text(residual)].map(Into::into).to_vec(),
        );
    }
    table.text()
}

/// Returns the error of a number, or the reason for its absence, with a mark if the number made the fit fail.
fn error_text(residual: &Residual) -> String {
    let error = residual.missing_reason.clone().unwrap_or_else(|| signed_percent(residual.error()));
    if residual.is_within_tolerance() { error } else { format!("{error} (failed)") }
}

/// Returns the correlation of each two constants, or, if there are many constants, of those that are correlated most.
fn correlation(result: &FitResult) -> String {
    let constants = result.constants.len();
    let pairs = (0..constants).flat_map(|first| (first + 1..constants).map(move |second| (first, second)));
    let mut pairs: Vec<(f64, usize, usize)> =
        pairs.map(|(first, second)| (result.correlation[first][second], first, second)).collect();
    let pair_count = pairs.len();
    if constants > CONSTANTS_SHOWN {
        pairs.retain(|(correlation, ..)| correlation.abs() >= CORRELATION_SHOWN);
        pairs.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()).then((a.1, a.2).cmp(&(b.1, b.2))));
        pairs.truncate(LINES_SHOWN);
    }
    let mut table = ReportTable::new(["constant", "and", "correlation"].map(Column::new).to_vec());
    for (correlation, first, second) in &pairs {
        let keys = [*first, *second].map(|index| result.constants[index].key.as_str().into());
        table.push(keys.into_iter().chain([signed_correlation(*correlation).into()]).collect());
    }
    match (pair_count, pair_count - pairs.len()) {
        (0, _) => String::new(),
        (_, 0) => table.text(),
        (_, hidden_count) if pairs.is_empty() => {
            format!(
                "No two of the constants have a correlation of {CORRELATION_SHOWN} or more: {hidden_count} pairs.\n"
            )
        }
        (_, hidden_count) => format!("{}{hidden_count} pairs that are less correlated are left out.\n", table.text()),
    }
}

/// Formats a correlation with its sign and two decimals.
fn signed_correlation(correlation: f64) -> String {
    match format!("{:.2}", correlation.abs()) {
        zero if zero == "0.00" => zero,
        digits if correlation > 0.0 => format!("+{digits}"),
        digits => format!("−{digits}"),
    }
}

/// Returns whether the fit reaches its numbers, and the parts in which it does not.
pub fn finding(result: &FitResult) -> String {
    let numbers = result.residuals.len();
    let fit = format!("{} on {}", counted(result.constants.len(), "constant"), counted(numbers, "number"));
    let failed_count = result.residuals.iter().filter(|residual| !residual.is_within_tolerance()).count();
    let mut text = match (result.stopped, failed_count) {
        (true, _) => {
            format!("The fit was stopped: {fit}, the best values so far.\n")
        }
        (_, 0) => {
            let largest = result.largest_error().map_or(String::new(), |residual| {
                format!("; the largest error is {} at {}", signed_percent(residual.error()), residual.datum.name)
            });
            format!("{fit}. Every number is within its tolerance{largest}.\n")
        }
        _ => format!("{fit}. The fit failed: {failed_count} of {numbers} numbers are not reached.\n"),
    };
    if failed_count == 0 {
        return text;
    }
    let failed_ranges = result.failed_ranges();
    text.extend(failed_ranges.iter().take(LINES_SHOWN).map(|range| format!("  {}\n", failed_range_line(range))));
    text += &omitted_line(failed_ranges.len());
    for constant in
        result.constants.iter().filter(|constant| constant.bound.is_none() && constant.distance.abs() >= FAR_DEVIATIONS)
    {
        let distance = significant(constant.distance.abs(), 2);
        text +=
            &format!("  `{}` is {distance} standard deviations of its prior from its starting value.\n", constant.key);
    }
    text
}

fn failed_range_line(range: &FailedRange) -> String {
    let numbers = match range.count {
        1 => range.first.clone(),
        count => format!("{} to {} ({count} numbers)", range.first, range.last),
    };
    if let Some(reason) = &range.missing_reason {
        return format!("{numbers}: no value ({reason})");
    }
    let [least, most] = [range.error_range.0, range.error_range.1].map(signed_percent);
    let errors = if least == most { most } else { format!("{least} to {most}") };
    format!("{numbers}: error {errors}, tolerance {}", percent(range.tolerance))
}

/// Returns the line that counts the items left out of a list.
fn omitted_line(total: usize) -> String {
    if total > LINES_SHOWN { format!("  and {} more\n", total - LINES_SHOWN) } else { String::new() }
}

/// Returns the notes that limit what the fitted values mean.
fn notes(result: &FitResult) -> String {
    let mut text = String::new();
    if result.constants.len() > result.residuals.len() {
        text += "There are more constants than numbers, so the result depends on the starting values.\n";
    }
    let is_undetermined = |constant: &&FittedConstant| !constant.determined;
    let undetermined: Vec<&FittedConstant> = result.constants.iter().filter(is_undetermined).collect();
    if !undetermined.is_empty() {
        let keys: Vec<&str> = undetermined.iter().map(|constant| constant.key.as_str()).collect();
        text += &format!(
            "Not determined by these numbers alone, but also by their starting values: {}.\n\
             Their priors hold them near their starts; another start would give other values:\n",
            keys.join(", ")
        );
        text.extend(undetermined.iter().take(LINES_SHOWN).map(|constant| movement(constant)));
        text += &omitted_line(undetermined.len());
    }
    if !result.undetermined.is_empty() {
        text += "Changes of these constants that the numbers do not show:\n";
    }
    text.extend(
        result
            .undetermined
            .iter()
            .take(LINES_SHOWN)
            .map(|combination| combination_line(combination, &result.constants)),
    );
    text += &omitted_line(result.undetermined.len());
    for constant in &result.constants {
        let Some(bound) = &constant.bound else { continue };
        text += &format!("At a bound: `{}` is {}.\n", constant.key, at_bound(bound));
    }
    if result.noise_ratio > NOISE_RATIO_STATED {
        let ratio = significant(result.noise_ratio, 2);
        text += &format!("The errors are {ratio} times the noise, so uncertainties are {ratio} times those above.\n");
    }
    let names: Vec<&str> = result.residuals.iter().map(|residual| residual.datum.name.as_str()).collect();
    let incomplete = incomplete_lines(&result.incomplete, &names);
    text.extend(incomplete.iter().take(LINES_SHOWN).map(String::as_str));
    text += &omitted_line(incomplete.len());
    if !result.converged && !result.stopped {
        text += "The fit did not converge: the values are the best that were found.\n";
    }
    text
}

/// Returns a line for each reason why runs gave no value, in the order of the first number concerned. It names the
/// first few numbers.
fn incomplete_lines(incomplete: &[IncompleteNumber], names: &[&str]) -> Vec<String> {
    let numbers_by_reason = grouped(incomplete.iter().map(|number| (number.reason.as_str(), number)));
    let line = |(reason, numbers): (&str, Vec<&IncompleteNumber>)| {
        if let [number] = numbers[..] {
            let sets =
                if number.evaluations == 1 { "one set".to_owned() } else { format!("{} sets", number.evaluations) };
            let name = names[number.datum];
            return format!("No value of {name} at {sets} of values ({reason}); it was not compared.\n");
        }
        let names_shown: Vec<&str> = numbers.iter().take(NAMES_SHOWN).map(|number| names[number.datum]).collect();
        let names_shown = names_shown.join(", ") + if numbers.len() > NAMES_SHOWN { ", …" } else { "" };
        let runs: usize = numbers.iter().map(|number| number.evaluations).sum();
        format!(
            "No value of {} ({names_shown}) in {runs} runs ({reason}); they were not compared.\n",
            counted(numbers.len(), "number")
        )
    };
    numbers_by_reason.into_iter().map(line).collect()
}

/// Returns the line of a combination of constants that the numbers do not determine.
fn combination_line(combination: &UndeterminedCombination, constants: &[FittedConstant]) -> String {
    let change = |(index, change): &(usize, f64)| format!("{} {}", constants[*index].key, signed_percent(*change));
    let changes: Vec<String> = combination.changes.iter().map(change).collect();
    let together = if changes.len() > 1 { " together" } else { "" };
    let effect = match combination.effect {
        effect if effect < 5e-5 => "change no number".to_owned(),
        effect => format!("change no number by more than {}", percent(effect)),
    };
    let effect = if changes.len() > 1 { effect } else { effect.replacen("change", "changes", 1) };
    format!("  {}{together} {effect}\n", changes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_a_curve_that_fails_is_one_line() {
        let mut part = FailedRange::new("latency of 4096 B", "latency of 65536 B", 5);
        (part.error_range, part.tolerance) = ((0.12, 2.28), 0.09);
        let text = failed_range_line(&part);
        assert!(text.starts_with("latency of 4096 B to latency of 65536 B (5 numbers): error +12"), "{text}");
        assert!(text.contains("+228") && text.ends_with("tolerance 9 %"), "{text}");
        part.missing_reason = Some("deadlock".to_owned());
        assert!(failed_range_line(&part).ends_with("no value (deadlock)"));
    }

    #[test]
    fn numbers_without_a_value_for_one_reason_are_one_line() {
        let names: Vec<String> = (0..5).map(|power| format!("latency of {} B", 2 << power)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let number = |datum, reason, evaluations| IncompleteNumber::new(datum, reason, evaluations);
        let mut incomplete: Vec<_> = (0..5).map(|datum| number(datum, "time-limit", 7)).collect();
        incomplete.insert(1, number(0, "deadlock", 1));
        let lines = incomplete_lines(&incomplete, &names);
        let line = "No value of 5 numbers (latency of 2 B, latency of 4 B, latency of 8 B, …) in 35 runs (time-limit); they were \
                    not compared.\n";
        assert_eq!(lines, [line, "No value of latency of 2 B at one set of values (deadlock); it was not compared.\n"]);
    }

    #[test]
    fn correlation_of_nothing_has_no_sign() {
        assert_eq!([0.556, -1e-9, -0.12].map(signed_correlation), ["+0.56", "0.00", "−0.12"]);
    }
}
