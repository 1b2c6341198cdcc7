//! Any text as a `--vary` option: it has values, each once, or its problem is told.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::study::vary::Vary;
use narrows::text::Problems;

fuzz_target!(|option: &str| match Vary::parse(option) {
    Ok(vary) => assert!(!vary.values.is_empty()),
    Err(problem) => assert!(!Problems::one(problem).render(true).is_empty()),
});
