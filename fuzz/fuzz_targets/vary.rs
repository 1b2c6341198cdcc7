//! Parses arbitrary text as a `--vary` option: the result must be a dimension with values, or an error with a message.
#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows::experiment::vary::Dimension;
use narrows::text::Problems;

fuzz_target!(|option: &str| match Dimension::parse(option) {
    Ok(dimension) => assert!(!dimension.is_empty()),
    Err(problem) => assert!(!Problems::from_problem(problem).render(true).is_empty()),
});
