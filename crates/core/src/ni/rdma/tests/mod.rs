//! Tests of the interface in whole machines: messages, verbs, failures, and losses.

mod messages;
mod verbs;
mod workload;

use crate::engine::{Outcome, Recorder};
use crate::machine::{Machine, Registry};
use crate::testing::RunObservation;
use crate::text::Document;
use std::sync::Arc;

/// Reads a machine of `nodes` nodes, with a registry that has the workloads of the tests.
fn machine(fabric: &str, nodes: usize, description: &str, overrides: &[&str]) -> Result<Machine, String> {
    let text = format!(
        "parts = [\"hosts/pcie-gen3-x8\", \"ni/rdma\", \"fabrics/{fabric}\"]\n\
         nodes.n = {{ count = {nodes}, host = \"pcie-gen3-x8\" }}\n{description}\n"
    );
    let registry = Arc::new(Registry::shipped().with_workload::<workload::VerbsTest>());
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    registry
        .read(Document::Text("rdma", &text, None), &overrides)
        .map(|read| read.value)
        .map_err(|errors| errors.to_string())
}

/// Runs a machine that must be valid, to its end.
fn observe(fabric: &str, nodes: usize, description: &str, overrides: &[&str]) -> RunObservation {
    let machine = machine(fabric, nodes, description, overrides).unwrap_or_else(|problems| panic!("{problems}"));
    let observation = RunObservation::of(&machine, Recorder::off());
    assert_eq!(observation.outcome, Outcome::Done, "{overrides:?}");
    observation
}
