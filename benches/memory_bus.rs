//! The memory-bus node's speed in real time: a cached load that hits, bus transactions of a ping-pong pair for each
//! interface, and the programs of Mukherjee and Hill. `cargo bench --bench memory_bus` prints all.

use narrows::engine::{Limits, Outcome, Recorder, Simulation};
use narrows::experiment::{self, RunResult};
use narrows::host::memory_bus::{MemoryBusNode, NodeParameters};
use narrows::machine::{self, shipped};
use narrows::ni::designs::Design;
use narrows::text::Document;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

/// Number of loads in one sample.
const LOADS: u64 = 20_000_000;
/// Number of samples. The best one counts, because other programs may use the processor.
const SAMPLES: usize = 5;

fn main() {
    let best = (0..SAMPLES).map(|_| ns_per_hit()).fold(f64::INFINITY, f64::min);
    println!("a cached load that hits: {best:.2} ns");
    println!("\n| interface | million bus transactions per second of real time |\n|---|---:|");
    for design in Design::ALL.into_iter().filter(|design| *design != Design::SingleCycle) {
        let best = (0..SAMPLES).map(|_| transactions_per_us(design)).fold(0.0, f64::max);
        println!("| {} | {best:.1} |", design.key());
    }
    println!("\n| program, on sixteen nodes | time | million cycles executed a second | ns a bus transaction |");
    println!("|---|---:|---:|---:|");
    for (name, settings) in PROGRAMS {
        print_program_speed(name, settings);
    }
}

/// Programs with the sizes of Table 4, but with fewer iterations.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("appbt", &["points=24", "iterations=1"]),
    ("barnes", &["bodies=16384", "steps=1"]),
    ("dsmc", &["iterations=5"]),
    ("em3d", &["n-nodes=512", "d-nodes=5", "local-p=90", "dist-span=6", "iterations=10", "exchange=\"updates\""]),
    ("moldyn", &["cells=8", "iterations=5"]),
    ("spsolve", &["rows=3720"]),
    ("unstructured", &["nodes=9428"]),
];

/// Prints the speed of a program with CNI32Qm: executed cycles, without waiting, and bus transactions of all nodes.
fn print_program_speed(name: &str, settings: &[&str]) {
    let text = format!(
        "parts = ['hosts/memory-bus-1998', 'ni/cni32qm', 'protocols/return-to-sender-1998', 'fabrics/ideal-1998']\n\
         [nodes.n]\nhost = 'memory-bus-1998'\ncount = 16\n[workload.{name}]\n{}",
        settings.join("\n")
    );
    let machine = machine::read(Document::Text(name, &text, None), &[]).expect("the description is valid").value;
    let start = Instant::now();
    let result = experiment::run(&machine, Recorder::off());
    let elapsed_s = start.elapsed().as_secs_f64();
    let is_execution_time = |name: &str| ["time.compute", "time.send", "time.receive"].contains(&name);
    let (executed, transactions) = (16.0 * sum(&result, is_execution_time), sum(&result, is_transaction));
    println!(
        "| {name} | {elapsed_s:.1} s | {:.0} | {:.0} |",
        executed / elapsed_s / 1e6,
        elapsed_s * 1e9 / transactions
    );
}

/// Returns the time of a load that hits the cache, measured with loads from a few blocks.
fn ns_per_hit() -> f64 {
    let simulation = Simulation::new(Recorder::off());
    let sim = simulation.sim();
    let node = Rc::new(MemoryBusNode::new(&sim, "node", &NodeParameters::PAPER));
    let ns_per_load = Rc::new(std::cell::Cell::new(0.0));
    let task_result = ns_per_load.clone();
    sim.spawn("loads", async move {
        for block in 0..64 {
            node.cores[0].load(4096 + 64 * block, 8).await;
        }
        let start = Instant::now();
        let mut sum = 0u64;
        for load in 0..LOADS {
            sum += node.cores[0].try_load(4096 + 8 * (load % 512), 8).expect("the block is in the cache");
        }
        black_box(sum);
        task_result.set(start.elapsed().as_nanos() as f64 / LOADS as f64);
    });
    assert_eq!(simulation.run(Limits::default()), Outcome::Done);
    ns_per_load.get()
}

/// Returns the bus transactions of a ping-pong pair per microsecond of real time.
fn transactions_per_us(design: Design) -> f64 {
    let text = shipped::example("memory-bus").expect("the example is shipped");
    let parts = format!(
        "parts=[\"hosts/memory-bus-1998\",\"ni/{}\",\"protocols/return-to-sender-1998\",\"fabrics/ideal-1998\"]",
        design.key()
    );
    let sets = [parts, "workload.ping-pong.messages=5000".to_owned()];
    let machine = machine::read(Document::Text("memory-bus", text, None), &sets).expect("the example is valid").value;
    let start = Instant::now();
    let result = experiment::run(&machine, Recorder::off());
    let elapsed_us = start.elapsed().as_micros() as f64;
    sum(&result, is_transaction) / elapsed_us
}

/// Returns whether a metric counts transactions of a bus.
fn is_transaction(name: &str) -> bool {
    name.starts_with("bus.") && !name.starts_with("bus.fetched")
}

/// Returns the sum of the metrics of a run whose names satisfy `is_counted`.
fn sum(result: &RunResult, is_counted: impl Fn(&str) -> bool) -> f64 {
    result.metrics.iter().filter(|metric| is_counted(&metric.name)).map(|metric| metric.value).sum()
}
