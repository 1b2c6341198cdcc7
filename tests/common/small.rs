//! Combinations of shipped parts with small inputs, for the tests that run many of them.

use narrows::machine::combinations::Combination;
use narrows::machine::{self, Machine, Registry};
use narrows::testing::small_description;
use narrows::text::Document;

/// Returns the parts of a combination: host, interface, protocol, fabric.
pub fn parts(combination: &Combination) -> [&str; 4] {
    [combination.host, combination.ni, combination.protocol, combination.fabric]
}

/// Reads the combination with four nodes, or two for programs of two, and a small input.
pub fn small_machine(combination: &Combination) -> Result<Machine, String> {
    with_endpoints(combination, 1)
}

/// Reads the combination with a small input and `endpoints` endpoints on each node.
pub fn with_endpoints(combination: &Combination, endpoints: u32) -> Result<Machine, String> {
    read(&small_description(Registry::shared(), combination, 4, endpoints))
}

/// Reads and checks the description.
pub fn read(text: &str) -> Result<Machine, String> {
    machine::read(Document::Text("combination.toml", text, None), &[])
        .map(|read| read.value)
        .map_err(|problems| problems.to_string())
}
