//! Claims as text for a terminal: first the failures in full, then one line for each claim, and then the tally.

use super::{Claim, ClaimKind, Tally, unexpected_text};
use crate::report::table::{Cell, Column, ReportTable};
use crate::report::{number, wrap};

/// The width at which text is wrapped.
const LINE_WIDTH: usize = 100;

/// Returns the claims as text, ending with the tally and a newline.
pub fn claims_text(claims: &[Claim]) -> String {
    let mut text = String::new();
    for claim in claims.iter().filter(|claim| claim.holds == Some(false)) {
        text += &failure_text(claim);
    }
    let (numbers, others): (Vec<&Claim>, Vec<&Claim>) =
        claims.iter().partition(|claim| claim.kind == ClaimKind::Number);
    if !numbers.is_empty() {
        text += &numbers_table(&failing_first(numbers)).text();
        text.push('\n');
    }
    // Failing claims were printed in full above.
    for claim in others.into_iter().filter(|claim| claim.holds != Some(false)) {
        text += &claim_text(claim);
    }
    text += &format!("{}\n", Tally::new(claims).text());
    if let Some(unexpected) = unexpected_text(claims) {
        text += &wrapped("", "", &unexpected);
    }
    text
}

/// Returns the verdict as text: `holds`, `FAILS` or a dash.
pub fn verdict(claim: &Claim) -> &'static str {
    match claim.holds {
        Some(true) => "holds",
        Some(false) => "FAILS",
        None => "–",
    }
}

fn failing_first(mut claims: Vec<&Claim>) -> Vec<&Claim> {
    claims.sort_by_key(|claim| claim.holds != Some(false));
    claims
}

fn failure_text(claim: &Claim) -> String {
    let error = claim.relative_error().map(number::signed_percent);
    let mut text = format!("FAILS {} · {}\n", claim.id, claim.source);
    text += &wrapped("      ", "      ", &claim.statement);
    text += &wrapped("      expected ", "               ", &claim.expected_text());
    let allowed = claim.tolerance.map(number::percent);
    let detail = match (error, allowed) {
        (Some(error), Some(allowed)) => format!(" ({error}, ±{allowed} allowed, {})", claim.role.word()),
        _ => format!(" ({})", claim.role.word()),
    };
    text += &wrapped("      simulated ", "                ", &(claim.measured_text() + &detail));
    if let Some(failure) = &claim.expected_failure {
        let reason = format!("{}: {}", failure.cause.word(), failure.reason);
        text += &wrapped("      expected to fail ", "                ", &reason);
    }
    if let Some(note) = &claim.note {
        text += &wrapped("      note     ", "               ", note);
    }
    text + "\n"
}

fn claim_text(claim: &Claim) -> String {
    let mut text = format!("{:5} {} · {}\n", verdict(claim), claim.id, claim.source);
    text += &wrapped("      ", "      ", &claim.statement);
    text += &wrapped("      simulated ", "                ", &claim.measured_text());
    text + "\n"
}

fn numbers_table(claims: &[&Claim]) -> ReportTable {
    let headings = ["", "claim", "source", "expected", "simulated", "unit", "error", "allowed", "role"];
    let mut table = ReportTable::new(headings.map(Column::new).to_vec());
    for claim in claims {
        table.push(vec![
            verdict(claim).into(),
            claim.id.as_str().into(),
            claim.source.as_str().into(),
            claim.expected.number().into(),
            claim.measured.as_ref().and_then(|value| value.number()).into(),
            claim.unit.as_str().into(),
            right_aligned(claim.relative_error().map(number::signed_percent), 8),
            right_aligned(claim.tolerance.map(|x| format!("±{}", number::percent(x))), 7),
            claim.role.word().into(),
        ]);
    }
    table
}

/// Returns a text aligned right in a column of the width `width`.
fn right_aligned(text: Option<String>, width: usize) -> Cell {
    text.map(|text| format!("{text:>width$}")).into()
}

/// Wraps `content` at spaces into lines of at most [`LINE_WIDTH`] characters.
fn wrapped(first_prefix: &str, prefix: &str, content: &str) -> String {
    wrap::wrapped(first_prefix, prefix, content, LINE_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{number, shape};
    use super::*;

    #[test]
    fn failures_are_listed_first_and_in_full() {
        let claims = [number("R1", 116.0, 118.0, 0.05), number("R2", 85.0, 60.0, 0.05), shape("R3", Some(true))];
        let expected = "\
FAILS R2 · Table 1, row P6/Natoma, 8K, cut-through, latency
      One-way latency of an 8 KiB payload
      expected 85 µs
      simulated 60 µs (−29.4 %, ±5 % allowed, predicted)

       claim  source                                            expected  simulated  unit  error     allowed  role
─────  ─────  ────────────────────────────────────────────────  ────────  ─────────  ────  ────────  ───────  ─────────
FAILS  R2     Table 1, row P6/Natoma, 8K, cut-through, latency        85         60  µs     −29.4 %     ±5 %  predicted
holds  R1     Table 1, row P6/Natoma, 8K, cut-through, latency       116        118  µs      +1.7 %     ±5 %  predicted

holds R3 · §3.4
      Transfers grow & \"step up\" <downstream>
      simulated 1384, 2420, 2844 B

2 of 3 claims hold, 1 fail
Not as expected: fails, which the study does not expect: R2
";
        assert_eq!(claims_text(&claims), expected);
    }

    #[test]
    fn long_text_is_wrapped_at_spaces() {
        let text = wrapped("> ", "  ", &"word ".repeat(40));
        assert!(text.lines().all(|line| line.chars().count() <= LINE_WIDTH), "{text}");
        assert_eq!(text.split_whitespace().count(), 41);
    }
}
