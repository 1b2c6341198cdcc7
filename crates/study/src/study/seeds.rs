//! The verdicts of a study whose points are run with several seeds.
//!
//! Each repetition adds the same number to the seed of every point, so that points of a study that differ in their seeds
//! keep different ones. Runs of explorations keep their seeds.

use crate::report::claim::Claim;
use crate::report::number::counted;
use crate::report::{Artifact, Column, ReportTable};

/// The number that each repetition adds to the seeds of the one before. It exceeds the seeds among which a study takes its means.
pub const OFFSET: u64 = 1000;

/// A claim as judged in each repetition. The first one has the seeds of the descriptions.
struct Repetitions<'a>(Vec<&'a Claim>);

impl Repetitions<'_> {
    fn has_one_verdict(&self) -> bool {
        self.0.iter().all(|claim| claim.holds == self.0[0].holds)
    }

    fn has_one_value(&self) -> bool {
        self.0.iter().all(|claim| claim.measured == self.0[0].measured)
    }

    /// Returns how many repetitions hold: `2 of 3`; a dash if the claim was not judged.
    fn verdicts(&self) -> String {
        let judged = self.0.iter().filter_map(|claim| claim.holds);
        match judged.clone().count() {
            0 => "–".to_owned(),
            count => format!("{} of {count}", judged.filter(|holds| *holds).count()),
        }
    }
}

/// Returns the table of claims whose measured values depend on the seed, those whose verdicts depend on it first.
pub fn artifact(claims: &[Claim], reseeded_claims: &[Vec<Claim>]) -> Artifact {
    let repetitions_of = |(index, claim)| {
        Repetitions(std::iter::once(claim).chain(reseeded_claims.iter().map(|claims| &claims[index])).collect())
    };
    let mut rows: Vec<Repetitions> = claims.iter().enumerate().map(repetitions_of).collect();
    rows.retain(|row| !(row.has_one_verdict() && row.has_one_value()));
    rows.sort_by_key(Repetitions::has_one_verdict);
    let changing: Vec<&str> =
        rows.iter().filter(|row| !row.has_one_verdict()).map(|row| row.0[0].id.as_str()).collect();
    let seeds = reseeded_claims.len() as u64 + 1;
    let headings = ["claim", "role", "expected", "holds", "measured with each seed"];
    let mut table = ReportTable::new(headings.map(Column::new).to_vec());
    for row in &rows {
        let first = row.0[0];
        let measured: Vec<String> = row.0.iter().map(|claim| claim.measured_text()).collect();
        let expected = first.expected_text();
        table.push(vec![
            first.id.as_str().into(),
            first.role.word().into(),
            expected.into(),
            row.verdicts().into(),
            measured.join("; ").into(),
        ]);
    }
    let verdicts = match changing.as_slice() {
        [] => "no verdict depends on the seed".to_owned(),
        [claim] => format!("the verdict of {claim} depends on the seed"),
        claims => format!("the verdicts of {} depend on the seed", claims.join(", ")),
    };
    Artifact {
        id: "seeds".to_owned(),
        title: format!("With {seeds} seeds {verdicts}"),
        caption: format!(
            "Of {}, {} the same verdict with every seed; the table has those whose measured value differs. The seeds \
             are those of the descriptions and, for each repetition, {OFFSET} more. Explorations keep their seeds.",
            counted(claims.len(), "claim"),
            match claims.len() - changing.len() {
                1 => "1 has".to_owned(),
                same => format!("{same} have"),
            },
        ),
        table: (!rows.is_empty()).then_some(table),
        ..Artifact::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::claim::samples;

    #[test]
    fn claims_that_depend_on_the_seed_are_listed() {
        let claims = |measured: f64, holds: bool| {
            let numbers = ["a", "b"].map(|id| samples::number(id, 10.0, measured, if id == "a" { 0.5 } else { 0.05 }));
            let shapes = [samples::shape("c", Some(holds)), samples::shape("d", None)];
            numbers.into_iter().chain(shapes).collect::<Vec<_>>()
        };
        let artifact = artifact(&claims(10.0, true), &[claims(10.2, true), claims(9.0, false)]);
        assert_eq!(artifact.title, "With 3 seeds the verdicts of b, c depend on the seed");
        assert!(artifact.caption.starts_with("Of 4 claims, 2 have the same verdict"), "{}", artifact.caption);
        let text = artifact.table.expect("values differ").text();
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(" of 3")).collect();
        let starts_with = ["b ", "c ", "a "].iter().zip(&rows).all(|(id, row)| row.starts_with(id));
        assert!(starts_with && rows.len() == 3, "claims whose verdicts differ come first:\n{text}");
        assert!(rows[0].contains("2 of 3") && rows[0].contains("10 µs; 10.2 µs; 9 µs"), "{text}");
        assert!(rows[1].contains("2 of 3") && rows[2].contains("3 of 3"), "{text}");
    }

    #[test]
    fn no_table_is_drawn_if_nothing_depends_on_the_seed() {
        let claims = vec![samples::number("a", 10.0, 10.0, 0.05)];
        let artifact = artifact(&claims, std::slice::from_ref(&claims));
        assert_eq!(artifact.title, "With 2 seeds no verdict depends on the seed");
        assert!(artifact.caption.starts_with("Of 1 claim, 1 has the same verdict"), "{}", artifact.caption);
        assert_eq!(artifact.table, None);
    }
}
