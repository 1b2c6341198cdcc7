//! What joins the ends: each packet arrives a fixed number of cycles after it was sent, or up to a
//! stated number of cycles later, in which case packets overtake each other.
//!
//! Leaves out: any limit of room or bandwidth; the two logical networks, which do not differ here.

use super::barrier::Barrier;
use super::interfaces::Told;
use super::wire::{Answering, Taken, Wire};
use super::{Endpoint, Packet, Parameters, Received};
use crate::engine::{Signal, Sim, Time, rng};
use rand::RngExt;
use std::cell::RefCell;
use std::rc::Rc;

/// What joins the ends.
struct Ideal {
    sim: Sim,
    parameters: Parameters,
    nodes: Vec<Arrivals>,
    random: RefCell<rng::Stream>,
}

/// What was sent to a node, in the order of arrival.
struct Arrivals {
    attention: Signal,
    packets: RefCell<Vec<(Time, usize, Packet)>>,
}

/// The ends of `nodes` nodes.
pub fn connect(sim: &Sim, nodes: usize, parameters: Parameters, seed: u64) -> Vec<Rc<Endpoint>> {
    let arrivals = |node| Arrivals {
        attention: Signal::new(sim, format!("packets for node {node}, or a barrier")),
        packets: RefCell::default(),
    };
    let wire: Rc<dyn Wire> = Rc::new(Ideal {
        sim: sim.clone(),
        parameters,
        nodes: (0..nodes).map(arrivals).collect(),
        random: RefCell::new(rng::stream(seed, "lateness of packets")),
    });
    let barrier = Rc::new(Barrier::new(nodes));
    (0..nodes).map(|node| Endpoint::new(sim, &wire, &barrier, node, parameters, Told(None))).collect()
}

impl Wire for Ideal {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn put(&self, from: usize, packet: &Packet, _: Time) -> bool {
        let late = match self.parameters.jitter {
            0 => 0,
            most => self.random.borrow_mut().random_range(0..=most),
        };
        let arrival = self.parameters.clock.edge_after(self.sim.now(), self.parameters.latency + late);
        let node = &self.nodes[packet.to];
        let mut packets = node.packets.borrow_mut();
        let place = packets.partition_point(|(other, _, _)| *other <= arrival);
        packets.insert(place, (arrival, from, *packet));
        node.attention.notify();
        true
    }

    fn take(&self, node: usize, _: Answering) -> Option<Taken> {
        let mut packets = self.nodes[node].packets.borrow_mut();
        let has_arrived = packets.first().is_some_and(|(arrival, _, _)| *arrival <= self.sim.now());
        has_arrived.then(|| packets.remove(0)).map(|(_, from, packet)| {
            let received = Received { from, handler: packet.handler, words: packet.words };
            Taken { received, body: None }
        })
    }

    fn has_arrived(&self, node: usize) -> bool {
        self.next_change(node) <= self.sim.now()
    }

    fn pending(&self, node: usize) -> u64 {
        self.nodes[node].packets.borrow().len() as u64
    }

    fn attention(&self, node: usize) -> &Signal {
        &self.nodes[node].attention
    }

    fn next_change(&self, node: usize) -> Time {
        self.nodes[node].packets.borrow().first().map_or(Time::MAX, |(arrival, _, _)| *arrival)
    }
}
