//! The paper's systems, sizes and policies, and how its points are named.

use super::super::experiment::Results;

/// Systems of Table 1: key, and name in the paper.
pub const SYSTEMS: [(&str, &str); 4] = [
    ("p6-natoma", "P6/Natoma"),
    ("pentium-ii-440lx", "Pentium II/440LX"),
    ("alcor", "Alcor"),
    ("alcor-to-miata", "Alcor to Miata"),
];

/// Hosts of Figures 1 and 7: key, and name in the paper.
pub const HOSTS: [(&str, &str); 4] = [
    ("p6-natoma", "P6/Natoma"),
    ("pentium-ii-440lx", "Pentium II/440LX"),
    ("alcor", "Alcor (CIA)"),
    ("miata", "Miata (Pyxis)"),
];

/// Payload sizes of Figures 1 and 6, in bytes.
pub const SIZES: [u64; 10] = [128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];

/// Policies: key, and name in the paper.
pub const POLICIES: [(&str, &str); 3] = [
    ("store-and-forward", "store and forward"),
    ("pure-cut-through", "pure cut-through"),
    ("adaptive-cut-through", "adaptive cut-through"),
];

/// A metric of a point.
pub fn metric(results: &Results, point: &str, name: &str) -> Option<f64> {
    results.get(point)?.metric(name)
}

/// One-way latency of a system, in µs.
pub fn latency(results: &Results, system: &str, payload: &str, policy: &str) -> Option<f64> {
    metric(results, &format!("latency/{system}/{payload}/{policy}"), "message.latency_one_way")
}

/// Bandwidth of a system's stream, in MB/s.
pub fn bandwidth(results: &Results, system: &str, payload: &str, policy: &str) -> Option<f64> {
    metric(results, &format!("bandwidth/{system}/{payload}/{policy}"), "message.bandwidth")
}

/// Bandwidth of a host's DMA, in MB/s.
pub fn dma(results: &Results, host: &str, direction: &str, size: u64) -> Option<f64> {
    metric(results, &format!("figure-1/{host}/{direction}/{size}"), "dma.bandwidth")
}

/// Bandwidth of a stream of Figure 6, in MB/s.
pub fn stream(results: &Results, system: &str, policy: &str, size: u64) -> Option<f64> {
    metric(results, &format!("figure-6/{system}/{policy}/{size}"), "message.bandwidth")
}

/// A host's block copy and send DMA in one case of Figure 7, in MB/s; zero where it does not run.
pub fn competing(results: &Results, host: &str, case: &str) -> Option<(f64, f64)> {
    let run = results.get(&format!("figure-7/{host}/{case}"))?;
    Some((run.metric("copy.bandwidth").unwrap_or(0.0), run.metric("dma.bandwidth").unwrap_or(0.0)))
}
