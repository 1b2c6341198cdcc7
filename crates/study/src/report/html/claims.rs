//! The claims on a page: the findings in brief, and a table for each part of the publication.

use super::{anchor, scrollable_attributes};
use crate::report::claim::{Claim, ClaimKind, Tally, unexpected_text, verdict};
use crate::report::grouped;
use crate::report::number::{self, counted};
use crate::report::svg::{coord, escape};

/// The number of claims up to which no group is folded.
const UNFOLDED_MAX: usize = 6;

/// Returns the section of findings: the number of claims that hold, and the failing claims.
pub fn findings(claims: &[Claim]) -> String {
    let tally = Tally::new(claims);
    let mut section = format!(
        "<section id=\"findings\">\n<h2>Findings {}</h2>\n<p class=\"tally\">{}</p>\n",
        anchor("findings", "Findings"),
        tally.text()
    );
    if let Some(unexpected) = unexpected_text(claims) {
        section += &format!("<p class=\"unexpected\">{}</p>\n", escape(&unexpected));
    }
    let failing: Vec<&Claim> = claims.iter().filter(|claim| claim.holds == Some(false)).collect();
    if !failing.is_empty() {
        let item = |claim: &&Claim| {
            let cause = claim
                .expected_failure
                .as_ref()
                .map_or(String::new(), |failure| format!(" Cause: {}.", failure.cause.word()));
            let statement = escape(claim.statement.trim_end_matches('.'));
            format!(
                "<li><b>{}</b> {statement}: expected {}, simulated {}.{cause}</li>\n",
                escape(&claim.id),
                escape(&claim.expected_text()),
                escape(&claim.measured_text())
            )
        };
        let items: String = failing.iter().map(item).collect();
        let heading = counted(failing.len(), "failing claim");
        section += &format!("<details>\n<summary>{heading}</summary>\n<ul>\n{items}</ul>\n</details>\n");
    }
    section + "</section>\n"
}

/// Returns the section of claims: the filter, and a table for each part of the publication.
pub fn section(claims: &[Claim]) -> String {
    let mut section =
        format!("<section id=\"claims\">\n<h2>Claims {}</h2>\n{}", anchor("claims", "Claims"), filter(claims));
    let groups = groups(claims);
    let is_open = claims.len() <= UNFOLDED_MAX || groups.len() == 1;
    section.extend(groups.iter().map(|(name, claims)| group(name, claims, is_open)));
    section + "</section>\n"
}

/// Returns the claims by the part of the publication that their sources begin with, such as `Table 1`.
fn groups(claims: &[Claim]) -> Vec<(&str, Vec<&Claim>)> {
    grouped(claims.iter().map(|claim| {
        let part = claim.source.split([',', ':', ';']).next().unwrap_or_default().trim();
        (part, claim)
    }))
}

/// Returns the folded table of the claims of one part of the publication. It is open if a claim fails.
fn group(name: &str, claims: &[&Claim], is_open: bool) -> String {
    let count = |verdict| claims.iter().filter(|claim| claim.holds == verdict).count();
    let (hold, fail, not_evaluated) = (count(Some(true)), count(Some(false)), count(None));
    let mut summary = format!("{hold} of {} hold", counted(hold + fail, "claim"));
    if not_evaluated > 0 {
        summary += &format!(", {not_evaluated} not evaluated");
    }
    let (name, attribute) = (escape(name), if is_open || fail > 0 { " open=\"\"" } else { "" });
    let mut html = format!(
        "<details class=\"group\"{attribute}>\n<summary><b>{name}</b>: {summary}</summary>\n\
         <div {}><table class=\"claims\">\n<thead><tr><th>verdict</th><th>claim</th><th>source and statement</th>\
         <th class=\"number\">expected</th><th class=\"number\">simulated</th><th class=\"error\">error</th>\
         <th class=\"number\">allowed</th><th>role</th></tr></thead>\n<tbody>\n",
        scrollable_attributes(&format!("Claims of {name}"))
    );
    let mut sorted = claims.to_vec();
    sorted.sort_by_key(|claim| claim.holds != Some(false));
    html.extend(sorted.into_iter().map(row));
    html + "</tbody>\n</table></div>\n</details>\n"
}

fn filter(claims: &[Claim]) -> String {
    let role = |word| claims.iter().filter(|claim| claim.role.word() == word).count();
    let verdict = |holds| claims.iter().filter(|claim| claim.holds == holds).count();
    let choices = [
        ("all", "all", claims.len()),
        ("only-fails", "failing", verdict(Some(false))),
        ("only-open", "not evaluated", verdict(None)),
        ("only-predicted", "predicted", role("predicted")),
        ("only-calibrated", "calibrated", role("calibrated")),
        ("only-given", "given", role("given")),
        ("only-underdetermined", "underdetermined", role("underdetermined")),
    ];
    // The last two choices are left out if there is no such claim.
    let shown_choices = choices.into_iter().enumerate().filter(|(index, (_, _, count))| *index < 5 || *count > 0);
    let mut fieldset = String::from("<fieldset class=\"filter\">\n<legend>Claims to show</legend>\n");
    for (_, (id, name, count)) in shown_choices {
        let checked = if id == "all" { " checked=\"\"" } else { "" };
        fieldset +=
            &format!("<label><input type=\"radio\" name=\"show\" id=\"{id}\"{checked}/> {name} ({count})</label>\n");
    }
    fieldset + "</fieldset>\n"
}

fn row(claim: &Claim) -> String {
    let class = match claim.holds {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "open",
    };
    let mut source = format!("{}<div class=\"statement\">{}</div>", escape(&claim.source), escape(&claim.statement));
    if let Some(failure) = &claim.expected_failure {
        let (cause, reason) = (failure.cause.word(), escape(&failure.reason));
        source += &format!("<div class=\"cause\">Expected to fail, cause: <b>{cause}</b>. {reason}</div>");
    }
    let restates = claim.restates.join(", ");
    let notes = [
        (!restates.is_empty()).then(|| format!("Computed from {restates}; not counted.")),
        claim.part_of.as_ref().map(|statement| format!("A part of the statement {statement}.")),
        claim.note.clone(),
    ];
    source.extend(notes.iter().flatten().map(|note| format!("<div class=\"note\">{}</div>", escape(note))));
    format!(
        "<tr class=\"{class} {role}\"><td><span class=\"verdict\">{verdict}</span></td><td class=\"id\">{id}</td>\
         <td class=\"place\">{source}</td>{value_cells}\
         <td class=\"role\">{role}</td></tr>\n",
        role = claim.role.word(),
        verdict = verdict(claim),
        id = escape(&claim.id),
        value_cells = value_cells(claim),
    )
}

/// Returns the cells of a row from the expected value to the tolerance. If the values are texts, they also span the
/// columns of error and tolerance, which do not apply.
fn value_cells(claim: &Claim) -> String {
    let (expected, measured) = (escape(&claim.expected_text()), escape(&claim.measured_text()));
    if claim.kind != ClaimKind::Number {
        return format!(
            "<td class=\"words expected\">{expected}</td><td class=\"words simulated\" colspan=\"3\">{measured}</td>"
        );
    }
    let allowed = claim.tolerance.map_or(String::new(), |x| format!("±{}", number::percent(x)));
    let error = error(claim);
    format!(
        "<td class=\"number expected\">{expected}</td><td class=\"number simulated\">{measured}</td>\
         <td class=\"error\" data-key=\"{key}\">{error}</td><td class=\"number allowed\">{allowed}</td>",
        key = claim.relative_error().map_or(String::new(), |error| error.abs().to_string()),
    )
}

fn error(claim: &Claim) -> String {
    match (claim.relative_error(), claim.tolerance) {
        (Some(error), Some(tolerance)) => {
            format!("<span>{}</span>{}", number::signed_percent(error), error_scale(error, tolerance))
        }
        (Some(error), None) => format!("<span>{}</span>", number::signed_percent(error)),
        _ => String::new(),
    }
}

/// Returns a small scale of the error: 0 is in the middle, the tolerance is grey, and a dot marks the error. It spans
/// twice the tolerance; a larger error is drawn as a triangle at its end.
fn error_scale(error: f64, tolerance: f64) -> String {
    let part = match tolerance > 0.0 {
        true => error / (2.0 * tolerance),
        false if error == 0.0 => 0.0,
        false => error.signum() * 2.0,
    };
    let x = 46.0 + 40.0 * part.clamp(-1.0, 1.0);
    let mark = match part.abs() > 1.0 {
        false => format!("<circle class=\"seen\" cx=\"{}\" cy=\"7\" r=\"4\"/>", coord(x)),
        true => {
            let inward = x - 7.0 * part.signum();
            format!("<path class=\"seen\" d=\"M{} 7L{} 2.5V11.5Z\"/>", coord(x + 3.0 * part.signum()), coord(inward))
        }
    };
    format!(
        "<svg class=\"scale\" viewBox=\"0 0 92 14\" aria-hidden=\"true\"><rect class=\"allowed\" x=\"26\" y=\"4\" width=\"40\" height=\"6\" rx=\"3\"/>\
         <path class=\"zero\" d=\"M46 1V13\"/>{mark}</svg>"
    )
}
