//! The verdicts on firmwares, as text and as JSON.

use super::check::{Finding, Findings, check, verdict};
use super::firmware::{FIRMWARES, Firmware};
use super::properties::Quantifier;
use super::spin::SpinVerdict;
use narrows_core::ni::mcp::threads::Rule;
use narrows_core::text::Problem;
use serde_json::{Value as Json, json};
use std::fmt::Write;

/// The verdicts on firmwares.
pub struct VerificationReport {
    disabled_rule: Option<Rule>,
    results: Vec<Findings>,
    /// The verdicts of Spin, if it ran.
    pub spin: Option<Vec<SpinVerdict>>,
}

/// Returns the firmware `name`, or all firmwares.
pub fn firmwares(name: Option<&str>) -> Result<Vec<&'static Firmware>, Problem> {
    let named: Vec<&Firmware> =
        FIRMWARES.iter().filter(|firmware| name.is_none_or(|name| name == firmware.name)).collect();
    match (named.is_empty(), name) {
        (true, Some(name)) => {
            Err(Problem::unknown_name("firmware", name, FIRMWARES.iter().map(|firmware| firmware.name)))
        }
        _ => Ok(named),
    }
}

/// Returns the rule `name`.
pub fn rule(name: &str) -> Result<Rule, Problem> {
    let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
    rule.ok_or_else(|| Problem::unknown_name("rule", name, Rule::ALL.iter().map(|rule| rule.name())))
}

impl VerificationReport {
    /// Explores all states of these firmwares, with one rule disabled or with all enabled.
    pub fn new(firmwares: &[&Firmware], disabled_rule: Option<Rule>) -> VerificationReport {
        VerificationReport { disabled_rule, results: check(firmwares, disabled_rule), spin: None }
    }

    /// Returns whether all verdicts match the expectations.
    pub fn is_as_expected(&self) -> bool {
        let findings_match = self.results.iter().flat_map(|result| &result.findings).all(Finding::is_as_expected);
        findings_match && self.spin.iter().flatten().all(SpinVerdict::is_as_expected)
    }

    /// Returns the verdicts as text.
    pub fn text(&self) -> String {
        let mut text = self.disabled_rule.map_or(String::new(), |rule| format!("without the rule {}\n\n", rule.name()));
        for result in &self.results {
            let description = FIRMWARES
                .iter()
                .find(|firmware| firmware.name == result.firmware)
                .map_or("", |firmware| firmware.description);
            let _ = writeln!(text, "{}: {description}", result.firmware);
            result.findings.iter().for_each(|finding| text += &line(finding));
            let _ = writeln!(text, "  {} states", result.states);
            let spin = self.spin.iter().flatten().filter(|verdict| verdict.firmware == result.firmware);
            spin.for_each(|verdict| text += &verdict.line());
            text += "\n";
        }
        text + &self.summary() + "\n"
    }

    fn summary(&self) -> String {
        let verdicts = self.results.iter().flat_map(|result| result.findings.iter().map(Finding::is_as_expected));
        let all_verdicts = verdicts.chain(self.spin.iter().flatten().map(SpinVerdict::is_as_expected));
        let (expected, unexpected): (Vec<bool>, Vec<bool>) = all_verdicts.partition(|is_as_expected| *is_as_expected);
        match unexpected.len() {
            0 => format!("all {} verdicts are as expected", expected.len()),
            unexpected_count => {
                format!("{unexpected_count} of {} verdicts are not as expected", expected.len() + unexpected_count)
            }
        }
    }

    /// Returns the verdicts as JSON.
    pub fn json(&self) -> Json {
        let firmware = |result: &Findings| {
            let spin = self.spin.as_ref().map(|spin_verdicts| {
                spin_verdicts
                    .iter()
                    .filter(|verdict| verdict.firmware == result.firmware)
                    .map(SpinVerdict::json)
                    .collect::<Vec<_>>()
            });
            json!({
                "firmware": result.firmware,
                "states": result.states,
                "properties": result.findings.iter().map(finding_json).collect::<Vec<_>>(),
                "spin": spin,
            })
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "without": self.disabled_rule.map(Rule::name),
            "as_expected": self.is_as_expected(),
            "firmwares": self.results.iter().map(firmware).collect::<Vec<_>>(),
        })
    }
}

fn line(finding: &Finding) -> String {
    let quantifier_text = match finding.quantifier {
        Quantifier::Possible => "possible",
        Quantifier::Always => "always",
    };
    let verdict = verdict(finding.holds, finding.expected);
    let mut text = format!("  {:<13} {verdict:<21} {quantifier_text:<8}  {}\n", finding.name, finding.description);
    if !finding.is_as_expected() {
        finding.trace.iter().for_each(|line| text += &format!("      {line}\n"));
    }
    text
}

fn finding_json(finding: &Finding) -> Json {
    let is_always = finding.quantifier == Quantifier::Always;
    json!({
        "property": finding.name,
        "says": finding.description,
        "kind": if is_always { "always" } else { "possible" },
        "holds": finding.holds,
        "expected": finding.expected,
        "trace": if finding.trace.is_empty() { Json::Null } else { finding.trace.clone().into() },
    })
}
