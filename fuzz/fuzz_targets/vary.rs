//! Feeds arbitrary text as a `--vary` option: it must have values, each once, or its error reported.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::experiment::vary::Dimension;
use narrows::text::Problems;

fuzz_target!(|option: &str| match Dimension::parse(option) {
    Ok(dimension) => assert!(!dimension.is_empty()),
    Err(problem) => assert!(!Problems::one(problem).render(true).is_empty()),
});
