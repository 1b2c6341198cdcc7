//! The report of the uncertainty of numbers: a summary, tables, and a heat map of claims by constants.

use super::ConstantInfluences;
use crate::report::chart::{Axis, HeatMap, Panel};
use crate::report::claim::{Claim, ClaimUncertainty, Role};
use crate::report::number::percent;
use crate::report::{Artifact, Column, ReportTable};

/// The largest number of constants in the heat map. Those with the largest elasticities are shown.
const SHOWN_CONSTANTS_MAX: usize = 24;

/// Returns the tables and the heat map of a study's uncertainties.
pub fn artifacts(claims: &[Claim], influences: &ConstantInfluences) -> Vec<Artifact> {
    let entries: Vec<(&Claim, &ClaimUncertainty)> =
        claims.iter().filter_map(|claim| Some((claim, claim.uncertainty.as_ref()?))).collect();
    if entries.is_empty() {
        return Vec::new();
    }
    vec![numbers_artifact(&entries), constants_artifact(&entries, influences), heat_map_artifact(&entries)]
}

/// Returns the table of numbers with their uncertainties.
fn numbers_artifact(entries: &[(&Claim, &ClaimUncertainty)]) -> Artifact {
    let headings = ["claim", "role", "error", "uncertainty", "z", "most sensitive to"];
    let mut table = ReportTable::new(headings.map(Column::new).to_vec());
    for (claim, uncertainty) in entries {
        let largest_elasticities: Vec<String> = uncertainty
            .elasticities
            .iter()
            .take(3)
            .map(|elasticity| format!("{} {:+.2}", elasticity.constant, elasticity.elasticity))
            .collect();
        table.push(vec![
            claim.id.as_str().into(),
            role_text(claim, uncertainty).into(),
            claim.relative_error().map(crate::report::number::signed_percent).into(),
            format!("±{}", percent(uncertainty.std_dev)).into(),
            uncertainty.z.map(|z| format!("{z:+.2}")).into(),
            largest_elasticities.join(", ").into(),
        ]);
    }
    Artifact::of_table("uncertainty", "Uncertainty of the numbers", summary(entries), table)
}

/// Returns the role of a number, and the role that its claim states if it differs.
fn role_text(claim: &Claim, uncertainty: &ClaimUncertainty) -> String {
    let stated_role = uncertainty.stated_role.map(|role| format!(" (stated as {})", role.word()));
    claim.role.word().to_owned() + &stated_role.unwrap_or_default()
}

/// Returns a summary: the numbers of claims with an error within one, two and three standard deviations, the number of
/// claims with each role, and the median and largest uncertainty.
pub fn summary(entries: &[(&Claim, &ClaimUncertainty)]) -> String {
    let z_magnitudes: Vec<f64> = entries.iter().filter_map(|(_, uncertainty)| uncertainty.z).map(f64::abs).collect();
    let within = |z_max: f64| z_magnitudes.iter().filter(|z| **z <= z_max).count();
    let claims_with_role = |role: Role| entries.iter().filter(|(claim, _)| claim.role == role).count();
    let mut std_devs: Vec<f64> = entries.iter().map(|(_, uncertainty)| uncertainty.std_dev).collect();
    std_devs.sort_by(f64::total_cmp);
    format!(
        "Of {} numbers {} are within one standard deviation, {} within two, {} within three. {} are predicted, {} \
         calibrated, {} given, {} underdetermined: their uncertainty exceeds their tolerance. Uncertainty: ±{} in the \
         median, ±{} at most.",
        z_magnitudes.len(),
        within(1.0),
        within(2.0),
        within(3.0),
        claims_with_role(Role::Predicted),
        claims_with_role(Role::Calibrated),
        claims_with_role(Role::Given),
        claims_with_role(Role::Underdetermined),
        percent(std_devs[std_devs.len() / 2]),
        percent(std_devs[std_devs.len() - 1]),
    )
}

/// Returns the table of constants with their uncertainties before and after calibration.
fn constants_artifact(entries: &[(&Claim, &ClaimUncertainty)], influences: &ConstantInfluences) -> Artifact {
    let mut table = ReportTable::new(["constant", "prior", "after", "sensitive numbers"].map(Column::new).to_vec());
    for (name, prior, after) in &influences.constants {
        let is_sensitive = |uncertainty: &ClaimUncertainty| {
            uncertainty.elasticities.iter().any(|elasticity| elasticity.constant == *name)
        };
        let count = entries.iter().filter(|(_, uncertainty)| is_sensitive(uncertainty)).count() as u64;
        let [prior, after] = [prior, after].map(|deviation| format!("±{}", percent(*deviation)));
        table.push(vec![name.as_str().into(), prior.into(), after.into(), count.into()]);
    }
    let caption = "Standard deviation of each constant that is not from a paper or a data sheet. The prior is ±25 %, \
                   or what the constant's comment states. The value after calibration takes an error of 3 % in the \
                   published numbers into account. A constant whose standard deviation does not decrease is not \
                   determined by the calibration.";
    let failed_changes: Vec<String> =
        influences.failed_changes.iter().map(|(name, why)| format!("{name} ({why})")).collect();
    let caption = match failed_changes.is_empty() {
        true => caption.to_owned(),
        false => format!(
            "{caption} Constants that could not be changed up and down for all numbers, so that their contribution is missing: {}.",
            failed_changes.join(", ")
        ),
    };
    Artifact::of_table("constants", "Uncertainty of the constants", caption, table)
}

/// Returns the heat map of claims by constants, shaded by elasticity.
fn heat_map_artifact(entries: &[(&Claim, &ClaimUncertainty)]) -> Artifact {
    let elasticity_of = |uncertainty: &ClaimUncertainty, name: &str| {
        let elasticity = uncertainty.elasticities.iter().find(|elasticity| elasticity.constant == name);
        elasticity.map_or(0.0, |elasticity| elasticity.elasticity)
    };
    let elasticity_max =
        |name: &str| entries.iter().map(|(_, uncertainty)| elasticity_of(uncertainty, name).abs()).fold(0.0, f64::max);
    let mut names: Vec<&str> = entries
        .iter()
        .flat_map(|(_, uncertainty)| &uncertainty.elasticities)
        .map(|elasticity| elasticity.constant.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| elasticity_max(b).total_cmp(&elasticity_max(a)));
    names.truncate(SHOWN_CONSTANTS_MAX);
    let row = |uncertainty: &ClaimUncertainty| names.iter().map(|name| elasticity_of(uncertainty, name)).collect();
    let rows: Vec<Vec<f64>> = entries.iter().map(|(_, uncertainty)| row(uncertainty)).collect();
    let columns = [Column::new("claim")].into_iter().chain(names.iter().map(|name| Column::new(*name)));
    let mut table = ReportTable::new(columns.collect());
    for ((claim, _), row) in entries.iter().zip(&rows) {
        table.push([claim.id.as_str().into()].into_iter().chain(row.iter().map(|value| (*value).into())).collect());
    }
    let magnitudes = rows.iter().map(|row| row.iter().map(|value| value.abs()).collect()).collect();
    let map = HeatMap {
        title: "Elasticity of each number to each constant".to_owned(),
        x: Axis::new("constant, by its column in the table"),
        y: "claim".to_owned(),
        shades: "elasticity, without its sign".to_owned(),
        shade_max: 1.0,
        panels: vec![Panel { name: String::new(), rows: magnitudes, end: names.len() as f64 }],
    };
    let caption = "The elasticity is the relative change of the number divided by that of the constant. Rows are \
                   claims, and columns are constants in the order of the table.";
    Artifact { svg: Some(map.svg()), ..Artifact::of_table("elasticities", "Elasticities", caption, table) }
}
