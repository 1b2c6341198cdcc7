//! Reads and checks arbitrary text as a description: it must be accepted, or its errors reported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::machine;
use narrows::text::Document;

fuzz_target!(|text: &str| {
    if let Err(problems) = machine::read(Document::Text("fuzz.toml", text, None), &[]) {
        assert!(!problems.render(true).is_empty());
    }
});
