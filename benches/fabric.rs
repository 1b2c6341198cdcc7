//! The router network's speed in real time: simulated cycles and flit-hops per second under uniform traffic.
//! `cargo bench --bench fabric` measures all; `-- SIDE PACKET-FLITS LOAD [CYCLES]` measures one square mesh, and prints
//! its cycles per second.

use narrows::engine::rng::{self, RandomStream};
use narrows::fabric::router::{Injection, Network, RouterParameters};
use narrows::fabric::topology::mesh::MeshParameters;
use narrows::text::Parameters;
use rand::RngExt;
use std::time::Instant;

/// The runs: side of the mesh, flits of a packet, load in flits per node and cycle, and number of cycles.
const RUNS: [(u32, u16, f64, u64); 8] = [
    (8, 1, 0.05, 100_000),
    (8, 1, 0.2, 40_000),
    (8, 1, 0.4, 20_000),
    (8, 8, 0.05, 100_000),
    (8, 8, 0.2, 40_000),
    (8, 8, 0.4, 20_000),
    (32, 1, 0.05, 2_000),
    (32, 8, 0.05, 2_000),
];
/// Number of samples. The best one counts, because other programs may use the processor.
const SAMPLES: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.as_slice() {
        [side, flits, load, more_arguments @ ..] => {
            let cycles =
                more_arguments.first().map_or(20_000, |cycles| cycles.parse().expect("the cycles are a number"));
            let run = (
                side.parse().expect("the side is a number"),
                flits.parse().expect("the flits are a number"),
                load.parse().expect("the load is a number"),
                cycles,
            );
            println!("{:.0}", measure(run).cycles_per_s);
        }
        _ => measure_all(),
    }
}

fn measure_all() {
    println!("| mesh | packet | load | cycles/s | flit-hops/s | ns per flit-hop |\n|---|---:|---:|---:|---:|---:|");
    for run in RUNS {
        let best = (0..SAMPLES).map(|_| measure(run)).max_by(|a, b| a.cycles_per_s.total_cmp(&b.cycles_per_s));
        let MeshSpeed { cycles_per_s, hops_per_s } = best.expect("there are samples");
        let (side, flits, load, _) = run;
        let ns = 1e9 / hops_per_s;
        println!("| {side}x{side} | {flits} | {load} | {cycles_per_s:.0} | {hops_per_s:.3e} | {ns:.1} |");
    }
}

struct MeshSpeed {
    cycles_per_s: f64,
    hops_per_s: f64,
}

/// Measures uniform traffic on a mesh, after a warm-up of a tenth of the measured cycles.
fn measure((side, flits, load, cycles): (u32, u16, f64, u64)) -> MeshSpeed {
    let shape = MeshParameters { shape: vec![side, side] }.shape();
    let mut network = Network::new(shape, &RouterParameters::defaults(), 1);
    let mut traffic = Traffic::new(side * side, flits, load);
    let mut events = Vec::new();
    let mut offer_and_step = |network: &mut Network, cycles: u64| {
        for _ in 0..cycles {
            traffic.offer(network);
            network.step();
            network.take_events(&mut events);
            events.clear();
        }
    };
    offer_and_step(&mut network, cycles / 10);
    let (hops_before, start) = (network.counts().flit_hops, Instant::now());
    offer_and_step(&mut network, cycles);
    let elapsed_s = start.elapsed().as_secs_f64();
    let hops = network.counts().flit_hops - hops_before;
    eprintln!("{hops} flit-hops in {cycles} cycles, {elapsed_s:.3} s");
    MeshSpeed { cycles_per_s: cycles as f64 / elapsed_s, hops_per_s: hops as f64 / elapsed_s }
}

/// Open-loop Bernoulli sources as one sequence of trials, one trial for every node in every cycle.
struct Traffic {
    stream: RandomStream,
    /// The number of the next trial that generates a packet.
    next_trial: u64,
    nodes: u32,
    flits: u16,
    /// The logarithm of the probability that a trial generates no packet.
    ln_probability_of_none: f64,
}

impl Traffic {
    fn new(nodes: u32, flits: u16, load: f64) -> Traffic {
        let ln_probability_of_none = (1.0 - load / f64::from(flits)).ln();
        let mut traffic =
            Traffic { stream: rng::stream(1, "traffic"), next_trial: 0, nodes, flits, ln_probability_of_none };
        traffic.next_trial = traffic.draw_gap();
        traffic
    }

    /// Draws the number of trials without a packet before the next one.
    fn draw_gap(&mut self) -> u64 {
        (self.stream.random::<f64>().ln() / self.ln_probability_of_none) as u64
    }

    fn offer(&mut self, network: &mut Network) {
        let first_trial = network.cycle() * u64::from(self.nodes);
        while self.next_trial < first_trial + u64::from(self.nodes) {
            let source = (self.next_trial - first_trial) as u32;
            let destination = self.stream.random_range(0..self.nodes);
            network.offer(Injection::whole(source, destination, self.flits, 0));
            self.next_trial += 1 + self.draw_gap();
        }
    }
}
