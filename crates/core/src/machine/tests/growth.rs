//! Tests of how the cost of a machine grows with its size, in allocations, which do not depend on the computer.
//!
//! `benches/instructions.sh` counts instructions.

use crate::engine::Recorder;
use crate::machine::Registry;
use crate::machine::build::build;
use crate::text::Document;
use allocation_counter::{AllocationInfo, measure};

/// The bytes that a node may cost before its first message.
const NODE_BYTES_MAX: i64 = 300 * 1024;

/// Returns a description of `nodes` nodes. Each node of the first half sends to one node of the second half.
fn description(parts: &str, host: &str, nodes: usize) -> String {
    let nodes_text: String = (0..nodes).map(|node| format!("[nodes.n{node}]\nhost = \"{host}\"\n")).collect();
    let flows: Vec<String> = (0..nodes / 2).map(|node| format!("\"n{node} -> n{}\"", node + nodes / 2)).collect();
    format!(
        "parts = [{parts}]\n{nodes_text}[workload.stream]\nflows = [{}]\nmessages = 2\nwarm-up = 0\npayload = \"64 B\"\n",
        flows.join(", ")
    )
}

/// The allocations for reading, building and running a machine.
struct Cost {
    read: AllocationInfo,
    build: AllocationInfo,
    run: AllocationInfo,
}

impl Cost {
    fn measure(text: &str) -> Cost {
        let document = Document::Text("test", text, None);
        // Values that are computed once for the process are computed first.
        Registry::shared().read(document, &[]).unwrap_or_else(|problems| panic!("{problems}"));
        let (mut machine, mut built) = (None, None);
        let read = measure(|| machine = Registry::shared().read(document, &[]).ok());
        let machine = machine.expect("the description was read before").value;
        let build = measure(|| built = Some(build(&machine, Recorder::off())));
        let built = built.expect("the machine was just built");
        let run = measure(|| {
            built.run();
        });
        Cost { read, build, run }
    }

    fn allocations(&self) -> [u64; 3] {
        [self.read.count_total, self.build.count_total, self.run.count_total]
    }

    fn bytes(&self) -> [u64; 3] {
        [self.read.bytes_total, self.build.bytes_total, self.run.bytes_total]
    }
}

#[test]
fn cost_is_linear_in_nodes_and_flows() {
    for (parts, host) in [
        (r#""hosts/cm-5", "ni/queues", "fabrics/ideal-1998""#, "cm-5"),
        (
            r#""hosts/memory-bus-1998", "ni/cni32qm", "protocols/return-to-sender-1998", "fabrics/ideal-1998""#,
            "memory-bus-1998",
        ),
    ] {
        let [small, large] = [64, 128].map(|nodes| Cost::measure(&description(parts, host, nodes)));
        let steps = ["reading", "building", "running"];
        let counts = small.allocations().into_iter().zip(large.allocations());
        for (step, (n, doubled)) in steps.iter().zip(counts) {
            assert!(doubled <= n * 21 / 10, "{host}: {step} 64 nodes took {n} allocations, 128 nodes {doubled}");
        }
        for (step, (n, doubled)) in steps.iter().zip(small.bytes().into_iter().zip(large.bytes())) {
            assert!(doubled <= n * 22 / 10, "{host}: {step} 64 nodes took {n} bytes, 128 nodes {doubled}");
        }
    }
}

#[test]
fn node_costs_little_before_its_first_message() {
    for (parts, host) in [
        (r#""hosts/p6-natoma", "ni/trapeze", "protocols/none", "fabrics/myrinet""#, "p6-natoma"),
        (
            r#""hosts/memory-bus-1998", "ni/cni32qm", "protocols/return-to-sender-1998", "fabrics/ideal-1998""#,
            "memory-bus-1998",
        ),
    ] {
        let [two, four] = [2, 4].map(|nodes| Cost::measure(&description(parts, host, nodes)).build.bytes_current);
        let node = (four - two) / 2;
        assert!(node <= NODE_BYTES_MAX, "{host}: a node holds {node} bytes when it is built");
    }
}
