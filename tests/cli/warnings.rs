//! The uncertainty of a run that no constant changes.

use crate::common::cli::stdout;

#[test]
fn uncertainty_states_why_no_constant_matters() {
    let text = stdout(&["run", "pcie-gen4", "--uncertainty", "--no-host"]);
    assert!(text.contains("No uncertain constant changes a metric"), "{text}");
    assert!(text.contains("server PCIe link down limits the run: it is active for 99.6 % of the run"), "{text}");
    assert!(text.contains("hosts.gen4.pcie.root-complex") && !text.contains("±0 %"), "{text}");
    let text = stdout(&["run", "ping-pong", "--uncertainty", "--no-host"]);
    assert!(text.contains("most sensitive to") && !text.contains("No uncertain constant"), "{text}");
}
