//! The studies run, and their claims hold but for those that their pages name as failing.

use narrows::study::{self, Options, Progress};

struct Silent;

impl Progress for Silent {
    fn begins(&self, _: usize) {}
    fn done(&self, _: &str) {}
}

/// Reproduces a paper, or an artifact of it; the claims that fail, and how many were judged.
fn failing(paper: &str, artifact: Option<&str>, quick: bool) -> (Vec<String>, usize) {
    let artifact = artifact.map(str::to_owned);
    let options = Options { paper: paper.to_owned(), artifact, quick, ..Options::default() };
    let report = study::reproduce(&options, &Silent).expect("a listed paper is there");
    let failing = report.claims.iter().filter(|claim| claim.holds == Some(false));
    let judged = report.claims.iter().filter(|claim| claim.holds.is_some()).count();
    (failing.map(|claim| claim.id.clone()).collect(), judged)
}

#[test]
fn trapeze_holds_but_for_what_its_page_says() {
    let (failing, judged) = failing("trapeze", None, true);
    assert_eq!(judged, 57, "every claim is judged");
    assert_eq!(failing, ["R11-transfers", "S3.1-minpulse"]);
}

#[test]
fn table_5_of_mukherjee_and_hill_holds_but_for_what_its_page_says() {
    let (failing, judged) = failing("mukherjee-hill", Some("table-5"), false);
    let known = ["T5-cni32qm-bandwidth-8", "T5-cni32qm-throttle-bandwidth-64", "T5-udma-latency-256", "R2"];
    assert!(judged >= 53, "every entry is judged");
    assert!(failing.iter().all(|id| known.contains(&id.as_str())), "{failing:?}");
    assert!(failing.len() == known.len(), "{failing:?}: what no longer fails leaves the page");
}
