//! The ideal fabric: a fixed latency, no topology, no contention inside.
//!
//! Models (Mukherjee and Hill 1998, §5.1.2): the first byte of a packet leaves 40 ns after its
//! last byte entered. A node's link takes packets one after the other at a rate, and gives them
//! at the same rate; packets to one node arrive in the order in which they left their sources.
//! Leaves out: routing, contention, loss.
//!
//! Parameters: latency (Table 3: 40 ns), rate (the paper says nothing; 8 GB/s, the memory bus's).

use crate::engine::{Bytes, Mailbox, Rate, Resource, Sim, Time};
use crate::text::Table;

/// What an ideal fabric is like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdealParameters {
    /// From the last byte in to the first byte out: 40 ns (Table 3).
    pub latency: Time,
    /// The rate of a node's link, each way: 8 GB/s, the bus's peak (chosen).
    pub rate: Rate,
}

impl IdealParameters {
    /// Reads them.
    pub fn read(t: &mut Table<'_>) -> IdealParameters {
        IdealParameters {
            latency: t.time("latency", "From the last byte in to the first byte out").required(),
            rate: t.rate("rate", "Rate of a node's link, each way").required(),
        }
    }

    /// The network of Table 3.
    pub const PAPER: IdealParameters =
        IdealParameters { latency: Time::from_ns(40), rate: Rate::from_bytes_per_s(8_000_000_000) };
}

/// An ideal fabric that carries values of type `T`.
pub struct Ideal<T> {
    sim: Sim,
    parameters: IdealParameters,
    links: Vec<Resource>,
    arrivals: Vec<Mailbox<T>>,
}

impl<T> Ideal<T> {
    /// A fabric between `nodes` nodes.
    pub fn new(sim: &Sim, name: &str, nodes: usize, parameters: IdealParameters) -> Ideal<T> {
        Ideal {
            sim: sim.clone(),
            parameters,
            links: (0..nodes).map(|node| Resource::new(sim, format!("node {node} link into {name}"))).collect(),
            arrivals: (0..nodes).map(|node| Mailbox::new(sim, format!("node {node}: a packet from {name}"))).collect(),
        }
    }

    /// Sends `value`, `bytes` bytes long; returns when its last byte has entered.
    pub async fn inject(&self, from: usize, to: usize, bytes: Bytes, value: T) {
        let moving = self.parameters.rate.time_for(bytes);
        let _link = self.links[from].acquire().await;
        self.sim.delay(moving).await;
        self.arrivals[to].send_at(self.sim.now() + self.parameters.latency + moving, value);
    }

    /// Waits until the last byte of the next packet to `node` is out.
    pub async fn receive(&self, node: usize) -> T {
        self.arrivals[node].receive().await
    }
}
