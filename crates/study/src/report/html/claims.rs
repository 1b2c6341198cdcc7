//! The table of claims on a page.

use crate::report::claim::{Claim, ClaimKind, Tally, unexpected_text, verdict};
use crate::report::number;
use crate::report::svg::{coord, escape};

/// Returns the section of claims: tally, filter and table.
pub fn section(claims: &[Claim]) -> String {
    let tally = Tally::of(claims);
    let mut out = format!("<section id=\"claims\">\n<p class=\"tally\">{}</p>\n{}", tally.text(), filter(claims));
    if let Some(unexpected) = unexpected_text(claims) {
        out += &format!("<p class=\"unexpected\">{}</p>\n", escape(&unexpected));
    }
    out +=
        "<div class=\"wide\"><table class=\"claims\">\n<thead><tr><th></th><th>claim</th><th>source and statement</th>";
    out += "<th class=\"number\">expected</th><th class=\"number\">simulated</th><th class=\"error\">error</th><th class=\"number\">allowed</th><th>role</th></tr></thead>\n<tbody>\n";
    let mut sorted: Vec<&Claim> = claims.iter().collect();
    sorted.sort_by_key(|claim| claim.holds != Some(false));
    out.extend(sorted.into_iter().map(row));
    out + "</tbody>\n</table></div>\n</section>\n"
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
    let shown = choices.into_iter().enumerate().filter(|(index, (_, _, count))| *index < 5 || *count > 0);
    let mut out = String::from("<fieldset class=\"filter\">\n");
    for (_, (id, name, count)) in shown {
        let checked = if id == "all" { " checked=\"\"" } else { "" };
        out += &format!("<label><input type=\"radio\" name=\"show\" id=\"{id}\"{checked}/> {name} ({count})</label>\n");
    }
    out + "</fieldset>\n"
}

fn row(claim: &Claim) -> String {
    let class = match claim.holds {
        Some(true) => "holds",
        Some(false) => "fails",
        None => "open",
    };
    let mut source = format!("{}<div class=\"statement\">{}</div>", escape(&claim.source), escape(&claim.statement));
    if let Some(failure) = &claim.fails {
        let (cause, reason) = (failure.cause.word(), escape(&failure.reason));
        source += &format!("<div class=\"cause\">Expected to fail, cause: <b>{cause}</b>. {reason}</div>");
    }
    if !claim.restates.is_empty() {
        let restates = escape(&claim.restates.join(", "));
        source += &format!("<div class=\"note\">Computed from {restates}; not counted.</div>");
    }
    if let Some(statement) = &claim.part_of {
        source += &format!("<div class=\"note\">Part of {}.</div>", escape(statement));
    }
    if let Some(note) = &claim.note {
        source += &format!("<div class=\"note\">{}</div>", escape(note));
    }
    format!(
        "<tr class=\"{class} {role}\"><td><span class=\"verdict\">{verdict}</span></td><td class=\"id\">{id}</td>\
         <td class=\"place\">{source}</td>{figures}\
         <td class=\"role\">{role}</td></tr>\n",
        role = claim.role.word(),
        verdict = verdict(claim),
        id = escape(&claim.id),
        figures = figures(claim),
    )
}

/// Returns the cells of a row from the expected value to the tolerance. If the values are texts, they also span the
/// columns of error and tolerance, which do not apply.
fn figures(claim: &Claim) -> String {
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
            format!("<span>{}</span>{}", number::signed_percent(error), scale(error, tolerance))
        }
        (Some(error), None) => format!("<span>{}</span>", number::signed_percent(error)),
        _ => String::new(),
    }
}

/// Returns a small scale of the error: 0 is in the middle, the tolerance is grey, and a dot marks the error. It spans
/// twice the tolerance; a larger error is drawn as a triangle at its end.
fn scale(error: f64, tolerance: f64) -> String {
    let part = match tolerance > 0.0 {
        true => error / (2.0 * tolerance),
        false if error == 0.0 => 0.0,
        false => error.signum() * 2.0,
    };
    let x = 46.0 + 40.0 * part.clamp(-1.0, 1.0);
    let mark = match part.abs() > 1.0 {
        false => format!("<circle class=\"seen\" cx=\"{}\" cy=\"7\" r=\"4\"/>", coord(x)),
        true => {
            let back = x - 7.0 * part.signum();
            format!("<path class=\"seen\" d=\"M{} 7L{} 2.5V11.5Z\"/>", coord(x + 3.0 * part.signum()), coord(back))
        }
    };
    format!(
        "<svg class=\"scale\" viewBox=\"0 0 92 14\" aria-hidden=\"true\"><rect class=\"allowed\" x=\"26\" y=\"4\" width=\"40\" height=\"6\" rx=\"3\"/>\
         <path class=\"zero\" d=\"M46 1V13\"/>{mark}</svg>"
    )
}
