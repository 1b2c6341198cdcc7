//! Checks `narrows verify` on the command line: it reports which properties hold, finds broken rules of the firmware,
//! and agrees with Spin. The unit tests of each property check its definition.

use narrows::verify::spin::SpinVerdict;
use narrows::verify::{firmwares, rule, spin};
use serde_json::Value as Json;
use std::process::Output;

/// Runs `narrows verify` with these arguments.
fn verify(arguments: &[&str]) -> Output {
    crate::common::cli::narrows(&[&["verify"], arguments].concat())
}

/// Returns the standard output and the exit code.
fn stdout_and_code(arguments: &[&str]) -> (String, Option<i32>) {
    let output = verify(arguments);
    (String::from_utf8(output.stdout).expect("the text is UTF-8"), output.status.code())
}

fn json(arguments: &[&str]) -> (Json, Option<i32>) {
    let (text, code) = stdout_and_code(&[arguments, &["--format", "json"]].concat());
    (serde_json::from_str(&text).expect("the text is JSON"), code)
}

/// Returns the verdict on a property of the first firmware.
fn verdict_holds(json: &Json, property: &str) -> bool {
    let properties = json["firmwares"][0]["properties"].as_array().expect("the value is a list");
    let finding = properties.iter().find(|entry| entry["property"] == property).expect("the property is verified");
    finding["holds"].as_bool().expect("the verdict is a boolean")
}

#[test]
fn only_fine_pipelining_overlaps_within_a_packet_and_serial_firmware_not_at_all() {
    for (firmware, overlaps_between, overlaps_within) in
        [("berkeley-via", false, false), ("gm", true, false), ("coarse", true, false), ("fine", true, true)]
    {
        let (json, code) = json(&[firmware]);
        assert_eq!((code, json["as_expected"].as_bool()), (Some(0), Some(true)), "{firmware}");
        for direction in ["f1", "f2"] {
            assert_eq!(verdict_holds(&json, direction), overlaps_between, "{firmware}: {direction}");
            assert_eq!(
                verdict_holds(&json, &format!("{direction}-within")),
                overlaps_within,
                "{firmware}: {direction} within"
            );
        }
        let always_holding =
            ["f3", "f4", "f4-last", "engines", "landed-first", "whole", "no-deadlock", "in-turn", "table"];
        assert!(always_holding.iter().all(|property| verdict_holds(&json, property)), "{firmware}");
    }
}

#[test]
fn broken_rule_prints_its_counterexample_and_exits_with_1() {
    let arguments = ["berkeley-via", "--without", "engine-exclusive"];
    let (text, code) = stdout_and_code(&arguments);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("f4            FAILS"), "{text}");
    assert!(text.contains("RDMA Idle → Coarse_Grained_Rdma; writes 1 unit"), "{text}");
    assert_eq!(stdout_and_code(&arguments).0, text, "the output is reproducible");
}

#[test]
fn unknown_name_is_reported_with_the_nearest() {
    for (arguments, suggestion) in [(&["fin"][..], "did you mean `fine`?"), (&["gm", "--without", "turn"], "`turns`?")]
    {
        let output = verify(arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(suggestion) && output.stdout.is_empty(), "{errors}");
    }
}

#[test]
fn models_are_written_to_the_given_folder() {
    let folder = std::env::temp_dir().join(format!("narrows-verify-{}", std::process::id()));
    let output = verify(&["berkeley-via", "--promela", folder.to_str().expect("the text is UTF-8")]);
    let model = std::fs::read_to_string(folder.join("berkeley-via.pml"));
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(output.status.code(), Some(0));
    assert!(model.expect("a model is written").contains("ltl f4 { [] !(sdma && (coarse_rdma || fine_rdma)) }"));
}

/// Returns whether Spin and the programs that it needs are installed. If one is missing, prints its name.
fn has_spin() -> bool {
    let missing_program = spin::missing_program();
    if let Some(program) = missing_program {
        eprintln!("not checked with Spin: `{program}` is not installed");
    }
    missing_program.is_none()
}

/// Returns Spin's verdicts on a firmware without the check of Narrows, which other tests make.
fn spin_verdicts(firmware: &str, disabled_rule: Option<&str>) -> Vec<SpinVerdict> {
    let firmwares = firmwares(Some(firmware)).expect("the firmware exists");
    let disabled_rule = disabled_rule.map(|name| rule(name).expect("the rule exists"));
    spin::verify(&firmwares, disabled_rule).expect("Spin runs")
}

#[test]
fn spin_agrees() {
    if has_spin() {
        for firmware in ["gm", "coarse", "fine"] {
            let verdicts = spin_verdicts(firmware, None);
            assert_eq!(verdicts.len(), 13, "{verdicts:?}");
            assert!(verdicts.iter().all(SpinVerdict::is_as_expected), "{verdicts:?}");
        }
        let (json, code) = json(&["berkeley-via", "--spin"]);
        let findings = json["firmwares"][0]["spin"].as_array().expect("the value is a list");
        assert_eq!((code, findings.len()), (Some(0), 13), "{json:#}");
    }
}

#[test]
fn spin_finds_broken_rules() {
    for (firmware, rule, formula) in [
        ("gm", "engine-exclusive", "f4"),
        ("gm", "bytes-first", "asserts"),
        ("coarse", "buffers-held", "asserts"),
        ("gm", "ends-marked", "all_delivered"),
        ("gm", "turns", "asserts"),
    ] {
        if has_spin() {
            let verdicts = spin_verdicts(firmware, Some(rule));
            let verdict = verdicts.iter().find(|verdict| verdict.formula == formula).expect("the formula is verified");
            assert!(!verdict.holds && !verdict.is_as_expected(), "{firmware} without {rule}");
        }
    }
}
