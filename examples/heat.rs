//! A user's program that runs on any machine: the heat in a rod, whose points are in shared memory and divided among
//! the processors.
//! `cargo run --release --example heat` prints its time with two interfaces.

use narrows::engine::{EndpointId, Metric, Outcome, Recorder};
use narrows::experiment::run::run_with;
use narrows::machine;
use narrows::messaging::World;
use narrows::messaging::shared::{SharedAddress, Space};
use narrows::program::RunningWorkload;
use narrows::program::worker::{self, Worker};
use narrows::text::Document;
use std::rc::Rc;

/// Number of points of each processor.
const POINTS: usize = 32;
/// Number of steps.
const STEPS: usize = 40;

/// The addresses of each processor's points, for even and for odd steps, and the workers.
struct Heat(Vec<[SharedAddress; 2]>, Vec<Rc<Worker>>);

/// Runs the program of a processor: in each step, each point becomes the mean of its neighbours. The first
/// point stays hot.
async fn relax(worker: Rc<Worker>, heat: Rc<Heat>) {
    let last = heat.0.len() * POINTS - 1;
    let address_of = |point: usize, step: usize| heat.0[point / POINTS][step % 2].plus(8 * (point % POINTS) as u32);
    let own_points = worker.id() * POINTS..(worker.id() + 1) * POINTS;
    for point in own_points.clone() {
        worker.store_f64(address_of(point, 0), if point == 0 { 100.0 } else { 0.0 }).await;
    }
    for step in 0..STEPS {
        worker.barrier().await;
        for point in own_points.clone() {
            let left = worker.load_f64(address_of(point.saturating_sub(1), step)).await;
            let right = worker.load_f64(address_of((point + 1).min(last), step)).await;
            worker.compute(6).await; // two additions, a multiplication, addresses and the loop
            worker.store_f64(address_of(point, step + 1), if point == 0 { 100.0 } else { (left + right) / 2.0 }).await;
        }
    }
    let mut serial = vec![0.0; last + 1];
    serial[0] = 100.0;
    for _ in 0..STEPS {
        serial = (0..=last).map(|point| (serial[point.max(1) - 1] + serial[(point + 1).min(last)]) / 2.0).collect();
        serial[0] = 100.0;
    }
    for point in own_points {
        assert_eq!(worker.load_f64(address_of(point, STEPS)).await, serial[point], "a serial run gives the same");
    }
}

impl RunningWorkload for Heat {
    fn metrics(&self, world: &World, _: &Outcome) -> Vec<Metric> {
        worker::metrics(world, &self.1)
    }
}

/// Allocates shared memory, and starts the program on all processors.
fn start(world: &World) -> Rc<dyn RunningWorkload> {
    let space = Rc::new(Space::new(world.endpoint_map.len(), world.shared_memory.block));
    let part = |home| [(); 2].map(|()| space.allocate(EndpointId(home), 8 * POINTS as u64));
    let parts = (0..world.endpoint_map.len() as u32).map(part).collect();
    let heat = Rc::new(Heat(parts, Worker::all(world, &space)));
    worker::start(world, &heat.1, |worker| relax(worker, heat.clone()));
    heat
}

/// Returns the time of the program with an interface, in microseconds.
pub fn time(interface: &str) -> f64 {
    let text = format!(
        r#"parts = ["hosts/memory-bus-1998", "ni/{interface}", "protocols/return-to-sender-1998", "fabrics/ideal-1998"]
           [nodes.n]
           host = "memory-bus-1998"
           count = 8
           [workload.appbt] # another program takes its place"#
    );
    let machine = machine::read(Document::Text("heat.toml", &text, None), &[]).expect("the machine is valid").value;
    run_with(&machine, Recorder::off(), Box::new(start)).end.as_us()
}

fn main() {
    for interface in ["ni2w", "cni32qm"] {
        println!("{interface}: {:.1} us", time(interface));
    }
}
