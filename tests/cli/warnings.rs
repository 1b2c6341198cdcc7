//! Warnings and notes of runs with several seeds, and of the uncertainty of a run that no constant changes.

use crate::common::cli::{narrows, stderr, stdout};

#[test]
fn run_with_seeds_warns_as_a_run_does() {
    let tags = "--set=hosts.ivy-bridge.pcie.link.tags=2";
    let ran = narrows(&["run", "pcie-gen3", tags, "--seeds=2"]);
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    assert_eq!(
        stderr(&ran).matches("2 tags of 512 B carry at most 23.2 Gbit/s of reads").count(),
        1,
        "{}",
        stderr(&ran)
    );
}

#[test]
fn uncertainty_states_why_no_constant_matters() {
    let text = stdout(&["run", "pcie-gen4", "--uncertainty", "--no-host"]);
    assert!(text.contains("No uncertain constant changes a metric"), "{text}");
    assert!(text.contains("server PCIe link down limits the run: it is active for 99.6 % of the run"), "{text}");
    assert!(text.contains("hosts.gen4.pcie.root-complex") && !text.contains("±0 %"), "{text}");
    let text = stdout(&["run", "ping-pong", "--uncertainty", "--no-host"]);
    assert!(text.contains("most sensitive to") && !text.contains("No uncertain constant"), "{text}");
}
