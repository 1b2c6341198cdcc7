//! A workload of one message that all nodes pass on, lap after lap.

use narrows::prelude::*;
use std::cell::Cell;
use std::rc::Rc;

/// A message that all nodes pass on.
#[derive(Clone, Debug, Parameters)]
pub struct HotPotato {
    /// Number of times that the message passes all nodes.
    #[param(min = 1, max = 1_000_000, default = 10, meaning = Repetitions)]
    pub laps: u64,
    /// Payload of the message.
    #[param(max = "16 MiB", default = "64 B", meaning = Load)]
    pub payload: Bytes,
}

impl Part for HotPotato {
    const INFO: PartInfo = PartInfo::new("hot-potato", "A message that all nodes hand on")
        .small_input("laps = 2\npayload = \"300 B\"")
        .results(&[ResultName::metric("potato.hop", "us", "Time of a hop, the mean over all")]);
}

impl WorkloadSpec for HotPotato {
    fn needs(&self) -> WorkloadNeeds {
        WorkloadNeeds::default()
    }

    fn payload_max(&self) -> Option<(&'static str, Bytes)> {
        Some(("payload", self.payload))
    }

    fn objective(&self) -> Option<Objective> {
        Objective::minimize("potato.hop")
    }

    fn start(&self, world: &World) -> Rc<dyn RunningWorkload> {
        let endpoints = world.endpoint_map.len() as u32;
        let end_time = Rc::new(Cell::new(Time::ZERO));
        for id in 0..endpoints {
            world.sim.spawn(format!("potato {id}"), self.clone().hand_on(world.clone(), id, end_time.clone()));
        }
        Rc::new(Hops { end_time, hops: self.laps * u64::from(endpoints) })
    }
}

impl HotPotato {
    /// Runs the program of an endpoint: endpoint 0 begins every lap.
    async fn hand_on(self, world: World, id: u32, end_time: Rc<Cell<Time>>) {
        let (endpoint, destination) =
            (world.endpoint(EndpointId(id)), EndpointId((id + 1) % world.endpoint_map.len() as u32));
        let address = endpoint.allocate(self.payload);
        let message = || Outgoing { destination, tag: 0, address, payload: self.payload, words: &[] };
        for _ in 0..self.laps {
            if id == 0 {
                endpoint.send(message()).await;
            }
            let received = endpoint.receive().await;
            endpoint.release(received).await;
            if id > 0 {
                endpoint.send(message()).await;
            }
        }
        end_time.set(end_time.get().max(endpoint.now()));
    }
}

/// The measurements of a run.
struct Hops {
    end_time: Rc<Cell<Time>>,
    hops: u64,
}

impl RunningWorkload for Hops {
    fn metrics(&self, _: &World, _: &Outcome) -> Vec<Metric> {
        vec![Metric::latency("potato.hop", self.end_time.get().as_us() / self.hops as f64, "us")]
    }
}
