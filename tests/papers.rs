//! The studies run, and their claims hold but for those that their pages name as failing.

use narrows::study::{self, Options, Progress};

struct Silent;

impl Progress for Silent {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

/// Reproduces a paper on the smaller inputs; the claims that fail, and how many were judged.
fn failing(paper: &str) -> (Vec<String>, usize) {
    let options = Options { paper: paper.to_owned(), quick: true, ..Options::default() };
    let report = study::reproduce(&options, &Silent).expect("a listed paper is there");
    let failing = report.claims.iter().filter(|claim| claim.holds == Some(false));
    let judged = report.claims.iter().filter(|claim| claim.holds.is_some()).count();
    (failing.map(|claim| claim.id.clone()).collect(), judged)
}

#[test]
fn trapeze_holds_but_for_what_its_page_says() {
    let (failing, judged) = failing("trapeze");
    assert_eq!(judged, 57, "every claim is judged");
    assert_eq!(failing, ["R11-transfers", "S3.1-minpulse"]);
}
