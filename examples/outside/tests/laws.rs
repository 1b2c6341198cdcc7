//! Checks that the parts of this crate obey the laws of every part, with each compatible shipped part.

use narrows::testing::{Selection, declaration_errors, matrix};
use narrows_outside::registry;
use std::sync::Arc;

#[test]
fn doorbell_obeys_the_laws_with_every_part() {
    let report = matrix(&Arc::new(registry()), &Selection { ni: Some("doorbell"), ..Selection::ALL });
    assert!(report.violations.is_empty(), "{report}");
    assert!(report.runs > 200, "{report}");
}

#[test]
fn hot_potato_obeys_the_laws_on_every_part() {
    let report = matrix(&Arc::new(registry()), &Selection { workload: Some("hot-potato"), ..Selection::ALL });
    assert!(report.violations.is_empty(), "{report}");
    assert!(report.runs > 200, "{report}");
}

#[test]
fn keys_are_read_once_and_examples_run() {
    assert_eq!(declaration_errors(&Arc::new(registry())), Vec::<String>::new());
}
