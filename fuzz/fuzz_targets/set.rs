//! Applies arbitrary text as a `--set` option to a shipped example: it must be accepted, or its errors reported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::machine::{self, shipped};
use narrows::text::Document;

fuzz_target!(|option: &str| {
    let text = shipped::example("ping-pong").expect("the example is shipped");
    if let Err(problems) = machine::read(Document::Text("ping-pong.toml", text, None), &[option.to_owned()]) {
        assert!(!problems.render(true).is_empty());
    }
});
