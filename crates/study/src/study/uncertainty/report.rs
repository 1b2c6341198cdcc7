//! How sure numbers are, as a summary, a table and a picture: claims by constants.

use super::ConstantInfluences;
use crate::report::chart::{Axis, HeatMap, Panel};
use crate::report::claim::{Claim, Doubt, Role};
use crate::report::number::percent;
use crate::report::{Artifact, Column, ReportTable};

/// The constants that a picture has room for: those that move a number most.
const CONSTANTS_SHOWN: usize = 24;

/// What is told of how sure a study's numbers are.
pub fn artifacts(claims: &[Claim], doubts: &ConstantInfluences) -> Vec<Artifact> {
    let sure: Vec<(&Claim, &Doubt)> = claims.iter().filter_map(|claim| Some((claim, claim.doubt.as_ref()?))).collect();
    if sure.is_empty() {
        return Vec::new();
    }
    vec![numbers(&sure), constants(&sure, doubts), map(&sure)]
}

/// Each number with what is left free of it.
fn numbers(sure: &[(&Claim, &Doubt)]) -> Artifact {
    let heads = ["claim", "role", "error", "left free", "z", "answers most to"];
    let mut table = ReportTable::new(heads.map(Column::new).to_vec());
    for (claim, doubt) in sure {
        let most: Vec<String> =
            doubt.elasticities.iter().take(3).map(|one| format!("{} {:+.2}", one.constant, one.elasticity)).collect();
        table.push(vec![
            claim.id.as_str().into(),
            role(claim, doubt).into(),
            claim.relative_error().map(crate::report::number::signed_percent).into(),
            format!("±{}", percent(doubt.left_free)).into(),
            doubt.z.map(|z| format!("{z:+.2}")).into(),
            most.join(", ").into(),
        ]);
    }
    let (title, caption) = ("How sure the numbers are".to_owned(), summary(sure));
    Artifact { id: "uncertainty".to_owned(), title, caption, svg: None, table: Some(table) }
}

/// A number's role, and which its claim states if that is another.
fn role(claim: &Claim, doubt: &Doubt) -> String {
    let stated = doubt.stated.map(|stated| format!(" (stated as {})", stated.word()));
    claim.role.word().to_owned() + &stated.unwrap_or_default()
}

/// How many numbers are within so many standard deviations, by role.
pub fn summary(sure: &[(&Claim, &Doubt)]) -> String {
    let judged: Vec<f64> = sure.iter().filter_map(|(_, doubt)| doubt.z).map(f64::abs).collect();
    let within = |most: f64| judged.iter().filter(|z| **z <= most).count();
    let of = |role: Role| sure.iter().filter(|(claim, _)| claim.role == role).count();
    let mut free: Vec<f64> = sure.iter().map(|(_, doubt)| doubt.left_free).collect();
    free.sort_by(f64::total_cmp);
    format!(
        "Of {} numbers {} are within one standard deviation, {} within two, {} within three. {} are predicted, {} \
         calibrated, {} given, {} underdetermined: left freer than their tolerance. Left free: ±{} in the median, \
         ±{} at most.",
        judged.len(),
        within(1.0),
        within(2.0),
        within(3.0),
        of(Role::Predicted),
        of(Role::Calibrated),
        of(Role::Given),
        of(Role::Underdetermined),
        percent(free[free.len() / 2]),
        percent(free[free.len() - 1]),
    )
}

/// Each constant with what is known of it before and after.
fn constants(sure: &[(&Claim, &Doubt)], doubts: &ConstantInfluences) -> Artifact {
    let mut table = ReportTable::new(["constant", "prior", "after", "numbers that answer"].map(Column::new).to_vec());
    for (name, prior, after) in &doubts.constants {
        let answers = |doubt: &Doubt| doubt.elasticities.iter().any(|one| one.constant == *name);
        let count = sure.iter().filter(|(_, doubt)| answers(doubt)).count() as u64;
        let [prior, after] = [prior, after].map(|sure| format!("±{}", percent(*sure)));
        table.push(vec![name.as_str().into(), prior.into(), after.into(), count.into()]);
    }
    let caption = "One standard deviation of each constant that no paper and no data sheet gives: by its comment, \
                   and once the numbers calibrated on hold within 3 %. One that is as free after as before is not \
                   determined by them.";
    let (id, title) = ("constants".to_owned(), "What is known of the constants".to_owned());
    Artifact { id, title, caption: caption.to_owned(), svg: None, table: Some(table) }
}

/// Claims by constants, shaded by elasticity.
fn map(sure: &[(&Claim, &Doubt)]) -> Artifact {
    let most_of = |name: &str| {
        let of =
            |doubt: &Doubt| doubt.elasticities.iter().find(|one| one.constant == name).map(|one| one.elasticity.abs());
        sure.iter().filter_map(|(_, doubt)| of(doubt)).fold(0.0, f64::max)
    };
    let mut names: Vec<&str> =
        sure.iter().flat_map(|(_, doubt)| &doubt.elasticities).map(|one| one.constant.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by(|a, b| most_of(b).total_cmp(&most_of(a)));
    names.truncate(CONSTANTS_SHOWN);
    let cell = |doubt: &Doubt, name: &str| {
        doubt.elasticities.iter().find(|one| one.constant == name).map_or(0.0, |one| one.elasticity)
    };
    let rows: Vec<Vec<f64>> =
        sure.iter().map(|(_, doubt)| names.iter().map(|name| cell(doubt, name)).collect()).collect();
    let columns = [Column::new("claim")].into_iter().chain(names.iter().map(|name| Column::new(*name)));
    let mut table = ReportTable::new(columns.collect());
    for ((claim, _), row) in sure.iter().zip(&rows) {
        table.push([claim.id.as_str().into()].into_iter().chain(row.iter().map(|value| (*value).into())).collect());
    }
    let shaded = rows.iter().map(|row| row.iter().map(|value| value.abs()).collect()).collect();
    let map = HeatMap {
        title: "To which constants each number answers".to_owned(),
        x: Axis::new("constant, by its column in the table"),
        y: "claim".to_owned(),
        shades: "elasticity, without its sign".to_owned(),
        most: 1.0,
        panels: vec![Panel { name: String::new(), rows: shaded, to: names.len() as f64 }],
    };
    let caption = "A per cent more of the constant gives so many per cent more of the number. Rows are claims and \
                   columns constants in the order of the table.";
    Artifact {
        id: "elasticities".to_owned(),
        title: "Elasticities".to_owned(),
        caption: caption.to_owned(),
        svg: Some(map.svg()),
        table: Some(table),
    }
}
