//! Warnings and notes of runs with several seeds, of sweeps and searches, and of the uncertainty of a run that no
//! constant changes.

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
fn sweep_and_search_print_each_warning_of_a_host_once_with_its_points() {
    let key = "hosts.ivy-bridge.pcie.link.tags";
    let few_messages = "--set=workload.dma.transfers=100";
    let point_of = |arguments: &[&str]| {
        let ran = narrows(&[&["sweep", "pcie-gen3", few_messages], arguments].concat());
        let text = stderr(&ran);
        assert_eq!(text.matches("warning: `hosts.ivy-bridge.pcie.link.tags`").count(), 1, "{text}");
        assert!(text.contains("2 tags of 512 B carry at most 23.2 Gbit/s of reads"), "{text}");
        text.lines().find_map(|line| line.trim().strip_prefix("At ").map(str::to_owned)).expect("the points are named")
    };
    let vary = |values: &str| format!("--vary={key}={values}");
    assert_eq!(point_of(&[&vary("2,24")]), format!("the point {key}=2."));
    assert_eq!(point_of(&[&vary("2,3,24"), "--seeds=2"]), format!("4 points (the first is {key}=2, run.seed=1)."));
    assert_eq!(point_of(&[&vary("2,3")]), format!("every point (the first is {key}=2)."));
    let over = format!("--over={key}=2..24");
    assert_eq!(point_of(&["--find=dma.bandwidth >= 1 MB/s", &over]), format!("the point {key}=2."));
}

#[test]
fn uncertainty_states_why_no_constant_matters() {
    let text = stdout(&["run", "pcie-gen4", "--uncertainty", "--no-host"]);
    assert!(text.contains("No uncertain constant changes a metric"), "{text}");
    assert!(text.contains("server PCIe link down limits the run: it is active for 99.6 % of the run"), "{text}");
    assert!(text.contains("hosts.gen4.pcie.root-complex") && !text.contains("±0 %"), "{text}");
    let short = ["--set", "workload.ping-pong.messages=20", "--set", "workload.ping-pong.warm-up=20"];
    let text = stdout(&[&["run", "ping-pong", "--uncertainty", "--no-host"], &short[..]].concat());
    assert!(text.contains("most sensitive to") && !text.contains("No uncertain constant"), "{text}");
}
