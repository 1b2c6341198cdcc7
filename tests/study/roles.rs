//! Checks the roles of a study's claims against its choices and its fit, and its verdicts against the expected ones.

use super::{folder_with_study, replace_in_file};
use crate::common::cli::{Folder, narrows, stderr};
use std::fs;

/// Appends `text` to a file of the study, which is created if it is absent.
fn append(folder: &Folder, file: &str, text: &str) {
    let path = folder.0.join(file);
    let text_before = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, text_before + text).expect("the file can be written");
}

/// The role of the claim `latency-8K`, the choice's `chosen-with`, and parts of the error message. The claim is on line
/// 4 of its file.
const ROLE_ERRORS: [(&str, &str, &[&str]); 7] = [
    (
        "",
        "chosen-with = [\"latency-8K\"]",
        &[
            "`latency-8K` is called predicted, but was in sight of the choice of a rate",
            "claims.toml:4:6",
            "study.toml:38:16",
            "write role = \"calibrated\"",
        ],
    ),
    (
        "role = \"given\"\n",
        "chosen-with = [\"latency-*\"]",
        &["`latency-8K` has two roles: it is given, and calibrated", "claims.toml:4:6", "study.toml:38:16"],
    ),
    (
        "role = \"underdetermined\"\n",
        "chosen-with = [\"latency-8K\"]",
        &["`latency-8K` is called underdetermined, but was in sight", "study.toml:38:16"],
    ),
    (
        "role = \"calibrated\"\n",
        "chosen-with = [\"latency-8K\", \"fastr\"]",
        &["study.toml:38:30", "there is no claim `fastr`", "did you mean `faster`?"],
    ),
    (
        "role = \"calibrated\"\n",
        "chosen-with = [\"T1-*\"]",
        &[
            "study.toml:38:16",
            "there is no claim `T1-*`",
            "`latency-8K` is calibrated, but neither the fit nor a choice names it",
            "claims.toml:4:6",
        ],
    ),
    ("", "chosen-with = []", &["study.toml:38:15", "this choice names no claim"]),
    (
        "role = \"calibrated\"\n",
        "chosen-with = [\"latency-8K\"]\nartifacts = [\"latencies\"]",
        &["study.toml:39:15", "no artifact `latencies`", "did you mean `latency`?"],
    ),
];

#[test]
fn errors_of_roles_are_reported_with_both_positions() {
    for (number, (role, chosen_with, expected)) in ROLE_ERRORS.iter().enumerate() {
        let folder = folder_with_study(&format!("roles-{number}"));
        replace_in_file(&folder, "claims.toml", "kind = \"number\"\n", &format!("kind = \"number\"\n{role}"));
        append(&folder, "study.toml", &format!("\n[[choice]]\nwhat = \"a rate\"\nwhy = \"a guess\"\n{chosen_with}\n"));
        let output = narrows(&["reproduce", folder.root()]);
        let errors = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{chosen_with}: {errors}");
        let missing_words: Vec<_> = expected.iter().filter(|words| !errors.contains(**words)).collect();
        assert!(missing_words.is_empty(), "{role}{chosen_with}: {missing_words:?} is not in\n{errors}");
    }
}

#[test]
fn claim_named_by_the_fit_is_calibrated() {
    let folder = folder_with_study("fitted");
    append(&folder, "fit.toml", "[fit]\nclaims = [\"latency-8K\"]\n");
    let errors = stderr(&narrows(&["reproduce", folder.root()]));
    for words in ["`latency-8K` is called predicted, but was in sight of the fit", "claims.toml:4:6", "fit.toml:2:11"] {
        assert!(errors.contains(words), "{words} is not in\n{errors}");
    }
}

#[test]
fn expected_failure_has_a_cause_and_a_reason() {
    for (number, (keys, expected)) in [
        ("fails = \"modl\"\nfails-because = \"r\"", "did you mean \"model\"?"),
        ("fails = \"model\"", "an expected failure needs a reason"),
        ("fails-because = \"r\"", "this reason has no cause"),
        ("restates = [\"latency-4K\"]", "there is no claim `latency-4K`"),
    ]
    .iter()
    .enumerate()
    {
        let folder = folder_with_study(&format!("failure-{number}"));
        replace_in_file(&folder, "claims.toml", "kind = \"number\"\n", &format!("kind = \"number\"\n{keys}\n"));
        let errors = stderr(&narrows(&["reproduce", folder.root()]));
        assert!(errors.contains(expected), "{keys}: {expected} is not in\n{errors}");
    }
}

/// Checks that `--strict` accepts a claim that fails as expected, and reports a claim that holds although it is
/// expected to fail.
#[test]
fn strict_compares_verdicts_with_the_expected_ones_in_both_directions() {
    let expected_failure = "kind = \"number\"\nfails = \"model\"\nfails-because = \"no second switch\"\n";
    for (number, (expected, keys, code, words)) in [
        ("expected = 110", "kind = \"number\"\n", 0, "2 of 2 claims hold"),
        ("expected = 110", expected_failure, 1, "Not as expected: holds, which the study expects to fail: latency-8K"),
        ("expected = 500", expected_failure, 0, "expected to fail model: no second switch"),
        (
            "expected = 500",
            "kind = \"number\"\n",
            1,
            "Not as expected: fails, which the study does not expect: latency-8K",
        ),
    ]
    .iter()
    .enumerate()
    {
        let folder = folder_with_study(&format!("strict-{number}"));
        replace_in_file(&folder, "claims.toml", "expected = 110", expected);
        replace_in_file(&folder, "claims.toml", "kind = \"number\"\n", keys);
        let output = narrows(&["reproduce", folder.root(), "--strict"]);
        let text = String::from_utf8_lossy(&output.stdout).replace('\n', " ");
        assert_eq!(output.status.code(), Some(*code), "{expected}: {text}");
        assert!(text.contains(words), "{words} is not in\n{text}");
    }
}
