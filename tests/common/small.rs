//! Combinations of shipped parts with small inputs, for the tests that run many of them.

use narrows::machine::combinations::{Combination, line};
use narrows::machine::{self, Machine};
use narrows::text::Document;

/// A host of each kind; those of a kind differ in numbers alone.
pub const HOSTS: [&str; 4] = ["hosts/p6-natoma", "hosts/memory-bus-1998", "hosts/cm-5", "hosts/alewife"];

/// Small inputs, so that thousands run in minutes.
const INPUTS: [(&str, &str); 16] = [
    ("ping-pong", "payload = \"300 B\"\nmessages = 2"),
    ("stream", "payload = \"300 B\"\nmessages = 4"),
    ("page-fetch", "page = \"300 B\"\nfaults = 2"),
    ("dma", "size = \"256 B\"\ntransfers = 2"),
    ("bursts", "phases = 1\npackets = [2, 4]\nlengths = [1, 3]\nunresponsive = [100, 300]"),
    ("cyclic-shift", "words = 12"),
    ("radix-sort", "keys = 8\nbits = 3\npasses = 1"),
    ("em3d", "n-nodes = 4\nd-nodes = 2\niterations = 1"),
    ("appbt", "points = 4\niterations = 1"),
    ("barnes", "bodies = 20\nsteps = 1"),
    ("moldyn", "cells = 1\niterations = 2\nlist-every = 1"),
    ("spsolve", "rows = 24\nfreedom = 1\nneighbours = 4"),
    ("dsmc", "cells = [4, 2, 2]\nmolecules = 40\niterations = 2"),
    ("unstructured", "nodes = 16\niterations = 2"),
    ("pair", "packets = 8"),
    ("costs", "operation = \"read\"\nwriter = 2\nreaders = 1\ntimes = 3"),
];

/// Its parts.
pub fn parts(one: &Combination) -> [&str; 4] {
    [one.host, one.ni, one.protocol, one.fabric]
}

/// The combination with four nodes, or two for programs of two, and a small input.
pub fn small(one: &Combination) -> Result<Machine, String> {
    with_endpoints(one, 1)
}

/// The same, with so many endpoints a node.
pub fn with_endpoints(one: &Combination, endpoints: u32) -> Result<Machine, String> {
    let (_, input) = INPUTS.iter().find(|(key, _)| *key == one.workload).expect("every program has an input");
    let host = one.host.rsplit('/').next().expect("a part has a name");
    let node = |node| format!("[nodes.n{node}]\nhost = \"{host}\"\nendpoints = {endpoints}\n");
    let nodes: String = (0..4).map(node).collect();
    read(&format!("{}{nodes}[workload.{}]\n{input}\n", line(&parts(one)), one.workload))
}

/// The description, read and checked.
pub fn read(text: &str) -> Result<Machine, String> {
    machine::read(Document::Text("combination.toml", text, None), &[])
        .map(|read| read.value)
        .map_err(|problems| problems.to_string())
}
