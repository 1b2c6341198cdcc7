//! Does any text, however odd, end in a machine or in problems that are told? See also `fuzz/`.

use narrows::machine::{self, shipped};
use narrows::study::vary::Vary;
use narrows::text::{Document, Problems};
use proptest::prelude::*;

/// Reads a description; what is wrong with it must be told.
fn read(text: &str, sets: &[String]) {
    if let Err(problems) = machine::read(Document::Text("any.toml", text, None), sets) {
        assert!(!problems.render(true).is_empty());
    }
}

fn example() -> &'static str {
    shipped::example("ping-pong").expect("an example")
}

/// A shipped example with one stretch of it replaced.
fn damaged() -> impl Strategy<Value = String> {
    let other = "\\PC{0,6}|[0-9\"\\[\\]=.,-]{0,4}|[a-z-]{1,9} = [0-9]{1,20}\n|\"[0-9]{1,4} [kKMG]?i?B\"";
    (any::<prop::sample::Index>(), 0..12usize, other).prop_map(|(at, long, other)| {
        let text = example();
        let from = text.floor_char_boundary(at.index(text.len()));
        let to = text.floor_char_boundary((from + long).min(text.len()));
        format!("{}{other}{}", &text[..from], &text[to..])
    })
}

/// A key of the language, or something like it, and a value.
fn setting() -> impl Strategy<Value = String> {
    let keys = [
        "run.seed",
        "parts",
        "nodes",
        "nodes.sender.host",
        "hosts.x.io-bus.pci.clock",
        "ni",
        "ni.queues.packet",
        "ni.trapeze.policy",
        "ni.trapeze.policy.store-and-forward.buffers",
        "ni.trapeze.payload-max",
        "ni.trapeze.ring-entries",
        "protocol",
        "protocol.nifdy.window",
        "protocol.return-to-sender.flow-control-buffers",
        "messaging.message-max",
        "messaging.receive",
        "fabric",
        "fabric.mesh.shape",
        "fabric.myrinet.links",
        "fabric.myrinet.switches",
        "fabric.myrinet.flit",
        "workload",
        "workload.stream.flows",
        "workload.ping-pong.payload",
    ];
    let values = "\\PC{0,8}|[0-9]{1,20}|-?[0-9]{1,3}|[0-9]{1,4} (B|KiB|us|MB/s|GHz)|\\[\\]|\\{\\}|\\[\"a - b\"\\]\
                  |\\[\"switch\", \"switch\"\\]|\\[\"sender - receiver\"\\]|\\[\"sender -> receiver\"\\]|store-and-forward\
                  |queues|startjr|cni32qm|none|nifdy|return-to-sender|ideal|mesh|\\[2, 2\\]";
    (prop::sample::select(keys.to_vec()), values).prop_map(|(key, value)| format!("{key}={value}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_description_panics(text in "\\PC*|(\\PC{0,9}\n){0,9}") {
        read(&text, &[]);
    }

    #[test]
    fn no_damaged_example_panics(text in damaged()) {
        read(&text, &[]);
    }

    #[test]
    fn no_settings_panic(sets in prop::collection::vec(setting(), 1..4)) {
        read(example(), &sets);
    }

    #[test]
    fn what_is_read_can_be_built(sets in prop::collection::vec(setting(), 1..4)) {
        let document = Document::Text("any.toml", example(), None);
        if let Ok(read) = machine::read(document, &sets) {
            machine::build::build(&read.value, narrows::engine::Recorder::off());
        }
    }

    #[test]
    fn no_vary_panics(option in "\\PC*|[a-c.]{1,4}=[0-9a-zA-Z .,*+\"'\\[\\]{}]{0,40}") {
        match Vary::parse(&option) {
            Ok(vary) => prop_assert!(!vary.values.is_empty()),
            Err(problem) => prop_assert!(!Problems::one(problem).render(true).is_empty()),
        }
    }
}
