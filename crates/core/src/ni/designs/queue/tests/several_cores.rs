//! Tests of programs on several cores that share a coherent queue.

use crate::engine::{Outcome, Recorder};
use crate::machine::Registry;
use crate::testing::RunObservation;
use crate::text::Document;

/// Runs two streams between nodes of two cores; the programs compare each payload with the one that was sent.
fn run(notice: &str, payload: u32, processor: &str) -> RunObservation {
    let text = format!(
        "parts = [\"protocols/return-to-sender-1998\", \"fabrics/ideal-1998\"]\n\
         nodes.left = {{ host = \"server\", endpoints = 2 }}\nnodes.right = {{ host = \"server\", endpoints = 2 }}\n\
         [hosts.server.pcie]\ncores = 2\nattachment = \"upi\"\nprocessor = {{ {processor} }}\n\
         [ni.cni32qm]\nmemory-time = \"5 ns\"\nprocessing-time = \"50 ns\"\nword-cycles = 1\nhead-poll = \"500 ns\"\n\
         message-max = \"4 KiB\"\nqueue-blocks = 8192\ncache-blocks = 2048\noutstanding = 16\nnotice = \"{notice}\"\n\
         [messaging]\nsend = 55\npoll = 15\nreceive = 70\n\
         [workload.stream]\nflows = [\"left:0 -> right:0\", \"left:1 -> right:1\"]\nwarm-up = 0\nmessages = 600\n\
         payload = \"{payload} B\"\n"
    );
    let machine = Registry::shared().read(Document::Text("cores", &text, None), &[]);
    RunObservation::of(&machine.unwrap_or_else(|errors| panic!("{errors}\n{text}")).value, Recorder::off())
}

#[test]
fn core_that_finds_a_message_sees_the_stores_of_the_core_that_delivered_it() {
    for (notice, payload) in [("tail", 64), ("tail", 256), ("line", 64), ("line", 256)] {
        for processor in ["", "outstanding-stores = 12", "outstanding-stores = 12, stream-prefetches = 20"] {
            let run = run(notice, payload, processor);
            assert_eq!(run.outcome, Outcome::Done, "{notice}, {payload} B, {processor}");
            assert_eq!(run.metric("messages.delivered"), Some(1200.0), "{notice}, {payload} B, {processor}");
        }
    }
}
